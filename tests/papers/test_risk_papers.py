"""The estimators against populations drawn from their own models, and the worked figures of their papers' definitions.

The populations are small and seeded. A band is wide enough for another seed too: it was set from twenty of them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.assessment.risk.overall import individual_risks
from kohort.assessment.risk.uniqueness import Sample, estimated, pitman, slide_negative_binomial, zayatz

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kohort.arrays import Counts
    from kohort.assessment.risk.uniqueness import Estimate

pytestmark = pytest.mark.slow


def restaurant(people: int, alpha: float, theta: float, random: np.random.Generator) -> list[int]:
    """The class of each person of a Pitman population: each sits down at a new table, or beside somebody."""
    of, sizes = [0], [1]
    for before in range(1, people):
        if random.random() < (theta + alpha * len(sizes)) / (theta + before):
            of.append(len(sizes))
            sizes.append(1)
            continue
        beside = of[random.integers(before)]
        while random.random() >= (sizes[beside] - alpha) / sizes[beside]:
            beside = of[random.integers(before)]
        of.append(beside)
        sizes[beside] += 1
    return of


def slide(classes: int, alpha: float, p: float, random: np.random.Generator) -> NDArray[np.int64]:
    """The class of each person of a slide negative binomial population."""
    return np.repeat(np.arange(classes), 1 + random.negative_binomial(alpha, p, classes))


def drawn(of: NDArray[np.int64], fraction: float, random: np.random.Generator) -> Counts:
    """The sizes of the classes of a simple random sample."""
    counts = np.bincount(of[random.choice(of.size, round(of.size * fraction), replace=False)])
    return counts[counts > 0]


def uniques(of: NDArray[np.int64]) -> int:
    """How many people are alone in their class."""
    return int((np.bincount(of) == 1).sum())


def ratios(
    populations: list[NDArray[np.int64]], fraction: float, estimate: Callable[[Sample], Estimate]
) -> list[float | None]:
    """For each population the estimate from a sample of it, over the true number of uniques."""
    random = np.random.default_rng(11)
    found = [estimate(Sample.of(drawn(of, fraction, random), of.size)).uniques for of in populations]
    return [None if one is None else one / uniques(of) for one, of in zip(found, populations, strict=True)]


@pytest.fixture(scope="module")
def pitmans() -> list[NDArray[np.int64]]:
    """Five Pitman populations of 4,000 people."""
    random = np.random.default_rng(5)
    return [np.array(restaurant(4_000, 0.6, 30, random)) for _ in range(5)]


@pytest.fixture(scope="module")
def slides() -> list[NDArray[np.int64]]:
    """Five slide negative binomial populations of some 12,000 people."""
    random = np.random.default_rng(6)
    return [slide(3_000, 2.0, 0.4, random) for _ in range(5)]


@pytest.mark.parametrize(("fraction", "band"), [(0.05, 0.85), (0.1, 0.6), (0.5, 0.2)])
def test_pitman_finds_the_uniques_of_its_model(pitmans: list[NDArray[np.int64]], fraction: float, band: float) -> None:
    """In populations of the model the estimate is within the band of the truth, and more so in larger samples."""
    for ratio in ratios(pitmans, fraction, pitman):
        assert ratio is not None
        assert abs(ratio - 1) < band


def test_ewens_is_the_border() -> None:
    """Classes without Pitman's alpha are fitted with an alpha near 0, and theta and uniques near the truth."""
    random = np.random.default_rng(7)
    of = np.array(restaurant(4_000, 0.0, 200, random))
    found = pitman(Sample.of(drawn(of, 0.5, random), of.size))
    assert found.uniques is not None
    assert found.parameters["alpha"] < 0.1
    assert found.parameters["theta"] == pytest.approx(200, rel=0.3)
    assert found.uniques == pytest.approx(200 * 4_000 / (200 + 3_999), rel=0.3)


@pytest.mark.parametrize(("fraction", "band"), [(0.2, 0.9), (0.5, 0.35)])
def test_the_slide_negative_binomial_finds_its_own(
    slides: list[NDArray[np.int64]], fraction: float, band: float
) -> None:
    """In populations of the model the estimate, where there is one, is within the band; at half there always is."""
    found = ratios(slides, fraction, slide_negative_binomial)
    answers = [ratio for ratio in found if ratio is not None]
    assert len(answers) == len(found) if fraction == 0.5 else answers
    assert all(abs(ratio - 1) < band for ratio in answers)


def test_zayatz_finds_too_many_in_small_samples_and_not_in_large_ones(slides: list[NDArray[np.int64]]) -> None:
    """The estimate falls towards the truth as the sample grows: its stated limit."""
    means = [np.mean(np.array(ratios(slides, fraction, zayatz), float)) for fraction in (0.02, 0.1, 0.5, 0.9)]
    assert means == sorted(means, reverse=True)
    assert means[0] > 5
    assert means[-1] == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("fraction", [0.05, 0.3, 0.7])
def test_the_rule_trusts_a_good_estimator(
    pitmans: list[NDArray[np.int64]], slides: list[NDArray[np.int64]], fraction: float
) -> None:
    """The rule of Dankar et al. chooses well above a tenth; below, it takes Pitman's, whatever is true."""
    random = np.random.default_rng(3)
    for model, populations in (("Pitman", pitmans), ("SNB", slides)):
        for of in populations:
            found = estimated(drawn(of, fraction, random), of.size)
            assert found.trusted == ("Pitman" if fraction <= 0.1 else "Zayatz" if model == "Pitman" else "SNB")
            within = 0.45 if fraction > 0.1 else 0.85 if model == "Pitman" else 7
            assert found.population == pytest.approx(uniques(of), rel=within)


def test_the_individual_risk_of_benedetti_and_franconi() -> None:
    """The risk of a sample unique is pi/(1-pi)·log(1/pi), of two pi/(1-pi)²·(pi·log(pi) + 1 - pi), as they print."""
    for part in (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)):
        pi = float(part)
        one, two = individual_risks(np.array([1, 2]), part).tolist()
        assert one == pytest.approx(pi / (1 - pi) * np.log(1 / pi))
        assert two == pytest.approx(pi / (1 - pi) ** 2 * (pi * np.log(pi) + 1 - pi))
