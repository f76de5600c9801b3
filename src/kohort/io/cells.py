"""Cells as text and back: the one place that says how a typed value is written.

Every cell becomes the text a person would write for it, and nothing of it is lost:

    integer ........... its digits, however many
    float ............. the shortest digits that read back as the same number, without an exponent; -0.0 is 0.0
    decimal ........... with as many digits after the point as its type has
    boolean ........... true or false
    date and time ..... ISO 8601, as fine as the source, with the offset where there is a time zone; the date alone
                        where no cell of the column has another time than midnight, and no time zone
    text, category .... itself
    null .............. missing; so is NaN, which equals nothing, not even itself, so that no class could form around
                        it, and which is all that pandas can write for a missing number

Blanks around cells and column names, removed.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import polars as pl

from kohort.system.workspace import HEAP
from kohort.tables.notation import in_full
from kohort.tables.table import Column, Table

if TYPE_CHECKING:
    from kohort.system.workspace import Workspace
    from kohort.tables.table import CellCodes

#: What helps.
NO_CHARACTER: Final = "remove characters such as U+FFFE: the text was decoded in the wrong byte order, or is not text"

#: Source types that a release does not return to. A type with categories lists also those that no record holds;
#: no Arrow library but polars reads integers of 128 bits.
_FORGOTTEN: Final = (pl.Categorical, pl.Enum, pl.Int128, pl.UInt128)


#: How days are written, and the time at which they begin.
_DAY: Final = "%Y-%m-%d"
_MIDNIGHT: Final = dt.time()


def encode(name: str, text: pl.Series, dtype: pl.DataType, workspace: Workspace = HEAP) -> Column:
    """Text cells as a column: their distinct values, and the place of each cell's among them, in the workspace.

    >>> column = encode("sex", pl.Series(["F", "M", "F"]), pl.String())
    >>> column.codes.dtype, column.values[int(column.codes[1])]
    (dtype('uint8'), 'M')
    """
    known = text.unique().drop_nulls()
    codes = text.cast(pl.Enum(known)).to_physical().cast(pl.UInt32)
    values = known.extend_constant(None, 1) if text.has_nulls() else known
    width = np.min_scalar_type(max(len(values) - 1, 0))
    held = workspace.empty(len(codes), width)
    held[:] = codes.fill_null(len(known)).to_numpy()
    return Column(name, values, cast("CellCodes", held), kept_type(dtype))


def kept_type(dtype: pl.DataType) -> pl.DataType:
    """The type that a release may have, of a source's: text for what no release returns to."""
    return pl.String() if isinstance(dtype, _FORGOTTEN) else dtype


def as_text(series: pl.Series, *, times: bool = False) -> pl.Series:
    """The cells of a readable column as text, NaN as null; `times`: midnight is a time, as it is of the source."""
    pattern = _pattern(series.dtype)
    if pattern:
        days = isinstance(series.dtype, pl.Datetime) and "%:z" not in pattern and not times
        return series.dt.to_string(_DAY if days and (series.dt.time() == _MIDNIGHT).all() else pattern)
    if series.dtype.is_float():
        return in_full(series.fill_nan(None).cast(pl.String).replace("-0.0", "0.0"))
    return series.cast(pl.String)


def has_times(column: Column) -> bool:
    """Whether the cells are dates of which some have a time."""
    return isinstance(column.dtype, pl.Datetime) and bool(column.values.str.contains("T", literal=True).any())


def of_arrow(name: str, array: Any) -> pl.Series:  # noqa: ANN401  an Arrow array, of a library that may be absent
    """An Arrow array as a series, also of types that polars does not have.

    Decimals of more digits, or of tens, become text; stretches of the calendar, which no release holds, are left out.
    """
    kind = str(array.type)
    if kind == "month_day_nano_interval":
        return pl.Series(name, [None], pl.Duration("us")).new_from_index(0, len(array))
    return pl.Series(name, array.cast("string") if re.match(r"decimal(256|128\(\d+, -)", kind) else array)


def from_text(values: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Text cells as `dtype` if each is exactly what `as_text` makes of it there, else as they are.

    >>> [from_text(pl.Series(texts), pl.Int64()).to_list() for texts in (["7", "10"], ["07", "10"])]
    [[7, 10], ['07', '10']]
    """
    pattern = _pattern(dtype)
    if isinstance(dtype, pl.Datetime) and not values.str.contains("T", literal=True).any():
        pattern = _DAY
    if pattern:
        typed = values.str.strptime(cast("Any", dtype), pattern, strict=False)
        return typed if typed.dt.to_string(pattern).equals(values) else values
    if isinstance(dtype, pl.Boolean):
        typed = values.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
    else:
        typed = values.cast(dtype, strict=False)
    return typed if as_text(typed).equals(values) else values


def _pattern(dtype: pl.DataType) -> str:
    """How a date or time is written; empty for other types."""
    match dtype:
        case pl.Date():
            return _DAY
        case pl.Time():
            return "%H:%M:%S%.f"
        case pl.Datetime():
            return "%Y-%m-%dT%H:%M:%S%.f" + ("%:z" if dtype.time_zone else "")
        case _:
            return ""


def trimmed(table: Table) -> Table:
    """The table without the blanks around its cells and column names; values that become equal become one.

    Cost: that of the distinct values, and one look-up per cell of the columns that have such blanks.

    >>> import polars as pl
    >>> from kohort.io.typed import from_frame
    >>> (column,) = trimmed(from_frame(pl.DataFrame({" age": [" 39", "39", " "]}))).columns
    >>> column.name, sorted(column.values)
    ('age', ['', '39'])
    """
    return replace(table, columns=tuple(map(_trimmed, table.columns)))


def _trimmed(column: Column) -> Column:
    name, values = column.name.strip(), column.values.str.strip_chars()
    if values.equals(column.values):
        return replace(column, name=name)
    merged = encode(name, values, column.dtype)
    return replace(column, name=name, values=merged.values, codes=merged.codes.take(column.codes), fault=None)
