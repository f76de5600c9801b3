"""Laws of dates: a release of dates is that of their days as numbers, and the verifier reads both by itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort import anonymize
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.engines.pipeline import claim_of
from kohort.errors import VerificationError
from kohort.io import read
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job
from kohort.schema import Attribute, Role, Scale, Schema
from kohort.schema.dates import LAST, DateFormat, Period, day_of, read_days, spelled, starts
from kohort.verify import verify_table
from kohort.verify.values import begins, days_of, in_days
from tests.jobs import freely

if TYPE_CHECKING:
    from kohort.release import Release
    from kohort.schema import Grid

#: Dates of a register, among them some that share a month or a day.
BIRTHS = st.lists(st.dates(date(1930, 1, 1), date(1934, 12, 31)), min_size=4, max_size=30)

#: How a date of each form is written.
WRITTEN = {
    DateFormat.ISO: "{0.year:04}-{0.month:02}-{0.day:02}",
    DateFormat.YEAR_FIRST: "{0.year:04}/{0.month}/{0.day}",
    DateFormat.COMPACT: "{0.year:04}{0.month:02}{0.day:02}",
    DateFormat.POINTS: "{0.day}.{0.month}.{0.year:04}",
    DateFormat.DAY_FIRST: "{0.day:02}/{0.month:02}/{0.year:04}",
    DateFormat.MONTH_FIRST: "{0.month:02}/{0.day:02}/{0.year:04}",
    DateFormat.HYPHENS: "{0.day:02}-{0.month:02}-{0.year:04}",
    DateFormat.MONTH: "{0.year:04}-{0.month:02}",
    DateFormat.MONTH_STROKE: "{0.month}/{0.year:04}",
    DateFormat.MONTH_POINT: "{0.month:02}.{0.year:04}",
    DateFormat.MONTH_HYPHEN: "{0.month}-{0.year:04}",
    DateFormat.SHORT_POINTS: "{0.day}.{0.month}.{0:%y}",
    DateFormat.SHORT_DAY_FIRST: "{0.day:02}/{0.month:02}/{0:%y}",
    DateFormat.SHORT_MONTH_FIRST: "{0.month:02}/{0.day:02}/{0:%y}",
    DateFormat.SHORT_HYPHENS: "{0.day:02}-{0.month:02}-{0:%y}",
}


def of_form(form: DateFormat, grid: Grid | None = None) -> Attribute:
    """A column of dates of the form; years of two digits are those from 1930 to 2029."""
    return Attribute("day", Role.QUASI, date_format=form, pivot=1930 if form.is_short else None, grid=grid)


def first_day(day: date, form: DateFormat) -> date:
    """What a date of the form stands for: the day, or the first of its month."""
    return day if form.has_days else day.replace(day=1)


def released(values: list[str], attribute: Attribute, k: int) -> Release:
    """The verified release of a column, and of one that tells records apart no more."""
    job = Job(Schema((attribute, Attribute("sex", Role.QUASI))), (KAnonymity(k),), Mondrian())
    sexes = ["f" if place % 3 else "m" for place in range(len(values))]
    return anonymize(pl.DataFrame({"day": values, "sex": sexes}), freely(job))


def labels(release: Release) -> list[str]:
    """The labels of the column, in the order of the input."""
    column = release.table["day"]
    shown = [column.values[code] or "" for code in column.codes.tolist()]
    return [label for _, label in sorted(zip(release.lineage.tolist(), shown, strict=True))]


@given(BIRTHS, st.sampled_from(DateFormat), st.sampled_from([None, "round", *Period]))
def test_a_release_of_dates_is_that_of_their_days(births: list[date], form: DateFormat, grid: Grid | None) -> None:
    """Cuts, classes and labels are those of the whole numbers that days are, with the same cut points."""
    dates = released([WRITTEN[form].format(day) for day in births], of_form(form, grid), 2)
    days = [first_day(day, form).toordinal() for day in births]
    period = dates.job.schema.attributes[0].grid if grid else None
    cuts = tuple(map(Fraction, starts(period, min(days), max(days)))) if isinstance(period, Period) else None
    numbers = released(list(map(str, days)), Attribute("day", Role.QUASI, Scale.NUMERIC, grid=cuts), 2)
    assert [read_days(label) for label in labels(dates)] == labels(numbers)
    assert dates.losses == numbers.losses
    assert dates.verdict is not None
    assert numbers.verdict is not None
    assert dates.verdict.exposed == numbers.verdict.exposed
    assert dates.verdict.data_dependent == numbers.verdict.data_dependent


@given(st.dates(), st.sampled_from(DateFormat), st.sampled_from(["", " 08:15", "T23:59:59.5Z", " 8:15 PM", " 25"]))
def test_search_and_verifier_read_the_same_days(day: date, form: DateFormat, time: str) -> None:
    """Each with its own reader; a text that is no date is none to both."""
    text = WRITTEN[form].format(day) + time
    attribute = of_form(form)
    assert days_of(pl.Series([text]), attribute).to_list() == [day_of(text, form, attribute.pivot)]
    meant = first_day(day, form) if 1930 <= day.year < 2030 or not form.is_short else None
    if meant is not None:
        assert day_of(text, form, attribute.pivot) == (None if time == " 25" else meant.toordinal())


@given(st.text(alphabet="0123456789-/. T:", max_size=12), st.sampled_from(DateFormat))
def test_search_and_verifier_refuse_the_same_texts(text: str, form: DateFormat) -> None:
    """Also texts that are nearly dates."""
    attribute = of_form(form)
    assert days_of(pl.Series([text]), attribute).to_list() == [day_of(text, form, attribute.pivot)]


@given(st.integers(1, LAST), st.integers(0, 40_000), st.sampled_from(Period))
def test_a_period_begins_where_the_verifier_says(low: int, width: int, period: Period) -> None:
    """All cut points are beginnings, they hold the days, and between two there is no other."""
    high = min(low + width, LAST)
    cuts = starts(period, low, high)
    assert cuts[0] <= low < cuts[1]
    assert cuts[-2] <= high < cuts[-1]
    inside = range(cuts[0], min(cuts[0] + 2_000, cuts[-1] + 1))
    assert [day for day in inside if begins(period, day)] == [cut for cut in cuts if cut in inside]


@given(st.integers(1, LAST), st.integers(1, LAST + 1), st.sampled_from("])"))
def test_labels_are_read_alike(low: int, high: int, bracket: str) -> None:
    """By the public reader and by the verifier."""
    label = f"[{spelled(low)} – {spelled(high)}{bracket}"
    assert read_days(label) == in_days([label]).item() == f"[{low}-{high}{bracket}"


def test_the_verifier_refuses_an_input_of_another_form() -> None:
    """What the schema says of dates is held against every value of the input."""
    release = released(["1930-03-01", "1930-04-01"] * 2, Attribute("day", Role.QUASI), 2)
    claim = claim_of(release)
    day = replace(release.job.schema.attributes[0], date_format=DateFormat.POINTS)
    with pytest.raises(VerificationError, match="2 values of the input are not dates"):
        verify_table(release.table, replace(claim, schema=claim.schema.changed([day])))


def test_a_column_without_a_date_is_released() -> None:
    """Where no record has a value there is no day, and nothing to tell."""
    release = released(["", "", "", ""], Attribute("day", Role.QUASI, Scale.DATE, grid=Period.YEAR), 2)
    assert labels(release) == ["", "", "", ""]


WRONG = [
    "[1930-01-01 – 1935-01-02)",  # no cut of the grid
    "[1930-01-01 – 1934-12-31]",  # closed
    "[1930-01-01-1935-01-01)",  # a hyphen between
    "[1940-01-01 – 1945-01-01)",  # others
    "[1930-02-30 – 1935-01-01)",  # no day
    "1930-03-01",  # a day beside a grid
    "[10957-12784)",  # numbers
]


@pytest.mark.parametrize("label", WRONG)
def test_a_false_label_of_dates_is_refused(label: str) -> None:
    """The verifier reads what is written, whatever the search meant."""
    births = [date(1930, 3, 1) + timedelta(days=300 * place) for place in range(6)]
    release = released([day.isoformat() for day in births], Attribute("day", Role.QUASI, grid=Period.FIVE_YEARS), 6)
    assert set(labels(release)) == {"[1930-01-01 – 1935-01-01)"}
    frame = pl.DataFrame({"day": [label] * 6, "sex": ["{f, m}"] * 6})
    with pytest.raises(VerificationError):
        verify_table(read(frame), claim_of(release))
