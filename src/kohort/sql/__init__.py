"""The SQL engines: records stay in DuckDB or Spark, which count, join, sort and write them."""
