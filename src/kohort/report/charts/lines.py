"""A chart of lines or marks: figures against a number or names, or one figure against another.

Nothing is told by colour alone: each line has a marker and dashes of its own, shown beside its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import nan
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kohort.report.charts.canvas import (
    HEADLINE,
    INK,
    LINE,
    MARGIN,
    PAPER,
    PERCENT,
    POINTS,
    SIZE,
    AxisScale,
    Picture,
    arrange,
    library,
    new_figure,
    paragraphs,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


#: Points: from a mark to its words, half of a mark, and width of the ring around a mark that matters most.
AWAY: Final = 7.0
MARK: Final = 4.0
RING: Final = 13.0

#: Where words are tried: right above first, then around the mark.
_SIDES: Final = ((1, 1), (1, 0), (1, -1), (0, 1), (0, -1), (-1, 1), (-1, -1), (-1, 0))
_ACROSS: Final = {-1: "right", 0: "center", 1: "left"}
_UP: Final = {-1: "top", 0: "center", 1: "bottom"}


class Tag(NamedTuple):
    """What is written at a mark; the ones with a ring are written first, and always."""

    x: float
    y: float
    text: str
    ringed: bool = False


def write(axes: Any, tags: Sequence[Tag], lines: Sequence[Line]) -> None:  # noqa: ANN401  a type of matplotlib
    """Write every tag that has room beside the marks and the lines; the layout must be done."""
    path_of = library("matplotlib.path").Path
    paths = [axes.transData.transform_path(path_of([(one.x, one.y) for one in line.points])) for line in lines]
    lined = [path for path, line in zip(paths, lines, strict=True) if line.joined]
    inside, taken = axes.get_window_extent(), list[Any]()

    def free(box: Any) -> bool:  # noqa: ANN401  a type of matplotlib
        kept = box.padded(MARK * axes.figure.dpi / POINTS)
        return (
            inside.contains(box.x0, box.y0)
            and inside.contains(box.x1, box.y1)
            and not box.count_overlaps(taken)
            and not any(kept.count_contains(path.vertices) for path in paths)
            and not any(path.intersects_bbox(box, filled=False) for path in lined)
        )

    for tag in sorted(tags, key=lambda tag: not tag.ringed):
        text = axes.annotate(tag.text, (tag.x, tag.y), (0, 0), textcoords="offset points")
        if tag.ringed:
            ring = {"markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 1.2}
            axes.plot([tag.x], [tag.y], linestyle="none", marker="o", markersize=RING, zorder=5, **ring)
            text.set(weight="bold", bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.8})
        steps = (1, 2, 3) if tag.ringed else (1,)
        for across, up, step in [(*side, step) for step in steps for side in _SIDES]:
            place = (across * AWAY * step, up * AWAY * step)
            text.set(position=place, ha=_ACROSS[across], va=_UP[up])
            if free(text.get_window_extent()):
                break
        else:
            text.set(position=(AWAY, AWAY), ha="left", va="bottom")
            if not tag.ringed:
                text.remove()
                continue
        taken.append(text.get_window_extent())


class Look(NamedTuple):
    """How a line is drawn: dark enough to be read on white, and told apart without its colour."""

    color: str
    marker: str
    dashes: str | tuple[float, tuple[float, ...]]


LOOKS: Final = (
    Look("#00704f", "o", "-"),
    Look("#0a5ea8", "s", (0, (6, 2))),
    Look("#a8420a", "^", (0, (3, 1.5))),
    Look("#52606d", "D", (0, (1, 1.5))),
    Look("#93397a", "v", (0, (6, 1.5, 1, 1.5))),
    Look("#7a5b00", "P", (0, (3, 1.5, 1, 1.5, 1, 1.5))),
    Look("#1f2933", "X", (0, (9, 2))),
)


def look(place: int) -> Look:
    """How the line at a place is drawn: of the first 49, no two with the same marker and dashes.

    >>> look(3) == LOOKS[3], look(7).marker == look(0).marker, look(7).dashes == look(0).dashes
    (True, True, False)
    """
    lap, many = place // len(LOOKS), len(LOOKS)
    color, marker = LOOKS[(place + 2 * lap) % many].color, LOOKS[place % many].marker
    return Look(color, marker, LOOKS[(place + lap) % many].dashes)


#: Points: width of a chart, least height of its plot, width of a name that is not broken at its commas, and room that
#: the title of the figures takes at most.
WIDTH: Final = 540.0
TALL: Final = 230.0
NAME: Final = 130.0
TITLE: Final = 340.0

#: Points between neighbours' bars at one value, and of all bars at one value.
ASIDE: Final = 3.0
SPREAD: Final = 24.0

#: Part of the plot that is free on both sides of the first and last value.
INSIDE: Final = 0.05


class Mark(NamedTuple):
    """A figure at a value, and between which figures it is the mean; hollow where not all runs had an answer."""

    x: float
    y: float
    low: float
    high: float
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of marks, by ascending value; a value without a mark parts it."""

    name: str
    points: tuple[Mark, ...]
    look: Look
    joined: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChart(Picture):
    """What is drawn.

    Attributes:
        title: The headline.
        under: What stays as it is, written below.
        across: What the values are.
        up: What the figures are.
        lines: The legend has them by their last figures, the greatest first; measured ones in this order.
        ticks: Each value and how it is written, ascending; none where values are measured.
        notes: Further sentences below.
        logarithmic: Whether equal ratios of values lie equally far apart.
        named: Whether values are names, all of which must be written.
        scale: How figures lie and are written.
        measured: How values lie and are written that are measured too, and not chosen; lines then go from mark to mark.
        tags: What is written at single marks.
    """

    title: str
    under: str
    across: str
    up: str
    lines: tuple[Line, ...]
    ticks: tuple[tuple[float, str], ...] = ()
    notes: tuple[str, ...] = ()
    logarithmic: bool = False
    named: bool = False
    scale: AxisScale = PERCENT
    measured: AxisScale | None = None
    tags: tuple[Tag, ...] = ()

    def words(self) -> str:
        """The chart in words, for who cannot see it."""
        return " ".join([self.under, *(self._told(line) for line in self.lines), *self.notes])

    def _told(self, line: Line) -> str:
        labels, said = dict(self.ticks), self.scale.said
        tags = {(tag.x, tag.y): f" ({tag.text})" for tag in self.tags}
        points = ", ".join(
            f"at {self.measured.said(point.x) if self.measured else labels[point.x]} {said(point.y)}"
            + (f" ({said(point.low)} to {said(point.high)})" * (point.low < point.high))
            + tags.get((point.x, point.y), "")
            for point in line.points
        )
        return f"{line.name}: {points}."

    def figure(self) -> Any:  # noqa: ANN401  a type of matplotlib
        """The chart drawn by matplotlib, under our own settings."""
        figure = new_figure(WIDTH)
        axes = figure.subplots()
        around = _texts(figure, axes, self)
        _axes(axes, self)
        legend = _legend(axes, self.lines if self.measured else sorted(self.lines, key=lambda one: -one.points[-1].y))
        tall = legend.get_window_extent().height * POINTS / figure.dpi
        arrange(axes, max(TALL, tall), *around, turned=self.named)
        for line, aside in zip(self.lines, _asides(axes, self), strict=True):
            _draw(axes, self, line, aside)
        write(axes, self.tags, self.lines)
        return figure


def _texts(figure: Any, axes: Any, chart: LineChart) -> tuple[Any, Any]:  # noqa: ANN401  types of matplotlib
    """Write what the axes are beside them, the headline above and the sentences below; returns these two."""
    room = WIDTH - 2 * MARGIN
    left = {"x": MARGIN / WIDTH, "ha": "left"}
    headline = paragraphs([chart.title], room, HEADLINE, bold=True)
    spaced = LINE / SIZE / 1.2
    around = (
        figure.suptitle(headline, size=HEADLINE, weight="bold", **left),
        figure.supxlabel(paragraphs([chart.under, *chart.notes], room), size=SIZE, linespacing=spaced, **left),
    )
    axes.set_title(paragraphs([chart.up], TITLE, bold=True), size=SIZE, weight="bold", loc="left")
    axes.set_xlabel(paragraphs([chart.across], TITLE, bold=True), weight="bold")
    return around


def _axes(axes: Any, chart: LineChart) -> None:  # noqa: ANN401  a type of matplotlib
    """Lay the figures upward, with a line at each round one, and the values across."""
    points = [point for line in chart.lines for point in line.points]
    chart.scale.lay(axes.yaxis, [end for point in points for end in (point.low, point.high)])
    axes.yaxis.grid(visible=True)
    axes.set_axisbelow(True)
    if chart.measured:
        chart.measured.lay(axes.xaxis, [point.x for point in points])
        return
    axes.set(xscale="log" if chart.logarithmic else "linear")
    values, labels = zip(*chart.ticks, strict=True)
    axes.set_xticks(values, labels)
    axes.minorticks_off()
    axes.margins(x=INSIDE)
    axes.update_datalim([(value, chart.scale.base) for value in values], updatey=False)
    axes.autoscale_view(scaley=False)


def _legend(axes: Any, lines: Sequence[Line]) -> Any:  # noqa: ANN401  types of matplotlib
    sample = library("matplotlib.lines").Line2D
    handles = [
        sample([], [], label="\n".join(wrapped(line.name.replace(", ", ",\n").split("\n"), NAME)), **_style(line))
        for line in lines
    ]
    corner = {"loc": "upper left", "bbox_to_anchor": (1, 1), "borderaxespad": 0.0}
    return axes.legend(handles=handles, handlelength=3.75, labelspacing=0.4, frameon=False, **corner)


def _style(line: Line) -> dict[str, object]:
    marker = {"marker": line.look.marker, "markersize": 5, "markeredgewidth": 0.9}
    return {
        "color": line.look.color,
        "linestyle": line.look.dashes if line.joined else "none",
        "linewidth": 1.3,
        **marker,
    }


def _asides(axes: Any, chart: LineChart) -> list[float]:  # noqa: ANN401  a type of matplotlib
    """Points by which each line is moved aside, so that none hides another where values are chosen."""
    many = len(chart.lines)
    if chart.measured or not many:
        return [0.0] * many
    places = axes.transData.transform([(value, 1.0) for value, _ in chart.ticks])[:, 0].tolist()
    near = min((after - before for before, after in pairwise(places)), default=WIDTH) * POINTS / axes.figure.dpi
    step = min(ASIDE, near / (many + 1), SPREAD / many)
    return [(place - (many - 1) / 2) * step for place in range(many)]


def _draw(axes: Any, chart: LineChart, line: Line, aside: float) -> None:  # noqa: ANN401  a type of matplotlib
    """Draw a line, its marks, and bars where marks are means."""
    moved = library("matplotlib.transforms").ScaledTranslation(aside / POINTS, 0, axes.figure.dpi_scale_trans)
    place = {"transform": axes.transData + moved, "clip_on": False}  # marks at an end of the scale are drawn whole
    at = {point.x: point.y for point in line.points}
    path = [(point.x, point.y) for point in line.points]
    path = path if chart.measured else [(x, at.get(x, nan)) for x, _ in chart.ticks]
    style = _style(line)
    axes.plot(*zip(*path, strict=True), **style | {"marker": "none"}, zorder=2, **place)
    for hollow in (False, True):
        some = [point for point in line.points if point.hollow == hollow]
        face = line.look.color if not hollow else "none" if chart.measured else PAPER  # equal marks show through
        xs, ys = [point.x for point in some], [point.y for point in some]
        axes.plot(xs, ys, **style | {"linestyle": "none"}, markerfacecolor=face, zorder=4, **place)
    spread = [point for point in line.points if point.low < point.high]
    xs, ys = [point.x for point in spread], [point.y for point in spread]
    ends = [point.y - point.low for point in spread], [point.high - point.y for point in spread]
    bars = {"fmt": "none", "ecolor": line.look.color, "elinewidth": 0.8, "capsize": 2, "capthick": 0.8}
    axes.errorbar(xs, ys, yerr=ends, **bars, zorder=3, **place)
