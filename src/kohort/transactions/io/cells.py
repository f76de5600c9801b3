"""From cells as a source has them to a database: in item order, none twice.

Items' names: what may be one, and what is said where something may not. No message repeats one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.errors import InputError
from kohort.errors.display import NONCHARACTER, many
from kohort.native.library import RENUMBER, SCATTER, SETTLE
from kohort.transactions.database import Transactions, in_item_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index, Items
    from kohort.tables.table import CellCodes


#: The transaction of each cell: (c,) uint32.
Keys: TypeAlias = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Transactions as they were found, each item any number of times.

    Attributes:
        names: (m,) the items' names, distinct.
        starts: (n + 1,) where each transaction's cells start.
        cells: (c,) index into `names`, in any order.
        ordered: Whether the order of `names` is the item order.
    """

    names: tuple[str, ...]
    starts: Index
    cells: Items
    ordered: bool = False

    def settled(self) -> tuple[Transactions, int]:
        """The database, made in the same arrays, and the cells that named an item its transaction already had."""
        names = self.names if self.ordered else in_item_order(self.names)
        rank = {name: place for place, name in enumerate(names)}
        ranks = np.fromiter(map(rank.__getitem__, self.names), np.int32, len(names))
        left = SETTLE(self.starts, self.cells, ranks)
        return Transactions(names, self.starts, self.cells[:left]), self.cells.size - left


def by_key(names: tuple[str, ...], keys: Keys, items: Items, n: int) -> Coded:
    """The cells of each of `n` transactions, brought together; `keys` (c,) says whose each is."""
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=n), out=starts[1:])
    cells = np.empty(items.size, np.int32)
    SCATTER(keys, items, starts[:-1].copy(), cells)
    return Coded(names, starts, cells)


def by_first(codes: CellCodes, n: int) -> Keys:
    """Codes of `n` values, which have no promised order, as numbers in the order in which the values occur."""
    keys = codes.astype(np.uint32)
    RENUMBER(keys, np.full(n, -1, np.int64))
    return keys


#: Control characters, line and paragraph separators, lone surrogates, what is no character: they break lines,
#: terminals or encodings. The line feed is left to those who look at one name at a time.
UNPRINTABLE: Final = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff" + NONCHARACTER.pattern[1:])


def check_items(names: Sequence[str], where: str) -> tuple[str, ...]:
    """The names, if they tell items apart and can be shown.

    Raises:
        InputError: a name is empty, used twice or not printable.

    >>> check_items(["bread", "milk"], "the matrix")
    ('bread', 'milk')
    """
    empty = sum(not name for name in names)
    if empty:
        raise InputError(f"{many(empty, 'item')} without a name", where=where)
    odd = sum("\n" in name or bool(UNPRINTABLE.search(name)) for name in names)
    if odd:
        what = f"{many(odd, 'item')} whose names hold control characters"
        raise InputError(what, where=where, hint="line ends, tabs and the like cannot be shown; rename the items")
    if len(set(names)) < len(names):
        twice = len(names) - len(set(names))
        raise InputError(
            f"{many(twice, 'item has', 'items have')} the name of another item", where=where, hint="rename them"
        )
    return tuple(names)
