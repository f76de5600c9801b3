"""The leaves of Mondrian's tree as arrays: how a leaf is cut, and what all of them are as they are released.

Regions with the same labels are released as one class, and are judged together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple, assert_never

import numpy as np

from kohort.core.frequency import profile
from kohort.core.recoding import Multidimensional, classes_of
from kohort.errors import InfeasibleError
from kohort.models.base import satisfied_jointly
from kohort.schema import Label, Scale
from kohort.system.workspace import HEAP

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Codes, Counts, Index, Mask, Numbers
    from kohort.core.frequency import ClassProfile, FrequencySet
    from kohort.models.base import Declaration
    from kohort.schema.domain import Domain
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


def require_together(problem: Problem, recoding: Multidimensional) -> None:
    """Refuse leaves that satisfy the models one by one, but not as they are released.

    Leaves that are released alike are one class, and may share people, or fit the same ones of the population. And
    people of the population whom no leaf's label fits are known to be absent.
    """
    shared = problem.frequency.people is not None
    asked = [model for model in problem.models if not _joins(model.declared, shared=shared)]
    if not asked:
        return
    released = classes_of(recoding, problem.frequency, problem.domains)
    joint = any(model.declared.joint for model in asked)
    judged = np.bincount(released.of) > (0 if joint else 1)  # single leaves were judged
    of = released.of[recoding.regions]
    rows = np.flatnonzero(judged[of])
    pieces = problem.frequency.take(recoding.tuples[rows], recoding.counts[rows])
    classes = _profile(problem, pieces, (np.cumsum(judged) - 1)[of[rows]], int(judged.sum()))
    failing = [model.name for model in asked if not satisfied_jointly(model, classes)]
    if failing:
        raise InfeasibleError(
            f"each class satisfies {' and '.join(failing)}, but all together do not",
            hint="lower the requirement, choose a lattice method, or add records",
        )


def failing(problem: Problem, recoding: Multidimensional) -> list[str]:
    """The models that the classes, as they are released, do not satisfy, by name; all classes are asked about."""
    kept = recoding.released
    released = classes_of(recoding, problem.frequency, problem.domains)
    pieces = problem.frequency.take(kept.tuples, kept.counts)
    classes = _profile(problem, pieces, released.of[kept.regions], released.sizes.size)
    return [model.name for model in problem.models if not satisfied_jointly(model, classes)]


def _joins(declared: Declaration, *, shared: bool) -> bool:
    """Whether classes that satisfy the model do so as one; `shared`: though somebody may be counted in several."""
    apart = not (shared or declared.population)
    return not declared.joint and declared.monotone_generalization and (declared.monotone_suppression or apart)


def _profile(problem: Problem, pieces: FrequencySet, of: Index, classes: int) -> ClassProfile:
    """The profile of released classes, given that of each piece, with the population where there is one."""
    counted, known = profile(pieces, of, classes), problem.population
    if known is None:
        return counted
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(classes + 1))
    population, strangers = np.zeros(classes, np.int64), np.ones(known.counts.size, np.bool_)
    for one in range(classes):
        fits = covered(known, pieces.quasi[order[starts[one] : starts[one + 1]]], problem.domains)
        population[one], strangers[fits] = known.counts[fits].sum(), False
    return replace(counted, population=population, outside=int(known.counts[strangers].sum()))


def covered(population: FrequencySet, quasi: Codes, domains: tuple[Domain, ...]) -> Mask:
    """(t,) which tuples of the population fit the label of the region that holds the tuples `quasi`."""
    fits = (
        _codes_covered(domain, quasi[:, column])[population.quasi[:, column]] for column, domain in enumerate(domains)
    )
    return reduce(np.logical_and, fits)


def _codes_covered(domain: Domain, codes: NDArray[np.integer]) -> Mask:
    """(v,) which codes the label of a region with these codes may stand for."""
    every, low, high = np.arange(len(domain)), int(codes.min()), int(codes.max())
    kind = domain.label
    match kind:
        case Label.RANGE | Label.GRID | Label.MEAN:
            hides = domain.scale is Scale.NUMERIC and low == domain.missing < high  # no range can say so: it is `*`
            return (every >= 0) if hides else (low <= every) & (every <= high)
        case Label.SET | Label.NAMES | Label.COMPANIONS | Label.OWN:  # a domain of names asks for sets
            present = np.zeros(len(domain), np.bool_)
            present[codes] = True
            return present
        case Label.ANCESTOR:
            hierarchy = domain.hierarchy
            assert hierarchy is not None  # noqa: S101  the schema refuses ancestor labels without one
            leaves = domain.leaves[codes]
            level, node = hierarchy.ancestor(leaves.min(keepdims=True), leaves.max(keepdims=True))
            below: Mask = hierarchy.maps[int(level[0])][domain.leaves] == node[0]
            return below
        case _:
            assert_never(kind)
