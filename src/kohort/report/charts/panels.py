"""Several charts of bars on one sheet, in two columns, each with a scale of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kohort.report.charts.bars import EDGE, LETTERS, lay_rows
from kohort.report.charts.canvas import HEADLINE, LINE, POINTS, encoded, new_figure, paragraphs, settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.report.charts.bars import BarChart
    from kohort.report.charts.canvas import Format

#: Points: the names at the left of bars, the bars with their figures, and from one column to the next.
NAMES: Final = 125.0
PLOT: Final = 150.0
BETWEEN: Final = 25.0

#: Points: the name of a chart, and from one chart to the next.
HEAD: Final = 16.0
APART: Final = 14.0

#: The width of a sheet.
WIDTH: Final = 2 * (NAMES + PLOT) + BETWEEN + 2 * EDGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """What is drawn.

    Attributes:
        title: The headline.
        charts: Charts of bars below each other, each below its own title; at least one.
        notes: Sentences below.
    """

    title: str
    charts: tuple[BarChart, ...]
    notes: tuple[str, ...] = ()

    def bytes(self, format_: Format) -> bytes:
        """The sheet as a picture; the same bytes whenever it is the same."""
        with settings():
            return encoded(self.figure(), format_, self.title, self.words())

    def words(self) -> str:
        """The sheet in words, for who cannot see it."""
        return " ".join([*(f"{one.title}. {one.words()}" for one in self.charts), *self.notes])

    def figure(self) -> Any:  # noqa: ANN401  a type of matplotlib
        """The sheet drawn by matplotlib, under our own settings."""
        figure = new_figure(WIDTH)
        figure.set_layout_engine("none")
        drawn = [(one, figure.add_axes((0, 0, 1, 1), label=f"{at}")) for at, one in enumerate(self.charts)]
        heights = [lay_rows(axes, one) for one, axes in drawn]
        breadth = WIDTH - 2 * EDGE
        title, notes = paragraphs([self.title], breadth, HEADLINE, bold=True), paragraphs(self.notes, breadth, LETTERS)
        above = 2 * EDGE + LINE * (title.count("\n") + 1) + APART
        below = 2 * EDGE + LINE * (notes.count("\n") + 1) * (LETTERS / HEADLINE) * 1.2
        first = _half(heights)
        parts = (drawn[:first], heights[:first]), (drawn[first:], heights[first:])
        tall = above + below + max(sum(some) + len(some) * (HEAD + APART) for _, some in parts)
        figure.set_figheight(tall / POINTS)
        place = {"ha": "left", "fontsize": LETTERS}
        figure.text(EDGE / WIDTH, 1 - 2 * EDGE / tall, title, va="top", weight="bold", **place | {"fontsize": HEADLINE})
        figure.text(EDGE / WIDTH, 2 * EDGE / tall, notes, va="bottom", **place)
        for nth, (some, high) in enumerate(parts):
            left, down = EDGE + nth * (NAMES + PLOT + BETWEEN), above
            for (one, axes), height in zip(some, high, strict=True):
                figure.text(left / WIDTH, 1 - down / tall, one.title, va="top", weight="bold", **place)
                down += HEAD + height
                axes.set_position(((left + NAMES) / WIDTH, 1 - down / tall, PLOT / WIDTH, height / tall))
                down += APART
        return figure


def _half(heights: Sequence[float]) -> int:
    """How many charts stand in the first column, so that the longer one is as short as can be.

    >>> _half([10.0]), _half([10.0, 10.0, 10.0]), _half([50.0, 10.0, 10.0])
    (1, 2, 1)
    """
    full = [height + HEAD + APART for height in heights]
    return min(range(1, len(full) + 1), key=lambda first: (max(sum(full[:first]), sum(full[first:])), -first))
