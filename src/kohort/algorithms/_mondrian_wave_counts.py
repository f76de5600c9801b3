"""Counting for Mondrian's waves: the values of a column in order, and who is left and right of some cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.algorithms._mondrian_kernel import Part
from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.algorithms._mondrian_kernel import Buffer, Rule, Work
    from kohort.arrays import Counts, Index, Mask

#: Codes per row from which a column's values are sorted rather than counted in a place for each code.
SPARSE = 8


class Sensitive(NamedTuple):
    """Where a row's sensitive codes are, and where each attribute's values begin in a row of a histogram.

    Attributes:
        columns: (s,) column of the row; where people are counted, last the one that says whose it is.
        sizes: (s,) number of values; the code of a missing one.
        starts: (s,) first place in the histogram.
        person: Column that says whose a row is, where people are counted: rows of one are then neighbours; else -1.
    """

    columns: Index
    sizes: Index
    starts: Index
    person: int


class Ground(NamedTuple):
    """What is cut, and by which rule.

    Attributes:
        buffer: The rows.
        rule: Where they may be cut.
        sensitive: Where their sensitive codes are.
    """

    buffer: Buffer
    rule: Rule
    sensitive: Sensitive


class Proposed(NamedTuple):
    """Proposed cuts, or room for them: those of one partition after another, in each by value.

    Attributes:
        dimension: (p,) where each partition would be cut; -1: nowhere, it is a leaf.
        ends: (p,) where its cuts end.
        last: (p,) whether the dimension has no cuts besides.
        codes: (c,) a row is left of a cut if its code is less.
        left: (c,) records left of it.
        sizes: (2c,) people left and right of it, else records.
        histograms: (2c, v) likewise by sensitive value.
    """

    dimension: Index
    ends: Index
    last: Mask
    codes: Index
    left: Index
    sizes: Counts
    histograms: Counts


class Values(NamedTuple):
    """Memory of one thread: for the values of a column, and what finding ranges takes.

    Attributes:
        codes: (m,) codes, then the different ones ascending.
        upto: (m,) records of each, then records up to each.
        tally: (w,) records by code, from the least.
        work: What finding ranges takes.
    """

    codes: Index
    upto: Counts
    tally: Counts
    work: Work


@kernel
def _sort(codes: Index, counts: Counts, size: int) -> None:
    """Sort the first `size` codes, each with its count, by Shell's method: they are few."""
    gap = 1
    while 3 * gap < size:
        gap = 3 * gap + 1
    while gap > 0:
        for row in range(gap, size):
            code, count, place = codes[row], counts[row], row
            while place >= gap and codes[place - gap] > code:
                codes[place], counts[place] = codes[place - gap], counts[place - gap]
                place -= gap
            codes[place], counts[place] = code, count
        gap //= 3


@kernel
def _find_ends(buffer: Buffer, part: Part, dimension: int, work: Work) -> None:
    """The least and the greatest code of a column."""
    width = buffer.codes.size // buffer.tuples.size
    low = high = buffer.codes[part.first * width + dimension]
    for row in range(part.first + 1, part.last):
        code = buffer.codes[row * width + dimension]
        low, high = min(low, code), max(high, code)
    work.low[dimension], work.high[dimension] = low, high


@kernel
def _span(values: Values, part: Part, dimension: int) -> int:
    """How many codes lie from the least to the greatest of a column; 0 where they are too many to count each."""
    span = int(values.work.high[dimension]) - int(values.work.low[dimension]) + 1
    return span if span <= SPARSE * (part.last - part.first) and span <= values.tally.size else 0


@kernel
def count_values(buffer: Buffer, part: Part, dimension: int, values: Values) -> None:
    """The different codes of a column, ascending, and the records up to each."""
    codes, upto, tally = values.codes, values.upto, values.tally
    width, weighted = buffer.codes.size // buffer.tuples.size, buffer.counts.size > 0
    _find_ends(buffer, part, dimension, values.work)
    span, low = _span(values, part, dimension), int(values.work.low[dimension])
    for place in range(span):
        tally[place] = 0
    for row in range(part.first, part.last):
        code = int(buffer.codes[row * width + dimension])
        count = buffer.counts[row] if weighted else 1
        if span > 0:
            tally[code - low] += count
        else:
            codes[row - part.first], upto[row - part.first] = code, count
    found, total, rows = 0, 0, part.last - part.first
    for place in range(span):  # without a branch, for no processor could predict it
        total += tally[place]
        codes[found], upto[found] = low + place, total
        found += tally[place] > 0
    if span > 0:
        return
    _sort(codes, upto, rows)
    for row in range(rows):
        total += upto[row]
        if row + 1 == rows or codes[row + 1] != codes[row]:
            codes[found], upto[found] = codes[row], total
            found += 1


@kernel
def _place(codes: Index, first: int, last: int, code: int) -> int:
    """How many of the ascending codes of the cuts first..last are at most `code`."""
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if codes[middle] <= code:
            low = middle + 1
        else:
            high = middle
    return low - first


@kernel
def _clear(histograms: Counts, cuts: tuple[int, int]) -> None:
    """Forget what was counted in the places of the cuts."""
    for line in range(2 * cuts[0], 2 * cuts[1]):
        for cell in range(histograms.shape[1]):
            histograms[line, cell] = 0


@kernel
def _accumulate(histograms: Counts, cuts: tuple[int, int]) -> None:
    """What is left of a cut from what is left of it first; what is right of it from what is right of it last."""
    for cut in range(cuts[0] + 1, cuts[1]):
        for cell in range(histograms.shape[1]):
            histograms[2 * cut, cell] += histograms[2 * cut - 2, cell]
    for cut in range(cuts[1] - 2, cuts[0] - 1, -1):
        for cell in range(histograms.shape[1]):
            histograms[2 * cut + 1, cell] += histograms[2 * cut + 3, cell]


@kernel
def profile(ground: Ground, part: Part, column: tuple[int, Values], out: Proposed, cuts: tuple[int, int]) -> None:
    """Count the records left and right of the cuts of a column, from one place to before another."""
    buffer, sensitive, histograms = ground.buffer, ground.sensitive, out.histograms
    (dimension, values), (first, last) = column, cuts
    width, weighted = buffer.codes.size // buffer.tuples.size, buffer.counts.size > 0
    span, low, tally = _span(values, part, dimension), int(values.work.low[dimension]), values.tally
    _clear(histograms, cuts)
    cut, end = first, 2 * last - 1
    for place in range(span):  # the tally serves to look up the line in which a code counts
        while cut < last and out.codes[cut] <= low + place:
            cut += 1
        tally[place] = min(2 * cut, end)
    for row in range(part.first, part.last):  # what is left of a cut and of none before; last, what is left of none
        code = int(buffer.codes[row * width + dimension])
        line = tally[code - low] if span > 0 else min(2 * (first + _place(out.codes, first, last, code)), end)
        for one in range(sensitive.columns.size):
            value = int(buffer.codes[row * width + sensitive.columns[one]])
            if value < sensitive.sizes[one]:
                histograms[line, sensitive.starts[one] + value] += buffer.counts[row] if weighted else 1
    for cut in range(first, last):
        out.sizes[2 * cut], out.sizes[2 * cut + 1] = out.left[cut], part.records - out.left[cut]
        for cell in range(histograms.shape[1] if cut > first else 0):
            histograms[2 * cut, cell] += histograms[2 * cut - 2, cell]
    for cut in range(last - 2, first - 1, -1):  # what is right of the next cut, and what lies between
        for cell in range(histograms.shape[1]):
            between = histograms[2 * cut + 2, cell] - histograms[2 * cut, cell]
            histograms[2 * cut + 1, cell] = histograms[2 * cut + 3, cell] + between


@kernel
def profile_people(ground: Ground, part: Part, dimension: int, out: Proposed, cuts: tuple[int, int]) -> None:
    """The same in people: somebody is left of the cuts from the least of their rows on, right of those up to the last.

    Cost: the square of a person's rows, for each sensitive attribute.
    """
    buffer, person, histograms = ground.buffer, ground.sensitive.person, out.histograms
    width = buffer.codes.size // buffer.tuples.size
    _clear(histograms, cuts)
    start = part.first
    while start < part.last:
        end = start + 1
        while end < part.last and buffer.codes[end * width + person] == buffer.codes[start * width + person]:
            end += 1
        _count_person(ground, Part(start, end, 0), dimension, out, cuts)
        start = end
    _accumulate(histograms, cuts)
    for line in range(2 * cuts[0], 2 * cuts[1]):
        out.sizes[line] = histograms[line, histograms.shape[1] - 1]


@kernel
def _count_person(ground: Ground, rows: Part, dimension: int, out: Proposed, cuts: tuple[int, int]) -> None:
    """Add the person whose rows these are: once for each value, and once as a person, which the last column says."""
    codes, sensitive = ground.buffer.codes, ground.sensitive
    width, (first, last) = codes.size // ground.buffer.tuples.size, cuts
    for one in range(sensitive.columns.size):
        column = sensitive.columns[one]
        for row in range(rows.first, rows.last):
            value, is_new = np.int64(codes[row * width + column]), True
            for before in range(rows.first, row):
                is_new = is_new and np.int64(codes[before * width + column]) != value
            if not is_new or (value >= sensitive.sizes[one] and column != sensitive.person):
                continue
            low, high = last, first
            for other in range(row, rows.last):
                if np.int64(codes[other * width + column]) == value:
                    place = first + _place(out.codes, first, last, int(codes[other * width + dimension]))
                    low, high = min(low, place), max(high, place)
            cell = sensitive.starts[one] + (0 if column == sensitive.person else value)
            if low < last:
                out.histograms[2 * low, cell] += 1
            if high > first:
                out.histograms[2 * high - 1, cell] += 1
