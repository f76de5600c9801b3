"""How well a set of attributes tells records apart: distinctness, separation and uniqueness.

Motwani, Xu: Efficient Algorithms for Masking and Finding Quasi-Identifiers (2007), section 2. Adding an attribute never
lowers any of the three.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kohort.arrays import Counts


@dataclass(frozen=True, slots=True)
class Separation:
    """What a set of attributes tells apart.

    Attributes:
        distinctness: Distinct tuples per record (the distinct ratio): 1 where the set is a key.
        separation: The share of the pairs of records that differ in the set (the separation ratio).
        unique: The share of records that no other agrees with.
        others: How many other records agree with one, on average.
    """

    distinctness: float
    separation: float
    unique: float
    others: float


def measured(sizes: Counts) -> Separation:
    """The figures of a set whose equivalence classes have these sizes.

    >>> import numpy as np
    >>> measured(np.array([1, 1, 2]))
    Separation(distinctness=0.75, separation=0.8333333333333334, unique=0.5, others=0.5)
    """
    records = int(sizes.sum())
    pairs, alike = records * (records - 1), int(sizes @ (sizes - 1))
    separation = (pairs - alike) / pairs if pairs else 0.0
    return Separation(sizes.size / records, separation, int((sizes == 1).sum()) / records, alike / records)
