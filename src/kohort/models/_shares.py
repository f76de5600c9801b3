"""Bounds on the share of each sensitive value in a class, decided exactly: what several models come down to.

A bound need not be a fraction (e to some power), and its terms may be long. But the shares that it is compared with
have a count of people for a denominator: the greatest fraction of such a denominator that is not above the bound
decides alike, and its products with counts are 64-bit integers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np

from kohort.errors import LimitError
from kohort.models.base import Declaration, greatest_ratio
from kohort.native.library import FIND_SHARES, JUDGE_SHARES

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask
    from kohort.core.frequency import Histogram
    from kohort.schema.sensitive import SensitiveDomain

#: The most people of a class, and the greatest denominator of a bound: products stay below 2**62.
MOST = 2**31 - 1

#: Of a histogram in which every value has its place: which value each count is of, as compiled loops are told.
_EVERY: Final = np.zeros((0, 0), np.int64)


def beside_table(sensitive: str) -> Declaration:
    """What a model declares that compares the shares of a class with those in the table, whatever its parameters."""
    return Declaration(
        sensitive=sensitive,
        some_values=True,
        refers=True,
        monotone_generalization=True,
        monotone_suppression=False,
    )


def places_of(histogram: Histogram) -> tuple[Counts, int, Index]:
    """The counts, their columns, and which value each is of, as compiled loops take them."""
    counts, places = histogram.counts, histogram.places
    return counts, counts.shape[1], _EVERY if places is None else places


def not_above(bound: Fraction) -> Fraction:
    """The greatest fraction that is not above `bound` and whose denominator is at most `MOST`.

    >>> not_above(Fraction(1, 3)), not_above(Fraction(3**40, 3**41 - 1)), not_above(Fraction(3**40, 3**41 + 1))
    (Fraction(1, 3), Fraction(1, 3), Fraction(715827882, 2147483647))
    """
    near = bound.limit_denominator(MOST)
    if near <= bound:
        return near
    # Of neighbours a/b > c/d among the fractions with such denominators, ad - bc = 1, and d is the largest there is.
    inverse = pow(near.numerator, -1, near.denominator)
    below = MOST - (MOST - inverse) % near.denominator
    return Fraction((near.numerator * below - 1) // near.denominator, below)


def not_below(bound: Fraction) -> Fraction:
    """The least fraction that is not below `bound` and whose denominator is at most `MOST`."""
    return -not_above(-bound)


def bounds(domain: SensitiveDomain, around: Callable[[Fraction], tuple[Fraction, Fraction]]) -> NDArray[np.int64]:
    """(4, v) numerators and denominators of the least and the greatest share that each value may have in a class.

    Args:
        domain: The values.
        around: Gives both, for a value's share among the people of the table who have one.

    Raises:
        LimitError: The table is of too many people.
    """
    people = people_of(domain)
    different, of = np.unique(domain.reference, return_inverse=True)  # of thousands of values, most are equally rare
    rows: list[list[int]] = []
    for count in different.tolist():
        low, high = around(Fraction(count, people))
        least, most = not_below(low), not_above(min(high, Fraction(1)))
        rows.append([least.numerator, least.denominator, most.numerator, most.denominator])
    return np.ascontiguousarray(np.array(rows, np.int64).reshape(-1, 4).T[:, of])


def people_of(domain: SensitiveDomain) -> int:
    """The people of the table who have a value.

    Raises:
        LimitError: There are too many.
    """
    people = int(domain.reference.sum())
    if people > MOST:
        raise LimitError(
            f"more than {MOST:,} people", where=f"column {domain.name}", hint="models can judge at most this many"
        )
    return people


def within(histogram: Histogram, limits: NDArray[np.int64]) -> Mask:
    """(c,) which classes have somebody with a value, and every value's share within its limits.

    The limits are those of all values: what was left out of the histogram has a share of 0.
    """
    mask = np.zeros(len(histogram.counts), np.bool_)
    JUDGE_SHARES(*places_of(histogram), limits, int(np.count_nonzero(limits[0])), mask)
    return mask


class Shares(NamedTuple):
    """How frequent some values are in classes.

    Attributes:
        values: (u,) which values these are; of those left out every share is 0.
        found: (4, u) numerators and denominators of the least and the greatest share that each has in a class.
    """

    values: Index
    found: NDArray[np.int64]


def shares(histogram: Histogram) -> Shares | None:
    """The least and the greatest share of each value of the histogram; `None`: in some class nobody has a value."""
    counts, places = histogram.counts, histogram.places
    if not counts.any(axis=1).all():
        return None
    values = cast("Index", np.arange(counts.shape[1]) if places is None else np.unique(places[counts > 0]))
    places = _EVERY if places is None else np.searchsorted(values, places)
    found = np.repeat(np.array([[1], [1], [0], [1]], np.int64), values.size, axis=1)
    FIND_SHARES(counts, counts.shape[1], places, np.zeros_like(values), found)
    return Shares(values, found)


def greatest_gain(histogram: Histogram) -> Fraction | None:
    """How many times as frequent as in the table a value is in a class, at most; `None`: nobody there has a value."""
    known, people = shares(histogram), people_of(histogram.domain)
    if known is None:
        return None
    return greatest_ratio(known.found[2] * people, known.found[3] * histogram.domain.reference[known.values])
