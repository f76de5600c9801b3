"""The figures of attacks on a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.report.figures import Figures
from kohort.shown import Number, Share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.assessment.risk.attacks import Attack, Outcome
    from kohort.assessment.risk.attacks.controls import Control
    from kohort.release import Release


class ControlFigures(Figures, frozen=True):
    """The precision of an attack where everything is open, where nothing is, and of guessing there."""

    positive: Share
    negative: Share
    chance: Share


class AttackFigures(Figures, frozen=True):
    """What an attack found: the parts of `kohort.assessment.risk.attacks.Attack`, with its interval and controls."""

    attack: str
    of: str | None
    unit: str
    targets: int
    claims: int
    right: Share
    rate: Share
    interval: tuple[Share, Share]
    baseline: Share
    precision: Share
    likely: Number | None
    controls: ControlFigures | None


class UntriedAttack(Figures, frozen=True):
    """An attack that was not tried, and what it lacks."""

    attack: str
    untried: str


def attacked(release: Release, names: Sequence[str] = ()) -> tuple[Outcome, ...]:
    """What the attacks called `names`, or all, find in a release; attackers know its input's quasi-identifiers."""
    from kohort.assessment.risk.attacks import Evidence, attacks, refuse_unknown  # noqa: PLC0415  only where some are tried

    refuse_unknown(names)
    if not release.table.records:
        return ()
    schema = release.job.schema
    quasi, sensitive = (tuple(one.name for one in part) for part in (schema.quasi, schema.sensitive))
    evidence = Evidence(release.table, quasi, sensitive, original=release.source, schema=release.job.of_people)
    return attacks(evidence, names)


def attack_figures(outcomes: Sequence[Outcome]) -> tuple[AttackFigures | UntriedAttack, ...]:
    """What came of each attack; no record's value is among the figures."""
    from kohort.assessment.risk.attacks import Attack  # noqa: PLC0415  as above
    from kohort.assessment.risk.attacks.controls import CONTROLS  # noqa: PLC0415  as above

    names = {one.name for one in outcomes if isinstance(one, Attack)}
    controls = {name: _control_figures(control()) for name, control in CONTROLS.items() if name in names}
    return tuple(
        _figures(one, controls.get(one.name))
        if isinstance(one, Attack)
        else UntriedAttack(attack=one.name, untried=one.reason)
        for one in outcomes
    )


def _figures(one: Attack, controls: ControlFigures | None) -> AttackFigures:
    return AttackFigures.from_attributes(
        one, attack=one.name, of=one.of or None, interval=one.interval(), controls=controls
    )


def _control_figures(control: Control) -> ControlFigures:
    """Both controls of an attack."""
    closed = control.negative
    chance = closed.baseline * closed.targets / closed.claims if closed.claims else 0.0
    return ControlFigures(positive=control.positive.precision, negative=closed.precision, chance=chance)
