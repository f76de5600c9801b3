"""From a node of the lattice to a recoding."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.lattice.rollup import levels_of
from kohort.core.frequency import group, profile
from kohort.core.recoding import FullDomain
from kohort.workspace import blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.algorithms.problem import Problem
    from kohort.core.frequency import FrequencySet
    from kohort.core.lattice import Node


def full_domain(problem: Problem, node: Node) -> FullDomain:
    """Generalize to the levels of `node`; suppress the tuples whose class fails a model that judges classes alone.

    Cost: one grouping of the tuples, and of those of the population.
    """
    frequency, population = problem.frequency, problem.population
    tuples = frequency.counts.size
    nodes = _nodes(problem, [frequency, *([population] if population else [])], node)
    grouping = group(nodes, workspace=problem.workspace)  # numbered as they appear: classes of the table first
    first = grouping.first[grouping.first < tuples]
    profiles = profile(frequency, grouping.of[:tuples], first.size)
    if population is not None:
        known = np.bincount(grouping.of[tuples:], weights=population.counts, minlength=first.size)
        profiles = replace(profiles, population=known[: first.size].astype(np.int64))
    alone = [model.satisfied(profiles) for model in problem.models if not model.declared.joint]
    kept = np.logical_and.reduce([np.ones(first.size, np.bool_), *alone])
    region = np.where(kept, np.cumsum(kept) - 1, -1)
    regions = problem.workspace.taken(region, grouping.of[:tuples])
    return FullDomain(node, nodes[first[kept]].astype(np.int64), regions)


def _nodes(problem: Problem, tables: Sequence[FrequencySet], node: Node) -> NDArray[np.uint32]:
    """(t, d) the nodes of the hierarchies that tuples are generalized to, table after table."""
    nodes = problem.workspace.empty((sum(one.counts.size for one in tables), len(node)), np.uint32)
    for place, (domain, level) in enumerate(zip(problem.domains, node, strict=True)):
        node_of, start = levels_of(domain, domain.leaves)[level].astype(np.uint32), 0
        for one in tables:
            for some in blocks(one.counts.size):
                nodes[start + some.start : start + some.stop, place] = node_of[one.quasi[some, place]]
            start += one.counts.size
    return nodes
