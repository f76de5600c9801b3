"""Subgroups of the records of a table: which lost most, and three records before and after.

A subgroup has one value of a column, or what the public may know of it. The public sees one partition of a column and
no other, in its distribution and in its subgroups: nodes of a hierarchy above its leaves, or intervals between round
numbers of which the first and the last are open, so that neither tells the least or the greatest number. Groups of a
few are put together until none of their counts is of a few people.
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
from kohort.report.figures import Figures, Number
from kohort.report.page.result import runs
from kohort.schema import Role
from kohort.schema.dates import read_days
from kohort.schema.domain import decimal, interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction

    from kohort.arrays import Counts, Index, Shares
    from kohort.assessment.comparison.distribution import Bin
    from kohort.assessment.comparison.line import ColumnLine
    from kohort.release import Release
    from kohort.report.page.audience import Reader
    from kohort.schema.hierarchy import Hierarchy
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
    release: Release, tallied: Mapping[str, Tally], groups: Mapping[str, Subgroups], reader: Reader, enough: int
) -> SubgroupFigures:
    """The subgroups of `groups` that were suppressed and distorted most; of at least `enough` records."""
    rows = [row for name, one in groups.items() for row in _rows(name, one, tallied[name], enough)]
    among = release.source.records
    suppressed = [_suppressed(row, among, reader) for row in rows if row.suppressed and reader.counts_input]
    distorted = [_distorted(row, among, reader) for row in rows if row.records - row.suppressed >= enough and row.loss]
    suppressed.sort(key=lambda one: _rank(one, one.share))
    distorted.sort(key=lambda one: _rank(one, one.loss))
    return SubgroupFigures(
        suppressed=tuple(suppressed[:LISTED]),
        distorted=tuple(distorted[:LISTED]),
        overall=_overall(release, next(iter(tallied.values())), reader),
    )


def _rank(one: SuppressedGroup | DistortedGroup, figure: float) -> tuple[float, int, str, str]:
    """The order of rows: by a figure as it is shown, for the order must tell no more; the greatest first."""
    return -figure, -(one.records or 0), one.column, one.value


def _rows(name: str, groups: Subgroups, tally: Tally, enough: int) -> list[_Row]:
    """The groups of a column that are large enough."""
    of = tally.of(groups.of, len(groups.labels))
    loss = of.loss / UNITS / np.maximum(of.released, 1)
    columns = (one.tolist() for one in (of.records, of.suppressed, np.round(loss, LOSS_DIGITS)))
    rows = zip(groups.labels, groups.kinds, *columns, strict=True)
    return [_Row(name, *row) for row in rows if row[2] >= enough]


def _suppressed(row: _Row, among: int, reader: Reader) -> SuppressedGroup:
    """One that lost records; the share is that of the counts as they are shown."""
    records, suppressed = reader.people(row.records, among), reader.people(row.suppressed, row.records)
    share = 0.0 if records is None or suppressed is None else round(suppressed / records, SHARE_DIGITS)
    return SuppressedGroup(
        column=row.column, value=row.value, kind=row.kind, records=records, suppressed=suppressed, share=share
    )


def _distorted(row: _Row, among: int, reader: Reader) -> DistortedGroup:
    return DistortedGroup(
        column=row.column,
        value=row.value,
        kind=row.kind,
        records=reader.people(row.records, among) if reader.counts_input else None,
        loss=reader.share(row.loss, row.records - row.suppressed),
    )


def _overall(release: Release, tally: Tally, reader: Reader) -> OverallFigures:
    """The same of all records, by the values of any column."""
    records, released = release.source.records, release.table.records
    share = reader.share(release.suppressed / max(records, 1), records) if reader.counts_input else None
    loss = round(float(tally.loss.sum()) / UNITS / max(released, 1), LOSS_DIGITS)
    return OverallFigures(share=share, loss=reader.share(loss, released))


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


#: A group that every value has that is in no other.
_MISSING: Final[tuple[str, BinKind]] = ("", "missing")
_OTHERS: Final[tuple[str, BinKind]] = ("", "others")
_NODE: Final[BinKind] = "node"


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
        after: (g,) released records expected in each.
    """

    labels: Sequence[str]
    kinds: Sequence[BinKind]
    of: Index
    after: Shares

    def merged(self, of: Sequence[int], labels: Sequence[str], kinds: Sequence[BinKind]) -> Subgroups:
        """Fewer groups, where group g goes to `of[g]`."""
        place = np.array(of, dtype=np.int64)
        return Subgroups(labels, kinds, place[self.of], summed(place, self.after, len(labels)))


def groups_of(line: ColumnLine) -> Subgroups:
    """The steward's: each value of names, and of numbers where they are few; else intervals."""
    if line.numeric and line.before.values > BINS:
        return _intervals(line, distribution(line, None))
    kinds: list[BinKind] = ["value" if text else "missing" for text in line.before.texts]
    return Subgroups(line.before.texts, kinds, np.arange(len(kinds)), np.zeros(len(kinds)))


def public_groups(line: ColumnLine, tally: Tally, reader: Reader) -> Subgroups | None:
    """The public's; `None` where only values are left, or too few records."""
    if line.numeric:
        bins = distribution(line, None)
        if any(one.kind == "value" for one in bins):
            return None
        return _open_ended(_intervals(line, bins), tally, reader, [one.label for one in bins])
    hierarchy = line.known.hierarchy
    if hierarchy is None or hierarchy.data_dependent or hierarchy.height == 1:
        return None
    return _lumped(_nodes(line, hierarchy), tally, reader)


# ── Numbers ──────────────────────────────────────────────────────────────────────────────────────


def _intervals(line: ColumnLine, bins: Sequence[Bin]) -> Subgroups:
    """The bins of a distribution of numbers; the last may be of the missing value."""
    edges = np.array([float(low * 10**line.digits) for low, _ in _ends([one.label for one in bins])])
    places = line.before.means.centres()
    of = np.searchsorted(edges, places, side="right") - 1
    of[np.isnan(places)] = len(edges)
    return Subgroups([one.label for one in bins], [one.kind for one in bins], of, np.array([one.after for one in bins]))


def _ends(labels: Sequence[str]) -> list[tuple[Fraction, Fraction]]:
    """Where each interval begins and ends; the missing value nowhere."""
    spans = [span_of(read_days(label)) for label in labels if label]
    return [(span[0], span[1]) for span in spans if span is not None]


def _open_ended(groups: Subgroups, tally: Tally, reader: Reader, labels: Sequence[str]) -> Subgroups | None:
    """Neighbouring intervals put together until none is of a few; a few without a value go with nobody."""
    ends = _ends(labels)
    counts = _counts(groups, tally)
    absent = counts[len(ends) :]
    if absent and not reader.tells(*absent[0]):
        return None
    joined = runs(counts[: len(ends)], reader)
    if len(joined) + len(absent) < 2:  # noqa: PLR2004  one part alone tells nothing
        return None
    names = [_between(ends, first, last) for first, last in joined]
    of = [place for place, (first, last) in enumerate(joined) for _ in range(first, last + 1)]
    kinds: list[BinKind] = ["interval" for _ in names]
    if absent:
        of.append(len(names))
        names.append("")
        kinds.append("missing")
    return groups.merged(of, names, kinds)


def _between(ends: Sequence[tuple[Fraction, Fraction]], first: int, last: int) -> str:
    """The label of an interval; open where the numbers end, and `*` where they do at both ends."""
    low, high = ends[first][0], ends[last][1]
    if first == 0:
        return "*" if last == len(ends) - 1 else f"<{decimal(high)}"
    return f">={decimal(low)}" if last == len(ends) - 1 else interval(low, high)


def _counts(groups: Subgroups, tally: Tally) -> list[tuple[float, ...]]:
    """(g,) the counts of each group that must not be of a few people."""
    of = tally.of(groups.of, len(groups.labels))
    columns = (of.records, of.released, of.suppressed, np.round(groups.after, 6))
    return list(zip(*(one.tolist() for one in columns), strict=True))


# ── Names ────────────────────────────────────────────────────────────────────────────────────────


def _nodes(line: ColumnLine, hierarchy: Hierarchy) -> Subgroups:
    """The nodes of the lowest level above the leaves that has few; what is no leaf, or named as one, is others."""
    levels = range(1, hierarchy.height)
    level = next((one for one in levels if len(hierarchy.labels[one]) <= BINS), hierarchy.height - 1)
    names = hierarchy.labels[level]
    raw = {*line.places}
    place = np.full(len(line.places), len(names))
    place[: line.leaves] = hierarchy.maps[level]
    named = [bool(name) and name not in raw for name in names]
    place[~np.array([*named, True])[place]] = len(names)
    place[[at for at, name in enumerate(line.places) if not name]] = len(names) + 1
    labels = [*names, _OTHERS[0], _MISSING[0]]
    kinds: list[BinKind] = [_NODE] * len(names)
    kinds.extend((_OTHERS[1], _MISSING[1]))
    after = summed(place, line.expected(line.after), len(labels))
    of = place[line.before.means.centres().astype(np.int64)]
    return Subgroups(labels, kinds, of, after)


def _lumped(groups: Subgroups, tally: Tally, reader: Reader) -> Subgroups | None:
    """Subgroups of a few put with the others; and the smallest ones, until the others are no few either."""
    counts = _counts(groups, tally)
    rest = [at for at, kind in enumerate(groups.kinds) if kind == "others" or not reader.tells(*counts[at])]
    kept = [at for at in range(len(counts)) if at not in rest and any(counts[at])]
    kept.sort(key=lambda at: (counts[at], groups.labels[at]), reverse=True)
    while kept and not reader.tells(*map(sum, zip(*(counts[at] for at in rest), strict=True))):
        rest.append(kept.pop())
    if not [at for at in kept if groups.kinds[at] == "node"]:
        return None
    kept.sort()
    labels = [groups.labels[at] for at in kept]
    kinds: list[BinKind] = [groups.kinds[at] for at in kept]
    of = [kept.index(at) if at in kept else len(kept) for at in range(len(counts))]
    if any(any(counts[at]) for at in rest):
        labels.append(_OTHERS[0])
        kinds.append(_OTHERS[1])
    else:  # what is left has no record: it does not matter where it goes
        of = [min(place, len(kept) - 1) for place in of]
    return groups.merged(of, labels, kinds)
