"""The interval of an attack's rate, and the tables on which attacks must succeed or fail."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.assessment.risk.attacks import ATTACKS
from kohort.assessment.risk.attacks.base import Attack, clopper_pearson, incomplete_beta
from kohort.assessment.risk.attacks.controls import CONTROLS


def tail(trials: int, least: int, share: float) -> float:
    """How likely at least so many of the trials succeed: the binomial, summed up."""
    return sum(comb(trials, x) * share**x * (1 - share) ** (trials - x) for x in range(least, trials + 1))


@given(st.integers(1, 40), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_ends_cut_off_equal_tails(trials: int, data: st.DataObject, confidence: float) -> None:
    """By definition: at the lower end so many or more, at the upper so many or fewer, have (1 - confidence) / 2."""
    right = data.draw(st.integers(0, trials))
    low, high = clopper_pearson(right, trials, confidence)
    left = (1 - confidence) / 2
    assert low == 0 if right == 0 else tail(trials, right, low) == pytest.approx(left, rel=1e-8)
    assert high == 1 if right == trials else 1 - tail(trials, right + 1, high) == pytest.approx(left, rel=1e-8)


@given(st.integers(1, 30), st.integers(1, 30), st.floats(0.001, 0.999))
def test_the_beta_integral_is_a_tail_of_the_binomial(a: int, b: int, x: float) -> None:
    """I_x(a, b) is the chance of a or more successes in a + b - 1 trials."""
    assert incomplete_beta(a, b, x) == pytest.approx(tail(a + b - 1, a, x), rel=1e-9, abs=1e-12)


def test_it_holds_the_true_share_as_often_as_it_says() -> None:
    """Over simulated binomials, of rare and of common events, at least 95 in 100 intervals hold the share."""
    random = np.random.default_rng(7)
    for share in (0.01, 0.2, 0.5, 0.93):
        for trials in (15, 200):
            observed, times = np.unique(random.binomial(trials, share, 4000), return_counts=True)
            ends = [clopper_pearson(int(right), trials) for right in observed]
            held = [low <= share <= high for low, high in ends]
            assert times[held].sum() / times.sum() > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 4000)


def test_large_numbers() -> None:
    """A million trials give a narrow interval around the share, and no claim an upper end of 3.7 in a million."""
    low, high = clopper_pearson(300_000, 1_000_000)
    assert 0.2990 < low < 0.3 < high < 0.3010
    assert clopper_pearson(0, 1_000_000)[1] == pytest.approx(3.689e-6, rel=1e-3)


def test_the_share_of_none_is_none() -> None:
    """Without targets or claims the rates are 0 and nothing is known; the integral ends at 0 and 1."""
    nobody = Attack.scored("linking", 0, 0, 0.0, 0.0)
    assert (nobody.rate, nobody.precision, nobody.interval) == (0.0, 0.0, (0.0, 1.0))
    assert (incomplete_beta(2, 3, 0), incomplete_beta(2, 3, 1)) == (0.0, 1.0)


def test_every_attack_has_controls() -> None:
    """There is a positive and a negative control of every attack."""
    assert tuple(CONTROLS) == tuple(ATTACKS)


@pytest.mark.parametrize("name", CONTROLS)
def test_positive_control(name: str) -> None:
    """On a table made for it the attack makes claims, nearly all are right, and many more than by guessing."""
    found, _ = CONTROLS[name]()
    assert found.precision > 0.94
    assert found.claims > 0
    assert found.interval[0] > 2 * found.baseline
    assert found.rate > (0.25 if name == "minimality" else 0.94)
    assert found.likely is None or found.likely < 0.01


@pytest.mark.parametrize("name", CONTROLS)
def test_negative_control(name: str) -> None:
    """On a table that gives nothing away the rate does not exceed the baseline beyond chance."""
    _, found = CONTROLS[name]()
    low, high = found.interval
    assert low <= found.baseline <= high
    assert found.rate < 0.1
    assert found.likely is None or found.likely > 0.01
