"""Who was dropped or distorted most: subgroups of the records by a value that they have in common.

    suppressed      [{column, value, kind, records, suppressed, share}]: the greatest shares left out, ten at most
    distorted       [{column, value, kind, records, loss}]: of the released records, the greatest mean loss, ten at most
    overall         {share, loss} of all records, to compare with

Only subgroups of enough records are looked at: as many as a public page may tell of. `kind` is `value`, `node`,
`interval`, `missing` or `others`, as in distributions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np

from kohort.assessment.comparison.line import summed
from kohort.release.homogeneity import class_of
from kohort.report.page.groups import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.arrays import Shares
    from kohort.release import Release
    from kohort.report import Json
    from kohort.report.page.audience import Reader
    from kohort.report.page.groups import Groups

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
    kind: str
    records: int
    suppressed: int
    loss: float


def subgroups(
    release: Release, tallied: Mapping[str, Tally], groups: Mapping[str, Groups], reader: Reader, enough: int
) -> dict[str, Json]:
    """The subgroups of `groups` that were dropped and distorted most; of at least `enough` records."""
    rows = [row for name, one in groups.items() for row in _rows(name, one, tallied[name], enough)]
    among = release.source.records
    dropped = [_dropped(row, among, reader) for row in rows if row.suppressed and reader.counts_input]
    distorted = [_distorted(row, among, reader) for row in rows if row.records - row.suppressed >= enough and row.loss]
    return {
        "suppressed": [*sorted(dropped, key=_by("share"))[:LISTED]],
        "distorted": [*sorted(distorted, key=_by("loss"))[:LISTED]],
        "overall": _overall(release, next(iter(tallied.values())), reader),
    }


def _by(figure: str) -> Callable[[Mapping[str, Json]], tuple[float, int, str, str]]:
    """The order of rows: by a figure as it is told, for the order must tell no more; the greatest first."""

    def key(row: Mapping[str, Json]) -> tuple[float, int, str, str]:
        records = cast("int | None", row["records"])
        return -cast("float", row[figure]), -(records or 0), str(row["column"]), str(row["value"])

    return key


def _rows(name: str, groups: Groups, tally: Tally, enough: int) -> list[_Row]:
    """The groups of a column that are large enough."""
    of = tally.of(groups.of, len(groups.labels))
    loss = of.loss / UNITS / np.maximum(of.released, 1)
    columns = (one.tolist() for one in (of.records, of.suppressed, np.round(loss, LOSS_DIGITS)))
    rows = zip(groups.labels, groups.kinds, *columns, strict=True)
    return [_Row(name, *row) for row in rows if row[2] >= enough]


def _dropped(row: _Row, among: int, reader: Reader) -> dict[str, Json]:
    """One that lost records; the share is that of the counts as they are told."""
    records, suppressed = reader.people(row.records, among), reader.people(row.suppressed, row.records)
    share = 0.0 if records is None or suppressed is None else round(suppressed / records, SHARE_DIGITS)
    return {
        "column": row.column,
        "value": row.value,
        "kind": row.kind,
        "records": records,
        "suppressed": suppressed,
        "share": share,
    }


def _distorted(row: _Row, among: int, reader: Reader) -> dict[str, Json]:
    return {
        "column": row.column,
        "value": row.value,
        "kind": row.kind,
        "records": reader.people(row.records, among) if reader.counts_input else None,
        "loss": reader.share(row.loss, row.records - row.suppressed),
    }


def _overall(release: Release, tally: Tally, reader: Reader) -> dict[str, Json]:
    """The same of all records, by the values of any column."""
    records, released = release.source.records, release.table.records
    share = reader.share(release.suppressed / max(records, 1), records) if reader.counts_input else None
    loss = round(float(tally.loss.sum()) / UNITS / max(released, 1), LOSS_DIGITS)
    return {"share": share, "loss": reader.share(loss, released)}
