"""Blanks around cells and column names, removed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kohort.engines.table import Table
from kohort.io.cells import encode

if TYPE_CHECKING:
    from kohort.engines.table import Column


def trimmed(table: Table) -> Table:
    """The table without the blanks around its cells and column names; values that become equal become one.

    Cost: that of the distinct values, and one look-up per cell of the columns that have such blanks.

    >>> import polars as pl
    >>> from kohort.io.typed import from_frame
    >>> (column,) = trimmed(from_frame(pl.DataFrame({" age": [" 39", "39", " "]}))).columns
    >>> column.name, sorted(column.values)
    ('age', ['', '39'])
    """
    return Table(tuple(map(_trimmed, table.columns)), table.records)


def _trimmed(column: Column) -> Column:
    name, values = column.name.strip(), column.values.str.strip_chars()
    if values.equals(column.values):
        return replace(column, name=name)
    merged = encode(name, values, column.dtype)
    return replace(merged, codes=merged.codes.take(column.codes))
