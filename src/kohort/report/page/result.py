"""What was released and what it cost: records, classes, quality metrics, and the loss of each quasi-identifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.errors.display import Number, Share, rounded, whole
from kohort.metrics.known import METRICS
from kohort.release.bulk import bulk_losses
from kohort.report.figures import Figures
from kohort.schema.hierarchy import Hierarchy
from kohort.tables.people import person_codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.arrays import Counts
    from kohort.metrics.base import Metric
    from kohort.release import Release
    from kohort.report.page.audience import Reader


class TableResult(Figures, frozen=True):
    """What was released: the parts of `ReleaseFigures`, null where the public may not know.

    Attributes:
        suppressed_share: The share of the records that are suppressed.
        proven: Whether no allowed release is better; internal only, as the input decides it.
    """

    records: int | None
    released: int
    incomplete: int | None
    suppressed: int | None
    suppressed_share: Number | None
    people: int | None
    classes: int
    smallest: int | None
    largest: int | None
    node: dict[str, int] | None
    proven: bool | None
    fewest: int | None = None


class ClassSizeBand(Figures, frozen=True):
    """Classes of `low` to `high` records, and their records."""

    low: int | None
    high: int
    classes: int
    records: int


class MetricFigures(Figures, frozen=True):
    """A quality metric, and what it says in a sentence."""

    name: str
    value: Number | None
    says: str


class LossFigures(Figures, frozen=True):
    """The loss of a quasi-identifier.

    Attributes:
        column: Its name.
        loss: Its loss, in 0..1.
        level: Its level, of lattice methods.
        height: The height of its hierarchy.
        members: How many values its sets print, on average.
        bulk: Its loss over the bulk of the values, where far ones stretch its domain; internal only.
        constant: Whether the input has one value there, so that NCP leaves the column out; internal, and only if so.
    """

    column: str
    loss: Number | None
    level: int | None
    height: int | None
    members: Number | None
    bulk: Share | None
    constant: bool = False


def result(release: Release, reader: Reader) -> TableResult:
    """Records, classes and levels."""
    records, released, sizes = release.source.records, release.table.records, release.sizes
    smallest, largest = (int(sizes.min()), int(sizes.max())) if sizes.size else (0, 0)
    suppressed = reader.exactly(release.suppressed, records) if reader.counts_input else None
    incomplete = reader.records(release.incomplete, release.incomplete + records)
    found = TableResult(
        records=records if reader.counts_input else None,
        released=released,
        incomplete=incomplete if reader.counts_input else None,
        suppressed=suppressed,
        suppressed_share=None if suppressed is None else reader.share(release.suppressed / max(records, 1), records),
        people=None if release.people is None else reader.exactly(release.people, released),
        classes=sizes.size,
        smallest=reader.exactly(smallest, smallest),
        largest=reader.exactly(largest, largest),
        node=dict(release.levels) or None,
        proven=release.proven if reader.knows_all else None,
    )
    if release.people is None or release.verdict is None:
        return found
    fewest = release.verdict.smallest
    return found.model_copy(update={"fewest": reader.exactly(fewest, fewest)})


def counts_input(release: Release, least: int) -> bool:
    """Whether the public may know how many records there were: not where a few people's were left out."""
    suppressed = [release.suppressed]
    if release.job.schema.person is not None:
        suppressed += _people_suppressed(release)
    return all(count == 0 or count >= least for count in suppressed)


def _people_suppressed(release: Release) -> tuple[int, int]:
    """People with a record that was left out, and those without any other, by the schema's person key."""
    codes = person_codes(release.source[str(release.job.schema.person)])
    left_out = np.ones(codes.size, np.bool_)
    left_out[release.lineage] = False
    people = np.unique(codes[left_out])
    return people.size, int(np.isin(people, codes[release.lineage], invert=True).sum())


def sizes(release: Release, reader: Reader) -> tuple[ClassSizeBand, ...]:
    """Classes by size, in bands that double from k on; for the public bands of few records are joined."""
    bands = size_bands(release.sizes, release.job.k)
    spans = [(at, at) for at in range(len(bands))] if reader.knows_all else runs([(one[3],) for one in bands], reader)
    return tuple(
        ClassSizeBand(
            low=bands[first][0] if bands[first][0] >= reader.least else None,
            high=bands[last][1],
            classes=sum(one[2] for one in bands[first : last + 1]),
            records=sum(one[3] for one in bands[first : last + 1]),
        )
        for first, last in spans
    )


def size_bands(sizes: Counts, k: int) -> list[tuple[int, int, int, int]]:
    """The bands that have a class: least and greatest size, classes and records."""
    found: list[tuple[int, int, int, int]] = []
    low, high = (1, k - 1) if k > 1 else (1, 1)
    while low <= sizes.max(initial=0):
        inside = sizes[(low <= sizes) & (sizes <= high)]
        if inside.size:
            found.append((low, high, inside.size, int(inside.sum())))
        low, high = high + 1, 2 * high + 1
    return found


def runs(counts: Sequence[Sequence[float]], reader: Reader) -> list[tuple[int, int]]:
    """The first and last of neighbours that are joined: as few as need be for no count to be of a few people.

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


# ── What it cost ─────────────────────────────────────────────────────────────────────────────────


def metrics(release: Release, reader: Reader) -> tuple[MetricFigures, ...]:
    """Every metric that is defined, with what it says; for the public those that can be counted."""
    return tuple(
        MetricFigures(name=name, value=_value(METRICS[name], value, reader), says=METRICS[name].specification.sentence)
        for name, value in release.metrics.items()
        if reader.knows_all or METRICS[name].disclosure.counted
    )


def _value(metric: Metric, value: float, reader: Reader) -> Number | None:
    """A metric; null where it would reveal how few records were left out."""
    return whole(rounded(value)) if reader.counts_input or metric.disclosure.counted == "release" else None


def losses(release: Release, members: Mapping[str, float], reader: Reader) -> tuple[LossFigures, ...]:
    """The loss of each quasi-identifier, its level where it has one, and the height of its hierarchy.

    A loss is a share of the input's domain, and a built hierarchy is as high as the input's values ask for: both are
    internal. How many members sets have is printed in the release.
    """
    heights, bulk = _heights(release, reader), bulk_losses(release) if reader.knows_all else {}
    constant = release.constant if reader.knows_all else ()
    return tuple(
        LossFigures(
            column=one.name,
            loss=rounded(release.losses[one.name]) if one.name in release.losses and reader.knows_all else None,
            level=release.levels.get(one.name),
            height=heights.get(one.name),
            members=round(members[one.name], 2) if one.name in members else None,
            bulk=bulk[one.name].loss if one.name in bulk else None,
            **dict.fromkeys(("constant",) if one.name in constant else (), True),
        )
        for one in release.job.schema.quasi
    )


def _heights(release: Release, reader: Reader) -> dict[str, int]:
    """The heights of the hierarchies of a lattice; for the public of those that the job gives."""
    domains = release.problem.domains if release.problem else ()
    given = {one.name for one in release.job.schema.quasi if isinstance(one.hierarchy, Hierarchy)}
    return {
        one.attribute.name: one.hierarchy.height
        for one in domains
        if one.hierarchy is not None and (reader.knows_all or one.attribute.name in given)
    }
