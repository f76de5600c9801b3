"""Class profiles for Mondrian's waves: who is left and right of the proposed cuts, by sensitive value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.wave_kernels import Cuts, Rows
    from kohort.arrays import Counts, Index


#: Codes per row from which a line is searched for rather than looked up.
SPARSE: Final = 8


class Sensitive(NamedTuple):
    """Where a row's sensitive codes are, and where each attribute's values begin in a histogram.

    Attributes:
        places: (s, 3) column of the row; number of values, which is the code of a missing one; first place in the
            histogram. Where people are counted, the last attribute says whose the row is, and has one place.
        person: Column that says whose a row is, where people are counted: rows of one are then neighbours; else -1.
    """

    places: Index
    person: int


class Profiles(NamedTuple):
    """Class profiles, or room for them: of the left and the right side of each cut.

    Attributes:
        sizes: (2c,) people, or records.
        histograms: (2c, v) likewise by sensitive value.
        lines: (w,) memory to look up lines in.
    """

    sizes: Counts
    histograms: Counts
    lines: Index


@kernel
def profile(rows: Rows, sensitive: Sensitive, open_: Index, cuts: Cuts, out: Profiles) -> None:
    """Count the records left and right of each partition's cuts."""
    histograms, cells, first = out.histograms, out.histograms.shape[1], int(np.int64(0))
    for partition in range(len(cuts.of)):
        last = cuts.of[partition, 1]
        for line in range(2 * first, 2 * last):
            for cell in range(cells):
                histograms[line, cell] = 0
        if last > first:
            part = (open_[partition, 0], open_[partition, 1])
            _count_records(rows, part, sensitive, (cuts.at, cuts.of[partition, 0], first, last), out)
        for cut in range(first, last):
            out.sizes[2 * cut] = cuts.at[cut, 1]
            out.sizes[2 * cut + 1] = open_[partition, 2] - cuts.at[cut, 1]
            for cell in range(cells if cut > first else 0):
                histograms[2 * cut, cell] += histograms[2 * cut - 2, cell]
        for cut in range(last - 2, first - 1, -1):  # what is right of the next cut, and what lies between
            for cell in range(cells):
                between = histograms[2 * cut + 2, cell] - histograms[2 * cut, cell]
                histograms[2 * cut + 1, cell] = histograms[2 * cut + 3, cell] + between
        first = last


@kernel
def _count_records(
    rows: Rows, part: tuple[int, int], sensitive: Sensitive, asked: tuple[Index, int, int, int], out: Profiles
) -> None:
    """Count what is left of a cut and of none before in its left line; what is left of none, in the last right one.

    Lines of codes from the first cut to the last are looked up, unless so few occur that searching is quicker.
    """
    (at, dimension, first, last), lines = asked, out.lines
    base, end, places = at[first, 0] - 1, at[last - 1, 0] - at[first, 0] + 1, sensitive.places
    line, few = first, end > SPARSE * (part[1] - part[0])
    for code in range(0 if few else end):
        while at[line, 0] <= base + code:
            line += 1
        lines[code] = 2 * line
    lines[0 if few else end] = 2 * last - 1
    weighted = rows.counts.size > 0
    for row in range(part[0], part[1]):
        code = np.int64(rows.codes[row * rows.width + dimension]) - base
        line = min(2 * _after(at, first, last, code + base), 2 * last - 1) if few else lines[min(max(code, 0), end)]
        for one in range(len(places)):
            value = np.int64(rows.codes[row * rows.width + places[one, 0]])
            if value < places[one, 1]:
                out.histograms[line, places[one, 2] + value] += rows.counts[row] if weighted else 1


@kernel
def _after(at: Index, first: int, last: int, code: int | np.int64) -> int:
    """The first of the cuts first..last, ascending, that the code is left of; `last` where it is right of all."""
    size = last - first
    while size > 0:  # a step more than there need be, but none that a processor would have to guess
        half = (size + 1) // 2
        first += half * int(at[first + half - 1, 0] <= code)
        size //= 2
    return first


@kernel
def profile_people(rows: Rows, sensitive: Sensitive, open_: Index, cuts: Cuts, out: Profiles) -> None:
    """Count people: somebody is left of the cuts from the least of their rows on, right of those up to the last.

    Cost: the square of a person's rows, for each sensitive attribute.
    """
    histograms, cells, person = out.histograms, out.histograms.shape[1], sensitive.person
    first = int(np.int64(0))
    for partition in range(len(cuts.of)):
        last, start = cuts.of[partition, 1], open_[partition, 0]
        for line in range(2 * first, 2 * last):
            for cell in range(cells):
                histograms[line, cell] = 0
        while start < open_[partition, 1] and last > first:
            end = start + 1
            while (
                end < open_[partition, 1]
                and rows.codes[end * rows.width + person] == rows.codes[start * rows.width + person]
            ):
                end += 1
            _count_person(rows, (start, end), sensitive, (cuts.at, cuts.of[partition, 0], first, last), histograms)
            start = end
        for cell in range(cells):
            for cut in range(first + 1, last):
                histograms[2 * cut, cell] += histograms[2 * cut - 2, cell]
            for cut in range(last - 2, first - 1, -1):
                histograms[2 * cut + 1, cell] += histograms[2 * cut + 3, cell]
        for line in range(2 * first, 2 * last):
            out.sizes[line] = histograms[line, cells - 1]
        first = last


@kernel
def _count_person(
    rows: Rows, whose: tuple[int, int], sensitive: Sensitive, asked: tuple[Index, int, int, int], histograms: Counts
) -> None:
    """Add the person whose rows these are: once for each value, and once as a person, which the last column says."""
    codes, width, (start, end), (at, dimension, first, last) = rows.codes, rows.width, whose, asked
    for one in range(len(sensitive.places)):
        column, is_person = sensitive.places[one, 0], sensitive.places[one, 0] == sensitive.person
        for row in range(start, end):
            value, is_new = np.int64(codes[row * width + column]), True
            for before in range(start, row):
                is_new = is_new and np.int64(codes[before * width + column]) != value
            if not is_new or (value >= sensitive.places[one, 1] and not is_person):
                continue
            low, high = last, first
            for other in range(row, end):
                if np.int64(codes[other * width + column]) == value:
                    cut = _after(at, first, last, np.int64(codes[other * width + dimension]))
                    low, high = min(low, cut), max(high, cut)
            cell = sensitive.places[one, 2] + (np.int64(0) if is_person else value)
            if low < last:
                histograms[2 * low, cell] += 1
            if high > first:
                histograms[2 * high - 1, cell] += 1
