"""The risk-utility frontier: the settings that no other beats in both risk and loss, and where it bends most."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Tradeoff(NamedTuple):
    """What one setting gives: less is better in both."""

    risk: float
    loss: float


def frontier(points: Sequence[Tradeoff]) -> tuple[int, ...]:
    """The places of the points that no other dominates, by ascending risk.

    A point dominates another if it is no worse in risk and in loss, and better in one of them. Equal points do not
    dominate each other: all of them are told, in the order in which they are given.

    >>> frontier([Tradeoff(0.5, 1.0), Tradeoff(0.1, 3.0), Tradeoff(0.2, 3.0), Tradeoff(0.5, 2.0)])
    (1, 0)
    """
    found: list[int] = []
    for place in sorted(range(len(points)), key=lambda place: points[place]):
        if not found or points[place].loss < points[found[-1]].loss or points[place] == points[found[-1]]:
            found.append(place)
    return tuple(found)


def knees(points: Sequence[Tradeoff]) -> tuple[int, ...]:
    """The places of the knee: where the frontier bends most, so that less of either costs most of the other.

    Both axes are scaled so that the frontier goes from (0, 1), its least risk and greatest loss, to (1, 0). The knee is
    its point farthest below the straight line between these ends. Computed in fractions of the given floats; points
    equally far are all told, by ascending risk. There is none where no point lies below that line: in fewer than
    three points, or where the frontier bulges the other way.

    >>> knees([Tradeoff(0.1, 4.0), Tradeoff(0.2, 1.0), Tradeoff(0.5, 0.0)])
    (1,)
    >>> knees([Tradeoff(0.0, 2.0), Tradeoff(1.0, 1.0), Tradeoff(2.0, 0.0)])
    ()
    """
    places = frontier(points)
    if not places:
        return ()
    exact = [(Fraction(points[place].risk), Fraction(points[place].loss)) for place in places]
    (safest, dearest), (riskiest, cheapest) = exact[0], exact[-1]
    if safest == riskiest:  # then the losses are equal, too
        return ()
    wide, high = riskiest - safest, dearest - cheapest
    below = [1 - (risk - safest) / wide - (loss - cheapest) / high for risk, loss in exact]
    farthest = max(below)
    return tuple(place for place, far in zip(places, below, strict=True) if far == farthest > 0)
