"""Columns: which they are, their cells without marks, and where texts stand among others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import polars as pl

from kohort.engines.table import Column, Table, narrow
from kohort.verify.verdict import Check, fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index
    from kohort.schema import Schema

#: What `excel_safe` put an apostrophe before.
_MARKED: Final = r"^'([=+\-@\t\r])"


def check_columns(found: Sequence[str], schema: Schema) -> None:
    """The columns are the schema's released ones, in their order. What else a file calls a column is not repeated."""
    expected = [attribute.name for attribute in schema.released]
    if list(found) == expected:
        return
    leaked = [one.name for one in schema.attributes if not one.released and one.name in found]
    if leaked:
        raise fault(
            Check.COLUMNS, f"{len(leaked)} identifying or dropped columns are released", column=", ".join(leaked)
        )
    absent = [name for name in expected if name not in found]
    unknown = sum(name not in expected for name in found)
    what = f"{len(found)} columns where {len(expected)} were promised: {unknown} unknown, {len(absent)} absent"
    raise fault(Check.COLUMNS, what + ("" if unknown or absent else ", the order differs"), column=", ".join(absent))


def unmarked(table: Table) -> Table:
    """The cells without the apostrophes of `excel_safe`, where two values may become one."""
    return Table(tuple(map(_unmarked, table.columns)), table.records)


def _unmarked(column: Column) -> Column:
    values = plain(column.values, excel_safe=True)
    distinct = values.unique(maintain_order=True)
    codes = narrow(places(values, distinct), len(distinct)).take(column.codes)
    return replace(column, name=plain(pl.Series([column.name]), excel_safe=True)[0], values=distinct, codes=codes)


def plain(values: pl.Series, *, excel_safe: bool) -> pl.Series:
    """Values without the apostrophe that keeps spreadsheets from running them."""
    return values.str.replace(_MARKED, "$1") if excel_safe else values


def places(texts: pl.Series, among: pl.Series) -> Index:
    """Where each text stands in `among`, whose texts are distinct; -1 where it does not. A null equals a null.

    >>> places(pl.Series(["b", "c", None]), pl.Series([None, "a", "b"])).tolist()
    [2, -1, 0]
    """
    known = among.drop_nulls()
    found: Index = texts.cast(pl.Enum(known), strict=False).to_physical().cast(pl.Int64).fill_null(-1).to_numpy().copy()
    if len(known) < len(among):
        gap = int(among.is_null().arg_max() or 0)
        found[found >= gap] += 1
        found[texts.is_null().to_numpy()] = gap
    return found
