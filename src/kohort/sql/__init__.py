"""The SQL engines: records stay in DuckDB or Spark, which count, join, sort and write them.

A user's connection or session is told by the name of its class: nothing is imported for the objects of others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kohort.engines.base import EngineKind
from kohort.specification import TEXT, TEXTS, Parameter, Specification

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kohort.sql.remote import RemoteEngine


def _duckdb(engine: object, limit: int | None, folder: Path | None, _: Mapping[str, Any]) -> RemoteEngine | None:
    if not isinstance(engine, str) and type(engine).__name__ != "DuckDBPyConnection":
        return None
    from kohort.sql.duckdb import DuckDB  # noqa: PLC0415  a form or a help needs no engine
    from kohort.sql.remote import RemoteEngine  # noqa: PLC0415  as above

    return RemoteEngine(DuckDB.opened(limit, folder) if isinstance(engine, str) else DuckDB(engine), limit)


def _spark(engine: object, limit: int | None, folder: Path | None, own: Mapping[str, Any]) -> RemoteEngine | None:
    kind = type(engine)
    if not isinstance(engine, str) and not (kind.__name__ == "SparkSession" and kind.__module__.startswith("pyspark.")):
        return None
    from kohort.sql.remote import RemoteEngine  # noqa: PLC0415  as above
    from kohort.sql.spark import Spark  # noqa: PLC0415  as above
    from kohort.sql.spark_session import LOCAL, Cluster  # noqa: PLC0415  as above

    asked = Cluster(own.get("master", LOCAL), dict(own.get("spark_conf", {})), limit, folder)
    return RemoteEngine(Spark.opened(asked) if isinstance(engine, str) else Spark(engine), limit)


_MASTER: Final = "Spark's master: local[*], which is this machine, or spark://HOST:PORT."
_CONF: Final = "A setting of Spark: spark.executor.memory=8g (repeatable)."

DUCKDB: Final = EngineKind(
    Specification("duckdb", "DuckDB", "for CSV, Parquet and .duckdb files"), _duckdb, "a connection of DuckDB"
)
SPARK: Final = EngineKind(
    Specification(
        "spark",
        "Spark",
        "for CSV, Parquet and tables of its catalogue",
        parameters=(
            Parameter("master", TEXT, _MASTER, ("local[*]",), metavar="URL"),
            Parameter("spark_conf", TEXTS, _CONF, ({"spark.executor.memory": "8g"},), metavar="KEY=VALUE"),
        ),
    ),
    _spark,
    "a session of Spark",
)
