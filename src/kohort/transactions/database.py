"""A transaction database: for each transaction the set of its items, sparse, as integer codes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kohort.errors import UnsupportedError, UsageError
from kohort.errors.display import Summary
from kohort.transactions import _rows
from kohort.transactions._engines import engines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from kohort.arrays import Counts, Index, Items, Mask
    from kohort.errors.display import Rows
    from kohort.transactions._engines import Counting

#: Cells counted at once: NumPy widens what it counts to 64 bits, and in one piece that takes longer than counting.
_BLOCK = 1 << 18


class Database(Protocol):
    """A transaction database, here or elsewhere: what is known of it without looking at its transactions."""

    @property
    def names(self) -> tuple[str, ...]:
        """(m,) the items' names, in item order."""
        ...

    @property
    def supports(self) -> Counts:
        """(m,) the transactions that contain each item."""
        ...

    @property
    def size(self) -> int:
        """The number of cells."""
        ...

    @property
    def empty(self) -> int:
        """The transactions of no items."""
        ...

    @property
    def longest(self) -> int:
        """The most items of a transaction."""
        ...

    def __len__(self) -> int:
        """The number of transactions."""
        ...

    def only(self, items: Mask) -> Database:
        """The same transactions over fewer items: those that `items` (m,) marks, with codes of their own."""
        ...

    def renamed(self, names: tuple[str, ...]) -> Database:
        """The same transactions, whose items have these names (m,)."""
        ...

    def counting(self, public: Index, private: Index) -> Counting:
        """What counts the cohorts of public items, and private items in them, all under their places in these."""
        ...


@dataclass(frozen=True, eq=False, repr=False)  # no slots: what is counted once is kept
class Transactions(Summary):
    """A transaction database of n transactions over m items.

    Attributes:
        names: (m,) the items' names, as they are written; their order is the item order, by which ties break.
        starts: (n + 1,) int64, ascending from 0: where each transaction's cells start; the last entry is c.
        cells: (c,) the items of each transaction, ascending, none twice.

    >>> database = Transactions.of([["bread", "milk"], ["milk"], []])
    >>> len(database), database.names, database.supports.tolist()
    (3, ('bread', 'milk'), [1, 2])
    """

    names: tuple[str, ...]
    starts: Index
    cells: Items

    @classmethod
    def of(cls, transactions: Iterable[Iterable[str]]) -> Transactions:
        """The database of these transactions; an item named twice in one counts once.

        Raises:
            UsageError: an item is not text.
        """
        sets = [frozenset(one) for one in transactions]
        items: frozenset[object] = frozenset(chain.from_iterable(sets))  # what an untyped caller may have passed
        texts = frozenset(name for name in items if isinstance(name, str))
        if len(texts) < len(items):
            hint = "write str(item): items are text, so 007 and 7 differ"
            raise UsageError("an item is not text", where="transactions", hint=hint)
        names = in_item_order(texts)
        code = {name: place for place, name in enumerate(names)}
        rows = [sorted(code[name] for name in one) for one in sets]
        starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return cls(names, starts, np.fromiter(chain.from_iterable(rows), np.int32, int(starts[-1])))

    def _shown(self) -> tuple[str, Rows]:
        counts = (("Transactions", len(self)), ("Items", len(self.names)), ("Cells", self.cells.size))
        return "Transactions", [(name, f"{count:,}") for name, count in counts]

    def __len__(self) -> int:
        """The number of transactions."""
        return self.starts.size - 1

    @property
    def supports(self) -> Counts:
        """(m,) the transactions that contain each item."""
        return self._supports

    @cached_property
    def _supports(self) -> Counts:
        """The same, counted once."""
        counts = np.zeros(len(self.names), np.int64)
        block = max(_BLOCK, counts.size)
        for start in range(0, self.cells.size, block):
            counts += np.bincount(self.cells[start : start + block], minlength=counts.size)
        return counts

    @cached_property
    def lengths(self) -> Counts:
        """(n,) the items of each transaction."""
        return np.diff(self.starts)

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.cells.size

    @property
    def empty(self) -> int:
        """The transactions of no items."""
        return int(np.count_nonzero(self.lengths == 0))

    @property
    def longest(self) -> int:
        """The most items of a transaction."""
        return int(self.lengths.max(initial=0))

    def counting(self, public: Index, private: Index) -> Counting:
        """What counts cohorts: see `kohort.transactions._engines`."""
        return engines_of(self, public, private)

    def kept(self, keep: Mask) -> Transactions:
        """The same transactions with only the cells that `keep` (c,) marks; items and their codes stay."""
        before = np.zeros(keep.size + 1, np.int64)
        np.cumsum(keep, out=before[1:])
        return Transactions(self.names, before[self.starts], self.cells[keep])

    def only(self, items: Mask) -> Transactions:
        """The same transactions over fewer items: those that `items` (m,) marks, with codes of their own."""
        rows = _rows.Rows(self.starts, self.cells, len(self.names)).only(np.flatnonzero(items))
        names = tuple(name for name, stays in zip(self.names, items.tolist(), strict=True) if stays)
        return Transactions(names, rows.starts, rows.items)

    def renamed(self, names: tuple[str, ...]) -> Transactions:
        """The same transactions, whose items have these names (m,)."""
        return replace(self, names=names)

    def common(self, share: Fraction) -> Mask:
        """(m,) the items that are in at least this share of the transactions."""
        return common(self, share)

    def sets(self) -> list[list[str]]:
        """Each transaction as a list of names, in item order: for small databases."""
        return [
            [self.names[item] for item in self.cells[start:end].tolist()]
            for start, end in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)
        ]


def common(database: Database, share: Fraction) -> Mask:
    """(m,) the items that are in at least this share of the transactions."""
    common: Mask = database.supports * share.denominator >= len(database) * share.numerator
    return common


def held(database: Database, what: str) -> Transactions:
    """The transactions themselves, which `what` needs."""
    if isinstance(database, Transactions):
        return database
    hint = "leave this out, or run without --engine (in Python engine=), which reads the transactions into memory"
    raise UnsupportedError(f"{what} needs the transactions themselves", where="engine", hint=hint)


def in_item_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names in item order: by value where every one is an integer without leading zeros, else by their characters.

    >>> in_item_order(["10", "9"]), in_item_order(["10", "9", "tea"])
    (('9', '10'), ('10', '9', 'tea'))
    """
    names = list(names)
    return tuple(sorted(names, key=int) if all(map(_is_plain, names)) else sorted(names))


def _is_plain(name: str) -> bool:
    """Whether a name is an integer in its shortest decimal form."""
    return name.isascii() and name.isdecimal() and (name == "0" or name[0] != "0")


def places_of(names: Sequence[str], among: Sequence[str]) -> tuple[list[int], list[str]]:
    """The places of `names` in `among`, and those names that are not there."""
    place = {name: at for at, name in enumerate(among)}
    absent = [name for name in dict.fromkeys(names) if name not in place]
    return [place[name] for name in dict.fromkeys(names) if name in place], absent


def told_absent(absent: Sequence[str], names: Sequence[str], kind: str) -> str:
    """Says how many of some items' names are in no transaction, and none of them."""
    return f"{len(absent)} of the {len(names)} {kind} items {'is' if len(absent) == 1 else 'are'} in no transaction"
