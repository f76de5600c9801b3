"""Mondrian's strict cuts by loss: of all allowable cuts of a partition the one that saves most.

What it saves is |P| · cost(P) - |L| · cost(L) - |R| · cost(R), cost being what the labels will lose (`costs`): it is
known before the cut what becomes of the loss, and all attributes are weighed alike, whatever their labels. Compared are
integers. Of equal cuts the attribute that comes first in the schema is taken, then the smaller value, the two groups of
a set after its prefixes. Where no cut saves anything the one nearest to the middle is made, for those after it may
save: a leaf has no allowable cut. A side that has some of the values of a set is no box: its region is a product of
sets of values.

Names may be near-unique: of those released as sets a partition tells 256 apart exactly. Where it has more, neighbours
in the order of the names share a bit, and only prefixes in that order are cuts; the small parts decide the loss.

Where every model is a bound on size alone, a compiled loop does the cuts; other models judge those of many partitions
together. People, and a population, are asked about one partition's cuts after another. Where values had
to be taken together because there are too many, and no candidate was allowed, the cuts of `nearest` are tried; so they
are in relaxed mode, before records are dealt.

**Many partitions together.** Each ranks its candidates once and proposes the best first, then twice as many, and so on,
until one is allowed or none is left: the answer is that of judging one after another, for a partition's cuts depend on
its own records alone. Partitions of few rows get a column for each sensitive value that they have (`blocks`). An open
partition is a row of numbers: its first and last row, its records, its depth, and its block, which says what its
sensitive codes mean. Cost per partition: finding its candidates (`loss_kernels`), and for those that are judged
together one pass over its rows for each of their attributes, besides the columns of their histograms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.algorithms.mondrian import loss_kernels as kernels
from kohort.algorithms.mondrian.blocks import Columns, alike, both_sides, rows_of
from kohort.algorithms.mondrian.costs import Priced
from kohort.algorithms.mondrian.forest import Forest
from kohort.algorithms.mondrian.loss_kernels import PLACES, Candidates, Rows
from kohort.algorithms.mondrian.space import parted
from kohort.algorithms.mondrian.waves import CELLS, LEAST_CUTS
from kohort.core.recoding import Multidimensional
from kohort.native.library import COUNT_SIDES, CUT, RANK
from kohort.system.workspace import HEAP, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.algorithms.mondrian.forest import Partition
    from kohort.algorithms.mondrian.loss_kernels import Scan
    from kohort.algorithms.mondrian.space import Sides, Space
    from kohort.algorithms.problem import Problem
    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.core.frequency import FrequencySet, Words
    from kohort.models.base import PrivacyModel
    from kohort.system.workspace import Workspace


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


#: Cuts that are judged one by one before all of an attribute are judged at once.
SINGLY: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class ByLoss:
    """What cuts save.

    Attributes:
        space: The models that judge cuts, and the other ways to cut.
        priced: The table's tuples and what their groups cost.
        scan: Memory.
    """

    space: Space
    priced: Priced
    scan: Scan

    @classmethod
    def of(cls, problem: Problem, space: Space) -> ByLoss:
        """What cuts of a problem's table save."""
        frequency = problem.frequency
        priced = Priced.of(frequency.quasi, problem.domains, frequency.records, workspace=problem.workspace)
        return cls(space, priced, kernels.memory(priced.costs))

    def forest(self, problem: Problem) -> tuple[Forest, Mask]:
        """As far as the compiled loop leads, and which leaves are not finished: the whole table, where it is no use."""
        if self.space.alone:
            return Forest.uncut(problem.frequency, problem.workspace), np.ones(1, np.bool_)
        frequency, room, least = problem.frequency, problem.workspace, self.space.least
        if all(model.declared.size_only for model in problem.models):
            tree = Tree.grown(self.priced, frequency.counts, least, self.scan, workspace=room)
        else:
            tree = Tree.judged(self.priced, frequency, (least, problem.models), self.scan, workspace=room)
        records = np.add.reduceat(tree.rows.counts, tree.leaves[:, 0])
        dealt = (records >= 2 * self.space.least) & self.space.relaxed
        return tree.forest(problem.frequency, room), dealt | (tree.leaves[:, 3] > 0)

    def split(self, partition: Partition) -> Sides | None:
        """Both sides of the chosen cut; `None` at a leaf."""
        space, rows = self.space, partition.rows
        records = rows.records
        if records < 2 * space.least:
            return None
        found, codes = self._candidates(partition)
        apart = np.where(found.gains > 0, 0, np.abs(2 * found.left - records))
        order = np.lexsort((np.arange(apart.size), apart, -found.gains))
        for one in order[:SINGLY].tolist():
            sides = parted(partition, self._is_left(codes, found.at[one]))
            if space.fit(sides):
                return sides
        allowed = np.concatenate([np.zeros(0, np.bool_), *self._allowed(partition, codes, found)])
        best = next((one for one in order[SINGLY:].tolist() if allowed[one]), None)
        if best is not None:
            return parted(partition, self._is_left(codes, found.at[best]))
        coarse = bool((self.scan.spans[:, 1] > PLACES).any())
        return space.sides(partition) if coarse or space.relaxed else None

    def _candidates(self, partition: Partition) -> tuple[Candidates, Codes]:
        """The cuts whose sides have enough records, attribute by attribute, and in each by value; the tuples' codes."""
        counts = partition.rows.counts
        rows = kernels.rows(self.priced.places[partition.tuples], counts, self.scan)
        number = kernels.propose(rows, (0, counts.size), (int(counts.sum()), self.space.least, True), self.scan)
        found = self.scan.found
        order = np.lexsort(found.at[:number].T[::-1])
        return Candidates(*(column[order] for column in found)), rows.codes.reshape(counts.size, -1)

    def _values(self, codes: Codes, attribute: int) -> Index:
        least, span = self.scan.spans[attribute].tolist()
        places: Index = codes[:, attribute].astype(np.int64) - least
        return places if span <= PLACES else places * PLACES // span

    def _is_left(self, codes: Codes, at: Index) -> Mask:
        attribute, value = at.tolist()
        values = self._values(codes, attribute)
        is_left: Mask = values <= value
        if value == PLACES:
            is_left = self.scan.sides[attribute][values] == 0
        return is_left

    def _allowed(self, partition: Partition, codes: Codes, found: Candidates) -> Iterator[Mask]:
        """Which candidates satisfy the models on both sides, attribute by attribute."""
        for attribute in np.unique(found.at[:, 0]).tolist():
            cuts = found.at[found.at[:, 0] == attribute, 1]
            prefixes = cuts[cuts < PLACES]
            yield np.isin(prefixes, self.space.allowable(partition, self._values(codes, attribute), prefixes))
            if prefixes.size < cuts.size:
                groups_ = parted(partition, self._is_left(codes, np.array([attribute, PLACES])))
                yield np.array([self.space.fit(groups_)])


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The leaves that sizes alone lead to.

    Attributes:
        rows: The tuples, those of a leaf together.
        leaves: (r, 4) first and last row of each, depth, and whether a cut may have been overlooked.
    """

    rows: Rows
    leaves: Index

    @classmethod
    def grown(
        cls,
        priced: Priced,
        counts: Counts,
        least: int,
        scan: Scan,
        *,
        to_and_fro: bool = False,
        workspace: Workspace = HEAP,
    ) -> Tree:
        """Cut all tuples down to leaves of at least so many records.

        Args:
            priced: The tuples.
            counts: (t,) records of each.
            least: Records that each side of a cut needs.
            scan: Memory.
            to_and_fro: Whether the side of a cut that is nearer to the last finished leaf comes first, not the left.
            workspace: Where the rows live.
        """
        tuples, records = counts.size, int(counts.sum())
        most = max(min(tuples, records // least), 1)
        rows, spare = _both(priced, counts, scan, workspace)
        stack, leaves = (workspace.empty((size, 4), np.int64) for size in (most + 1, most))
        done = kernels.carve((rows, spare), (records, least, to_and_fro), scan, priced.places, stack, leaves)
        return cls(rows, leaves[np.argsort(leaves[:done, 0])] if not to_and_fro else leaves[:done])

    @classmethod
    def judged(
        cls,
        priced: Priced,
        frequency: FrequencySet,
        asked: tuple[int, Sequence[PrivacyModel]],
        scan: Scan,
        workspace: Workspace = HEAP,
    ) -> Tree:
        """Cut all tuples down to leaves of at least so many records that satisfy all models."""
        rows, spare = _both(priced, frequency.counts, scan, workspace)
        codes = workspace.like(frequency.sensitive, frequency.sensitive.shape)
        codes[:] = frequency.sensitive
        least, models = asked
        models = [model for model in models if not model.declared.size_only]  # the least records see to these
        columns = Columns.of(frequency.sensitive_domains)
        leaves = Judged((rows, spare), scan, codes, columns, models, least).leaves(frequency.records)
        return cls(rows, leaves[np.argsort(leaves[:, 0])])

    def forest(self, frequency: FrequencySet, workspace: Workspace = HEAP) -> Forest:
        """The leaves as regions."""
        starts, tuples = self.leaves[:, 0], frequency.counts.size
        sizes = np.diff(starts, append=tuples)
        regions = workspace.numbers(tuples)
        regions[self.rows.tuples] = np.repeat(np.arange(starts.size, dtype=np.uint32), sizes)
        quasi = workspace.like(frequency.quasi, frequency.quasi.shape)
        for some in blocks(tuples):
            quasi[some] = frequency.quasi[self.rows.tuples[some]]
        low, high = np.minimum.reduceat(quasi, starts), np.maximum.reduceat(quasi, starts)
        recoding = Multidimensional(workspace.ascending(tuples), regions, frequency.counts, low, high)
        return Forest(recoding, self.leaves[:, 2].copy())


def _both(priced: Priced, counts: Counts, scan: Scan, workspace: Workspace) -> tuple[Rows, Rows]:
    rows = kernels.rows(priced.places, counts, scan, workspace)
    return rows, Rows.of(workspace.like(rows.words, rows.words.shape), rows.codes.dtype)
