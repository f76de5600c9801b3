"""Folders of Parquet files: the parts of one table, also in folders named `column=value`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

from kohort.errors import InputError
from kohort.io.source import state
from kohort.io.typed import assembled, faults
from kohort.workspace import HEAP

if TYPE_CHECKING:
    from kohort.tables.table import Table
    from kohort.workspace import Workspace

#: The endings of parts.
_PARTS: Final = (".parquet", ".pq")


def read_folder(path: str, workspace: Workspace = HEAP) -> Table:
    """The table whose parts lie in a folder, in the order of their paths, one column in memory at a time.

    A folder called `column=value` gives its records that value, as text. What is hidden (`_SUCCESS`, `.crc`) and what
    is no Parquet file is passed over.

    Raises:
        InputError: there are no parts, one is damaged, or they do not have the same columns.
        FileError: the system failed to read.
    """
    parts = sorted(_parts(Path(path)))
    if not parts:
        raise InputError("the input is a directory without Parquet files", where=path, hint="name a file")
    before = [state(str(part)) for part in parts]
    with faults(path, "the Parquet files are damaged, or differ in their columns"):
        frames = [_part(part, Path(path)) for part in parts]
        _refuse_different(parts, [frame.collect_schema() for frame in frames])
        whole = pl.concat(frames)
        schema = whole.collect_schema()
        table = assembled(schema, lambda place: whole.select(pl.nth(place)).collect().to_series(), path, workspace)
    if [state(str(part)) for part in parts] != before:
        raise InputError("the files changed while they were read", where=path, hint="read a copy of the folder")
    return table


def _parts(folder: Path) -> list[Path]:
    """The parts below a folder."""
    found = (part for part in folder.rglob("*") if part.suffix.lower() in _PARTS and part.is_file())
    return [part for part in found if not any(one.startswith(("_", ".")) for one in part.relative_to(folder).parts)]


def _part(part: Path, folder: Path) -> pl.LazyFrame:
    """A part with the columns that its folders name."""
    named = [one.partition("=") for one in part.relative_to(folder).parts[:-1]]
    columns = [pl.lit(value, pl.String).alias(name) for name, equals, value in named if equals]
    return pl.scan_parquet(part, hive_partitioning=False, glob=False).with_columns(columns)


def _refuse_different(parts: list[Path], schemas: list[pl.Schema]) -> None:
    """Refuse parts of several tables.

    Raises:
        InputError: a part has other columns than the first one, or other types of them.
    """
    for part, schema in zip(parts, schemas, strict=True):
        if schema != schemas[0]:
            different = sorted({name for name, _ in {*schema.items()} ^ {*schemas[0].items()}})
            what = f"the part has other columns or types than {parts[0].name}: {', '.join(different) or 'their order'}"
            raise InputError(what, where=str(part), hint="keep the parts of one table in a folder")
