"""Defects seeded into perturbed columns and pseudonyms: each is caught, by the check whose business it is."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort import Attribute, Job, KAnonymity, Role, Schema
from kohort.errors import VerificationError
from kohort.perturbation.noise import Noise
from kohort.perturbation.post_randomization import PostRandomization
from kohort.perturbation.pseudonyms import Key
from kohort.samples.italy import italy
from kohort.tables.table import Column, Table, narrow
from kohort.verify import Claim, verify_table
from kohort.verify.altered import moments
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.release import Release

KEY = Key(bytes(range(32)))
PEOPLE = italy(60, seed=5).with_columns(
    annual_income=pl.when(pl.col("person_id").str.ends_with("7")).then(None).otherwise(pl.col("annual_income"))
)
SCHEMA = Schema(
    (
        Attribute("person_id", Role.IDENTIFYING, pseudonym=True),
        Attribute("age", Role.QUASI),
        Attribute("annual_income", Role.SENSITIVE),
        Attribute("gender", Role.SENSITIVE),
    ),
    rest=Role.IDENTIFYING,
)
JOB = freely(
    Job.of(
        SCHEMA,
        KAnonymity(3),
        perturbations=(
            Noise("annual_income", decimals=0, lower=Fraction(0), upper=Fraction(10**6)),
            PostRandomization("gender"),
        ),
        key=KEY,
        seed=1,
        insecure_reproducible=True,
    )
)


@cache
def release() -> Release:
    """The release that defects are seeded into."""
    return kohort.anonymize(PEOPLE, JOB)


@cache
def claim() -> Claim:
    """What is claimed of it."""
    made = release()
    return Claim(
        made.job.schema,
        made.job.models,
        made.source,
        made.lineage,
        effects=made.effects,
        key=KEY,
        allowed=JOB.allow_singling,
    )


def changed(name: str, change: Callable[[list[str | None]], None]) -> Table:
    """The release with the cells of one column changed, in the same places."""
    columns: list[Column] = []
    for column in release().table.columns:
        if column.name != name:
            columns.append(column)
            continue
        cells: list[str | None] = column.values.gather(column.codes).to_list()
        change(cells)
        values = pl.Series(name, sorted({*cells}, key=lambda one: (one is not None, one or "")), pl.String)
        places = {one: place for place, one in enumerate(values.to_list())}
        codes = narrow(np.array([places[one] for one in cells]), len(values))
        columns.append(Column(name, values, codes, column.dtype))
    return Table(tuple(columns), release().table.records)


def refused(table: Table, claimed: Claim | None = None) -> tuple[str, str]:
    """The check and column that refuse it, and what they say."""
    with pytest.raises(VerificationError) as told:
        verify_table(table, claimed or claim())
    return told.value.where, told.value.what


def present(cells: list[str | None]) -> int:
    """The first record that has a value."""
    return next(place for place, cell in enumerate(cells) if cell is not None)


def test_the_release_itself_passes() -> None:
    """What was released is accepted, each altered column by its own check."""
    checks = verify_table(release().table, claim()).checks
    assert (checks["perturbation"], checks["pseudonyms"]) == (120, 60)


def test_another_pseudonym() -> None:
    """A pseudonym of another record, or of another key, is refused."""

    def swap(cells: list[str | None]) -> None:
        cells[0], cells[-1] = cells[-1], cells[0]

    assert refused(changed("person_id", swap)) == (
        "check pseudonyms, column person_id",
        "2 cells are not the pseudonyms of their records' identifiers",
    )
    where, what = refused(release().table, replace(claim(), key=Key(bytes(32))))
    assert (where, what[:2]) == ("check pseudonyms, column person_id", "60")


def test_an_identifier_as_it_is() -> None:
    """An identifier in the place of its pseudonym is refused as what it is: a name."""

    def on_progress(cells: list[str | None]) -> None:
        cells[0] = PEOPLE["person_id"][int(release().lineage[0])]

    assert refused(changed("person_id", on_progress))[0] == "check identifiers, column person_id"


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        ("1,000", "some cells are not plain numbers"),
        ("1e3", "some cells are not plain numbers"),
        ("007", "some cells are not plain numbers"),
        ("-0", "some cells are not plain numbers"),
        ("+5", "some cells are not plain numbers"),
        ("12.5", "some cells have more decimals than claimed"),
        ("-1", "some cells lie outside the bounds"),
        ("1000001", "some cells lie outside the bounds"),
        ("1", "the mean is not the claimed one"),
    ],
)
def test_another_number(cell: str, what: str) -> None:
    """A cell that is written otherwise, lies outside the bounds or moves the mean is refused."""

    def on_progress(cells: list[str | None]) -> None:
        cells[present(cells)] = cell

    assert refused(changed("annual_income", on_progress)) == ("check perturbation, column annual_income", what)


def test_another_variance() -> None:
    """Cells that keep the mean and move the variance are refused."""

    def spread(cells: list[str | None]) -> None:
        numbers = sorted((int(cell), place) for place, cell in enumerate(cells) if cell is not None)
        for (number, place), step in ((numbers[3], -1), (numbers[-3], 1)):
            cells[place] = str(number + step)

    assert refused(changed("annual_income", spread))[1] == "the variance is not the claimed one"


def test_missing_values() -> None:
    """A value where there was none, and none where there was one, are refused."""

    def fill(cells: list[str | None]) -> None:
        cells[cells.index(None)] = "5000"

    def empty(cells: list[str | None]) -> None:
        cells[present(cells)] = None

    assert refused(changed("annual_income", fill))[1] == "missing cells have a value or another mark"
    assert refused(changed("annual_income", empty))[1] == "some cells are not plain numbers"


def test_names_of_their_own() -> None:
    """A perturbed name that is none of the column's is refused."""

    def invent(cells: list[str | None]) -> None:
        cells[0] = "neither"

    assert refused(changed("gender", invent)) == (
        "check perturbation, column gender",
        "some values do not occur in the column",
    )


@pytest.mark.parametrize(
    ("column", "changes", "what"),
    [
        ("annual_income", {"records": 1}, "the records with a value are not the claimed ones"),
        ("annual_income", {"mean": (1.0, 1.0)}, "the mean is not the claimed one"),
        ("annual_income", {"variance": None}, "the variance is not the claimed one"),
        ("annual_income", {"variance": (1.0, 1.0)}, "the variance is not the claimed one"),
        ("gender", {"unchanged": 0}, "the unchanged records are not the claimed ones"),
        ("gender", {"mean": (0.0, 0.0)}, "some cells are not plain numbers"),
    ],
)
def test_an_effect_that_is_not_so(column: str, changes: dict[str, Any], what: str) -> None:
    """What is said of a perturbation must be true of the cells."""
    effects = tuple(replace(one, **changes) if one.column == column else one for one in claim().effects)
    assert refused(release().table, replace(claim(), effects=effects))[1] == what


@pytest.mark.parametrize("moment", ["mean", "variance"])
def test_moments_are_those_that_are_said_but_for_rounding(moment: str) -> None:
    """Another order of the sum changes their last digits, which is accepted; a millionth is refused, of either one."""
    income, gender = release().effects
    for place in range(2):
        for change, right in ((1e-12, True), (-1e-12, True), (1e-6, False), (-1e-6, False)):
            said = [*getattr(income, moment)]
            said[place] *= 1 + change
            changes: dict[str, Any] = {moment: tuple(said)}
            other = replace(claim(), effects=(replace(income, **changes), gender))
            if right:
                assert verify_table(release().table, other).records == 60
            else:
                assert refused(release().table, other)[1] == f"the {moment} is not the claimed one"


def test_one_record_more_is_said_to_be_unchanged() -> None:
    """The number of unchanged records is exact."""
    income, gender = release().effects
    wrong = replace(income, unchanged=income.unchanged + 1)
    assert refused(release().table, replace(claim(), effects=(wrong, gender)))[1] == (
        "the unchanged records are not the claimed ones"
    )


def test_perturbed_in_secret() -> None:
    """A column that is perturbed without being said so differs from the input."""
    where, _ = refused(release().table, replace(claim(), effects=release().effects[1:]))
    assert where == "check cells, column annual_income"


@given(st.lists(st.tuples(st.integers(-1000, 1000), st.integers(1, 4)), min_size=1))
def test_moments(held: list[tuple[int, int]]) -> None:
    """Mean and variance of counted values are those of the values written out."""
    amounts, counts = np.array(held, np.float64).T
    mean, variance = moments(amounts, counts.astype(np.int64))
    every = np.repeat(amounts, counts.astype(np.int64))
    assert np.isclose(mean, every.mean())
    if every.size == 1:
        assert variance is None
    else:
        assert variance is not None
        assert np.isclose(variance, every.var(ddof=1))


def test_moments_of_nothing() -> None:
    """No values have no spread."""
    assert moments(np.empty(0), np.empty(0, np.int64)) == (0.0, None)
