"""Defects seeded into a correct full-domain release: each is caught, by the check whose business it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kohort.io.forms import Format
from kohort.schema import Missing
from tests.unit.verify.full_domain import ALONE, OLD, OLD_SOUTH, SILENT, THIRTIES, TWENTIES, full_domain, schema_of
from tests.unit.verify.people import PEOPLE, Draft, refused

GOOD = full_domain()

#: What the release would be if no class were suppressed, whatever its size.
EVERYBODY = full_domain(k=1)


def place_of(release: Draft, labels: tuple[str, str]) -> int:
    """Where the first record of a class stands."""
    return [row[:2] for row in release.rows].index(labels)


def with_record_of(labels: tuple[str, str]) -> Draft:
    """The release with one more record, of a class that is too small."""
    place = place_of(EVERYBODY, labels)
    lineage = (*GOOD.lineage, EVERYBODY.lineage[place])
    wrong = replace(GOOD, rows=(*GOOD.rows, EVERYBODY.rows[place]), lineage=lineage, suppressed=GOOD.suppressed - 1)
    return wrong.ordered()


def without(*places: int) -> Draft:
    """The release without the records at some places, which it counts as suppressed."""
    kept = GOOD.taking([place for place in range(len(GOOD.rows)) if place not in places])
    return replace(kept, suppressed=GOOD.suppressed + len(places), limit=None)


@pytest.mark.parametrize("format_", list(Format))
def test_correct_release_passes(format_: str) -> None:
    """A release without a defect is accepted in every format; nothing in it depends on the data."""
    verdict = replace(GOOD, format=format_).verdict()
    assert (verdict.records, verdict.suppressed, verdict.classes, verdict.smallest) == (11, 5, 3, 3)
    assert (verdict.data_dependent, verdict.range_exposure) == (False, 0)
    assert verdict.checks["suppression"] == 5
    assert "ends" not in verdict.checks


# ── labels ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("column", "label"),
    [
        ("age", "38"),  # a level too fine
        ("city", "Milan"),
        ("age", "[20-40)"),  # a level too coarse
        ("age", "*"),
        ("city", "*"),
        ("age", "[30-39]"),  # a range, a set, another spelling
        ("age", "30-38"),
        ("age", "30-39 "),
        ("city", "NORTH"),
        ("city", "{Milan, Turin}"),
        ("city", ""),  # nobody's city is missing
    ],
)
def test_label_of_another_level(column: str, label: str) -> None:
    """A label that is no node of the level is refused, though one of another level may hold the value."""
    oldest = max(place for place, row in enumerate(GOOD.rows) if row[:2] == THIRTIES)
    wrong = GOOD.with_cell(oldest, column, label)
    assert refused(wrong) == f"check labels, column {column}"
    assert refused(wrong.ordered()) == f"check labels, column {column}"


def test_class_on_another_level() -> None:
    """A whole class on another level is refused, as locally recoded."""
    assert refused(GOOD.labelled(THIRTIES, ("30-39", "Milan")).ordered()) == "check labels, column city"


@pytest.mark.parametrize(("column", "label"), [("age", "20-29"), ("age", "50-79"), ("city", "Centre"), ("age", "")])
def test_label_of_a_wrong_node(column: str, label: str) -> None:
    """A node of the level that does not hold the value is refused."""
    wrong = GOOD.with_cell(place_of(GOOD, THIRTIES), column, label)
    assert refused(wrong.ordered()) == f"check regions, column {column}"


@pytest.mark.parametrize(
    ("levels", "column"),
    [
        ({"age": 0, "city": 1}, "age"),
        ({"age": 2, "city": 1}, "age"),
        ({"age": 1, "city": 0}, "city"),
        ({"age": 1, "city": 2}, "city"),
        ({"age": 4, "city": 1}, "age"),
        ({"age": 1, "city": 3}, "city"),
        ({"age": 1, "city": -1}, "city"),
    ],
)
def test_wrongly_claimed_levels(levels: dict[str, int], column: str) -> None:
    """A release that is on other levels than it says, or says one that there is not, is refused."""
    assert refused(replace(GOOD, levels=levels)) == f"check labels, column {column}"


def test_level_above_the_allowed_one() -> None:
    """A level that the schema does not allow is refused, though the labels are right."""
    release = full_domain(levels={"age": 2, "city": 1})
    assert replace(release, schema=schema_of(max_level=2)).verdict().classes == 3
    assert refused(replace(release, schema=schema_of(max_level=1))) == "check labels, column age"


def test_missing_value_on_a_node() -> None:
    """A missing value has a node of its own on every level below the root."""
    assert refused(GOOD.labelled(SILENT, ("30-39", "North")).ordered()) == "check regions, column age"
    assert refused(GOOD.labelled(SILENT, ("*", "North")).ordered()) == "check labels, column age"


# ── what is left out ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("labels", [OLD, OLD_SOUTH, ALONE])
def test_record_of_a_failing_class_left_in(labels: tuple[str, str]) -> None:
    """A record of a class that is too small is refused."""
    assert refused(with_record_of(labels)) == "check classes"


def test_failing_class_left_in() -> None:
    """A release in which nothing is suppressed has classes that are too small."""
    assert refused(replace(EVERYBODY, models=GOOD.models)) == "check classes"


@pytest.mark.parametrize("labels", [THIRTIES, SILENT])
def test_record_of_a_good_class_dropped(labels: tuple[str, str]) -> None:
    """A record may not be left out of a class that is released, were it still large enough."""
    assert refused(without(place_of(GOOD, labels))) == "check suppression"


@pytest.mark.parametrize("labels", [TWENTIES, THIRTIES, SILENT])
def test_good_class_dropped(labels: tuple[str, str]) -> None:
    """A class that satisfies the models may not be left out, as a whole no more than in part."""
    wrong = without(*(place for place, row in enumerate(GOOD.rows) if row[:2] == labels))
    assert refused(wrong) == "check suppression"


def test_good_classes_dropped_all() -> None:
    """A release of nobody is no way out."""
    assert refused(without(*range(len(GOOD.rows)))) == "check suppression"


def test_one_more_suppressed_than_allowed() -> None:
    """The search may suppress as many records as are allowed, and none more."""
    assert replace(GOOD, limit=5).verdict().suppressed == 5
    assert refused(replace(GOOD, limit=4)) == "check records"
    assert refused(replace(GOOD, limit=0)) == "check records"


@pytest.mark.parametrize("suppressed", [4, 6, 0])
def test_wrong_count_of_suppressed_records(suppressed: int) -> None:
    """The records that are not there are the suppressed ones, to the last."""
    assert refused(replace(GOOD, suppressed=suppressed)) == "check records"


# ── missing values that suppress ─────────────────────────────────────────────────────────────────


def test_records_without_a_value_are_no_suppression_of_the_search() -> None:
    """Records that the schema suppresses come on top of the limit; how many of each there are nobody is told."""
    release = full_domain(missing=Missing.SUPPRESS)
    verdict = release.verdict()
    assert (verdict.records, verdict.suppressed, verdict.checks["suppression"]) == (7, 9, 9)
    assert refused(replace(release, limit=4)) == "check records"
    # The same rows, where nothing says that a missing value suppresses: then the search did it.
    assert refused(replace(release, schema=schema_of())) == "check records"
    assert refused(replace(release, schema=schema_of(), limit=None)) == "check suppression"


@pytest.mark.parametrize("levels", [{"age": 1, "city": 1}, {"age": 3, "city": 1}])
def test_record_left_in_that_the_schema_suppresses(levels: dict[str, int]) -> None:
    """A record whose missing value suppresses it may not be released, not even where nothing is told of the value."""
    wrong = replace(full_domain(levels=levels), schema=schema_of(Missing.SUPPRESS))
    assert refused(wrong) == "check regions, column age"


# ── spelling ─────────────────────────────────────────────────────────────────────────────────────


#: One Roman spells the city otherwise.
SPELLED = tuple((*row[:2], "rome" if row[0] == "Tito Livi" else row[2], *row[3:]) for row in PEOPLE)


def test_spellings_that_make_two_classes_one() -> None:
    """Values that differ in spelling are two: a class of both is two classes, each too small."""
    good, everybody = (full_domain(SPELLED, {"age": 1, "city": 0}, k) for k in (3, 1))
    romans = [place for place, row in enumerate(everybody.rows) if row[0] == "20-29" and row[1] in {"Rome", "rome"}]
    assert len(romans) == 3
    assert good.verdict().classes == 2
    kept = [place for place, of in enumerate(everybody.lineage) if of in good.lineage or place in romans]
    wrong = replace(everybody.taking(kept), suppressed=16 - len(kept), models=good.models, limit=None)
    assert refused(wrong) == "check classes"
    as_one = replace(wrong, rows=tuple((row[0], row[1].replace("rome", "Rome"), *row[2:]) for row in wrong.rows))
    assert refused(as_one.ordered()) == "check regions, column city"


def test_spellings_below_one_node_are_one_class() -> None:
    """Where the level does not tell the spellings apart, nobody is left out for them."""
    assert full_domain(SPELLED).rows == GOOD.rows
    assert full_domain(SPELLED).verdict() == GOOD.verdict()
