"""The tree of a table's column by how alike the records of its values are in other columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.core.frequency import people_in
from kohort.schema.hierarchies import alike, known_words, spellings
from kohort.schema.hierarchies.spelling import called
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kohort.arrays import Index
    from kohort.tables.table import Column


def tree_of(
    column: Column,
    others: Sequence[Column],
    *,
    k: int,
    missing: Collection[str] = ("",),
    spelled: bool = False,
    people: Index | None = None,
) -> Hierarchy:
    """The tree of a column's values; a missing value is none.

    Args:
        column: The names.
        others: The columns that say how alike they are.
        k: Values of fewer people are one branch.
        missing: The texts that mean no value.
        spelled: Whether the first level is one thing each, where that has several spellings.
        people: (n,) the person of each record; `None` counts each record as a person.
    """
    absent = column.absent(missing)
    rows = np.flatnonzero(~absent[column.codes])
    place = np.cumsum(~absent) - 1
    told = [([text or "" for text in one.values.to_list()], one.codes[rows].astype(np.int64)) for one in others]
    texts = [text for text, none in zip(column.values.to_list(), absent.tolist(), strict=True) if not none]
    codes = place[column.codes[rows]]

    def tree(names: Sequence[str], of: Index) -> Hierarchy:
        held = None if people is None else people_in(of, len(names), np.ones(of.size, np.int64), people[rows])
        return alike(names, of, told, k=k, people=held, name=column.name)

    if not spelled:
        return tree(texts, codes)
    counts = dict(zip(texts, np.bincount(codes, minlength=len(texts)).tolist(), strict=True))
    groups = spellings(counts, known=known_words())
    things = {text: at for at, of in enumerate(groups) for text in of}
    labels = [called(of, of[0]) for of in groups]
    upper = tree(labels, np.array([things[text] for text in texts])[codes])
    above = {row[0]: row for row in upper.rows()}
    found = ((text, *above[labels[at]]) for text, at in things.items())
    return Hierarchy.from_rows(found, name=column.name, data_dependent=True)
