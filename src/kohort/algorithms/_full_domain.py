"""From a node of the lattice to a recoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms._rollup import levels_of
from kohort.frequency import group, profile
from kohort.recoding import FullDomain

if TYPE_CHECKING:
    from kohort.lattice import Node
    from kohort.problem import Problem


def full_domain(problem: Problem, node: Node) -> FullDomain:
    """Generalize to the levels of `node`; suppress the tuples whose class fails a model.

    Cost: one grouping of the tuples.
    """
    frequency = problem.frequency
    nodes = np.stack(
        [
            levels_of(domain, domain.leaves)[level].astype(np.uint32)[frequency.quasi[:, place]]
            for place, (domain, level) in enumerate(zip(problem.domains, node, strict=True))
        ],
        axis=1,
    )
    classes = group(nodes)
    profiles = profile(frequency, classes.of, classes.first.size)
    kept = np.logical_and.reduce([model.satisfied(profiles) for model in problem.models])
    region = np.where(kept, np.cumsum(kept) - 1, -1)
    return FullDomain(node, nodes[classes.first[kept]].astype(np.int64), region[classes.of])
