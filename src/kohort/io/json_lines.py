"""JSON lines: an object of cells a line, read by polars and read back by Python's own parser."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from kohort.errors import InputError, UnsupportedError
from kohort.io.forms import Content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.io.forms import FileFormat
    from kohort.tables.table import Labels


def read(path: str, inner: str, form: FileFormat) -> Content:
    """The table in a file, whose brackets may be as deep as anyone likes; a key that an object lacks is a missing cell.

    Raises:
        InputError: a line is no object of cells, or has a key twice.
    """
    del inner  # it holds one
    written = Path(path).read_bytes()
    for number, line in enumerate(written.splitlines(), 1):
        _refuse_repeated(line, f"{path}, line {number}")
    try:
        return Content(pl.read_ndjson(written, infer_schema_length=None))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:  # whose texts quote cells
        raise InputError(f"the {form.title} file is damaged ({type(error).__name__})", where=path) from None


def _refuse_repeated(line: bytes, where: str) -> None:
    """Validate an object and that no key stands in it twice: readers differ in which of the two they take."""
    repeated = False

    def pairs(found: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal repeated
        cells = dict(found)
        repeated |= len(cells) < len(found)
        return cells

    try:
        found: object = json.loads(line, object_pairs_hook=pairs) if line.strip() else {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError("the line is no JSON object", where=where)
    if repeated:
        raise InputError("a key stands twice in an object", where=where, hint="keep one of the two")


def pack(frame: pl.DataFrame, labels: Mapping[str, Labels], form: FileFormat) -> bytes:
    """A file that holds `frame`; it has no place for labels.

    Raises:
        UnsupportedError: there is no record, and so no line that names the columns.
    """
    del labels
    if not frame.height:
        raise UnsupportedError(
            f"{form.title} without records cannot name the columns", where="output", hint="write CSV or Parquet"
        )
    file = BytesIO()
    frame.write_ndjson(file)
    return file.getvalue()


def unpack(written: bytes, form: FileFormat) -> pl.DataFrame:
    """The table in a file that `pack` made."""
    del form
    lines = [json.loads(line) for line in written.splitlines()]
    return pl.DataFrame({name: [line[name] for line in lines] for name in lines[0]} if lines else {}, strict=True)
