"""The loss over the bulk of the values: where far ones stretch a domain, and only there."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import kohort
from kohort.release.bulk import bulk_losses, bulk_of
from tests.command import kohort as run

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.release import Release

#: 480 people of 20 to 79, eight of each age.
AGES = [str(20 + at % 60) for at in range(480)]


def released(ages: list[str], **options: object) -> Release:
    """The release of some ages, by k = 8 unless given."""
    frame = pl.DataFrame({"age": ages, "ill": ["flu", "gout"] * (len(ages) // 2)})
    given: dict[str, Any] = {"k": 8, "no_model": ["ill"], "allow_singling": ["ill"], **options}
    release: Release = kohort.anonymize(frame, quasi=["age"], sensitive=["ill"], **given)
    return release


def by_definition(release: Release, ages: list[str], low: int, high: int) -> float:
    """Record by record: the share of the bulk that the label covers; 1 for a suppressed record."""
    total = float(len(ages) - release.table.records)
    column = release.table["age"]
    for label in (column.values.to_list()[code] for code in column.codes.tolist()):
        ((first, last),) = re.findall(r"^\[?(-?\d+)(?:-(-?\d+))?[])]?$", label)
        ends = int(first), int(last or first) - label.endswith(")")
        total += max(min(ends[1], high) - max(ends[0], low), 0) / (high - low)
    return total / len(ages)


@pytest.mark.parametrize("far", ["999", "9999", "-500"])
def test_far_values_do_not_make_the_loss_of_others_small(far: str) -> None:
    """The exact loss divides by their range; that over the bulk is what the definition says of every record."""
    ages = [*AGES, *[far] * 8]
    release = released(ages, no_grid=True, k=24)
    [(name, found)] = bulk_losses(release).items()
    assert (name, found.far) == ("age", 8)
    assert found.loss == pytest.approx(by_definition(release, ages, 20, 79))
    assert release.losses["age"] != pytest.approx(found.loss, rel=0.01)


@pytest.mark.parametrize(
    "ages",
    [
        AGES,
        [*AGES, *["85"] * 8],
        [*AGES, *["999"] * 80],
        ["30"] * 480,
        [*["30"] * 480, *["999"] * 8],
        [str(at) for at in range(480)],
    ],
    ids=["clean", "near", "many far ones", "one value", "no range is left", "uniform"],
)
def test_no_bulk_is_told_where_none_is_meant(ages: list[str]) -> None:
    """Of values that are near, of many far ones, and where the bulk is a single value."""
    assert bulk_losses(released(ages)) == {}


def test_declared_bounds_are_the_domain() -> None:
    """Who declares the domain divides by it: nothing is left out."""
    assert bulk_losses(released([*AGES, *["999"] * 8], bounds={"age": (0, 1000)})) == {}


def test_dates_and_missing_values() -> None:
    """Days are numbers too; a missing value is none, and widens nothing."""
    days = [f"19{50 + at % 40}-0{1 + at % 9}-11" for at in range(472)]
    release = released([*days, *["9999-12-31"] * 8], no_grid=True)
    assert bulk_losses(release)["age"].far == 8
    assert bulk_losses(released([*AGES, *["999"] * 8, *[""] * 8], no_grid=True))["age"].far == 8


@pytest.mark.parametrize("options", [{}, {"grid": {"age": 10}}])
def test_a_grid_divides_by_the_range_of_the_others(options: dict[str, object]) -> None:
    """Far values lie in an open end: the exact loss is about that without them, and needs no other beside it."""
    release = released([*AGES, *["999"] * 8], **options)
    assert bulk_losses(release) == {}
    assert release.losses["age"] == pytest.approx(released(AGES, **options).losses["age"], rel=0.3)


def test_the_bulk_of_numbers() -> None:
    """It ends at the outer fences, and needs a few far records and a range that shrinks by half."""
    numbers = [Fraction(one) for one in (999, 20, 60, 40)]
    assert bulk_of(numbers, np.array([5, 100, 100, 100])) == (Fraction(20), Fraction(60), 5)
    assert bulk_of(numbers, np.array([50, 100, 100, 100])) is None
    assert bulk_of(numbers, np.array([0, 100, 100, 100])) is None
    assert bulk_of([], np.empty(0, np.int64)) is None


def test_a_run_tells_both_losses(tmp_path: Path) -> None:
    """Text and JSON show it beside the exact loss, and no value; of a table without far values neither."""
    for ages, told in (([*AGES, *["994"] * 8], True), (AGES, False)):
        pl.DataFrame({"age": ages, "one": "x", "ill": ["flu", "gout"] * (len(ages) // 2)}).write_csv(
            tmp_path / "in.csv"
        )
        flags = (
            "--quasi",
            "age,one",
            "--sensitive",
            "ill",
            "--no-model",
            "ill",
            "--k",
            8,
            "--dry-run",
            "--no-grid",
            "--out",
            "x.csv",
        )
        ran = run("anonymize", tmp_path / "in.csv", *flags)
        figures = run("anonymize", tmp_path / "in.csv", *flags, "--json").figures
        assert ("without the range of far values   LM" in ran.out) is told
        assert ("8 records lie far out" in ran.out) is told
        assert "over 1 of 2 columns; 1 has one value" in ran.out
        assert (set(figures["bulk"]), figures["constant"]) == ({"age"} if told else set(), ["one"])
        assert figures["metrics"]["ncp"] == pytest.approx(figures["losses"]["age"])
        assert "994" not in ran.out
