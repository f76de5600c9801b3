"""The tree of a table's column by how alike the records of its values are in other columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.core.frequency import people_in
from kohort.schema.hierarchies import alike

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kohort.arrays import Index
    from kohort.schema.hierarchy import Hierarchy
    from kohort.tables.table import Column


def tree_of(
    column: Column,
    others: Sequence[Column],
    *,
    k: int,
    missing: Collection[str] = ("",),
    people: Index | None = None,
) -> Hierarchy:
    """The tree of a column's values; a missing value is none.

    Args:
        column: The names.
        others: The columns that say how alike they are.
        k: Values of fewer people are one branch.
        missing: The texts that mean no value.
        people: (n,) the person of each record; `None` counts each record as a person.
    """
    absent = column.absent(missing)
    rows = np.flatnonzero(~absent[column.codes])
    values = column.values.to_list()
    place = np.cumsum(~absent) - 1
    told = [([text or "" for text in one.values.to_list()], one.codes[rows].astype(np.int64)) for one in others]
    texts = [text for text, none in zip(values, absent.tolist(), strict=True) if not none]
    codes = place[column.codes[rows]]
    counts = None if people is None else people_in(codes, len(texts), np.ones(codes.size, np.int64), people[rows])
    return alike(texts, codes, told, k=k, people=counts, name=column.name)
