"""Measures that a draft rounds, so that a run takes its job."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import kohort
from kohort.errors import SourceNote
from kohort.io import read
from kohort.job.draft import protection
from kohort.job.draft.protection import roundings_of
from kohort.tables.perturbing import perturbed
from kohort.tables.table import Column, Table
from kohort.verify.singling import singled_out

if TYPE_CHECKING:
    from kohort.assessment.risk.singling import RoundingProposal
    from kohort.job.draft import Draft


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


def released(table: Table, found: dict[str, RoundingProposal]) -> list[Column]:
    """The columns as they are released."""
    methods = [one.method(name) for name, one in found.items()]
    return [*perturbed(table, methods, missing=frozenset({""}), seed=None).columns]


def test_two_that_single_out_together_are_both_rounded(stays: Table) -> None:
    """No pair of what is released singles out most, a column that is in no such pair stays as it is."""
    assert most([*stays.columns]) == [{"nights", "price"}]
    found, left = roundings_of(stays, stays.names, ["nights", "price"], k=10)
    assert ({*found}, left) == ({"nights", "price"}, ())
    assert most(released(stays, found)) == []
    assert all(one.spread < 0.3 for one in found.values())


def test_a_number_is_rounded_more_beside_one_that_is_none() -> None:
    """A code is never rounded: where a number singles out most together with it, the number is rounded for both."""
    random = np.random.default_rng(9)
    cost, code = (random.integers(0, most, 600).tolist() for most in (100_000, 40))
    table = table_of(cost=cost, code=code)
    alone, _ = roundings_of(table, ["cost"], ["cost"], k=10)
    together, _ = roundings_of(table, table.names, ["cost"], k=10)
    assert together.keys() == {"cost"}
    assert together["cost"].step > alone["cost"].step
    assert not most(released(table, together))


def test_what_no_rounding_helps_is_left() -> None:
    """Names are not rounded, nor is a table touched of which nothing is unique."""
    names = table_of(one=[f"a{place % 30}" for place in range(400)], other=[f"b{place // 14}" for place in range(400)])
    assert most([*names.columns]) == [{"one", "other"}]
    assert roundings_of(names, names.names, names.names, k=10) == ({}, ())
    few = table_of(one=[1, 2] * 50, other=[3, 3, 4, 4] * 25)
    assert roundings_of(few, few.names, few.names, k=10) == ({}, ())


def test_people_are_counted(stays: Table) -> None:
    """Whose records are all alike is found by two columns, too, though each record has a twin."""
    twice = np.repeat(np.arange(400), 2)
    again = Table(tuple(Column(one.name, one.values, one.codes[twice], one.dtype) for one in stays.columns), 800)
    assert roundings_of(again, again.names, again.names, k=10) == ({}, ())
    found, _ = roundings_of(again, again.names, again.names, k=10, people=twice.astype(np.int64))
    assert found.keys() == roundings_of(stays, stays.names, stays.names, k=10)[0].keys()


def test_of_too_many_columns_no_pairs_are_looked_at(stays: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run refuses them by themselves."""
    monkeypatch.setattr(protection, "MOST_COLUMNS", 1)
    assert roundings_of(stays, ["nights", "price"], ["nights"], k=10) == ({}, ())


# ── drafts ───────────────────────────────────────────────────────────────────────────────────────


def drafted(records: int = 900, /, **columns: list[str]) -> Draft:
    """A draft of people of some age, with further columns."""
    random = np.random.default_rng(1)
    frame = {"age": random.integers(20, 70, records).astype(str).tolist(), **columns}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SourceNote)
        return kohort.draft(pl.DataFrame(frame))


def amounts(records: int = 900, seed: int = 2, mean: float = 8) -> list[str]:
    """Amounts, all different."""
    return [f"{one:.2f}" for one in np.exp(np.random.default_rng(seed).normal(mean, 0.5, records))]


def test_a_draft_rounds_its_numbers_together_and_a_run_takes_it() -> None:
    """At most 5 % are unique by both incomes in the release, and the ends have k people."""
    draft = drafted(income=amounts(), bonus=amounts(seed=3, mean=6))
    assert draft.roundings.keys() == {"income", "bonus"}
    made = kohort.anonymize(
        pl.DataFrame({"age": ["30"] * 900, "income": amounts(), "bonus": amounts(seed=3, mean=6)}), draft.job()
    )
    assert isinstance(made, kohort.Release)
    cells = made.table["income"].cells().cast(float).to_numpy()
    assert min(int((cells == cells.min()).sum()), int((cells == cells.max()).sum())) >= 10
    pairs = (
        pl.DataFrame({one: made.table[one].cells() for one in ("income", "bonus")}).group_by("income", "bonus").len()
    )
    assert 20 * int((pairs["len"] == 1).sum()) <= 900


def test_a_draft_stops_where_no_rounding_is_enough() -> None:
    """The numbers that cannot stay are undecided, with what to do; the job does not run until that is decided."""
    columns = {f"income_{place}": amounts(300, place) for place in range(4)}
    draft = drafted(300, **columns)
    assert draft.undecided
    (told,) = {guess.reasons[0].partition(":")[2] for guess in draft.guesses if guess.role == "undecided"}
    assert told == " drop it, make it quasi-identifying, or round it more (--perturb)"
    with pytest.raises(kohort.JobError):
        draft.job()
    assert draft.job(drop=[*draft.undecided]).perturbations


@pytest.mark.parametrize(
    "name", ["finalwgt", "sample_weight", "pond", "Poids final", "peso_pop", "pwgtp12", "Hochrechnungsfaktor"]
)
def test_a_weight_is_rounded_or_dropped(name: str) -> None:
    """It is never generalized, and goes first where the numbers are too many together."""
    draft = drafted(**{name: amounts()})
    assert [guess.role for guess in draft.guesses] == ["quasi", "insensitive"]
    assert draft.roundings.keys() == {name}
    crowded = drafted(300, income=amounts(300, 5), **{name: amounts(300), f"{name}2": amounts(300, 7)})
    roles = {guess.name: guess.role for guess in crowded.guesses}
    assert roles == {"age": "quasi", "income": "sensitive", name: "drop", f"{name}2": "drop"}


@pytest.mark.parametrize(
    ("name", "cells", "role"),
    [
        ("poids", amounts(), "insensitive"),
        ("wgt", (np.random.default_rng(0).normal(1, 0.2, 900).clip(0.1)).round(4).astype(str).tolist(), "insensitive"),
        ("weight", np.random.default_rng(0).normal(75, 12, 900).round(1).astype(str).tolist(), "quasi"),
        ("gewicht", np.random.default_rng(0).normal(3400, 400, 900).round().astype(int).astype(str).tolist(), "quasi"),
        ("peso", np.random.default_rng(0).integers(50, 110, 900).astype(str).tolist(), "quasi"),
    ],
)
def test_a_weight_of_a_body_is_none_of_a_survey(name: str, cells: list[str], role: str) -> None:
    """Kilograms, pounds and grams of newborns stay what others can see; shares around 1, and people, are weights."""
    assert drafted(**{name: cells}).guesses[1].role == role


def test_codes_are_no_quantities() -> None:
    """A trade's number is not rounded, though its cells are whole numbers; the hours worked in it are."""
    random = np.random.default_rng(6)
    codes, hours = random.integers(1000, 9999, 900).astype(str), random.integers(1, 60, 900).astype(str)
    guesses = {one.name: one for one in kohort.inspect(pl.DataFrame({"isco": codes, "job_hours": hours, "zip": codes}))}
    assert [guesses[name].quantity for name in ("isco", "job_hours", "zip")] == [False, True, False]
