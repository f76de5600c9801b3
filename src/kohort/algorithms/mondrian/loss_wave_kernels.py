"""Cuts by loss that models judge, compiled: rank the candidates of many partitions, count who is on each side, cut.

An open partition is a row of numbers: its first and last row, its records, its depth, and its block, which says what
its sensitive codes mean.

Cost per partition: finding its candidates (`loss_kernels`), and for those that are judged together one pass over its
rows for each of their attributes, besides the columns of their histograms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.costs import BITS
from kohort.algorithms.mondrian.loss_kernels import (
    PLACES,
    factor_of,
    is_coarse,
    part_rows,
    propose,
    value_of,
)
from kohort.kernels import inlined, kernel

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.loss_kernels import Candidates, Rows, Scan
    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.core.frequency import Words

#: Where an open partition has its records, its depth and its block.
RECORDS: Final = 2
DEPTH: Final = 3
BLOCK: Final = 4


class Ranked(NamedTuple):
    """The candidates of some partitions, those of each from the best on, or room for them.

    Attributes:
        ends: (p,) where the candidates of each partition end.
        coarse: (p,) whether it may have others, since values were taken together.
        spans: (p, d, 2) of each, and of each attribute, its least place and how many it spans.
        at: (c, 2) the attribute of a candidate, and the value that is the last on the left; PLACES for two groups.
        left: (c,) records left of it.
        groups: (c, 2) of two groups, a bit for each value on the right.
    """

    ends: Index
    coarse: Mask
    spans: Index
    at: Index
    left: Counts
    groups: Words


class Held(NamedTuple):
    """Who has which sensitive value.

    Attributes:
        codes: (t, s) the column of each tuple's values; from the attribute's last column on, it has none.
        starts: (s + 1,) the first column of each attribute, and the one behind the last.
    """

    codes: Codes
    starts: Index


@kernel
def rank(rows: Rows, scan: Scan, open_: Index, rule: tuple[int, bool], room: Ranked) -> int:
    """Rank the candidates of the open partitions, as far as there is room; how many partitions have their turn.

    The rule: records that each side needs, and whether all candidates are wanted, not the best alone.
    """
    (least, every), found = rule, int(np.int64(0))
    for partition in range(len(open_)):
        records = int(open_[partition, RECORDS])
        if found + len(scan.found.gains) > len(room.left):
            return partition
        number = propose(rows, (open_[partition, 0], open_[partition, 1]), (records, least, every), scan)
        _sort(scan.found, number, records)
        room.coarse[partition] = records >= 2 * least and is_coarse(scan)
        for attribute in range(len(scan.spans)):
            room.spans[partition, attribute, 0] = scan.spans[attribute, 0]
            room.spans[partition, attribute, 1] = scan.spans[attribute, 1]
        for one in range(number):
            attribute, value = scan.found.at[one, 0], scan.found.at[one, 1]
            room.at[found, 0], room.at[found, 1], room.left[found] = attribute, value, scan.found.left[one]
            for place in range(PLACES if value == PLACES else 0):
                if place % BITS == 0:
                    room.groups[found, place // BITS] = 0
                if scan.sides[attribute, place] > 0:
                    room.groups[found, place // BITS] |= np.uint64(1) << np.uint64(place % BITS)
            found += 1
        room.ends[partition] = found
    return len(open_)


@inlined
def _sort(found: Candidates, number: int, records: int) -> None:
    """Put the best candidate first, by Shell's method: they are few."""
    gap = 1
    while 3 * gap < number:
        gap = 3 * gap + 1
    while gap > 0:
        for one in range(gap, number):
            place = one
            while place >= gap and _is_better(found, place, place - gap, records):
                _swap(found, place, place - gap)
                place -= gap
        gap //= 3


@inlined
def _is_better(found: Candidates, one: int, other: int, records: int) -> bool:
    """Whether it gains more; where none gains, is nearer to the middle; of equals, stands first in the schema."""
    if found.gains[one] != found.gains[other]:
        return bool(found.gains[one] > found.gains[other])
    even, evener = abs(2 * found.left[one] - records), abs(2 * found.left[other] - records)
    if found.gains[one] == 0 and even != evener:
        return bool(even < evener)
    if found.at[one, 0] != found.at[other, 0]:
        return bool(found.at[one, 0] < found.at[other, 0])
    return bool(found.at[one, 1] < found.at[other, 1])


@inlined
def _swap(found: Candidates, one: int, other: int) -> None:
    """Change the places of two candidates."""
    found.gains[one], found.gains[other] = found.gains[other], found.gains[one]
    found.left[one], found.left[other] = found.left[other], found.left[one]
    for column in range(2):
        found.at[one, column], found.at[other, column] = found.at[other, column], found.at[one, column]


@kernel
def count_sides(  # noqa: PLR0917  a kernel takes arrays by position
    rows: Rows, scan: Scan, open_: Index, ranked: Ranked, asked: Index, held: Held, out: tuple[Counts, Counts, Index]
) -> None:
    """Count the records left and right of some candidates, by sensitive value.

    Args:
        rows: The tuples.
        scan: Where a row has its places.
        open_: The partitions.
        ranked: Their candidates.
        asked: (q, 3) which partition, its first candidate that is asked for, and the one behind the last.
        held: Their sensitive values.
        out: (2c,) records and (2c, cells) histograms, of the left and the right side of each candidate in turn; and
            (PLACES,) memory.
    """
    (sizes, histograms, lines), base = out, int(np.int64(0))
    for one in range(len(asked)):
        partition, first, last = asked[one, 0], asked[one, 1], asked[one, 2]
        for line in range(base, base + 2 * int(last - first)):
            for cell in range(histograms.shape[1]):
                histograms[line, cell] = 0
        for candidate in range(first, last):
            line = base + 2 * int(candidate - first)
            sizes[line] = ranked.left[candidate]
            sizes[line + 1] = open_[partition, RECORDS] - ranked.left[candidate]
        part, counted = (open_[partition, 0], open_[partition, 1]), (histograms, lines)
        for attribute in range(ranked.spans.shape[1]):
            of = (ranked.spans[partition], attribute)
            for candidate in range(first, last):
                if ranked.at[candidate, 0] == attribute and ranked.at[candidate, 1] == PLACES:
                    for value in range(PLACES):
                        right = (ranked.groups[candidate, value // BITS] >> np.uint64(value % BITS)) & np.uint64(1)
                        lines[value] = base + 2 * int(candidate - first) + int(right)
                    _count(rows, scan, part, of, held, counted)
            end = _lines((ranked.at, attribute), (first, last), base, lines)
            if end >= 0:
                _count(rows, scan, part, of, held, counted)
                _add_up((ranked.at, attribute), (first, last), base, counted, end)
        base += 2 * int(last - first)


@inlined
def _lines(of: tuple[Index, int], some: tuple[int, int], base: int, lines: Index) -> int:
    """The line of each value: left of the first prefix that it is in, else right of the last, which is returned.

    -1: there is no prefix.
    """
    (at, attribute), (first, last), end = of, some, -1
    for value in range(PLACES):
        lines[value] = -1
    for candidate in range(first, last):
        if at[candidate, 0] == attribute and at[candidate, 1] < PLACES:
            lines[at[candidate, 1]] = base + 2 * int(candidate - first)
    line = -1
    for value in range(PLACES - 1, -1, -1):
        if lines[value] >= 0:
            line = int(lines[value])
            end = line if end < 0 else end
        lines[value] = line
    for value in range(PLACES):
        if lines[value] < 0:
            lines[value] = end + 1
    return end


@inlined
def _count(  # noqa: PLR0917  a kernel takes arrays by position
    rows: Rows, scan: Scan, part: tuple[int, int], of: tuple[Index, int], held: Held, out: tuple[Counts, Index]
) -> None:
    """Count the sensitive values of each row in the line of its value of an attribute."""
    (spans, attribute), (histograms, lines), width = of, out, rows.words.shape[1]
    low, span, place = int(spans[attribute, 0]), int(spans[attribute, 1]), int(scan.packing.places[attribute, 0])
    factor = factor_of(span)
    for row in range(part[0], part[1]):
        line = lines[value_of(int(np.int64(rows.codes[row * width * scan.each + place])) - low, span, factor)]
        records, which = np.int64(rows.words[row, width - 2]), np.int64(rows.words[row, width - 1])
        for one in range(held.codes.shape[1]):
            cell = held.starts[one] + np.int64(held.codes[which, one])
            if cell < held.starts[one + 1]:
                histograms[line, cell] += records


@inlined
def _add_up(of: tuple[Index, int], some: tuple[int, int], base: int, out: tuple[Counts, Index], end: int) -> None:
    """Add to what is left of a prefix what is left of shorter ones; what is right of it is the rest of all."""
    (at, attribute), (first, last), (histograms, lines), before = of, some, out, -1
    for value in range(PLACES):
        line = int(lines[value])
        if line not in (before, end + 1):
            for cell in range(histograms.shape[1] if before >= 0 else 0):
                histograms[line, cell] += histograms[before, cell]
            before = line
    for candidate in range(first, last):
        line = base + 2 * int(candidate - first)
        if at[candidate, 0] == attribute and at[candidate, 1] < PLACES and line != end:
            for cell in range(histograms.shape[1]):
                histograms[line + 1, cell] = histograms[end, cell] + histograms[end + 1, cell] - histograms[line, cell]


@kernel
def cut(  # noqa: PLR0917  a kernel takes arrays by position
    both: tuple[Rows, Rows], scan: Scan, open_: Index, ranked: Ranked, asked: Index, allowed: Mask, out: Index
) -> int:
    """Cut each partition by its first allowed candidate; how many partitions come of it.

    Args:
        both: The tuples, and room for as many.
        scan: Where a row has its places.
        open_: The partitions.
        ranked: Their candidates.
        asked: As for `count_sides`; the last column becomes -1 of a partition that was cut.
        allowed: (c,) whether each candidate that was asked for satisfies the models.
        out: (2 q, 5) room for the parts.
    """
    (rows, spare), found, base = both, int(np.int64(0)), int(np.int64(0))
    for one in range(len(asked)):
        partition, first, last = asked[one, 0], asked[one, 1], asked[one, 2]
        best = first
        while best < last and not allowed[base + best - first]:
            best += 1
        base += int(last - first)
        if best == last:
            continue
        attribute, value = ranked.at[best, 0], ranked.at[best, 1]
        for end in range(2):
            scan.spans[attribute, end] = ranked.spans[partition, attribute, end]
        for place in range(PLACES if value == PLACES else 0):
            right = (ranked.groups[best, place // BITS] >> np.uint64(place % BITS)) & np.uint64(1)
            scan.sides[attribute, place] = int(right)
        state = open_[partition]
        middle = part_rows(rows, spare, (state[0], state[1]), (attribute, value), scan)
        for side in range(2):
            out[found, 0], out[found, 1] = (state[0], middle) if side == 0 else (middle, state[1])
            out[found, RECORDS] = ranked.left[best] if side == 0 else state[RECORDS] - ranked.left[best]
            out[found, DEPTH], out[found, BLOCK] = state[DEPTH] + 1, state[BLOCK]
            found += 1
        asked[one, 2] = -1
    return found
