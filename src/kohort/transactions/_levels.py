"""Sets of items by size: those that are no moles, and their extensions by one more item (Apriori's join).

A set of i items is known by its place among the non-moles of its size, in lexicographic order. Its children, the
non-moles that extend it by a greater item, are neighbours there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.kernels import kernel

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
    at = 0
    while at < sets:
        found, at = join(
            at, last, level.tops, level.parts, level.children, seen, places, base, item, tops, parts
        )  # fmt: skip
        if floors:
            bound(level.supports, level.below, level.parts, parts[:found], least)
        if found:
            yield Candidates(base[:found], item[:found], tops[:found], least[:found], parts[:found])


@kernel
def bound(supports: Counts, below: Counts, parts_of: Index, parts: Index, least: Counts) -> None:
    """Bound the support of each candidate C from below by sup(C - a) + sup(C - b) - sup(C - a - b), for all a and b.

    Of the transactions with C - a - b, as many lack a as C - b shows, and as many lack b as C - a shows; all others
    have both (Calders and Goethals, Mining all non-derivable frequent itemsets, 2002, to the second degree).
    """
    for at in range(parts.shape[0]):
        least[at] = 0
        for a in range(parts.shape[1]):
            for b in range(a + 1, parts.shape[1]):
                without = parts_of[parts[at, a], b - 1]
                floor = supports[parts[at, a]] + supports[parts[at, b]] - below[without]
                least[at] = max(least[at], floor)


@kernel
def join(  # noqa: PLR0917  a kernel takes arrays by position
    at: int,
    last: Items,
    bounds: Counts,
    parts_of: Index,
    children: Index,
    seen: Index,
    places: Index,
    base: Index,
    item: Items,
    tops: Counts,
    parts: Index,
) -> tuple[int, int]:
    """List the candidates that extend the sets from `at` on, until the arrays are full; their number and the next set.

    A set B and an item x after its last one make a candidate where every part of B + x is a non-mole: the part without
    B's last item is a sibling of B, and each other one a child of one of B's parts.
    """
    found = 0
    size = places.shape[0]
    while at < last.size:
        end = children[parts_of[at, size - 1] + 1]
        if found + end - at > base.size:
            break
        for part in range(size - 1):
            for child in range(children[parts_of[at, part]], children[parts_of[at, part] + 1]):
                x = last[child]
                if part == 0 or seen[x] == at * size + part - 1:
                    seen[x] = at * size + part
                    places[part, x] = child
        for sibling in range(at + 1, end):
            x = last[sibling]
            if size > 1 and seen[x] != at * size + size - 2:
                continue
            places[size - 1, x] = sibling
            top = bounds[at]
            for part in range(size):
                top = min(top, bounds[places[part, x]])
                parts[found, part] = places[part, x]
            parts[found, size] = at
            base[found] = at
            item[found] = x
            tops[found] = top
            found += 1
        at += 1
    return found, at
