"""A chart of bars: below each other, each with its name and its figures, or columns side by side on a scale.

Nothing is told by colour alone: what was is hatched or a bare outline, what is, is filled; figures stand beside bars.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kohort.report.charts.canvas import (
    GREY,
    HEADLINE,
    INK,
    LINE,
    PALE,
    PAPER,
    PERCENT,
    PLAIN,
    POINTS,
    Picture,
    arrange,
    new_figure,
    paragraphs,
    width_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


#: Points: the width of a chart: a page on a telephone is hardly wider; of letters, along the edges, from an axis to a
#: name, of a bar and from one bar to the next, between two rows, and the height of columns.
WIDTH: Final = 360.0
LETTERS: Final = 9.5
EDGE: Final = 3.0
BESIDE: Final = 4.0
BAR: Final = 10.0
STEP: Final = 11.5
APART: Final = 7.0
TALL: Final = 120.0

#: Letters of a line of a name; points of the name of a column, which has one line, and letters where it is wider.
COLUMNS: Final = 22
ROOM: Final = 180.0
NARROW: Final = 18

#: Letters of a headline, and of any other text that is measured.
LONGEST: Final = 120

#: The colour of what is; it stands out from light paper and from dark.
FILLED: Final = "#3f83c4"


@dataclass(frozen=True, slots=True)
class Bars:
    """A series of bars.

    Attributes:
        name: As the legend has it, where there are two series.
        figures: One for each row; `None` where it is not told.
        texts: The same, written.
        before: Whether it is what was, and not what is.
    """

    name: str
    figures: tuple[float | None, ...]
    texts: tuple[str, ...]
    before: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart(Picture):
    """What is drawn.

    Attributes:
        title: The headline.
        names: One for each row; at least one.
        series: One or two.
        end: Where the scale ends.
        share: Whether figures are shares.
        upright: Whether rows are neighbours on a scale, and stand side by side.
        notes: Sentences below.
    """

    title: str
    names: tuple[str, ...]
    series: tuple[Bars, ...]
    end: float
    share: bool = False
    upright: bool = False
    notes: tuple[str, ...] = ()

    def words(self) -> str:
        """The chart in words, for who cannot see it."""
        rows = zip(self.names, *(bars.texts for bars in self.series), strict=True)
        return " ".join([*(f"{name}: {', '.join(texts)}." for name, *texts in rows), *self.notes])

    def figure(self) -> Any:  # noqa: ANN401  a type of matplotlib
        """The chart drawn by matplotlib, under our own settings."""
        figure = new_figure(WIDTH, EDGE)
        axes = figure.subplots()
        axes.patch.set_visible(False)
        axes.tick_params(length=0, labelsize=LETTERS)
        left = {"x": EDGE / WIDTH, "ha": "left"}
        around = list[Any]()
        title = paragraphs(folded(self.title, LONGEST, 1), WIDTH - 2 * EDGE, HEADLINE, bold=True)
        around.append(figure.suptitle(title, size=HEADLINE, weight="bold", **left))
        if self.notes:
            notes = paragraphs(self.notes, WIDTH - 2 * EDGE, LETTERS)
            around.append(figure.supxlabel(notes, size=LETTERS, **left))
        height = _columns(axes, self) if self.upright else lay_rows(axes, self)
        if len(self.series) > 1:
            corner = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.4, "handleheight": 0.8}
            axes.legend(ncols=2, fontsize=LETTERS, frameon=False, handlelength=1.7, borderpad=0.2, **corner)
        arrange(axes, height, *around)
        return figure


def lay_rows(axes: Any, chart: BarChart) -> float:  # noqa: ANN401  a type of matplotlib
    """Draw a row's bars below each other, with its name at the left and their figures at their ends."""
    names = [folded(name) for name in chart.names]
    tall = max(len(chart.series) * STEP, max(map(len, names)) * LINE) + APART
    axes.set(xlim=(0, chart.end), ylim=(tall * len(names), 0), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    axes.axvline(0, color=GREY, linewidth=0.8)
    middles = [(place + 0.5) * tall for place in range(len(names))]
    for nth, bars in enumerate(chart.series):
        down = (nth - (len(chart.series) - 1) / 2) * STEP
        drawn = axes.barh([middle + down for middle in middles], _lengths(bars), BAR, label=bars.name, **_style(bars))
        for text, figure in zip(axes.bar_label(drawn, bars.texts, padding=BESIDE), bars.figures, strict=True):
            text.set(fontsize=LETTERS, color=GREY if figure is None else INK)
    for middle, lines in zip(middles, names, strict=True):
        for nth, line in enumerate(lines):
            down = (nth - (len(lines) - 1) / 2) * LINE
            place = {"xytext": (-BESIDE, -down), "textcoords": "offset points", "annotation_clip": False}
            axes.annotate(line, (0, middle), ha="right", va="center_baseline", size=LETTERS, **place)
    return tall * len(names)


def _columns(axes: Any, chart: BarChart) -> float:  # noqa: ANN401  a type of matplotlib
    """Draw what is as columns and what was as stairs in front of them, over the names of the rows."""
    many = len(chart.names)
    (PERCENT if chart.share else PLAIN).lay(axes.yaxis, [chart.end])
    axes.yaxis.grid(visible=True, color=PALE)
    axes.spines["left"].set_visible(False)
    axes.set_axisbelow(True)
    axes.set(xlim=(0, many))
    axes.tick_params(axis="x", pad=BESIDE + 1)
    names = [folded(name, LONGEST, 1)[0] for name in chart.names]
    names = [name if width_of(name, LETTERS) <= ROOM else folded(name, NARROW, 1)[0] for name in names]
    axes.set_xticks([place + 0.5 for place in range(many)], names)
    for bars in chart.series:
        if bars.before:
            axes.stairs(
                _lengths(bars), range(many + 1), color=INK, linewidth=1.6, zorder=3, label=bars.name, baseline=0
            )
        else:
            places = [place + 0.5 for place in range(many)]
            axes.bar(places, _lengths(bars), 0.8, label=bars.name, **_style(bars))
    return TALL


def _lengths(bars: Bars) -> list[float]:
    """How long bars are; nothing is shorter than none."""
    return [max(float(figure or 0), 0.0) for figure in bars.figures]


def _style(bars: Bars) -> dict[str, object]:
    if bars.before:
        return {"facecolor": PAPER, "edgecolor": INK, "linewidth": 0.8, "hatch": "//////"}
    return {"facecolor": FILLED, "edgecolor": INK, "linewidth": 0.6}


def folded(text: str, columns: int = COLUMNS, lines: int = 2) -> Sequence[str]:
    """A name in at most so many lines of so many letters; of one that is too long the middle is left out.

    >>> folded("city")
    ['city']
    >>> folded("occupation_of_the_mother")
    ['occupation_of_the_', 'mother']
    >>> folded("occupation_of_the_mother_of_the_patient", 14)
    ['occupation_of_', '…f_the_patient']
    """
    for keep in range(min(len(text), columns * lines), 0, -1):
        head = (keep + 1) // 2
        left = text if keep == len(text) else f"{text[:head].rstrip()}…{text[len(text) - keep + head :].lstrip()}"
        found = _broken(left, columns)
        if len(found) <= lines:
            return found
    return [text]


def _broken(text: str, columns: int) -> list[str]:
    """A text in lines that fit, broken after a sign that parts words where there is one."""
    lines = [""]
    for word in re.findall(rf"[^ _\-/,.;|]{{1,{columns - 1}}}[ _\-/,.;|]?|.", text, re.DOTALL):
        if len(lines[-1]) + len(word.rstrip(" ")) > columns:
            lines.append("")
        lines[-1] += word
    return [line.rstrip(" ") for line in lines]


# ── several charts of bars on one sheet, in two columns, each with a scale of its own ────────────

#: Points: the names at the left of bars, the bars with their figures, and from one column to the next.
NAMES: Final = 125.0
PLOT: Final = 150.0
BETWEEN: Final = 25.0

#: Where the scale of a chart ends, as a multiple of its own: figures stand after the bars.
BEYOND: Final = 1.45

#: Points: the name of a chart, and from one chart to the next.
HEAD: Final = 16.0
GAP: Final = 14.0

#: The width of a sheet.
SHEET: Final = 2 * (NAMES + PLOT) + BETWEEN + 2 * EDGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels(Picture):
    """What is drawn.

    Attributes:
        title: The headline.
        charts: Charts of bars below each other, each below its own title; at least one.
        notes: Sentences below.
    """

    title: str
    charts: tuple[BarChart, ...]
    notes: tuple[str, ...] = ()

    def words(self) -> str:
        """The sheet in words, for who cannot see it."""
        return " ".join([*(f"{one.title}. {one.words()}" for one in self.charts), *self.notes])

    def figure(self) -> Any:  # noqa: ANN401  a type of matplotlib
        """The sheet drawn by matplotlib, under our own settings."""
        figure = new_figure(SHEET)
        figure.set_layout_engine("none")
        drawn = [(one, figure.add_axes((0, 0, 1, 1), label=f"{at}")) for at, one in enumerate(self.charts)]
        heights = [lay_rows(axes, one) for one, axes in drawn]
        breadth = SHEET - 2 * EDGE
        title, notes = paragraphs([self.title], breadth, HEADLINE, bold=True), paragraphs(self.notes, breadth, LETTERS)
        above = 2 * EDGE + LINE * (title.count("\n") + 1) + GAP
        below = 2 * EDGE + LINE * (notes.count("\n") + 1) * (LETTERS / HEADLINE) * 1.2
        first = _half(heights)
        parts = (drawn[:first], heights[:first]), (drawn[first:], heights[first:])
        tall = above + below + max(sum(some) + len(some) * (HEAD + GAP) for _, some in parts)
        figure.set_figheight(tall / POINTS)
        place = {"ha": "left", "fontsize": LETTERS}
        figure.text(EDGE / SHEET, 1 - 2 * EDGE / tall, title, va="top", weight="bold", **place | {"fontsize": HEADLINE})
        figure.text(EDGE / SHEET, 2 * EDGE / tall, notes, va="bottom", **place)
        for nth, (some, high) in enumerate(parts):
            left, down = EDGE + nth * (NAMES + PLOT + BETWEEN), above
            for (one, axes), height in zip(some, high, strict=True):
                figure.text(left / SHEET, 1 - down / tall, one.title, va="top", weight="bold", **place)
                down += HEAD + height
                axes.set_xlim(0, BEYOND * one.end)
                axes.set_position(((left + NAMES) / SHEET, 1 - down / tall, PLOT / SHEET, height / tall))
                down += GAP
        return figure


def _half(heights: Sequence[float]) -> int:
    """How many charts stand in the first column, so that the longer one is as short as can be.

    >>> _half([10.0]), _half([10.0, 10.0, 10.0]), _half([50.0, 10.0, 10.0])
    (1, 2, 1)
    """
    full = [height + HEAD + GAP for height in heights]
    return min(range(1, len(full) + 1), key=lambda first: (max(sum(full[:first]), sum(full[first:])), -first))
