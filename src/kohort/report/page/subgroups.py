"""Subgroups of the records of a table: which lost most, and three records before and after; for the steward alone.

A subgroup has one value of a column, or a number of an interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from kohort.assessment.comparison.distribution import BINS, BinKind, distribution
from kohort.assessment.comparison.line import summed
from kohort.assessment.labels import span_of
from kohort.release.homogeneity import class_of
from kohort.report.figures import Figures
from kohort.schema import Role
from kohort.schema.dates import read_days
from kohort.shown import Number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction

    from kohort.arrays import Counts, Index, Shares
    from kohort.assessment.comparison.distribution import Bin
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


def tallies(release: Release, names: Sequence[str]) -> dict[str, Tally]:
    """What became of the records with each value, for these columns of the input.

    Cost: a pass over the released records for each quasi-identifier, and two for each column.
    """
    lost = _lost(release)
    found: dict[str, Tally] = {}
    for name in names:
        column = release.source[name]
        codes, values = column.codes[release.lineage], len(column.values)
        found[name] = Tally(column.counts(), np.bincount(codes, minlength=values), summed(codes, lost, values))
    return found


def _lost(release: Release) -> Shares:
    """(m,) the mean loss of each released record's quasi-identifiers, in whole units: sums of them are exact."""
    return np.rint(release.lost * UNITS)[class_of(release.table, release.job.schema)]


class _Row(NamedTuple):
    """A subgroup."""

    column: str
    value: str
    kind: BinKind
    records: int
    suppressed: int
    loss: float


def subgroups(
    release: Release, tallied: Mapping[str, Tally], groups: Mapping[str, Subgroups], enough: int
) -> SubgroupFigures:
    """The subgroups of `groups` that were suppressed and distorted most; of at least `enough` records."""
    rows = [row for name, one in groups.items() for row in _rows(name, one, tallied[name], enough)]
    suppressed = [_suppressed(row) for row in rows if row.suppressed]
    distorted = [_distorted(row) for row in rows if row.records - row.suppressed >= enough and row.loss]
    suppressed.sort(key=lambda one: _rank(one, one.share))
    distorted.sort(key=lambda one: _rank(one, one.loss))
    return SubgroupFigures(
        suppressed=tuple(suppressed[:LISTED]),
        distorted=tuple(distorted[:LISTED]),
        overall=_overall(release, next(iter(tallied.values()))),
    )


def _rank(one: SuppressedGroup | DistortedGroup, figure: float) -> tuple[float, int, str, str]:
    """The order of rows: by a figure, the greatest first."""
    return -figure, -(one.records or 0), one.column, one.value


def _rows(name: str, groups: Subgroups, tally: Tally, enough: int) -> list[_Row]:
    """The groups of a column that are large enough."""
    of = tally.of(groups.of, len(groups.labels))
    loss = of.loss / UNITS / np.maximum(of.released, 1)
    columns = (one.tolist() for one in (of.records, of.suppressed, np.round(loss, LOSS_DIGITS)))
    rows = zip(groups.labels, groups.kinds, *columns, strict=True)
    return [_Row(name, *row) for row in rows if row[2] >= enough]


def _suppressed(row: _Row) -> SuppressedGroup:
    return SuppressedGroup(
        column=row.column,
        value=row.value,
        kind=row.kind,
        records=row.records,
        suppressed=row.suppressed,
        share=round(row.suppressed / row.records, SHARE_DIGITS),
    )


def _distorted(row: _Row) -> DistortedGroup:
    return DistortedGroup(
        column=row.column, value=row.value, kind=row.kind, records=row.records, loss=round(row.loss, LOSS_DIGITS)
    )


def _overall(release: Release, tally: Tally) -> OverallFigures:
    """The same of all records, by the values of any column."""
    records, released = release.source.records, release.table.records
    share = round(release.suppressed / max(records, 1), SHARE_DIGITS)
    return OverallFigures(share=share, loss=round(float(tally.loss.sum()) / UNITS / max(released, 1), LOSS_DIGITS))


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
    """The columns that are shown as they were."""
    return [one.name for one in release.job.schema.attributes if one.role is not Role.IDENTIFYING]


def _cells(release: Release, row: int) -> Iterator[SampleCell]:
    """Each column's cell before and after; null where it is not shown, or not released."""
    shown, record = _shown(release), int(release.lineage[row])
    for name in release.source.names:
        before = _cell(release.source[name], record) if name in shown else None
        after = _cell(release.table[name], row) if name in release.table.names else None
        yield SampleCell(column=name, before=before, after=after)


def _cell(column: Column, row: int) -> str:
    return _text(column, int(column.codes[row]))


def _text(column: Column, code: int) -> str:
    """A value as text; empty where there is none."""
    return column.values[code] or ""


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What became of the records with each value of a column.

    Attributes:
        records: (v,) records of the input.
        released: (v,) of these, how many are released.
        loss: (v,) the losses of the released ones, added up; each is the mean of its quasi-identifiers, in `UNITS` of
            `kohort.report.page.subgroups`.
    """

    records: Counts
    released: Counts
    loss: Shares

    def of(self, groups: Index, count: int) -> Tally:
        """The same of groups of values."""
        records, released = (summed(groups, part, count).astype(np.int64) for part in (self.records, self.released))
        return Tally(records, released, summed(groups, self.loss, count))

    @property
    def suppressed(self) -> Counts:
        """Records that are not released."""
        return self.records - self.released


@dataclass(frozen=True, slots=True, eq=False)
class Subgroups:
    """Subgroups of the values of a column.

    Attributes:
        labels: (g,) what each is called; "" of the missing value and of others.
        kinds: (g,) what each is.
        of: (v,) the group of each of the column's values.
    """

    labels: Sequence[str]
    kinds: Sequence[BinKind]
    of: Index


def groups_of(line: ColumnLine) -> Subgroups:
    """Each value of names, and of numbers where they are few; else intervals."""
    if line.numeric and line.before.values > BINS:
        return _intervals(line, distribution(line, None))
    kinds: list[BinKind] = ["value" if text else "missing" for text in line.before.texts]
    return Subgroups(line.before.texts, kinds, np.arange(len(kinds)))


# ── Numbers ──────────────────────────────────────────────────────────────────────────────────────


def _intervals(line: ColumnLine, bins: Sequence[Bin]) -> Subgroups:
    """The bins of a distribution of numbers; the last may be of the missing value."""
    edges = np.array([float(low * 10**line.digits) for low, _ in _ends([one.label for one in bins])])
    places = line.before.means.centres()
    of = np.searchsorted(edges, places, side="right") - 1
    of[np.isnan(places)] = len(edges)
    return Subgroups([one.label for one in bins], [one.kind for one in bins], of)


def _ends(labels: Sequence[str]) -> list[tuple[Fraction, Fraction]]:
    """Where each interval begins and ends; the missing value nowhere."""
    spans = [span_of(read_days(label)) for label in labels if label]
    return [(span[0], span[1]) for span in spans if span is not None]
