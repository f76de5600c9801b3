"""How likely somebody has a value, when it is known to be too frequent in one of several groups.

Wong, Fu, Wang, Pei: Minimality Attack in Privacy Preserving Data Publishing (VLDB 2007), section 4.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@lru_cache(maxsize=4096)
def credibility(groups: tuple[int, ...], having: int, limit: Fraction) -> tuple[Fraction, ...]:
    """How likely each person of a group has a value that is too frequent in some group:.

    All ways to choose who has it are equally likely; kept are those in which some group of g people has more than
    `limit` x g with it. Exact. Where there is no
    such way, nobody is likely to have it: zeros.

    Args:
        groups: People of each group.
        having: People of the class who have the value.
        limit: The greatest share that a group may have.

    >>> credibility((2, 5), 2, Fraction(1, 2))  # five cannot be over a half of them with two, so the other two were
    (Fraction(1, 1), Fraction(0, 1))
    """
    ways = [[comb(size, x) for x in range(size + 1)] for size in groups]
    within = [
        [way if x <= limit * size else 0 for x, way in enumerate(one)] for one, size in zip(ways, groups, strict=True)
    ]
    kept = _coefficient(ways, having) - _coefficient(within, having)
    if not kept:
        return (Fraction(0),) * len(groups)
    return tuple(
        Fraction(_coefficient(_weighted(ways, at), having) - _coefficient(_weighted(within, at), having), kept * size)
        for at, size in enumerate(groups)
    )


def _coefficient(polynomials: Sequence[Sequence[int]], power: int) -> int:
    """The coefficient of a power in the product; of the last factor no more than that is multiplied out."""
    *factors, last = polynomials
    product = [1]
    for one in factors:
        longer = [0] * min(len(product) + len(one) - 1, power + 1)
        for i, a in enumerate(product):
            for j, b in enumerate(one[: len(longer) - i]):
                longer[i + j] += a * b
        product = longer
    return sum(a * last[power - i] for i, a in enumerate(product) if 0 <= power - i < len(last))


def _weighted(polynomials: Sequence[Sequence[int]], at: int) -> list[Sequence[int]]:
    """The same, one of them with each coefficient times its power: people in that group who have the value."""
    return [[x * way for x, way in enumerate(one)] if place == at else one for place, one in enumerate(polynomials)]
