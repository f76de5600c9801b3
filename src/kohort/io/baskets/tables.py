"""Transactions in a table whose cells are text: the long form, and matrices of noughts and ones."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.errors import InputError, UsageError
from kohort.io.baskets.cells import Coded, by_first, by_key, check_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Items, Mask
    from kohort.engines.table import Column, Table
    from kohort.io.baskets.options import BasketOptions


def from_long(table: Table, name: str, options: BasketOptions) -> Coded:
    """The transactions of a table with a record for each cell.

    Args:
        table: A column says which transaction, another which item; an empty item cell tells of no item.
        name: Of the source, for messages.
        options: Which columns these are.

    Raises:
        UsageError: which columns these are is not clear.
        InputError: a record says no transaction, or an item's name is not fit for one.
    """
    key, item = _columns(table.names, name, options)
    keys, items = table[key], table[item]
    missing = empty(keys.values)[keys.codes]
    if missing.any():
        what = f"{np.count_nonzero(missing)} records that do not say which transaction they belong to"
        first = int(np.argmax(missing)) + 1
        raise InputError(
            what, where=f"{name}, record {first}, column {key!r}", hint="fill in these cells, or drop them"
        )
    names, codes, there = named(items, f"{name}, column {item!r}")
    persons = by_first(keys.codes, len(keys.values))
    return by_key(names, persons[there], codes[there], len(keys.values))


def _columns(names: Sequence[str], name: str, options: BasketOptions) -> tuple[str, str]:
    """The columns of transactions and of items."""
    if len(names) == 1:
        hint = "the long form has one of transactions and one of items"
        raise InputError("there is only one column", where=name, hint=hint)
    wanted = [column for column in (options.key, options.item) if column is not None]
    check_known(wanted, names, name)
    if options.key is not None and options.key == options.item:
        raise UsageError("one column cannot say both the transaction and the item", where=name)
    others = [column for column in names if column not in wanted]
    if len(others) + len(wanted) > 2 and options.item is None:  # noqa: PLR2004  the long form's two columns
        hint = "name the column of items, and that of transactions if it is not the first"
        raise UsageError(f"which of {len(names)} columns has the items?", where=name, hint=hint)
    key = options.key or others.pop(0)
    return key, options.item or others[0]


def check_known(wanted: Sequence[str], names: Sequence[str], where: str) -> None:
    """Refuse a column that is not there.

    Raises:
        UsageError: there is no such column.
    """
    for column in wanted:
        if column not in names:
            near = get_close_matches(column, names, n=3)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise UsageError(f"there is no column {column!r}", where=where, hint=hint)


def empty(values: pl.Series) -> Mask:
    """(v,) which values say nothing: null, or the empty text."""
    return (values.is_null() | (values == "").fill_null(value=True)).to_numpy()


def named(column: Column, where: str) -> tuple[tuple[str, ...], Items, Mask]:
    """The items that a column names, for each cell which one, and whether it names one."""
    nameless = empty(column.values)
    names = check_items(column.values.filter(pl.Series(~nameless)).to_list(), where)
    codes = (np.cumsum(~nameless) - 1).astype(np.int32)
    return names, codes[column.codes], ~nameless[column.codes]


def from_matrix(table: Table, name: str, *, headed: bool) -> Coded:
    """The transactions of a table with a record for each of them, a 0 or 1 for each item.

    Args:
        table: Its columns are the items, in item order.
        name: Of the source, for messages.
        headed: Whether the columns' names are the items'; otherwise these are 0, 1, 2, …

    Raises:
        InputError: a cell is neither 0 nor 1 (nor false nor true, where the source has such a type).
    """
    names = check_items(table.names, name) if headed else tuple(map(str, range(len(table.columns))))
    rows = [np.flatnonzero(_is_one(column, f"{name}, column {at}")) for at, column in enumerate(table.columns, 1)]
    keys = np.concatenate(rows).astype(np.uint32)
    items = np.repeat(np.arange(len(rows), dtype=np.int32), [one.size for one in rows])
    found = by_key(names, keys, items, table.records)
    return Coded(names, found.starts, found.cells, ordered=True)


def _is_one(column: Column, where: str) -> Mask:
    """(n,) whether each cell is 1."""
    no, yes = ("false", "true") if isinstance(column.dtype, pl.Boolean) else ("0", "1")
    wrong = (~column.values.is_in([no, yes])).fill_null(value=True).to_numpy()
    if wrong.any():
        places = wrong[column.codes]
        first = f"record {int(np.argmax(places)) + 1}"
        what = f"{np.count_nonzero(places)} cells that are neither 0 nor 1"
        raise InputError(what, where=f"{where}, {first}", hint="is it a matrix?")
    return (column.values == yes).to_numpy()[column.codes]
