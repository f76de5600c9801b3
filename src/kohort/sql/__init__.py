"""The SQL engines: records stay in DuckDB or Spark, which count, join, sort and write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kohort.engines.base import EngineKind
from kohort.specification import TEXT, TEXTS, Parameter, Specification

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kohort.sql.remote import RemoteEngine
    from kohort.sql.sql import Database


def _over(base: Database, limit: int | None) -> RemoteEngine:
    from kohort.sql.remote import RemoteEngine  # noqa: PLC0415  a form or a help needs no engine

    return RemoteEngine(base, limit)


def _duckdb(limit: int | None, folder: Path | None, _: Mapping[str, Any]) -> RemoteEngine:
    from kohort.sql.duckdb import DuckDB  # noqa: PLC0415  as above

    return _over(DuckDB.opened(limit, folder), limit)


def _over_connection(engine: object, limit: int | None) -> RemoteEngine | None:
    """An engine over a connection to DuckDB, told by the name of its class: nothing is imported for other objects."""
    if type(engine).__name__ != "DuckDBPyConnection":
        return None
    from kohort.sql.duckdb import DuckDB  # noqa: PLC0415  as above

    return _over(DuckDB(engine), limit)


def _spark(limit: int | None, folder: Path | None, settings: Mapping[str, Any]) -> RemoteEngine:
    from kohort.sql.spark import Spark  # noqa: PLC0415  as above
    from kohort.sql.spark_session import LOCAL, Cluster  # noqa: PLC0415  as above

    cluster = Cluster(settings.get("master", LOCAL), dict(settings.get("spark_conf", {})), limit, folder)
    return _over(Spark.opened(cluster), limit)


def _over_session(engine: object, limit: int | None) -> RemoteEngine | None:
    """An engine over a session of Spark, told likewise."""
    if type(engine).__name__ != "SparkSession" or not type(engine).__module__.startswith("pyspark."):
        return None
    from kohort.sql.spark import Spark  # noqa: PLC0415  as above

    return _over(Spark(engine), limit)


DUCKDB: Final = EngineKind(
    Specification("duckdb", "DuckDB", "for CSV, Parquet and .duckdb files"),
    _duckdb,
    _over_connection,
    "a connection of DuckDB",
)

SPARK: Final = EngineKind(
    Specification(
        "spark",
        "Spark",
        "for CSV, Parquet and tables of its catalogue",
        parameters=(
            Parameter(
                "master",
                TEXT,
                "Spark's master: local[*], which is this machine, or spark://HOST:PORT.",
                ("local[*]",),
                metavar="URL",
            ),
            Parameter(
                "spark_conf",
                TEXTS,
                "A setting of Spark: spark.executor.memory=8g (repeatable).",
                ({"spark.executor.memory": "8g"},),
                metavar="KEY=VALUE",
            ),
        ),
    ),
    _spark,
    _over_session,
    "a session of Spark",
)
