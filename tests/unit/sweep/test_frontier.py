"""The risk-utility frontier and its knee, held against their definitions."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from kohort.job.sweeps.picture import Tradeoff, frontier, knees

#: Few values, so that equal risks, equal losses and equal points are common; and any.
FEW = st.integers(0, 5).map(float)
POINTS = st.lists(st.builds(Tradeoff, FEW, FEW), max_size=12) | st.lists(
    st.builds(Tradeoff, st.floats(0, 1), st.floats(0, 9)), max_size=12
)


def dominates(one: Tradeoff, other: Tradeoff) -> bool:
    """No worse in both, better in one."""
    return one.risk <= other.risk and one.loss <= other.loss and one != other


def far(point: Tradeoff, first: Tradeoff, last: Tradeoff) -> Fraction:
    """By cross product: how far a point lies below the line between two, after both axes are scaled to it."""
    scale = Fraction(last.risk) - Fraction(first.risk), Fraction(first.loss) - Fraction(last.loss)
    x = (Fraction(point.risk) - Fraction(first.risk)) / scale[0]
    y = (Fraction(point.loss) - Fraction(first.loss)) / scale[1]
    return -(x + y)  # the line now falls from (0, 0) to (1, -1)


@given(POINTS)
def test_the_frontier_is_what_nothing_dominates(points: list[Tradeoff]) -> None:
    """Exactly the points that no other dominates, by ascending risk and descending loss."""
    found = frontier(points)
    assert set(found) == {
        place for place, one in enumerate(points) if not any(dominates(other, one) for other in points)
    }
    assert [points[place] for place in found] == sorted((points[place] for place in found), key=lambda one: one.risk)
    assert [points[place].loss for place in found] == sorted((points[place].loss for place in found), reverse=True)


@given(POINTS)
def test_the_knee_is_the_farthest_below_the_chord(points: list[Tradeoff]) -> None:
    """Every knee is on the frontier, and no point of it lies farther below the line between its ends."""
    found, line = knees(points), [points[place] for place in frontier(points)]
    if len({*line}) < 3:
        assert not found
        return
    distances = {place: far(points[place], line[0], line[-1]) for place in frontier(points)}
    greatest = max(distances.values())
    assert found == (tuple(place for place, one in distances.items() if one == greatest) if greatest > 0 else ())


@given(POINTS, st.permutations(range(12)))
def test_order_does_not_matter(points: list[Tradeoff], order: list[int]) -> None:
    """The same points in another order have the same frontier and the same knee."""
    mixed = [points[place] for place in order if place < len(points)]
    assert [mixed[place] for place in frontier(mixed)] == [points[place] for place in frontier(points)]
    assert [mixed[place] for place in knees(mixed)] == [points[place] for place in knees(points)]


def test_a_frontier_by_hand() -> None:
    """Halving the risk from 1/2 costs little down to 1/10 and much beyond; ties are told by ascending risk."""
    points = [Tradeoff(0.5, 0.0), Tradeoff(0.2, 0.5), Tradeoff(0.1, 1.0), Tradeoff(0.05, 4.0), Tradeoff(0.2, 0.7)]
    assert frontier(points) == (3, 2, 1, 0)
    assert knees(points) == (2,)
    assert knees([Tradeoff(0.0, 4.0), Tradeoff(1.0, 2.0), Tradeoff(2.0, 1.0), Tradeoff(4.0, 0.0)]) == (1, 2)
    assert knees([Tradeoff(0.0, 4.0), Tradeoff(3.0, 3.0), Tradeoff(4.0, 0.0)]) == ()
