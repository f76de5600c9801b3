"""Measures that a draft rounds, so that a run takes its job."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from kohort.assessment.risk.singling import rounded_column
from kohort.io import read
from kohort.job.draft import protection
from kohort.job.draft.protection import roundings_of
from kohort.tables.table import Column, Table
from kohort.verify.singling import singled_out


def table_of(**columns: list[int] | list[str]) -> Table:
    """A table of text."""
    return read(pl.DataFrame(columns).cast(pl.String))


@pytest.fixture
def stays() -> Table:
    """400 stays: nights, a price of few values, and a ward."""
    random = np.random.default_rng(4)
    nights, price, cents, ward = (random.integers(0, most, 400) for most in (30, 10, 4, 3))
    return table_of(nights=nights.tolist(), price=(100 * price + cents).tolist(), ward=ward.tolist())


def most(columns: list[Column], people: np.ndarray[tuple[int], np.dtype[np.int64]] | None = None) -> list[set[str]]:
    """The pairs for which a run refuses."""
    return [{*one.columns} for one in singled_out(columns, people) if len(one.columns) > 1 and one.most]


def test_of_two_that_single_out_together_the_one_that_changes_less_is_rounded(stays: Table) -> None:
    """By the smallest step that does; a column that is in no such pair stays as it is."""
    assert most([*stays.columns]) == [{"nights", "price"}]
    found = roundings_of(stays, stays.names)
    ((name, proposal),) = found.items()
    other = stays["price" if name == "nights" else "nights"]
    assert not most([rounded_column(stays[name], proposal.step), other])
    assert most([rounded_column(stays[name], proposal.step / 10), other])
    assert proposal.spread < 0.1


def test_one_that_is_rounded_for_itself_is_rounded_more() -> None:
    """Where with another it still singles out most."""
    random = np.random.default_rng(9)
    cost, nights = (random.integers(0, most, 600).tolist() for most in (100_000, 40))
    table = table_of(cost=cost, nights=nights)
    alone = roundings_of(table, ["cost"])["cost"]
    together = roundings_of(table, table.names)
    assert together.keys() == {"cost"}
    assert together["cost"].step > alone.step
    assert not most([rounded_column(table["cost"], together["cost"].step), table["nights"]])


def test_what_no_rounding_helps_is_left() -> None:
    """Names are not rounded, nor is a table touched of which nothing is unique."""
    names = table_of(one=[f"a{place % 30}" for place in range(400)], other=[f"b{place // 14}" for place in range(400)])
    assert most([*names.columns]) == [{"one", "other"}]
    assert roundings_of(names, names.names) == {}
    few = table_of(one=[1, 2] * 50, other=[3, 3, 4, 4] * 25)
    assert roundings_of(few, few.names) == {}


def test_people_are_counted(stays: Table) -> None:
    """Whose records are all alike is found by two columns, too, though each record has a twin."""
    twice = np.repeat(np.arange(400), 2)
    again = Table(tuple(Column(one.name, one.values, one.codes[twice], one.dtype) for one in stays.columns), 800)
    assert roundings_of(again, again.names) == {}
    found = roundings_of(again, again.names, people=twice.astype(np.int64))
    assert found.keys() == roundings_of(stays, stays.names).keys()


def test_of_too_many_columns_no_pairs_are_looked_at(stays: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run refuses them by themselves."""
    monkeypatch.setattr(protection, "MOST_COLUMNS", 2)
    assert roundings_of(stays, stays.names) == {}


def test_a_rounded_column_is_that_of_a_release() -> None:
    """Missing cells stay."""
    found = rounded_column(table_of(paid=["7", "NA", "21", "9"])["paid"], Fraction(10), frozenset({"NA"}))
    assert found.values.gather(found.codes).to_list() == ["10", "NA", "20", "10"]
