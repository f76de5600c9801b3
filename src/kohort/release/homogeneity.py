"""What classes say of a sensitive attribute without anybody being linked: how alike the values in them are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.core.frequency import group
from kohort.schema import Missing
from kohort.schema.sensitive import resolve

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.release.release import Release
    from kohort.schema import Attribute, Schema
    from kohort.tables.table import Table

#: A column has many values from here on …
MANY: Final = 1_000

#: … if it also has one for every so many records: hardly a class has only one, and to read them all takes seconds.
RECORDS: Final = 10


class Homogeneity(NamedTuple):
    """How sure the classes of a release make of one sensitive attribute.

    People are counted where the schema has a person key, else records. Missing values are none.

    Attributes:
        alike: People with a value in classes where only one value occurs: whoever knows the class knows it.
        share: The largest share of one value among the people of a class who have a value; 0 where nobody has.
    """

    alike: int
    share: float


def people_of(release: Release) -> Index | None:
    """(m,) whose each released record is, as a code; `None` where the schema has no person key."""
    key = release.job.schema.person
    return None if key is None else release.source[key].codes.take(release.lineage).astype(np.int64)


def homogeneity_of(release: Release) -> dict[str, Homogeneity]:
    """The homogeneity of the sensitive attributes, by name; of those with many values only if a model looks at them.

    Cost: one comparison for each record and quasi-identifier, and one pass of hashing for each sensitive attribute.
    """
    schema, table = release.job.schema, release.table
    if not table.records:
        return {}
    classes, people = class_of(table, schema), people_of(release)
    looked_at = {model.declared.sensitive for model in release.job.models}
    few = max(MANY, table.records // RECORDS)
    return {
        one.name: _homogeneity(table, one, schema.missing, classes, people)
        for one in schema.sensitive
        if one.name in looked_at or len(table[one.name].values) <= few
    }


def class_of(table: Table, schema: Schema) -> Index:
    """(m,) the class of each record: a release stands in the order of its classes."""
    starts = np.zeros(table.records, np.bool_)
    for attribute in schema.quasi:
        codes = table[attribute.name].codes
        starts[1:] |= codes[1:] != codes[:-1]
    return np.cumsum(starts, dtype=np.int64)


def _homogeneity(
    table: Table, attribute: Attribute, missing: frozenset[str], classes: Index, people: Index | None
) -> Homogeneity:
    """That of one attribute."""
    column = table[attribute.name]
    plain = replace(attribute, hierarchy=None, missing=Missing.VALUE)  # how far values are apart does not matter
    domain, code_of = resolve(plain, column.values.to_list(), column.counts(), missing)
    held = code_of[column.codes]
    present = held < len(domain)
    if not present.any():
        return Homogeneity(0, 0.0)
    cells = np.stack([classes[present], held[present]], axis=1).astype(np.uint64)
    if people is not None:  # who has several records of one value in a class has it once
        cells = cells[group(np.column_stack([cells, people[present].astype(np.uint64)])).first]
    grouping = group(cells)
    counts, of = grouping.counts, cells[grouping.first, 0].astype(np.int64)
    totals = np.bincount(of, weights=counts)
    alone = np.bincount(of) == 1
    return Homogeneity(int(totals[alone].sum()), float((counts / totals[of]).max()))
