"""Cuts by what they save, compiled: the candidates of a partition, the best of them, and the tree where sizes decide.

A candidate of an attribute is a prefix of its places, or, of one released as a set, the two groups that are left when
its values are merged in pairs, each time the pair that this makes dearer by least. Of more than PLACES places, as many
neighbouring ones are one as makes PLACES of them: cutting again refines.

A row is all that is known of a tuple, in whole words, so that few steps move it and one vector instruction compares
eight attributes with a group's. A group that grows value by value is paid for where it grew: of most values a prefix of
some length has the others' ranges already. Where the best cut alone is wanted, merging ends once its two groups cannot
save as much as another cut does; attributes that are merged come last.

Cost per partition of m tuples, a of whose attributes vary: O(m · a) rows compared, O(PLACES · a²) for prefixes, and for
sets a times the square of the number of their values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np

from kohort.algorithms.mondrian.cost_kernels import WORD, ancestor_cost, ones, span_cost
from kohort.algorithms.mondrian.costs import BITS, SET, SPAN
from kohort.algorithms.mondrian.lanes import BYTES, widen
from kohort.kernels import inlined, kernel
from kohort.workspace import HEAP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.algorithms.mondrian.costs import Costs
    from kohort.arrays import Codes, Counts, Index
    from kohort.core.frequency import Words
    from kohort.workspace import Workspace

#: Values of an attribute that are told apart in one partition.
PLACES: Final = 128

#: Bits of a fraction by which places are multiplied to find their value: exact up to spans of 1 << (POINT / 2), and 63
#: bits hold PLACES << POINT.
POINT: Final = 55

#: Single groups: the partition, one that grows, the last finished leaf.
WHOLE: Final = 0
GROWN: Final = 1
LAST: Final = 2


class Rows(NamedTuple):
    """The tuples of a table, moved so that a partition is a range of rows.

    Attributes:
        words: (t, w) of each its places, the bits of its sets, its records, and which tuple it is.
        codes: (t, c) the same memory as places; those behind the last attribute are 0, up to whole vectors.
        values: (t,) room for the value that each row of a partition has in one attribute.
    """

    words: Words
    codes: Codes
    values: NDArray[np.uint8]

    @classmethod
    def of(cls, words: Words, codes: np.dtype[Any], workspace: Workspace = HEAP) -> Rows:
        """Such words as rows of such codes."""
        return cls(words, words.view(codes), workspace.empty(len(words), np.uint8))

    @property
    def counts(self) -> Counts:
        """(t,) the records of each."""
        return self.words[:, -2].view(np.int64)

    @property
    def tuples(self) -> Index:
        """(t,) which tuple each is."""
        return self.words[:, -1].view(np.int64)


class Groups(NamedTuple):
    """What is known of g groups, as far as their labels go.

    Attributes:
        low: (g, c) least place in each attribute.
        high: (g, c) greatest place.
        bits: (g, s) which places occur, of attributes that are released as sets.
    """

    low: Codes
    high: Codes
    bits: Words


class Packing(NamedTuple):
    """Where the bits of an attribute's places are: several small sets share a word.

    Attributes:
        words: (d, 2) the first word of each set, and the one behind its last.
        shifts: (d,) its first bit.
        masks: (d,) its bits, in each of its words.
    """

    words: Index
    shifts: Index
    masks: Words


class Candidates(NamedTuple):
    """Cuts of a partition whose sides are both large enough.

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
        packing: Where the bits of sets are.
        lanes: Codes that are compared at once.
        values: (PLACES groups) the values of one attribute.
        single: (3 groups) WHOLE, GROWN and LAST.
        sizes: (PLACES,) records of each value; while they are merged, of each group.
        rest: (PLACES,) what the values from each on cost together.
        dear: (d,) what the grown group costs by attribute.
        slots: (2, PLACES) which of the values that occur each is, and the other way round.
        spans: (d, 2) least place of each attribute in the partition, and how many places it spans.
        looked: (2, d + 1) how many attributes vary that are no sets, then which; and sets.
        sides: (d, PLACES) 1 for values in the second of the two groups of a set; while rows are moved, of any cut.
        merging: To merge the values of a set.
        found: The candidates.
    """

    costs: Costs
    packing: Packing
    lanes: int
    values: Groups
    single: Groups
    sizes: Counts
    rest: Index
    dear: Index
    slots: Index
    spans: Index
    looked: Index
    sides: Index
    merging: Merging
    found: Candidates


class Asked(NamedTuple):
    """What is wanted of a partition.

    Attributes:
        records: All its records.
        least: Records that each side of a cut needs.
        whole: Records times cost.
        every: Whether all candidates are wanted, not the best alone.
    """

    records: int
    least: int
    whole: int
    every: bool


# --- groups -----------------------------------------------------------------------------------------------------------


@inlined
def _add(some: Groups, one: int, rows: Rows, row: int, fresh: bool) -> None:  # noqa: FBT001
    """Put a row into a group, into an empty one where that is `fresh`."""
    group, place = one * some.low.strides[0], row * rows.codes.strides[0]
    for vector in range(some.low.strides[0] // BYTES):
        at = vector * BYTES
        widen(some.low, some.high, group + at, rows.codes, rows.codes, place + at, fresh)
    behind = some.low.strides[0] // 8
    for word in range(some.bits.shape[1]):
        some.bits[one, word] = (np.uint64(0) if fresh else some.bits[one, word]) | rows.words[row, behind + word]


@inlined
def _join(into: Groups, one: int, other: Groups, second: int, fresh: bool) -> None:  # noqa: FBT001
    """Put all tuples of a group into another, into an empty one where that is `fresh`."""
    group, place = one * into.low.strides[0], second * into.low.strides[0]
    for vector in range(into.low.strides[0] // BYTES):
        at = vector * BYTES
        widen(into.low, into.high, group + at, other.low, other.high, place + at, fresh)
    for word in range(into.bits.shape[1]):
        into.bits[one, word] = (np.uint64(0) if fresh else into.bits[one, word]) | other.bits[second, word]


@inlined
def _set_cost(some: Groups, one: int, other: Groups, second: int, of: tuple[Costs, Packing, int]) -> int:
    """The cost of the set of both groups' values of an attribute."""
    (costs, packing, attribute), members = of, -1
    for word in range(packing.words[attribute, 0], packing.words[attribute, 1]):
        members += ones((some.bits[one, word] | other.bits[second, word]) & packing.masks[attribute])
    return int(costs.ends[costs.first[attribute] + members])


@inlined
def _range_cost(costs: Costs, attribute: int, low: int, high: int) -> int:
    """The cost of a range or of an ancestor."""
    if costs.kinds[attribute] == SPAN:
        return span_cost(costs, attribute, low, high)
    return ancestor_cost(costs, attribute, low, high)


@inlined
def _joined_cost(some: Groups, one: int, other: Groups, second: int, scan: Scan) -> int:
    """What two groups would cost as one, as far as attributes are looked at."""
    total = 0
    for number in range(1, scan.looked[0, 0] + 1):
        attribute = scan.looked[0, number]
        low = min(int(np.int64(some.low[one, attribute])), int(np.int64(other.low[second, attribute])))
        high = max(int(np.int64(some.high[one, attribute])), int(np.int64(other.high[second, attribute])))
        total += _range_cost(scan.costs, attribute, low, high)
    for number in range(1, scan.looked[1, 0] + 1):
        total += _set_cost(some, one, other, second, (scan.costs, scan.packing, scan.looked[1, number]))
    return total


@inlined
def _cost_by_attribute(scan: Scan) -> int:
    """What the grown group costs; from here on it can be extended."""
    single, total = scan.single, 0
    for number in range(1, scan.looked[0, 0] + 1):
        attribute = scan.looked[0, number]
        low, high = int(np.int64(single.low[GROWN, attribute])), int(np.int64(single.high[GROWN, attribute]))
        scan.dear[attribute] = _range_cost(scan.costs, attribute, low, high)
        total += scan.dear[attribute]
    for number in range(1, scan.looked[1, 0] + 1):
        attribute = scan.looked[1, number]
        scan.dear[attribute] = _set_cost(single, GROWN, single, GROWN, (scan.costs, scan.packing, attribute))
        total += scan.dear[attribute]
    return int(total)


@inlined
def _extend(value: int, scan: Scan) -> int:
    """Put the rows of a value into the grown group; by how much that makes it dearer."""
    single, values, raised = scan.single, scan.values, 0
    group, place = GROWN * single.low.strides[0], value * single.low.strides[0]
    for vector in range(single.low.strides[0] // BYTES):
        at = vector * BYTES
        ranges = widen(single.low, single.high, group + at, values.low, values.high, place + at, False)  # noqa: FBT003
        wider = np.uint64(ranges)
        while wider != 0:
            attribute = vector * scan.lanes + ones((wider & (~wider + np.uint64(1))) - np.uint64(1))
            wider &= wider - np.uint64(1)
            if scan.costs.kinds[attribute] != SET:
                low, high = int(np.int64(single.low[GROWN, attribute])), int(np.int64(single.high[GROWN, attribute]))
                dear = _range_cost(scan.costs, attribute, low, high)
                raised += dear - scan.dear[attribute]
                scan.dear[attribute] = dear
    grown = False
    for word in range(single.bits.shape[1]):
        bits = single.bits[GROWN, word] | values.bits[value, word]
        grown |= bits != single.bits[GROWN, word]
        single.bits[GROWN, word] = bits
    for number in range(1, scan.looked[1, 0] + 1 if grown else 1):
        attribute = scan.looked[1, number]
        dear = _set_cost(single, GROWN, single, GROWN, (scan.costs, scan.packing, attribute))
        raised += dear - scan.dear[attribute]
        scan.dear[attribute] = dear
    return int(raised)


# --- the candidates of a partition ------------------------------------------------------------------------------------


@inlined
def _factor(span: int) -> int:
    """By what places are multiplied to find their values, as a fraction of POINT bits; 0 where that is not exact."""
    if span <= PLACES:
        return 1 << POINT
    return (PLACES << POINT) // span + 1 if span <= 1 << (POINT // 2) else 0


@inlined
def _value_of(place: int, span: int, factor: int) -> int:
    """Which of at most PLACES values a place is, counted from the least: place · PLACES // span, where there are more.

    Rounding the factor up adds less than place / 2^POINT to the quotient, which is below 1 / span.
    """
    return (place * factor) >> POINT if factor > 0 else place * PLACES // span


@kernel
def propose(rows: Rows, part: tuple[int, int], rule: tuple[int, int, bool], scan: Scan) -> int:
    """Find candidates of the rows first..last; how many there are.

    Args:
        rows: The tuples.
        part: The first row, and the one behind the last.
        rule: Their records, those that each side needs, and whether all candidates are wanted, not the best alone.
        scan: Memory.
    """
    looked, (records, least, every), found = scan.looked, rule, 0
    for row in range(part[0], part[1]):
        _add(scan.single, WHOLE, rows, row, row == part[0])
    looked[0, 0], looked[1, 0] = 0, 0
    for attribute in range(len(scan.spans)):
        low, high = np.int64(scan.single.low[WHOLE, attribute]), np.int64(scan.single.high[WHOLE, attribute])
        scan.spans[attribute, 0], scan.spans[attribute, 1] = low, high - low + 1
        if high > low:
            kind = int(scan.costs.kinds[attribute] == SET)
            looked[kind, 0] += 1
            looked[kind, looked[kind, 0]] = attribute
    asked = Asked(records, least, records * _joined_cost(scan.single, WHOLE, scan.single, WHOLE, scan), every)
    for kind in range(2):
        for number in range(1, looked[kind, 0] + 1):
            attribute = looked[kind, number]
            values = _summarize(rows, part, attribute, scan)
            found = _prefixes((attribute, values), asked, scan, found)
            if kind == 1 and values > 2:  # noqa: PLR2004  of two the prefix is all there is
                found = _merged((attribute, values), asked, scan, found)
    return found


@kernel
def _summarize(rows: Rows, part: tuple[int, int], attribute: int, scan: Scan) -> int:
    """What the tuples of each value of an attribute are like that occurs; how many these are."""
    low, span, slots, values = int(scan.spans[attribute, 0]), int(scan.spans[attribute, 1]), scan.slots, 0
    factor, first, last = _factor(span), part[0], part[1]
    one, lower, upper = np.uint64(1), np.uint64(0), np.uint64(0)
    for row in range(first, last):
        value = _value_of(int(np.int64(rows.codes[row, attribute])) - low, span, factor)
        rows.values[row] = value
        bit = one << np.uint64(value & (BITS - 1))
        lower |= bit if value < BITS else np.uint64(0)
        upper |= bit if value >= BITS else np.uint64(0)
    for half in range(2):
        occurs = lower if half == 0 else upper
        while occurs != 0:
            value = half * BITS + ones((occurs & (~occurs + one)) - one)
            occurs &= occurs - one
            slots[0, value], slots[1, values] = values, value
            scan.sizes[values] = 0
            values += 1
    counts = rows.words.shape[1] - 2
    for row in range(first, last):
        slot = int(slots[0, rows.values[row]])
        size = scan.sizes[slot]
        _add(scan.values, slot, rows, row, size == 0)
        scan.sizes[slot] = size + np.int64(rows.words[row, counts])
    return values


@kernel
def _prefixes(of: tuple[int, int], asked: Asked, scan: Scan, found: int) -> int:
    """The cuts {<= v}, {> v} of an attribute with so many values, behind the candidates that were found."""
    (attribute, values), records, least = of, asked.records, asked.least
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
    _grow((0, first, 1), scan)
    dear = _cost_by_attribute(scan)
    _grow((values - 1, last, -1), scan)
    scan.rest[last] = _cost_by_attribute(scan)
    limit = int(scan.found.gains[0]) if found > 0 and not asked.every else 0
    if (
        asked.whole
        - min(
            left * dear + (records - left) * int(scan.rest[last]),
            (records - right) * dear + right * int(scan.rest[last]),
        )
        < limit
    ):
        return found
    most = asked.whole - (records - right) * dear - right * int(scan.rest[last])
    for value in range(last - 1, first, -1):
        scan.rest[value] = scan.rest[value + 1] + _extend(value, scan)
        right += int(scan.sizes[value])
        most = max(most, asked.whole - (records - right) * dear - right * int(scan.rest[value]))
    if most < limit:
        return found
    _grow((0, first, 1), scan)
    dear = _cost_by_attribute(scan)
    for value in range(first, last):
        gain = asked.whole - left * dear - (records - left) * int(scan.rest[value + 1])
        if gain >= limit:
            found = _offer((gain, left, attribute, int(scan.slots[1, value])), asked, scan.found, found)
            limit = int(scan.found.gains[0]) if not asked.every else 0
        left += int(scan.sizes[value + 1])
        if value + 1 < last:
            dear += _extend(value + 1, scan)
    return found


@inlined
def _grow(which: tuple[int, int, int], scan: Scan) -> None:
    """Let the grown group hold the values from the first to the last, both included, by such steps."""
    first, last, step = which
    for value in range(first, last + step, step):
        _join(scan.single, GROWN, scan.values, value, value == first)


@inlined
def _offer(cut: tuple[int, int, int, int], asked: Asked, found: Candidates, number: int) -> int:
    """Keep a candidate, unless the best alone is wanted and it is not; how many there are now.

    The best is that of greatest gain, where none gains that nearest to the middle; of equals that whose attribute comes
    first, then that of the smaller value, the two groups of a set last.
    """
    gain, left, attribute, value = cut
    if number > 0 and not asked.every:
        number = 0
        even, evenest = abs(2 * left - asked.records), abs(2 * int(found.left[0]) - asked.records)
        if gain < found.gains[0]:
            return 1
        if gain == found.gains[0]:
            if gain == 0 and even != evenest:
                if even > evenest:
                    return 1
            elif attribute > found.at[0, 0] or (attribute == found.at[0, 0] and value > found.at[0, 1]):
                return 1
    found.gains[number], found.left[number] = gain, left
    found.at[number, 0], found.at[number, 1] = attribute, value
    return number + 1


@kernel
def _merged(of: tuple[int, int], asked: Asked, scan: Scan, found: int) -> int:
    """The two groups of a set of three values or more that are left after merging."""
    (attribute, values), merging, total = of, scan.merging, 0
    most = asked.whole - int(scan.found.gains[0]) if found > 0 and not asked.every else asked.whole
    for one in range(values):
        merging.first[one] = one
        merging.own[one] = scan.sizes[one] * _joined_cost(scan.values, one, scan.values, one, scan)
        total += int(merging.own[one])
    if total > most:
        return found
    for one in range(values):
        for other in range(one + 1, values):
            merging.raised[one, other] = _raise(one, other, scan)
        _find_nearest(one, values, scan)
    for _ in range(values - 2):
        total += _merge_nearest(values, scan)
        if total > most:  # merging never makes the groups cheaper
            return found
    second = values - 1  # the first group is that of the least value
    while scan.sizes[second] == 0:
        second -= 1
    for value in range(values):
        scan.sides[attribute, scan.slots[1, value]] = int(merging.first[value] == second)
    left = int(scan.sizes[0])
    if left >= asked.least and asked.records - left >= asked.least:
        gain = asked.whole - int(merging.own[0]) - int(merging.own[second])
        found = _offer((gain, left, attribute, PLACES), asked, scan.found, found)
    return found


@inlined
def _raise(one: int, other: int, scan: Scan) -> int:
    """By how much joining two groups of values raises the sum of records times cost."""
    together = (scan.sizes[one] + scan.sizes[other]) * _joined_cost(scan.values, one, scan.values, other, scan)
    return int(together - scan.merging.own[one] - scan.merging.own[other])


@inlined
def _find_nearest(one: int, values: int, scan: Scan) -> None:
    """The later group that a group is best joined with, the first of equals; one that was joined has no records."""
    merging, best = scan.merging, -1
    for other in range(one + 1, values):
        if scan.sizes[other] > 0 and (best < 0 or merging.raised[one, other] < merging.raised[one, best]):
            best = other
    merging.nearest[one] = best


@kernel
def _merge_nearest(values: int, scan: Scan) -> int:
    """Join the two groups that this makes dearer by least, the first pair of equals; by how much."""
    merging, one = scan.merging, -1
    for group in range(values):
        nearest = merging.nearest[group]
        if scan.sizes[group] > 0 and nearest >= 0:
            least = merging.raised[group, nearest]
            if one < 0 or least < merging.raised[one, merging.nearest[one]]:
                one = group
    other = int(merging.nearest[one])
    raised = int(merging.raised[one, other])
    _join(scan.values, one, scan.values, other, False)  # noqa: FBT003  the same
    merging.own[one] += merging.own[other] + raised
    scan.sizes[one] += scan.sizes[other]
    scan.sizes[other] = 0
    for value in range(other, values):
        if merging.first[value] == other:
            merging.first[value] = one
    _compare_again(one, other, values, scan)
    return raised


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


# --- the tree ---------------------------------------------------------------------------------------------------------


@kernel
def _part(rows: Rows, spare: Rows, part: tuple[int, int], at: tuple[int, int], scan: Scan) -> int:
    """Move the rows left of the cut to the front, the others behind them, both in their order; where these begin."""
    (attribute, last), middle, kept = at, part[0], 0
    low, span = int(scan.spans[attribute, 0]), int(scan.spans[attribute, 1])
    factor, right = _factor(span), scan.sides[attribute]
    for value in range(min(span, PLACES) if last < PLACES else 0):
        right[value] = value > last
    for row in range(part[0], part[1]):
        side = right[_value_of(int(np.int64(rows.codes[row, attribute])) - low, span, factor)]
        for word in range(rows.words.shape[1]):  # to both, for no processor could predict a branch
            moved = rows.words[row, word]
            spare.words[kept, word] = moved
            rows.words[middle, word] = moved
        kept += side
        middle += 1 - side
    for row in range(kept):
        for word in range(rows.words.shape[1]):
            rows.words[middle + row, word] = spare.words[row, word]
    return middle


@kernel
def _later_first(rows: Rows, part: tuple[int, int, int], scan: Scan) -> bool:
    """Whether the right side of a cut costs less together with the last finished leaf than the left one does."""
    single, (first, middle, last), left, right = scan.single, part, 0, 0
    scan.looked[0, 0], scan.looked[1, 0] = 0, 0
    for attribute in range(len(scan.spans)):
        kind = int(scan.costs.kinds[attribute] == SET)
        scan.looked[kind, 0] += 1
        scan.looked[kind, scan.looked[kind, 0]] = attribute
    for side in range(2):
        start = first if side == 0 else middle
        for row in range(start, middle if side == 0 else last):
            _add(single, GROWN, rows, row, row == start)
        left, right = right, _joined_cost(single, GROWN, single, LAST, scan)
    return right < left


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
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, len(rows.words), total, 0
    top, done = 1, 0
    while top > 0:
        top -= 1
        first, last, records, depth = int(stack[top, 0]), int(stack[top, 1]), int(stack[top, 2]), stack[top, 3]
        number = propose(rows, (first, last), (records, least, False), scan) if records >= 2 * least else 0
        if number == 0:
            leaves[done, 0], leaves[done, 1], leaves[done, 2] = first, last, depth
            leaves[done, 3] = int(records >= 2 * least and _is_coarse(scan))
            done += 1
            for row in range(first, last if to_and_fro else first):
                _add(scan.single, LAST, rows, row, row == first)
            continue
        left = int(scan.found.left[0])
        middle = _part(rows, spare, (first, last), (scan.found.at[0, 0], scan.found.at[0, 1]), scan)
        flipped = to_and_fro and done > 0 and _later_first(rows, (first, middle, last), scan)
        for side in range(2):  # the one that is written last comes first
            is_left = (side == 1) != flipped
            stack[top, 0], stack[top, 1] = (first, middle) if is_left else (middle, last)
            stack[top, 2], stack[top, 3] = left if is_left else records - left, depth + 1
            top += 1
    return done


# --- memory -----------------------------------------------------------------------------------------------------------


def packing(costs: Costs) -> Packing:
    """Where the bits of sets are."""
    attributes, taken = costs.kinds.size, 0
    words, shifts, masks = np.zeros((attributes, 2), np.int64), np.zeros(attributes, np.int64), [0] * attributes
    for attribute in np.flatnonzero(costs.kinds == SET).tolist():
        size = int(costs.levels[attribute, 1])
        shift = taken % BITS
        if shift + size > BITS:
            taken, shift = taken + BITS - shift, 0
        words[attribute], shifts[attribute] = (taken // BITS, -(-(taken + size) // BITS)), shift
        masks[attribute] = ((1 << min(size, BITS)) - 1) << shift
        taken += size if size <= BITS else -(-size // BITS) * BITS
    return Packing(words, shifts, np.array(masks, dtype=np.uint64))


def rows(places: Codes, counts: Counts, scan: Scan, workspace: Workspace = HEAP) -> Rows:
    """Tuples as rows, in their order."""
    low, bits, packed = scan.single.low, scan.single.bits.shape[1], scan.packing
    behind = low.shape[1] * low.itemsize // 8
    words = workspace.zeros((counts.size, behind + bits + 2), np.uint64)
    words.view(low.dtype)[:, : places.shape[1]] = places
    for attribute in np.flatnonzero(scan.costs.kinds == SET).tolist():
        bit = places[:, attribute].astype(np.int64) + packed.shifts[attribute]
        word = behind + packed.words[attribute, 0] + (bit >> WORD)
        words[np.arange(counts.size), word] |= np.uint64(1) << (bit & (BITS - 1)).astype(np.uint64)
    words[:, -2], words[:, -1] = counts, np.arange(counts.size)
    return Rows.of(words, low.dtype, workspace)


def memory(costs: Costs) -> Scan:
    """Memory to look at one partition after another."""
    attributes, packed = costs.kinds.size, packing(costs)
    codes = np.dtype(np.uint16 if costs.levels[:, 1].max() <= 1 << 16 else np.uint32)
    width = -(-attributes * codes.itemsize // BYTES) * BYTES // codes.itemsize
    most, words = attributes * (PLACES + 1), int(packed.words.max())

    def groups(number: int) -> Groups:
        low, high = (cast("Codes", np.zeros((number, width), codes)) for _ in range(2))
        return Groups(low, high, np.zeros((number, words), np.uint64))

    flat = [np.zeros(PLACES, np.int64) for _ in range(5)]
    return Scan(
        costs=costs,
        packing=packed,
        lanes=BYTES // codes.itemsize,
        values=groups(PLACES),
        single=groups(3),
        sizes=flat[0],
        rest=flat[1],
        dear=np.zeros(attributes, np.int64),
        slots=np.zeros((2, PLACES), np.int64),
        spans=np.ones((attributes, 2), np.int64),
        looked=np.zeros((2, attributes + 1), np.int64),
        sides=np.zeros((attributes, PLACES), np.int64),
        merging=Merging(flat[2], flat[3], np.zeros((PLACES, PLACES), np.int64), flat[4]),
        found=Candidates(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros((most, 2), np.int64)),
    )
