"""The order cut, compiled: a chain through the tuples of each leaf, and the best division of an order into classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.cost_kernels import Groups, add, clear, cost, pair_cost
from kohort.algorithms.mondrian.costs import SET, SPAN
from kohort.kernels import inlined, kernel

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.costs import Costs
    from kohort.arrays import Codes, Counts, Index, Mask

#: What no division costs.
NEVER: Final = 1 << 62

#: Where the span of a missing number begins and ends: so far from all numbers that together they cost the whole.
AWAY: Final = -(1 << 61)


class Line(NamedTuple):
    """Tuples in an order, equal ones as one run of records.

    Attributes:
        places: (u, d) the place of each run's tuple.
        ends: (u + 1,) records before each run, and all.
        costs: What groups cost.
    """

    places: Codes
    ends: Index
    costs: Costs


class Window(NamedTuple):
    """What the classes cost that end with the record read last, whichever of the w records up to it is their first.

    The record r is kept at r modulo w, a power of two.

    Attributes:
        dear: (w,) what the class costs that begins with the record.
        low: (d, w) of spans: where the span of that class begins.
        high: (d, w) of spans: where it ends; of sets: its values more than one; of ancestors: its level, as what comes
            before the level's nodes.
        last: the record that each place was last seen in, an attribute's places after those of the one before it; only
            of sets.
    """

    dear: Index
    low: Index
    high: Index
    last: Index


class Division(NamedTuple):
    """The best division of each beginning of the line.

    Attributes:
        total: (n + 1,) what the first records cost, divided as well as may be; NEVER where they cannot be divided.
        last: (n + 1,) records before the last class of that division.
    """

    total: Index
    last: Index


def window(width: int, costs: Costs) -> Window:
    """Room for classes of at most so many records; nothing has been read."""
    slots = 1 << (width - 1).bit_length()
    low, high = (np.zeros((costs.kinds.size, slots), np.int64) for _ in range(2))
    return Window(np.zeros(slots, np.int64), low, high, np.full(costs.ends.size, -1))


@kernel
def chain(places: Codes, costs: Costs, starts: Index, order: Index) -> None:
    """Let the tuples of each leaf follow one another, each time the one that costs least with the last, ties the first.

    Args:
        places: (u, d) of the tuples.
        costs: What pairs cost.
        starts: (r + 1,) where each leaf begins in the order.
        order: (u,) the tuples, leaf by leaf; afterwards in the new order.
    """
    for leaf in range(starts.size - 1):
        for place in range(max(int(starts[leaf]), 1), starts[leaf + 1]):
            best, least = place, NEVER
            for other in range(place, starts[leaf + 1]):
                dear = pair_cost(places, order[place - 1], order[other], costs)
                if dear < least or (dear == least and order[other] < order[best]):
                    best, least = other, dear
            order[place], order[best] = order[best], order[place]


@kernel
def turn(keys: Codes, runs: Index, spare: Index) -> None:
    """Read sorted rows to and fro: attribute by attribute, every other run of equal beginnings backwards.

    Args:
        keys: (u, d) different rows, sorted.
        runs: (u, 2) room; afterwards the first column is the rows in their new order.
        spare: (u, 2) room.
    """
    many, runs[0, 0], runs[0, 1] = 1, 0, len(keys)
    for column in range(keys.shape[1]):
        found = 0
        for run in range(many):
            first, last, step = runs[run, 0], runs[run, 1], 1
            if run % 2 == 1:
                first, last, step = last - 1, first - 1, -1
            begin = first
            for row in range(first, last, step):
                if row + step == last or keys[row + step, column] != keys[row, column]:
                    spare[found, 0], spare[found, 1] = min(begin, row), max(begin, row) + 1
                    begin = row + step
                    found += 1
        for run in range(found):
            runs[run, 0], runs[run, 1] = spare[run, 0], spare[run, 1]
        many = found


@inlined
def _slot(record: int, seen: Window) -> np.uint64:
    """Where the class is kept that begins with a record.

    Unsigned: that a signed index may count from the end is looked after each time, and makes these loops half as fast.
    """
    return np.uint64(record & (seen.dear.size - 1))


@inlined
def _read(line: Line, run: int, record: int, seen: Window) -> None:
    """Let all classes end with one more record, which is of this run.

    The earlier a class begins the more it holds: going back, the first one that holds the value ends the walk.
    """
    costs, records = line.costs, (max(record - seen.dear.size + 1, 0), record)
    seen.dear[_slot(record, seen)] = 0
    for attribute in range(np.uint64(line.places.shape[1])):
        place, first, kind = np.int64(line.places[run, attribute]), costs.first[attribute], costs.kinds[attribute]
        if kind == SPAN:
            begin, end = int(costs.starts[first + place]), int(costs.ends[first + place])
            if place == costs.gaps[attribute]:
                begin, end = AWAY, AWAY
            _widen((attribute, begin, end), records, int(costs.whole[attribute]), seen)
        elif kind == SET:
            _collect((attribute, int(first), int(place)), records, costs, seen)
        else:
            before = run - int(line.ends[run] == record and run > 0)
            _climb((attribute, int(place), int(np.int64(line.places[before, attribute]))), records, costs, seen)


@inlined
def _widen(span: tuple[int, int, int], records: tuple[int, int], whole: int, seen: Window) -> None:
    """Let the spans of an attribute hold one more, which begins and ends there."""
    (attribute, begin, end), (oldest, record), at = span, records, _slot(records[1], seen)
    seen.low[attribute, at], seen.high[attribute, at] = begin, end
    seen.dear[at] += min(max(end - begin, 0), whole)
    for earlier in range(record - 1, oldest - 1, -1):
        at = _slot(earlier, seen)
        low, high = int(seen.low[attribute, at]), int(seen.high[attribute, at])
        if low <= begin and end <= high:
            break
        seen.low[attribute, at], seen.high[attribute, at] = min(low, begin), max(high, end)
        seen.dear[at] += min(max(max(high, end) - min(low, begin), 0), whole) - min(max(high - low, 0), whole)


@inlined
def _collect(value: tuple[int, int, int], records: tuple[int, int], costs: Costs, seen: Window) -> None:
    """Let the sets of an attribute hold one more value; those have it that begin before it was last seen."""
    (attribute, first, place), (oldest, record), at = value, records, _slot(records[1], seen)
    seen.high[attribute, at] = 0
    seen.dear[at] += costs.ends[first]
    for earlier in range(max(int(seen.last[first + place]) + 1, oldest), record):
        at = _slot(earlier, seen)
        members = np.uint64(first + seen.high[attribute, at])
        seen.high[attribute, at] += 1
        seen.dear[at] += costs.ends[members + np.uint64(1)] - costs.ends[members]
    seen.last[first + place] = record


@inlined
def _climb(leaf: tuple[int, int, int], records: tuple[int, int], costs: Costs, seen: Window) -> None:
    """Let the nodes of an attribute stand for one more leaf; the record before it has the leaf `before`."""
    (attribute, place, before), (oldest, record), at = leaf, records, _slot(records[1], seen)
    level = int(costs.levels[attribute, 0])
    seen.high[attribute, at] = level
    seen.dear[at] += costs.above[level + place]
    while costs.nodes[level + place] != costs.nodes[level + before]:
        level += int(costs.levels[attribute, 1])
    for earlier in range(record - 1, oldest - 1, -1):
        at = _slot(earlier, seen)
        own = int(seen.high[attribute, at])
        if own >= level:
            break
        seen.high[attribute, at] = level
        seen.dear[at] += costs.above[level + place] - costs.above[own + before]


@kernel
def divide(line: Line, some: tuple[int, int, int, int], allowed: Mask, seen: Window, out: Division) -> None:
    """Divide some more beginnings of the line into classes of at least k records, at least cost.

    f(0) = 0, f(e) = min over s of f(s) + (e - s) · cost(records s..e), ties to the smaller class. Where sizes decide, s
    is from e - 2k + 1 to e - k. That is exact for the order: a cost is monotone, so that a class of 2k records or more
    is never better than two.

    Args:
        line: The line.
        some: The first and the last of these beginnings, k, and the run of the first one's last record.
        allowed: (b, w) whether the k, k + 1, … records before each beginning's end may be a class; (0, w): all may.
        seen: What has been read so far; room for k + w - 1 records.
        out: The divisions of all shorter beginnings; these are added.
    """
    first, last, k, run = some
    for end in range(first, last + 1):
        while line.ends[run + 1] < end:
            run += 1
        _read(line, run, end - 1, seen)
        best, before = NEVER, 0
        for size in range(k, min(end, k + allowed.shape[1] - 1) + 1):
            start = end - size
            whole = int(out.total[np.uint64(start)]) + size * int(seen.dear[_slot(start, seen)])
            if whole < best and (len(allowed) == 0 or allowed[end - first, size - k]):
                best, before = whole, start
        out.total[end], out.last[end] = best, before


@kernel
def trace(out: Division, ends: Index) -> int:
    """List where the classes of the best division of all end, the last first, if there is room; how many they are."""
    end, found = out.total.size - 1, 0
    while end > 0:
        if found < ends.size:
            ends[found] = end
        end = int(out.last[end])
        found += 1
    return found


@kernel
def enclose(quasi: Codes, pieces: tuple[Index, Index], low: Codes, high: Codes) -> None:
    """Lower and raise the ends of each region to the codes of its pieces: these are tuples, and the region of each."""
    tuples, regions = pieces
    for piece in range(tuples.size):
        row, region = tuples[piece], regions[piece]
        for column in range(quasi.shape[1]):
            low[region, column] = min(low[region, column], quasi[row, column])
            high[region, column] = max(high[region, column], quasi[row, column])


@kernel
def total(places: Codes, regions: tuple[Index, Index, Counts], costs: Costs, room: Groups) -> int:
    """Records times cost, over regions.

    Args:
        places: (u, d) of the tuples.
        regions: The tuples of all regions, one after another; where each begins, and their end; the records of each.
        costs: What groups cost.
        room: For one group.
    """
    (tuples, starts, records), whole = regions, 0
    for region in range(records.size):
        clear(room, 0)
        for piece in range(starts[region], starts[region + 1]):
            add(room, 0, places, tuples[piece], costs)
        whole += int(records[region]) * cost(room, 0, costs)
    return whole
