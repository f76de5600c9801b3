"""Cuts by what they save, compiled: the candidates of a partition, the best of them, and the tree where sizes decide.

A candidate of an attribute is a prefix of its places, or, of one released as a set, the two groups that are left when
its values are merged in pairs, each time the pair that this makes dearer by least. Of more than PLACES places, as many
neighbouring ones are one as makes PLACES of them: cutting again refines.

A row is all that is known of a tuple, in chunks (`lanes`), so that few steps move it and one vector instruction
compares eight attributes with a group's. The rows of a partition are put into the groups of their values, of all
attributes that are looked at together, block by block: each block is read from memory once. A group that grows value by
value is paid for where it grew: of most values a prefix of some length has the others' ranges already. Groups that are
merged lie in columns, a word for each, so that one is compared with OF_WORDS others at once.

All memory is one argument, of hundreds of words, which a call would hand over: so these loops are compiled into one.

Cost per partition of m tuples, a of whose attributes vary: O(m · a) rows compared, O(PLACES · a²) for prefixes, and for
sets a times the square of the number of their values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np

from kohort.algorithms.mondrian.cost_kernels import WORD, ancestor_cost, ones, span_cost
from kohort.algorithms.mondrian.costs import BITS, SET, SPAN
from kohort.algorithms.mondrian.lanes import BYTES, OF_GROUP, OF_ROW, OF_WORDS, count, put, stretch
from kohort.kernels import inlined, kernel
from kohort.workspace import HEAP

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.costs import Costs
    from kohort.arrays import Codes, Counts, Index
    from kohort.core.frequency import Words
    from kohort.workspace import Workspace

#: Values of an attribute that are told apart in one partition.
PLACES: Final = 128

#: Bits of a fraction by which places are multiplied to find their value: exact up to spans of 1 << (POINT / 2), and 63
#: bits hold PLACES << POINT.
POINT: Final = 55

#: Bytes of a word.
WORD_BYTES: Final = 8

#: Single groups: the partition, one that grows, the last finished leaf, and one that stays empty.
WHOLE: Final = 0
GROWN: Final = 1
LAST: Final = 2
EMPTY: Final = 3

#: What no joining raises, nor any cost.
NEVER: Final = 1 << 62

#: Where the span of a missing number begins and ends: so far from all numbers that together they cost the whole.
AWAY: Final = -(1 << 61)

#: Attributes whose values are looked at in one pass over the rows, and the rows that such a pass takes at a time.
TOGETHER: Final = 8
BLOCK: Final = 256


class Rows(NamedTuple):
    """The tuples of a table, moved so that a partition is a range of rows.

    Attributes:
        words: (t, w) of each its chunks, and which tuple it is.
        codes: The same memory as places.
    """

    words: Words
    codes: Codes

    @classmethod
    def of(cls, words: Words, codes: np.dtype[Any]) -> Rows:
        """Such words as rows of such codes."""
        return cls(words, words.reshape(-1).view(codes))

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
        words: (g, w) the chunks of each.
        codes: The same memory as places.
    """

    words: Words
    codes: Codes


class Packing(NamedTuple):
    """Where the chunks hold an attribute: several small sets share a word.

    Attributes:
        places: (d, 2) where its code is in a row, and its least code in a group, counted in codes.
        words: (d, 2) the first word of each set, and the one behind its last.
        shifts: (d,) its first bit.
        masks: (d,) its bits, in each of its words.
    """

    places: Index
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
    """Memory to merge the values of a set; one, or a group that it stands for, is a column, as vectors compare them.

    Attributes:
        first: (PLACES,) the first value of the group that each value is in; it stands for the group.
        sizes: (PLACES,) records of each group; 0 of one that was joined.
        own: (PLACES,) records times cost of each group.
        raised: (PLACES, PLACES) by how much joining two raises that; NEVER with one that was joined.
        nearest: (PLACES,) the later one that each is best joined with.
        least: (PLACES,) by how much that raises it; NEVER where there is none.
        low: (d · PLACES,) where the range of each begins in an attribute, of ancestors as a place.
        high: (d · PLACES,) likewise where it ends.
        bits: (w · PLACES,) the words of its sets.
        members: (PLACES,) values of joined sets, less one.
        dear: (PLACES,) what one costs together with each.
    """

    first: Index
    sizes: Counts
    own: Index
    raised: Index
    nearest: Index
    least: Index
    low: Index
    high: Index
    bits: Words
    members: Counts
    dear: Index


class Scan(NamedTuple):
    """Memory to look at a partition.

    Attributes:
        costs: What groups cost.
        packing: Where the bits of sets are.
        lanes: Codes that are compared at once.
        each: Codes of a word.
        shift: Bits by which a number of bytes is shifted to count codes.
        values: (TOGETHER x PLACES groups) the values of some attributes; empty between partitions.
        single: (4 groups) WHOLE, GROWN, LAST and EMPTY.
        rest: (PLACES,) what the values from each on cost together.
        dear: (d,) what the grown group costs by attribute.
        slots: (TOGETHER, PLACES) of each of these attributes the groups whose values occur.
        occurs: (TOGETHER, 2) a bit for each value that occurs.
        spans: (d, 2) least place of each attribute in the partition, and how many places it spans.
        looked: (2, d + 1) how many attributes vary that are no sets, then which, the dearest first; and sets.
        sides: (d, PLACES) 1 for values in the second of the two groups of a set; while rows are moved, of any cut.
        merging: To merge the values of a set.
        found: The candidates.
    """

    costs: Costs
    packing: Packing
    lanes: int
    each: int
    shift: int
    values: Groups
    single: Groups
    rest: Index
    dear: Index
    slots: Index
    occurs: Words
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
    size = some.words.shape[1] * WORD_BYTES
    group, place = one * size, row * rows.words.shape[1] * WORD_BYTES
    put(some.codes, group, rows.codes, place, 0, fresh)
    for at in range(OF_GROUP, size, OF_GROUP):
        place += OF_ROW
        put(some.codes, group + at, rows.codes, place, 0, fresh)


@inlined
def _join(into: Groups, one: int, other: Groups, second: int, fresh: bool) -> None:  # noqa: FBT001
    """Put all tuples of a group into another, into an empty one where that is `fresh`."""
    size = into.words.shape[1] * WORD_BYTES
    group, place = one * size, second * size
    put(into.codes, group, other.codes, place, BYTES, fresh)
    for at in range(OF_GROUP, size, OF_GROUP):
        put(into.codes, group + at, other.codes, place + at, BYTES, fresh)


@inlined
def _at(index: int) -> int:
    """An index that cannot count from the end, so that this is not looked after."""
    return int(np.uint64(index))


@inlined
def _size(some: Groups, one: int) -> int:
    """The records of a group."""
    return int(np.int64(some.words[np.uint64(one), np.uint64(OF_GROUP // WORD_BYTES - 1)]))


@inlined
def _ends(some: Groups, one: int, attribute: int, scan: Scan) -> tuple[int, int]:
    """The least and the greatest place of a group in an attribute."""
    at = np.uint64(one * some.words.shape[1] * scan.each + scan.packing.places[np.uint64(attribute), 1])
    return int(np.int64(some.codes[at])), int(np.int64(some.codes[at + np.uint64(scan.lanes)]))


@inlined
def _set_cost(some: Groups, one: int, other: Groups, second: int, of: tuple[Costs, Packing, int]) -> int:
    """The cost of the set of both groups' values of an attribute."""
    (costs, packing, attribute), members = of, -1
    mask = packing.masks[attribute]
    for word in range(np.uint64(packing.words[attribute, 0]), np.uint64(packing.words[attribute, 1])):
        at = word * np.uint64(OF_GROUP // WORD_BYTES) + np.uint64(2 * BYTES // WORD_BYTES)
        members += ones((some.words[np.uint64(one), at] | other.words[np.uint64(second), at]) & mask)
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
        attribute = _at(scan.looked[0, number])
        (low, high), (lower, upper) = _ends(some, one, attribute, scan), _ends(other, second, attribute, scan)
        total += _range_cost(scan.costs, attribute, min(low, lower), max(high, upper))
    for number in range(1, scan.looked[1, 0] + 1):
        total += _set_cost(some, one, other, second, (scan.costs, scan.packing, scan.looked[1, number]))
    return total


@inlined
def _cost_by_attribute(scan: Scan) -> int:
    """What the grown group costs; from here on it can be extended."""
    single, total = scan.single, 0
    for number in range(1, scan.looked[0, 0] + 1):
        attribute = _at(scan.looked[0, number])
        low, high = _ends(single, GROWN, attribute, scan)
        scan.dear[attribute] = _range_cost(scan.costs, attribute, low, high)
        total += scan.dear[attribute]
    for number in range(1, scan.looked[1, 0] + 1):
        attribute = _at(scan.looked[1, number])
        scan.dear[attribute] = _set_cost(single, GROWN, single, GROWN, (scan.costs, scan.packing, attribute))
        total += scan.dear[attribute]
    return int(total)


@inlined
def _extend(slot: int, scan: Scan) -> int:
    """Put the rows of a value into the grown group; by how much that makes it dearer."""
    single, raised, first, one = scan.single, 0, 0, np.uint64(1)
    size, sets = single.words.shape[1] * WORD_BYTES, np.uint64(0)
    for at in range(0, size, OF_GROUP):
        wider = np.uint64(put(single.codes, GROWN * size + at, scan.values.codes, slot * size + at, BYTES, False))  # noqa: FBT003
        sets |= wider >> np.uint64(scan.lanes)
        wider &= (one << np.uint64(scan.lanes)) - one
        while wider != 0:
            attribute = _at(first + ones((wider & (~wider + one)) - one))
            wider &= wider - one
            if scan.costs.kinds[attribute] != SET:
                low, high = _ends(single, GROWN, attribute, scan)
                dear = _range_cost(scan.costs, attribute, low, high)
                raised += dear - scan.dear[attribute]
                scan.dear[attribute] = dear
        first += scan.lanes
    for number in range(1, scan.looked[1, 0] + 1 if sets != 0 else 1):
        attribute = _at(scan.looked[1, number])
        dear = _set_cost(single, GROWN, single, GROWN, (scan.costs, scan.packing, attribute))
        raised += dear - scan.dear[attribute]
        scan.dear[attribute] = dear
    return int(raised)


# --- the candidates of a partition ------------------------------------------------------------------------------------


@inlined
def factor_of(span: int) -> int:
    """By what places are multiplied to find their values, as a fraction of POINT bits; 0 where that is not exact."""
    if span <= PLACES:
        return 1 << POINT
    return (PLACES << POINT) // span + 1 if span <= 1 << (POINT // 2) else 0


@inlined
def value_of(place: int, span: int, factor: int) -> int:
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
    if records < 2 * least:
        return 0
    for row in range(part[0], part[1]):
        _add(scan.single, WHOLE, rows, row, row == part[0])
    looked[0, 0], looked[1, 0] = 0, 0
    for attribute in range(len(scan.spans)):
        low, high = _ends(scan.single, WHOLE, attribute, scan)
        scan.spans[attribute, 0], scan.spans[attribute, 1] = low, high - low + 1
        if high > low:
            _look(attribute, (low, high), scan)
    asked = Asked(records, least, records * _joined_cost(scan.single, WHOLE, scan.single, WHOLE, scan), every)
    for kind in range(2):
        for start in range(1, looked[kind, 0] + 1, TOGETHER):
            many = min(looked[kind, 0] + 1 - start, TOGETHER)
            _summarize(rows, part, (kind, start, many), scan)
            for column in range(many):
                attribute = looked[kind, start + column]
                values = _list(column, scan)
                found = _prefixes((attribute, values, column), asked, scan, found)
                if kind == 1 and values > 2:  # noqa: PLR2004  of two the prefix is all there is
                    found = _merged((attribute, values, column), asked, scan, found)
                for value in range(values):
                    _join(scan.values, scan.slots[column, value], scan.single, EMPTY, True)  # noqa: FBT003  for the next partition
    return found


@inlined
def _look(attribute: int, ends: tuple[int, int], scan: Scan) -> None:
    """Look at an attribute that varies; those that cost most come first, for their cuts are likely to save most."""
    kind, dear, single = int(scan.costs.kinds[attribute] == SET), scan.dear, scan.single
    if kind == 0:
        dear[attribute] = _range_cost(scan.costs, attribute, ends[0], ends[1])
    else:
        dear[attribute] = _set_cost(single, WHOLE, single, WHOLE, (scan.costs, scan.packing, attribute))
    scan.looked[kind, 0] += 1
    at = scan.looked[kind, 0]
    while at > 1 and dear[scan.looked[kind, at - 1]] < dear[attribute]:
        scan.looked[kind, at] = scan.looked[kind, at - 1]
        at -= 1
    scan.looked[kind, at] = attribute


@inlined
def _summarize(rows: Rows, part: tuple[int, int], of: tuple[int, int, int], scan: Scan) -> None:
    """What the tuples of each value are like that occurs, of so many attributes from one on of those looked at."""
    kind, start, many = of
    for column in range(many):
        scan.occurs[column, 0], scan.occurs[column, 1] = 0, 0
    for first in range(part[0], part[1], BLOCK):
        last = min(first + BLOCK, part[1])
        for column in range(many):
            for chunk in range(scan.values.words.shape[1] * WORD_BYTES // OF_GROUP):
                _tally(rows, (first, last), (column, int(scan.looked[kind, start + column]), chunk), scan)


@inlined
def _tally(rows: Rows, part: tuple[int, int], of: tuple[int, int, int], scan: Scan) -> None:
    """Put a chunk of each row into the group of its value in an attribute, which is in this column of the memory."""
    column, attribute, chunk = of
    values, one, bits = scan.values.codes, np.uint64(1), np.uint64(BITS - 1)
    each, size = rows.words.shape[1] * WORD_BYTES, scan.values.words.shape[1] * WORD_BYTES
    low, span = int(scan.spans[attribute, 0]), int(scan.spans[attribute, 1])
    factor, base = factor_of(span), column * PLACES * size + chunk * OF_GROUP
    row, end = part[0] * each + chunk * OF_ROW, part[1] * each
    at = scan.packing.places[attribute, 0] - chunk * (OF_ROW // BYTES) * scan.lanes
    lower, upper = np.uint64(0), np.uint64(0)
    while row < end:
        value = value_of(int(np.int64(rows.codes[np.uint64((row >> scan.shift) + at)])) - low, span, factor)
        bit = one << (np.uint64(value) & bits)
        lower |= bit if value < BITS else np.uint64(0)
        upper |= bit if value >= BITS else np.uint64(0)
        put(values, base + value * size, rows.codes, row, 0, False)  # noqa: FBT003
        row += each
    scan.occurs[column, 0] |= lower
    scan.occurs[column, 1] |= upper


@inlined
def _list(column: int, scan: Scan) -> int:
    """List the values that occur; how many these are."""
    values, one = 0, np.uint64(1)
    for half in range(2):
        occurs = scan.occurs[column, half]
        while occurs != 0:
            value = half * BITS + ones((occurs & (~occurs + one)) - one)
            occurs &= occurs - one
            scan.slots[column, values] = column * PLACES + value
            values += 1
    return values


@inlined
def _prefixes(of: tuple[int, int, int], asked: Asked, scan: Scan, found: int) -> int:
    """The cuts {<= v}, {> v} of an attribute with so many values, behind the candidates that were found."""
    (attribute, values, column), records, least = of, asked.records, asked.least
    slots = scan.slots[column]
    first, left = 0, _size(scan.values, slots[0])
    while left < least:
        first += 1
        left += int(_size(scan.values, slots[first]))
    last, right = values - 1, int(_size(scan.values, slots[values - 1]))
    while right < least:
        last -= 1
        right += int(_size(scan.values, slots[last]))
    if first >= last:
        return found
    _grow((0, first, 1), slots, scan)
    dear = _cost_by_attribute(scan)
    _grow((values - 1, last, -1), slots, scan)
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
        scan.rest[value] = scan.rest[value + 1] + _extend(slots[value], scan)
        right += int(_size(scan.values, slots[value]))
        most = max(most, asked.whole - (records - right) * dear - right * int(scan.rest[value]))
    if most < limit:
        return found
    _grow((0, first, 1), slots, scan)
    dear = _cost_by_attribute(scan)
    for value in range(first, last):
        gain = asked.whole - left * dear - (records - left) * int(scan.rest[value + 1])
        if gain >= limit:
            found = _offer((gain, left, attribute, int(slots[value]) - column * PLACES), asked, scan.found, found)
            limit = int(scan.found.gains[0]) if not asked.every else 0
        left += int(_size(scan.values, slots[value + 1]))
        if value + 1 < last:
            dear += _extend(slots[value + 1], scan)
    return found


@inlined
def _grow(which: tuple[int, int, int], slots: Index, scan: Scan) -> None:
    """Let the grown group hold the values from the first to the last, both included, by such steps."""
    first, last, step = which
    for value in range(first, last + step, step):
        _join(scan.single, GROWN, scan.values, slots[value], value == first)


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


@inlined
def _merged(of: tuple[int, int, int], asked: Asked, scan: Scan, found: int) -> int:
    """The two groups of a set of three values or more that are left after merging."""
    (attribute, values, column), merging = of, scan.merging
    slots = scan.slots[column]
    for value in range(values):
        _lay_out(value, slots[value], scan)
    for one in range(values - 1, -1, -1):
        _compare(one, one, values, scan)
        merging.own[one] = merging.sizes[one] * merging.dear[one]
        for other in range(one + 1, values):
            merging.raised[one, other] = _raised(one, other, merging)
        _find_nearest(one, values, merging)
    for _ in range(values - 2):
        one = 0
        for group in range(1, values):
            if merging.least[group] < merging.least[one]:
                one = group
        _merge(one, int(merging.nearest[one]), values, scan)
    second = values - 1  # the first group is that of the least value
    while merging.sizes[second] == 0:
        second -= 1
    for value in range(values):
        scan.sides[attribute, slots[value] - column * PLACES] = int(merging.first[value] == second)
    left = int(merging.sizes[0])
    if left >= asked.least and asked.records - left >= asked.least:
        gain = asked.whole - int(merging.own[0]) - int(merging.own[second])
        found = _offer((gain, left, attribute, PLACES), asked, scan.found, found)
    return found


@inlined
def _lay_out(value: int, slot: int, scan: Scan) -> None:
    """A group of one value."""
    merging, costs, values = scan.merging, scan.costs, scan.values
    merging.first[value], merging.sizes[value] = value, _size(values, slot)
    for number in range(1, scan.looked[0, 0] + 1):
        attribute = _at(scan.looked[0, number])
        low, high = _ends(values, slot, attribute, scan)
        at = (number - 1) * PLACES + value
        if costs.kinds[attribute] != SPAN:
            merging.low[at], merging.high[at] = low, high
            continue
        gap, first = int(costs.gaps[attribute]), int(costs.first[attribute])
        merging.low[at] = AWAY if low == gap else costs.starts[first + low]
        merging.high[at] = AWAY if high == gap else costs.ends[first + high]
    for word in range(values.words.shape[1] * WORD_BYTES // OF_GROUP):
        merging.bits[word * PLACES + value] = values.words[slot, (word * OF_GROUP + 2 * BYTES) // WORD_BYTES]


@inlined
def _compare(one: int, first: int, last: int, scan: Scan) -> None:
    """What a group would cost together with each of these, as far as attributes are looked at."""
    merging, costs = scan.merging, scan.costs
    dear, low, high = merging.dear, merging.low, merging.high
    first -= first % OF_WORDS
    for other in range(first, last):
        dear[other] = 0
    for number in range(1, scan.looked[0, 0] + 1):
        attribute, row = scan.looked[0, number], (number - 1) * PLACES
        if costs.kinds[attribute] == SPAN:
            for other in range(first, last, OF_WORDS):
                stretch(dear, other, low, high, row, row + one, int(costs.whole[attribute]))
            continue
        for other in range(first, last):
            below, above = min(low[row + one], low[row + other]), max(high[row + one], high[row + other])
            dear[other] += ancestor_cost(costs, attribute, below, above)
    for number in range(1, scan.looked[1, 0] + 1):
        _compare_sets(_at(scan.looked[1, number]), one, (first, last), scan)


@inlined
def _compare_sets(attribute: int, one: int, others: tuple[int, int], scan: Scan) -> None:
    """Add what the set of an attribute costs."""
    merging, costs, table = scan.merging, scan.costs, scan.costs.first[attribute]
    dear, members, bits, (first, last) = merging.dear, merging.members, merging.bits, others
    for other in range(first, last):
        members[other] = -1
    for word in range(scan.packing.words[attribute, 0], scan.packing.words[attribute, 1]):
        row = word * PLACES
        for other in range(first, last, OF_WORDS):
            count(members, other, bits, row, row + one, scan.packing.masks[attribute])
    for other in range(first, last):
        dear[other] += costs.ends[np.uint64(table + members[other])]


@inlined
def _raised(one: int, other: int, merging: Merging) -> int:
    """By how much joining two groups of values raises the sum of records times cost; one has just been compared."""
    records, own = merging.sizes[one] + merging.sizes[other], merging.own
    return int(records * merging.dear[other] - own[one] - own[other])


@inlined
def _find_nearest(one: int, values: int, merging: Merging) -> None:
    """The later group that a group is best joined with, the first of equals."""
    best, least = 0, NEVER
    for other in range(one + 1, values):
        raised = int(merging.raised[one, other])
        if raised < least:
            best, least = other, raised
    merging.nearest[one], merging.least[one] = best, least


@inlined
def _merge(one: int, other: int, values: int, scan: Scan) -> None:
    """Join two groups; what joining them with others raises, and what is nearest to these now."""
    merging = scan.merging
    merging.own[one] += merging.own[other] + merging.least[one]
    merging.sizes[one] += merging.sizes[other]
    merging.sizes[other], merging.least[other] = 0, NEVER
    for row in range(one, scan.looked[0, 0] * PLACES, PLACES):
        merging.low[row] = min(merging.low[row], merging.low[row + other - one])
        merging.high[row] = max(merging.high[row], merging.high[row + other - one])
    for row in range(one, merging.bits.size, PLACES):
        merging.bits[row] |= merging.bits[row + other - one]
    for value in range(other, values):
        if merging.first[value] == other:
            merging.first[value] = one
    for group in range(other):
        merging.raised[group, other] = NEVER
    _compare(one, 0, values, scan)
    _compare_again(one, other, values, merging)


@inlined
def _compare_again(one: int, other: int, values: int, merging: Merging) -> None:
    """What joining the grown group `one` with others raises, and what is nearest to them now that `other` is gone."""
    for group in range(values):
        if group == one or merging.sizes[group] == 0:
            continue
        raised, nearest = _raised(one, group, merging), merging.nearest[group]
        if group > one:
            merging.raised[one, group] = raised
            if group < other and nearest == other:
                _find_nearest(group, values, merging)
            continue
        merging.raised[group, one] = raised
        if nearest in (one, other):
            _find_nearest(group, values, merging)
        elif raised < merging.least[group] or (raised == merging.least[group] and one < nearest):
            merging.nearest[group], merging.least[group] = one, raised
    _find_nearest(one, values, merging)


# --- the tree ---------------------------------------------------------------------------------------------------------


@inlined
def part_rows(rows: Rows, spare: Rows, part: tuple[int, int], at: tuple[int, int], scan: Scan) -> int:
    """Move the rows left of the cut to the front, the others behind them, both in their order; where these begin."""
    (attribute, last), middle, kept = at, part[0], 0
    low, span = int(scan.spans[attribute, 0]), int(scan.spans[attribute, 1])
    factor, right, each = factor_of(span), scan.sides[attribute], rows.words.shape[1] * scan.each
    place = int(scan.packing.places[attribute, 0])
    for value in range(min(span, PLACES) if last < PLACES else 0):
        right[value] = value > last
    for row in range(part[0], part[1]):
        side = right[value_of(int(np.int64(rows.codes[row * each + place])) - low, span, factor)]
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


@inlined
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


@inlined
def is_coarse(scan: Scan) -> bool:
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
        number = propose(rows, (first, last), (records, least, False), scan)
        if number == 0:
            leaves[done, 0], leaves[done, 1], leaves[done, 2] = first, last, depth
            leaves[done, 3] = int(records >= 2 * least and is_coarse(scan))
            done += 1
            for row in range(first, last if to_and_fro else first):
                _add(scan.single, LAST, rows, row, row == first)
            continue
        left = int(scan.found.left[0])
        middle = part_rows(rows, spare, (first, last), (scan.found.at[0, 0], scan.found.at[0, 1]), scan)
        flipped = to_and_fro and done > 0 and _later_first(rows, (first, middle, last), scan)
        for side in range(2):  # the one that is written last comes first
            is_left = (side == 1) != flipped
            stack[top, 0], stack[top, 1] = (first, middle) if is_left else (middle, last)
            stack[top, 2], stack[top, 3] = left if is_left else records - left, depth + 1
            top += 1
    return done


# --- memory -----------------------------------------------------------------------------------------------------------


def packing(costs: Costs, lanes: int) -> Packing:
    """Where attributes are in chunks of so many codes."""
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
    chunk, lane = np.divmod(np.arange(attributes), lanes)
    places = np.stack([chunk * (size // BYTES * lanes) + lane for size in (OF_ROW, OF_GROUP)], axis=1)
    return Packing(places, words, shifts, np.array(masks, dtype=np.uint64))


def rows(places: Codes, counts: Counts, scan: Scan, workspace: Workspace = HEAP) -> Rows:
    """Tuples as rows, in their order."""
    packed, codes, each = scan.packing, scan.values.codes.dtype, OF_ROW // WORD_BYTES
    chunks = scan.values.words.shape[1] * WORD_BYTES // OF_GROUP
    words = workspace.zeros((counts.size, chunks * each + 1), np.uint64)
    words.view(codes)[:, packed.places[:, 0]] = places
    for attribute in np.flatnonzero(scan.costs.kinds == SET).tolist():
        bit = places[:, attribute].astype(np.int64) + packed.shifts[attribute]
        word = (packed.words[attribute, 0] + (bit >> WORD)) * each + BYTES // WORD_BYTES
        words[np.arange(counts.size), word] |= np.uint64(1) << (bit & (BITS - 1)).astype(np.uint64)
    words[:, each - 1 : -1 : each], words[:, -1] = counts[:, np.newaxis], np.arange(counts.size)
    return Rows.of(words, codes)


def memory(costs: Costs) -> Scan:
    """Memory to look at one partition after another."""
    codes = np.dtype(np.uint16 if costs.levels[:, 1].max() <= 1 << 16 else np.uint32)
    attributes, lanes = costs.kinds.size, BYTES // codes.itemsize
    packed, most = packing(costs, lanes), attributes * (PLACES + 1)
    chunks = max(-(-attributes // lanes), int(packed.words.max()))

    def groups(number: int) -> Groups:
        words = np.zeros((number, chunks, OF_GROUP // WORD_BYTES), np.uint64)
        words[:, :, : BYTES // WORD_BYTES] = np.iinfo(np.uint64).max  # no code is less
        return Groups(words.reshape(number, -1), cast("Codes", words.reshape(-1).view(codes)))

    single, flat = groups(4), [np.zeros(PLACES, np.int64) for _ in range(8)]
    return Scan(
        costs=costs,
        packing=packed,
        lanes=lanes,
        each=WORD_BYTES // codes.itemsize,
        shift=codes.itemsize.bit_length() - 1,
        values=groups(min(attributes, TOGETHER) * PLACES),
        single=single,
        rest=flat[0],
        dear=np.zeros(attributes, np.int64),
        slots=np.zeros((TOGETHER, PLACES), np.int64),
        occurs=np.zeros((TOGETHER, 2), np.uint64),
        spans=np.ones((attributes, 2), np.int64),
        looked=np.zeros((2, attributes + 1), np.int64),
        sides=np.zeros((attributes, PLACES), np.int64),
        merging=Merging(
            first=flat[1],
            sizes=flat[2],
            own=flat[3],
            raised=np.zeros((PLACES, PLACES), np.int64),
            nearest=flat[4],
            least=flat[5],
            low=np.zeros(attributes * PLACES, np.int64),
            high=np.zeros(attributes * PLACES, np.int64),
            bits=np.zeros(chunks * PLACES, np.uint64),
            members=flat[6],
            dear=flat[7],
        ),
        found=Candidates(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros((most, 2), np.int64)),
    )
