"""What the public is told: no value of a record, no count of a few people, and none that follows from two figures."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isclose
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort import Attribute, Hierarchy, Job, KAnonymity, Optimal, Role, Schema, SuppressionLimit
from kohort.assessment.risk.attacks import Attack
from kohort.report.page import Audience, page
from kohort.report.page.audience import Reader
from kohort.report.page.result import metrics
from kohort.report.release import attacked
from kohort.transactions.report.page import transactions_page
from tests.jobs import freely
from tests.unit.report import releases
from tests.unit.transactions.coherent_release import release as coherent_release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kohort import Release
    from kohort.report import Json

RELEASES: Final = (
    releases.mondrian,
    lambda: releases.mondrian(2),
    lambda: releases.mondrian(person=True),
    lambda: releases.mondrian(complete=("height",)),
    lambda: releases.mondrian(person=True, complete=("city",)),
    releases.lattice,
    lambda: releases.lattice("30", 3),
    lambda: releases.lattice(person=True),
    releases.few,
    releases.altered,
)

#: Every place of a public page model with a number. `people`: it counts people or what is theirs, and is shown as it
#: is; `parts`: likewise, in multiples of `least`; `free`: it counts no people, or nothing but what the release's own
#: file shows of k people or more; `share`: a figure that is rounded to a step.
PLACES: Final = {
    "form": "free",
    "least": "free",
    "asked.k": "free",
    "asked.h": "free",
    "asked.p": "free",
    "done.records": "people",
    "done.released": "people",
    "done.incomplete": "parts",
    "done.suppressed": "people",
    "done.suppressed_share": "share",
    "done.people": "people",
    "done.classes": "free",
    "done.smallest": "people",
    "done.fewest": "people",
    "done.largest": "people",
    "done.node.*": "free",
    "verdict.bytes": "free",
    "verdict.limit": "free",
    "verdict.singling.*.unique": "parts",
    "verdict.singling.*.people": "people",
    "verdict.singling.*.share": "share",
    "verdict.together.*.unique": "parts",
    "verdict.together.*.people": "people",
    "verdict.together.*.share": "share",
    **{f"verdict.exposed.{one}": "parts" for one in ("people", "range_ends", "set_members", "means")},
    "sizes.*.low": "people",
    "sizes.*.high": "people",
    "sizes.*.classes": "free",
    "sizes.*.records": "people",
    "metrics.*.value": "share",
    "losses.*.loss": "share",
    "losses.*.level": "free",
    "losses.*.height": "free",
    "losses.*.members": "free",
    "attributes.*.single": "parts",
    "attributes.*.after.missing": "parts",
    **{f"attributes.*.after.numeric.{one}": "share" for one in ("mean", "deviation")},
    "attributes.*.distribution.bins.*.after": "share",
    "attributes.*.homogeneity.people": "parts",
    "attributes.*.homogeneity.uncommon": "parts",
    "risks.threshold": "free",
    "risks.after.people": "people",
    "risks.after.uniques": "parts",
    **{f"risks.after.{one}": "share" for one in ("marketer", "uniques_share")},
    "risks.figures.*.after": "share",
    **{f"risks.after.prosecutor.{one}": "share" for one in ("highest", "average", "over")},
    "perturbed.*.records": "parts",
    "pseudonyms.*.records": "parts",
    "pseudonyms.*.linked": "parts",
    # transactions
    "done.transactions": "people",
    "done.emptied": "parts",
    **{
        f"done.{name}": "free"
        for name in (
            *("items", "public", "private", "neither", "removed_items"),
            *("dropped_items", "returned_items", "released_items"),
        )
    },
    "done.cells": "people",
    "done.released_cells": "people",
    "done.removed_cells": "people",
    "verdict.cohorts": "free",
    "verdict.smallest": "people",
    "moles.*.size": "free",
    "moles.*.rare": "free",
    "moles.*.breach": "free",
    "lengths.bins.*.low": "free",
    "lengths.bins.*.high": "free",
    "lengths.bins.*.after": "share",
}

#: Below these stands what the steward wrote in the job.
WRITTEN: Final = ("asked.method.", "parameters.")


def numbers_in(part: Json, place: str = "") -> Iterator[tuple[str, int | float]]:
    """Every number of a page model and its place, indices as `*`."""
    if isinstance(part, dict):
        for key, value in part.items():
            names_columns = place == "done.node"
            yield from numbers_in(value, f"{place}.{'*' if names_columns else key}".removeprefix("."))
    elif isinstance(part, list):
        for value in part:
            yield from numbers_in(value, f"{place}.*")
    elif isinstance(part, int | float) and not isinstance(part, bool) and not place.startswith(WRITTEN):
        yield place, part


def refuse_few(model: dict[str, Json]) -> None:
    """Fail where a number of a public page model counts a few people, or nobody has said what it counts."""
    least = model["least"]
    assert isinstance(least, int)
    for place, number in numbers_in(model):
        kind = PLACES[place]  # a new number must be classified
        if kind in {"people", "parts"}:
            assert isinstance(number, int), place
            assert number == 0 or number >= least, place
        if kind == "parts":
            assert number % least == 0, place


@pytest.mark.parametrize("make", RELEASES)
def test_no_number_counts_a_few_people(make: Callable[[], Release]) -> None:
    """Every count of people in a public page is of none or of enough."""
    refuse_few(page(make(), audience=Audience.PUBLIC).as_json())


def test_no_number_of_transactions_counts_a_few() -> None:
    """Nor does one of a page of transactions."""
    model: dict[str, Any] = transactions_page(coherent_release(), audience=Audience.PUBLIC).as_json()
    refuse_few(model)
    assert model["items"] is None
    assert {part["before"] for part in model["lengths"]["bins"]} == {None}
    assert {part["after"] for part in model["lengths"]["bins"]} == {1.0}  # of six people two bands are too many


def test_the_public_sees_no_name_of_an_item() -> None:
    """A file of names changes nothing for the public; the steward reads the names."""
    plain = coherent_release()
    named = replace(plain, job=replace(plain.job, labels=tuple((item, f"name {item}") for item in plain.source.names)))
    pages = [transactions_page(one, audience=Audience.PUBLIC).as_json() for one in (plain, named)]
    assert pages[0] == pages[1]
    assert "name 6 (6)" in json.dumps(transactions_page(named, audience=Audience.INTERNAL).as_json()["items"])


@pytest.mark.parametrize("make", RELEASES)
def test_nothing_is_told_of_a_few_by_difference(make: Callable[[], Release]) -> None:
    """What is left of a whole beside its told parts is nobody or enough people."""
    model: dict[str, Any] = page(make(), audience=Audience.PUBLIC).as_json()
    least, done = model["least"], model["done"]
    wholes = [(done["records"], done["released"]), (done["records"], done["suppressed"])]
    wholes += [(model["risks"]["after"]["people"], model["risks"]["after"]["uniques"])]
    wholes += [(done["released"], band["records"]) for band in model["sizes"]]
    wholes += [(done["released"], sum(band["records"] for band in model["sizes"]))]
    for whole, part in wholes:
        if whole is not None and part is not None:
            assert part in {whole, 0} or whole - part >= least


def test_too_few_left_out_are_not_told_in_any_way() -> None:
    """Where fewer than k records were suppressed, neither their number nor that of all records is anywhere."""
    release = releases.few()
    assert 0 < release.suppressed < release.job.k
    model: dict[str, Any] = page(release, audience=Audience.PUBLIC).as_json()
    assert (model["done"]["records"], model["done"]["suppressed"], model["done"]["suppressed_share"]) == (
        None,
        None,
        None,
    )
    assert model["subgroups"] is None
    assert [one["before"] for one in model["attributes"]] == [None] * 6
    assert next(one["value"] for one in model["metrics"] if one["name"] == "c_dm") is None
    assert releases.PEOPLE not in {number for _, number in numbers_in(model)}
    assert release.suppressed not in {number for place, number in numbers_in(model) if PLACES[place] != "free"} - {
        one["value"] for one in model["metrics"] if one["name"] == "height"
    }
    assert any("fewer than 8 people" in note for note in model["notes"])


def test_people_with_several_records_are_not_counted_as_records() -> None:
    """With a person key no count of records of a part is told: they may be of a few people."""
    model: dict[str, Any] = page(releases.mondrian(person=True), audience=Audience.PUBLIC).as_json()
    assert {one["single"] for one in model["attributes"]} == {None}
    assert {one["distribution"] for one in model["attributes"] if one["distribution"]} == set()
    assert model["done"]["people"] == 49


def test_a_mean_of_zeros_and_ones_is_no_count() -> None:
    """Whoever multiplies it by the number of people learns no number of ones to within k."""
    for ones in range(1, 8):
        table = pl.DataFrame(
            {"age": [str(30 + row % 10) for row in range(20)], "ill": ["1"] * ones + ["0"] * (20 - ones)}
        )
        release = kohort.anonymize(table, freely(Job.of(Schema.of(quasi=["age"], sensitive=["ill"]), KAnonymity(5))))
        model: dict[str, Any] = page(release, audience=Audience.PUBLIC).as_json()
        (ill,) = (one for one in model["attributes"] if one["name"] == "ill")
        assert ill["after"]["numeric"]["mean"] in {0.0, 0.5}
        assert ill["after"]["numeric"]["deviation"] in {0.0, 0.5}


def test_a_constant_is_a_value_and_not_told() -> None:
    """The mean of a column of one number is that number; so is that of a single record."""
    table = pl.DataFrame({"age": ["31", "32"] * 5, "pay": ["71234"] * 10, "bonus": ["81234", *[""] * 9]})
    release = kohort.anonymize(
        table, freely(Job.of(Schema.of(quasi=["age"], sensitive=["pay", "bonus"]), KAnonymity(5)))
    )
    text = json.dumps(page(release, audience=Audience.PUBLIC).as_json())
    assert "71234" not in text
    assert "81234" not in text


def test_too_few_whom_a_column_singles_out_are_not_counted() -> None:
    """What a column tells of fewer than k people is not told; of more, in multiples of k; of nearly all, likewise."""
    for alone, unique in ((0, 0), (3, None), (12, 10), (40, 40)):
        table = pl.DataFrame(
            {"age": [str(30 + row % 4) for row in range(40)], "pay": [str(min(row, alone)) for row in range(40)]}
        )
        table = table.with_columns(pl.when(pl.col("pay") == str(alone)).then(pl.lit("x")).otherwise("pay").alias("pay"))
        job = Job.of(
            Schema.of(quasi=["age"], sensitive=["pay"]), KAnonymity(5), no_model=("pay",), allow_singling=("pay",)
        )
        model: dict[str, Any] = page(kohort.anonymize(table, job), audience=Audience.PUBLIC).as_json()
        (one,) = model["verdict"]["singling"]
        assert (one["unique"], one["people"]) == (unique, 40)
        assert model["verdict"]["standing"] == {0: "good", 3: "caution", 12: "caution", 40: "bad"}[alone]


@pytest.mark.parametrize(("k", "each"), [(2, 3), (5, 5), (9, 12), (9, 13), (10, 25)])
def test_no_average_risk_exceeds_the_highest(k: int, each: int) -> None:
    """Both are rounded for the public, each by itself; a mean is still shown as no more than the greatest."""
    table = pl.DataFrame({"age": [str(30 + row // each) for row in range(8 * each)]})
    release = kohort.anonymize(table, freely(Job.of(Schema.of(quasi=["age"]), KAnonymity(k))))
    shown: dict[str, Any] = page(release, audience=Audience.PUBLIC).as_json()
    risk = shown["risks"]["after"]["prosecutor"]
    assert risk["average"] <= risk["highest"] <= 1 / k
    assert risk["highest"] == pytest.approx(1 / shown["done"]["smallest"])


def test_attacks_tell_the_public_only_that_they_were_tried() -> None:
    """Their rates are of the input."""
    release = releases.mondrian()
    tried = attacked(release, ["linking", "intersection"])
    model: dict[str, Any] = page(release, audience=Audience.PUBLIC, attacks=tried).as_json()
    linking, intersection = model["attacks"]
    assert isinstance(tried[0], Attack)
    assert {linking[key] for key in linking if key not in {"attack", "of", "unit"}} == {None}
    assert intersection["untried"].startswith("it needs")


# ── Canaries ─────────────────────────────────────────────────────────────────────────────────────

#: Records of the table of canaries, and what a bird is called, so that it is found wherever it is.
BIRDS: Final = 60


def numeric(column: int, row: int) -> int:
    """A number that nobody writes by chance."""
    return 7_003_001 + 1_300_007 * column + 10_007 * ((row * 17) % BIRDS)


def canaries() -> pl.DataFrame:
    """A table whose every cell is a canary: a name, or a number, that is there once, or twice where it must repeat."""
    rows = range(BIRDS)
    return pl.DataFrame(
        {
            "id": [f"canary-id-{row}" for row in rows],
            "place": [f"canary-place-{row}" for row in rows],
            "name": [f"canary-name-{row // 2}" for row in rows],
            "age": [str(numeric(0, row)) for row in rows],
            "size": [str(numeric(1, row // 2)) for row in rows],
            "illness": [f"canary-illness-{row // 3}" for row in rows],
            "pay": [str(numeric(2, row)) for row in rows],
            "note": [f"canary-note-{row // 20}" for row in rows],
        }
    )


def bird_schema(*, lattice: bool) -> Schema:
    """Its schema; every leaf of its hierarchies is a canary, and one node above the leaves is called as a leaf is."""
    table = canaries()
    places = [[leaf, leaf if row == 7 else f"part {row % 4}", "*"] for row, leaf in enumerate(table["place"])]
    names = [[leaf, "even" if row % 2 else "odd", "*"] for row, leaf in enumerate(dict.fromkeys(table["name"]))]
    return Schema(
        (
            Attribute("id", Role.IDENTIFYING),
            Attribute("place", Role.QUASI, hierarchy=Hierarchy.from_rows(sorted(places, key=lambda row: row[1]))),
            Attribute("name", Role.QUASI, hierarchy=Hierarchy.from_rows(names) if lattice else None),
            Attribute("age", Role.QUASI, hierarchy="intervals:100000,500000" if lattice else None),
            Attribute("size", Role.QUASI, hierarchy="suppress" if lattice else None),
            Attribute("illness", Role.SENSITIVE),
            Attribute("pay", Role.SENSITIVE),
            Attribute("note", Role.INSENSITIVE),
        )
    )


def bird_release(*, lattice: bool) -> Release:
    """A release of it."""
    algorithm = Optimal(limit=SuppressionLimit.of("40%")) if lattice else None
    return kohort.anonymize(
        canaries(), freely(Job.of(bird_schema(lattice=lattice), KAnonymity(5), algorithm=algorithm))
    )


@pytest.mark.parametrize("lattice", [False, True])
def test_no_canary_is_in_a_public_page(*, lattice: bool) -> None:
    """Of a table of canaries neither the public page model nor its HTML holds one; the steward's does."""
    release = bird_release(lattice=lattice)
    birds = {str(cell) for column in canaries() for cell in column}
    tried = attacked(release)
    internal, public = (page(release, audience=audience, attacks=tried) for audience in Audience)
    whole = internal.as_json()
    assert whole["public"] == public.as_json()
    assert any(bird in json.dumps(whole["samples"]) for bird in birds)
    assert "canary-id" not in json.dumps(whole["samples"])
    assert any(bird in json.dumps(whole) for bird in birds)
    html = pytest.importorskip("kohort.report.render.page").html
    for text in (json.dumps(public.as_json()), html(public)):
        assert "canary" not in text
        assert not [bird for bird in birds if bird in text or (bird.isdigit() and f"{int(bird):,}" in text)]
    values = {float(bird) for bird in birds if bird.isdigit()}
    assert not [place for place, number in numbers_in(public.as_json()) if any(isclose(number, one) for one in values)]
    refuse_few(public.as_json())


# ── Partitions ───────────────────────────────────────────────────────────────────────────────────


@given(st.integers(3, 9), st.integers(20, 90), st.integers(0, 2**32 - 1), st.integers(0, 40))
def test_every_public_part_has_enough_people(k: int, records: int, seed: int, share: int) -> None:
    """Whatever the table: pages of both methods tell of no few people, and parts told in shares add up to the whole."""
    draw = np.random.default_rng(seed)
    table = pl.DataFrame(
        {
            "age": [str(age) for age in draw.integers(18, 90, records)],
            "city": draw.choice([*releases.CITIES, ""], records, p=[0.4, 0.02, 0.3, 0.02, 0.2, 0.02, 0.02, 0.02]),
            "pay": [str(pay) for pay in draw.pareto(1.5, records).round(3)],
        }
    )
    schema = Schema(
        (
            Attribute("age", Role.QUASI, hierarchy="intervals:0..100:5,25"),
            Attribute("city", Role.QUASI, hierarchy=releases.PLACES),
            Attribute("pay", Role.SENSITIVE),
        )
    )
    algorithm = Optimal(limit=SuppressionLimit.of(f"{share}%")) if share % 2 else None
    release = kohort.anonymize(table, freely(Job.of(schema, KAnonymity(k), algorithm=algorithm)))
    model: dict[str, Any] = page(release, audience=Audience.PUBLIC).as_json()
    refuse_few(model)
    for one in model["attributes"]:
        bins: list[dict[str, Any]] = one["distribution"]["bins"] if one["distribution"] else []
        assert not [bar for bar in bins if bar["kind"] == "value"]
        assert not bins or abs(sum(bar["after"] for bar in bins) - 1) <= len(bins) * 2.5 * k / release.table.records


def test_a_metric_without_a_disclosure_is_internal() -> None:
    """Nobody knows what a metric of another package would reveal of a few people: the public reads no figure of it."""
    release = replace(bird_release(lattice=False), metrics={"kl": 0.5})
    assert [one.value for one in metrics(release, Reader())] == [0.5]
    assert metrics(release, Reader(10, counts_input=True, one_each=True)) == ()
