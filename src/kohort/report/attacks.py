"""Attacks on a release in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.assessment.risk.attacks import Attack, Evidence, attacks, refuse_unknown
from kohort.assessment.risk.attacks.controls import CONTROLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.assessment.risk.attacks import Outcome
    from kohort.release import Release
    from kohort.report import Json


def attacked(release: Release, names: Sequence[str] = ()) -> tuple[Outcome, ...]:
    """What the attacks called `names`, or all, find in a release, where attackers know its input's quasi-identifiers.

    Raises:
        UsageError: there is no attack called so.
    """
    refuse_unknown(names)
    if not release.table.records:
        return ()
    schema = release.job.schema
    quasi, sensitive = (tuple(one.name for one in part) for part in (schema.quasi, schema.sensitive))
    hierarchies = {one.name: one.hierarchy for one in schema.quasi if one.hierarchy is not None}
    evidence = Evidence(release.table, quasi, sensitive, original=release.source, hierarchies=hierarchies)
    return attacks(evidence, names)


def attack_numbers(outcomes: Sequence[Outcome]) -> list[Json]:
    """What came of each attack, as JSON objects; no record's value is among them.

    Keys: attack; of (the sensitive attribute, or null), unit, targets, claims, right, rate (right of the targets),
    interval (95 %, of the rate), baseline (the rate where the release tells nothing more), precision (right of the
    claims), likely (null: not compared with permutations), controls (positive and negative: the precision of the same
    attack on a table where everything is open, and on one where nothing is; chance: that of its guesses there); or
    untried (what it lacks).
    """
    names = {one.name for one in outcomes if isinstance(one, Attack)}
    controls: dict[str, Json] = {name: _controls(name) for name in CONTROLS if name in names}
    return [_numbers(one, controls) for one in outcomes]


def _numbers(one: Outcome, controls: dict[str, Json]) -> Json:
    if not isinstance(one, Attack):
        return {"attack": one.name, "untried": one.reason}
    return {
        "attack": one.name,
        "of": one.of or None,
        "unit": one.unit,
        "targets": one.targets,
        "claims": one.claims,
        "right": _rounded(one.right),
        "rate": _rounded(one.rate),
        "interval": [_rounded(end) for end in one.interval()],
        "baseline": _rounded(one.baseline),
        "precision": _rounded(one.precision),
        "likely": one.likely,
        "controls": controls.get(one.name),
    }


def _controls(name: str) -> Json:
    """Both controls of an attack."""
    control = CONTROLS[name]()
    shut = control.negative
    chance = shut.baseline * shut.targets / shut.claims if shut.claims else 0.0
    figures = {"positive": control.positive.precision, "negative": shut.precision, "chance": chance}
    return {name: _rounded(figure) for name, figure in figures.items()}


def _rounded(number: float) -> float:
    """To what nobody misses."""
    return round(number, 10)
