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
    """The effect on each perturbed column; what the public may know of its moments stands with the attributes."""
    return [_effect(one, release.table.records, reader) for one in release.effects]


def _effect(effect: Effect, among: int, reader: Reader) -> dict[str, Json]:
    """One of them, by the names of `kohort.perturb.effect.Effect`."""
    told = {name: _listed(part) for name, part in cast("dict[str, object]", asdict(effect)).items()}
    if reader.knows_all:
        return told
    records = reader.records(effect.records, among)
    told_of = records is not None and effect.records > 0
    public: dict[str, Json] = {
        "column": effect.column,
        "method": effect.method,
        "records": records,
        "unchanged": reader.records(effect.unchanged, effect.records) if told_of else None,
        "linked": reader.share(effect.linked, effect.records) if told_of and effect.linked is not None else None,
        "reproducible": effect.reproducible,
    }
    return dict.fromkeys(told) | public


def _listed(part: object) -> Json:
    """A part as JSON has it."""
    return cast("Json", [*cast("tuple[object, ...]", part)] if isinstance(part, tuple) else part)


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
