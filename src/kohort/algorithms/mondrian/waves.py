"""Strict Mondrian for any model: cuts of many partitions are proposed together, judged together, and made together.

The models judge class profiles in arrays, so each round proposes a few cuts of every open partition, the nearest to
the middle first, and asks each model once for both sides of all of them. The answer is that of cutting one partition
after another, for a partition's cuts depend on nothing but its own records; it does not depend on the number of
threads either: they cut different partitions.

A histogram has a place for every sensitive value. Where there are many, and a model looks only at those that the people
of a class have, small partitions are cut apart from the large ones, with a place for each value that occurs in the
partition: its block.

Rows lie in the buffer of `sizes`, behind each row's quasi-identifiers its sensitive codes. An open partition is a row
of numbers: its first and last row, its records, its depth, how many cuts of its widest dimension were not allowed, its
block, and the width of each dimension still to be tried, else 0; -1 where they are not known yet. One of which no
proposed cut was allowed proposes its next ones, farther from the middle or in its next dimension.

The loops are in the compiled core (`kohort.native`, waves.h). Cost per round and partition: one pass over its rows to
count a column's values, and one to count who has which sensitive value before, between and after the cuts; where people
are counted, the square of a person's rows, for each sensitive attribute.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np

from kohort.algorithms.mondrian.blocks import Columns, alike, both_sides, rows_of
from kohort.algorithms.mondrian.forest import Forest
from kohort.algorithms.mondrian.sizes import LEAST_SHARE, SHARES_PER_THREAD, buffer_of
from kohort.core.recoding import Multidimensional
from kohort.native.library import CORNERS, PROFILE_CUTS, PROPOSE_CUTS, SETTLE_CUTS
from kohort.system.workspace import HEAP, TALLIED, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.algorithms.mondrian.sizes import Buffer, Rule
    from kohort.arrays import Codes, Counts, Index
    from kohort.core.frequency import FrequencySet
    from kohort.models.base import PrivacyModel
    from kohort.system.workspace import Workspace

#: Cells of the histograms that are judged at once: they stay in the cache between the kernel and the models.
CELLS = 1 << 18

#: Cuts that are judged at once, at least: a partition's first ones always have room.
LEAST_CUTS = 64


#: Where an open partition has its depth, its cuts tried, its block, and its first width.
DEPTH: Final = 3
TRIED: Final = 4
BLOCK: Final = 5
WIDTHS: Final = 6


class Values(NamedTuple):
    """Memory of one thread.

    Attributes:
        codes: (m + 1,) a column's codes, then the different ones ascending.
        upto: (m + 1,) records of each, then records up to each.
        tally: (w,) records by code, from the least.
        lines: (w + 2,) which cut comes next, by code.
        low: (w,) the least code of each column.
        high: (w,) the greatest.
    """

    codes: Index
    upto: Counts
    tally: Counts
    lines: Index
    low: Codes
    high: Codes


class Cuts(NamedTuple):
    """Proposed cuts, or room for them: those of one partition after another, in each by value.

    Attributes:
        of: (p, 3) where each partition would be cut, -1 for nowhere, it is a leaf; where its cuts end; whether the
            dimension has no more.
        at: (c, 2) a row is left of the cut if its code is less than this; the records that are left of it.
    """

    of: Index
    at: Index


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
    """

    sizes: Counts
    histograms: Counts


def strict_by_profile(
    frequency: FrequencySet,
    rule: Rule,
    models: Sequence[PrivacyModel],
    threads: int,
    workspace: Workspace = HEAP,
) -> Forest:
    """Strict Mondrian of the whole table; a population is not looked at."""
    cutter = Cutter.of(frequency, rule, models, workspace)
    rows, dimensions = frequency.quasi.shape
    whole = Wave(np.full((1, WIDTHS + dimensions), -1))
    whole.open_[0, :WIDTHS] = 0, rows, frequency.records, 0, 0, 0
    enough = threads * SHARES_PER_THREAD if threads > 1 and rows > LEAST_SHARE else None
    cutter.run(whole, enough)
    waves = whole.shared(threads)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(cutter.run, waves))
    return _joined(frequency, cutter, np.concatenate([whole.leaves, *(wave.leaves for wave in waves)]), workspace)


@dataclass(slots=True, eq=False)
class Wave:
    """Partitions on their way.

    Attributes:
        open_: (p, 6 + d) those that may still be cut.
        found: The leaves, some at a time: (r, 4) first and last row, records, depth.
    """

    open_: Index
    found: list[Index] = field(default_factory=list["Index"])

    @property
    def leaves(self) -> Index:
        """(r, 4) all leaves."""
        return np.concatenate([np.empty((0, 4), np.int64), *self.found])

    def shared(self, threads: int) -> list[Wave]:
        """The open partitions dealt to some threads, the largest first, so that each has as many rows as another."""
        order = np.argsort(self.open_[:, 0] - self.open_[:, 1], kind="stable")
        return [Wave(self.open_[order[thread::threads]]) for thread in range(threads)]


@dataclass(frozen=True, slots=True, eq=False)
class Cutter:
    """What is cut, and who judges.

    Attributes:
        buffer: The rows.
        rule: Where they may be cut.
        sensitive: Where their sensitive codes are.
        models: What both sides of a cut must satisfy.
        columns: What the columns of histograms mean.
        tuples: (t,) the tuples in the order of the buffer's rows; `None` where that is their own.
    """

    buffer: Buffer
    rule: Rule
    sensitive: Sensitive
    models: Sequence[PrivacyModel]
    columns: Columns
    tuples: Index | None

    @classmethod
    def of(
        cls, frequency: FrequencySet, rule: Rule, models: Sequence[PrivacyModel], workspace: Workspace = HEAP
    ) -> Cutter:
        """The cutter of a whole table; its sensitive codes, and whose it is, become further columns of each row."""
        people, order, (tuples, dimensions) = frequency.people, None, frequency.quasi.shape
        parts: list[Codes | Index] = [frequency.quasi, frequency.sensitive]
        columns, kind = Columns.of(frequency.sensitive_domains), frequency.quasi.dtype
        asked = [model for model in models if not model.declared.size_only]  # of records, the rule sees to the sizes
        if people is not None:
            asked, kind = [*models], np.dtype(np.uint32)
            parts.append(people[:, np.newaxis])
            order = np.argsort(people, kind="stable")  # cutting keeps neighbours together
        rows = cast("Codes", workspace.empty((tuples, sum(part.shape[1] for part in parts)), kind))
        for some in blocks(tuples):
            chosen = some if order is None else order[some]
            np.concatenate([part[chosen] for part in parts], axis=1, out=rows[some], casting="unsafe")
        person = -1 if people is None else rows.shape[1] - 1
        sensitive = _placed(dimensions, columns, person)
        buffer = buffer_of(rows, frequency.counts if order is None else frequency.counts[order], workspace)
        return cls(buffer, rule, sensitive, asked, columns, order)

    @property
    def cells(self) -> int:
        """Columns of all histograms."""
        return int(self.sensitive.places[:, 1].sum())

    def run(self, wave: Wave, enough: int | None = 0) -> None:
        """Cut the open partitions until none, or more than `enough`, are left; `None` leaves all as they are."""
        if enough is None or not wave.open_.size:
            return
        values, room = self.memory(int((wave.open_[:, 1] - wave.open_[:, 0]).max())), self._room()
        small, few = [wave.open_[:0]], self.columns.few(self.models)
        while len(wave.open_) > 0 and not 0 < enough < len(wave.open_):
            pieces = [wave.open_[:0]]
            is_small = wave.open_[:, 1] - wave.open_[:, 0] <= few
            small.append(wave.open_[is_small])
            rest = wave.open_[~is_small]
            while len(rest):
                turn, cuts = self._proposed(rest, values, room[0])
                wave.found.append(turn[cuts.of[:, 0] < 0, :TRIED])
                pieces.append(self._settled(turn, values, cuts, room[1]))
                rest = rest[len(turn) :]
            wave.open_ = np.concatenate(pieces)
        for group in alike(np.concatenate(small)):
            apart = Wave(group)
            self._narrowed(group).run(apart)
            wave.found += apart.found

    def memory(self, rows: int) -> Values:
        """Memory for one thread to look at so many rows; what is not needed of it is never touched."""
        codes, upto = np.empty(rows + 1, np.int64), np.empty(rows + 1, np.int64)  # one more is written, and not read
        most, width = self.rule.positions.size, self.buffer.codes.size // self.buffer.tuples.size
        low, high = (np.empty_like(self.buffer.codes, shape=width) for _ in range(2))
        return Values(codes, upto, np.empty(most, np.int64), np.empty(most + 2, np.int64), low, high)

    def _room(self) -> tuple[Index, Profiles]:
        """Room for cuts and the profiles of both their sides."""
        cuts = max(CELLS // (2 * max(self.cells, 1)), LEAST_CUTS)
        return np.empty((cuts, 2), np.int64), Profiles(
            np.empty(2 * cuts, np.int64), np.empty((2 * cuts, self.cells), np.int64)
        )

    def _proposed(self, open_: Index, values: Values, room: Index) -> tuple[Index, Cuts]:
        """The first of the open partitions, as many as there is room for, and the cuts that they propose."""
        cuts = Cuts(np.zeros((len(open_), 3), np.int64), room)
        done = PROPOSE_CUTS(self.buffer, *self.rule.arguments, values, open_, *cuts, self.cells)
        return open_[:done], Cuts(cuts.of[:done], room[: int(cuts.of[done - 1, 1])])

    def _settled(self, open_: Index, values: Values, cuts: Cuts, room: Profiles) -> Index:
        """What is open after each partition's allowed cut nearest the middle; somebody may be on both of its sides."""
        profiles = Profiles(room.sizes[: 2 * len(cuts.at)], room.histograms[: 2 * len(cuts.at)])
        dimensions = open_.shape[1] - WIDTHS
        PROFILE_CUTS(self.buffer, values, open_, dimensions, cuts, *self.sensitive, *profiles)
        out = np.empty((2 * len(open_), open_.shape[1]), np.int64)
        of = np.repeat(open_[:, BLOCK], 2 * np.diff(cuts.of[:, 1], prepend=0))
        allowed = both_sides(self.models, self.columns.profile(profiles.sizes, profiles.histograms, of))
        return out[: SETTLE_CUTS(self.buffer, open_, dimensions, cuts, allowed, out)]

    def _narrowed(self, open_: Index) -> Cutter:
        """The cutter of some partitions, each of which gets a block."""
        codes, attributes = self.buffer.codes.reshape(self.buffer.tuples.size, -1), self.columns.sizes.size
        sensitive = self.sensitive.places[:attributes, 0]
        columns = self.columns.narrowed(codes, (*rows_of(open_), sensitive)).after(self.columns, open_[:, BLOCK])
        open_[:, BLOCK] = np.arange(len(open_))
        return replace(self, sensitive=_placed(int(sensitive[0]), columns, self.sensitive.person), columns=columns)


def _placed(first: int, columns: Columns, person: int) -> Sensitive:
    """Where sensitive codes are, from the first such column on; people, where they are counted, behind them."""
    sizes = np.append(columns.sizes, np.ones(int(person >= 0), np.int64))
    return Sensitive(np.stack([first + np.arange(sizes.size), sizes, np.cumsum(sizes) - sizes], axis=1), person)


def _joined(frequency: FrequencySet, cutter: Cutter, leaves: Index, workspace: Workspace) -> Forest:
    """The leaves, left before right: each lies in the rows of the table that its place in the tree has."""
    quasi, tuples = frequency.quasi, len(frequency.quasi)
    leaves = leaves[np.argsort(leaves[:, 0] % tuples)]  # in either half of the buffer
    sizes = leaves[:, 1] - leaves[:, 0]
    starts = np.cumsum(sizes) - sizes
    regions = workspace.numbers(tuples)
    for first, last in _together(starts, sizes):
        place = np.arange(int(sizes[first:last].sum())) + np.repeat(
            leaves[first:last, 0] - starts[first:last] + starts[first], sizes[first:last]
        )
        inside = cutter.buffer.tuples[place]
        inside_ = inside if cutter.tuples is None else cutter.tuples[inside]
        regions[inside_] = np.repeat(np.arange(first, last, dtype=np.uint32), sizes[first:last])
    ends = [np.empty_like(cutter.buffer.codes, shape=(len(leaves), quasi.shape[1])) for _ in range(2)]
    CORNERS(cutter.buffer, leaves, cutter.memory(0), *ends)
    low, high = (cast("Codes", codes.astype(quasi.dtype, copy=False)) for codes in ends)
    recoding = Multidimensional(workspace.ascending(tuples), regions, frequency.counts, low, high)
    return Forest(recoding, leaves[:, DEPTH])


def _together(starts: Index, sizes: Index) -> Iterator[tuple[int, int]]:
    """The leaves some at a time, of about so many rows as are counted together."""
    cuts = np.searchsorted(starts, np.arange(0, int(starts[-1] + sizes[-1]), TALLIED))
    yield from pairwise(np.unique(np.append(cuts, starts.size)).tolist())
