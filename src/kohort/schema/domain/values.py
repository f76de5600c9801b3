"""The domain of a quasi-identifier: what each of its integer codes means, in an order that means something.

The domain of names: their order gives the codes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import InputError
from kohort.schema import Attribute, Label, Missing, Order, Scale
from kohort.schema.domain.base import Domain, hierarchy_over
from kohort.schema.domain.dates import date_format, of_dates
from kohort.schema.domain.numeric import of_numbers
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.numbers import is_numeric_text
from kohort.schema.open_ends import CLOSED, numbers_open
from kohort.shown import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Index
    from kohort.schema.open_ends import OpenEnds


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
