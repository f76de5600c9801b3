"""Minimal moles, exactly, level by level (Xu, Wang, Fu, Yu, KDD 2008, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

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
    database, model = problem.database, problem.coherence
    cohorts = [0] * len(database.names)
    for row, (start, end) in enumerate(pairwise(database.starts.tolist())):
        for item in database.cells[start:end].tolist():
            cohorts[item] |= 1 << row
    private = [cohorts[item] for item in np.flatnonzero(problem.roles.private).tolist()]
    level = {(item,): cohorts[item] for item in np.flatnonzero(problem.roles.public).tolist() if cohorts[item]}
    sets: list[Items] = []
    rare: list[Mask] = []
    for size in range(1, model.p + 1):
        found: list[tuple[tuple[int, ...], bool]] = []
        sound: dict[tuple[int, ...], int] = {}
        for one, cohort in sorted(level.items()):
            support = cohort.bit_count()
            if model.is_rare(support):
                found.append((one, True))
            elif any(model.is_breached(support, (cohort & secret).bit_count()) for secret in private):
                found.append((one, False))
            else:
                sound[one] = cohort
        sets.append(np.array([one for one, _ in found], np.int32).reshape(-1, size))
        rare.append(np.array([kind for _, kind in found], np.bool_))
        ordered = sorted(sound)
        level = {
            (*one, other[-1]): cohort
            for place, one in enumerate(ordered)
            for other in ordered[place + 1 :]
            if one[:-1] == other[:-1]
            and all((*one[:gone], *one[gone + 1 :], other[-1]) in sound for gone in range(size))
            and (cohort := sound[one] & sound[other])
        }
    return Moles(tuple(sets), tuple(rare))
