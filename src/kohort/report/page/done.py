"""What was done: how many records and classes were released."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.release import Release
    from kohort.report import Json
    from kohort.report.page.audience import Reader


def done(release: Release, reader: Reader) -> dict[str, Json]:
    """Records, classes and levels."""
    records, released, sizes = release.source.records, release.table.records, release.sizes
    smallest, largest = (int(sizes.min()), int(sizes.max())) if sizes.size else (0, 0)
    suppressed = reader.exactly(release.suppressed, records) if reader.counts_input else None
    return {
        "records": records if reader.counts_input else None,
        "released": released,
        "incomplete": reader.records(release.incomplete, release.incomplete + records) if reader.counts_input else None,
        "suppressed": suppressed,
        "suppressed_share": None if suppressed is None else reader.share(release.suppressed / max(records, 1), records),
        "people": None if release.people is None else reader.exactly(release.people, released),
        "classes": sizes.size,
        "smallest": reader.exactly(smallest, smallest),
        "largest": reader.exactly(largest, largest),
        "node": dict(release.levels) or None,
        "proven": release.proven,
    }


def counts_input(release: Release, least: int) -> bool:
    """Whether the public may know how many records there were: not where a few people's were left out."""
    gone = [release.suppressed]
    if release.job.schema.person is not None:
        gone += _people_gone(release)
    return all(count == 0 or count >= least for count in gone)


def _people_gone(release: Release) -> tuple[int, int]:
    """People with a record that was left out, and those without any other, by the schema's person key."""
    codes = release.source[str(release.job.schema.person)].codes
    left_out = np.ones(codes.size, np.bool_)
    left_out[release.lineage] = False
    gone = np.unique(codes[left_out])
    return gone.size, int(np.isin(gone, codes[release.lineage], invert=True).sum())


def sizes(release: Release, reader: Reader) -> list[Json]:
    """Classes by size, in bands that double from k on; for the public bands of few records are joined."""
    bands = _bands(release)
    if not reader.knows_all:
        bands = _joined(bands, reader)
    return [
        {"low": low if low >= reader.least else None, "high": high, "classes": classes, "records": records}
        for low, high, classes, records in bands
    ]


class Band(NamedTuple):
    """Classes of `low` to `high` records, and how many records they have."""

    low: int
    high: int
    classes: int
    records: int


def _bands(release: Release) -> list[Band]:
    """The bands that have a class."""
    found: list[Band] = []
    low, high = (1, release.job.k - 1) if release.job.k > 1 else (1, 1)
    while low <= release.sizes.max(initial=0):
        inside = release.sizes[(low <= release.sizes) & (release.sizes <= high)]
        if inside.size:
            found.append(Band(low, high, inside.size, int(inside.sum())))
        low, high = high + 1, 2 * high + 1
    return found


def _joined(bands: Sequence[Band], reader: Reader) -> list[Band]:
    """Neighbouring bands joined until each has enough records; nothing where all together have too few."""
    return [
        Band(
            bands[first].low,
            bands[last].high,
            *(sum(band[part] for band in bands[first : last + 1]) for part in (2, 3)),
        )
        for first, last in runs([(band.records,) for band in bands], reader)
    ]


def runs(counts: Sequence[Sequence[float]], reader: Reader) -> list[tuple[int, int]]:
    """The first and last of neighbours that are told together: as few as need be for no count to be of a few people.

    >>> from kohort.report.page.audience import Reader
    >>> runs([(2, 9), (7, 0), (8, 9), (1, 0)], Reader(least=5))
    [(0, 1), (2, 3)]
    """
    found: list[tuple[int, int]] = []
    first = 0
    for last in range(len(counts)):
        if reader.tells(*map(sum, zip(*counts[first : last + 1], strict=True))):
            found.append((first, last))
            first = last + 1
    while first < len(counts) and found:  # what is left goes with the last run, and with those before if need be
        first, _ = found.pop()
        if reader.tells(*map(sum, zip(*counts[first:], strict=True))):
            found.append((first, len(counts) - 1))
            first = len(counts)
    return found
