"""What attacks on the release found, where they were tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from kohort.assessment.risk.attacks import Attack
from kohort.report.attacks import attack_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.assessment.risk.attacks import Outcome
    from kohort.report import Json
    from kohort.report.page.audience import Reader


#: What is told of an attack.
_KEYS: Final = (
    "attack",
    "untried",
    "of",
    "unit",
    "targets",
    "claims",
    "right",
    "rate",
    "interval",
    "baseline",
    "precision",
)


def attacks(outcomes: Sequence[Outcome] | None, reader: Reader) -> Json:
    """Each attack with all keys, and null for what does not apply; null where no attack was tried.

    Keys as in `kohort.report.attacks`, without the controls. The public is told rates and baselines, to the step of
    all shares, where it may count the input and records are people; of attacks on fewer than `least` nothing.
    """
    if outcomes is None:
        return None
    figures = cast("list[dict[str, Json]]", attack_numbers(outcomes))
    pairs = zip(outcomes, figures, strict=True)
    told = [each if reader.knows_all else _public(one, each, reader) for one, each in pairs]
    return [{key: each.get(key) for key in _KEYS} for each in told]


def _public(one: Outcome, told: dict[str, Json], reader: Reader) -> dict[str, Json]:
    """What anybody may be told of an attack."""
    if not isinstance(one, Attack):
        return told
    known = {key: told[key] for key in ("attack", "of", "unit")}
    if not (reader.counts_input and reader.one_each and one.targets >= reader.least):
        return known
    rates = {"rate": one.rate, "baseline": one.baseline}
    return known | {key: reader.share(value, one.targets) for key, value in rates.items()}
