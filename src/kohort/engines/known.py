"""The engines by name, and which one a run takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

from kohort.engines.base import EngineName
from kohort.engines.local import local_engine
from kohort.errors import UsageError

if TYPE_CHECKING:
    import os

    from kohort.engines.base import Engine

#: The engine that reads the records into this process.
LOCALLY: Final = "local"


def engine_of(
    engine: object, memory_limit: int | None = None, spill_folder: str | os.PathLike[str] | None = None
) -> Engine:
    """The engine of that name, or of a connection to DuckDB, within so many bytes of memory.

    Args:
        engine: `local`, `duckdb`, or a connection of DuckDB, whose tables and relations are then the sources.
        memory_limit: `None` for any number.
        spill_folder: Where what does not fit goes.

    Raises:
        UsageError: there is no such engine, or see `local_engine`.
        MissingExtraError: its library is not installed.
    """
    if engine == LOCALLY:
        return local_engine(memory_limit, spill_folder)
    from kohort.engines.duckdb import DuckDB, is_connection  # noqa: PLC0415  only where it is asked for
    from kohort.engines.elsewhere import ElsewhereEngine  # noqa: PLC0415

    if engine == "duckdb":
        folder = None if spill_folder is None else Path(spill_folder)
        return ElsewhereEngine(DuckDB.opened(memory_limit, folder), memory_limit)
    if is_connection(engine):
        return ElsewhereEngine(DuckDB(engine), memory_limit)
    hint = f"one of {', '.join(get_args(EngineName))}, or in Python a connection of DuckDB"
    raise UsageError("there is no such engine", where="engine", hint=hint)
