"""A release in numbers: the one place where the figures that people and programs read are put together."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.metrics.known import METRICS, measured
from kohort.release.members import members_of
from kohort.report.perturbed import perturbed_numbers, pseudonym_numbers
from kohort.report.singling import singling_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.release import Release

#: What JSON can say.
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def numbers(release: Release) -> dict[str, Json]:
    """The figures of `release` as one JSON object; no record's value is among them.

    Keys: records, released, incomplete (left out before counting, not among the records), suppressed, people (released;
    null: no person key), classes, smallest, largest, k, models,
    homogeneity (per sensitive attribute of few values or with a model: people in classes of a single value, and the
    largest share of one value in a class), metrics, losses (per quasi-identifier), members
    (per column that is released as sets: how many values a set prints, on average over the records), node
    (level per quasi-identifier; null: not a lattice method), objective (what the method minimised, with attribute
    weights, and what no allowed release costs less than), candidates (of a dry run: best first), proven, quasi (the
    columns that make the classes), singling (each column that is not generalized, then pairs: see
    `kohort.report.singling`), exposed (people whose exact value a label gives away, and by range_ends, set_members and
    means; null: not verified), range_exposure (the same by range ends alone), perturbed, pseudonyms (see
    `kohort.report.perturbed`), release, certificate, verified, trace,
    seconds.
    """
    verdict = release.verdict
    return {
        "records": release.source.records,
        "released": release.table.records,
        "incomplete": release.incomplete,
        "suppressed": release.suppressed,
        "people": release.people,
        "classes": release.sizes.size,
        "smallest": int(release.sizes.min()) if release.sizes.size else 0,
        "largest": int(release.sizes.max(initial=0)),
        "k": release.job.k,
        "quasi": [one.name for one in release.job.schema.quasi],
        "singling": singling_numbers(release),
        "models": [model.name for model in release.job.models],
        "homogeneity": {
            name: {"people": one.alike, "largest_share": _figure(one.share)}
            for name, one in release.homogeneity.items()
        },
        "metrics": _plain(release.metrics),
        "losses": _plain(release.losses),
        "members": _plain(members_of(release)),
        "node": dict(release.levels) or None,
        "objective": _objective(release),
        "candidates": _candidates(release),
        "proven": release.proven,
        "exposed": None if verdict is None else {**asdict(verdict.exposed)},
        "range_exposure": None if verdict is None else verdict.range_exposure,
        "perturbed": perturbed_numbers(release.effects),
        "pseudonyms": pseudonym_numbers(release.linked),
        "release": None if release.path is None else str(release.path),
        "certificate": None if release.certificate is None else str(release.certificate),
        "verified": verdict is not None,
        "trace": {name: _count(count) for name, count in release.trace.items()},
        "seconds": {stage: round(seconds, 4) for stage, seconds in release.seconds.items()},
    }


def _objective(release: Release) -> Json:
    """What a lattice method minimised, attributes counted by their weights; null for other methods."""
    name = release.job.algorithm.objective
    if name is None or not release.candidates:
        return None
    metric = METRICS[name]
    bound = None if release.bound is None else _figure(release.bound if metric.less_is_better else -release.bound)
    return {"name": name, "value": _figure(metric(release.candidates[0].outcome)), "bound": bound}


def _candidates(release: Release) -> list[Json]:
    """What a dry run lets a steward choose from."""
    if release.verdict is not None:
        return []
    ones = np.ones(len(release.levels))
    metric = METRICS.get(release.job.algorithm.objective or "")
    return [
        {
            "node": dict(zip(release.levels, one.node, strict=True)),
            "suppressed": one.outcome.suppressed,
            "classes": one.outcome.sizes.size,
            "objective": None if metric is None else _figure(metric(one.outcome)),
            "metrics": _plain(measured(replace(one.outcome, weights=ones))),
        }
        for one in release.candidates
    ]


def _plain(figures: Mapping[str, float]) -> dict[str, Json]:
    """Figures rounded to what nobody misses, whole ones as integers."""
    return {name: _figure(value) for name, value in figures.items()}


def _count(count: int) -> Json:
    """A count as JSON readers take it: nearly, beyond 64 bits; null, beyond what a float holds."""
    if count.bit_length() < 64:  # noqa: PLR2004  bits of the integers that readers have
        return count
    return float(count) if count.bit_length() < 1024 else None  # noqa: PLR2004  the exponent of a float ends there


def _figure(value: float) -> int | float:
    """One of them."""
    return int(value) if value.is_integer() and abs(value) > 1 else round(value, 10)
