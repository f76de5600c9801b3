"""What the release cost: quality metrics, and the loss of each quasi-identifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.metrics.known import METRICS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.metrics.base import Metric
    from kohort.release import Release
    from kohort.report import Json
    from kohort.report.page.audience import Reader
    from kohort.schema import Attribute


def metrics(release: Release, reader: Reader) -> list[Json]:
    """Every metric that is defined, with what it says."""
    return [
        {
            "name": name,
            "value": _value(METRICS[name], value, release, reader),
            "says": METRICS[name].specification.sentence,
        }
        for name, value in release.metrics.items()
    ]


def _value(metric: Metric, value: float, release: Release, reader: Reader) -> Json:
    """A metric; null where it would tell how few records were left out, or more than is known of its disclosure."""
    public = metric.disclosure
    if public.counted != "release" and not reader.counts_input:
        return None
    if reader.knows_all or public.counted:
        return whole(round(value, 10))
    if public.worth is None:
        return None
    return whole(reader.figure(value, public.worth(max(release.source.records, 1), len(release.losses))))


def whole(value: float) -> Json:
    """A figure, as an integer where it is one."""
    return int(value) if value.is_integer() and abs(value) > 1 else value


def losses(release: Release, members: Mapping[str, float], reader: Reader) -> list[Json]:
    """The loss of each quasi-identifier, its level where it has one, and the height of its hierarchy.

    A record left out loses everything: where it may not be told how many these are, neither are losses. How many
    members sets have is printed in the release.
    """
    heights = _heights(release)
    return [
        {
            "column": one.name,
            "loss": _loss(release, one, reader) if one.name in release.losses and reader.counts_input else None,
            "level": release.levels.get(one.name),
            "height": heights.get(one.name),
            "members": round(members[one.name], 2) if one.name in members else None,
        }
        for one in release.job.schema.quasi
    ]


def _loss(release: Release, one: Attribute, reader: Reader) -> float:
    return reader.share(release.losses[one.name], release.source.records)


def _heights(release: Release) -> dict[str, int]:
    """The heights of the hierarchies of a lattice."""
    domains = release.problem.domains if release.problem else ()
    return {one.attribute.name: one.hierarchy.height for one in domains if one.hierarchy is not None}
