"""Homogeneity and background knowledge: the sensitive value of people whose record nobody has found.

Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam: l-Diversity (TKDD 1(1), 2007), section 2. An attacker who knows the
class of a person knows the value if all of the class have the same. One who also knows some others of the class leaves
them out, and the rest may have the same. Attackers are assumed to know the others who reveal most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.risk.attacks.base import Attack
from kohort.core.frequency import group

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Shares


def homogeneity(classes: Index, values: Index, *, of: str = "") -> Attack:
    """Attack the people of classes where all have the same value.

    A missing value is none: it protects nobody else, and a claim about a person without a value is wrong.

    Args:
        classes: (n,) the class of each record.
        values: (n,) its sensitive value, below 0 where that is missing.
        of: The sensitive attribute.

    >>> homogeneity(np.array([0, 0, 1, 1]), np.array([3, 3, 3, 4])).rate
    0.5
    """
    return _certain("homogeneity", classes, values, known=0, of=of)


def background(classes: Index, values: Index, *, of: str = "") -> Attack:
    """Attack the people whose value is known to an attacker who knows one other person of each class.

    >>> background(np.array([0, 0, 0]), np.array([3, 3, 4])).right
    2.0
    """
    return _certain("background", classes, values, known=1, of=of)


def _certain(name: str, classes: Index, values: Index, *, known: int, of: str) -> Attack:
    """The people who have a value that at most `known` others of their class who have one do not have."""
    sizes = np.bincount(classes)
    valued = values >= 0
    cells = np.stack([classes, values], axis=1)[valued].astype(np.uint64)
    grouping = group(cells)
    class_of = classes[valued][grouping.first]
    others = np.bincount(classes[valued], minlength=sizes.size)[class_of] - grouping.counts
    certain = others <= known
    without = sizes - np.bincount(classes[valued], minlength=sizes.size)
    right = int(grouping.counts[certain].sum())
    wrong = int(without[np.unique(class_of[certain])].sum())
    chance = _by_chance(sizes, np.bincount(values[valued]), known)
    return Attack.scored(name, classes.size, right + wrong, float(right), chance, of=of)


def _by_chance(sizes: Counts, totals: Counts, known: int) -> float:
    """The expected rate where the values are dealt to the records at random: classes then reveal nothing.

    Of f - 1 others drawn from n - 1, at most `known` must have another value: a tail of the hypergeometric.
    """
    people = int(sizes.sum())
    totals, times = np.unique(totals[totals > 0], return_counts=True)
    size, classes = np.unique(sizes[sizes > 0], return_counts=True)
    log_factorial = np.append(0.0, np.cumsum(np.log(np.arange(1, people + 1))))

    def ways(of: Index, taken: Index) -> Shares:
        possible = (taken >= 0) & (taken <= of)
        taken = np.where(possible, taken, 0)
        logs = log_factorial[of] - log_factorial[taken] - log_factorial[np.maximum(of - taken, 0)]
        return np.where(possible, logs, -np.inf)

    others = np.atleast_2d(size - 1)
    different = (int((totals * times).sum()) - totals)[:, np.newaxis]
    alike = people - 1 - different
    drawn = range(known + 1)
    tails = sum(
        np.exp(
            ways(different, np.full_like(others, j))
            + ways(alike, others - j)
            - ways(np.full_like(others, people - 1), others)
        )
        for j in drawn
    )
    return float(((totals * times) @ tails @ (size * classes)) / people**2)
