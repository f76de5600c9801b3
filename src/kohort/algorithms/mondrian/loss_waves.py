"""Mondrian's cuts by loss for any model: candidates of many partitions are judged together, and cuts made together.

Each partition ranks its candidates once and proposes the best first, then twice as many, and so on, until one is
allowed or none is left: the answer is that of judging one after another, for a partition's cuts depend on its own
records alone. Partitions of few rows get a column for each sensitive value that they have (`blocks`).

An open partition is a row of numbers: its first and last row, its records, its depth, and its block, which says what
its sensitive codes mean.

Cost per partition: finding its candidates (`loss_kernels`), and for those that are judged together one pass over its
rows for each of their attributes, besides the columns of their histograms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.algorithms.mondrian.blocks import Columns, alike, both_sides, rows_of
from kohort.algorithms.mondrian.waves import CELLS, LEAST_CUTS
from kohort.native.library import COUNT_SIDES, CUT, RANK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.algorithms.mondrian.loss_kernels import Rows, Scan
    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.core.frequency import Words
    from kohort.models.base import PrivacyModel

#: Candidates that are ranked at once, at least one partition's.
RANKED: Final = 1 << 15

#: Partitions that are ranked at once, at most.
PARTITIONS: Final = 1 << 12

#: Candidates that a partition proposes first.
FIRST: Final = 2


#: Where an open partition has its depth and its block.
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


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What is cut by loss, and who judges.

    Attributes:
        both: The tuples as rows, and room for as many.
        scan: Memory to look at a partition.
        codes: (t, s) the sensitive codes of the tuples; they become columns of a partition's block.
        columns: What the columns of histograms mean.
        models: What both sides of a cut must satisfy.
        least: Records that each side needs.
    """

    both: tuple[Rows, Rows]
    scan: Scan
    codes: Codes
    columns: Columns
    models: Sequence[PrivacyModel]
    least: int

    def leaves(self, records: int) -> Index:
        """(r, 4) the leaves of all so many records: first and last row, depth, and whether a cut may be overlooked."""
        whole = np.array([[0, len(self.both[0].words), records, 0, 0]])
        return np.concatenate(list(self.carved(whole)))

    def carved(self, open_: Index) -> Iterator[Index]:
        """The leaves of open partitions, some at a time."""
        few, small = self.columns.few(self.models), [open_[:0]]
        while len(open_):
            is_small = open_[:, 1] - open_[:, 0] <= few
            small.append(open_[is_small])
            rest, pieces = open_[~is_small], [open_[:0]]
            while len(rest):
                ranked = self._ranked(rest)
                turn, rest = rest[: ranked.ends.size], rest[ranked.ends.size :]
                is_leaf = np.ones(len(turn), np.bool_)
                for asked, parts in self._cut(turn, ranked):
                    is_leaf[asked] = False
                    pieces.append(parts)
                yield np.column_stack([turn[:, :2], turn[:, DEPTH], ranked.coarse.astype(np.int64)])[is_leaf]
            open_ = np.concatenate(pieces)
        for group in alike(np.concatenate(small)):
            yield from self._narrowed(group).carved(group)

    def _ranked(self, open_: Index) -> Ranked:
        """The candidates of the first of the open partitions, as many as there is room for."""
        attributes = len(self.scan.spans)
        some, room = open_[:PARTITIONS], max(RANKED, self.scan.found.left.size)
        ranked = Ranked(
            ends=np.zeros(len(some), np.int64),
            coarse=np.zeros(len(some), np.bool_),
            spans=np.empty((len(some), attributes, 2), np.int64),
            at=np.empty((room, 2), np.int64),
            left=np.empty(room, np.int64),
            groups=np.empty((room, 2), np.uint64),
        )
        done = RANK(self.scan.arrays, self.both[0].codes, some, self.least, ranked)
        return ranked._replace(ends=ranked.ends[:done], coarse=ranked.coarse[:done], spans=ranked.spans[:done])

    def _cut(self, open_: Index, ranked: Ranked) -> Iterator[tuple[Index, Index]]:
        most = max(CELLS // (2 * max(self.columns.cells, 1)), LEAST_CUTS)
        firsts = np.append(0, ranked.ends[:-1])
        asked, batch = np.stack([np.arange(len(open_)), firsts, firsts], axis=1), FIRST
        asked = asked[ranked.ends > firsts]
        while len(asked):
            asked[:, 1] = asked[:, 2]
            asked[:, 2] = np.minimum(asked[:, 1] + min(batch, most), ranked.ends[asked[:, 0]])
            upto = np.cumsum(asked[:, 2] - asked[:, 1])
            first = 0
            while first < len(asked):
                before = int(upto[first - 1]) if first else 0
                last = int(np.searchsorted(upto, before + most, side="right"))
                yield self._tried(open_, ranked, asked[first:last], int(upto[last - 1]) - before)
                first = last
            asked, batch = asked[(asked[:, 2] >= 0) & (asked[:, 2] < ranked.ends[asked[:, 0]])], 2 * batch

    def _tried(self, open_: Index, ranked: Ranked, asked: Index, number: int) -> tuple[Index, Index]:
        """Judge so many candidates, and make the first that is allowed of each partition.

        Args:
            open_: The partitions.
            ranked: Their candidates.
            asked: (q, 3) which partition, its first candidate that is asked for, and the one behind the last, which
                becomes -1 where the partition is cut.
            number: How many candidates these are.
        """
        sizes = np.empty(2 * number, np.int64)
        histograms = np.empty((2 * number, self.columns.cells), np.int64)
        held = self.codes, np.append(0, np.cumsum(self.columns.sizes))
        rows, scan = [one.codes for one in self.both], self.scan.arrays
        COUNT_SIDES(scan, rows[0], open_, ranked, asked, *held, sizes, histograms)
        of = np.repeat(open_[asked[:, 0], BLOCK], 2 * (asked[:, 2] - asked[:, 1]))
        allowed = both_sides(self.models, self.columns.profile(sizes, histograms, of))
        parts = np.empty((2 * len(asked), open_.shape[1]), np.int64)
        parts = parts[: CUT(scan, *rows, open_, ranked, asked, allowed, parts)]
        return asked[asked[:, 2] < 0, 0], parts

    def _narrowed(self, open_: Index) -> Judged:
        """The same for some partitions, each of which gets a block."""
        rows, of = rows_of(open_)
        at = self.both[0].tuples[rows], of, np.arange(self.columns.sizes.size)
        columns = self.columns.narrowed(self.codes, at).after(self.columns, open_[:, BLOCK])
        open_[:, BLOCK] = np.arange(len(open_))
        return replace(self, columns=columns)
