"""The parts of a column that the public is told of."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import kohort
from kohort import Attribute, Coherence, Drawn, Hierarchy, Job, KAnonymity, Listed, Role, Schema, TransactionJob
from kohort.assessment.comparison.reading import released_line
from kohort.io import read
from kohort.report.page import Audience, page
from kohort.transactions.report.page import transactions_page
from kohort.transactions.roles import Draw
from tests.jobs import freely


def bins(cells: list[str], schema: Schema | None = None, k: int = 5) -> object:
    """The public distribution of a column beside an age that everybody shares: label, kind, share."""
    table = pl.DataFrame({"age": ["30"] * len(cells), "pay": cells})
    job = freely(Job.of(schema or Schema.of(quasi=["age"], sensitive=["pay"]), KAnonymity(k)))
    model: dict[str, Any] = page(kohort.anonymize(table, job), audience=Audience.PUBLIC).as_json()
    (pay,) = (one for one in model["attributes"] if one["name"] == "pay")
    told = pay["distribution"]
    return told and [(bar["label"], bar["kind"], bar["after"]) for bar in told["bins"]]


def test_intervals_are_open_where_the_numbers_end() -> None:
    """Neither the least nor the greatest number is told, and an interval of a few goes with its neighbours."""
    cells = [str(pay) for pay in [1234] * 6 + [1734] * 2 + [2234] * 7 + [2734] * 5]
    assert bins(cells, k=5) == [
        ("<1300", "interval", 0.25),
        *_empty(1300, 1700),
        ("[1700-2300)", "interval", 0.25),
        *_empty(2300, 2700),
        (">=2700", "interval", 0.25),
    ]


def _empty(low: int, high: int) -> list[tuple[str, str, float]]:
    """Intervals of 100 in which nobody is."""
    return [(f"[{start}-{start + 100})", "interval", 0.0) for start in range(low, high, 100)]


def test_all_numbers_in_one_part_tell_nothing() -> None:
    """Where no cut leaves enough people on both sides; beside people without a number they are any number."""
    assert bins([str(1000 + 37 * row) for row in range(9)]) is None
    assert bins([str(1000 + 37 * row) for row in range(9)] + [""] * 6) == [
        ("*", "interval", pytest.approx(1 / 3)),
        ("", "missing", pytest.approx(1 / 3)),
    ]


@pytest.mark.parametrize(("gaps", "expected"), [(3, None), (5, ("", "missing", 0.25))])
def test_people_without_a_number_are_told_where_they_are_enough(gaps: int, expected: object) -> None:
    """A few cannot go with anybody: then nothing is told of the column."""
    found: Any = bins([""] * gaps + [str(1000 + 37 * row) for row in range(20 - gaps)])
    assert (found and found[-1]) == expected


def test_numbers_of_a_few_people_are_not_told() -> None:
    """A column in which fewer than k have a number has no part at all."""
    assert bins(["1234", "4567", *[""] * 18]) is None


@pytest.mark.parametrize("hierarchy", ["suppress", "frequency:5", None])
def test_values_are_not_told(hierarchy: str | None) -> None:
    """Where there is no level between leaves and root, or nodes were made from frequencies, nothing is told."""
    schema = Schema((Attribute("age", Role.QUASI), Attribute("pay", Role.QUASI, hierarchy=hierarchy)))
    assert bins(["x1", "x2", "y1", "y2", "z"] * 6, schema) is None


def test_only_nodes_that_are_no_values_are_told() -> None:
    """A node that is called as a leaf is goes with the others."""
    rows = [["x1", "x", "*"], ["x2", "x", "*"], ["y1", "y", "*"], ["y2", "y", "*"], ["z", "z", "*"]]
    pay = Attribute("pay", Role.QUASI, hierarchy=Hierarchy.from_rows(rows))
    schema = Schema((Attribute("age", Role.QUASI), pay))
    assert bins(["x1", "x2", "y1", "y2", "z"] * 6, schema) == [
        ("x", "node", pytest.approx(1 / 3)),
        ("y", "node", pytest.approx(1 / 3)),
        ("", "others", pytest.approx(1 / 6)),
    ]


def test_nodes_of_a_few_go_with_the_others() -> None:
    """And where the others are a few, the smallest of the rest go there too; with nothing left, nothing is told."""
    pay = Attribute("pay", Role.QUASI, hierarchy=Hierarchy.from_rows([[f"{node}1", node, "*"] for node in "xyz"]))
    schema = Schema((Attribute("age", Role.QUASI), pay))
    assert bins(["x1"] * 4 + ["y1"] * 6 + ["z1"] * 10, schema) == [("z", "node", 0.5), ("", "others", 0.25)]
    assert bins(["x1"] * 4 + ["y1"] * 9, schema) is None


def test_ends_of_open_ranges_are_ends_of_the_labels() -> None:
    """A released column of ranges that are open on one side is one of numbers; one of sets is not."""
    column = read(pl.DataFrame({"age": ["<20", "[20-30)", ">=90", "*", "45"]}))["age"]
    line = released_line(column, Attribute("age", Role.QUASI), Role.QUASI, frozenset({""}))
    assert line is not None
    assert (line.numeric, line.of_dates, line.digits) == (True, False, 0)
    sets = read(pl.DataFrame({"age": ["{a, b}", "c"]}))["age"]
    assert released_line(sets, Attribute("age", Role.QUASI), Role.QUASI, frozenset({""})) is None
    assert released_line(sets, None, None, frozenset({""})) is None


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        (Listed(private=("pill",), public=("bread",)), "The private and the public items were listed."),
        (
            Drawn(delta=Fraction(1, 2), seed=7, draw=Draw.UNIFORM),
            "Drawn by lot: 50% of the items are public; the draw is uniform.",
        ),
    ],
)
def test_how_items_got_their_roles_is_told(roles: Listed | Drawn, said: str) -> None:
    """In a sentence that names no item."""
    baskets = [["bread", "milk"], ["bread", "pill"], ["bread", "milk"], ["milk"]] * 5
    job = TransactionJob(coherence=Coherence.of(h="0.9", k=2, p=1), roles=roles)
    release = kohort.anonymize_transactions(kohort.Transactions.of(baskets), job)
    model: dict[str, Any] = transactions_page(release, audience=Audience.PUBLIC).as_json()
    assert model["asked"]["roles"] == said
