"""How many members a set of the release prints.

The loss of a set of m out of |A| names is (m - 1)/(|A| - 1): next to nothing where |A| is large. Yet each member is
printed, and each is the value of somebody in the class.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kohort.core.frequency import CELLS, group
from kohort.release.homogeneity import class_of
from kohort.schema import Attribute, Label
from kohort.schema.domain import resolve
from kohort.tables.dataset import CellsByClass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kohort.arrays import Counts, Index
    from kohort.release.release import Release
    from kohort.schema import Attribute
    from kohort.tables.table import Column


def members_of(release: Release) -> dict[str, float]:
    """How many members a set prints, for each column that is released as sets: the mean over the records in sets.

    A column of which every record is released exactly has no set, and is left out.

    Cost: one comparison for each record and quasi-identifier, and one pass of hashing for each such column.
    """
    schema = release.job.schema
    asked = [one for one in schema.quasi if one.label in {Label.SET, Label.NAMES} or one.hierarchy is None]
    if release.verdict is not None:
        asked = [one for one in asked if release.verdict.labels[one.name] == Label.SET]
    if not release.records.data.records or release.levels or not asked:
        return {}
    means = {one.name: _mean(release, one, cells) for one, cells in zip(asked, _cells(release, asked), strict=True)}
    return {name: mean for name, mean in means.items() if mean is not None}


def _mean(release: Release, attribute: Attribute, parts: Iterable[CellsByClass]) -> float | None:
    """The mean of one column, from the cells of some classes at a time; `None` where there is no set."""
    members = records = 0
    for classes, column, counts in parts:
        codes = _codes(release, attribute, column)
        if codes is None:
            return None
        sizes = _members(classes, codes)
        weights = counts[sizes > 1]
        members, records = members + int((sizes[sizes > 1] * weights).sum()), records + int(weights.sum())
    return members / records if records else None


def _cells(release: Release, asked: Sequence[Attribute]) -> Iterator[Iterable[CellsByClass]]:
    """The values that released records had in each of these columns, of some classes at a time."""
    if release.records.groups is not None:
        yield from (release.records.groups.original(one.name) for one in asked)
        return
    classes, each = class_of(release.table, release.job.schema), np.ones(release.table.records, np.int64)
    for one in asked:
        column = release.source[one.name]
        yield [CellsByClass(classes, replace(column, codes=column.codes[release.lineage]), each)]


def _codes(release: Release, attribute: Attribute, column: Column) -> Index | None:
    """(g,) which value each group of released records had; `None` where the column is not released as sets."""
    name = attribute.name
    values, counts = column.values.to_list(), np.ones(len(column.values), np.int64)
    if release.population is not None:  # its values count when it is decided whether the column is numeric
        more = release.population.distinct(name).texts.to_list()
        values, counts = [*values, *more], np.concatenate([counts, np.zeros(len(more), counts.dtype)])
    label = None if attribute.label is Label.GRID else attribute.label
    plain = replace(attribute, hierarchy=None, grid=None, order=None, max_level=None, label=label)
    domain, code_of = resolve(plain, values, counts, release.job.schema.missing)
    return code_of[column.codes] if domain.label is Label.SET else None


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
