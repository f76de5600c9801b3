"""Whole numbers with the mean and variance of others."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from kohort.perturbation.whole import best_pair, square_up_few, whole


def moments(numbers: np.ndarray) -> tuple[Fraction, Fraction]:
    """Sum and sum of squared distances from the mean, exactly."""
    exact = [Fraction(number) for number in numbers.tolist()]
    mean = sum(exact, Fraction(0)) / len(exact)
    return sum(exact, Fraction(0)), sum(((one - mean) ** 2 for one in exact), Fraction(0))


@pytest.mark.parametrize("spread", [1.5, 10, 1000])
@pytest.mark.parametrize("records", [6, 40, 200, 5000])
def test_moments_are_exact(records: int, spread: float) -> None:
    """Columns of some numbers are rounded without moving mean or variance at all."""
    stream = np.random.default_rng(records)
    wanted = np.rint(stream.normal(50, spread, records))
    made = whole(wanted + stream.normal(0, spread / 2, records), wanted, -math.inf, math.inf)
    assert (made == np.rint(made)).all()
    exact, found = moments(wanted), moments(made)
    assert found[0] == exact[0]
    assert float(abs(found[1] - exact[1])) <= 1e-6 * float(exact[1])
    assert spread == 1000 or found[1] == exact[1]


def test_bounds_hold() -> None:
    """Nothing leaves the bounds to make moments good, though many numbers stand at them."""
    stream = np.random.default_rng(5)
    wanted = np.rint(stream.exponential(2, 300))
    made = whole(wanted + stream.normal(0, 1, 300), wanted, 0.0, wanted.max())
    assert made.min() >= 0
    assert made.max() <= wanted.max()
    assert moments(made) == moments(wanted)


def test_what_cannot_be_is_left() -> None:
    """Where bounds allow no other sum, or no number can move, the nearest is given."""
    assert whole(np.array([0.2, 0.1]), np.array([3.0, 5.0]), 0.0, 1.0).tolist() == [1.0, 1.0]
    assert whole(np.array([4.6, 4.4]), np.array([5.0, 5.0]), -math.inf, math.inf).tolist() == [5.0, 4.0]
    made = whole(np.array([0.0, 0.0, 3.0]), np.array([0.0, 1.0, 2.0]), 0.0, 2.0)
    assert made.sum() == 3
    assert whole(np.array([0.2, 0.3, 0.4]), np.array([0.0, 1.0, 2.0]), -math.inf, math.inf).sum() == 3


def test_squares_beyond_64_bits() -> None:
    """Squares that 64 bits cannot hold are summed up all the same."""
    stream = np.random.default_rng(6)
    wanted = np.rint(stream.normal(0, 2**40, 100))
    made = whole(wanted + stream.normal(0, 2**38, 100), wanted, -math.inf, math.inf)
    assert moments(made)[0] == moments(wanted)[0]
    assert float(moments(made)[1] / moments(wanted)[1]) == pytest.approx(1, rel=1e-12)


def test_a_best_pair_is_the_best() -> None:
    """Of all pairs of a small column the one chosen brings the squares nearest to what is wanted."""
    stream = np.random.default_rng(7)
    for _ in range(60):
        units = stream.integers(0, 9, stream.integers(2, 9))
        missing = int(stream.integers(-30, 30)) * 2
        every = [
            (abs(missing - 2 * int(one - other + 1)), i, j)
            for i, one in enumerate(units)
            for j, other in enumerate(units)
            if i != j and one < 8 and other > 0
        ]
        found = best_pair(units, missing, 0.0, 8.0)
        best = min(every)[0] if every else math.inf
        if found is None:
            assert best >= abs(missing) or best == abs(missing - 2)  # that of a number with itself is no pair
        else:
            assert abs(missing - 2 * int(units[found[0]] - units[found[1]] + 1)) == best


def test_what_no_two_pairs_bring_nearer_stays() -> None:
    """Steps of pairs change the sum of squares by even numbers: one that is wrong by 1 comes no nearer to right."""
    units = np.array([0, 1, 2, 3])
    square_up_few(units, 1, -math.inf, math.inf)
    assert units.tolist() == [0, 1, 2, 3]
