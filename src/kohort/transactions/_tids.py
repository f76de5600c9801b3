"""Cohorts as lists of transactions: those of a set are dealt to the items that extend it, by one look at each.

Fast where items are in few transactions: a set costs the cells of its cohort, however many other transactions and
items there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.kernels import kernel
from kohort.transactions._rows import clear

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Items
    from kohort.transactions._levels import Level
    from kohort.transactions._rows import Rows


#: Ascending items of each transaction, and transactions of each item: starts, items, firsts, tids.
Both: TypeAlias = "tuple[Index, Items, Index, Items]"

#: Sets, their supports and their parents.
Sets: TypeAlias = "tuple[Items, Counts, Index]"

#: Room for a cohort, for where those of the bases with one parent end, and for these themselves.
Room: TypeAlias = "tuple[Items, Index, Items]"


class Tids:
    """Transactions by public item."""

    def __init__(self, rows: Rows) -> None:
        """Invert the public rows."""
        self._firsts, self._tids = rows.inverted()
        self._rows = rows.starts, rows.ascending(self._firsts, self._tids), self._firsts, self._tids
        self._width = rows.width

    def singles(self, items: Index) -> tuple[Items, Index]:
        """The cohorts of single items, and where each begins there."""
        return self._tids, self._firsts[items]

    def supports(self, level: Level, base: Index, item: Items) -> Counts:
        """(c,) the transactions that contain each candidate: a set of the level and an item."""
        supports = np.empty(base.size, np.int64)
        counts = np.zeros(self._width, np.int64)
        count(self._rows, _of(level), base, item, self._room(level, base), counts, supports)
        return supports

    def cohorts(self, level: Level, base: Index, item: Items, begins: Index, dealt: Items) -> None:
        """Write the cohort of each candidate to `dealt`, where it begins."""
        free = np.full(self._width, -1, np.int64)
        deal_out(self._rows, _of(level), base, item, begins, self._room(level, base), free, dealt)

    def _room(self, level: Level, base: Index) -> Room:
        """Room for the cohorts of the bases; those of single items stand ready."""
        free = np.full(self._width, -1, np.int64)
        if level.size == 1:
            return np.empty(0, np.int32), free, self._tids
        bases = base[np.flatnonzero(np.diff(base, prepend=-1))]
        runs = np.flatnonzero(np.diff(level.parts[bases, -1], prepend=-1))
        most = int(np.add.reduceat(level.supports[bases], runs).max(initial=0))
        return np.empty(int(np.diff(self._firsts).max(initial=0)), np.int32), free, np.empty(most, np.int32)


def _of(level: Level) -> Sets:
    """What kernels are told of a level."""
    return level.items, level.supports, np.ascontiguousarray(level.parts[:, -1])


@kernel
def cohort_of(rows: Both, wanted: Items, cohort: Items) -> int:
    """Write the transactions that contain a set of items, at least one; return how many they are.

    Those of the first item, the rarest, are looked for among those of each other one, in strides that double.
    """
    _, _, firsts, tids = rows
    size = firsts[wanted[0] + 1] - firsts[wanted[0]]
    for at in range(size):
        cohort[at] = tids[firsts[wanted[0]] + at]
    for item in wanted[1:]:
        low, last, kept = firsts[item], firsts[item + 1], 0
        for row in cohort[:size]:
            step = 1
            while low + step < last and tids[low + step] < row:
                low += step
                step *= 2
            high = min(low + step, last)
            while low < high:
                middle = (low + high) // 2
                if tids[middle] < row:
                    low = middle + 1
                else:
                    high = middle
            if low < last and tids[low] == row:
                cohort[kept] = row
                kept += 1
        size = kept
    return int(size)


@kernel
def deal(  # noqa: PLR0917  a kernel takes arrays by position
    starts: Index, items: Items, cohort: Items, after: int, free: Index, dealt: Items
) -> None:
    """Write each transaction of a cohort to `dealt`, once for each item beyond `after` for which a place is free."""
    for row in cohort:
        for cell in range(starts[row + 1] - 1, starts[row] - 1, -1):
            item = items[cell]
            if item <= after:
                break
            if free[item] >= 0:
                dealt[free[item]] = row
                free[item] += 1


@kernel
def gather(rows: Both, level: Sets, base: Index, at: int, room: Room) -> int:
    """Deal the cohorts of the bases, from that of candidate `at` on, that have the same parent; return where they end.

    Afterwards the room's second part says of each base's last item where its cohort ends in the third.
    """
    starts, items, firsts, _ = rows
    sets, sizes, parents = level
    cohort, free, dealt = room
    last, end, place = sets.shape[1] - 1, at, 0
    while end < base.size and parents[base[end]] == parents[base[at]]:
        item = sets[base[end], last]
        if last == 0:
            free[item] = firsts[item + 1]
        elif free[item] < 0:
            free[item] = place
            place += sizes[base[end]]
        end += 1
    if last > 0:
        wanted = sets[base[at], :last]
        size = cohort_of(rows, wanted, cohort)
        deal(starts, items, cohort[:size], int(wanted[-1]), free, dealt)
    return end


@kernel
def count(  # noqa: PLR0917  a kernel takes arrays by position
    rows: Both, level: Sets, base: Index, item: Items, room: Room, counts: Counts, supports: Counts
) -> None:
    """Count the cohort of each candidate: of all that extend one base at once; `counts` is zero, also after."""
    starts, items, _, _ = rows
    sets, sizes, _ = level
    _, ends, cohorts = room
    at = end = int(np.int64(0))  # of a literal 0 `gather` would be compiled once more
    while at < base.size:
        if at == end:
            end = gather(rows, level, base, at, room)
        one = base[at]
        last = sets[one, sets.shape[1] - 1]
        cohort = cohorts[ends[last] - sizes[one] : ends[last]]
        ends[last] = -1
        cells = int(np.int64(0))  # likewise `clear`
        for row in cohort:
            cells += int(starts[row + 1] - starts[row])
            for cell in range(starts[row + 1] - 1, starts[row] - 1, -1):
                if items[cell] <= last:
                    break
                counts[items[cell]] += 1
        while at < end and base[at] == one:
            supports[at] = counts[item[at]]
            at += 1
        clear(starts, items, cohort, cells, counts)


@kernel
def deal_out(  # noqa: PLR0917  a kernel takes arrays by position
    rows: Both, level: Sets, base: Index, item: Items, begins: Index, room: Room, free: Index, dealt: Items
) -> None:
    """Write the cohort of each candidate to `dealt`, where it begins: a base's cohort is dealt to its candidates."""
    starts, items, _, _ = rows
    sets, sizes, _ = level
    _, ends, cohorts = room
    at = end = int(np.int64(0))  # of a literal 0 `gather` would be compiled once more
    while at < base.size:
        if at == end:
            end = gather(rows, level, base, at, room)
        one, first = base[at], at
        while at < end and base[at] == one:
            free[item[at]] = begins[at]
            at += 1
        last = sets[one, sets.shape[1] - 1]
        deal(starts, items, cohorts[ends[last] - sizes[one] : ends[last]], int(last), free, dealt)
        ends[last] = -1
        for candidate in range(first, at):
            free[item[candidate]] = -1
