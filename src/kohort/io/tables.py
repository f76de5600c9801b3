"""Reading: whatever a table lies in becomes dictionary-encoded columns of text."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, cast

from kohort.engines.table import Table
from kohort.errors import InfeasibleError, InputError, UsageError
from kohort.io.options import ReadOptions

_DEFAULT: Final = ReadOptions()


def read(source: object, options: ReadOptions = _DEFAULT) -> Table:
    """The table in a file, on standard input or in a frame.

    Args:
        source: A path to delimited text (also packed by gzip), Parquet or Arrow IPC; `-` for delimited text on
            standard input; a polars, pandas or Arrow frame; a table that was read already; or a release.
        options: How delimited text is written, and limits. Only `trim` and `allow_empty` concern other sources.

    Raises:
        InputError: the source cannot be read as what it claims to be.
        UsageError: names are given for columns that have names.
        InfeasibleError: it holds no records, and the options do not allow that.
        LimitError: it is larger than the options allow.
        FileError: the system failed to read it.
    """
    if (held := table_within(source)) is not None:
        name, table = "the table", held
    elif isinstance(source, str | os.PathLike):
        name = os.fsdecode(cast("str | os.PathLike[str]", source))
        table = _piped(options) if name == "-" else _file(name, options)
    else:
        from kohort.io.typed import from_frame  # noqa: PLC0415  polars is loaded when something is read

        _refuse_names("a frame", options)
        name, table = "the frame", from_frame(source)
    if options.trim:
        from kohort.io.cells import trimmed  # noqa: PLC0415  polars is loaded when something is read

        table = trimmed(table)
    if not (table.records or options.allow_empty):
        raise InfeasibleError("there are 0 records", where=name, hint="allow an empty table (--allow-empty)")
    return table


def table_within(source: object) -> Table | None:
    """The table that a source is, or that it has, as a release does; `None` where there is none."""
    held = source if isinstance(source, Table) else cast("object", getattr(source, "table", None))
    return held if isinstance(held, Table) else None


def _file(path: str, options: ReadOptions) -> Table:
    """The table in a regular file that nobody writes to meanwhile."""
    from kohort.io import source, typed  # noqa: PLC0415  polars is loaded when something is read
    from kohort.io.text import read_text  # noqa: PLC0415

    before = source.state(path)
    content = source.mapped(path)
    form = source.form(path, content)
    if form in {"Parquet", "Arrow"}:
        _refuse_names(f"the {form} file", options)
        table = (typed.read_parquet if form == "Parquet" else typed.read_ipc)(Path(path))
    else:
        table = read_text(source.text_of(path, content, options, packed=form == "gzip"), options)
    if source.state(path) != before:
        raise InputError("the file changed while it was read", where=path, hint="read a copy that nobody writes to")
    return table


def _refuse_names(what: str, options: ReadOptions) -> None:
    """Refuse to rename the columns of a typed source."""
    if options.names:
        raise UsageError(f"{what} has column names of its own", hint="leave out the names (--names)")


def _piped(options: ReadOptions) -> Table:
    """The table on standard input."""
    from kohort.io import source  # noqa: PLC0415  polars is loaded when something is read
    from kohort.io.text import read_text  # noqa: PLC0415

    name, content = "standard input", source.piped(options)
    form = source.form(name, content)
    if form not in {"text", "gzip"}:
        raise InputError(f"a {form} file is not read from standard input", where=name, hint="give its path")
    return read_text(source.text_of(name, content, options, packed=form == "gzip"), options)
