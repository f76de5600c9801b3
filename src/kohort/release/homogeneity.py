"""What classes say of a sensitive attribute without anybody being linked: how alike the values in them are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.core.frequency import group, shared
from kohort.errors import LimitError
from kohort.errors.display import Share  # noqa: TC001  pydantic reads what fields are
from kohort.release.release import people_of
from kohort.schema import Missing
from kohort.schema.sensitive import resolve
from kohort.tables.dataset import CellsByClass
from kohort.tables.recoded import RecodedTable
from kohort.tables.table import narrow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kohort.arrays import Counts, Index
    from kohort.release.release import Release
    from kohort.schema import Attribute, Schema
    from kohort.tables.dataset import Dataset
    from kohort.tables.table import Column, Table

#: A column has many values from here on …
MANY: Final = 1_000

#: … if it also has one for every so many records: hardly a class has only one, and to read them all takes seconds.
RECORDS: Final = 10


@dataclass(frozen=True, slots=True)
class Homogeneity:
    """How sure the classes of a release make of one sensitive attribute.

    People are counted where the schema has a person key, else records. Missing values are none.

    Attributes:
        people: People with a value in classes where only one value occurs: whoever knows the class knows it.
        uncommon: Those of them whose value is not one that more than half of all who have a value share.
        largest_share: The largest share of one value among the people of a class who have a value; 0 where nobody has.
        share_of_all: The share of that value among all who have one; of several such values that of the rarest.
    """

    people: int = field(metadata={"public": "people"})
    uncommon: int = field(metadata={"public": "people"})
    largest_share: Share
    share_of_all: Share


class _Found(NamedTuple):
    """What makes it, of some classes, by the code of a value.

    Attributes:
        alone: (v,) people with each value in classes where no other occurs.
        totals: (v,) people with each value.
        share: The largest share of one value in a class.
        values: The codes of the values that have it.
    """

    alone: Counts
    totals: Counts
    share: float
    values: Index

    def joined(self, other: _Found) -> _Found:
        share = max(self.share, other.share)
        values = np.concatenate([one.values for one in (self, other) if one.share == share])
        return _Found(self.alone + other.alone, self.totals + other.totals, share, values)

    @property
    def told(self) -> Homogeneity:
        every, alike = int(self.totals.sum()), int(self.alone.sum())
        usual = int(self.alone[2 * self.totals > every].sum())
        of_all = self.totals[self.values].min(initial=every) / max(every, 1) if self.values.size else 0.0
        return Homogeneity(alike, alike - usual, self.share, float(of_all))


def homogeneity_of(release: Release) -> dict[str, Homogeneity]:
    """The homogeneity of the sensitive attributes, by name; of those with many values only if a model looks at them.

    Cost: one comparison for each record and quasi-identifier, and two passes for each sensitive attribute; with people
    also one of hashing.
    """
    schema, data, groups = release.job.schema, release.records.data, release.records.groups
    if not data.records:
        return {}
    people = people_of(release)
    looked_at = {model.declared.sensitive for model in release.job.models}
    few = max(MANY, data.records // RECORDS)
    asked = [one for one in schema.sensitive if one.name in looked_at or _has_few(data, one.name, few)]
    if groups is not None:
        parts = ((one, groups.cells(one.name)) for one in asked)
        return {one.name: _joined(cells, one, schema.missing, people).told for one, cells in parts}
    if people is None:
        starts = starts_of(release)
        table = data if isinstance(data, RecodedTable) else release.table
        return {one.name: _of_records(table[one.name], starts, one, schema.missing).told for one in asked}
    table = release.table
    classes, each = class_of(table, schema), np.ones(table.records, np.int64)
    cells = ((one, CellsByClass(classes, table[one.name], each)) for one in asked)
    return {one.name: _homogeneity(held, one, schema.missing, people).told for one, held in cells}


def _joined(
    parts: Iterable[CellsByClass], attribute: Attribute, missing: frozenset[str], people: Index | None
) -> _Found:
    """That of one attribute, of some classes at a time; where people are counted, of all."""
    return reduce(_Found.joined, (_homogeneity(cells, attribute, missing, people) for cells in parts))


def _has_few(data: Dataset, name: str, few: int) -> bool:
    """Whether a column has so many values at most; where they do not fit into memory it has not."""
    try:
        return len(data.distinct(name).texts) <= few
    except LimitError:
        return False


def class_of(table: Table, schema: Schema) -> Index:
    """(m,) the class of each record: a release stands in the order of its classes."""
    starts = np.zeros(table.records, np.bool_)
    for attribute in schema.quasi:
        codes = table[attribute.name].codes
        starts[1:] |= codes[1:] != codes[:-1]
    return np.cumsum(starts, dtype=np.int64)


def starts_of(release: Release) -> Index:
    """(c + 1,) where the records of each class begin, then their number."""
    data = release.records.data
    if isinstance(data, RecodedTable):  # whose classes are known without their labels
        return np.append(0, np.cumsum(data.sizes))
    classes = class_of(release.table, release.job.schema)
    return np.append(np.flatnonzero(np.diff(classes, prepend=-1)), classes.size)


def _of_records(column: Column, starts: Index, attribute: Attribute, missing: frozenset[str]) -> _Found:
    values, code_of = _resolved(column, attribute, missing)
    codes = narrow(code_of, values + 1).take(column.codes)
    every = np.bincount(code_of, column.counts(), values + 1)[:values].astype(np.int64)
    held = shared(codes, starts, values)
    most, totals = np.maximum.reduceat(held, starts[:-1]), np.add.reduceat(held > 0, starts[:-1], dtype=np.int64)
    shares = np.where(totals > 0, most / np.maximum(totals, 1), 0.0)
    share = float(shares.max(initial=0.0))
    top, of = _records_of(np.flatnonzero((shares == share) & (totals > 0)), starts)
    values_there = codes[top[held[top] == most[of]]]
    alone = values_there[: values_there.size * (share == 1)]  # a class of one value has the greatest share
    return _Found(np.bincount(alone, minlength=values), every, share, np.unique(values_there).astype(np.int64))


def _records_of(classes: Index, starts: Index) -> tuple[Index, Index]:
    sizes = (starts[1:] - starts[:-1])[classes]
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts[classes] - before, sizes) + np.arange(int(sizes.sum())), np.repeat(classes, sizes)


def _resolved(column: Column, attribute: Attribute, missing: frozenset[str]) -> tuple[int, Index]:
    """How many values there are, and the code of each text; of one that is missing, their number."""
    plain = replace(attribute, hierarchy=None, missing=Missing.VALUE)  # how far values are apart does not matter
    once = np.ones(len(column.values), np.int64)  # how often does not matter
    domain, code_of = resolve(plain, column.values.to_list(), once, missing)
    return len(domain), code_of


def _homogeneity(
    cells: CellsByClass, attribute: Attribute, missing: frozenset[str], people: Index | None = None
) -> _Found:
    classes, column, records = cells
    values, code_of = _resolved(column, attribute, missing)
    held = code_of[column.codes]
    present = held < values
    if not present.any():
        return _Found(np.zeros(values, np.int64), np.zeros(values, np.int64), 0.0, held[:0])
    if not present.all():
        classes, held, records = classes[present], held[present], records[present]
        people = None if people is None else people[present]
    pairs = (classes * values + held).astype(np.uint64)
    if people is not None:  # who has several records of one value in a class has it once
        first = group(np.stack([pairs, people.astype(np.uint64)], axis=1)).first
        pairs, records = pairs[first], np.ones_like(first)
    grouping = group(pairs[:, np.newaxis])
    counts = np.bincount(grouping.of, records).astype(np.int64)
    of, value = (part.astype(np.int64) for part in np.divmod(pairs[grouping.first], values))
    shares = counts / np.bincount(of, weights=counts)[of]
    single = np.bincount(of)[of] == 1
    alone, every = (np.bincount(value[some], counts[some], values).astype(np.int64) for some in (single, slice(None)))
    share = float(shares.max())
    return _Found(alone, every, share, np.unique(value[shares == share]))
