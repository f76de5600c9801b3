"""Perturbed columns and pseudonyms in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.engines.pseudonyms import Linked
    from kohort.perturb.effect import Effect
    from kohort.report import Json


def perturbed_numbers(effects: Sequence[Effect]) -> list[Json]:
    """What was done to each perturbed column, and what that did.

    Keys: column, method, records (with a value), unchanged, decimals, bounds; mean, variance: before, after, drift (the
    share by which it moved; null: it was 0), null of names; correlation: with, change; linked (share of the records
    that somebody who knows the cells as they were finds by the nearest), reproducible.
    """
    return [_effect(one) for one in effects]


def _effect(one: Effect) -> Json:
    return {
        "column": one.column,
        "method": one.method,
        "records": one.records,
        "unchanged": one.unchanged,
        "decimals": one.decimals,
        "bounds": [*one.bounds],
        "mean": _moved(one.mean),
        "variance": _moved(one.variance),
        "correlation": None if one.correlation is None else {"with": one.correlation[1], "change": one.correlation[0]},
        "linked": None if one.linked is None else round(one.linked, 10),
        "reproducible": one.reproducible,
    }


def _moved(pair: tuple[float, float] | None) -> Json:
    """A figure before and after, and how far it moved."""
    if pair is None:
        return None
    before, after = pair
    drift = None if before == 0 else abs(after - before) / abs(before)
    return {"before": before, "after": after, "drift": 0.0 if before == after else drift}


def pseudonym_numbers(linked: Sequence[Linked]) -> list[Json]:
    """What the pseudonyms of each column tell without the key: records, and how many share theirs with another."""
    return [{"column": one.column, "records": one.records, "linked": one.linked} for one in linked]
