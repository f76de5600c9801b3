"""Sets of items by size: those that are no moles, and their extensions by one more item (Apriori's join).

A set of i items is known by its place among the non-moles of its size, in lexicographic order. Its children, the
non-moles that extend it by a greater item, are neighbours there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.native.library import FLOORS, JOIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.arrays import Counts, Index, Items

#: Candidates listed at once: their arrays stay within some megabytes.
_CHUNK = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """The s sets of i items that occur and are no moles, in lexicographic order.

    Attributes:
        items: (s, i) their items, ascending.
        supports: (s,) the transactions that contain them.
        tops: (s,) no private item is in more of a set's cohort than this.
        parts: (s, i) for each item the place, one level below, of the set without it; the last one is its parent.
        children: (s' + 1,) for each of the s' sets one level below, where its children start here.
        below: (s',) the supports of the sets one level below.
    """

    items: Items
    supports: Counts
    tops: Counts
    parts: Index
    children: Index
    below: Counts

    @property
    def size(self) -> int:
        """The items of each set."""
        return int(self.items.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Sets of i + 1 items, all of whose parts of i items are no moles.

    Attributes:
        base: (c,) the place of the set without the last item, ascending.
        item: (c,) the last item.
        tops: (c,) the least of the parts' tops: a bound on its own.
        floors: (c,) what its support is not below, by those of its parts; 0 where that was not asked for.
        parts: (c, i + 1) the places of all parts; the last one is the base.
    """

    base: Index
    item: Items
    tops: Counts
    floors: Counts
    parts: Index

    def only(self, chosen: Index) -> Candidates:
        """Some of them."""
        return Candidates(
            self.base[chosen], self.item[chosen], self.tops[chosen], self.floors[chosen], self.parts[chosen]
        )

    def sets(self, level: Level, chosen: Index) -> Items:
        """The items of the chosen candidates, which extend sets of `level`."""
        return np.column_stack([level.items[self.base[chosen]], self.item[chosen]])


def stacked(parts: Sequence[Level], below: Level) -> Level:
    """One level of several stretches of it, in order; `below` is the level that it extends."""
    if not parts:
        return below
    base = np.concatenate([part.parts[:, -1] for part in parts])
    return Level(
        np.concatenate([part.items for part in parts]),
        np.concatenate([part.supports for part in parts]),
        np.concatenate([part.tops for part in parts]),
        np.concatenate([part.parts for part in parts]),
        np.searchsorted(base, np.arange(len(below.items) + 1)),
        below.supports,
    )


def candidates(level: Level, items: int, room: int = 0, *, floors: bool = False) -> Iterator[Candidates]:
    """The sets that may occur one level above, some at a time.

    Args:
        level: The non-moles.
        items: The number of relevant items.
        room: How many at a time; 0 for the usual number.
        floors: Whether to bound supports from below.
    """
    size, sets = level.size, len(level.items)
    room = max(room or _CHUNK, items)
    base, item, tops = np.empty(room, np.int64), np.empty(room, np.int32), np.empty(room, np.int64)
    parts, least = np.empty((room, size + 1), np.int64), np.zeros(room, np.int64)
    seen, places = np.full(items, -1, np.int64), np.empty((size, items), np.int64)
    last = np.ascontiguousarray(level.items[:, -1])
    at = np.zeros(1, np.int64)
    while at[0] < sets:
        found = JOIN(at, last, level.tops, level.parts, level.children, seen, places, base, item, tops, parts)
        if floors:
            FLOORS(level.supports, level.below, level.parts, size, parts[:found], least)
        if found:
            yield Candidates(base[:found], item[:found], tops[:found], least[:found], parts[:found])
