"""Hierarchies of values whose text says what they mean: codes with prefixes, and dates."""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from kohort.schema.hierarchy import SUPPRESSED, Hierarchy, fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

#: What a day can be generalized to.
Period: TypeAlias = Literal["month", "quarter", "year", "decade"]

#: All periods, each made of whole ones of those before it.
PERIODS: tuple[Period, ...] = ("month", "quarter", "year", "decade")

#: Each period's label for a day.
_LABELS: MappingProxyType[Period, Callable[[date], str]] = MappingProxyType(
    {
        "month": lambda day: f"{day.year:04}-{day.month:02}",
        "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
        "year": lambda day: f"{day.year:04}",
        "decade": lambda day: f"{day.year // 10:03}0s",
    }
)

_iso_date = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}").fullmatch

#: The days that the Gregorian reform left out: 4 October 1582 was followed by 15 October.
_NEVER = (date(1582, 10, 5), date(1582, 10, 14))


def mask(
    values: Iterable[str],
    *,
    side: Literal["left", "right"] = "right",
    char: str = "*",
    steps: Sequence[int] | None = None,
    fill: str = "",
    name: str = "",
) -> Hierarchy:
    """Characters masked from one side, one more on each level, until `*` alone is left.

    Args:
        values: Codes of one length.
        side: Where masking starts.
        char: The character that stands for a masked one.
        steps: How many characters are masked on levels 1, 2, …, ascending; every number unless given.
        fill: A character by which shorter values are lengthened on the masked side; empty: different lengths are
            an error.
        name: The attribute, for messages.

    Raises:
        HierarchyError: values of different length without `fill`, or parameters that cannot be.

    >>> list(mask(["20139", "20121"], steps=[2, 3]).rows())
    [('20121', '201**', '20***', '*'), ('20139', '201**', '20***', '*')]
    >>> mask(["7", "12"], side="left", fill="0").labels
    (('12', '7'), ('*2', '*7'), ('*',))
    """
    texts = sorted(set(values))
    length = max(map(len, texts), default=0)
    masked = range(1, length) if steps is None else steps
    if side not in ("left", "right") or len(char) != 1 or len(fill) > 1:
        raise fault("masking takes a side, left or right, and single characters", name)
    if any(low >= high for low, high in pairwise((0, *masked, length or 1))):
        raise fault(f"steps must ascend between 1 and {length - 1}, the longest value's length less one", name)
    if not fill and (uneven := sum(len(text) != length for text in texts)):
        hint = "name a fill character, or correct them"
        raise fault(f"{uneven:,} of {len(texts):,} values are shorter than the longest", name, hint=hint)
    if side == "right":
        rows = ((text, *(text.ljust(length, fill or " ")[:-by] + char * by for by in masked)) for text in texts)
    else:
        rows = ((text, *(char * by + text.rjust(length, fill or " ")[by:] for by in masked)) for text in texts)
    return Hierarchy.from_rows(((*row, SUPPRESSED) for row in rows), name=name)


def dates(values: Iterable[str], periods: Sequence[Period] = PERIODS, *, name: str = "") -> Hierarchy:
    """Days within months, quarters, years and decades, then `*`; in time order.

    Args:
        values: ISO 8601 calendar dates, `YYYY-MM-DD`.
        periods: The periods of levels 1, 2, …, ever longer.
        name: The attribute, for messages.

    Raises:
        HierarchyError: values that are no date, such as 31 February or the days lost in October 1582, or
            periods that are unknown or do not grow.

    >>> list(dates(["1987-02-28", "1984-12-31"], ["quarter", "year", "decade"]).rows())
    [('1984-12-31', '1984-Q4', '1984', '1980s', '*'), ('1987-02-28', '1987-Q1', '1987', '1980s', '*')]
    """
    if list(periods) != [period for period in PERIODS if period in periods]:
        raise fault(f"periods must be among {', '.join(PERIODS)}, in this order", name)
    texts = sorted(set(values))
    days = {text: day for text in texts if (day := _day(text))}
    if invalid := len(texts) - len(days):
        hint = "write YYYY-MM-DD; missing values are declared apart"
        raise fault(f"{invalid:,} of {len(texts):,} values are no date", name, hint=hint)
    rows = ((text, *(_LABELS[period](day) for period in periods), SUPPRESSED) for text, day in days.items())
    return Hierarchy.from_rows(rows, name=name)


def _day(text: str) -> date | None:
    """The day that the text names, if there is or was such a day."""
    if not _iso_date(text):
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return None if _NEVER[0] <= day <= _NEVER[1] else day
