"""Laws of perturbation, for columns of every kind: mean and variance, multisets, groups, drift."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.io.typed import from_frame
from kohort.perturbation.microaggregation import Microaggregation
from kohort.perturbation.noise import Noise
from kohort.perturbation.rank_swapping import RankSwapping
from kohort.samples.italy import italy
from kohort.tables.perturbing import perturb

if TYPE_CHECKING:
    from kohort.perturbation.base import Amounts

#: What makes a column ugly: a shape of the numbers, how large they are, and how far from 0.
SHAPES = ("normal", "long tail", "ties", "two values", "one stands out", "mixed magnitudes")
SIZES = (1e-300, 1e-9, 1.0, 1e6, 1e11)


def shaped(shape: str, stream: np.random.Generator, size: int) -> Amounts:
    """Numbers of about 1."""
    numbers: Amounts = (np.arange(size) % 2).astype(np.float64)
    match shape:
        case "normal":
            numbers[:] = stream.normal(size=size)
        case "long tail":
            numbers[:] = stream.lognormal(0, 2, size)
        case "ties":
            numbers[:] = stream.integers(0, 4, size)
        case "one stands out":
            numbers[:] = np.arange(size) == 0
        case "mixed magnitudes":
            numbers[:] = np.power(10.0, stream.uniform(-12, 3, size)) * stream.choice([-1.0, 1.0], size)
        case _:
            pass
    return numbers


@st.composite
def columns(draw: st.DrawFn) -> Amounts:
    """A column of 2 to 60 numbers."""
    stream = np.random.default_rng(draw(st.integers(0, 2**32)))
    numbers = shaped(draw(st.sampled_from(SHAPES)), stream, draw(st.integers(2, 60)))
    size = draw(st.sampled_from(SIZES))
    return numbers * size + draw(st.sampled_from([0.0, size, -1e3 * size, 1e9 * size]))


def moments(numbers: Amounts) -> tuple[Fraction, Fraction]:
    """Mean and variance (n - 1 below), exactly."""
    exact = [Fraction(number) for number in numbers.tolist()]
    mean = sum(exact, Fraction(0)) / len(exact)
    return mean, sum(((one - mean) ** 2 for one in exact), Fraction(0)) / (len(exact) - 1)


def check_moments(before: Amounts, after: Amounts, tolerance: float) -> None:
    """Both have the same mean, relative to it or the deviation, and the same variance, relative to it."""
    (mean, variance), (found, spread) = moments(before), moments(after)
    scale = abs(mean) + Fraction(float(np.abs(before - before.mean()).max()))
    assert abs(found - mean) <= Fraction(1e-12) * scale
    assert abs(spread - variance) <= Fraction(tolerance) * variance


@given(columns(), st.fractions(Fraction(1, 1000), 3, max_denominator=1000), st.integers(0, 2**32))
def test_noise_keeps_mean_and_variance(numbers: Amounts, scale: Fraction, seed: int) -> None:
    """To 1e-12, exactly reckoned; but for a handful of numbers so far from 0 that float64 cannot hold others."""
    (made,) = Noise("x", scale).perturb([numbers], [np.random.default_rng(seed)])
    assert np.isfinite(made).all()
    spread = float(np.abs(numbers - numbers.mean()).max())
    coarse = np.spacing(np.abs(numbers).max()) / spread if spread else 0.0
    check_moments(numbers, made, 1e-12 if numbers.size > 8 else 1e-12 + 100 * float(coarse))


@pytest.mark.slow
def test_noise_keeps_the_moments_of_thousands_of_columns() -> None:
    """Of 3,000 random columns of nine numbers and more, none has another mean or variance: to 1e-12 of themselves."""
    stream = np.random.default_rng(20261121)
    for shape, size, place in [(shape, size, place) for shape in SHAPES for size in SIZES for place in range(100)]:
        numbers = shaped(shape, stream, 9 + place % 49) * size
        numbers += size * stream.choice([0.0, 1.0, -1e3])
        (made,) = Noise("x", Fraction(1 + place, 50)).perturb([numbers], [stream])
        check_moments(numbers, made, 1e-12)


@given(st.integers(20, 300), st.floats(1, 1e6), st.sampled_from([1e12, -1e15, 3e15]), st.integers(0, 2**32))
def test_noise_far_from_zero(records: int, spread: float, offset: float, seed: int) -> None:
    """Even where the numbers of float64 are as far apart as an eighth of the deviation, to 1e-12."""
    stream = np.random.default_rng(seed)
    numbers = offset + stream.normal(0, spread, records)
    (made,) = Noise("x").perturb([numbers], [stream])
    check_moments(numbers, made, 1e-12)


@given(columns(), st.integers(0, 2**32))
def test_bounds_are_kept(numbers: Amounts, seed: int) -> None:
    """Nothing leaves the column's own range when that is the bound, and the mean stays."""
    low, high = Fraction(float(numbers.min())), Fraction(float(numbers.max()))
    if low == high:
        return
    (made,) = Noise("x", lower=low, upper=high).perturb([numbers], [np.random.default_rng(seed)])
    assert numbers.min() <= made.min()
    assert made.max() <= numbers.max()
    mean, _ = moments(numbers)
    assert abs(moments(made)[0] - mean) <= Fraction(1e-9) * (abs(mean) + high - low)


@given(st.integers(100, 400), st.integers(1, 50), st.integers(0, 2**32))
def test_rounding_keeps_them_too(records: int, spread: int, seed: int) -> None:
    """Of whole numbers, the written cells have mean and variance to 1e-3 at the most; nearly always exactly."""
    stream = np.random.default_rng(seed)
    numbers = np.rint(stream.normal(0, spread, records)).astype(np.int64)
    table = from_frame(pl.DataFrame({"x": numbers}))
    _, (effect,) = perturb(table, [Noise("x", Fraction(1, 2))], missing=frozenset({""}), seed=seed)
    assert effect.mean is not None
    assert effect.variance is not None
    assert effect.mean[0] == pytest.approx(effect.mean[1], abs=1e-9)
    assert effect.variance[1] == pytest.approx(effect.variance[0], rel=1e-3)


@given(st.lists(st.integers(-5, 50), min_size=20, max_size=200), st.integers(0, 2**32))
def test_swapping_keeps_the_numbers(cells: list[int], seed: int) -> None:
    """The numbers of a column are the same before and after, and so is every record's other cells."""
    table = from_frame(pl.DataFrame({"x": cells, "y": range(len(cells))}))
    made, (effect,) = perturb(table, [RankSwapping("x")], missing=frozenset({""}), seed=seed)
    after = made["x"].values.gather(made["x"].codes).cast(pl.Int64)
    assert sorted(after) == sorted(cells)
    assert effect.variance is not None
    assert effect.variance[0] == effect.variance[1]
    assert made["y"] is table["y"]


@given(st.integers(0, 2**32), st.integers(6, 80), st.integers(1, 3), st.integers(2, 5))
def test_groups_have_their_size_and_means(seed: int, records: int, several: int, k: int) -> None:
    """Every tuple of means is borne by at least k records, and the mean of each column stays."""
    stream = np.random.default_rng(seed)
    numbers = [shaped("ties" if seed % 2 else "normal", stream, records) for _ in range(several)]
    asked = Microaggregation(tuple("abc"[:several]), k)
    made = asked.perturb(numbers, [])
    _, counts = np.unique(np.stack(made, axis=1), axis=0, return_counts=True)
    assert counts.min() >= k
    for before, after in zip(numbers, made, strict=True):
        assert after.mean() == pytest.approx(before.mean(), abs=1e-12)
        assert after.var() <= before.var() + 1e-12
    order = stream.permutation(records)
    again = asked.perturb([one[order] for one in numbers], [])
    np.testing.assert_array_equal(np.sort(again[0]), np.sort(made[0]))


@given(st.integers(0, 2**32), st.sampled_from([Fraction(1, 100), Fraction(1, 10), Fraction(1)]))
def test_incomes_hardly_drift(seed: int, scale: Fraction) -> None:
    """Incomes of the register, rounded to euros and not below 0: mean and variance move by less than 0.1 %."""
    frame = italy(300, seed=seed).select("annual_income", "age")
    asked = [Noise("annual_income", scale, 0, Fraction(0))]
    made, (effect,) = perturb(from_frame(frame), asked, missing=frozenset({""}), seed=None)
    assert effect.mean is not None
    assert effect.variance is not None
    for before, after in (effect.mean, effect.variance):
        assert abs(after / before - 1) < 1e-3
    assert effect.decimals == 0
    assert all(not text.startswith("-") for text in made["annual_income"].values)
