"""The engines by name, and which one a run takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

from kohort.engines.base import EngineName
from kohort.engines.local import local_engine
from kohort.errors import UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from kohort.engines.base import Engine

#: The engine that reads the records into this process.
LOCALLY: Final = "local"


def engine_of(
    engine: object,
    memory_limit: int | None = None,
    spill_folder: str | os.PathLike[str] | None = None,
    *,
    master: str | None = None,
    spark_conf: Mapping[str, str] | None = None,
) -> Engine:
    """The engine of that name, or of a connection to DuckDB or a session of Spark, within so many bytes of memory.

    Args:
        engine: `local`, `duckdb`, `spark`; or a connection of DuckDB or a session of Spark, whose tables and relations
            or frames are then sources, too.
        memory_limit: `None` for any number.
        spill_folder: Where what does not fit goes.
        master: Spark's master, for a session of our own.
        spark_conf: Spark's settings, likewise.

    Raises:
        UsageError: there is no such engine, or see `local_engine`.
        MissingExtraError: its library is not installed.
        FileError: Spark's master does not answer.
    """
    if engine != "spark" and (master is not None or spark_conf):
        where = "spark-conf" if master is None else "master"
        hint = "add --engine spark, or leave it out"
        raise UsageError("this is said of the engine spark alone", where=where, hint=hint)
    if engine == LOCALLY:
        return local_engine(memory_limit, spill_folder)
    from kohort.engines.duckdb import DuckDB, is_connection  # noqa: PLC0415  only where it is asked for
    from kohort.engines.elsewhere import ElsewhereEngine  # noqa: PLC0415

    folder = None if spill_folder is None else Path(spill_folder)
    if engine == "duckdb":
        return ElsewhereEngine(DuckDB.opened(memory_limit, folder), memory_limit)
    if is_connection(engine):
        return ElsewhereEngine(DuckDB(engine), memory_limit)
    from kohort.engines.spark import Spark, is_session  # noqa: PLC0415  as above
    from kohort.engines.spark_session import LOCAL, Cluster  # noqa: PLC0415

    if engine == "spark":
        asked = Cluster(master or LOCAL, dict(spark_conf or {}), memory_limit, folder)
        return ElsewhereEngine(Spark.opened(asked), memory_limit)
    if is_session(engine):
        return ElsewhereEngine(Spark(engine), memory_limit)
    hint = f"one of {', '.join(get_args(EngineName))}, or in Python a connection of DuckDB or a session of Spark"
    raise UsageError("there is no such engine", where="engine", hint=hint)
