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
together (`loss_waves`). People, and a population, are asked about one partition's cuts after another. Where values had
to be taken together because there are too many, and no candidate was allowed, the cuts of `nearest` are tried; so they
are in relaxed mode, before records are dealt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.algorithms.mondrian import loss_kernels as kernels
from kohort.algorithms.mondrian.blocks import Columns
from kohort.algorithms.mondrian.costs import Priced
from kohort.algorithms.mondrian.forest import Forest
from kohort.algorithms.mondrian.loss_kernels import PLACES, Candidates, Rows
from kohort.algorithms.mondrian.loss_waves import Judged
from kohort.algorithms.mondrian.space import parted
from kohort.core.recoding import Multidimensional
from kohort.system.workspace import HEAP, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.algorithms.mondrian.forest import Partition
    from kohort.algorithms.mondrian.loss_kernels import Scan
    from kohort.algorithms.mondrian.space import Sides, Space
    from kohort.algorithms.problem import Problem
    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.core.frequency import FrequencySet
    from kohort.models.base import PrivacyModel
    from kohort.system.workspace import Workspace

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
