"""Cuts by what they save, compiled: the candidates of a partition, the best of them, and the tree where sizes decide.

A candidate of an attribute is a prefix of its places, or, of one released as a set, the two groups that are left when
its values are merged in pairs, each time the pair that this makes dearer by least. Of more than PLACES places, as many
neighbouring ones are one as makes PLACES of them: cutting again refines.

Cost per partition of m tuples, a of whose attributes vary: O(m · a²) for what each value's tuples are like, O(PLACES ·
a²) for prefixes, and for sets a times the square of the number of their values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.cost_kernels import Groups, add, clear, cost, groups, join, joined_cost
from kohort.algorithms.mondrian.costs import SET
from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.costs import Costs
    from kohort.arrays import Codes, Counts, Index

#: Values of an attribute that are told apart in one partition.
PLACES: Final = 128

#: The group of a whole partition, behind those of single values.
WHOLE: Final = PLACES

#: Groups in which all attributes are looked at: the partition, both sides of its cut, the last finished leaf.
PART: Final = 0
LEFT: Final = 1
RIGHT: Final = 2
LAST: Final = 3


class Rows(NamedTuple):
    """The tuples of a table, moved so that a partition is a range of rows.

    Attributes:
        places: (t, d) the place of each.
        counts: (t,) its records.
        tuples: (t,) which tuple it is.
    """

    places: Codes
    counts: Counts
    tuples: Index


class Candidates(NamedTuple):
    """Cuts of a partition whose sides are both large enough, attribute by attribute; of a set the groups come last.

    Attributes:
        gains: (c,) records times cost of the partition, less that of both sides.
        left: (c,) records left of the cut.
        at: (c, 2) the attribute, and the value that is the last on the left; PLACES for the two groups of a set.
    """

    gains: Index
    left: Counts
    at: Index


class Merging(NamedTuple):
    """Memory to merge the values of a set.

    Attributes:
        first: (PLACES,) the first value of the group that each value is in; it stands for the group.
        own: (PLACES,) records times cost of each group.
        raised: (PLACES, PLACES) by how much joining two raises that.
        nearest: (PLACES,) the later one that each is best joined with; -1 where there is none.
    """

    first: Index
    own: Index
    raised: Index
    nearest: Index


class Scan(NamedTuple):
    """Memory to look at a partition.

    Attributes:
        costs: What groups cost.
        values: (PLACES + 1 groups) the values of one attribute, and WHOLE.
        upto: (PLACES groups) what is up to each value.
        rest: (PLACES groups) what is from each on.
        sizes: (PLACES,) records of each value; while they are merged, of each group.
        slots: (2, PLACES) which of the values that occur each is, and the other way round.
        spans: (d, 2) least place of each attribute in the partition, and how many places it spans.
        sides: (d, PLACES) 1 for values in the second of the two groups of a set.
        every: (4 groups) PART, LEFT, RIGHT and LAST, in which all attributes are looked at.
        merging: To merge the values of a set.
        found: The candidates.
    """

    costs: Costs
    values: Groups
    upto: Groups
    rest: Groups
    sizes: Counts
    slots: Index
    spans: Index
    sides: Index
    every: Groups
    merging: Merging
    found: Candidates


@kernel
def _value_of(place: int, least: int, span: int) -> int:
    """Which of at most PLACES values a place is."""
    return place - least if span <= PLACES else (place - least) * PLACES // span


@kernel
def propose(rows: Rows, part: tuple[int, int], least: int, scan: Scan) -> int:
    """Find the candidates of the rows first..last, both of whose sides have `least` records; how many there are."""
    looked, records = scan.values.looked, 0
    clear(scan.every, PART)
    for row in range(part[0], part[1]):
        add(scan.every, PART, rows.places, row, scan.costs)
        records += int(rows.counts[row])
    looked[0] = 0
    for attribute in range(len(scan.spans)):
        low, high = scan.every.low[PART, attribute], scan.every.high[PART, attribute]
        scan.spans[attribute, 0], scan.spans[attribute, 1] = low, high - low + 1
        if high > low:
            looked[0] += 1
            looked[looked[0]] = attribute
    clear(scan.values, WHOLE)
    join(scan.values, WHOLE, scan.every, PART)
    asked, found = (records, least, records * cost(scan.values, WHOLE, scan.costs)), 0
    for number in range(1, looked[0] + 1):
        attribute = looked[number]
        values = _summarize(rows, part, attribute, scan)
        found = _prefixes((attribute, values), asked, scan, found)
        if scan.costs.kinds[attribute] == SET and values > 2:  # noqa: PLR2004  of two the prefix is all there is
            found = _merged((attribute, values), asked, scan, found)
    return found


@kernel
def _summarize(rows: Rows, part: tuple[int, int], attribute: int, scan: Scan) -> int:
    """What the tuples of each value of an attribute are like that occurs; how many these are."""
    low, span, slots, values = int(scan.spans[attribute, 0]), int(scan.spans[attribute, 1]), scan.slots, 0
    for value in range(min(span, PLACES)):
        slots[0, value] = -1
    for row in range(part[0], part[1]):
        slots[0, _value_of(int(np.int64(rows.places[row, attribute])), low, span)] = 0
    for value in range(min(span, PLACES)):
        if slots[0, value] == 0:
            slots[0, value], slots[1, values] = values, value
            clear(scan.values, values)
            scan.sizes[values] = 0
            values += 1
    for row in range(part[0], part[1]):
        slot = int(slots[0, _value_of(int(np.int64(rows.places[row, attribute])), low, span)])
        scan.sizes[slot] += rows.counts[row]
        add(scan.values, slot, rows.places, row, scan.costs)
    return values


@kernel
def _prefixes(of: tuple[int, int], asked: tuple[int, int, int], scan: Scan, found: int) -> int:
    """The cuts {<= v}, {> v} of an attribute with so many values, behind the candidates that were found."""
    (attribute, values), (records, least, whole), out, costs = of, asked, scan.found, scan.costs
    first, left = 0, int(scan.sizes[0])
    while left < least:
        first += 1
        left += int(scan.sizes[first])
    last, right = values - 1, int(scan.sizes[values - 1])
    while right < least:
        last -= 1
        right += int(scan.sizes[last])
    if first >= last:
        return found
    _accumulate(scan.upto, (0, last, 1), scan)
    _accumulate(scan.rest, (values - 1, first, -1), scan)
    for value in range(first, last):
        saved = whole - left * cost(scan.upto, value, costs)
        out.gains[found] = saved - (records - left) * cost(scan.rest, value + 1, costs)
        out.left[found], out.at[found, 0], out.at[found, 1] = left, attribute, scan.slots[1, value]
        left += int(scan.sizes[value + 1])
        found += 1
    return found


@kernel
def _accumulate(into: Groups, which: tuple[int, int, int], scan: Scan) -> None:
    """Let each of the groups from the first value towards the last, which is left out, hold those before it, too."""
    first, last, step = which
    for value in range(first, last, step):
        clear(into, value)
        join(into, value, scan.values, value)
        if value != first:
            join(into, value, into, value - step)


@kernel
def _merged(of: tuple[int, int], asked: tuple[int, int, int], scan: Scan, found: int) -> int:
    """The two groups of a set of three values or more that are left after merging."""
    (attribute, values), (records, least, whole), out, merging = of, asked, scan.found, scan.merging
    for one in range(values):
        merging.first[one] = one
        merging.own[one] = scan.sizes[one] * cost(scan.values, one, scan.costs)
    for one in range(values):
        for other in range(one + 1, values):
            merging.raised[one, other] = _raise(one, other, scan)
        _find_nearest(one, values, scan)
    for _ in range(values - 2):
        _merge_nearest(values, scan)
    second = values - 1  # the first group is that of the least value
    while scan.sizes[second] == 0:
        second -= 1
    for value in range(values):
        scan.sides[attribute, scan.slots[1, value]] = int(merging.first[value] == second)
    left = int(scan.sizes[0])
    if left >= least and records - left >= least:
        out.gains[found] = whole - merging.own[0] - merging.own[second]
        out.left[found], out.at[found, 0], out.at[found, 1] = left, attribute, PLACES
        found += 1
    return found


@kernel
def _raise(one: int, other: int, scan: Scan) -> int:
    """By how much joining two groups of values raises the sum of records times cost."""
    together = (scan.sizes[one] + scan.sizes[other]) * joined_cost(scan.values, one, scan.values, other, scan.costs)
    return int(together - scan.merging.own[one] - scan.merging.own[other])


@kernel
def _find_nearest(one: int, values: int, scan: Scan) -> None:
    """The later group that a group is best joined with, the first of equals; one that was joined has no records."""
    merging, best = scan.merging, -1
    for other in range(one + 1, values):
        if scan.sizes[other] > 0 and (best < 0 or merging.raised[one, other] < merging.raised[one, best]):
            best = other
    merging.nearest[one] = best


@kernel
def _merge_nearest(values: int, scan: Scan) -> None:
    """Join the two groups that this makes dearer by least, the first pair of equals."""
    merging, one = scan.merging, -1
    for group in range(values):
        nearest = merging.nearest[group]
        if scan.sizes[group] > 0 and nearest >= 0:
            least = merging.raised[group, nearest]
            if one < 0 or least < merging.raised[one, merging.nearest[one]]:
                one = group
    other = int(merging.nearest[one])
    join(scan.values, one, scan.values, other)
    merging.own[one] += merging.own[other] + merging.raised[one, other]
    scan.sizes[one] += scan.sizes[other]
    scan.sizes[other] = 0
    for value in range(other, values):
        if merging.first[value] == other:
            merging.first[value] = one
    _compare_again(one, other, values, scan)


@kernel
def _compare_again(one: int, other: int, values: int, scan: Scan) -> None:
    """What joining the grown group `one` with others raises, and what is nearest to them now that `other` is gone."""
    merging = scan.merging
    for group in range(values):
        if scan.sizes[group] > 0 and group != one:
            merging.raised[min(group, one), max(group, one)] = _raise(min(group, one), max(group, one), scan)
    for group in range(other):
        if scan.sizes[group] == 0:
            continue
        nearest = merging.nearest[group]
        if group == one or nearest in (one, other):
            _find_nearest(group, values, scan)
        elif group < one:
            raised, least = merging.raised[group, one], merging.raised[group, nearest]
            if raised < least or (raised == least and one < nearest):
                merging.nearest[group] = one


@kernel
def _best_of(found: Candidates, number: int, records: int) -> int:
    """The candidate of greatest gain, the first of equals; where none gains, that nearest to the middle."""
    best = 0
    for one in range(1, number):
        gain, most = found.gains[one], found.gains[best]
        evener = abs(2 * found.left[one] - records) < abs(2 * found.left[best] - records)
        if gain > most or (gain == most == 0 and evener):
            best = one
    return best


@kernel
def _part(rows: Rows, spare: Rows, part: tuple[int, int], at: tuple[int, int], scan: Scan) -> int:
    """Move the rows left of the cut to the front, the others behind them; where these begin."""
    (attribute, last), middle, kept = at, part[0], 0
    low, span = int(scan.spans[attribute, 0]), int(scan.spans[attribute, 1])
    for row in range(part[0], part[1]):
        value = _value_of(int(np.int64(rows.places[row, attribute])), low, span)
        right = scan.sides[attribute, value] > 0 if last == PLACES else value > last
        if right:
            _move(rows, row, spare, kept)
            kept += 1
        else:
            _move(rows, row, rows, middle)
            middle += 1
    for row in range(kept):
        _move(spare, row, rows, middle + row)
    return middle


@kernel
def _move(rows: Rows, row: int, into: Rows, place: int) -> None:
    """Write a row to a place."""
    for attribute in range(rows.places.shape[1]):
        into.places[place, attribute] = rows.places[row, attribute]
    into.counts[place], into.tuples[place] = rows.counts[row], rows.tuples[row]


@kernel
def _later_first(rows: Rows, part: tuple[int, int, int], scan: Scan) -> bool:
    """Whether the right side of a cut costs less together with the last finished leaf than the left one does."""
    values, (first, middle, last) = scan.every, part
    for side in (LEFT, RIGHT):
        clear(values, side)
        for row in range(first if side == LEFT else middle, middle if side == LEFT else last):
            add(values, side, rows.places, row, scan.costs)
    left = joined_cost(values, LEFT, values, LAST, scan.costs)
    return joined_cost(values, RIGHT, values, LAST, scan.costs) < left


@kernel
def _is_coarse(scan: Scan) -> bool:
    """Whether some attribute of the partition spans more places than are told apart."""
    for attribute in range(len(scan.spans)):  # noqa: SIM110  Numba compiles no generator
        if scan.spans[attribute, 1] > PLACES:
            return True
    return False


@kernel
def carve(both: tuple[Rows, Rows], rule: tuple[int, int, bool], scan: Scan, stack: Index, leaves: Index) -> int:
    """Cut the whole table down to its leaves; how many they are.

    Args:
        both: The tuples, and room for as many. Afterwards those of a leaf are together.
        rule: All records, those that each side needs, and whether the side that is nearer to the last finished leaf
            comes first; else the left one does.
        scan: Memory.
        stack: (s, 4) room for open partitions: first and last row, records, depth.
        leaves: (r, 4) room for the leaves, in the order in which they are finished: first and last row, depth, and
            whether a cut may have been overlooked.
    """
    (rows, spare), (total, least, to_and_fro) = both, rule
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, rows.counts.size, total, 0
    top, done = 1, 0
    while top > 0:
        top -= 1
        first, last, records, depth = int(stack[top, 0]), int(stack[top, 1]), int(stack[top, 2]), stack[top, 3]
        number = propose(rows, (first, last), least, scan) if records >= 2 * least else 0
        if number == 0:
            leaves[done, 0], leaves[done, 1], leaves[done, 2] = first, last, depth
            leaves[done, 3] = int(records >= 2 * least and _is_coarse(scan))
            done += 1
            clear(scan.every, LAST)
            for row in range(first, last if to_and_fro else first):
                add(scan.every, LAST, rows.places, row, scan.costs)
            continue
        best = _best_of(scan.found, number, records)
        left = int(scan.found.left[best])
        middle = _part(rows, spare, (first, last), (scan.found.at[best, 0], scan.found.at[best, 1]), scan)
        flipped = to_and_fro and done > 0 and _later_first(rows, (first, middle, last), scan)
        for side in range(2):  # the one that is written last comes first
            is_left = (side == 1) != flipped
            stack[top, 0], stack[top, 1] = (first, middle) if is_left else (middle, last)
            stack[top, 2], stack[top, 3] = left if is_left else records - left, depth + 1
            top += 1
    return done


def memory(costs: Costs) -> Scan:
    """Memory to look at one partition after another."""
    attributes = costs.kinds.size
    most, looked = attributes * (PLACES + 1), np.zeros(attributes + 1, np.int64)
    flat = [np.zeros(PLACES, np.int64) for _ in range(4)]
    return Scan(
        costs=costs,
        values=groups(PLACES + 1, costs, looked),
        upto=groups(PLACES, costs, looked),
        rest=groups(PLACES, costs, looked),
        sizes=flat[0],
        slots=np.zeros((2, PLACES), np.int64),
        spans=np.ones((attributes, 2), np.int64),
        sides=np.zeros((attributes, PLACES), np.int64),
        every=groups(4, costs),
        merging=Merging(flat[1], flat[2], np.zeros((PLACES, PLACES), np.int64), flat[3]),
        found=Candidates(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros((most, 2), np.int64)),
    )
