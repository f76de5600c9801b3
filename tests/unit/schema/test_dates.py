"""Dates as a scale: how they are read, and what the schema takes and refuses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kohort.errors import InputError, SchemaError
from kohort.schema import Attribute, Label, Role, Scale
from kohort.schema.dates import LAST, DateFormat, Period, day_of, formats_of, round_period, spelled, starts
from kohort.schema.domain import resolve

DAYS = ("1984-03-01", "1984-05-31", "2001-12-24")


def domain(*values: str, **said: Any) -> tuple[tuple[str, ...], Attribute]:  # noqa: ANN401  as of Attribute
    """The texts of the domain over these values, and its attribute."""
    made = resolve(Attribute("day", Role.QUASI, **said), values, np.ones(len(values), np.int64), frozenset({""}))[0]
    return made.texts, made.attribute


def test_values_that_are_all_dates_of_one_form_are_days() -> None:
    """Whatever the form, and with a time of the day or without, what is released is the day in ISO 8601."""
    for written in ("1.3.1984 08:15", "01.03.1984"):
        texts, attribute = domain(written, "31.05.1984", "")
        assert texts == ("", "1984-03-01", "1984-05-31")
        assert (attribute.scale, attribute.date_format) == (Scale.DATE, DateFormat.POINTS)


@pytest.mark.parametrize("form", DateFormat)
def test_the_shortest_date_of_each_form_is_one(form: DateFormat) -> None:
    """Texts are searched for dates only if one of them is long enough."""
    short = form.value.replace("yyyy", "2013").replace("yy", "13").replace("mm", "1").replace("dd", "1")
    padded = (
        short
        if form not in {DateFormat.ISO, DateFormat.COMPACT, DateFormat.MONTH}
        else form.value.translate(str.maketrans("ymd", "111"))
    )
    assert form in formats_of([padded], 1930)
    assert form in formats_of([padded, f"before {padded}"], 1930)


@pytest.mark.parametrize(
    "said",
    [{"scale": "categorical"}, {"hierarchy": "dates"}, {"label": "set"}, {"hierarchy": "suppress"}],
)
def test_the_schema_can_leave_dates_names(said: dict[str, object]) -> None:
    """A hierarchy, sets and a categorical scale are of names."""
    assert domain(*DAYS, **said)[1].date_format is None


def test_eight_digits_are_a_number_unless_they_are_said_to_be_a_date() -> None:
    """`19840301` may be an id."""
    assert domain("19840301", "19840531")[1].scale is None
    assert domain("19840301", "19840531", scale="date")[0] == ("1984-03-01", "1984-05-31")


def test_dates_of_two_readings_are_refused() -> None:
    """3 April or 4 March: the data cannot tell, so the steward must."""
    with pytest.raises(InputError, match="can be read as dd/mm/yyyy or as mm/dd/yyyy") as caught:
        domain("03/04/1984", "05/06/1984")
    assert "--date-format day=dd/mm/yyyy" in caught.value.hint
    assert domain("03/04/1984", date_format="mm/dd/yyyy")[0] == ("1984-03-04",)
    assert domain("03/04/1984", "25/06/1984")[1].date_format is DateFormat.DAY_FIRST


def test_what_is_said_to_be_a_date_must_be_one() -> None:
    """The message counts, and repeats no value."""
    with pytest.raises(InputError, match=r"1 values \(1 records\) are not dates of the form yyyy-mm-dd") as caught:
        domain(*DAYS, "1984-02-30", scale="date")
    assert "1984" not in str(caught.value)
    with pytest.raises(InputError, match=r"3 values \(3 records\) are not dates of the form dd\.mm\.yyyy"):
        domain(*DAYS, date_format="dd.mm.yyyy")
    with pytest.raises(InputError, match=r"1 values \(1 records\) are not dates of the form dd\.mm\.yyyy"):
        domain("1984-03-01", "01.03.1984", "31.5.1984", grid="year")


def test_a_date_that_is_none_makes_names() -> None:
    """Without a word of the schema, one value that is no date leaves a column of names."""
    assert domain(*DAYS, "unknown")[1].scale is None


@pytest.mark.parametrize(
    "said",
    [
        {"scale": "date", "hierarchy": "suppress"},
        {"scale": "date", "hierarchy": "dates", "grid": "year"},
        {"scale": "categorical", "hierarchy": "dates", "date_format": "yyyy-mm-dd"},
        {"date_format": "dd.mm.yy"},
        {"date_format": "dd.mm.yyyy", "pivot": 1930},
        {"date_format": "dd.mm.yy", "pivot": 30},
        {"scale": "categorical", "pivot": 1930},
        {"scale": "date", "label": "set"},
        {"scale": "date", "label": "mean"},
        {"scale": "date", "bounds": (0, 1)},
        {"scale": "date", "grid": 5},
        {"scale": "numeric", "date_format": "yyyy-mm-dd"},
        {"scale": "categorical", "grid": "year"},
    ],
)
def test_what_contradicts_dates_is_refused(said: dict[str, Any]) -> None:
    """They are released as ranges of days, on periods of the calendar."""
    with pytest.raises(SchemaError):
        Attribute("day", Role.QUASI, **said)


def test_dates_are_of_quasi_identifiers() -> None:
    """Other columns are not generalized."""
    with pytest.raises(SchemaError, match="only quasi-identifying columns are generalized"):
        Attribute("day", Role.SENSITIVE, "date")  # type: ignore[arg-type]


def test_a_job_wide_mean_leaves_dates_ranges() -> None:
    """Days have no mean that a label could print."""
    assert domain(*DAYS, label="mean")[1].label is None
    assert domain(*DAYS, label=Label.NAMES)[1].label is None


def test_a_column_without_a_value_has_no_dates() -> None:
    """There is nothing to read."""
    assert domain("", scale="date")[0] == ("",)
    assert formats_of([]) == []


def test_a_grid_puts_days_in_whole_periods() -> None:
    """A cell is called by its first day and the first of the next."""
    assert domain(*DAYS, "", grid="quarter")[0] == (
        "",
        "[1984-01-01 – 1984-04-01)",
        "[1984-04-01 – 1984-07-01)",
        "[2001-10-01 – 2002-01-01)",
    )
    assert domain(*DAYS, grid="round")[1].grid is Period.YEAR


@pytest.mark.parametrize(
    ("first", "last", "period"),
    [
        ("2024-01-01", "2024-03-31", "week"),
        ("2024-01-01", "2025-03-31", "month"),
        ("2024-01-01", "2028-03-31", "quarter"),
        ("2004-01-01", "2020-03-31", "year"),
        ("1931-01-01", "2020-03-31", "five-years"),
        ("1900-01-01", "2020-03-31", "decade"),
        ("1500-01-01", "2020-03-31", "century"),
        ("0001-01-01", "9999-12-31", "century"),
    ],
)
def test_a_round_period_divides_the_range_into_about_twenty(first: str, last: str, period: str) -> None:
    """Weeks for months, years for decades; a calendar of centuries has more than twenty."""
    low, high = (day_of(day, DateFormat.ISO) or 0 for day in (first, last))
    assert round_period(low, high) == period


@pytest.mark.parametrize("period", Period)
def test_periods_reach_to_both_ends_of_the_calendar(period: Period) -> None:
    """The first begins with year 1, the last ends with the day after 9999."""
    assert starts(period, 1, 1)[0] == 1
    assert starts(period, LAST, LAST)[-1] == LAST + 1
    assert spelled(LAST + 1) == "10000-01-01"


def test_a_grid_of_periods_is_a_grid() -> None:
    """It is told from a number by its word alone."""
    assert Attribute("day", Role.QUASI, grid="year").grid is Period.YEAR  # type: ignore[arg-type]
    assert Attribute("day", Role.QUASI, grid="5").grid == Fraction(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "hierarchy"),
    [
        ({"date_format": "dd.mm.yyyy"}, "dates:dd.mm.yyyy"),
        ({"date_format": "dd/mm/yy", "pivot": 1930}, "dates:dd/mm/yy:1930"),
        ({"pivot": 1930}, "dates:1930"),
        ({"scale": "date"}, "dates"),
        ({}, "dates"),
    ],
)
def test_the_builder_of_dates_has_the_format(said: dict[str, Any], hierarchy: str) -> None:
    """What reads the dates is the hierarchy, so that the certificate and every engine name one thing."""
    made = Attribute("day", Role.QUASI, hierarchy="dates", **said)
    assert made == Attribute("day", Role.QUASI, hierarchy=hierarchy)
    assert Attribute("day", Role.QUASI, hierarchy="dates:year", **said).hierarchy == f"{hierarchy}:year"


def test_years_of_two_digits_need_their_hundred_years() -> None:
    """Somebody born in 45 is 80 years old or not born yet; without a word of the schema the texts are names."""
    assert domain("01.02.45", "03.04.29")[1].scale is None
    with pytest.raises(InputError, match="2 dates have years of two digits") as caught:
        domain("01.02.45", "30.04.29", scale="date")
    assert "--pivot day=1930" in caught.value.hint
    assert domain("01.02.45", "30.04.29", scale="date", pivot=1930)[0] == ("1945-02-01", "2029-04-30")
    with pytest.raises(InputError, match="can be read as dd/mm/yy or as mm/dd/yy") as caught:
        domain("01/02/45", scale="date")
    assert "--pivot" in caught.value.hint


def test_months_are_dates_where_the_schema_says_so() -> None:
    """They may be the years of a school, 2009-10; a month stands for its first day."""
    assert domain("2009-10", "2010-11")[1].scale is None
    for written in ("2009-10", "10/2009", "10.2009", "10-2009"):
        assert domain(written, scale="date")[0] == ("2009-10-01",)
