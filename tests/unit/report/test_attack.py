"""Attacks on public pages: by somebody who has the release, does sums, and compares every figure with every other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import kohort
from kohort import Attribute, Job, KAnonymity, Mondrian, Role, Schema, SuppressionLimit
from kohort.algorithms.lattice.given import GivenNode
from kohort.report.page import Audience, page
from tests.command import kohort as run
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kohort import Release

K = 6


def told(release: Release) -> dict[str, Any]:
    """The public page model."""
    return page(release, audience=Audience.PUBLIC).as_json()


def on_levels(rows: Sequence[tuple[str, str, str, str]], *, person: bool) -> Release:
    """A release on given levels, which leaves small classes out."""
    table = pl.DataFrame(rows, schema=["id", "age", "city", "pay"], orient="row")
    schema = Schema(
        (
            Attribute("id", Role.IDENTIFYING),
            Attribute("age", Role.QUASI, hierarchy="intervals:0..100:5,25"),
            Attribute("city", Role.QUASI, hierarchy=kohort.Hierarchy.from_rows([[x, y, "*"] for x, y in CITIES])),
            Attribute("pay", Role.SENSITIVE),
        ),
        person="id" if person else None,
    )
    algorithm = GivenNode((2, 1), limit=SuppressionLimit.of("50%"))
    return kohort.anonymize(table, freely(Job.of(schema, KAnonymity(K), algorithm=algorithm)))


CITIES = [("Bari", "South"), ("Lecce", "South"), ("Milan", "North"), ("Pavia", "North"), ("Trento", "Alps")]


def population(records: int = 40) -> list[tuple[str, str, str, str]]:
    """Records that all stay: ages below 25 or not, in the south or the north."""
    return [(f"p{row}", str(10 + row % 29), CITIES[row % 4][0], str(1000 + 37 * row)) for row in range(records)]


@pytest.mark.parametrize("person", [False, True])
def test_pages_do_not_tell_how_few_were_left_out(*, person: bool) -> None:
    """Whoever has the release cannot tell by any figure whether one record was left out or k - 1 were."""
    models = [
        told(on_levels([*population(), *[(f"q{row}", "31", "Trento", "1037") for row in range(gone)]], person=person))
        for gone in range(1, K)
    ]
    assert [model["done"]["records"] for model in models] == [None] * (K - 1)
    assert all(model == models[0] for model in models)


def test_people_of_whom_a_few_records_were_left_out_do_not_show() -> None:
    """Nor how many records of theirs were left out, where these are of fewer than k people."""
    more = [[(f"q{row % 2}", "31", "Trento", "1037") for row in range(2 * gone)] for gone in (1, 2)]
    models = [told(on_levels([*population(), *rows], person=True)) for rows in more]
    assert all(model == models[0] for model in models)


@pytest.mark.parametrize("twice", [0, 1, K - 1, K])
def test_few_people_with_several_records_are_not_counted(twice: int) -> None:
    """Records less people are at least those with several: few of them are not told, in the table or the release."""
    rows = [*population(), *population()[:twice]]
    model = told(on_levels(rows, person=True))
    expected = 40 if twice in {0, K} else None
    assert model["done"]["people"] == expected
    assert model["risks"]["before"] is None
    assert model["risks"]["after"]["people"] == expected


def test_two_roundings_of_a_count_do_not_meet() -> None:
    """A share of people is that of their count as it is told: multiplied, it says no more than the count."""
    for records in (37, 64, 101):
        rows = [(str(20 + row * row % 41), str(1000 + 37 * row), "mf"[row % 3 == 0]) for row in range(records)]
        table = pl.DataFrame(rows, schema=["age", "pay", "sex"], orient="row")
        schema = Schema.of(quasi=["age", "sex"], sensitive=["pay"])
        model = told(kohort.anonymize(table, freely(Job.of(schema, KAnonymity(K), algorithm=Mondrian()))))
        parts = [part for one in model["attributes"] if one["distribution"] for part in one["distribution"]["bins"]]
        assert parts
        risk = model["risks"]["after"]
        shares = [*(part["after"] for part in parts), risk["uniques_share"], risk["prosecutor"]["over"]]
        people = [share * records for share in shares if share is not None]
        assert [count for count in people if abs(count - K * round(count / K)) > 1e-6] == []


def test_few_transactions_that_lost_items_are_not_told(tmp_path: Path) -> None:
    """Nor does any figure of a page of transactions tell whether one lost rare items or k - 1 did."""
    rare = " ".join(f"x{item}" for item in range(60))
    models: list[dict[str, Any]] = []
    for lost in range(1, K):
        (tmp_path / "in.dat").write_text(
            f"a b {rare}\n" * lost + "a b\n" * (40 - lost) + "b c e\nb c\n" * 20, encoding="utf-8"
        )
        ran = run(
            *("transactions", tmp_path / "in.dat", "--out", tmp_path / "out.dat", "--private", "e", "--overwrite"),
            *("--h", "0.6", "--k", K, "--p", "1", "--report", tmp_path / "page.json", "--audience", "public"),
        )
        assert ran.status == 0, ran.err
        models.append(json.loads((tmp_path / "page.json").read_text("utf-8")))
    assert models[0]["done"]["cells"] is None
    assert all(model == models[0] for model in models)
