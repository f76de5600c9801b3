"""Attacks on a release as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.report.attacks import UntriedAttack
from kohort.report.render.text import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.report.attacks import AttackFigures


def attacks_text(figures: Sequence[AttackFigures | UntriedAttack]) -> str:
    """The figures of attacks as a table for a person."""
    return "\n".join(_lines(figures))


def _lines(figures: Sequence[AttackFigures | UntriedAttack]) -> Iterator[str]:
    tried: dict[str, AttackFigures] = {}
    untried: list[str] = []
    for one in figures:
        if isinstance(one, UntriedAttack):
            untried.append(f"{one.attack} was not tried: {one.untried}")
        else:
            tried[_name(one)] = one
    if tried:
        width = max(map(len, tried))
        yield f"{'attack':<{width}}" + _aligned("right", "95 %", "baseline", "of claims", "open", "closed", "chance")
        yield from (f"{name:<{width}}{_row(one)}".rstrip() for name, one in tried.items())
        yield "  right: the share of targets about whom the attacker is right; 95 %: its confidence interval;"
        yield "  baseline: the same guesses without the release; of claims: the share of claims that are right;"
        yield "  open, closed: that share on a table that discloses everything, and on one that discloses nothing;"
        yield "  chance: what guessing achieves on the closed table"
    yield from untried


def _name(one: AttackFigures) -> str:
    """The attack, and what it is about."""
    about = f" of {one.of}" if one.of else ""
    return f"{one.attack}{about} ({one.targets:,} {one.unit})"


def _row(one: AttackFigures) -> str:
    low, high = one.interval
    claims = percent(one.precision) if one.claims else "none"
    controls = one.controls
    shown = ("", "", "") if controls is None else map(percent, (controls.positive, controls.negative, controls.chance))
    return _aligned(percent(one.rate), f"{low:.1%} to {high:.1%}", percent(one.baseline), claims, *shown)


def _aligned(*cells: str) -> str:
    """Cells under each other."""
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, (9, 17, 9, 11, 8, 7, 8), strict=True))
