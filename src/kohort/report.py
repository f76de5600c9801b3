"""A release in numbers: the one place where the figures that people and programs read are put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.release import Release

#: What JSON can say.
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def numbers(release: Release) -> dict[str, Json]:
    """The figures of `release` as one JSON object; no record's value is among them.

    Keys: records, released, suppressed, classes, smallest, largest, k, metrics, losses (per quasi-identifier), node
    (null: not a lattice method), proven, range_exposure, release, certificate, verified, trace, seconds.
    """
    verdict = release.verdict
    return {
        "records": release.source.records,
        "released": release.table.records,
        "suppressed": release.suppressed,
        "classes": release.sizes.size,
        "smallest": int(release.sizes.min()) if release.sizes.size else 0,
        "largest": int(release.sizes.max(initial=0)),
        "k": release.job.k,
        "metrics": _plain(release.metrics),
        "losses": _plain(release.losses),
        "node": None,
        "proven": release.proven,
        "range_exposure": None if verdict is None else verdict.range_exposure,
        "release": None if release.path is None else str(release.path),
        "certificate": None if release.certificate is None else str(release.certificate),
        "verified": verdict is not None,
        "trace": dict(release.trace),
        "seconds": {stage: round(seconds, 4) for stage, seconds in release.seconds.items()},
    }


def _plain(figures: Mapping[str, float]) -> dict[str, Json]:
    """Figures rounded to what nobody misses, whole ones as integers."""
    return {
        name: int(value) if value.is_integer() and abs(value) > 1 else round(value, 10)
        for name, value in figures.items()
    }
