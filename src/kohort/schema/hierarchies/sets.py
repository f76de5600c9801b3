"""Hierarchies of plain sets of values: suppression, ordered groups, and rare values merged into one.

Hierarchies of values whose text says what they mean: codes with prefixes, and dates.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from kohort.schema.dates import LAST, DateFormat, asked_format, day_of, has_time, no_pivot, spelled, starts
from kohort.schema.dates import Period as Calendar
from kohort.schema.hierarchy import SUPPRESSED, Hierarchy, fault
from kohort.schema.nesting import set_label
from kohort.schema.open_ends import CLOSED, DAYS, days_open, inner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kohort.arrays import Index
    from kohort.schema.open_ends import OpenEnds


def suppress(values: Iterable[str], *, name: str = "") -> Hierarchy:
    """A single level: a value is released unchanged or as `*`.

    >>> suppress(["male", "female", "male"]).labels
    (('female', 'male'), ('*',))
    """
    return Hierarchy.from_rows(((text, SUPPRESSED) for text in sorted(set(values))), name=name)


def groups(order: Sequence[str], *sizes: Sequence[int], name: str = "") -> Hierarchy:
    """Neighbours in an order put together, then `*`. A group is called after its values: `{a, b}`, `{"a, b", c}`.

    Groups that have names of their own are a tree: `from_tree({"low": ["1", "2"], "high": ["3"]}, root="*")`.

    Args:
        order: The values.
        sizes: For levels 1, 2, …, how many values, then how many groups of the level before, each group holds.
        name: The attribute, for messages.

    Raises:
        HierarchyError: sizes that do not add up, or names of groups that are the same.

    >>> groups(["primary", "lower", "upper", "degree"], [1, 2, 1], [2, 1]).labels[1:]
    (('primary', '{lower, upper}', 'degree'), ('{primary, lower, upper}', 'degree'), ('*',))
    """
    labels = [tuple(order)]
    parents: list[Index] = []
    ends = np.arange(len(order) + 1)  # where each node of the level begins, in leaves; and where the last ends
    for level, held in enumerate(sizes, start=1):
        if min(held, default=0) < 1 or sum(held) != len(ends) - 1:
            hint = f"they must be 1 or more and sum to {len(ends) - 1:,}"
            raise fault("group sizes do not add up", name, level, hint=hint)
        ends = ends[np.cumsum([0, *held])]
        parents.append(np.repeat(np.arange(len(held)), held))
        labels.append(tuple(set_label(order[first:after]) for first, after in pairwise(ends.tolist())))
    parents.append(np.zeros(len(labels[-1]), np.int64))
    return Hierarchy((*labels, (SUPPRESSED,)), tuple(parents), name=name)


def frequent(
    counts: Mapping[str, int],
    *,
    keep: int | None = None,
    share: Fraction | float | str | None = None,
    other: str = "other",
    name: str = "",
) -> Hierarchy:
    """Frequent values as they are, all others merged into one; then `*`. Most frequent first, ties by text.

    Merged ones with fewer than `keep` records, or than the `share` of all, are joined by the next rarest values. The
    outcome depends on the records, and so is marked `data_dependent`.

    Args:
        counts: How many records have each value.
        keep: How many values stay as they are, at most.
        share: Instead, the share of records from which on a value stays.
        other: Label of the merged values.
        name: The attribute, for messages.

    Raises:
        HierarchyError: not just one of `keep` and `share`, one of them out of range, a negative count, or a value
            that stays and is called like the merged ones.

    >>> list(frequent({"IT": 50, "FR": 9, "DE": 30, "MT": 1}, keep=2).rows())
    [('IT', 'IT', '*'), ('DE', 'DE', '*'), ('FR', 'other', '*'), ('MT', 'other', '*')]
    """
    if (keep is None) == (share is None):
        raise fault("give either the number of values to keep or the smallest share", name)
    if min(counts.values(), default=0) < 0:
        raise fault("a count is negative", name)
    ranked = sorted(counts, key=lambda value: (-counts[value], value))
    if keep is None:
        least = _share(share, name) * sum(counts.values())
        keep = sum(count >= least for count in counts.values())
    elif keep < 0:
        raise fault("the number of values to keep is negative", name)
    else:
        least = Fraction(keep)
    rest = sum(counts[value] for value in ranked[keep:])
    while keep and 0 < rest < least:
        keep -= 1
        rest += counts[ranked[keep]]
    if other in ranked[:keep]:
        raise fault("a kept value has the label of the merged ones", name, 1, hint="choose another label")
    rows = ((value, value if at < keep else other, SUPPRESSED) for at, value in enumerate(ranked))
    return Hierarchy.from_rows(rows, name=name, data_dependent=True)


def with_missing(hierarchy: Hierarchy, token: str = "") -> Hierarchy:
    """The hierarchy with a last leaf for the missing value, unless it has one.

    The leaf is kept apart up to the root: on the levels between, its label is the token itself.

    >>> with_missing(suppress(["male", "female"])).leaves
    ('female', 'male', '')
    """
    if token in hierarchy.index:
        return hierarchy
    *below, root = hierarchy.labels
    tops = [*(len(labels) for labels in below[1:]), 0]
    parents = [np.append(parent, top) for parent, top in zip(hierarchy.parents, tops, strict=True)]
    return Hierarchy(
        (*((*labels, token) for labels in below), root),
        tuple(parents),
        name=hierarchy.name,
        data_dependent=hierarchy.data_dependent,
    )


def _share(share: Fraction | float | str | None, name: str) -> Fraction:
    """The share as an exact number in 0..1; a float counts as the decimal it prints."""
    try:
        exact = Fraction(str(share))
    except (ValueError, ZeroDivisionError):
        exact = Fraction(-1)
    if not 0 <= exact <= 1:
        raise fault("the share must be a number from 0 to 1", name)
    return exact


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

#: The days that the Gregorian reform left out: 4 October 1582 was followed by 15 October.
_NEVER = (date(1582, 10, 5).toordinal(), date(1582, 10, 14).toordinal())


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
        hint = "name a fill character, or correct the values"
        raise fault(f"{uneven:,} of {len(texts):,} values are shorter than the longest", name, hint=hint)
    if side == "right":
        rows = ((text, *(text.ljust(length, fill or " ")[:-by] + char * by for by in masked)) for text in texts)
    else:
        rows = ((text, *(char * by + text.rjust(length, fill or " ")[by:] for by in masked)) for text in texts)
    return Hierarchy.from_rows(((*row, SUPPRESSED) for row in rows), name=name)


def dates(
    values: Iterable[str],
    periods: Sequence[Period] = PERIODS,
    *,
    counts: Mapping[str, int] | None = None,
    form: DateFormat | None = None,
    pivot: int | None = None,
    name: str = "",
) -> Hierarchy:
    """Days within months, quarters, years and decades, then `*`; in time order.

    Where any value has a time of the day, or values write a day differently, the first level is the day. Labels such
    as `before 1900`, and days far from the others, lie in open ranges that begin where a period of the level does; see
    `kohort.schema.open_ends`.

    Args:
        values: Dates of one form, each perhaps with a time, `YYYY-MM-DD HH:MM:SS`; among them labels of open ends.
        periods: The periods of levels 1, 2, …, ever longer; values that are months have no level of months.
        counts: How many records have each value, by which far ones are found; one each unless given.
        form: How they are written; found out unless given.
        pivot: The first of the hundred years in which years of two digits lie.
        name: The attribute, for messages.

    Raises:
        InputError: the values can be read in several ways.
        HierarchyError: values that are no date, such as 31 February or the days lost in October 1582, or
            periods that are unknown or do not grow.

    >>> list(dates(["1987-02-28", "1984-12-31"], ["quarter", "year", "decade"]).rows())
    [('1984-12-31', '1984-Q4', '1984', '1980s', '*'), ('1987-02-28', '1987-Q1', '1987', '1980s', '*')]
    >>> list(dates(["1987-02-28 08:30:00"], ["month"]).rows())
    [('1987-02-28 08:30:00', '1987-02-28', '1987-02', '*')]
    >>> list(dates(["28.2.87"], ["year"], form=DateFormat.SHORT_POINTS, pivot=1930).rows())
    [('28.2.87', '1987', '*')]
    >>> list(dates(["before 1900", "1901-01-01"], ["month", "decade"]).rows())
    [('before 1900', '<1900-01-01', '<1900-01-01', '*'), ('1901-01-01', '1901-01', '1900s', '*')]
    """
    if list(periods) != [period for period in PERIODS if period in periods]:
        raise fault(f"periods must be among {', '.join(PERIODS)}, in this order", name)
    texts = sorted(set(values))
    form = form or asked_format(texts, pivot, name)
    if form.is_short and pivot is None:
        raise no_pivot(len(texts), name)
    read = partial(day_of, form=form, pivot=pivot)
    days = {text: day for text in texts if (day := read(text)) and not _NEVER[0] <= day <= _NEVER[1]}
    opened = (days_open(texts, read) if len(days) < len(texts) else None) or CLOSED
    if invalid := len(texts) - len(days) - len(opened.places):
        hint = f"write all as {form}, or give their form with --date-format; missing values: --missing-token TEXT"
        raise fault(f"{invalid:,} of {len(texts):,} values are not dates", name, hint=hint)
    labels = _day_labels(days, opened, form)
    labels += _period_labels([one for one in periods if form.has_days or one != "month"], days, opened, counts)
    days |= {label: int(place) for label, place in opened.places.items()}
    rows = ((text, *(label(days[text]) for label in labels), SUPPRESSED) for text in sorted(days, key=days.__getitem__))
    return Hierarchy.from_rows(rows, name=name)


#: Writes a day on a level.
_Written: TypeAlias = "Callable[[int], str]"


def _day_labels(days: Mapping[str, int], opened: OpenEnds, form: DateFormat) -> list[_Written]:
    """The level of days, where dates have times or several write a day."""
    several = len({*days.values()}) < len(days) or any(has_time(text, form) for text in days)
    ends = (None if end is None else int(end) for end in opened[1:])
    return [_labels(date.isoformat, *ends)] * several


def _period_labels(
    periods: Sequence[Period], days: Mapping[str, int], opened: OpenEnds, counts: Mapping[str, int] | None
) -> list[_Written]:
    """The levels of periods, open ends at the nearest end of one; no level where the open ends would meet."""
    records: dict[int, int] = {}
    for text, day in days.items():
        records[day] = records.get(day, 0) + (1 if counts is None else counts.get(text, 0))
    whole = sorted(records)
    if not whole or not periods:
        return []
    low, high = map(int, inner(whole, 0, np.array([records[day] for day in whole]), DAYS))
    first, *_, last = starts(Calendar(periods[0]), low, high)
    _, below, above = opened.around((whole[0], whole[-1]), Fraction(first), Fraction(last))
    stop, start = (None if end is None else int(end) for end in (below, above))
    labels: list[_Written] = []
    for period in periods:
        stop = stop and min(starts(Calendar(period), max(stop - 1, 1), max(stop - 1, 1))[-1], LAST)
        start = start and starts(Calendar(period), min(start, LAST), min(start, LAST))[0]
        if stop and start and stop > start:
            break
        labels.append(_labels(_LABELS[period], stop, start))
    return labels


def _labels(written: Callable[[date], str], stop: int | None, start: int | None) -> _Written:
    """The labels of days; an open range before `stop` and from `start` on."""

    def label(day: int) -> str:
        if stop is not None and day < stop:
            return f"<{spelled(stop)}"
        return written(date.fromordinal(day)) if start is None or day < start else f">={spelled(start)}"

    return label
