"""Verification of full-domain releases: what is accepted, on hierarchies of every kind."""

from __future__ import annotations

import io
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import UsageError, VerificationError
from kohort.io.forms import Format
from kohort.io.typed import from_frame
from kohort.io.write import write
from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Attribute, Label, Missing, Role, Scale, Schema
from kohort.schema.hierarchy import Hierarchy
from kohort.verify import Claim, Verdict, verify
from tests.reference.frames import verify_frame
from tests.unit.verify.full_domain import HIERARCHIES, full_domain, label_of
from tests.unit.verify.people import PEOPLE, SCHEMA
from tests.unit.verify.test_verify import DISTINCT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.models.base import PrivacyModel

GOOD = full_domain()


def quasi(**what: object) -> Attribute:
    """A quasi-identifier called `a` that is released as a node."""
    return Attribute("a", Role.QUASI, label=Label.ANCESTOR, **what)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def judged(attribute: Attribute, cells: Sequence[str | None], level: int, labels: Sequence[str | None]) -> Verdict:
    """The verdict on a release of one column, the records in their order."""
    schema = Schema((attribute,), frozenset({"", "?"}))
    source = from_frame(pl.DataFrame({"a": pl.Series(cells, dtype=pl.String)}))
    claim = Claim(schema, (KAnonymity(2),), source, np.arange(len(labels)), levels={"a": level})
    claim = replace(claim, suppressed=len(cells) - len(labels))
    return verify_frame(pl.DataFrame({"a": pl.Series(labels, dtype=pl.String)}), claim)


# ── the claim ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("levels", [{"age": 1}, {"age": 1, "city": 1, "visits": 0}, {"age": 1, "illness": 0}])
def test_levels_of_other_columns(levels: dict[str, int]) -> None:
    """Levels are claimed of every quasi-identifier and of no other column."""
    with pytest.raises(UsageError, match="has a level for every quasi-identifier"):
        replace(GOOD.claim, levels=levels)


def test_levels_without_nodes() -> None:
    """Levels cannot be claimed of columns that are released otherwise than as nodes."""
    with pytest.raises(UsageError, match="as a node"):
        replace(GOOD.claim, schema=SCHEMA)


# ── what is left out ─────────────────────────────────────────────────────────────────────────────


@given(st.data())
def test_a_release_holds_the_classes_that_satisfy_the_models(data: st.DataObject) -> None:
    """With every label right, a release is accepted exactly if it holds all records of the classes that satisfy."""
    who = st.sampled_from([("38", "Milan"), ("31", "Turin"), ("24", "Rome"), ("", "Rome")])
    people = tuple((row[0], *data.draw(who), *row[3:]) for row in PEOPLE)
    levels = {"age": data.draw(st.integers(0, 3)), "city": data.draw(st.integers(0, 2))}
    everybody = full_domain(people, levels, k=1)
    classes: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, row in enumerate(everybody.rows):
        classes[row[:2]].append(place)
    k, diverse = data.draw(st.integers(2, 4)), data.draw(st.booleans())
    models: tuple[PrivacyModel, ...] = (KAnonymity(k), DISTINCT) if diverse else (KAnonymity(k),)
    right = {
        place
        for places in classes.values()
        if len(places) >= k and (not diverse or len({everybody.rows[place][2] for place in places}) > 1)
        for place in places
    }
    changed = data.draw(st.sets(st.integers(0, 15), max_size=3) | st.just(set(range(16))))
    kept = sorted(right ^ changed)
    release = replace(everybody.taking(kept), models=models, suppressed=16 - len(kept), limit=None)
    if changed:
        with pytest.raises(VerificationError, match=r"check (classes|suppression)"):
            release.verdict()
    else:
        assert release.verdict().checks.get("suppression", 0) == 16 - len(kept)


def test_large_classes_that_fail_for_another_reason() -> None:
    """A class may be left out for what is sensitive in it, be it ever so large."""
    people = tuple((*row[:3], "flu" if not row[1] else row[3], row[4]) for row in PEOPLE)
    whole = full_domain(people)
    models = (KAnonymity(3), DISTINCT)
    kept = [place for place, row in enumerate(whole.rows) if row[0]]
    release = replace(whole.taking(kept), models=models, suppressed=16 - len(kept), limit=9)
    assert release.verdict().suppressed == 9
    with pytest.raises(VerificationError, match=r"1 class \(4 records\) is left out"):
        replace(release, models=(KAnonymity(3),)).verdict()


def test_without_a_model_nothing_may_be_left_out() -> None:
    """Where no model is asked for, every class satisfies them all."""
    release = replace(GOOD, models=(), limit=None)
    with pytest.raises(VerificationError, match="check suppression"):
        release.verdict()
    assert replace(full_domain(k=1), models=()).verdict().suppressed == 0


@pytest.mark.parametrize("limit", [0, 4, 5, None])
def test_limit_of_any_release(limit: int | None) -> None:
    """The limit holds for releases without levels too."""
    release = replace(GOOD, levels={}, limit=limit)
    if limit in {5, None}:
        assert release.verdict().suppressed == 5
    else:
        with pytest.raises(VerificationError, match="check records"):
            release.verdict()


# ── hierarchies of every kind ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("levels", [{"age": age, "city": city} for age in range(4) for city in range(3)])
def test_every_node(levels: dict[str, int]) -> None:
    """The release of every node of the lattice is accepted, and tells as many classes as there are tuples of labels."""
    release = full_domain(levels=levels)
    assert release.verdict().classes == len({row[:2] for row in release.rows})
    assert all(label_of(name, levels[name], "") in {"", "*"} for name in HIERARCHIES)


@pytest.mark.parametrize(
    ("attribute", "cells", "level", "labels"),
    [
        (quasi(hierarchy="intervals:20..40:10"), ["21", "25", "35", "36"], 1, ["[20-30)"] * 2 + ["[30-40)"] * 2),
        (quasi(hierarchy="intervals:20..40:10"), ["21", "25", "35", "36"], 2, ["*"] * 4),
        (quasi(hierarchy="intervals:5,10"), ["1.50", "1.5", "7", "7.0"], 0, ["1.5", "1.5", "7", "7"]),
        (quasi(hierarchy="intervals:5"), ["-0.00", "0.0", "-0"], 0, ["0"] * 3),
        (quasi(hierarchy="intervals:5"), ["-0.00", "-0.00"], 1, ["[0-5)"] * 2),
        (quasi(hierarchy="mask:right", scale=Scale.CATEGORICAL), ["201", "202", "203"], 1, ["20*"] * 3),
        (quasi(hierarchy="dates:month,year"), ["2024-01-31", "2024-01-02", "2024-02-29"], 2, ["2024"] * 3),
        (quasi(hierarchy="dates:month,year"), ["2024-01-31", "2024-01-02"], 1, ["2024-01"] * 2),
        (quasi(hierarchy="suppress"), ["x", "y"], 1, ["*"] * 2),
        (quasi(hierarchy="frequency:1"), ["y", "z", "x", "x"], 1, ["other"] * 2 + ["x"] * 2),
        (quasi(hierarchy="frequency:1"), ["7", "7.0", "8", "9"], 1, ["7"] * 2 + ["other"] * 2),
    ],
)
def test_hierarchies_given_as_text(
    attribute: Attribute, cells: Sequence[str], level: int, labels: Sequence[str]
) -> None:
    """The text of a builder becomes a hierarchy over the observed values, numbers or not."""
    assert sorted(labels) == list(labels)
    verdict = judged(attribute, cells, level, labels)
    assert verdict.data_dependent == str(attribute.hierarchy).startswith("frequency")


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["8", "8.0", "8.00", "9", "9"], ["8", "8", "8", "other", "other"]),
        (["9", "9", "9", "8", "8.0"], ["9", "9", "9", "other", "other"]),
    ],
)
def test_a_frequency_hierarchy_counts_equal_numbers_together(cells: Sequence[str], labels: Sequence[str]) -> None:
    """Of numbers that are equal the records are counted together, however they are spelled."""
    assert judged(quasi(hierarchy="frequency:1"), cells, 1, labels).classes == 2


@pytest.mark.parametrize(
    ("hierarchy", "level", "label"),
    [
        ("suppress", 0, ""),
        ("suppress", 1, "*"),
        ("mask:right", 1, "*"),
        ("intervals:5", 0, ""),
        ("frequency:1", 1, "*"),
    ],
)
def test_nothing_but_missing_values(hierarchy: str, level: int, label: str) -> None:
    """Where no value was observed there is the missing one, and the root above it."""
    assert judged(quasi(hierarchy=hierarchy), ["", "?", None], level, [label] * 3).classes == 1
    with pytest.raises(VerificationError, match="there is no level 2 among 0 to 1"):
        judged(quasi(hierarchy=hierarchy), ["", "?", None], 2, [label] * 3)


def test_a_hierarchy_may_place_the_missing_value() -> None:
    """A hierarchy that has a leaf for the missing value says what is above it."""
    rows = [["", "unknown", "*"], ["Rome", "known", "*"], ["n/a", "unknown", "*"]]
    cities = quasi(hierarchy=Hierarchy.from_rows(rows))
    assert judged(cities, ["Rome", "Rome", "", "?", "n/a"], 1, ["known"] * 2 + ["unknown"] * 3).classes == 2
    with pytest.raises(VerificationError, match="check labels"):
        judged(cities, ["", "?", "Rome", "Rome"], 1, ["", "", "known", "known"])


def test_the_missing_value_is_empty_or_null_but_not_both() -> None:
    """One value is released in one way, lest two ways tell two groups apart."""
    cities = quasi(hierarchy=HIERARCHIES["city"])
    for one in ("", None):
        assert judged(cities, [None, "", "?", None], 1, [one] * 4).classes == 1
    with pytest.raises(VerificationError, match="released in two ways"):
        judged(cities, [None, "", "?", None], 1, [None, None, "", ""])


def test_a_value_that_is_no_leaf() -> None:
    """What the hierarchy does not hold lies below none of its nodes, not even the root."""
    cities = quasi(hierarchy=HIERARCHIES["city"])
    with pytest.raises(VerificationError, match="check regions"):
        judged(cities, ["Rome", "Oslo"], 2, ["*", "*"])


def test_labels_that_look_like_ranges_expose_nobody() -> None:
    """A node called like a range of numbers has no ends, whoever has the number."""
    ages = Hierarchy.from_rows([["16", "[16-20]"], ["20", "[16-20]"], ["21", "older"], ["22", "older"]], root="*")
    verdict = judged(quasi(hierarchy=ages), ["16", "20", "21", "22"], 1, ["[16-20]", "[16-20]", "older", "older"])
    assert (verdict.data_dependent, verdict.range_exposure) == (False, 0)
    with pytest.raises(VerificationError, match="check regions"):
        judged(quasi(hierarchy=ages), ["20", "22"], 1, ["older", "older"])


def test_apostrophes_of_excel_safe() -> None:
    """A node that looks like a formula is compared without the apostrophe that it was given, or had."""
    signs = Hierarchy.from_rows([["-1", "'=x"], ["'-2", "'=x"], ["3", "=y"], ["4", "=y"]], root="*")
    frame = pl.DataFrame({"a": ["-1", "'-2", "3", "4"]})
    file = io.BytesIO()
    write(from_frame(pl.DataFrame({"a": ["'=x", "'=x", "=y", "=y"]})), file, Format.CSV, excel_safe=True)
    claim = Claim(Schema((quasi(hierarchy=signs),)), (KAnonymity(2),), from_frame(frame), np.arange(4), excel_safe=True)
    assert verify(io.BytesIO(file.getvalue()), replace(claim, levels={"a": 1})).classes == 2


def test_release_of_nobody() -> None:
    """Where the schema suppresses everybody the release is a header, and correct."""
    cities = quasi(hierarchy="mask:right", missing=Missing.SUPPRESS)
    assert judged(cities, ["", None], 0, []).records == 0
