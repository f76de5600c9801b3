"""The leaves of Mondrian's tree as arrays, and how a leaf is replaced by those that it is cut into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.core.recoding import Multidimensional
from kohort.system.workspace import HEAP

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Counts, Index, Mask, Numbers
    from kohort.core.frequency import FrequencySet
    from kohort.system.workspace import Workspace


class Partition(NamedTuple):
    """Part of a table.

    Attributes:
        tuples: (m,) which tuples of the table; a tuple may lie in several partitions, with some of its records each.
        rows: their codes, and the records that are here.
        depth: the number of cuts that led here.
        known: the tuples of the population table, or those of them that may fit the partition's label.
    """

    tuples: Numbers
    rows: FrequencySet
    depth: int = 0
    known: FrequencySet | None = None

    def take(self, counts: Counts) -> Partition:
        """So many records of each tuple, as one side of a cut."""
        chosen = counts > 0
        return Partition(self.tuples[chosen], self.rows.take(chosen, counts[chosen]), self.depth + 1, self.known)


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Leaves, left before right.

    Attributes:
        recoding: what is in them.
        depths: (r,) the number of cuts that led to each.
    """

    recoding: Multidimensional
    depths: Index

    @classmethod
    def uncut(cls, frequency: FrequencySet, workspace: Workspace = HEAP) -> Forest:
        """The whole table as one leaf."""
        tuples = len(frequency.quasi)
        low, high = frequency.quasi.min(axis=0, keepdims=True), frequency.quasi.max(axis=0, keepdims=True)
        every, alike = workspace.ascending(tuples), workspace.zeros(tuples, np.uint32)
        whole = Multidimensional(every, alike, frequency.counts, low, high)
        return cls(whole, np.zeros(1, np.int64))

    def grow(self, unfinished: Mask, problem: Problem, carve: Callable[[Partition], list[Partition]]) -> Forest:
        """Replace every unfinished leaf by the leaves that `carve` makes of it, in its place."""
        if not unfinished.any():
            return self
        old = self.recoding
        found = [carve(partition) for partition in self._partitions(unfinished, problem)]
        leaves = [leaf for of_one in found for leaf in of_one]
        widths = np.ones(len(unfinished), np.int64)
        widths[unfinished] = [len(of_one) for of_one in found]
        numbers = np.cumsum(widths) - widths  # (r,) the new number of each old leaf, or of the first that replaces it
        is_new = np.repeat(unfinished, widths)
        kept = ~unfinished[old.regions]
        tuples = np.concatenate([old.tuples[kept], *(leaf.tuples for leaf in leaves)])
        counts = np.concatenate([old.counts[kept], *(leaf.rows.counts for leaf in leaves)])
        sizes = [leaf.tuples.size for leaf in leaves]
        regions = np.concatenate([numbers[old.regions[kept]], np.repeat(np.flatnonzero(is_new), sizes)])
        low, high = (np.empty_like(corners, shape=(is_new.size, corners.shape[1])) for corners in (old.low, old.high))
        depths = np.empty(is_new.size, np.int64)
        low[~is_new], high[~is_new], depths[~is_new] = (
            old.low[~unfinished],
            old.high[~unfinished],
            self.depths[~unfinished],
        )
        low[is_new] = [leaf.rows.quasi.min(axis=0) for leaf in leaves]
        high[is_new] = [leaf.rows.quasi.max(axis=0) for leaf in leaves]
        depths[is_new] = [leaf.depth for leaf in leaves]
        order = np.lexsort((regions, tuples))
        return Forest(
            Multidimensional(tuples[order].astype(np.int64), regions[order], counts[order], low, high), depths
        )

    def _partitions(self, chosen: Mask, problem: Problem) -> list[Partition]:
        old = self.recoding
        pieces = np.flatnonzero(chosen[old.regions])
        pieces = pieces[np.argsort(old.regions[pieces], kind="stable")]
        starts = np.flatnonzero(np.diff(old.regions[pieces])) + 1
        return [
            Partition(tuples, problem.frequency.take(tuples, counts), depth, problem.population)
            for tuples, counts, depth in zip(
                np.split(old.tuples[pieces].astype(np.int64), starts),
                np.split(old.counts[pieces], starts),
                self.depths[chosen].tolist(),
                strict=False,
            )
        ]
