"""Noise: its definition, its bounds, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from kohort.errors import InputError, UsageError
from kohort.perturbation.moments import bounded, centred, projected, reflected, variance
from kohort.perturbation.noise import Noise

INCOMES = np.rint(np.random.default_rng(4).lognormal(10, 0.6, 4000))


def noisy(noise: Noise, numbers: np.ndarray, seed: int = 1) -> np.ndarray:
    """One column with noise."""
    (made,) = noise.perturb([numbers], [np.random.default_rng(seed)])
    return made


def test_the_definition() -> None:
    """Without bounds the column is (x + e - mean(x + e)) · sd(x) / sd(x + e) + mean(x), computed plainly."""
    spread = INCOMES.std(ddof=1)
    noise = np.random.default_rng(1).normal(0, math.sqrt(0.3) * spread, INCOMES.size)
    raw = INCOMES + noise
    plain = (raw - raw.mean()) * spread / raw.std(ddof=1) + INCOMES.mean()
    np.testing.assert_allclose(noisy(Noise("x", Fraction(3, 10)), INCOMES), plain, rtol=1e-9)


def test_the_noise_has_the_scale_that_is_asked_for() -> None:
    """The correlation of a column with itself under noise of scale s is 1 / sqrt(1 + s)."""
    for scale in (Fraction(1, 10), Fraction(1)):
        correlation = np.corrcoef(INCOMES, noisy(Noise("x", scale), INCOMES))[0, 1]
        assert correlation == pytest.approx(1 / math.sqrt(1 + scale), abs=0.01)


@pytest.mark.parametrize("numbers", [np.array([7.0]), np.full(5, 1e15), np.array([0.1, 0.1])])
def test_what_has_no_variance_stays(numbers: np.ndarray) -> None:
    """A single record and a column of one number are as they were, and are no view of what was given."""
    made = noisy(Noise("x"), numbers)
    assert made.tolist() == numbers.tolist()
    assert made is not numbers


def test_bounds_hold_and_keep_the_moments() -> None:
    """Noise reflected at 0 and below a top has the mean and variance that there were."""
    top = Fraction(int(INCOMES.max()) + 1)
    for noise in (Noise("x", lower=Fraction(0)), Noise("x", Fraction(1, 2), lower=Fraction(0), upper=top)):
        made = noisy(noise, INCOMES)
        assert made.min() >= 0
        assert made.max() <= noise.bounds[1]
        assert variance(made) == pytest.approx(variance(INCOMES), rel=1e-12)
        assert made.mean() == pytest.approx(INCOMES.mean(), rel=1e-12)


def test_many_at_a_bound() -> None:
    """Half of the column on the bound itself still keeps its moments: others give way."""
    numbers = np.concatenate((np.zeros(500), INCOMES[:500]))
    made = noisy(Noise("x", lower=Fraction(0)), numbers)
    assert made.min() >= 0
    assert variance(made) == pytest.approx(variance(numbers), rel=1e-12)
    assert made.mean() == pytest.approx(numbers.mean(), rel=1e-12)


def test_bounds_that_leave_no_room() -> None:
    """Between bounds at which all numbers lie nothing else has their variance: it drifts, the bounds hold."""
    numbers = np.repeat([0.0, 1.0], 300)
    made = noisy(Noise("x", lower=Fraction(0), upper=Fraction(1)), numbers)
    assert made.min() >= 0
    assert made.max() <= 1
    assert made.mean() == pytest.approx(0.5, rel=1e-12)
    assert 0.97 < variance(made) / variance(numbers) < 1


def test_a_column_outside_its_bounds_is_refused() -> None:
    """Records beyond the declared bounds are counted, not shown."""
    noise = Noise("x", lower=Fraction(0), upper=Fraction(10))
    with pytest.raises(InputError, match="2 records lie outside"):
        noise.check([np.array([-1.0, 3.0, 10.0, 10.5])], 1.0)
    noise.check([np.array([0.0, 10.0])], 1.0)


def test_too_little_noise_is_refused_with_what_would_do() -> None:
    """Noise under half the step is refused; the scale in the hint is accepted, and little less is not."""
    ages = np.arange(18.0, 90.0)
    with pytest.raises(UsageError, match=r"a scale of 0\.001 or more"):
        Noise("age", Fraction(1, 10_000)).check([ages], 1.0)
    Noise("age", Fraction(1, 1000)).check([ages], 1.0)
    with pytest.raises(UsageError, match=r"a scale of 57078 or more"):
        Noise("age").check([ages], 10_000.0)
    Noise("age", Fraction(57078)).check([ages], 10_000.0)
    with pytest.raises(UsageError, match="half a step"):
        Noise("age", Fraction(57000)).check([ages], 10_000.0)


def test_a_constant_column_needs_no_noise() -> None:
    """A column without variance is not refused: it stays as it is."""
    Noise("x").check([np.full(3, 5.0)], 1.0)


@pytest.mark.parametrize(
    ("parameters", "where"),
    [
        ({"scale": Fraction(0)}, "scale"),
        ({"scale": Fraction(-1)}, "scale"),
        ({"scale": 0.1}, "scale"),
        ({"scale": True}, "scale"),
        ({"decimals": -1}, "decimals"),
        ({"decimals": 16}, "decimals"),
        ({"decimals": True}, "decimals"),
        ({"decimals": 1.0}, "decimals"),
        ({"lower": 0.5}, "lower"),
        ({"upper": 0.5}, "upper"),
        ({"lower": Fraction(2), "upper": Fraction(2)}, "lower"),
    ],
)
def test_bad_parameters(parameters: dict[str, object], where: str) -> None:
    """What cannot be meant is refused at its name."""
    with pytest.raises(UsageError) as caught:
        Noise("x", **parameters)  # type: ignore[arg-type]
    assert caught.value.where == where


def test_what_it_says_of_itself() -> None:
    """Name, columns, bounds and kind are those of noise."""
    noise = Noise("income", Fraction(1, 3), lower=Fraction(1, 2))
    assert noise.name == "noise of 1/3 variances"
    assert noise.columns == ("income",)
    assert noise.bounds == (0.5, math.inf)
    assert noise.numeric
    assert noise.random
    assert noise.keeps_moments


def test_reflection_at_one_bound_or_two() -> None:
    """What lies outside is mirrored, as often as needed; what lies inside stays."""
    numbers = np.array([-3.0, 0.5, 4.0])
    assert reflected(numbers, 0.0, math.inf).tolist() == [3.0, 0.5, 4.0]
    assert reflected(numbers, -math.inf, 1.0).tolist() == [-3.0, 0.5, -2.0]
    assert reflected(numbers, 0.0, 1.0).tolist() == [1.0, 0.5, 0.0]


def test_numbers_without_spread_cannot_be_stretched() -> None:
    """A projection of equal numbers is their mean, not a division by zero."""
    assert projected(np.array([3.0, 3.0]), 1.0).tolist() == [0.0, 0.0]
    assert bounded(np.array([3.0, 3.0]), 1.0, 1.0, 2.0).tolist() == [1.0, 1.0]


def test_one_number_has_no_variance() -> None:
    """Of a single number the variance is 0, and it is its own mean."""
    assert variance(np.array([5.0])) == 0
    assert centred(np.array([5.0]))[0] == 5
