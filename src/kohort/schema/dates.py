"""Dates as a scale: how a text names a day, and the public periods of the calendar that days are put together in.

A day is a whole number, counted from 1 January of year 1 (proleptic Gregorian calendar), so that days behave as numbers
do. A time of the day is read and left out.
"""

from __future__ import annotations

import re
from datetime import date
from enum import StrEnum
from functools import cache, lru_cache, partial
from string import digits
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.errors import InputError
from kohort.schema.open_ends import CLOSED, days_open

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from fractions import Fraction


class DateFormat(StrEnum):
    """How dates are written; each perhaps with a time of the day behind it. Day and month may have one digit."""

    ISO = "yyyy-mm-dd"
    YEAR_FIRST = "yyyy/mm/dd"
    COMPACT = "yyyymmdd"
    """Eight digits, which are a number unless the schema says otherwise."""
    POINTS = "dd.mm.yyyy"
    DAY_FIRST = "dd/mm/yyyy"
    MONTH_FIRST = "mm/dd/yyyy"
    HYPHENS = "dd-mm-yyyy"
    MONTH = "yyyy-mm"
    """A month, which stands for its first day; like the ones below, read where the schema says that there are dates."""
    MONTH_STROKE = "mm/yyyy"
    MONTH_POINT = "mm.yyyy"
    MONTH_HYPHEN = "mm-yyyy"
    SHORT_POINTS = "dd.mm.yy"
    SHORT_DAY_FIRST = "dd/mm/yy"
    SHORT_MONTH_FIRST = "mm/dd/yy"
    SHORT_HYPHENS = "dd-mm-yy"

    @property
    def is_short(self) -> bool:
        """Whether years have two digits, and lie in a hundred years that begin with a pivot."""
        return "yyyy" not in self.value

    @property
    def has_days(self) -> bool:
        """Whether dates are days, not months."""
        return "dd" in self.value


class Period(StrEnum):
    """Stretches of days that begin at public dates: Mondays, the first of a month, years that ten divides."""

    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    FIVE_YEARS = "five-years"
    DECADE = "decade"
    CENTURY = "century"


#: The last day that has a date: 31 December 9999.
LAST: Final = date.max.toordinal()

#: The day after it, where the last periods of all end.
AFTER: Final = "10000-01-01"

#: What stands between the two dates of a range.
DASH: Final = " – "

#: Months of each period, and the days that it has on average.
_MONTHS: Final = MappingProxyType(
    {
        Period.MONTH: 1,
        Period.QUARTER: 3,
        Period.YEAR: 12,
        Period.FIVE_YEARS: 60,
        Period.DECADE: 120,
        Period.CENTURY: 1200,
    }
)
_WEEK: Final = 7
_DAYS_OF_MONTH: Final = 30

#: A grid divides the range of the days into about this many periods.
_PERIODS: Final = 20

_TIME: Final = (
    r"(?P<time>[T ](?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?(?: ?[AaPp][Mm])?"
    r"(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?)?"
)
_PARTS: Final = {
    "yyyy": r"(?P<year>[0-9]{4})",
    "yy": r"(?P<year>[0-9]{2})",
    "mm": r"(?P<month>[0-9]{1,2})",
    "dd": r"(?P<day>[0-9]{1,2})",
}

#: Characters of the shortest date, as `1/2000`; each begins with a digit.
_SHORTEST: Final = 6

#: Forms that a column does not have by itself: eight digits, months and years of two digits may be numbers or codes.
ASKED: Final = frozenset({DateFormat.COMPACT, *(form for form in DateFormat if form.is_short or not form.has_days)})


@cache
def _pattern(form: DateFormat) -> Callable[[str], re.Match[str] | None]:
    """Matches texts of the form, whether or not there is such a day."""
    text = re.escape(form.value)
    for part, pattern in _PARTS.items():
        text = text.replace(part, pattern)
    if form in {DateFormat.ISO, DateFormat.COMPACT, DateFormat.MONTH}:
        text = text.replace("{1,2}", "{2}")
    return re.compile(text + ("" if form.has_days else "(?P<day>)") + _TIME).fullmatch


_stretch = re.compile(rf"\[(?P<low>[0-9-]{{10,11}}){DASH}(?P<high>[0-9-]{{10,11}})(?P<bracket>[\])])").fullmatch


def day_of(text: str, form: DateFormat, pivot: int | None = None) -> int | None:
    """The day that a text of this form names; `None` where there is none.

    Args:
        text: A date.
        form: How it is written.
        pivot: The first of the hundred years in which years of two digits lie; without it, they name none.

    >>> day_of("0001-01-02", DateFormat.ISO), day_of("2.1.0001 08:30", DateFormat.POINTS)
    (2, 2)
    >>> day_of("2023-02-29", DateFormat.ISO) is None
    True
    >>> [spelled(day_of(text, DateFormat.SHORT_POINTS, 1930)) for text in ("01.02.30", "01.02.29")]
    ['1930-02-01', '2029-02-01']
    """
    found = _pattern(form)(text)
    if found is None or (form.is_short and pivot is None):
        return None
    year = int(found["year"])
    if pivot is not None and form.is_short:
        year = pivot + (year - pivot) % 100
    try:
        return date(year, int(found["month"]), int(found["day"] or 1)).toordinal()
    except ValueError:
        return None


def has_time(text: str, form: DateFormat) -> bool:
    """Whether a date of this form has a time of the day behind it."""
    found = _pattern(form)(text)
    return found is not None and found["time"] is not None


#: An end of a range: many labels begin or end with the same day.
_end = lru_cache(1 << 16)(day_of)


def spelled(day: int) -> str:
    """The day as every release writes it, ISO 8601, whatever form the input has.

    >>> spelled(2), spelled(LAST + 1)
    ('0001-01-02', '10000-01-01')
    """
    return date.fromordinal(day).isoformat() if day <= LAST else AFTER


def between(low: Fraction, high: Fraction) -> str:
    """The label of the days from `low` on, without `high`.

    >>> from fractions import Fraction
    >>> between(Fraction(1), Fraction(32))
    '[0001-01-01 – 0001-02-01)'
    """
    return f"[{spelled(int(low))}{DASH}{spelled(int(high))})"


def in_dates(label: str) -> str:
    """A label of days as the one of their dates, which `read_days` reads.

    >>> in_dates("2"), in_dates("[1-32)"), in_dates(">=32")
    ('0001-01-02', '[0001-01-01 – 0001-02-01)', '>=0001-02-01')
    """
    return re.sub("[0-9]+", lambda day: spelled(int(day[0])), label.replace("-", DASH))


def read_days(label: str) -> str:
    """A label of dates as the one of their days; any other label stays.

    >>> read_days("0001-01-02"), read_days("[0001-01-01 – 0001-02-01)"), read_days(">=0001-02-01")
    ('2', '[1-32)', '>=32')
    >>> read_days("{a, b}"), read_days("[0001-02-30 – 0001-03-01)")
    ('{a, b}', '[0001-02-30 – 0001-03-01)')
    """
    found = _stretch(label)
    if found is None:
        sign = label[: len(label) - len(label.lstrip("<>="))]
        day = _end(label[len(sign) :], DateFormat.ISO)
        return f"{sign}{day}" if day else label
    low, high = (LAST + 1 if end == AFTER else _end(end, DateFormat.ISO) for end in found.group("low", "high"))
    return f"[{low}-{high}{found['bracket']}" if low and high else label


def days_in(labels: Iterable[str], values: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """Labels and values of dates as those of their days; `None` where the values are not dates of a single form.

    >>> days_in(["[0001-01-01 – 0001-02-01)", "*"], ["1.1.0001", ""])
    (['[1-32)', '*'], ['1', ''])
    >>> days_in(["*"], ["flu"]) is None
    True
    """
    forms = formats_of([value for value in values if value])
    return None if len(forms) != 1 or forms[0] is DateFormat.COMPACT else days_with(forms[0], labels, values)


def days_with(
    form: DateFormat, labels: Iterable[str], values: Sequence[str], pivot: int | None = None
) -> tuple[list[str], list[str]]:
    """Labels and values of dates of this form as those of their days; short years by a pivot.

    >>> days_with(DateFormat.ISO, ["before 1900", "<1900-01-01"], ["1900-01-01", "before 1900"])
    (['693595', '<693596'], ['693596', '693595'])
    """
    read_one = partial(day_of, form=form, pivot=pivot)
    days = {value: read_one(value) for value in values if value}
    opened = days_open(days, read_one) if None in days.values() else CLOSED
    places = (opened or CLOSED).places
    read = [places.get(value) or str(days.get(value) or "") for value in values]
    return [places.get(label) or read_days(label) for label in labels], read


def formats_of(texts: Sequence[str], pivot: int | None = None) -> list[DateFormat]:
    """The forms in which every one of these texts is a date; else those in which all others are labels of open ends.

    Years of two digits are read by a pivot.

    >>> [str(form) for form in formats_of(["31/12/1999", "01/02/2000"])]
    ['dd/mm/yyyy']
    >>> [str(form) for form in formats_of(["1931-02-01", "before 1900"])], formats_of(["flu"])
    (['yyyy-mm-dd'], [])
    """
    if not any(len(text) >= _SHORTEST and text[0] in digits for text in texts):
        return []  # with no expression compiled, of which each takes a millisecond
    read = {form: partial(day_of, form=form, pivot=pivot) for form in DateFormat}
    exact = [form for form, day in read.items() if texts and all(day(text) is not None for text in texts)]
    return exact or [form for form, day in read.items() if days_open(texts, day)]


def asked_format(texts: Sequence[str], pivot: int | None, name: str) -> DateFormat:
    """The form of texts that shall be dates; that of most of them, where some are neither dates nor open ends.

    Raises:
        InputError: they can be read in two ways, or their years have two digits and there is no pivot.
    """
    hundred = _ANY_PIVOT if pivot is None else pivot
    found = formats_of(texts, hundred)
    if len(found) > 1:
        raise read_as(found, len(texts), name)
    most = found or [max(DateFormat, key=lambda form: sum(day_of(text, form, hundred) is not None for text in texts))]
    if most[0].is_short and pivot is None:
        raise no_pivot(len(texts), name)
    return most[0]


def no_pivot(dates: int, name: str) -> InputError:
    """The error of dates whose years have two digits, where nothing says which hundred years those are."""
    hint = (
        f"give the first of their hundred years: --pivot {name}=1930 for 1930 to 2029 (in a job file pivot = 1930, in "
        "a builder dates:dd.mm.yy:1930)"
    )
    return InputError(f"{dates:,} dates have years of two digits", where=f"column {name}", hint=hint)


#: A year from which on the years of two digits all have a 29 February where they may have one.
_ANY_PIVOT: Final = 1970


def read_as(forms: Sequence[DateFormat], dates: int, name: str) -> InputError:
    """The error of dates that can be read in several forms."""
    pivot = f" --pivot {name}=1930, the first of the hundred years of 1930 to 2029," if forms[0].is_short else ""
    return InputError(
        f"{dates:,} dates can be read as {' or as '.join(forms)}",
        where=f"column {name}",
        hint=f"choose one: --date-format {name}={forms[0]}{pivot}"
        f' (in a job file date-format = "{forms[0]}"); --scale {name}=categorical for names',
    )


def starts(period: Period, low: int, high: int) -> list[int]:
    """Where the periods begin that hold the days from `low` to `high`, and where the last of them ends.

    >>> [spelled(day) for day in starts(Period.QUARTER, day_of("2024-02-29", DateFormat.ISO), 738_977)]
    ['2024-01-01', '2024-04-01', '2024-07-01']
    """
    if period is Period.WEEK:
        first = (low - 1) // _WEEK * _WEEK + 1  # 1 January of year 1 was a Monday
        return [min(day, LAST + 1) for day in range(first, high + _WEEK + 1, _WEEK)]
    months = _MONTHS[period]
    first, last = (_month(day) // months for day in (low, high))
    return [_first_of(months * at) for at in range(first, last + 2)]


def _month(day: int) -> int:
    """The number of a day's month, from 0 for January of a year 0."""
    on = date.fromordinal(day)
    return on.year * 12 + on.month - 1


def _first_of(month: int) -> int:
    """The first day of a month; at the ends of the calendar, its first day, or the one after its last."""
    year, month = divmod(month, 12)
    return 1 if year < 1 else LAST + 1 if year > date.max.year else date(year, month + 1, 1).toordinal()


def round_period(low: int, high: int) -> Period:
    """The shortest period of which about 20 hold all days from `low` to `high`.

    >>> str(round_period(day_of("1931-01-01", DateFormat.ISO), day_of("2012-01-01", DateFormat.ISO)))
    'five-years'
    """
    days = {Period.WEEK: _WEEK} | {one: months * _DAYS_OF_MONTH for one, months in _MONTHS.items()}
    return next((one for one in Period if days[one] * _PERIODS >= high - low), Period.CENTURY)
