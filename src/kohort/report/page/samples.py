"""Three records before and after: for the steward only, since they are records.

The values of identifying columns are never shown, not even here.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kohort.release.homogeneity import class_of
from kohort.schema import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Index
    from kohort.engines.table import Column
    from kohort.release import Release
    from kohort.report import Json
    from kohort.report.page.audience import Reader


def samples(release: Release, reader: Reader) -> Json:
    """One record of the smallest, of the median and of the largest class; null for the public, and without records."""
    if not reader.knows_all or not release.table.records:
        return None
    classes = class_of(release.table, release.job.schema)
    sizes = np.bincount(classes)
    order = np.argsort(sizes, kind="stable").tolist()
    places = {
        order[-1]: "largest",
        order[len(order) // 2]: "median",
        order[0]: "smallest",
    }
    return [
        {
            "class": places[one],
            "records": int(sizes[one]),
            "cells": [*_cells(release, _first(release, np.flatnonzero(classes == one)))],
        }
        for one in reversed(places)
    ]


def _first(release: Release, rows: Index) -> int:
    """The first of these released records by what is shown of it, whatever the order of the input."""
    shown = [(release.source[one], release.lineage) for one in _shown(release)]
    shown += [(column, np.arange(release.table.records)) for column in release.table.columns]
    for column, place in shown:
        codes = column.codes[place[rows]]
        used: list[int] = np.unique(codes).tolist()
        least = min(used, key=partial(_text, column))
        rows = rows[codes == least]
    return int(rows[0])


def _shown(release: Release) -> list[str]:
    """The columns that are shown as they were."""
    return [one.name for one in release.job.schema.attributes if one.role is not Role.IDENTIFYING]


def _cells(release: Release, row: int) -> Iterator[Json]:
    """Each column's cell before and after; null where it is not shown, or not released."""
    shown, record = _shown(release), int(release.lineage[row])
    for name in release.source.names:
        before = _cell(release.source[name], record) if name in shown else None
        after = _cell(release.table[name], row) if name in release.table.names else None
        yield {"column": name, "before": before, "after": after}


def _cell(column: Column, row: int) -> str:
    return _text(column, int(column.codes[row]))


def _text(column: Column, code: int) -> str:
    """A value as text; empty where there is none."""
    return column.values[code] or ""
