"""The verifier's own calendar: on which days public periods begin, and how dates are read."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from kohort.schema import Attribute, Role, Scale
from kohort.schema.dates import DateFormat, Period
from kohort.verify.values import begins, days_of, in_days, values_of

LAST = date.max.toordinal()


@pytest.mark.parametrize("period", Period)
def test_the_ends_of_the_calendar_are_ends_of_every_period(period: Period) -> None:
    """Its first day and the one after its last; what lies beyond is no day, and no error."""
    assert begins(period, 1)
    assert begins(period, LAST + 1)
    assert not any(begins(period, day) for day in (-1, 0, LAST + 2, 10**20))


@pytest.mark.parametrize(
    ("period", "first", "other"),
    [
        (Period.WEEK, (2024, 3, 4), (2024, 3, 5)),
        (Period.MONTH, (2024, 3, 1), (2024, 3, 2)),
        (Period.QUARTER, (2024, 4, 1), (2024, 3, 1)),
        (Period.YEAR, (2024, 1, 1), (2024, 7, 1)),
        (Period.FIVE_YEARS, (2025, 1, 1), (2024, 1, 1)),
        (Period.DECADE, (2020, 1, 1), (2025, 1, 1)),
        (Period.CENTURY, (2000, 1, 1), (2010, 1, 1)),
    ],
)
def test_a_period_begins(period: Period, first: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    """On its first day, and on no other, such as the first one of a shorter period."""
    assert begins(period, date(*first).toordinal())
    assert not begins(period, date(*other).toordinal())


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (None, "2024-03-09"),
        (DateFormat.ISO, "2024-03-09T23:15:00Z"),
        (DateFormat.YEAR_FIRST, "2024/3/9"),
        (DateFormat.COMPACT, "20240309"),
        (DateFormat.POINTS, "9.3.2024 11:15 PM"),
        (DateFormat.DAY_FIRST, "9/3/2024"),
        (DateFormat.MONTH_FIRST, "3/9/2024"),
        (DateFormat.HYPHENS, "09-03-2024"),
    ],
)
def test_a_day_in_every_form(form: DateFormat | None, text: str) -> None:
    """The day counts from 1 January of year 1, whatever its form and its time; what is no day is null."""
    attribute = Attribute("born", Role.QUASI, Scale.DATE, date_format=form)
    assert days_of(pl.Series([text, "x", "2024-02-30", ""]), attribute).to_list() == [
        date(2024, 3, 9).toordinal(),
        *[None] * 3,
    ]


def test_labels_of_days_that_there_are_not() -> None:
    """A range with an end that is no day is read as nothing that anything explains."""
    labels = ["2024-02-30", "[2024-02-01 – 2024-02-30]", "[0000-01-01 – 0001-01-01)", "", "*", "0001-01-01"]
    assert in_days(labels).to_list() == ["?", "?", "?", "", "*", "1"]


def test_the_day_after_the_last_ends_the_last_period() -> None:
    """The last period ends after the calendar, on a day that follows its last; the one after that is none."""
    labels = ["9999-12-31", "[9990-01-01 – 10000-01-01)", "<10000-01-01", "[9990-01-01 – 10000-01-02)"]
    first = date(9990, 1, 1).toordinal()
    assert in_days(labels).to_list() == [f"{LAST}", f"[{first}-{LAST + 1})", f"<{LAST + 1}", "?"]


def test_the_first_day_is_a_day() -> None:
    """Day 1 is the first; the one before it is none."""
    attribute = Attribute("born", Role.QUASI, Scale.DATE)
    assert days_of(pl.Series(["0001-01-01", "0000-12-31"]), attribute).to_list() == [1, None]


def test_an_open_end_is_printed_by_its_label() -> None:
    """In a cell, as the end of a range, and among the names of its column; the other end is a day."""
    born = Attribute("born", Role.QUASI, Scale.DATE)
    texts = pl.Series(["1991-02-03", "before 1990-01-01", "1995-06-07"])
    values = values_of(born, texts, lambda: np.ones(3, np.int64), frozenset({""}))
    assert values.ends.to_list() == ["before 1990-01-01", "1991-02-03", "1995-06-07"]
    assert values.printed.to_list()[1] == values.labels[0] == values.names[0] == "before 1990-01-01"
