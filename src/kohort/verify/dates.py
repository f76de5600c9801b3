"""The verifier's own reading of dates: of the input in the form that the schema says, of labels in ISO 8601.

    1984-03-01                      the day itself
    [1984-03-01 – 1984-05-31]       the days from the first to the last, both included
    [1984-01-01 – 1985-01-01)       the days of public periods, without the last one
    <1930-01-01, >=2010-01-01       the days before; this day and those after it

Once they are whole numbers, everything that holds of numbers is checked of them.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

import polars as pl

from kohort.schema.dates import DateFormat, Period

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.schema import Attribute

#: 1 January 1970, counted from 1 January of year 1, and the last day of all.
_EPOCH: Final = 719_163
_LAST: Final = 3_652_059

#: What stands between the ends of a range.
DASH: Final = " – "

#: A label that nothing explains.
UNREAD: Final = "?"

_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}|10000-01-01"
_LABEL: Final = rf"^(?:({_DAY})|\[({_DAY}){DASH}({_DAY})([\])])|(<|>=)({_DAY}))$"
_TIME: Final = r"([T ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?( ?[AaPp][Mm])?(Z| ?[+-][0-9]{2}:?[0-9]{2})?)?$"

#: How each form is written.
_WRITTEN: Final = {
    DateFormat.ISO: r"^(?<y>[0-9]{4})-(?<m>[0-9]{2})-(?<d>[0-9]{2})",
    DateFormat.YEAR_FIRST: r"^(?<y>[0-9]{4})/(?<m>[0-9]{1,2})/(?<d>[0-9]{1,2})",
    DateFormat.COMPACT: r"^(?<y>[0-9]{4})(?<m>[0-9]{2})(?<d>[0-9]{2})",
    DateFormat.POINTS: r"^(?<d>[0-9]{1,2})\.(?<m>[0-9]{1,2})\.(?<y>[0-9]{4})",
    DateFormat.DAY_FIRST: r"^(?<d>[0-9]{1,2})/(?<m>[0-9]{1,2})/(?<y>[0-9]{4})",
    DateFormat.MONTH_FIRST: r"^(?<m>[0-9]{1,2})/(?<d>[0-9]{1,2})/(?<y>[0-9]{4})",
    DateFormat.HYPHENS: r"^(?<d>[0-9]{1,2})-(?<m>[0-9]{1,2})-(?<y>[0-9]{4})",
    DateFormat.MONTH: r"^(?<d>)(?<y>[0-9]{4})-(?<m>[0-9]{2})",
    DateFormat.MONTH_STROKE: r"^(?<d>)(?<m>[0-9]{1,2})/(?<y>[0-9]{4})",
    DateFormat.MONTH_POINT: r"^(?<d>)(?<m>[0-9]{1,2})\.(?<y>[0-9]{4})",
    DateFormat.MONTH_HYPHEN: r"^(?<d>)(?<m>[0-9]{1,2})-(?<y>[0-9]{4})",
    DateFormat.SHORT_POINTS: r"^(?<d>[0-9]{1,2})\.(?<m>[0-9]{1,2})\.(?<y>[0-9]{2})",
    DateFormat.SHORT_DAY_FIRST: r"^(?<d>[0-9]{1,2})/(?<m>[0-9]{1,2})/(?<y>[0-9]{2})",
    DateFormat.SHORT_MONTH_FIRST: r"^(?<m>[0-9]{1,2})/(?<d>[0-9]{1,2})/(?<y>[0-9]{2})",
    DateFormat.SHORT_HYPHENS: r"^(?<d>[0-9]{1,2})-(?<m>[0-9]{1,2})-(?<y>[0-9]{2})",
}

#: The months, and the last digits of years, with which a period begins; those of weeks are told by the day of the week.
_BEGINNINGS: Final = {
    Period.MONTH: (1, 1),
    Period.QUARTER: (3, 1),
    Period.YEAR: (12, 1),
    Period.FIVE_YEARS: (12, 5),
    Period.DECADE: (12, 10),
    Period.CENTURY: (12, 100),
}


def days_of(texts: pl.Series, attribute: Attribute) -> pl.Series:
    """The days of dates in the form that the schema says, from 1 for 1 January of year 1; null where there is none."""
    pattern = _WRITTEN[attribute.date_format or DateFormat.ISO] + _TIME
    parts = pl.DataFrame({"text": texts}).select(pl.col("text").str.extract_groups(pattern).alias("of"))
    year, month, day = (pl.col("of").struct.field(name) for name in "ymd")
    if attribute.pivot is not None:  # years of two digits, in the hundred years from it
        year = ((year.cast(pl.Int32) - attribute.pivot) % 100 + attribute.pivot).cast(pl.String)
    day = pl.when(day == "").then(pl.lit("1")).otherwise(day)  # months stand for their first day
    written = pl.concat_str([year.str.zfill(4), month.str.zfill(2), day.str.zfill(2)], separator="-")
    found = parts.select((written.str.to_date("%Y-%m-%d", strict=False).dt.epoch("d") + _EPOCH).alias("day"))["day"]
    return found.set(found < 1, None)


def in_days(labels: pl.Series | Sequence[str]) -> pl.Series:
    """Labels of dates as those of their days.

    >>> in_days(["0001-01-02", "[0001-01-01 – 0001-01-31]", "[0001-01-01 – 0001-02-01)", ">=0001-02-01", "*"]).to_list()
    ['2', '[1-31]', '[1-32)', '>=32', '*']
    >>> in_days(["1 January", "[9990-01-01 – 10000-01-01)"]).to_list()
    ['?', '[3648408-3652060)']
    """
    label = pl.col("label")
    cells = pl.DataFrame({"label": labels}, schema={"label": pl.String})
    parts = cells.select("label", label.str.extract_groups(_LABEL).struct.unnest())
    day, low, high, end = (_ordinal(pl.col(place)) for place in ("1", "2", "3", "6"))
    span = pl.concat_str(pl.lit("["), low, pl.lit("-"), high, pl.col("4"))
    read = pl.coalesce(day, span, pl.concat_str(pl.col("5"), end), pl.lit(UNREAD))
    return parts.select(pl.when(label.is_in(["", "*"])).then(label).otherwise(read).alias("label")).to_series()


def iso(days: pl.Series) -> pl.Series:
    """Days, by their numbers as text, as they are printed.

    >>> iso(pl.Series(["1", "726468", "3652059"])).to_list()
    ['0001-01-01', '1990-01-01', '9999-12-31']
    """
    return (days.cast(pl.Int32) - _EPOCH).cast(pl.Date).dt.to_string("%Y-%m-%d")


def _ordinal(text: pl.Expr) -> pl.Expr:
    """The day; null where there is no such day. The last period of all ends after the calendar."""
    day = text.str.to_date("%Y-%m-%d", strict=False).dt.epoch("d") + _EPOCH
    return pl.when(text == "10000-01-01").then(_LAST + 1).when(day >= 1).then(day).cast(pl.String)


def begins(period: Period, day: int) -> bool:
    """Whether a period begins with the day; the calendar's first day, and the one after its last, are ends of all.

    >>> begins(Period.YEAR, 366), begins(Period.YEAR, 367), begins(Period.YEAR, 0)
    (True, False, False)
    """
    if not 1 < day <= _LAST:
        return day in {1, _LAST + 1}
    if period is Period.WEEK:
        return date.fromordinal(day).isoweekday() == 1
    on, (months, years) = date.fromordinal(day), _BEGINNINGS[period]
    return on.day == 1 and (on.month - 1) % months == 0 and on.year % years == 0
