"""The levels of a hierarchy in figures: nodes, leaves, and the loss of an attribute that is released on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.shown import Share  # noqa: TC001  pydantic reads what fields are

if TYPE_CHECKING:
    from kohort.arrays import Counts
    from kohort.schema.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True)
class Level:
    """A level.

    Attributes:
        nodes: Its nodes.
        fewest: Leaves of the smallest of them.
        most: Leaves of the largest.
        loss: The mean of (M - 1)/(|A| - 1), M being the leaves of a record's node: what the attribute adds to LM if all
            records are released on this level.
    """

    nodes: int
    fewest: int
    most: int
    loss: Share


def levels(hierarchy: Hierarchy, records: Counts | None = None) -> tuple[Level, ...]:
    """The levels, from the leaves to the root.

    Args:
        hierarchy: The hierarchy.
        records: (leaves,) how many records have each leaf; one each if not given.

    >>> from kohort.schema.hierarchies import from_tree
    >>> [level.loss for level in levels(from_tree({"Italia": {"Lazio": ["Roma", "Rieti"], "Puglia": ["Bari"]}}))]
    [0.0, 0.3333333333333333, 1.0]
    """
    leaves = len(hierarchy.leaves)
    weights = np.ones(leaves, np.int64) if records is None else records
    found: list[Level] = []
    for level, of in enumerate(hierarchy.maps):
        covered = hierarchy.covered(level)
        lost = int(weights @ (covered[of] - 1))
        whole = (leaves - 1) * int(weights.sum())
        found.append(Level(covered.size, int(covered.min()), int(covered.max()), lost / whole if whole else 0.0))
    return tuple(found)
