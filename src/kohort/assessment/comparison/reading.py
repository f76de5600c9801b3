"""Reads the two columns of one name as a line: what does each label stand for?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.assessment.comparison.line import Known, Labelled
from kohort.assessment.comparison.reading_names import names_line
from kohort.assessment.comparison.reading_numbers import is_plain, numbers_line
from kohort.schema import Role, Scale
from kohort.schema.domain import resolve
from kohort.schema.hierarchies import from_spec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from kohort.arrays import Counts
    from kohort.assessment.comparison.line import Line
    from kohort.engines.table import Column
    from kohort.schema import Attribute
    from kohort.schema.domain import Domain
    from kohort.schema.hierarchy import Hierarchy


def read_line(
    before: Column, after: Column, role: Role | None, attribute: Attribute | None, missing: AbstractSet[str]
) -> Line:
    """The line of two columns of the same name.

    Args:
        before: The column as it was.
        after: The same column of the release.
        role: What the schema says that it tells of a person.
        attribute: What else it says of it.
        missing: The texts that mean no value, besides null and the empty one.

    Raises:
        InputError: labels that cannot be read, or values that do not fit the schema.
        HierarchyError: values that are no leaf.
    """
    old, new = _texts(before, missing), _texts(after, missing)
    records = before.counts()
    domain = _domain(before, records, attribute, missing)
    hierarchy = _built(attribute, old, records) if domain is None else domain.hierarchy
    known = Known(before.name, role, domain, hierarchy)
    columns = (Labelled(old, before.codes, records), Labelled(new, after.codes, after.counts()))
    return (numbers_line if _is_numeric(old, attribute, domain) else names_line)(known, *columns)


def _texts(column: Column, missing: AbstractSet[str]) -> list[str]:
    """The column's values; no value is ""."""
    return ["" if text is None or text in missing else text for text in column.values.to_list()]


def _domain(column: Column, records: Counts, attribute: Attribute | None, missing: AbstractSet[str]) -> Domain | None:
    """The domain of a quasi-identifier."""
    if attribute is None or attribute.role is not Role.QUASI:
        return None
    return resolve(attribute, column.values.to_list(), records, frozenset(missing))[0]


def _built(attribute: Attribute | None, texts: Sequence[str], records: Counts) -> Hierarchy | None:
    """The hierarchy of a column that is not generalized, over its values, where it has them."""
    said = None if attribute is None else attribute.hierarchy
    if attribute is None or not isinstance(said, str):
        return None if isinstance(said, str) else said
    counts = {text: count for text, count in zip(texts, records.tolist(), strict=True) if text}
    return from_spec(said, list(counts), name=attribute.name, counts=counts) if counts else None


def _is_numeric(texts: Sequence[str], attribute: Attribute | None, domain: Domain | None) -> bool:
    """Whether the values are numbers that can be squared; decided by the values, unless the schema says it."""
    if domain is not None and domain.scale is not Scale.NUMERIC:
        return False
    if attribute is not None and attribute.scale is Scale.CATEGORICAL:
        return False
    return is_plain(text for text in texts if text)
