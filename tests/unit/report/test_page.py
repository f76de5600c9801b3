"""What the steward is told: every section, against the release and plain counting."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import kohort
from kohort import Attribute, Job, KAnonymity, ReadOptions, Role, Schema, assess
from kohort.assessment.risk.attacks import ATTACKS, Attack
from kohort.core.frequency import CELLS
from kohort.core.uniques import Exposed, Singling
from kohort.engines.pipeline import dry_run
from kohort.models.average_risk import AverageRisk
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.release.job import Purpose
from kohort.release.members import members_of
from kohort.report.page import Audience, page
from kohort.report.page.build import TablePage
from kohort.report.release import attacked
from kohort.transactions.report.page import TransactionPage, transactions_page
from tests.jobs import freely
from tests.unit.report import releases
from tests.unit.transactions.coherent_release import release as coherent_release

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort import Release

RELEASES = (
    releases.mondrian,
    lambda: releases.mondrian(person=True),
    releases.lattice,
    releases.few,
    releases.altered,
)


def told(release: Release, audience: Audience = Audience.INTERNAL) -> dict[str, Any]:
    """A page, whose parts need no types here."""
    return page(release, audience=audience).as_json()


@pytest.mark.parametrize("make", RELEASES)
def test_a_page_has_its_form_and_is_json(make: Callable[[], Release]) -> None:
    """Of every kind of release, for both audiences; and the public one stands in the steward's."""
    model = told(make())
    text = json.dumps(model, allow_nan=False)
    assert json.dumps(TablePage.model_validate_json(text).as_json()) == text
    assert model["public"] == told(make(), Audience.PUBLIC)
    assert "seconds" not in model["public"]


def test_a_page_describes_itself() -> None:
    """The JSON Schema of a page lists exactly the keys that it has, and allows no others."""
    for form, page_json in (
        (TablePage, told(releases.mondrian())),
        (TransactionPage, transactions_page(coherent_release(), audience=Audience.INTERNAL).as_json()),
    ):
        schema = form.model_json_schema(mode="serialization")["$defs"][form.__name__]
        assert [*schema["properties"]][: len(page_json)] == [*page_json]
        assert schema["required"] == [key for key in page_json if key not in {"seconds", "public"}]
        assert schema["additionalProperties"] is False


def test_a_page_of_transactions_has_its_form() -> None:
    """For both audiences."""
    release = coherent_release()
    model: dict[str, Any] = transactions_page(release, audience=Audience.INTERNAL).as_json()
    text = json.dumps(model, allow_nan=False)
    assert json.dumps(TransactionPage.model_validate_json(text).as_json()) == text
    assert model["public"] == transactions_page(release, audience=Audience.PUBLIC).as_json()
    assert [(one["name"], one["support"]) for one in model["items"]["dropped"]] == [("6", 1), ("5", 3), ("1", 4)]
    assert [(one["low"], one["high"], one["before"], one["after"]) for one in model["lengths"]["bins"]] == [
        (1, 1, 0, 2),
        (2, 3, 5, 3),
        (4, 7, 1, 1),
    ]
    assert model["metrics"][0]["value"] == 0.4
    assert model["asked"]["roles"] == "The private items were listed; all others are public."


def test_the_same_records_in_another_order_make_the_same_page() -> None:
    """To the byte, but for the seconds."""
    pages: list[str] = []
    for seed in (None, 1, 2):
        table = releases.people() if seed is None else releases.people().sample(fraction=1.0, shuffle=True, seed=seed)
        for hierarchies in (False, True):
            model = told(
                kohort.anonymize(table, freely(Job.of(releases.schema(hierarchies=hierarchies), KAnonymity(5))))
            )
            del model["seconds"]
            pages.append(json.dumps(model))
    assert pages[0] == pages[2] == pages[4]
    assert pages[1] == pages[3] == pages[5]


def test_what_was_done_is_told() -> None:
    """Counts are the release's own; the histogram adds up to them."""
    release, model = releases.lattice(), told(releases.lattice())
    done = model["done"]
    assert (done["records"], done["released"], done["suppressed"]) == (97, 80, 17)
    assert done["node"] == {"age": 3, "city": 1, "sex": 0}
    assert sum(band["records"] for band in model["sizes"]) == 80
    assert sum(band["classes"] for band in model["sizes"]) == done["classes"] == release.sizes.size
    assert all(
        band["classes"] == sum(band["low"] <= size <= band["high"] for size in release.sizes) for band in model["sizes"]
    )
    assert [(one["column"], one["level"], one["height"]) for one in model["losses"]] == [
        ("age", 3, 4),
        ("city", 1, 2),
        ("sex", 0, 1),
    ]
    assert {one["name"]: one["value"] for one in model["metrics"]} == pytest.approx(dict(release.metrics))
    assert all(one["says"] for one in model["metrics"])


def test_what_was_asked_is_told_in_words() -> None:
    """How each column is treated, without the name of a file."""
    schema = Schema(
        (
            Attribute("a", Role.QUASI, grid="5", bounds=(0, 100), weight="2.5"),  # type: ignore[arg-type]
            Attribute("b", Role.QUASI, grid=(0, "18.5", 120)),  # type: ignore[arg-type]
            Attribute("c", Role.QUASI, hierarchy="intervals:5,10", grid="hierarchy"),
            Attribute("d", Role.QUASI, hierarchy=releases.PLACES, label="ancestor", max_level=1),  # type: ignore[arg-type]
            Attribute("e", Role.QUASI, hierarchy="./secret-folder/e.csv"),
            Attribute("f", Role.QUASI),
            Attribute("g", Role.IDENTIFYING),
            Attribute("h", Role.SENSITIVE),
            Attribute("i", Role.DROP),
        )
    )
    release = replace(releases.mondrian(), job=freely(Job.of(schema, KAnonymity(5))))
    from kohort.report.page.audience import Reader  # noqa: PLC0415  sections that are tested alone
    from kohort.report.page.request import parameters, request  # noqa: PLC0415

    told_of: Any = request(release.job).as_json()
    assert {one["name"]: one["how"] for one in told_of["columns"]} == {
        "a": "grid of 5, from 0 to 100, weight 2.5",
        "b": "grid at 0, 18.5, 120",
        "c": "intervals:5,10, grid of its hierarchy",
        "d": "hierarchy of height 2, at most level 1, released as nodes of its hierarchy",
        "e": "hierarchy of a file",
        "f": "generalized",
        "g": "removed",
        "h": "released unchanged",
        "i": "removed",
    }
    assert told_of["method"] == {"name": "mondrian", "cut": "nearest", "relaxed": False}
    assert "secret-folder" in json.dumps(parameters(release.job, Reader()))
    public = json.dumps(parameters(release.job, Reader(least=5)))
    assert "secret-folder" not in public
    assert "sha256" not in public


def test_a_limit_is_told_as_it_was_said() -> None:
    """A share stays a share."""
    assert told(releases.lattice("20%"))["asked"]["max_suppression"] == "20%"
    assert told(releases.mondrian())["asked"]["max_suppression"] is None


def test_risks_are_those_of_an_attacker_before_and_after() -> None:
    """As `assess` says them of the input and of the release."""
    for release in (releases.mondrian(), releases.lattice()):
        model = told(release)["risks"]
        for side, table in (("before", releases.people()), ("after", release.frame())):
            found = assess(table, ["age", "city", "sex"])
            assert model[side]["prosecutor"]["highest"] == pytest.approx(found.prosecutor.highest)
            assert model[side]["prosecutor"]["average"] == pytest.approx(found.prosecutor.average)
            assert model[side]["prosecutor"]["over"] == pytest.approx(found.prosecutor.over)
            assert model[side]["marketer"] == pytest.approx(found.marketer)
            assert model[side]["uniques"] == found.uniqueness.sample
            assert model[side]["journalist"] is None


def test_risks_count_people_where_they_have_several_records() -> None:
    """Before as after, though nobody's key is released."""
    model = told(releases.mondrian(person=True))["risks"]
    found = assess(releases.people(), ["age", "city", "sex"], person="id")
    assert model["before"]["people"] == model["after"]["people"] == found.people == 49
    assert found.prosecutor.highest == 1
    assert model["before"]["uniques"] == found.prosecutor.at_highest


def test_risks_among_a_population_are_told_where_it_is_known() -> None:
    """The journalist's is that of the people whom a class fits."""
    everybody = pl.concat([releases.people().select("age", "city", "sex")] * 3)
    schema = releases.schema(hierarchies=True)
    release = kohort.anonymize(releases.people(), freely(Job.of(schema, KMap(9))), population=everybody)
    model = told(release)
    hierarchies = {one.name: one.hierarchy for one in schema.quasi if one.hierarchy is not None}
    found = assess(release.frame(), ["age", "city", "sex"], population=everybody, hierarchies=hierarchies)
    assert found.journalist is not None
    assert model["risks"]["after"]["journalist"]["highest"] == pytest.approx(found.journalist.exposure.highest)
    assert model["risks"]["after"]["journalist_marketer"] == pytest.approx(found.journalist.marketer)
    assert model["public"]["least"] == 9


# ── Subgroups ────────────────────────────────────────────────────────────────────────────────────


def by_hand(release: Release, column: str) -> dict[str, tuple[int, int]]:
    """Records and suppressed ones by the value of a column, counted one by one."""
    cells = releases.people()[column].to_list()
    kept = set(release.lineage.tolist())
    records = Counter(cells)
    gone = Counter(cell for place, cell in enumerate(cells) if place not in kept)
    return {cell: (count, gone[cell]) for cell, count in records.items()}


def test_who_was_dropped_most_is_counted_by_hand() -> None:
    """The greatest shares stand first, of subgroups of at least k records."""
    release = releases.lattice()
    rows = told(release)["subgroups"]["suppressed"]
    expected = [
        (column, cell, records, gone)
        for column in ("city", "sex", "illness")
        for cell, (records, gone) in by_hand(release, column).items()
        if records >= 5 and gone
    ]
    listed = [(row["column"], row["value"], row["records"], row["suppressed"]) for row in rows]
    shares = [row["share"] for row in rows]
    assert shares == sorted(shares, reverse=True)
    greatest = max(gone / records for _, _, records, gone in expected)
    assert shares[0] >= round(greatest, 6)
    assert all(one in expected for one in listed if one[0] in {"city", "sex", "illness"})
    assert told(releases.mondrian())["subgroups"]["suppressed"] == []


def test_who_was_distorted_most_is_the_mean_loss_of_the_released() -> None:
    """Of a lattice release every record's loss is that of its nodes."""
    release = releases.lattice()
    subgroups = told(release)["subgroups"]
    assert release.problem is not None
    lost = np.zeros(release.table.records)
    for domain in release.problem.domains:
        hierarchy, name = domain.hierarchy, domain.attribute.name
        assert hierarchy is not None
        cells = releases.people()[name].gather(release.lineage).to_list()
        nodes = hierarchy.maps[release.levels[name]][[hierarchy.index[cell] for cell in cells]]
        lost += (hierarchy.covered(release.levels[name])[nodes] - 1) / (len(hierarchy.leaves) - 1) / 3
    assert subgroups["overall"]["loss"] == pytest.approx(lost.mean(), abs=1e-6)
    cells = releases.people()["illness"].to_list()
    for row in subgroups["distorted"]:
        if row["column"] == "illness":
            mine = [
                loss for loss, was in zip(lost, release.lineage.tolist(), strict=True) if cells[was] == row["value"]
            ]
            assert row["loss"] == pytest.approx(sum(mine) / len(mine), abs=1e-6)


def test_means_of_narrow_and_of_wide_classes_lose_what_each_class_does() -> None:
    """Two classes have the mean 5, one of 4 to 6 and one of 0 to 10: each of their records loses its class's range."""
    ages = {"a": [4, 5, 6], "b": [0, 5, 10], "c": [0, 0, 0]}
    frame = pl.DataFrame([{"age": age, "sex": sex, "of": sex} for sex, some in ages.items() for age in some])
    attributes = (
        Attribute("age", Role.QUASI, label="mean"),  # type: ignore[arg-type]
        Attribute("sex", Role.QUASI, weight=Fraction(2)),
        Attribute("of", Role.SENSITIVE),
    )
    release = kohort.anonymize(frame, freely(Job.of(Schema(attributes), KAnonymity(3))))
    subgroups = told(release)["subgroups"]
    assert {row["value"]: row["loss"] for row in subgroups["distorted"] if row["column"] == "of"} == {
        "a": 0.1,
        "b": 0.5,
    }
    assert subgroups["overall"]["loss"] == pytest.approx(release.metrics["ncp"], abs=1e-8)


def test_numbers_of_many_values_make_subgroups_of_intervals() -> None:
    """The ages of a table are grouped, and a missing value is a subgroup too."""
    rows = told(releases.lattice())["subgroups"]["distorted"]
    kinds = {(row["column"], row["kind"]) for row in rows}
    assert ("age", "interval") in kinds
    assert ("income", "interval") not in kinds


def test_columns_are_told_before_and_after() -> None:
    """All columns that name nobody, with their distributions in records."""
    model = told(releases.mondrian())
    assert [one["name"] for one in model["attributes"]] == ["age", "city", "sex", "illness", "income", "height"]
    assert {one["distribution"]["unit"] for one in model["attributes"]} == {"records"}
    for one in model["attributes"]:
        assert sum(bar["before"] for bar in one["distribution"]["bins"]) == 97
    alike = releases.mondrian().homogeneity["illness"]
    assert model["attributes"][3]["homogeneity"] == {
        "people": alike.people,
        "uncommon": alike.uncommon,
        "largest_share": round(alike.largest_share, 10),
        "share_of_all": round(alike.share_of_all, 10),
    }
    assert model["attributes"][0]["homogeneity"] is None
    assert len(model["associations"]) == 15


def test_what_was_altered_is_told() -> None:
    """The effect of noise, and how far pseudonyms link; of noise the public learns no moments here."""
    release, model = releases.altered(), told(releases.altered())
    (effect,) = model["perturbed"]
    assert (effect["column"], effect["records"], effect["reproducible"]) == ("income", 97, True)
    assert effect["mean"] == [*(release.effects[0].mean or ())]
    assert model["pseudonyms"] == [{"column": "id", "records": 97, "linked": 96}]
    assert model["asked"]["columns"][0]["how"] == "pseudonyms in its place"
    assert "noise" in model["asked"]["columns"][5]["how"]
    (public,) = model["public"]["perturbed"]
    assert (public["mean"], public["variance"], public["bounds"], public["correlation"]) == (None,) * 4
    assert public["records"] == 95
    assert "seed" not in json.dumps(model)


def test_few_perturbed_records_are_not_told() -> None:
    """A perturbed column in which hardly anybody has a value tells the public nothing."""
    release = releases.altered()
    rare = replace(release.effects[0], records=3, unchanged=0)
    none = replace(release.effects[0], records=0, unchanged=0, linked=None)
    for effect, records in ((rare, None), (none, 0)):
        (public,) = told(replace(release, records=replace(release.records, effects=(effect,))), Audience.PUBLIC)[
            "perturbed"
        ]
        assert (public["records"], public["unchanged"], public["linked"]) == (records, None, None)


# ── Verdicts ─────────────────────────────────────────────────────────────────────────────────────


def framed(release: Release) -> pl.DataFrame:
    """The released records."""
    frame = release.frame()
    assert isinstance(frame, pl.DataFrame)
    return frame


def verdict_of(release: Release) -> dict[str, Any]:
    """What a page tells of a verdict."""
    found: dict[str, Any] = told(release)["verdict"]
    return found


def test_what_columns_single_out_is_what_verification_counted() -> None:
    """Alone and in pairs, with the column that singles out most people calling the release bad."""
    release = releases.mondrian()
    assert release.verdict is not None
    found = verdict_of(replace(release, job=replace(release.job, no_model=())))
    assert [(tuple(one["columns"]), one["unique"]) for one in found["singling"]] == [
        (one.columns, one.unique) for one in release.verdict.singling
    ]
    assert [(one["over"], one["most"]) for one in found["singling"]] == [(False, False), (True, True), (False, False)]
    assert (found["unjudged"], found["standing"], found["limit"]) == (["illness", "income"], "bad", 5)
    assert found["exposed"]["range_ends"] == release.verdict.range_exposure


@pytest.mark.parametrize(
    ("unique", "exposed", "no_model", "standing"),
    [
        ((0, 0, 0), 0, ("illness", "income"), "good"),
        ((0, 0, 0), 1, ("illness", "income"), "caution"),
        ((1, 0, 1), 0, ("illness", "income"), "caution"),
        ((0, 1, 1), 0, ("illness", "income"), "caution"),
        ((0, 0, 1), 0, ("illness", "income"), "caution"),
        ((0, 0, 97), 0, ("illness", "income"), "caution"),
        ((20, 20, 20), 0, ("illness", "income"), "caution"),
        ((49, 0, 49), 0, ("illness", "income"), "bad"),
        ((0, 0, 0), 0, ("illness",), "bad"),
    ],
)
def test_a_release_is_good_only_if_nothing_speaks_against_it(
    unique: tuple[int, int, int], exposed: int, no_model: tuple[str, ...], standing: str
) -> None:
    """Columns single no one out, alone or together; no one is exposed; a model or none for each sensitive column."""
    release = releases.mondrian()
    assert release.verdict is not None
    alone, pair, together = unique
    singling = (Singling(("income",), alone, 97), Singling(("illness", "height"), pair, 97))
    every = Singling(("income", "illness", "height"), together, 97), Singling(("age", "income"), 97, 97)
    verdict = replace(release.verdict, singling=singling, together=every, exposed=Exposed(people=exposed))
    job = replace(release.job, no_model=no_model)
    found = verdict_of(replace(release, verdict=verdict, job=job))
    assert found["standing"] == standing
    assert found["no_model"] == [*no_model]


def test_perturbed_columns_count_as_released_as_they_are() -> None:
    """A value that nobody else has tells its person from all others, wherever it comes from."""
    assert ["income"] in [one["columns"] for one in verdict_of(releases.altered())["singling"]]


def test_a_promise_without_k_is_measured_by_three_people() -> None:
    """Where no k is asked for, one in three people may be singled out at most."""
    job = freely(Job.of(releases.schema(), AverageRisk(Fraction(1, 2))))
    assert verdict_of(kohort.anonymize(releases.people(), job))["limit"] == 3


@pytest.mark.parametrize("most", [0, CELLS], ids=["sorted out by hashing", "by a table"])
def test_sets_are_told_with_how_many_values_they_print(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean over the records whose cell is a set, counted in the released cells; none of ranges and nodes."""
    monkeypatch.setattr("kohort.release.members.CELLS", most)
    for release in (releases.mondrian(), releases.mondrian(person=True)):
        cells = [cell.strip("{}").split(", ") for cell in framed(release)["sex"].to_list()]
        sets = [len(members) for members in cells if len(members) > 1]
        members = {one["column"]: one["members"] for one in told(release)["losses"]}
        assert members == {"age": None, "city": None, "sex": pytest.approx(sum(sets) / len(sets), abs=0.005)}
    assert {one["members"] for one in told(releases.lattice())["losses"]} == {None}


def test_a_column_without_sets_prints_no_members() -> None:
    """Where every class has one value, nothing is printed that the class does not have anyway."""
    table = pl.DataFrame({"sex": ["f", "m"] * 10, "age": ["31", "32"] * 10})
    assert members_of(kohort.anonymize(table, Job.of(Schema.of(quasi=["sex", "age"]), KAnonymity(5)))) == {}
    nothing = Job(Schema.of(quasi=["sex", "age"]), (KAnonymity(5),), reading=ReadOptions(allow_empty=True))
    assert members_of(kohort.anonymize(table.head(0), nothing)) == {}


def test_the_values_of_a_population_decide_what_is_a_set() -> None:
    """A column of numbers is one of names, and its classes sets, where the population has names too."""
    table = pl.DataFrame({"room": ["1", "2", "3", "4"] * 2})
    everybody = pl.DataFrame({"room": ["1", "2", "3", "4", "attic"] * 3})
    release = kohort.anonymize(table, Job.of(Schema.of(quasi=["room"]), KMap(6)), population=everybody)
    assert members_of(release) == {"room": 2.0}


def test_three_records_are_shown_to_the_steward() -> None:
    """Of the smallest, the median and the largest class: cells as they were and as they are, no identifying value."""
    release = releases.mondrian()
    model = told(release)
    samples = model["samples"]
    assert [one["class"] for one in samples] == ["smallest", "median", "largest"]
    assert [one["records"] for one in samples] == [release.sizes.min(), np.median(release.sizes), release.sizes.max()]
    before = releases.people().to_dicts()
    after = framed(release).to_dicts()
    for one in samples:
        was = {cell["column"]: cell["before"] for cell in one["cells"] if cell["before"] is not None}
        now = {cell["column"]: cell["after"] for cell in one["cells"] if cell["after"] is not None}
        assert "id" not in {*was, *now}
        assert now in after
        assert was in [{key: value for key, value in row.items() if key != "id"} for row in before]
        assert (was["illness"], was["income"]) == (now["illness"], now["income"])
    assert model["public"]["samples"] is None


def test_a_class_that_is_smallest_and_largest_is_shown_once() -> None:
    """One class gives one record."""
    release = kohort.anonymize(pl.DataFrame({"age": ["31"] * 9}), Job.of(Schema.of(quasi=["age"]), KAnonymity(5)))
    assert [one["class"] for one in told(release)["samples"]] == ["smallest"]


def test_what_a_release_is_for_changes_no_byte_of_it() -> None:
    """The words are in the page of both audiences, in the job's description, and in no record."""
    purpose = Purpose(purpose="a study", approved_by="the board")
    job = freely(Job.of(releases.schema(), KAnonymity(5), purpose=purpose))
    release = kohort.anonymize(releases.people(), job)
    assert framed(release).equals(framed(releases.mondrian()))
    model = told(release)
    assert model["purpose"] == model["public"]["purpose"]
    assert (model["purpose"]["purpose"], model["purpose"]["recipient"], model["purpose"]["approved_by"]) == (
        "a study",
        None,
        "the board",
    )
    assert model["parameters"]["purpose"]["approved-by"] == "the board"


def test_columns_that_nobody_declared_are_told() -> None:
    """Their role is that of the rest."""
    schema = Schema((Attribute("age", Role.QUASI),), rest=Role.INSENSITIVE)
    job = Job.of(schema, KAnonymity(5))
    model = told(kohort.anonymize(releases.people().select("age", "sex", "height"), job))
    assert [(one["name"], one["declared"]) for one in model["asked"]["columns"]] == [
        ("age", True),
        ("sex", False),
        ("height", False),
    ]


def test_attacks_are_told_where_they_were_tried() -> None:
    """As `kohort.report.risk` has them; of a table without records there are none to try."""
    release = releases.mondrian()
    assert told(release)["attacks"] is None
    tried = attacked(release)
    model: dict[str, Any] = page(release, audience=Audience.INTERNAL, attacks=tried).as_json()
    assert {one["attack"] for one in model["attacks"]} == {*ATTACKS}
    (linking,) = (one for one in model["attacks"] if one["attack"] == "linking")
    assert isinstance(tried[0], Attack)
    assert linking["rate"] == pytest.approx(tried[0].rate)
    job = freely(Job(releases.schema(), (KAnonymity(5),), reading=ReadOptions(allow_empty=True)))
    assert attacked(kohort.anonymize(releases.people(0), job)) == ()


def test_a_rehearsal_says_that_nothing_was_verified(tmp_path: Any) -> None:  # noqa: ANN401
    """And has no certificate."""
    del tmp_path
    release = dry_run(releases.people(), freely(Job.of(releases.schema(), KAnonymity(5))))
    model = told(release)
    assert (model["verdict"]["verified"], model["verdict"]["checks"], model["certificate"]) == (False, [], None)
    assert (model["verdict"]["standing"], model["verdict"]["singling"]) == (None, [])
    assert model["name"] is None


def test_a_published_release_names_its_files(tmp_path: Any) -> None:  # noqa: ANN401
    """By their names alone: a folder can tell more than is meant."""
    target = tmp_path / "secret-folder" / "r.csv"
    target.parent.mkdir()
    release = kohort.anonymize(releases.people(), freely(Job.of(releases.schema(), KAnonymity(5))), target=target)
    model = told(release)
    assert model["name"] == "r.csv"
    assert release.verdict is not None
    assert model["certificate"] == {
        "name": "r.csv.kohort.json",
        "release": "r.csv",
        "sha256": release.verdict.sha256,
        "signed_by": None,
    }
    assert model["verdict"]["bytes"] == target.stat().st_size
    assert "secret-folder" not in json.dumps(model)


def test_a_table_of_no_records_has_a_page() -> None:
    """With nothing in it to compare."""
    job = freely(Job(releases.schema(), (KAnonymity(5),), reading=ReadOptions(allow_empty=True)))
    model = told(kohort.anonymize(releases.people(0), job))
    assert TablePage.model_validate_json(json.dumps(model)).as_json() == model
    assert (model["attributes"], model["subgroups"], model["risks"]["before"]) == (None, None, None)
    assert model["done"]["classes"] == 0


# ── Weak promises ────────────────────────────────────────────────────────────────────────────────


def test_classes_smaller_than_the_least_are_told_together() -> None:
    """Where a model allows classes of a few people, their bands are joined until they have enough records."""
    job = freely(Job.of(Schema.of(quasi=["age"]), AverageRisk(Fraction("0.4"))))
    release = kohort.anonymize(pl.DataFrame({"age": [str(row) for row in range(100)]}), job)

    def bands(*classes: int) -> list[tuple[int | None, int, int, int]]:
        of = replace(release, sizes=np.array(classes))
        return [(band["low"], band["high"], band["classes"], band["records"]) for band in told(of)["public"]["sizes"]]

    assert bands(1, 1, 6, 83) == [(None, 7, 3, 8), (64, 127, 1, 83)]
    assert bands(1, 1, 90) == [(None, 127, 3, 92)]
    assert bands(90, 2, 7) == [(None, 7, 2, 9), (64, 127, 1, 90)]
    assert bands(1, 1) == []
    assert told(replace(release, sizes=np.array([1, 99])))["public"]["done"]["smallest"] is None


def test_a_risk_stands_for_a_class_size() -> None:
    """One in five is five people: a maximum risk is told of no fewer."""
    release = kohort.anonymize(releases.people(), freely(Job.of(releases.schema(), MaximumRisk(Fraction("0.2")))))
    model = told(release, Audience.PUBLIC)
    assert model["least"] == 5
    assert model["risks"]["after"]["prosecutor"]["highest"] <= 0.2
    assert model["risks"]["before"] is None
