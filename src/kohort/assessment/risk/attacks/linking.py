"""Linking: assigning records to the people of a register.

Sweeney: k-Anonymity (IJUFKS 10(5), 2002), section 2, linked a voter list with hospital records. The attacker takes each
person of the register, looks up the records whose labels cover that person's values, and claims one of them: the only
one, or any of several.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.population import joined
from kohort.assessment.risk.attacks.base import Attack

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def intersection(left: Sequence[Index], who: Index, many: int, *, truth: Index | None = None, of: str = "") -> Attack:
    """Attack the people to whom all releases together leave one value and no other.

    The baseline is what the first release reveals alone.

    Args:
        left: Per release, the values that it leaves each tuple, from `left_open`.
        who: (p,) the tuple of each person.
        many: How many different values there are.
        truth: (p,) the value of each person, below 0 where that is missing; `None`: everybody is taken to be in all the
            releases, and then the claims are right.
        of: The sensitive attribute.
    """
    common = left[0]
    for other in left[1:]:
        common = np.intersect1d(common, other, assume_unique=True)
    before, after = (_only(cells, who, many) for cells in (left[0], common))
    claims = int((after >= 0).sum())
    right = claims if truth is None else _agree(after, truth)
    alone = int((before >= 0).sum()) if truth is None else _agree(before, truth)
    return Attack.scored("intersection", who.size, claims, float(right), alone / max(who.size, 1), of=of)


def left_open(pairs: Index, classes: Index, values: Index, many: int) -> Index:
    """The values that one release leaves to each tuple, as tuple x (many + 1) + value, each once; value `many`: none.

    Args:
        pairs: (m, 2) each tuple, and a class that covers it.
        classes: (n,) the class of each record.
        values: (n,) its sensitive value, below 0 where that is missing.
        many: How many different values there are.
    """
    cells = np.unique(classes * (many + 1) + np.where(values < 0, many, values))
    of, value = np.divmod(cells, many + 1)
    pair, cell = joined(of, pairs[:, 1])
    return np.unique(pairs[pair, 0] * (many + 1) + value[cell])


def _only(cells: Index, who: Index, many: int) -> Index:
    """(p,) the only value that each person is left; below 0 where there are several, or that is none."""
    tuples, values = np.divmod(cells, many + 1)
    only = np.full(int(who.max(initial=-1)) + 1, -1)
    alone = (np.bincount(tuples, minlength=only.size)[tuples] == 1) & (values < many)
    only[tuples[alone]] = values[alone]
    return only[who]


def _agree(claims: Index, truth: Index) -> int:
    return int(((claims == truth) & (claims >= 0)).sum())
