"""Minimal moles, exactly, level by level (Xu, Wang, Fu, Yu, KDD 2008, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.arrays import Items, Mask
    from kohort.transactions.problem import SuppressionProblem


@dataclass(frozen=True, slots=True, eq=False)
class Moles:
    """The minimal moles of a database: those of which no part is a mole.

    Attributes:
        sets: For each size i = 1..p, (s, i) the minimal moles of i items, items ascending, sets in lexicographic order.
        rare: For each size, (s,) whether the cohort is below k; the others breach h.
        trace: What was counted.
    """

    sets: tuple[Items, ...]
    rare: tuple[Mask, ...]
    trace: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def singles(self) -> Items:
        """(s,) the items that are moles alone."""
        return self.sets[0][:, 0]


def mine(problem: SuppressionProblem) -> Moles:
    """The minimal moles of a database in which the empty set is none."""
    raise NotImplementedError(problem)
