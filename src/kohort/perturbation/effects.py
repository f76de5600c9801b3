"""What a perturbation did, measured on the cells as they are written."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kohort.perturbation.moments import centred, total

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.perturbation.base import Amounts


def correlation(one: Amounts, other: Amounts) -> float:
    """Pearson's; 0 where one of them is constant, or there is no record.

    >>> round(correlation(np.array([1.0, 2.0, 3.0]), np.array([5.0, 7.0, 9.0])), 12)
    1.0
    """
    if not one.size:
        return 0.0
    first, second = _unit(one), _unit(other)
    return float(np.clip(total(first * second), -1, 1))


def _unit(numbers: Amounts) -> Amounts:
    """Distances from the mean, of which the squares sum up to 1; all 0 where they are."""
    _, around = centred(numbers)
    largest = float(np.abs(around).max())
    if not largest:
        return around
    around = around / largest
    made: Amounts = around / math.sqrt(total(around * around))
    return made


def linked_numbers(before: Amounts, after: Amounts) -> float:
    """The share of records whose nearest neighbour among the perturbed numbers is their own; ties count in shares.

    Sorting the perturbed numbers leaves two candidates for each: the next below and the next above.

    >>> linked_numbers(np.array([1.0, 5.0, 9.0, 3.0]), np.array([2.0, 6.0, 6.0, 7.0]))
    0.375
    """
    if not before.size:
        return 0.0
    cells, counts = np.unique(after, return_counts=True)
    above = np.minimum(np.searchsorted(cells, before), cells.size - 1)
    below = np.maximum(above - 1, 0)
    up, down = np.abs(cells[above] - before), np.abs(cells[below] - before)
    nearest = np.minimum(up, down)
    ties = np.where(up == nearest, counts[above], 0)
    ties += np.where((down == nearest) & (below != above), counts[below], 0)
    return float((np.abs(after - before) == nearest) @ (1 / ties)) / before.size


def linked_names(before: Index, after: Index, values: int) -> float:
    """The same of names, which are equal or not: where no perturbed cell is the name, all are equally near.

    >>> linked_names(np.array([0, 0, 1]), np.array([0, 2, 2]), 3)
    0.4444444444444444
    """
    if not before.size:
        return 0.0
    counts = np.bincount(after, minlength=values)[before]
    own = (before == after) / np.maximum(counts, 1)
    return float(np.where(counts > 0, own, 1 / before.size).sum()) / before.size
