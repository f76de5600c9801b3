"""The domain of dates: that of their days as whole numbers, with labels that write dates."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import InputError
from kohort.schema import Attribute, Label, Scale
from kohort.schema.dates import (
    ASKED,
    DASH,
    DateFormat,
    Period,
    asked_format,
    day_of,
    formats_of,
    nearest,
    read_as,
    round_period,
    spelled,
    starts,
)
from kohort.schema.domain.numeric import of_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Index
    from kohort.schema.domain.base import Domain


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
    if attribute.date_format is not None:
        return _required(attribute, attribute.date_format, present, counts)
    if asked:
        form = asked_format(present, attribute.pivot, attribute.name)
        return form or _required(attribute, nearest(present, attribute.pivot), present, counts)
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
    wrong = np.array([day_of(text, form, attribute.pivot) is None for text in present])
    if wrong.any():
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
    days = [day_of(text, form, attribute.pivot) or 0 for text in present]
    grid = round_period(min(days), max(days)) if attribute.grid == "round" else attribute.grid
    cuts = starts(grid, min(days), max(days)) if isinstance(grid, Period) else None
    label = None if attribute.label in {Label.MEAN, Label.NAMES} else attribute.label
    as_numbers = replace(
        attribute,
        scale=Scale.NUMERIC,
        date_format=None,
        pivot=None,
        label=label,
        grid=None if cuts is None else tuple(map(Fraction, cuts)),
    )
    domain, of = of_numbers(as_numbers, [*map(str, days)], counts, gaps)
    resolved = replace(attribute, scale=Scale.DATE, date_format=form, grid=grid, label=label)
    edges = tuple((low and spelled(int(low)), high and spelled(int(high))) for low, high in domain.edges)
    if cuts is None:
        texts = tuple(text and spelled(int(text)) for text in domain.texts)
    else:
        texts = tuple(low and f"[{low}{DASH}{high})" for low, high in edges)
    return replace(domain, attribute=resolved, texts=texts, edges=edges), of
