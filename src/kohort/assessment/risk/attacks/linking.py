"""Linking: assigning records to the people of a register.

Sweeney: k-Anonymity (IJUFKS 10(5), 2002), section 2, linked a voter list with hospital records. The attacker takes each
person of the register, looks up the records whose labels cover that person's values, and claims one of them: the only
one, or any of several.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.risk.attacks.base import Attack

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index


def linking(fits: Index, sizes: Counts, people: int, *, truth: Index | None = None) -> Attack:
    """How many people of the register are linked with their own record.

    Args:
        fits: (m, 2) each person of the register, and a class that fits.
        sizes: (c,) records of each class.
        people: Those in the register.
        truth: (q, 2) each person of the register who is in the input, and a class that fits the person's values there:
            the record is in one of these, more likely in a larger one. Without it all of the register are assumed to be
            in the release with the register's values; the figure is then an upper bound.

    >>> linking(np.array([[0, 0], [1, 1]]), np.array([1, 4]), 3).right
    1.25
    """
    among = np.bincount(fits[:, 0], weights=sizes[fits[:, 1]], minlength=people)
    claimed = among > 0
    if truth is None:
        share = claimed.astype(np.float64)
    else:
        classes = sizes.size
        own = np.bincount(truth[:, 0], weights=sizes[truth[:, 1]], minlength=people)
        both = truth[np.isin(truth @ [classes, 1], fits @ [classes, 1])]
        share = np.bincount(both[:, 0], weights=sizes[both[:, 1]], minlength=people) / np.maximum(own, 1)
    right = float((share[claimed] / among[claimed]).sum())
    claims = int(claimed.sum())
    return Attack.scored("linking", people, claims, right, claims / max(people, 1) / max(int(sizes.sum()), 1))
