"""The axes of a chart: where a figure lies, which figures have a tick, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log, log10
from typing import TYPE_CHECKING, Final, TypeAlias

from kohort.report.sheet import MARGIN, library, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    #: A figure and how it is written.
    Tick: TypeAlias = tuple[float, str]

#: Points: height of the plot, least room at its left, from there to a label, and within the frame on both sides of the
#: first and last value.
TALL: Final = 230.0
LEFT: Final = 42.0
BESIDE: Final = 5.0
INSIDE: Final = 18.0

#: How far an axis goes beyond the greatest figure, as a ratio; and on both sides of a logarithmic one.
BEYOND: Final = 1.06
AROUND: Final = 1.15

#: So many ticks at least; from a thousand on numbers are whole and their digits grouped.
TICKS: Final = 3
THOUSAND: Final = 1_000

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
        steps: From one round figure to the next, times a power of ten.

    >>> Scale(share=True).said(0.125), Scale().said(0.125), Scale().said(1234567.0)
    ('12.50%', '0.125', '1,234,567')
    >>> [label for _, label in Scale(logarithmic=True).ticks(15, 4000)]
    ['30', '100', '300', '1,000', '3,000']
    """

    share: bool = False
    base: float = 0.0
    logarithmic: bool = False
    steps: tuple[float, ...] = (1, 2, 2.5, 5, 10)

    def said(self, figure: float) -> str:
        """A figure in words."""
        if self.share:
            return f"{figure:.2%}"
        return f"{figure:,.0f}" if abs(figure) >= THOUSAND else f"{figure:.4g}"

    def ends(self, figures: Sequence[float]) -> tuple[float, float]:
        """Where an axis for these figures begins and ends."""
        if self.logarithmic:
            return min(figures, default=1.0) / AROUND, max(figures, default=1.0) * AROUND
        most = self.base + (max(figures, default=self.base) - self.base) * BEYOND
        most = min(most, 1.0) if self.share else most
        return self.base, most if most > self.base else self.base + 1.0

    def ticks(self, least: float, most: float) -> list[Tick]:
        """Round figures between the ends, some beyond them, each with its label."""
        if self.logarithmic:
            decades = range(floor(log10(least)), floor(log10(most)) + 1)
            for digits in _DIGITS:
                round_ = [float(f"{digit}e{power}") for power in decades for digit in digits]
                found = [figure for figure in round_ if least <= figure <= most]
                if len(found) >= TICKS:
                    return [(figure, self._label(figure)) for figure in found]
        unit = 100 if self.share else 1
        locator = library("matplotlib.ticker").MaxNLocator(6, steps=self.steps)
        round_ = [figure / unit for figure in locator.tick_values(unit * least, unit * most).tolist()]
        return [(figure, self._label(figure)) for figure in round_ if figure > 0 or not self.logarithmic]

    def _label(self, figure: float) -> str:
        """A round figure, written short."""
        if self.share:
            return f"{100 * figure:.6g} %"
        return f"{figure:,.0f}" if abs(figure) >= THOUSAND else f"{figure:.6g}"


PLAIN: Final = Scale()
PERCENT: Final = Scale(share=True)

#: The same with more steps to choose from.
SHARES: Final = Scale(share=True, steps=(1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10))


@dataclass(frozen=True, slots=True)
class Frame:
    """Where values and figures lie.

    Attributes:
        right: The right edge of the plot.
        top: Its upper edge.
        least: The first value, as it is scaled.
        greatest: The last one.
        most: The figure at the upper edge.
        logarithmic: How values are scaled.
        scale: How figures are.
        low: The figure at the lower edge.
        left: The left edge of the plot.
        tall: Its height.
    """

    right: float
    top: float
    least: float
    greatest: float
    most: float
    logarithmic: bool
    scale: Scale = SHARES
    low: float = 0.0
    left: float = LEFT
    tall: float = TALL

    @property
    def bottom(self) -> float:
        """The lower edge of the plot."""
        return self.top + self.tall

    def x(self, value: float) -> float:
        """Where a value lies; a single one in the middle."""
        left, right = self.left + INSIDE, self.right - INSIDE
        if self.least == self.greatest:
            return (left + right) / 2
        scaled = log(value) if self.logarithmic else value
        return left + (right - left) * (scaled - self.least) / (self.greatest - self.least)

    def y(self, figure: float) -> float:
        """Where a figure lies."""
        if self.scale.logarithmic:
            return self.bottom - self.tall * log(figure / self.low) / log(self.most / self.low)
        return self.bottom - self.tall * (figure - self.low) / (self.most - self.low)

    @property
    def ticks(self) -> list[Tick]:
        """The figures that have a line, from the lower edge on."""
        found = self.scale.ticks(self.low, self.most)
        return [(figure, label) for figure, label in found if self.top - 1 < self.y(figure) < self.bottom + 1]


def left_of(labels: Sequence[str]) -> float:
    """The left edge of a plot with these labels beside it."""
    return max([LEFT, *(MARGIN + width_of(label) + BESIDE for label in labels)])
