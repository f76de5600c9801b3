"""What perturbations did to their columns, and how far pseudonyms link records."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from kohort.perturb.effect import Effect
    from kohort.release import Release
    from kohort.report import Json
    from kohort.report.page.audience import Reader


def perturbed(release: Release, reader: Reader) -> list[Json]:
    """The effect on each perturbed column; the public is told its moments to three digits."""
    return [_effect(one, release.table.records, reader) for one in release.effects]


def _effect(effect: Effect, among: int, reader: Reader) -> dict[str, Json]:
    """One of them, by the names of `kohort.perturb.effect.Effect`."""
    told = {name: _listed(part) for name, part in cast("dict[str, object]", asdict(effect)).items()}
    if reader.knows_all:
        return told
    records = reader.records(effect.records, among)
    few = records is None or effect.records == 0
    return {
        **told,
        "records": records,
        "unchanged": None if few else reader.records(effect.unchanged, effect.records),
        "decimals": None,
        "bounds": [None, None],
        "mean": None if few else _pair(effect.mean, effect, reader),
        "variance": None if few else _pair(effect.variance, effect, reader),
        "correlation": None if few else _correlation(effect, reader),
        "linked": None if few or effect.linked is None else reader.share(effect.linked, effect.records),
    }


def _listed(part: object) -> Json:
    """A part as JSON has it."""
    return cast("Json", [*cast("tuple[object, ...]", part)] if isinstance(part, tuple) else part)


def _pair(pair: tuple[float, float] | None, effect: Effect, reader: Reader) -> Json:
    """A figure before and after; null where the column is constant, for its mean is its value."""
    if pair is None or effect.variance is None or min(effect.variance) <= 0:
        return None
    return [reader.digits(one) for one in pair]


def _correlation(effect: Effect, reader: Reader) -> Json:
    if effect.correlation is None:
        return None
    change, column = effect.correlation
    return [reader.share(change, effect.records), column]


def pseudonyms(release: Release, reader: Reader) -> list[Json]:
    """Each column of pseudonyms: records that have one, and those that share it with another."""
    return [
        {
            "column": one.column,
            "records": reader.records(one.records, release.table.records),
            "linked": reader.records(one.linked, one.records),
        }
        for one in release.linked
    ]
