"""The domain of dates: that of their days as whole numbers, with labels that write dates."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import InputError
from kohort.schema import Attribute, Label, Scale
from kohort.schema.dates import (
    ASKED,
    LAST,
    DateFormat,
    Period,
    asked_format,
    day_of,
    formats_of,
    in_dates,
    read_as,
    round_period,
    spelled,
    starts,
)
from kohort.schema.domain.numeric import NumericValues, of_numbers
from kohort.schema.open_ends import CLOSED, DAYS, days_open

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Index
    from kohort.schema.domain.base import Domain
    from kohort.schema.open_ends import OpenEnds


def date_format(attribute: Attribute, present: Sequence[str], counts: Counts) -> DateFormat | None:
    """How the values are dates; `None` where they are none.

    The values decide, unless the schema does: names with a hierarchy, and names that are to be released as sets, stay
    names. Eight digits, months and years of two digits are dates only where the schema says so.

    Args:
        attribute: What the schema says.
        present: (v,) the values, without missing ones.
        counts: (v,) records with each.

    Raises:
        InputError: The schema says that these are dates, and some are not; or they can be read in two ways.
    """
    asked = attribute.of_dates
    if not present or (not asked and (attribute.scale is not None or not _free(attribute))):
        return None
    if asked:
        form = attribute.date_format or asked_format(present, attribute.pivot, attribute.name)
        return _required(attribute, form, present, counts)
    found = [form for form in formats_of(present) if form not in ASKED]
    if len(found) > 1:
        raise read_as(found, len(present), attribute.name)
    return found[0] if found else None


def _free(attribute: Attribute) -> bool:
    """Whether the schema lets values be dates."""
    numeric = attribute.bounds is not None or attribute.grid not in {None, "round"}
    return attribute.hierarchy is None and attribute.label is not Label.SET and not numeric


def _required(attribute: Attribute, form: DateFormat, present: Sequence[str], counts: Counts) -> DateFormat:
    """The form; values that are no dates of it are refused."""
    read = partial(day_of, form=form, pivot=attribute.pivot)
    wrong = np.array([read(text) is None for text in present])
    if wrong.any() and not days_open(present, read):
        raise InputError(
            f"{int(wrong.sum()):,} values ({int(counts[wrong].sum()):,} records) are not dates of the form {form}",
            where=f"column {attribute.name}",
            hint="declare missing tokens, give their form with --date-format, or make the column categorical",
        )
    return form


def of_dates(
    attribute: Attribute, form: DateFormat, present: Sequence[str], counts: Counts, gaps: int
) -> tuple[Domain, Index]:
    """The domain over the days of the `present` values, and the code of each.

    Its attribute says how dates were read and which period is the grid: the verifier reads them so.
    """
    read = partial(day_of, form=form, pivot=attribute.pivot)
    days = [read(text) for text in present]
    ends_open = (days_open(present, read) or CLOSED) if None in days else CLOSED
    texts = [text if day is None else str(day) for text, day in zip(present, days, strict=True)]
    numbers = NumericValues.read(texts, counts, ends_open.places)
    low, high = map(int, numbers.near(ends_open.places, DAYS))
    grid = round_period(low, high) if attribute.grid == "round" else attribute.grid
    cuts: tuple[Fraction, ...] | None = None
    if isinstance(grid, Period):
        ends_open = _open_ends(grid, ends_open, numbers, (low, high))
        outermost = (low, *(int(end) - at for at, end in zip((1, 0), ends_open[1:], strict=True) if end), high)
        cuts = tuple(map(Fraction, starts(grid, max(min(outermost), 1), min(max(outermost), LAST))))
    label = None if attribute.label in {Label.MEAN, Label.NAMES, Label.COMPANIONS} else attribute.label
    as_numbers = replace(attribute, scale=Scale.NUMERIC, date_format=None, pivot=None, label=label, grid=cuts)
    domain, of = of_numbers(as_numbers, texts, counts, gaps, ends_open)
    resolved = replace(attribute, scale=Scale.DATE, date_format=form, grid=grid, label=label)
    edges = tuple((low and spelled(int(low)), high and spelled(int(high))) for low, high in domain.edges)
    written = tuple(text if text in {"", *ends_open.places} else in_dates(text) for text in domain.texts)
    return replace(domain, attribute=resolved, texts=written, edges=edges), of


def _open_ends(grid: Period, ends_open: OpenEnds, days: NumericValues, inner: tuple[int, int]) -> OpenEnds:
    """The open ends of a calendar's periods: where labels say so, beyond the inner days, and at the calendar's end."""
    cuts = starts(grid, *inner)
    last = cuts[-1] if cuts[-1] <= LAST else cuts[-2]
    return ends_open.around((days.whole[0], days.whole[-1]), Fraction(cuts[0]), Fraction(last))
