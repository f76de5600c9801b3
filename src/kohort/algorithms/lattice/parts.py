"""What a release costs at least, from parts of its quasi-identifiers that are few enough to be searched to the end.

Some of the quasi-identifiers alone are the others generalized to their roots, so by `monotone_suppression` they
suppress no more records than all together, and none but these (the subset property of LeFevre, DeWitt, Ramakrishnan,
Incognito, SIGMOD 2005). A suppressed record costs a metric that joins parts no less than a released one. Hence each
part of a release costs at least its own optimum, and what disjoint parts cost at least joins to what the whole does,
as in disjoint pattern databases (Korf, Felner, Artificial Intelligence 2002).
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.lattice.judge import NodeEvaluator
from kohort.algorithms.lattice.optimal import Search
from kohort.core.lattice import Lattice
from kohort.metrics.base import counting, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Index, Shares
    from kohort.core.lattice import Node

#: How much less, relatively, the parts are taken to cost: each is rounded, and so is their sum.
SLACK = 1e-11


def least_of_parts(judge: NodeEvaluator, told: Shares, most: int, should_stop: Callable[[], bool]) -> float:
    """What every releasable node costs at least.

    Args:
        judge: The whole problem; its models are monotone, and its objective joins parts.
        told: (d,) how much each attribute tells of a record.
        most: Nodes of the largest lattice that a part may have; a single attribute may have more.
        should_stop: Whether to stop; then nothing is known.
    """
    join = judge.objective.join
    assert join is not None  # noqa: S101  the caller sees to it
    every = counting(judge.hidden.weights, judge.hidden.varying if judge.objective.varying else None)
    costs, weights = list[float](), list[float]()
    for places in _parts(judge.lattice.top, told, most):
        search = Search.of(NodeEvaluator.of(_part(judge.problem, places), judge.limit, judge.objective))
        if not search.run(should_stop):
            return -inf
        if search.best is None:
            return inf
        costs.append(search.best.cost)
        weights.append(float(every[places].sum()))
    joined = join(np.array(costs), np.array(weights))
    return rounded(joined - SLACK * abs(joined))


def _parts(top: Node, told: Shares, most: int) -> Iterator[Index]:
    """The attributes in parts: those that tell most of a record together, as many as the lattice of a part allows."""
    places: list[int] = []
    for place in np.argsort(-told, kind="stable").tolist():
        if places and Lattice(tuple(top[one] for one in (*places, place))).size > most:
            yield np.array(sorted(places))
            places = []
        places.append(place)
    yield np.array(sorted(places))


def _part(problem: Problem, places: Index) -> Problem:
    """The problem of some quasi-identifiers alone."""
    whole = problem.frequency
    kept: list[int] = places.tolist()
    population = problem.population
    return replace(
        problem,
        frequency=replace(whole, quasi=whole.quasi[:, places]),
        domains=tuple(problem.domains[place] for place in kept),
        population=None if population is None else replace(population, quasi=population.quasi[:, places]),
    )
