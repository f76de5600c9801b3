"""How many members a set of the release prints.

The loss of a set of m out of |A| names is (m - 1)/(|A| - 1): next to nothing where |A| is large. Yet each member is
printed, and each is the value of somebody in the class.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kohort.core.frequency import CELLS, group, shared
from kohort.release.homogeneity import starts_of
from kohort.schema import Attribute, Label
from kohort.schema.domain import resolve
from kohort.tables.table import narrow

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index
    from kohort.release.release import Release
    from kohort.schema import Attribute
    from kohort.tables.dataset import ReleasedGroups
    from kohort.tables.table import Column


def members_of(release: Release) -> dict[str, float]:
    """How many members a set prints, for each column that is released as sets: the mean over the records in sets.

    A column of which every record is released exactly has no set, and is left out.

    Cost: one comparison for each record and quasi-identifier, and two passes for each such column.
    """
    schema = release.job.schema
    more = {one.name for one in schema.quasi if one.hierarchy is not None or one.label is Label.COMPANIONS}
    asked = [one for one in schema.quasi if one.name not in more]  # those name branches and companions too
    if release.verdict is not None:
        asked = [one for one in asked if release.verdict.labels[one.name] == Label.SET]
    if not release.records.data.records or release.levels or not asked:
        return {}
    if release.records.groups is None:
        mean = partial(_of_records, release, starts_of(release))
    else:
        mean = partial(_of_groups, release, release.records.groups)
    means = {one.name: mean(one) for one in asked}
    return {name: mean for name, mean in means.items() if mean is not None}


def _of_records(release: Release, starts: Index, attribute: Attribute) -> float | None:
    """The mean of one column; `None` where there is no set."""
    column = release.source[attribute.name]
    code_of = _codes(release, attribute, column)
    if code_of is None:
        return None
    values = int(code_of.max()) + 1
    held = shared(narrow(code_of, values).take(column.codes.take(release.lineage)), starts, values)
    sizes = np.rint(np.add.reduceat(1 / held, starts[:-1])).astype(np.int64)  # the records of a value add up to one
    return _mean(sizes, np.diff(starts))


def _of_groups(release: Release, groups: ReleasedGroups, attribute: Attribute) -> float | None:
    """The same of records that lie elsewhere, from the cells of some classes at a time."""
    every: list[tuple[Counts, Counts]] = []
    for classes, column, counts in groups.cells(attribute.name):
        code_of = _codes(release, attribute, column)
        if code_of is None:
            return None
        every.append((_members(classes, code_of[column.codes]), counts))
    sizes, weights = map(np.concatenate, zip(*every, strict=True))
    return _mean(sizes, weights)


def _mean(sizes: Counts, weights: Counts) -> float | None:
    several = sizes > 1
    records = int(weights[several].sum())
    return int((sizes[several] * weights[several]).sum()) / records if records else None


def _codes(release: Release, attribute: Attribute, column: Column) -> Index | None:
    """(v,) which value each text of the column is; `None` where the column is not released as sets."""
    name = attribute.name
    values, counts = column.values.to_list(), np.ones(len(column.values), np.int64)
    if release.population is not None:  # its values count when it is decided whether the column is numeric
        more = release.population.distinct(name).texts.to_list()
        values, counts = [*values, *more], np.concatenate([counts, np.zeros(len(more), counts.dtype)])
    label = None if attribute.label is Label.GRID else attribute.label
    plain = replace(attribute, hierarchy=None, grid=None, order=None, max_level=None, label=label)
    domain, code_of = resolve(plain, values, counts, release.job.schema.missing)
    return code_of[: len(column.values)] if domain.label is Label.SET else None


def _members(classes: Index, codes: Index) -> Counts:
    """(m,) how many different codes the class of each record has."""
    values = int(codes.max()) + 1
    pairs, places = classes * values + codes, (int(classes.max()) + 1) * values
    if places > CELLS:
        found = group(pairs.astype(np.uint64)[:, np.newaxis]).first
        return np.bincount(classes[found])[classes]
    occurs = np.zeros(places, np.bool_)
    occurs[pairs] = True
    each: Counts = occurs.reshape(-1, values).sum(axis=1)
    return each[classes]
