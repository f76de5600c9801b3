"""The people of another table whom the labels of a release's classes fit, as anyone matches them who has both.

Only a release's labels are read: a class fits a person whose values its labels cover in every column. A release has no
key, so that nobody, not even the data steward, knows the person of a record; every figure here is of classes.
Where classes do not overlap that is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.assessment.classes import records_of
from kohort.assessment.labels import cell_texts, covered_by, labels_at_once
from kohort.core.frequency import group
from kohort.errors import InputError, SchemaError
from kohort.errors.display import many
from kohort.schema import Missing
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.schema import Schema
    from kohort.schema.hierarchy import Hierarchy
    from kohort.tables.table import Column, Table

#: Pairs of a class and a tuple that are compared one by one: with more, narrowing both first is quicker.
_FEW: Final = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class PopulationTuples:
    """The people of a table by their values in some columns; people with equal values share a tuple.

    Attributes:
        columns: The columns.
        values: Per column, its distinct values; "" is the missing one.
        tuples: (t, d) codes of the distinct tuples of these.
        of: (p,) the tuple of each person.
        listed: (t,) whether the schema lets people with the tuple into a release; others match nobody.
        without_value: Of each column in which some people have no value, how many.
    """

    columns: tuple[str, ...]
    values: tuple[Sequence[str], ...]
    tuples: Codes
    of: Index
    listed: Mask
    without_value: Mapping[str, int]

    @classmethod
    def in_table(cls, table: Table, columns: Sequence[str], schema: Schema) -> PopulationTuples:
        """The records of a table, each a person.

        Args:
            table: The table.
            columns: The columns that people are known by.
            schema: Which texts mean no value; but `*`, as a value, stays one. How a missing value is treated.

        Raises:
            SchemaError: The table lacks a column.
            InputError: The schema refuses missing values of a column, and somebody has none.
        """
        missing_columns = [name for name in columns if name not in table.names]
        if missing_columns:
            what = f"the population table has no column {', '.join(missing_columns)}"
            hint = "the population table needs every quasi-identifying column under the same name"
            raise SchemaError(what, where="population", hint=hint)
        chosen = [table[name] for name in columns]
        every = records_of([column.codes for column in chosen]).quasi
        grouping = group(every)
        values = tuple(cell_texts(column, texts_of_none(schema)) for column in chosen)
        tuples, listed = every[grouping.first], np.ones(grouping.first.size, np.bool_)
        without: dict[str, int] = {}
        for column, codes in zip(chosen, tuples.T, strict=True):
            lacking = column.absent(schema.missing)
            without[column.name] = int(column.counts()[lacking].sum())
            treatment = schema.missing_of(column.name)
            if treatment is Missing.REFUSE and without[column.name]:
                what = f"{many(without[column.name], 'person', 'people')} of the population have no value"
                hint = f"--missing {column.name}=suppress accepts missing values, which match no class"
                raise InputError(what, where=f"column {column.name}", hint=hint)
            if treatment is Missing.SUPPRESS:
                listed &= ~lacking[codes]
        return cls(tuple(columns), values, tuples, grouping.of, listed, {name: n for name, n in without.items() if n})

    @property
    def counts(self) -> Counts:
        """(t,) people with each tuple; 0 where the schema would suppress them."""
        return np.bincount(self.of, minlength=len(self.tuples)) * self.listed

    def matched(
        self, labels: Sequence[Sequence[str]], rows: Codes, hierarchies: Mapping[str, Hierarchy | str]
    ) -> Iterator[tuple[Index, Index]]:
        """Classes with equal labels, and the tuples that they fit, where there are any.

        Args:
            labels: (d,) the distinct labels of each column, "" for the missing value.
            rows: (c, d) codes of the labels of each class.
            hierarchies: Those of some columns: what names of nodes mean, or a builder's text.
        """
        columns = zip(self.columns, labels, self.values, strict=True)
        covered = [
            covered_by(texts, values, column=name, hierarchy=hierarchies.get(name)) for name, texts, values in columns
        ]
        places = np.flatnonzero(self.listed)
        return ((classes, places[one]) for classes, one in matches(rows, self.tuples[places], covered))


@dataclass(frozen=True, slots=True, eq=False)
class PopulationCount:
    """How many people of a population the classes of a release fit.

    Attributes:
        fitting: (c,) people whom the labels of each class cover.
        unmatched: People whom no class fits, besides those whom the schema would suppress.
        without_value: Of each column in which some people have no value, how many.
    """

    fitting: Counts
    unmatched: int
    without_value: Mapping[str, int]


def count_population(columns: Sequence[Column], rows: Codes, population: Table, schema: Schema) -> PopulationCount:
    """How many people of a population table the labels of each class fit.

    Whom the schema would suppress for a missing value is in no release, and so matches nobody.

    Args:
        columns: (d,) the quasi-identifying columns of the release.
        rows: (c, d) codes of each class in them.
        population: The population table; each record is a person.
        schema: Hierarchies of some columns: what names of nodes mean, or a builder's text. Texts that mean no value;
            but `*`, as a label, covers any. How a missing value is treated.

    Raises:
        SchemaError: The population table lacks a column.
        InputError: Labels cannot be read, or the schema refuses people without a value.
        HierarchyError: A builder cannot make a hierarchy of the people's values.
    """
    people = PopulationTuples.in_table(population, [column.name for column in columns], schema)
    counts, labels = people.counts, [cell_texts(column, texts_of_none(schema)) for column in columns]
    fitting, unmatched = np.zeros(len(rows), np.int64), np.ones(counts.size, np.bool_)
    for classes, tuples in people.matched(labels, rows, schema.hierarchies):
        fitting[classes], unmatched[tuples] = counts[tuples].sum(), False
    return PopulationCount(fitting, int(counts[unmatched].sum()), people.without_value)


def told_without(column: str, people: int, *, suppressed: bool) -> str:
    """Whom the people of a population without a value in a column were matched to.

    >>> told_without("age", 12, suppressed=True)
    '12 people of the population have no value in age and were matched to no class'
    """
    some = many(people, "person of the population has", "people of the population have")
    whom = "no class" if suppressed else "every class with a label such as *"
    return f"{some} no value in {column} and {'was' if people == 1 else 'were'} matched to {whom}"


def texts_of_none(schema: Schema) -> frozenset[str]:
    """The texts that mean no value where labels are read: `*` covers any value."""
    return schema.missing - {SUPPRESSED}


@dataclass(frozen=True, slots=True, eq=False)
class PopulationMatch:
    """People, and the classes of a release that fit each of them.

    Attributes:
        people: The people.
        pairs: (m, 2) each tuple of theirs, and a class that fits it, in the order of tuples.
    """

    people: PopulationTuples
    pairs: Index

    @property
    def fits(self) -> Index:
        """(q, 2) each person, and a class that fits, in the order of people."""
        person, pair = joined(self.pairs[:, 0], self.people.of)
        return np.stack([person, self.pairs[pair, 1]], axis=1)

    @property
    def only(self) -> Index:
        """(p,) the class of each person whom just one fits; below 0 for others."""
        classes = np.full(len(self.people.tuples), -1)
        single = np.bincount(self.pairs[:, 0], minlength=classes.size)[self.pairs[:, 0]] == 1
        classes[self.pairs[single, 0]] = self.pairs[single, 1]
        return classes[self.people.of]


def match_population(
    people: PopulationTuples, labels: Sequence[Sequence[str]], rows: Codes, hierarchies: Mapping[str, Hierarchy | str]
) -> PopulationMatch:
    """Each of the `people` with all classes that fit. See `PopulationTuples.matched`."""
    fits = people.matched(labels, rows, hierarchies)
    found = [np.stack([one, np.full_like(one, of)], 1) for same, one in fits for of in same.tolist()]
    pairs = np.concatenate([np.empty((0, 2), np.int64), *found])
    return PopulationMatch(people, pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])


def joined(keys: Index, wanted: Index) -> tuple[Index, Index]:
    """Which of `wanted` equals which of the ascending `keys`: places of both, in the order of `wanted`.

    >>> [places.tolist() for places in joined(np.array([3, 5, 5]), np.array([5, 4, 3]))]
    [[0, 0, 2], [1, 2, 0]]
    """
    first, after = (np.searchsorted(keys, wanted, side) for side in ("left", "right"))
    return np.repeat(np.arange(wanted.size), after - first), _ranges(first, after)


def matches(rows: Codes, tuples: Codes, covered: Sequence[Sequence[Index]]) -> Iterator[tuple[Index, Index]]:
    """Classes with equal labels, and the tuples of values that these cover in every column, where there are any.

    Classes that agree in some columns are narrowed together, first by the column whose labels cover the fewest tuples;
    where few classes and tuples are left, every pair of them is compared.
    Cost: for all different labels of some columns, a sort of the tuples that they cover.

    Args:
        rows: (c, d) codes of the labels of each class.
        tuples: (t, d) codes of values.
        covered: Per column and label, the values that it covers, as of `covered_by`.

    >>> rows, tuples = np.array([[0], [1]], np.uint32), np.array([[0], [1]], np.uint32)
    >>> [(of.tolist(), fits.tolist()) for of, fits in matches(rows, tuples, [[np.array([0, 1]), np.array([0])]])]
    [([0], [0, 1]), ([1], [0])]
    """
    columns = _narrowest_first(rows, tuples, covered)
    pairs = _Pairs.of(rows, tuples, covered)
    pending = [(0, np.arange(len(rows)), np.arange(len(tuples)))] if len(rows) else []
    while pending:
        depth, classes, fits = pending.pop()
        if not fits.size:
            continue
        if depth == len(columns):
            yield classes, np.sort(fits)
            continue
        if pairs is not None and classes.size * fits.size <= _FEW:
            yield from pairs.matching(columns[depth:], classes, np.sort(fits))
            continue
        column = columns[depth]
        labels, values = rows[classes, column], tuples[fits, column]
        order, by_value = np.argsort(labels, kind="stable"), np.argsort(values, kind="stable")
        fits, values = fits[by_value], values[by_value]
        for same in np.split(classes[order], np.flatnonzero(np.diff(labels[order])) + 1):
            wanted = covered[column][int(rows[same[0], column])].astype(values.dtype)
            first, end = np.searchsorted(values, wanted), np.searchsorted(values, wanted, side="right")
            pending.append((depth + 1, same, fits[_ranges(first, end)]))


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Labels of classes and values of tuples, to compare one by one.

    Attributes:
        rows: (d, c) codes of the labels of each class.
        tuples: (d, t) codes of values.
        masks: Per column, (labels, values) whether a label covers a value.
    """

    rows: Codes
    tuples: Codes
    masks: tuple[Mask, ...]

    @classmethod
    def of(cls, rows: Codes, tuples: Codes, covered: Sequence[Sequence[Index]]) -> _Pairs | None:
        """`None` where what labels cover would take too much memory as masks."""
        many = (tuples.max(axis=0, initial=0).astype(np.int64) + 1).tolist()
        if sum(map(len, covered)) > labels_at_once(max(many, default=1)):
            return None
        masks = [np.zeros((len(one), values), np.bool_) for one, values in zip(covered, many, strict=True)]
        for mask, places in zip(masks, covered, strict=True):
            label = np.repeat(np.arange(len(places)), [one.size for one in places])
            value = np.concatenate([*places, np.empty(0, np.int64)]).astype(np.int64)
            known = value < mask.shape[1]
            mask[label[known], value[known]] = True
        return cls(rows.T.copy(), tuples.T.copy(), tuple(masks))

    def matching(self, columns: Sequence[int], classes: Index, fits: Index) -> Iterator[tuple[Index, Index]]:
        """Each of the classes, and which of the ascending `fits` its labels cover in these columns."""
        own, fitting = np.repeat(classes, fits.size), np.tile(fits, classes.size)
        for column in columns:
            kept = self.masks[column][self.rows[column][own], self.tuples[column][fitting]]
            own, fitting = own[kept], fitting[kept]
        ends = np.append(np.flatnonzero(np.diff(own)) + 1, own.size).tolist() if own.size else []
        for start, end in pairwise([0, *ends]):
            yield own[start : start + 1], fitting[start:end]


def _narrowest_first(rows: Codes, tuples: Codes, covered: Sequence[Sequence[Index]]) -> list[int]:
    """The columns, ascending by how many tuples the labels of a class cover on average."""
    cover: list[float] = []
    for column, values in enumerate(covered):
        known = np.bincount(
            tuples[:, column], minlength=max((int(one.max(initial=-1)) for one in values), default=0) + 1
        )
        cover.append(float(np.array([known[one].sum() for one in values])[rows[:, column]].sum()))
    return sorted(range(len(covered)), key=cover.__getitem__)


def _ranges(first: Index, end: Index) -> Index:
    """The places from each first to before its end, one range after the other.

    >>> _ranges(np.array([5, 0]), np.array([8, 1])).tolist()
    [5, 6, 7, 0]
    """
    sizes = end - first
    return np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
