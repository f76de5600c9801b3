"""Rank swapping, microaggregation, rounding, coding and post-randomization, each against its plain definition."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from kohort.errors import UsageError
from kohort.perturbation.coding import Coding
from kohort.perturbation.microaggregation import Microaggregation, Places, mdav, runs, standardised
from kohort.perturbation.post_randomization import PostRandomization
from kohort.perturbation.rank_swapping import RankSwapping
from kohort.perturbation.rounding import Rounding


def stream(seed: int = 1) -> np.random.Generator:
    """A source of randomness."""
    return np.random.default_rng(seed)


# ── rank swapping ────────────────────────────────────────────────────────────────────────────────


def plainly_swapped(numbers: np.ndarray, reach: int, draws: np.ndarray) -> np.ndarray:
    """Rank swapping by lists: each rank draws among those within reach that are free."""
    order = np.argsort(numbers, kind="stable")
    free = list(range(numbers.size))
    made = numbers.copy()
    for rank in range(numbers.size):
        if rank not in free:
            continue
        free.remove(rank)
        near = [other for other in free if other <= rank + reach]
        if near:
            other = near[int(draws[rank] * len(near))]
            free.remove(other)
            made[order[rank]], made[order[other]] = numbers[order[other]], numbers[order[rank]]
    return made


@pytest.mark.parametrize("records", [1, 2, 3, 8, 9, 33, 64, 100])
def test_swapping_is_as_said(records: int) -> None:
    """The tree of free ranks finds the partners that looking through a list finds."""
    for share in (Fraction(1, 20), Fraction(1, 3), Fraction(1)):
        numbers = np.rint(stream(records).normal(0, 5, records))
        (made,) = RankSwapping("x", share).perturb([numbers], [stream(3)])
        expected = plainly_swapped(numbers, int(share * records), stream(3).random(records))
        assert made.tolist() == expected.tolist()


def test_swapping_keeps_within_its_reach() -> None:
    """Nobody's number moves farther than the share of ranks, and nearly all move."""
    numbers = np.arange(2000.0)
    (made,) = RankSwapping("x").perturb([numbers], [stream()])
    assert np.abs(made - numbers).max() <= 100
    assert (made != numbers).mean() > 0.99


def test_a_share_without_a_rank_is_refused() -> None:
    """A share of less than one rank swaps nothing; the one in the hint does, and one record has nobody to swap with."""
    with pytest.raises(UsageError, match="nothing would be swapped"):
        RankSwapping("x").check([np.arange(19.0)], 1.0)
    RankSwapping("x").check([np.arange(20.0)], 1.0)
    RankSwapping("x").check([np.arange(1.0)], 1.0)


# ── microaggregation ─────────────────────────────────────────────────────────────────────────────


def plain_mdav(points: np.ndarray, k: int) -> np.ndarray:
    """MDAV by looking at every record: ties go to the record that comes first."""
    groups = np.full(len(points), -1)
    left, sums, group = list(range(len(points))), points.sum(axis=0), 0

    def distance(record: int, centre: np.ndarray) -> float:
        total = 0.0
        for one, other in zip(points[record], centre, strict=True):
            total += (one - other) * (one - other)
        return total

    while len(left) >= 2 * k:
        centre = sums / len(left)
        far = max(left, key=lambda record: (distance(record, centre), -record))
        opposite = max(left, key=lambda record: (distance(record, points[far]), -record))
        for middle in [far, opposite] if len(left) >= 3 * k else [far]:
            nearest = sorted(left, key=lambda record: (distance(record, points[middle]), record))[:k]
            for record in nearest:
                groups[record] = group
                sums = sums - points[record]
            left = [record for record in left if record not in nearest]
            group += 1
    groups[left] = group
    return groups


def partition(groups: np.ndarray) -> set[frozenset[int]]:
    """The groups as sets, however they are numbered."""
    return {frozenset(np.flatnonzero(groups == group).tolist()) for group in set(groups.tolist())}


def spread(seed: int, records: int, columns: int) -> np.ndarray:
    """(columns, records) numbers without ties, with many, with a long tail, and on a circle, by turns."""
    draw = stream(seed)
    numbers = draw.normal(size=(columns, records))
    match seed % 4:
        case 0:
            return draw.integers(0, 6, numbers.shape).astype(np.float64)
        case 1:
            return numbers
        case 2:
            return np.exp(2 * numbers)
        case _:
            on_circles: np.ndarray = numbers / np.sqrt((numbers**2).sum(axis=0))
            return on_circles


@pytest.mark.parametrize("seed", range(40))
def test_mdav_is_as_said(seed: int) -> None:
    """Boxes that are passed over change no group, however the numbers lie, in one to four columns."""
    draw = stream(seed)
    records, k, columns = int(draw.integers(5, 120)), int(draw.integers(2, 6)), int(draw.integers(1, 5))
    points = np.stack([standardised(one) for one in spread(seed, records, columns)], axis=1)
    found, expected = mdav(points, k), plain_mdav(points, k)
    assert found.tolist() == expected.tolist()
    assert np.bincount(found).min() >= k
    assert np.bincount(found).max() < 2 * k


@pytest.mark.parametrize("seed", range(40))
def test_ties_of_mdav_go_to_the_first(seed: int) -> None:
    """Points of a small grid, whose distances are exact, tie all the time."""
    points = stream(seed).integers(-2, 3, (60, 1 + seed % 3)).astype(np.float64)
    assert mdav(points, 2 + seed % 4).tolist() == plain_mdav(points, 2 + seed % 4).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_mdav_sorts_again(seed: int) -> None:
    """Of so many records places are sorted more than once, and the groups are still those of looking at all."""
    points = np.stack([standardised(one) for one in spread(seed, 700, 2)], axis=1)
    assert mdav(points, 3).tolist() == plain_mdav(points, 3).tolist()


def test_runs_are_the_groups_of_mdav() -> None:
    """Of one column without ties, runs of sorted numbers are the groups that MDAV forms."""
    for records in range(3, 60):
        numbers = np.sort(stream(records).normal(size=records))
        for k in range(2, min(records, 7)):
            assert partition(runs(numbers, k)) == partition(plain_mdav(standardised(numbers)[:, None], k))


def test_of_two_ends_equally_far_the_first_has_the_group() -> None:
    """Ties go to the record that comes first, in one column as in several."""
    numbers = np.arange(5.0)
    assert (
        partition(runs(numbers, 2)) == partition(mdav(numbers[:, None], 2)) == {frozenset({0, 1}), frozenset({2, 3, 4})}
    )


def test_boxes_hold_every_record_once() -> None:
    """Places are a partition of the records, and each box is the smallest around its share of them."""
    points = stream().integers(0, 40, (3000, 2)).astype(np.float64)
    places = Places.of(points)
    assert sorted(places.members.tolist()) == list(range(3000))
    assert (places.points[places.place_of] == points).all()
    assert (places.place_of[places.members] == np.repeat(np.arange(places.ends.size), places.ends - places.next)).all()
    leaves = places.low.shape[0] // 2
    for leaf in range(leaves):
        inside = places.points[leaf * places.ends.size // leaves : (leaf + 1) * places.ends.size // leaves]
        assert 0 < len(inside) <= 8
        assert (inside.min(axis=0) == places.low[leaves + leaf]).all()
        assert (inside.max(axis=0) == places.high[leaves + leaf]).all()
    for box in range(1, leaves):
        assert (places.low[2 * box : 2 * box + 2].min(axis=0) == places.low[box]).all()
        assert (places.high[2 * box : 2 * box + 2].max(axis=0) == places.high[box]).all()


def test_groups_bear_their_means() -> None:
    """Each group of at least k records has one number in each column: their mean, however far from 0."""
    numbers = [1e9 + stream(5).normal(size=100), stream(6).exponential(size=100)]
    made = Microaggregation(("a", "b"), 4).perturb(numbers, [])
    pairs, groups, counts = np.unique(np.stack(made, axis=1), axis=0, return_inverse=True, return_counts=True)
    assert counts.min() >= 4
    for group, means in enumerate(pairs):
        for column, mean in zip(numbers, means, strict=True):
            assert column[groups == group].mean() == pytest.approx(mean, rel=1e-14)


def test_a_constant_column_has_no_say() -> None:
    """A column of one number is at distance 0 from itself, and stays."""
    numbers = np.array([1.0, 9.0, 2.0, 8.0])
    made = Microaggregation(("a", "b"), 2).perturb([numbers, np.full(4, 3.0)], [])
    assert [one.tolist() for one in made] == [[1.5, 8.5, 1.5, 8.5], [3.0] * 4]


def test_fewer_records_than_a_group_are_refused() -> None:
    """As many records as k are a group; fewer are none."""
    Microaggregation(("x",), 3).check([np.arange(3.0)], 1.0)
    with pytest.raises(UsageError, match="2 records have a value"):
        Microaggregation(("x",), 3).check([np.arange(2.0)], 1.0)


# ── rounding ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("step", ["1", "0.01", "0.1", "0.15", "0.25", "5", "1000", "0.3"])
def test_rounding_is_that_of_fractions(step: str) -> None:
    """Numbers in the middle go to the even multiple, as exact fractions do."""
    exact = Fraction(step)
    texts = [f"{part / 1000:.3f}" for part in range(-1000, 3000)] + [f"{part / 100:.2f}" for part in range(-700, 700)]
    (made,) = Rounding("x", exact).perturb([np.array(texts, np.float64)], [])
    assert made.tolist() == [float(round(Fraction(text) / exact) * exact) for text in texts]


# ── coding ───────────────────────────────────────────────────────────────────────────────────────


def test_coding_by_mean_keeps_the_mean() -> None:
    """The numbers beyond a bound bear their own mean; the others stay, and so does the mean of all."""
    numbers = np.array([1.0, 2, 3, 50, 60, 70, 200, 300, 500])
    (made,) = Coding("x", Fraction(10), Fraction(100), "mean").perturb([numbers], [])
    assert made.tolist() == [2, 2, 2, 50, 60, 70, 1000 / 3, 1000 / 3, 1000 / 3]
    (same,) = Coding("x", top=Fraction(500), by="mean").perturb([numbers], [])
    assert same.tolist() == numbers.tolist()


def test_a_number_on_a_bound_is_not_beyond_it() -> None:
    """The mean is of the numbers beyond the bound; one that lies on it stays."""
    numbers = np.array([8.0, 9, 9, 10, 50, 100, 101, 102, 103])
    (made,) = Coding("x", Fraction(10), Fraction(100), "mean").perturb([numbers], [])
    assert made.tolist() == [26 / 3, 26 / 3, 26 / 3, 10, 50, 100, 102, 102, 102]


def test_a_mean_of_few_is_refused() -> None:
    """The mean of one or two tells one of them the other's number; that of three, or of nobody, does not."""
    coding = Coding("x", top=Fraction(10), by="mean")
    for few in (1, 2):
        with pytest.raises(UsageError, match="fewer than 3 records"):
            coding.check([np.concatenate((np.zeros(5), np.full(few, 11.0)))], 1.0)
    coding.check([np.array([11.0, 12.0, 13.0])], 1.0)
    coding.check([np.array([10.0])], 1.0)


def test_a_bound_that_cannot_be_written_is_refused() -> None:
    """A bound has no more decimals than the column; of means this is not asked."""
    with pytest.raises(UsageError, match="more decimals"):
        Coding("x", bottom=Fraction("0.55")).check([np.arange(3.0)], 0.1)
    Coding("x", bottom=Fraction("0.5")).check([np.arange(3.0)], 0.1)
    Coding("x", bottom=Fraction("0.55"), by="mean").check([np.arange(1.0, 4)], 0.1)


# ── post-randomization ───────────────────────────────────────────────────────────────────────────


def test_post_randomization_is_invariant() -> None:
    """The counts, times the exact transition matrix, are the counts; each row of it is a distribution."""
    for keep in (Fraction(0), Fraction(1, 2), Fraction(8, 10)):
        counts = stream(8).integers(1, 50, 7)
        matrix = PostRandomization("x", keep).transitions(counts)
        np.testing.assert_allclose(counts @ matrix, counts, rtol=1e-14)
        np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=1e-14)
        exact = [[keep * (i == j) + (1 - keep) * Fraction(int(n), int(counts.sum())) for j, n in enumerate(counts)]
                 for i in range(7)]  # fmt: skip
        np.testing.assert_allclose(matrix, np.array(exact, np.float64), rtol=1e-14)


def test_names_are_drawn_by_the_matrix() -> None:
    """How often each name became each other is as the matrix says, within five standard deviations."""
    counts = np.array([60_000, 30_000, 10_000])
    codes = np.repeat(np.arange(3), counts)
    asked = PostRandomization("x", Fraction(6, 10))
    made = asked.redraw(codes, counts, stream(9))
    found = np.zeros((3, 3))
    np.add.at(found, (codes, made), 1)
    matrix = asked.transitions(counts)
    sigma = np.sqrt(counts[:, None] * matrix * (1 - matrix))
    assert (np.abs(found - counts[:, None] * matrix) < 5 * sigma).all()


# ── parameters and names ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (lambda: RankSwapping("x", Fraction(0)), "share"),
        (lambda: RankSwapping("x", Fraction(3, 2)), "share"),
        (lambda: RankSwapping("x", 0.05), "share"),  # type: ignore[arg-type]
        (lambda: Microaggregation(("x",), 1), "k"),
        (lambda: Microaggregation(("x",), k=True), "k"),
        (lambda: Microaggregation(("x",), 3.0), "k"),  # type: ignore[arg-type]
        (lambda: Microaggregation(()), "columns"),
        (lambda: Microaggregation(("x", "x")), "columns"),
        (lambda: Rounding("x", Fraction(0)), "step"),
        (lambda: Rounding("x", Fraction(1, 3)), "step"),
        (lambda: Rounding("x", 0.5), "step"),  # type: ignore[arg-type]
        (lambda: Coding("x"), "top"),
        (lambda: Coding("x", top=Fraction(1, 3)), "top"),
        (lambda: Coding("x", Fraction(2), Fraction(2)), "bottom"),
        (lambda: Coding("x", top=1.5), "top"),  # type: ignore[arg-type]
        (lambda: Coding("x", top=Fraction(1), by="median"), "by"),
        (lambda: PostRandomization("x", Fraction(1)), "keep"),
        (lambda: PostRandomization("x", Fraction(-1)), "keep"),
        (lambda: PostRandomization("x", 0.8), "keep"),  # type: ignore[arg-type]
    ],
)
def test_bad_parameters(make: object, where: str) -> None:
    """What cannot be meant is refused at its name."""
    with pytest.raises(UsageError) as caught:
        make()  # type: ignore[operator]
    assert caught.value.where == where


def test_what_they_say_of_themselves() -> None:
    """Names, bounds, decimals and kinds are those of the methods."""
    methods = [
        RankSwapping("x"),
        Microaggregation(("x", "y")),
        Microaggregation(("x",)),
        Rounding("x", Fraction("0.25")),
        Coding("x", Fraction(1), Fraction(5)),
        Coding("x", top=Fraction(5), by="mean"),
        PostRandomization("x"),
    ]
    assert [one.name for one in methods] == [
        "rank swapping within 0.05 of the ranks",
        "microaggregation in groups of 3 over 2 columns",
        "microaggregation in groups of 3",
        "rounding to multiples of 0.25",
        "bottom coding below 1 and top coding above 5",
        "top coding above 5 by their mean",
        "post-randomization that keeps 0.8",
    ]
    assert [one.random for one in methods] == [True, False, False, False, False, False, True]
    assert [one.numeric for one in methods] == [True] * 6 + [False]
    assert [one.decimals for one in methods] == [None, None, None, 2, None, None, None]
    endless = (-math.inf, math.inf)
    assert [one.bounds for one in methods] == [endless] * 4 + [(1, 5)] + [endless] * 2
    assert {one.columns for one in methods} == {("x",), ("x", "y")}
    assert not any(one.keeps_moments for one in methods)


def test_a_method_does_one_of_two() -> None:
    """Asking a method of names for numbers, or the other way round, is a mistake in kohort."""
    for mistaken in (
        lambda: PostRandomization("x").perturb([np.arange(2.0)], [stream()]),
        lambda: Rounding("x", Fraction(1)).redraw(np.arange(2), np.ones(2, np.int64), stream()),
    ):
        with pytest.raises(TypeError, match="not a method for"):
            mistaken()


def test_runs_descend_into_the_middle() -> None:
    """Groups are runs: sorted by size, no two overlap."""
    numbers = np.sort(stream(2).normal(size=50))
    groups = runs(numbers, 4)
    assert sum(one != other for one, other in pairwise(groups.tolist())) == len(set(groups.tolist())) - 1
