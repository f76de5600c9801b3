"""Reading: whatever a table lies in becomes dictionary-encoded columns of text."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from kohort.errors import InfeasibleError, InputError, UsageError
from kohort.io.forms import is_address, is_store, located
from kohort.io.manifest import has_manifest, listed_parts
from kohort.io.options import ReadOptions
from kohort.system.workspace import HEAP
from kohort.tables.table import Table

if TYPE_CHECKING:
    from kohort.io.source import Content
    from kohort.system.workspace import Workspace

_DEFAULT: Final = ReadOptions()


def read(source: object, options: ReadOptions = _DEFAULT, workspace: Workspace = HEAP) -> Table:
    """The table in a file, on standard input or in a frame.

    Args:
        source: A path to delimited text (also packed by gzip or Zstandard), Parquet, Arrow IPC or any of
            `kohort.io.forms.FORMATS`, with `#NAME` for one of several sheets or tables; a folder of Parquet files; the
            address of a Postgres database with `#TABLE`; the address of a release in an object store; `-` for delimited
            text on standard input; or a frame of polars, pandas or Arrow, or anything that streams Arrow; a table that
            was read already; or a release.
        options: How delimited text is written, and limits. Only `trim`, `decimal` and `allow_empty` concern
            other sources.
        workspace: Where the codes of the cells live.

    What a reader of the table should know, such as which of several sheets it is, is a `SourceNote`, a warning.

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
        table = _piped(options, workspace) if name == "-" else _named(name, options, workspace)
    else:
        from kohort.io.typed import from_frame  # noqa: PLC0415  polars is loaded when something is read

        _refuse_names("a frame", options)
        name, table = "the frame", from_frame(source, workspace)
    if options.trim:
        from kohort.io.cells import trimmed  # noqa: PLC0415  polars is loaded when something is read

        table = trimmed(table)
    if held is None:
        from kohort.tables.notation import noted  # noqa: PLC0415  as above

        table = noted(table, options.decimal, options.separator or table.separator)
    if not (table.records or options.allow_empty):
        raise InfeasibleError("there are 0 records", where=name, hint="allow an empty table (--allow-empty)")
    return _noticed(table, name)


def _noticed(table: Table, name: str) -> Table:
    """The table, told to end in a total if it seems to; of a text its reader has said so."""
    from kohort.io.text import total_in  # noqa: PLC0415  polars is loaded when something is read

    last = (column.values[int(column.codes[-1])] or "" for column in table.columns if table.records)
    notes = [note for note in total_in(last, name) if note not in table.notes]
    return replace(table, notes=(*table.notes, *notes)) if notes else table


def _named(name: str, options: ReadOptions, workspace: Workspace) -> Table:
    if is_address(name):
        from kohort.io import databases, typed  # noqa: PLC0415  polars is loaded when something is read

        _refuse_names("a database", options)
        return typed.from_content(databases.postgres(name), databases.shown(name), workspace)
    if is_store(name):
        from kohort.io.objects import fetched  # noqa: PLC0415  only where there is one

        with fetched(name, workspace.folder) as copy:
            return _named(copy, options, workspace)
    if os.path.isdir(name):  # noqa: PTH112  it does not raise where the system refuses to look
        from kohort.io.folders import read_folder  # noqa: PLC0415  as above

        _refuse_names("a folder of files", options)
        if has_manifest(name):
            return _parts(name, options, workspace)
        return read_folder(name, workspace)
    return _file(name, options, workspace)


def _parts(folder: str, options: ReadOptions, workspace: Workspace) -> Table:
    """The table whose parts a manifest lists, once they are seen to be those."""
    from kohort.io.folders import read_folder  # noqa: PLC0415  polars is loaded when something is read
    from kohort.tables.recoded import joined  # noqa: PLC0415  as above

    known = listed_parts(folder)
    if known.format == "parquet":
        return read_folder(folder)
    how = replace(options, separator=known.separator or None, header=True, skip_rows=None)
    return joined([_file(str(path), how, workspace) for path in known.paths(Path(folder))], workspace)


def table_within(source: object) -> Table | None:
    """The table that a source is, or that it has, as a release does; `None` where there is none."""
    held = source if isinstance(source, Table) else cast("object", getattr(source, "table", None))
    return held if isinstance(held, Table) else None


def _file(path: str, options: ReadOptions, workspace: Workspace) -> Table:
    """The table in a regular file that nobody writes to meanwhile."""
    from kohort.io import source  # noqa: PLC0415  polars is loaded when something is read

    path, inner = located(path)
    with source.unchanged([path]):
        return _content(path, inner, source.mapped(path), options, workspace)


def _content(path: str, inner: str, content: Content, options: ReadOptions, workspace: Workspace) -> Table:
    """The table in the content of a file, or the one of that name in it."""
    from kohort.io import source, typed  # noqa: PLC0415  polars is loaded when something is read
    from kohort.io.confined import read_file  # noqa: PLC0415  as above
    from kohort.io.text import read_text  # noqa: PLC0415

    if (foreign := source.foreign(path, content)) is not None:
        is_sheet = foreign.inner == "sheet"
        _refuse_names(f"the {foreign.title} file", replace(options, skip_rows=None) if is_sheet else options)
        how = (str(options.skip_rows or 0), "named" if options.header else "") if is_sheet else ()
        return typed.from_content(read_file(foreign, path, inner, *how), path, workspace)
    if inner:
        what = f"the file has one table, which is not called {inner!r}"
        raise InputError(what, where=path, hint="leave out # and the name")
    if (form := source.form(path, content)) in {"Parquet", "Arrow"}:
        _refuse_names(f"the {form} file", options)
        return typed.read_typed(Path(path), form, workspace)
    return read_text(source.text_of(path, content, options, packed=form in source.PACKED), options, workspace)


def _refuse_names(what: str, options: ReadOptions) -> None:
    if options.names:
        raise UsageError(f"{what} has column names of its own", hint="leave out the names (--names)")
    if options.skip_rows:
        raise UsageError(f"{what} has no rows above its columns", hint="leave out --skip-rows")


def _piped(options: ReadOptions, workspace: Workspace) -> Table:
    from kohort.io import source  # noqa: PLC0415  polars is loaded when something is read
    from kohort.io.text import read_text  # noqa: PLC0415

    if workspace.limit is not None:
        options = replace(options, max_memory=min(options.max_memory, max(workspace.limit // 2, source.PIECE)))
    name, content = "standard input", source.piped(options)
    form = source.form(name, content)
    if form not in {"text", *source.PACKED}:
        raise InputError(f"a {form} file is not read from standard input", where=name, hint="give its path")
    return read_text(source.text_of(name, content, options, packed=form in source.PACKED), options, workspace)
