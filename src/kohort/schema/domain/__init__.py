"""The domain of a quasi-identifier: what each of its integer codes means, in an order that means something.

Dates have the domain of their days as whole numbers, with labels that write dates.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import InputError
from kohort.errors.display import many
from kohort.schema import Attribute, Label, Missing, Order, Scale
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
from kohort.schema.domain.base import Domain, hierarchy_over, share
from kohort.schema.domain.numeric import NumericValues, of_numbers
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.numbers import decimal, interval, is_numeric_text
from kohort.schema.open_ends import CLOSED, DAYS, days_open, numbers_open

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Index
    from kohort.schema.open_ends import OpenEnds

__all__ = ["Domain", "decimal", "interval", "resolve", "share"]


def resolve(
    attribute: Attribute, values: Sequence[str | None], counts: Counts, missing: frozenset[str]
) -> tuple[Domain, Index]:
    """The domain of `attribute` over the observed `values`, and the code of each value.

    Args:
        attribute: What the schema says of the column.
        values: (u,) the distinct observed values; `None` and the texts in `missing` mean no value.
        counts: (u,) records with each value, for the order by frequency and messages; 0 of what only a population has.
        missing: The schema's missing tokens.

    Returns:
        The domain, and (u,) codes; -1 where a missing value means that the record is suppressed.

    Raises:
        InputError: Missing values that the schema refuses, values that are no numbers where they must be, or that
            lie outside the declared bounds or the grid.
        HierarchyError: Values that are no leaf of the hierarchy.
        SchemaError: A grid of hierarchy boundaries over a hierarchy that has none.

    >>> from kohort.schema import Role
    >>> domain, codes = resolve(Attribute("age", Role.QUASI), ["31", "9", ""], np.array([4, 2, 1]), frozenset({""}))
    >>> domain.texts, codes.tolist()
    (('', '9', '31'), [2, 1, 0])
    """
    absent = np.array([value is None or value in missing for value in values], dtype=np.bool_)
    if absent.any() and attribute.missing is Missing.REFUSE:
        raise InputError(
            f"{many(int(counts[absent].sum()), 'record has', 'records have')} no value",
            where=f"column {attribute.name}",
            hint='set missing to "own-value" or "suppress"; "refuse" is set',
        )
    present = [value for value, gone in zip(values, absent.tolist(), strict=True) if value is not None and not gone]
    gaps = 0
    if absent.any() and attribute.missing is Missing.VALUE:
        gaps = max(int(counts[absent].sum()), 1)  # a value that only a population lacks is of no record, and has a code
    if isinstance(attribute.hierarchy, Hierarchy):
        attribute = replace(attribute, hierarchy=attribute.hierarchy.spelled_as(present))
    form = date_format(attribute, present, counts[~absent])
    if form is not None:
        domain, of_present = of_dates(attribute, form, present, counts[~absent], gaps)
    elif (ends_open := _numeric_ends(attribute, present, counts[~absent])) is not None:
        plain = replace(attribute, label=None) if attribute.label is Label.COMPANIONS else attribute
        domain, of_present = of_numbers(plain, present, counts[~absent], gaps, ends_open)
    else:
        named = replace(attribute, grid=None) if attribute.grid == "round" else attribute
        domain, of_present = of_names(named, present, counts[~absent], gaps)
    codes = np.full(len(values), domain.missing, np.int64)
    codes[~absent] = of_present
    return domain, codes


def leaf_records(
    attribute: Attribute, values: Sequence[str | None], counts: Counts, missing: frozenset[str]
) -> tuple[Domain, Counts]:
    """The domain of an attribute with a hierarchy, and (leaves,) the records that have each leaf of it.

    Raises:
        HierarchyError: some values are no leaf.

    >>> from kohort.schema import Role
    >>> gender = Attribute("gender", Role.QUASI, hierarchy="suppress")
    >>> leaf_records(gender, ["m", "f"], np.array([3, 4]), frozenset())[1].tolist()
    [4, 3]
    """
    domain, codes = resolve(attribute, values, counts, missing)
    assert domain.hierarchy is not None  # noqa: S101  the attribute has one
    placed = codes >= 0
    records = np.bincount(domain.leaves[codes[placed]], counts[placed], len(domain.hierarchy.leaves))
    return domain, records.astype(np.int64)


def _numeric_ends(attribute: Attribute, present: Sequence[str], counts: Counts) -> OpenEnds | None:
    """The open ends of numbers; `None` of names.

    Decided by the values (design decision 1), unless the schema says it or asks for what only numbers have.
    """
    if attribute.scale is Scale.CATEGORICAL or attribute.of_dates or not present:
        return None
    if is_numeric_text(present):
        return CLOSED
    must = attribute.scale is Scale.NUMERIC or attribute.bounds is not None or attribute.grid not in {None, "round"}
    found = numbers_open(present) if attribute.may_be_open else None
    if must and found is None:
        wrong = np.array([not is_numeric_text((value,)) for value in present])
        of = many(int(counts[wrong].sum()), "record")
        raise InputError(
            f"{many(int(wrong.sum()), f'value ({of}) is not a decimal', f'values ({of}) are not decimals')}",
            where=f"column {attribute.name}",
            hint="the column must be numeric; declare missing tokens, or make the column categorical",
        )
    if found is not None and attribute.label is Label.MEAN:
        what = f"{many(len(found.places), 'label')} of an open end, such as 90+, cannot be part of a mean"
        raise InputError(what, where=f"column {attribute.name}", hint="release the column as a range or on a grid")
    return found


def of_names(attribute: Attribute, present: Sequence[str], counts: Counts, gaps: int) -> tuple[Domain, Index]:
    """The domain over the `present` values, and the code of each; `gaps` records have no value, which is one too."""
    order = attribute.order or (Order.FREQUENCY if attribute.hierarchy is None else Order.HIERARCHY)
    texts = (*present, "") if gaps else tuple(present)
    records = np.append(counts, gaps) if gaps else counts
    hierarchy, leaves = hierarchy_over(attribute, texts, records)
    ranked = _ranked(order, texts, records, leaves)
    code = np.empty_like(ranked)
    code[ranked] = np.arange(ranked.size)
    values = len(texts) if hierarchy is None else len(hierarchy.leaves)
    domain = Domain(
        attribute,
        Scale.CATEGORICAL,
        tuple(map(texts.__getitem__, ranked.tolist())),
        leaves[ranked] if order is Order.HIERARCHY else np.arange(ranked.size),
        ends=(0, max(values - 1, 0)),
        missing=int(code[-1]) if gaps else -1,
        hierarchy=hierarchy,
        leaves=leaves if hierarchy is None else leaves[ranked],
    )
    return domain, code[: len(present)]


def _ranked(order: Order, texts: Sequence[str], counts: Counts, leaves: Index) -> Index:
    """(v,) the places of the values in their order; ties by text."""
    by_text = np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)
    if order is Order.SORTED:
        return by_text
    first = -counts if order is Order.FREQUENCY else leaves
    return by_text[np.argsort(first[by_text], kind="stable")]


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
