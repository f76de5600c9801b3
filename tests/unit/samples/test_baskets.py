"""Generated transactions are distributed as declared, and each is a function of the seed and its number."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from math import exp, factorial, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import UsageError
from kohort.samples.baskets import Market

if TYPE_CHECKING:
    from kohort.arrays import Counts

TRANSACTIONS, ITEMS, LENGTH = 20_000, 400, 6.5


@pytest.fixture(scope="module")
def market() -> Market:
    """One market for all that only look at it."""
    return Market.of(seed=11, items=ITEMS, length=LENGTH, patterns=60, pattern_length=3)


@pytest.fixture(scope="module")
def sets(market: Market) -> list[list[int]]:
    """Its transactions, read from their lines."""
    text = b"".join(batch.text() for batch in market.batches(TRANSACTIONS))
    return [list(map(int, line.split(b" "))) for line in text.splitlines()]


@pytest.fixture(scope="module")
def supports(sets: list[list[int]]) -> Counts:
    """(ITEMS,) the transactions that contain each item."""
    return np.bincount(np.concatenate(sets), minlength=ITEMS)


def test_a_transaction_is_a_set_of_items(sets: list[list[int]]) -> None:
    """As many as asked for; items ascend, none is twice, and every one is among those declared."""
    assert len(sets) == TRANSACTIONS
    assert all(a < b for one in sets for a, b in pairwise(one))
    assert min(map(min, sets)) >= 0
    assert max(map(max, sets)) < ITEMS


def test_lengths_are_poisson(sets: list[list[int]]) -> None:
    """Each length has the odds of 1 + Poisson, within seven standard deviations; so the mean is the one declared."""
    lengths = np.array([len(one) for one in sets])
    mean = LENGTH - 1
    for length in range(1, 20):
        share = exp(-mean) * mean ** (length - 1) / factorial(length - 1)
        assert abs((lengths == length).sum() - TRANSACTIONS * share) < 7 * sqrt(TRANSACTIONS * share) + 1
    assert lengths.min() == 1
    assert abs(lengths.mean() - LENGTH) < 7 * sqrt(mean / TRANSACTIONS)


def test_supports_are_heavy_tailed(supports: Counts) -> None:
    """Every item occurs; a tenth of them make up most cells, and the most popular one is in a third of transactions."""
    assert supports.min() > 0
    assert np.sort(supports)[-ITEMS // 10 :].sum() > supports.sum() / 2
    assert supports.argmax() == 0
    assert supports[0] > TRANSACTIONS / 3
    assert np.median(supports) < supports.mean() / 2


def test_items_of_no_pattern_have_the_odds_of_their_rank(market: Market, supports: Counts) -> None:
    """They come as replacements alone, so that item i occurs in proportion to 1/(i + 1)."""
    within = {int(item) for row, size in zip(market.patterns, market.sizes, strict=True) for item in row[:size]}
    outside = np.array([item for item in range(20, ITEMS) if item not in within])
    odds = 1 / (outside + 1)
    expected = odds * (supports[outside].sum() / odds.sum())
    deviations = (supports[outside] - expected) ** 2 / expected
    freedom = outside.size - 1
    assert freedom > 200
    assert deviations.sum() < freedom + 7 * sqrt(2 * freedom)


def test_patterns_are_bought_together(market: Market, sets: list[list[int]], supports: Counts) -> None:
    """The two rarest items of a pattern that is often chosen meet far more often than independent ones would."""
    odds = np.diff(market.chosen.bounds, prepend=np.uint64(0)).astype(float)
    faithful = odds * (market.sizes >= 2) * (1 - market.corruption / 2**48) ** 2
    row = int(faithful.argmax())
    a, b = sorted(market.patterns[row, : market.sizes[row]].tolist())[-2:]
    together = sum(a in one and b in one for one in sets)
    assert together > 2 * supports[a] * supports[b] / TRANSACTIONS


def test_patterns_share_items_with_the_one_before() -> None:
    """An exponential part of mean 1/2, cut to the whole: 43 % of a pattern, and popular items that are in both."""
    market = Market.of(seed=3, items=100_000, patterns=3_000, pattern_length=10)
    rows = [set(row[:size].tolist()) for row, size in zip(market.patterns, market.sizes, strict=True)]
    sizes = np.array([len(row) for row in rows])
    assert sizes.tolist() == market.sizes.tolist()
    assert abs(sizes.mean() - 10) < 7 * sqrt(9 / 3_000)
    shared = np.mean([len(row & before) / len(row) for before, row in pairwise(rows)])
    assert 0.43 < shared < 0.60


def test_corruption_is_normal_and_cut() -> None:
    """Half of the patterns lose more than half; those beyond 0 or 1 are cut: a normal distribution of variance 0.1."""
    levels = Market.of(seed=3, items=100, patterns=5_000, pattern_length=1).corruption / 2**48
    within = 7 * sqrt(0.25 / 5_000)
    assert abs((levels > 0.5).mean() - 0.5) < within
    assert abs((levels > 0.5 + sqrt(0.1)).mean() - 0.1587) < within
    assert abs((levels == 0).mean() - 0.0569) < within
    assert abs((levels == 1).mean() - 0.0569) < within


def test_few_patterns_that_lose_nothing_end() -> None:
    """Where the patterns have fewer items than a transaction, and keep them all, the rest is drawn from all items."""
    market = Market.of(seed=3, items=20, length=10, patterns=1, pattern_length=1)
    kept = replace(market, corruption=np.zeros(1, np.uint64))
    lengths = [len(line.split()) for line in next(kept.batches(50)).text().splitlines()]
    assert max(lengths) > 10
    assert kept.sizes.tolist() < [max(lengths)]


@given(
    seed=st.integers(0, 2**130),
    transactions=st.integers(0, 150),
    batch=st.integers(1, 60),
    items=st.integers(1, 40),
    patterns=st.integers(1, 9),
)
def test_batches_do_not_matter(seed: int, transactions: int, batch: int, items: int, patterns: int) -> None:
    """Batches of any size are the same lines, and fewer transactions are the first of more; a seed decides all."""

    def lines(number: int, size: int | None) -> bytes:
        half = max(1, items / 2)
        market = Market.of(seed=seed, items=items, length=min(5, half), patterns=patterns, pattern_length=min(3, half))
        pieces = list(market.batches(number, batch=size))
        assert all(len(piece) == size for piece in pieces[:-1]) or size is None
        return b"".join(piece.text() for piece in pieces)

    whole = lines(transactions, None)
    assert whole.count(b"\n") == transactions
    assert lines(transactions, batch) == whole
    assert lines(transactions + 9, batch).startswith(whole)


def test_another_seed_gives_other_transactions() -> None:
    """Neither the first transactions nor the patterns of two seeds are the same."""
    texts = {next(Market.of(seed=seed).batches(20)).text() for seed in range(5)}
    assert len(texts) == 5
    patterns = {Market.of(seed=seed).patterns.tobytes() for seed in range(5)}
    assert len(patterns) == 5


def test_known_first_transactions() -> None:
    """The transactions of a seed stay the same from version to version, since papers and benchmarks will quote them."""
    assert next(Market.of(seed=7).batches(2)).text() == b"2 4 5 7 9 16 124 134 775 782\n0 4 68 447 554 678 703\n"


@pytest.mark.parametrize("items", [1, 2, 3])
def test_markets_may_be_tiny(items: int) -> None:
    """Lengths never exceed the items there are, and where there is one, every transaction is that one."""
    length = max(1, items / 2)
    (baskets,) = Market.of(seed=1, items=items, length=length, patterns=1, pattern_length=length).batches(
        500, batch=500
    )
    assert set(baskets.cells.tolist()) == set(range(items))
    assert np.diff(baskets.starts).max() == (3 if items == 3 else 1)


def test_transactions_differ(sets: list[list[int]]) -> None:
    """Successive transactions have nothing in common but what popularity and patterns give: few are equal."""
    assert len({tuple(one) for one in sets}) > TRANSACTIONS * 0.8
    equal = sum(a == b for a, b in combinations(sets[:200], 2))
    assert equal < 200


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seed": -1}, "seed must be from 0"),
        ({"items": 0}, "items must be from 1 to 10,000,000"),
        ({"items": 10_000_001}, "items must be from 1"),
        ({"length": 0.5}, "length must be from 1 to 500"),
        ({"length": 501}, "length must be from 1 to 500"),
        ({"length": float("nan")}, "length must be from 1"),
        ({"patterns": 0}, "patterns must be from 1"),
        ({"patterns": 5_000_000, "pattern_length": 3}, "pattern-length must be from 1 to 2"),
        ({"pattern_length": 0}, "pattern-length must be from 1 to 500"),
    ],
)
def test_impossible_markets_are_refused(wrong: dict[str, float], message: str) -> None:
    """A number out of its range is an error that names it and the range."""
    with pytest.raises(UsageError, match=message):
        Market.of(**{"seed": 1, **wrong})  # type: ignore[arg-type]


def test_impossible_batches_are_refused(market: Market) -> None:
    """A negative number of transactions and a batch of none are errors at the call, not at the first batch."""
    with pytest.raises(UsageError, match="transactions must be at least 0"):
        market.batches(-1)
    with pytest.raises(UsageError, match="batch must be at least 1"):
        market.batches(1, batch=0)
