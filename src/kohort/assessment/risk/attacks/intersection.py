"""Composition: several releases of overlapping people, where what one leaves open another may close.

Ganta, Kasiviswanathan, Smith: Composition Attacks and Auxiliary Information in Data Privacy (KDD 2008), section 2. Each
release leaves somebody the sensitive values of the classes that cover him; who is in all of the releases, and has one
value, has one that they all leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.population import joined
from kohort.assessment.risk.attacks.base import Attack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index


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
