"""Tables to and from the formats of `kohort.io.forms`: cells keep their text, columns their type where a file can.

What a format can hold is found by trying: the distinct values of each column are written and read back. A column that
does not come back as it was is written as text; where text does not come back either, nothing is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from kohort.errors import FileError, KohortError, UnsupportedError
from kohort.errors.display import many
from kohort.io.cells import as_text, encode, from_text, has_times
from kohort.io.forms import FORMATS, NO_ROOM
from kohort.tables.table import Column, Labels, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.io.forms import FileFormat


def pack(table: Table, key: str, source: Table | None = None) -> bytes:
    """A file that holds `table`.

    Args:
        table: The cells.
        key: Which form the file has: one that is written.
        source: The table that they come from, whose types and labels the file has again; the table itself by default.

    Raises:
        UnsupportedError: a column's name, or some of its cells, cannot be in such a file exactly.
        MissingExtraError: a library of the format is not installed.
    """
    form = FORMATS[key]
    cells: list[pl.Series] = []
    labels: dict[str, Labels] = {}
    for column in table.columns:
        origin = _origin(column, source)
        values, said = _writable(column, origin, form)
        cells.append(values.gather(column.codes).alias(column.name))
        if said is not None:
            labels[column.name] = said
    return form.pack(pl.DataFrame(cells), labels)


def unpack(content: bytes, key: str, source: Table) -> Table:
    """The table in a file that `pack` made, its cells as text.

    Args:
        content: The file's bytes.
        key: Which form it has.
        source: The table that its cells come from: what is a code there, and what a number, decides here.

    Raises:
        KohortError: the file is not one of that form.
    """
    form = FORMATS[key]
    frame = form.unpack(content)
    known = {column.name: column for column in source.columns}
    columns: list[Column] = []
    for series in frame:
        nameless = series.alias("")
        origin = known.get(series.name, Column(series.name, nameless, _NO_CODES, series.dtype))
        text, dtype = _read_back(nameless, origin, form)
        columns.append(encode(series.name, text, dtype))
    return Table(tuple(columns), frame.height)


_NO_CODES = pl.Series([], dtype=pl.UInt8).to_numpy()


def _origin(column: Column, source: Table | None) -> Column:
    return source[column.name] if source is not None and column.name in source.names else column


# ── what a file can hold ─────────────────────────────────────────────────────────────────────────


def _writable(column: Column, origin: Column, form: FileFormat) -> tuple[pl.Series, Labels | None]:
    """(v,) the values as they are written, and what is said of them: typed if they come back so, else as text."""
    texts = column.written
    due = texts if form.nulls else texts.replace("", None)
    typed, said = _typed(due, column, origin, form)
    if _lost(typed, due, said, origin, form) == 0:
        return typed, said
    said = Labels(said.title) if said is not None else None
    lost = _lost(due, due, said, origin, form)
    if lost and not _is_name("name", form):
        raise FileError(f"{form.title} cannot be written at all", hint=NO_ROOM)
    if lost and not _is_name(column.name, form):
        what = f"the column's name cannot be written to {form.title}"
        raise UnsupportedError(what, where=f"column {column.name}", hint="rename it in the input")
    if lost:
        what = f"{many(lost, 'value cannot', 'values cannot')} be written to {form.title} exactly"
        hint = "write CSV or Parquet; or, if trailing blanks are the cause, remove them with --trim"
        raise UnsupportedError(what, where=f"column {column.name}", hint=hint)
    return due, said


def _typed(texts: pl.Series, column: Column, origin: Column, form: FileFormat) -> tuple[pl.Series, Labels | None]:
    """The values with the type of their source, or the codes of their labels."""
    said = origin.labels
    if texts.null_count() == texts.len():
        return texts, None if said is None else Labels(said.title)  # no value tells a type
    if said is not None and said.codes and form.labelled and texts.drop_nulls().is_in([*said.codes]).all():
        kind = pl.String if said.of_texts else pl.Float64
        return texts.replace_strict(dict(said.codes), default=None, return_dtype=kind), said
    said = Labels(said.title) if said is not None else None
    if column.dtype != pl.String:
        return from_text(texts, column.dtype), said
    return (_numbers(texts) if form.plain and origin.dtype == pl.String else texts), said


def _numbers(texts: pl.Series) -> pl.Series:
    """Text as numbers if every value is written as plainly as a number can be; else as it is.

    >>> [_numbers(pl.Series(values)).dtype for values in (["7", "12"], ["0.5", "3"], ["07"], ["3.0"])]
    [Int64, Float64, String, String]
    """
    for dtype in (pl.Int64(), pl.Float64()):
        numbers = texts.cast(dtype, strict=False)
        if _plain(numbers).equals(texts):
            return numbers
    return texts


def _plain(numbers: pl.Series) -> pl.Series:
    """Numbers as text, whole ones without a point."""
    return as_text(numbers).str.strip_suffix(".0")


def _lost(values: pl.Series, due: pl.Series, said: Labels | None, origin: Column, form: FileFormat) -> int:
    """How many values a file does not give back as the texts that are due; all where it does not give back a name."""
    frame = _returned(values.alias(origin.name), {} if said is None else {origin.name: said}, form)
    if frame is None:
        return len(due)
    text, _ = _read_back(frame.to_series().alias(""), origin, form)
    return int(text.ne_missing(due if form.nulls else due.fill_null("")).sum())


def _is_name(name: str, form: FileFormat) -> bool:
    return _returned(pl.Series(name, [0]), {}, form) is not None


def _returned(column: pl.Series, labels: Mapping[str, Labels], form: FileFormat) -> pl.DataFrame | None:
    """A column that was written and read back beside one that numbers its records; `None` where neither can be."""
    names = [column.name, f"{column.name}_"]
    numbered = pl.Series(names[1], range(len(column)), dtype=pl.Int64)  # no record without any value
    try:
        frame = form.unpack(form.pack(pl.DataFrame([column, numbered]), labels))
    except (KohortError, MemoryError, OSError):
        raise
    except (AttributeError, LookupError, NameError):  # faults of kohort
        raise
    except Exception:  # noqa: BLE001  the libraries' own, whose texts quote values
        return None
    return frame if frame.columns == names and frame.height == len(column) else None


def _read_back(cells: pl.Series, origin: Column, form: FileFormat) -> tuple[pl.Series, pl.DataType]:
    """Cells of a written file as text, in the manner of the column that they come from, and their type."""
    text, dtype = _in_manner(cells, origin)
    return (text if form.nulls else text.fill_null("")), dtype


def _in_manner(cells: pl.Series, origin: Column) -> tuple[pl.Series, pl.DataType]:
    said = origin.labels
    if cells.dtype == pl.String and said is not None and said.of_texts:
        return cells.replace({code: label for label, code in said.codes.items()}), pl.String()
    if cells.dtype == pl.String or cells.null_count() == cells.len():
        return cells.cast(pl.String), pl.String()
    if cells.dtype.is_numeric() and said is not None and said.codes:
        names = {code: label for label, code in said.codes.items()}
        known = cells.cast(pl.Float64).replace_strict(names, default=None, return_dtype=pl.String)
        return known.zip_with(known.is_not_null(), _plain(cells)), pl.String()
    if cells.dtype.is_numeric() and origin.dtype == pl.String:
        return _plain(cells), pl.String()
    same = cells.cast(origin.dtype, strict=False)
    if origin.dtype != pl.String and same.cast(cells.dtype, strict=False).equals(cells):
        return as_text(same, times=has_times(origin)), origin.dtype
    return as_text(cells), cells.dtype
