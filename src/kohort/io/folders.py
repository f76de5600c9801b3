"""Folders of Parquet files: the parts of one table, also in folders named `column=value`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from kohort.errors import InputError
from kohort.io.forms import FORMATS
from kohort.io.manifest import has_manifest, read_manifest
from kohort.io.packed import described, refuse_bytes
from kohort.io.source import unchanged
from kohort.io.typed import assembled, faults, refuse_dense
from kohort.system.workspace import HEAP

if TYPE_CHECKING:
    from kohort.system.workspace import Workspace
    from kohort.tables.table import Table


def read_folder(path: str, workspace: Workspace = HEAP) -> Table:
    """The table whose parts lie in a folder, in the order of their paths, one column in memory at a time.

    A folder called `column=value` gives its records that value, as text. What is hidden (`_SUCCESS`, `.crc`) and what
    is no Parquet file is passed over.

    Raises:
        InputError: there are no parts, one is damaged, or they do not have the same columns.
        FileError: the system failed to read.
    """
    parts = _listed(path)
    with unchanged([*map(str, parts)], path), faults(path, "the Parquet files are damaged, or differ in their columns"):
        whole = pl.concat([one.frame for one in _same(parts, path)])
        schema = whole.collect_schema()
        return assembled(schema, lambda place: whole.select(pl.nth(place)).collect().to_series(), path, workspace)


class Part(NamedTuple):
    """A part of a table.

    Attributes:
        path: Its file.
        named: The columns that its folders name, with their value.
        frame: Its records with these columns; nothing is read yet.
    """

    path: Path
    named: tuple[tuple[str, str], ...]
    frame: pl.LazyFrame


def parts_of(path: str) -> list[Part]:
    """The parts in a folder, in the order of their paths, of which only names and types are read.

    Raises:
        InputError: there are none, one is damaged, or they do not have the same columns.
    """
    with faults(path, "the Parquet files are damaged, or differ in their columns"):
        return _same(_listed(path), path)


def _listed(path: str) -> list[Path]:
    below = read_manifest(Path(path)).prefix if has_manifest(path) else ""
    parts = sorted(_parts(Path(path, below)))
    if not parts:
        raise InputError("the input is a directory without Parquet files", where=path, hint="name a file")
    return parts


def _same(parts: list[Path], path: str) -> list[Part]:
    due = size = 0
    for part in parts:
        with part.open("rb") as file:
            due, size = due + described(file, "Parquet", str(part)), size + file.seek(0, os.SEEK_END)
    refuse_bytes(due, size, path)
    found = [_part(part, Path(path)) for part in parts]
    _refuse_different(parts, [one.frame.collect_schema() for one in found])
    refuse_dense(pl.concat([one.frame for one in found]), size, path)
    return found


def _parts(folder: Path) -> list[Path]:
    found = (part for part in folder.rglob("*") if part.suffix.lower() in FORMATS["parquet"].endings and part.is_file())
    return [part for part in found if not any(one.startswith(("_", ".")) for one in part.relative_to(folder).parts)]


def _part(part: Path, folder: Path) -> Part:
    said = [one.partition("=") for one in part.relative_to(folder).parts[:-1]]
    named = tuple((name, value) for name, equals, value in said if equals)
    columns = [pl.lit(value, pl.String).alias(name) for name, value in named]
    return Part(part, named, pl.scan_parquet(part, hive_partitioning=False, glob=False).with_columns(columns))


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
