"""Classes judged as they are released: together, where regions with the same labels are one; and whom labels fit."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, assert_never

import numpy as np

from kohort.core.frequency import profile
from kohort.core.recoding import classes_of
from kohort.errors import InfeasibleError
from kohort.models.base import satisfied_jointly
from kohort.schema import Label, Scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Codes, Index, Mask
    from kohort.core.frequency import ClassProfile, FrequencySet
    from kohort.core.recoding import Multidimensional
    from kohort.models.base import Declaration
    from kohort.schema.domain import Domain


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
