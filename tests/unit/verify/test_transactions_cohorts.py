"""The cohorts that verification counts anew are those of the definition."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.transactions.database import Transactions
from kohort.verify.transactions.cohorts import Cohorts, count_cohorts


def plainly(database: Transactions, public: list[int], private: list[int], p: int) -> Cohorts:
    """The same by looking at every transaction for every set."""
    rows = [frozenset(one) for one in database.sets()]
    names = [database.names[item] for item in public]
    sizes = range(min(p, len(names)) + 1)
    found: list[tuple[int, int]] = []
    for known in (frozenset(one) for size in sizes for one in combinations(names, size)):
        cohort = [row for row in rows if known <= row]
        most = max((sum(database.names[item] in row for row in cohort) for item in private), default=0)
        if cohort:
            found.append((len(cohort), most))
    support, most = max(found, key=lambda one: one[1] / one[0])
    return Cohorts(len(found), min(size for size, _ in found), most, support)


@st.composite
def databases(draw: st.DrawFn) -> tuple[Transactions, list[int], list[int]]:
    """A database with at least one transaction, its public items and its private ones."""
    names = [str(number) for number in range(draw(st.integers(1, 8)))]
    rows = draw(st.lists(st.sets(st.sampled_from(names)), min_size=1, max_size=24))
    database = Transactions.of(rows)
    kinds = draw(st.lists(st.sampled_from("PPPSSN"), min_size=8, max_size=8))
    public, private = ([item for item in range(len(database.names)) if kinds[item] == kind] for kind in "PS")
    return database, public, private


def counted(database: Transactions, public: list[int], private: list[int], p: int, least: int = 1) -> Cohorts:
    """What verification counts."""
    items = np.arange(len(database.names))
    return count_cohorts(database, np.isin(items, public), np.isin(items, private), p=p, least=least)


@given(databases(), st.integers(1, 9))
def test_every_set_is_counted(drawn: tuple[Transactions, list[int], list[int]], p: int) -> None:
    """Sets, smallest cohort and greatest share are those that looking at every transaction gives."""
    sets, smallest, together, support = counted(*drawn, p)
    plain = plainly(*drawn, p)
    assert (sets, smallest) == (plain.sets, plain.smallest)
    assert together * plain.support == plain.together * support


@pytest.mark.parametrize("together", list(permutations((1, 2, 3))))
def test_the_commonest_private_item_counts(together: tuple[int, ...]) -> None:
    """Of several in a cohort the one in most transactions, whichever is met first or last."""
    rows = [["tea", secret] for secret, times in zip("xyz", together, strict=True) for _ in range(times)]
    database = Transactions.of([*rows, *([["jam"]] * 6)])
    assert counted(database, [0, 1], [2, 3, 4], 1) == Cohorts(3, 6, 3, 6)


@given(databases(), st.integers(1, 4), st.integers(2, 6))
def test_it_stops_at_a_cohort_that_is_too_small(
    drawn: tuple[Transactions, list[int], list[int]], p: int, least: int
) -> None:
    """A smallest cohort below the least is found exactly where there is one."""
    assert (counted(*drawn, p, least).smallest < least) is (plainly(*drawn, p).smallest < least)


def test_no_transactions() -> None:
    """Without a transaction not even the empty set occurs, and nothing can be inferred."""
    assert counted(Transactions.of([]), [], [], 3) == Cohorts(0, 0, 0, 1)


@pytest.mark.parametrize("rows", [[[], []], [["0"], []]])
def test_no_public_item(rows: list[list[str]]) -> None:
    """Where no public item occurs only the empty set does."""
    database = Transactions.of(rows)
    assert counted(database, [], list(range(len(database.names))), 3).sets == 1


def test_transactions_alike_in_many_ways() -> None:
    """Groups that fall on one another in the hash table are told apart: 300 different ones are 300 cohorts and more."""
    rows = [[str(first), str(300 + first % 7), "700"] for first in range(300)]
    database = Transactions.of(rows)
    items = [item for item, name in enumerate(database.names) if name != "700"]
    assert counted(database, items, [len(database.names) - 1], 2) == Cohorts(1 + 300 + 7 + 300, 1, 300, 300)
