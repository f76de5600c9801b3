"""Defects seeded into a correct local recoding: each is caught, by the check whose business it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kohort.errors import UsageError
from kohort.models.k_anonymity import KAnonymity
from tests.unit.verify.full_domain import SILENT, THIRTIES, TWENTIES, full_domain
from tests.unit.verify.people import Draft, refused

#: The full-domain release whose classes are refined, and the same as one that nothing was refined of.
BASE = full_domain()
SAME = replace(BASE, levels={}, refined=BASE.levels)

#: The class without an age lives in Milan alone.
IN_MILAN = ("", "Milan")
GOOD = SAME.labelled(SILENT, IN_MILAN).ordered()


def without(release: Draft, *places: int) -> Draft:
    """The release without the records at some places, which it counts as suppressed."""
    kept = release.taking([place for place in range(len(release.rows)) if place not in places])
    return replace(kept, suppressed=release.suppressed + len(places), limit=None)


@pytest.mark.parametrize("release", [SAME, GOOD])
def test_correct_release_passes(release: Draft) -> None:
    """Classes may be on finer levels than the release that is refined, or on the same."""
    verdict = release.verdict()
    assert (verdict.records, verdict.suppressed, verdict.classes, verdict.smallest) == (11, 5, 3, 3)
    assert verdict.checks["suppression"] == 5
    assert verdict.checks["labels"] > 0
    assert not verdict.data_dependent


@pytest.mark.parametrize("label", ["[20-40)", "*"])
def test_label_coarser_than_the_refined_release(label: str) -> None:
    """A node above the claimed level is refused, though it holds the values."""
    assert refused(GOOD.labelled(THIRTIES, (label, "North")).ordered()) == "check labels, column age"


def test_label_that_is_no_node() -> None:
    """A range or a set is no label of a hierarchy."""
    assert refused(GOOD.labelled(THIRTIES, ("[30-39]", "North")).ordered()) == "check labels, column age"


def test_label_that_does_not_hold_the_value() -> None:
    """A finer node that some of the class's values are not below is refused."""
    assert refused(GOOD.labelled(THIRTIES, ("30-39", "Turin")).ordered()) == "check regions, column city"
    assert refused(GOOD.labelled(THIRTIES, ("50-79", "North")).ordered()) == "check regions, column age"


def test_class_parted_below_k() -> None:
    """One record on a finer level than the rest of its class is a class of its own, and too small."""
    place = [row[:2] for row in GOOD.rows].index(THIRTIES)
    city = GOOD.people[GOOD.lineage[place]][2]
    assert refused(GOOD.with_cell(place, "city", city).ordered()) == "check classes"


@pytest.mark.parametrize("labels", [THIRTIES, IN_MILAN])
def test_record_of_a_released_class_dropped(labels: tuple[str, str]) -> None:
    """No record is left out of a class that the refined release has, were it still large enough."""
    place = [row[:2] for row in GOOD.rows].index(labels)
    assert refused(without(GOOD, place)) == "check suppression"


@pytest.mark.parametrize("labels", [TWENTIES, THIRTIES, IN_MILAN])
def test_good_class_dropped(labels: tuple[str, str]) -> None:
    """A class that satisfies the models may not be left out."""
    places = [place for place, row in enumerate(GOOD.rows) if row[:2] == labels]
    assert refused(without(GOOD, *places)) == "check suppression"


@pytest.mark.parametrize("refined", [{"age": 0, "city": 1}, {"age": 1, "city": 0}, {"age": 4, "city": 1}])
def test_wrongly_claimed_levels(refined: dict[str, int]) -> None:
    """A release that is coarser than it says, or says a level that there is not, is refused."""
    assert refused(replace(GOOD, refined=refined)).startswith("check labels, column")


def test_higher_levels_would_have_kept_what_is_left_out() -> None:
    """Claiming higher levels is no way out: there the suppressed records lie in classes that are released."""
    assert refused(replace(GOOD, refined={"age": 2, "city": 2})) == "check suppression"


def test_levels_of_other_columns() -> None:
    """Levels are claimed of every quasi-identifier, or of none."""
    with pytest.raises(UsageError, match="a level for every quasi-identifier"):
        _ = replace(GOOD, refined={"age": 1}).claim


def test_models_see_the_released_classes() -> None:
    """What is asked for holds of the released classes, not of those that were refined."""
    assert refused(replace(GOOD, models=(KAnonymity(4),))) == "check classes"
