"""Perturbed columns as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.report.perturbed import EffectFigures, Moved


def effect_text(one: EffectFigures) -> Iterator[str]:
    """What was done to one column, and what that did."""
    yield f"{one.column}: {one.method}; {one.unchanged:,} of {one.records:,} values are unchanged"
    moments = ("mean", one.mean), ("variance", one.variance)
    moved = [f"{name} {_moved(moment)}" for name, moment in moments if moment is not None]
    if moved:
        yield f"  {', '.join(moved)}"
    if one.correlation is not None:
        yield f"  correlations change by at most {abs(one.correlation.change):.3f} (with {one.correlation.with_})"
    if one.linked is not None:
        yield f"  anyone who knows the original values finds {one.linked:.1%} of the records by the nearest value"
    if one.reproducible:
        yield "  reproducible noise: not private"


def _moved(moment: Moved) -> str:
    """How a figure moved."""
    drift = f" (moved by {moment.drift:.2g} of its value)" if moment.drift else ""
    return f"{moment.before:,.6g} -> {moment.after:,.6g}{drift}"
