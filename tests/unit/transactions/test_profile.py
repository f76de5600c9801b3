"""A transaction database in numbers, against the plain definitions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import UsageError
from kohort.transactions.database import Transactions
from kohort.transactions.profile import PERCENTS, Spread, profile

SETS = st.lists(st.frozensets(st.sampled_from("abcdefghijkl"), max_size=6), max_size=30)


def plain_quantile(numbers: list[int], percent: int) -> int:
    """The least number that so many percent of all do not exceed."""
    return min(q for q in numbers if 100 * sum(number <= q for number in numbers) >= percent * len(numbers))


@given(numbers=st.lists(st.integers(0, 30), min_size=1, max_size=40))
def test_quantiles_are_numbers_that_occur(numbers: list[int]) -> None:
    """Each quantile is the least number that so many percent do not exceed; the outer ones are least and most."""
    spread = Spread.of(np.array(numbers))
    assert spread.mean == pytest.approx(mean(numbers), rel=1e-12)
    assert spread.quantiles == tuple(plain_quantile(numbers, percent) for percent in PERCENTS)
    assert (spread.quantiles[0], spread.quantiles[-1]) == (min(numbers), max(numbers))


@given(sets=SETS, h=st.fractions(0, 1, max_denominator=30))
def test_the_counts_are_those_of_the_definitions(sets: list[frozenset[str]], h: Fraction) -> None:
    """Transactions, items, cells, empty and unique ones, and items above h, counted one by one."""
    seen = profile(Transactions.of(sets), h)
    supports = Counter(item for one in sets for item in one)
    n, m, cells = len(sets), len(supports), sum(map(len, sets))
    assert (seen.transactions, seen.items, seen.cells, seen.h) == (n, m, cells, h)
    assert seen.density == (cells / (n * m) if m else 0)
    assert seen.empty == sum(not one for one in sets)
    assert seen.unique == sum(sets.count(one) == 1 for one in sets)
    assert seen.unique_share == (seen.unique / n if n else 0)
    assert seen.above == sum(Fraction(support, n) > h for support in supports.values())
    assert seen.above_share == (seen.above / m if m else 0)
    assert seen.lengths == Spread.of(np.array(list(map(len, sets)), np.int64))
    assert seen.supports == Spread.of(np.array(list(supports.values()), np.int64))


@given(sets=SETS)
def test_any_item_can_be_private_from_the_feasible_h_on(sets: list[frozenset[str]]) -> None:
    """At the feasible h no item is above, and just below it one is, unless nothing occurs at all."""
    database = Transactions.of(sets)
    feasible = profile(database, Fraction(1)).feasible_h
    assert profile(database, feasible).above == 0
    if database.cells.size:
        assert profile(database, feasible - Fraction(1, 10**30)).above > 0


def test_bands_are_powers_of_ten_and_what_lies_below() -> None:
    """Items of support 0, 1, 2 to 9, 10 to 99 …; every item is in one band, and bands without items are left out."""
    supports = [0, 0, 1, 2, 9, 10, 99, 1_000, 1_000]
    cells = np.repeat(np.arange(len(supports), dtype=np.int32), supports)
    names = tuple(map(str, range(len(supports))))
    database = Transactions(names, np.arange(cells.size + 1), cells)
    assert profile(database, Fraction(1)).bands == (
        (0, 0, 2),
        (1, 1, 1),
        (2, 9, 2),
        (10, 99, 2),
        (1_000, 9_999, 2),
    )


def test_nothing_at_all_has_a_profile() -> None:
    """Of no transactions every number is zero, and so of transactions of no items."""
    nobody = profile(Transactions.of([]), Fraction(0))
    assert nobody.transactions == nobody.items == nobody.density == nobody.feasible_h == 0
    assert nobody.bands == ()
    assert nobody.lengths == nobody.supports == Spread(0, (0,) * len(PERCENTS))
    empty = profile(Transactions.of([[], []]), Fraction(0))
    assert (empty.transactions, empty.empty, empty.unique, empty.density) == (2, 2, 0, 0)


@pytest.mark.parametrize("h", [Fraction(-1, 10), Fraction(11, 10)])
def test_h_is_a_share(h: Fraction) -> None:
    """Whatever is no share of the transactions is refused."""
    with pytest.raises(UsageError, match="share from 0 to 1"):
        profile(Transactions.of([["a"]]), h)
