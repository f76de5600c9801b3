"""Scales: where an axis begins and ends, which figures have a tick, and how figures are written."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Any, Final

from kohort.report.charts.canvas import library

if TYPE_CHECKING:
    from collections.abc import Sequence

#: How far an axis goes beyond the greatest figure, as a ratio; and on both sides of a logarithmic one.
BEYOND: Final = 1.06
AROUND: Final = 1.15

#: So many ticks at least; from a thousand on numbers are whole and their digits grouped, until these are too many.
TICKS: Final = 3
THOUSAND: Final = 1_000
HUGE: Final = 1e15

#: The first digits of ticks on a logarithmic axis: as few of them as give enough ticks.
_DIGITS: Final = ((1,), (1, 3), (1, 2, 5), tuple(range(1, 10)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How figures are written, and how they lie along an axis.

    Attributes:
        share: Whether they are shares: written in percent, and never more than all.
        base: Where the axis begins: the least figure that there can be.
        logarithmic: Whether equal ratios lie equally far apart; then all figures are greater than 0, and the axis
            begins near the least one.

    >>> Scale(share=True).said(0.125), Scale().said(0.125), Scale().said(1234567.0)
    ('12.50%', '0.125', '1,234,567')
    >>> [Scale().label(tick) for tick in Scale(logarithmic=True).ticks(15, 4000)]
    ['30', '100', '300', '1,000', '3,000']
    """

    share: bool = False
    base: float = 0.0
    logarithmic: bool = False

    def said(self, figure: float) -> str:
        """A figure in words."""
        if self.share:
            return f"{figure:.2%}"
        return f"{figure:,.0f}" if THOUSAND <= abs(figure) < HUGE else f"{figure:.4g}"

    def label(self, figure: float) -> str:
        """A round figure, written short."""
        if self.share:
            return f"{100 * figure:.6g} %"
        return f"{figure:,.0f}" if THOUSAND <= abs(figure) < HUGE else f"{figure:.6g}"

    def ends(self, figures: Sequence[float]) -> tuple[float, float]:
        """Where an axis for these figures begins and ends."""
        if self.logarithmic:
            return min(figures, default=1.0) / AROUND, max(figures, default=1.0) * AROUND
        most = self.base + (max(figures, default=self.base) - self.base) * BEYOND
        most = min(most, 1.0) if self.share else most
        return self.base, most if most > self.base else self.base + 1.0

    def ticks(self, least: float, most: float) -> list[float]:
        """Round figures between the ends."""
        if self.logarithmic:
            decades = range(floor(log10(least)), floor(log10(most)) + 1)
            for digits in _DIGITS:
                rounds = [float(f"{digit}e{power}") for power in decades for digit in digits]
                found = [figure for figure in rounds if least <= figure <= most]
                if len(found) >= TICKS:
                    return found
        rounds = library("matplotlib.ticker").MaxNLocator(6, steps=(1, 2, 2.5, 5, 10)).tick_values(least, most).tolist()
        return [figure for figure in rounds if least <= figure <= most]

    def lay(self, axis: Any, figures: Sequence[float]) -> None:  # noqa: ANN401  a type of matplotlib
        """Give an axis ends and ticks for these figures."""
        ends, name = self.ends(figures), axis.axis_name
        axis.axes.set(**{f"{name}scale": "log" if self.logarithmic else "linear", f"{name}lim": ends})
        axis.set_minor_locator(library("matplotlib.ticker").NullLocator())
        ticks = self.ticks(*ends)
        axis.set_ticks(ticks, [self.label(tick) for tick in ticks])


PLAIN: Final = Scale()
PERCENT: Final = Scale(share=True)
