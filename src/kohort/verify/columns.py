"""Columns as the verifier holds them: distinct values in the order of their bytes, and a code for each record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.engines.table import Column, Table, narrow
from kohort.schema import Role
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
    leaked = [attribute.name for attribute in schema.with_role(Role.IDENTIFYING) if attribute.name in found]
    if leaked:
        raise fault(Check.COLUMNS, f"{len(leaked)} identifying columns are released", column=", ".join(leaked))
    absent = [name for name in expected if name not in found]
    unknown = sum(name not in expected for name in found)
    what = f"{len(found)} columns where {len(expected)} were promised: {unknown} unknown, {len(absent)} absent"
    raise fault(Check.COLUMNS, what + ("" if unknown or absent else ", the order differs"), column=", ".join(absent))


def ordered(table: Table, *, excel_safe: bool = False) -> Table:
    """The same cells; the values of each column are distinct and ascend by their bytes, null first."""
    columns = (_unmarked(column) if excel_safe else column for column in table.columns)
    return Table(tuple(map(_ordered, columns)), table.records)


def _ordered(column: Column) -> Column:
    ascending = column.values.arg_sort(nulls_last=False).to_numpy()
    place = np.empty(ascending.size, np.int64)
    place[ascending] = np.arange(ascending.size)
    return replace(column, values=column.values.gather(ascending), codes=narrow(place, place.size).take(column.codes))


def _unmarked(column: Column) -> Column:
    """The column without apostrophes, where two values may become one."""
    values = plain(column.values, excel_safe=True)
    distinct = values.unique(maintain_order=True)
    return replace(column, values=distinct, codes=narrow(places(values, distinct), len(distinct)).take(column.codes))


def plain(values: pl.Series, *, excel_safe: bool) -> pl.Series:
    """Values without the apostrophe that keeps spreadsheets from running them."""
    return values.str.replace(_MARKED, "$1") if excel_safe else values


def places(texts: pl.Series, among: pl.Series) -> Index:
    """Where each text stands in `among`, whose texts are distinct; -1 where it does not. A null equals a null.

    >>> places(pl.Series(["b", "c", None]), pl.Series([None, "a", "b"])).tolist()
    [2, -1, 0]
    """
    gap = among.is_null().to_numpy()
    known = among.drop_nulls()
    found = texts.cast(pl.Enum(known), strict=False).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    where: Index = np.append(np.flatnonzero(~gap), -1)[found]
    if gap.any():
        where[texts.is_null().to_numpy()] = int(gap.argmax())
    return where
