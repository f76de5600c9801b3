"""Subgroups of the records of a table: which lost most, and three records before and after; for the steward alone.

A subgroup has one value of a column, or a number of an interval.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from kohort.assessment.comparison.distribution import BINS, BinKind, distribution
from kohort.assessment.comparison.line import summed
from kohort.assessment.labels import span_of
from kohort.errors.display import Number
from kohort.release.homogeneity import class_of
from kohort.report.figures import Figures
from kohort.schema import Role
from kohort.schema.dates import read_days

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.arrays import Index, Shares
    from kohort.assessment.comparison.line import ColumnLine
    from kohort.release import Release
    from kohort.report.page.audience import Reader
    from kohort.tables.table import Column


class SuppressedGroup(Figures, frozen=True):
    """A subgroup by how many of its records were suppressed."""

    column: str
    value: str
    kind: BinKind
    records: int | None
    suppressed: int | None
    share: Number


class DistortedGroup(Figures, frozen=True):
    """A subgroup by the mean loss of its released records."""

    column: str
    value: str
    kind: BinKind
    records: int | None
    loss: Number


class OverallFigures(Figures, frozen=True):
    """The same of all records."""

    share: Number | None
    loss: Number | None


class SubgroupFigures(Figures, frozen=True):
    """Which subgroups were suppressed and distorted most, at most ten of each.

    Only subgroups of enough records count: as many as a public page may tell of.
    """

    suppressed: tuple[SuppressedGroup, ...]
    distorted: tuple[DistortedGroup, ...]
    overall: OverallFigures


class SampleCell(Figures, frozen=True):
    """A cell: `before` is null of identifying columns, `after` of those that are not released."""

    column: str
    before: str | None
    after: str | None


class SampleRecord(Figures, frozen=True):
    """A record of the smallest, of the median or of the largest class, and how many records that has."""

    class_: Literal["smallest", "median", "largest"]
    records: int
    cells: tuple[SampleCell, ...]


#: Subgroups that are listed of each kind.
LISTED: Final = 10

#: Digits of a share that is left out, and of a mean loss.
SHARE_DIGITS: Final = 6
LOSS_DIGITS: Final = 8

#: What a loss of 1 is in whole numbers, so that sums do not depend on their order.
UNITS: Final = 1 << 28


def subgroups(release: Release, lines: Sequence[ColumnLine], enough: int) -> SubgroupFigures:
    """The subgroups by these columns that were suppressed and distorted most; of at least `enough` records.

    Cost: a pass over the released records for each quasi-identifier, and some over all records for each column.
    """
    lost = np.rint(release.lost * UNITS)[class_of(release.table, release.job.schema)]  # (m,) so that sums are exact
    suppressed: list[SuppressedGroup] = []
    distorted: list[DistortedGroup] = []
    for line in lines:
        for value, kind, records, released, loss in _tallied(release, line, lost):
            named: dict[str, Any] = {"column": line.name, "value": value, "kind": kind, "records": records}
            if records >= enough and released < records:
                share = round((records - released) / records, SHARE_DIGITS)
                suppressed.append(SuppressedGroup(**named, suppressed=records - released, share=share))
            if released >= enough and loss:
                distorted.append(DistortedGroup(**named, loss=loss))
    suppressed.sort(key=lambda one: _rank(one, one.share))
    distorted.sort(key=lambda one: _rank(one, one.loss))
    share = round(release.suppressed / max(release.source.records, 1), SHARE_DIGITS)
    loss = round(float(lost.sum()) / UNITS / max(release.table.records, 1), LOSS_DIGITS)
    return SubgroupFigures(
        suppressed=tuple(suppressed[:LISTED]),
        distorted=tuple(distorted[:LISTED]),
        overall=OverallFigures(share=share, loss=loss),
    )


def _rank(one: SuppressedGroup | DistortedGroup, figure: float) -> tuple[float, int, str, str]:
    return -figure, -(one.records or 0), one.column, one.value


def _tallied(release: Release, line: ColumnLine, lost: Shares) -> Iterator[tuple[str, BinKind, int, int, float]]:
    """Each subgroup by a column: its value and kind, records before and released, and the mean loss of these."""
    labels, kinds, groups = _groups(line)
    of = groups[release.source[line.name].codes]
    kept = of[release.lineage]
    records, released = (np.bincount(one, minlength=len(labels)) for one in (of, kept))
    loss = np.round(summed(kept, lost, len(labels)) / UNITS / np.maximum(released, 1), LOSS_DIGITS)
    return zip(labels, kinds, records.tolist(), released.tolist(), loss.tolist(), strict=True)


def _groups(line: ColumnLine) -> tuple[Sequence[str], Sequence[BinKind], Index]:
    """Each value of names, and of numbers where they are few; else intervals, the last perhaps of the missing value.

    Their labels and kinds, and (v,) the group of each of the column's values.
    """
    texts = line.before.texts
    if not line.numeric or line.before.values <= BINS:
        return texts, ["value" if text else "missing" for text in texts], np.arange(len(texts))
    bins = distribution(line, None)
    spans = [span_of(read_days(one.label)) for one in bins if one.label]
    edges = np.array([float(span[0] * 10**line.digits) for span in spans if span is not None])
    places = line.before.means.centres()
    of = np.searchsorted(edges, places, side="right") - 1
    of[np.isnan(places)] = len(edges)
    return [one.label for one in bins], [one.kind for one in bins], of


# ── Samples ──────────────────────────────────────────────────────────────────────────────────────


def samples(release: Release, reader: Reader) -> tuple[SampleRecord, ...] | None:
    """One record of the smallest, of the median and of the largest class; null for the public, and without records.

    The values of identifying columns are never shown, not even to the steward.
    """
    if not reader.knows_all or not release.table.records:
        return None
    classes = class_of(release.table, release.job.schema)
    sizes = np.bincount(classes)
    order = np.argsort(sizes, kind="stable").tolist()
    places: dict[int, Literal["smallest", "median", "largest"]] = {
        order[-1]: "largest",
        order[len(order) // 2]: "median",
        order[0]: "smallest",
    }
    return tuple(
        SampleRecord(
            class_=places[one],
            records=int(sizes[one]),
            cells=tuple(_cells(release, _first(release, np.flatnonzero(classes == one)))),
        )
        for one in reversed(places)
    )


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
    return [one.name for one in release.job.schema.attributes if one.role is not Role.IDENTIFYING]


def _cells(release: Release, row: int) -> Iterator[SampleCell]:
    """Each column's cell before and after; null where it is not shown, or not released."""
    shown, record = _shown(release), int(release.lineage[row])
    for name in release.source.names:
        before = _text(release.source[name], int(release.source[name].codes[record])) if name in shown else None
        after = _text(release.table[name], int(release.table[name].codes[row])) if name in release.table.names else None
        yield SampleCell(column=name, before=before, after=after)


def _text(column: Column, code: int) -> str:
    return column.values[code] or ""
