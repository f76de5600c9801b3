"""Who may be in which class: tables of people matched with a release by what its labels cover.

Which record of a release is whose is not known, not even to the steward who holds the input: a release has no key. So
every figure is in terms of the classes whose labels cover somebody. Where classes do not overlap that is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.core.covering import alike, covered_by, fitting
from kohort.core.frequency import group
from kohort.errors import SchemaError
from kohort.schema.sensitive import even_spelling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.arrays import Codes, Counts, Index
    from kohort.engines.table import Table
    from kohort.schema.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A release as an attacker sees it.

    Attributes:
        quasi: The columns that he knows of people.
        labels: (d,) the distinct cells of each.
        rows: (c, d) the label of each class.
        of: (n,) the class of each record.
        sizes: (c,) records of each class.
    """

    quasi: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    rows: Codes
    of: Index
    sizes: Counts

    @classmethod
    def over(cls, table: Table, quasi: Sequence[str]) -> View:
        """The classes of equal cells in the columns `quasi`."""
        labels = tuple(texts(table, name) for name in quasi)
        matrix = np.stack([table[name].codes.astype(np.uint32) for name in quasi], axis=1)
        grouping = group(matrix)
        return cls(tuple(quasi), labels, matrix[grouping.first], grouping.of, grouping.counts)


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """People whose values a release's labels cover.

    Attributes:
        columns: The columns that both have, by which they are matched.
        values: Per column, its distinct values among the people.
        tuples: (t, d) codes of the distinct tuples of these.
        of: (p,) the tuple of each person.
        pairs: (m, 2) each tuple, and a class that covers it, in the order of tuples.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    tuples: Codes
    of: Index
    pairs: Index

    @property
    def counts(self) -> Counts:
        """(t,) people with each tuple."""
        return np.bincount(self.of, minlength=len(self.tuples))

    @property
    def fits(self) -> Index:
        """(q, 2) each person, and a class that covers him, in the order of people."""
        person, pair = joined(self.pairs[:, 0], self.of)
        return np.stack([person, self.pairs[pair, 1]], axis=1)

    @property
    def only(self) -> Index:
        """(p,) the class of each person whom just one covers; below 0 of others."""
        classes = np.full(len(self.tuples), -1)
        alone = np.bincount(self.pairs[:, 0], minlength=classes.size)[self.pairs[:, 0]] == 1
        classes[self.pairs[alone, 0]] = self.pairs[alone, 1]
        return classes[self.of]


def match(view: View, people: Table, hierarchies: Mapping[str, Hierarchy | str]) -> Match:
    """Match `people` with the classes, by all quasi-identifying columns that both tables have.

    Raises:
        SchemaError: there is no such column.
        InputError: labels that cannot be read.
    """
    columns = tuple(name for name in view.quasi if name in people.names)
    if not columns:
        hint = "it needs quasi-identifying columns by the release's names"
        raise SchemaError("a table of people has no column in common with the release", hint=hint)
    chosen = [view.quasi.index(name) for name in columns]
    matrix = np.stack([people[name].codes.astype(np.uint32) for name in columns], axis=1)
    grouping = group(matrix)
    values = tuple(texts(people, name) for name in columns)
    covered = [
        covered_by(view.labels[place], known, column=name, hierarchy=hierarchies.get(name))
        for name, place, known in zip(columns, chosen, values, strict=True)
    ]
    tuples = matrix[grouping.first]
    fits = fitting(view.rows[:, chosen], tuples, covered)
    found = [np.stack([one, np.full_like(one, of)], 1) for same, one in fits for of in same.tolist()]
    pairs = np.concatenate([np.empty((0, 2), np.int64), *found])
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return Match(columns, values, tuples, grouping.of, pairs[order])


def joined(keys: Index, wanted: Index) -> tuple[Index, Index]:
    """Which of `wanted` equals which of the ascending `keys`: places of both, in the order of `wanted`.

    >>> [places.tolist() for places in joined(np.array([3, 5, 5]), np.array([5, 4, 3]))]
    [[0, 0, 2], [1, 2, 0]]
    """
    first, after = (np.searchsorted(keys, wanted, side) for side in ("left", "right"))
    each = after - first
    place: Index = np.arange(int(each.sum())) + np.repeat(first - (np.cumsum(each) - each), each)
    return np.repeat(np.arange(wanted.size), each), place


def texts(table: Table, name: str) -> tuple[str, ...]:
    """The distinct cells of a column; a missing one is empty."""
    return tuple(text or "" for text in table[name].values.to_list())


def values_of(tables: Sequence[Table], name: str) -> tuple[list[Index], tuple[str, ...]]:
    """(n,) codes of a sensitive column's cells, table by table, and what they mean; below 0 where a value is missing.

    Spellings that a reader takes for one value are one, and so are equal numbers.
    """
    code: dict[str, int] = {}
    codes: list[Index] = []
    for table in tables:
        known = [text and alike(even_spelling(text)) for text in texts(table, name)]
        places = [code.setdefault(text, len(code)) if text else -1 for text in known]
        codes.append(np.array(places, dtype=np.int64)[table[name].codes])
    return codes, tuple(code)
