"""A chart of figures against a number or names: a line with markers for each of a few names, told at its end.

Nothing is told by colour alone: each line has a marker and dashes of its own, shown beside its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import log, nan
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from kohort.report.sheet import HEADLINE, INK, LINE, MARGIN, PAPER, SIZE, Sheet, settings, width_of, wrapped
from kohort.sweep.axes import BESIDE, SHARES, TALL, Frame, Scale, left_of
from kohort.sweep.tags import write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.report.sheet import Format
    from kohort.sweep.tags import Tag

    #: x, and y downward.
    Place: TypeAlias = tuple[float, float]

#: Points: width of a chart, and between the right edge of the plot and the first sample.
WIDTH: Final = 540.0
LEAD: Final = 26.0

#: Points: width of a sample line beside a name, from one name to the next, between neighbours' bars at one value, of
#: all bars at one value, and width of a name that is not broken at its commas.
SAMPLE: Final = 30.0
APART: Final = 13.0
ASIDE: Final = 3.0
SPREAD: Final = 24.0
NAME: Final = 110.0

#: Labels of values stand in so many rows at most, so that none hides another.
ROWS: Final = 3

#: Lines of marks that are in nobody's way, and of what leads from the end of a line to its name.
FAINT: Final = "#dde2e7"
LEADER: Final = "#9aa5b1"


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


class Point(NamedTuple):
    """A figure at a value, and between which figures it is the mean; hollow where not all runs had an answer."""

    x: float
    y: float
    low: float
    high: float
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of points, by ascending value; a value without a point parts it.

    Attributes:
        name: Written at its end.
        points: At least one.
        look: How it is drawn.
        joined: Whether there is a line at all, or nothing but marks.
    """

    name: str
    points: tuple[Point, ...]
    look: Look
    joined: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """What is drawn.

    Attributes:
        title: The headline.
        under: What stands below it: what stays as it is.
        across: What the values are.
        up: What the figures are.
        ticks: Each value and how it is written, ascending.
        lines: In the order in which they are named where they end alike.
        notes: Sentences below.
        logarithmic: Whether equal ratios of values lie equally far apart.
        scale: How figures lie and are written.
        measured: How values are written that are measured too, and not chosen: they lie exactly where they are, lines
            go from point to point, and `ticks` are round values that cover them.
        tags: What is written at single points.
    """

    title: str
    under: str
    across: str
    up: str
    ticks: tuple[tuple[float, str], ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    logarithmic: bool = False
    scale: Scale = SHARES
    measured: Scale | None = None
    tags: tuple[Tag, ...] = ()

    def bytes(self, format_: Format) -> bytes:
        """The chart as a picture; the same bytes whenever it is the same.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        with settings():
            sheet = Sheet.of(WIDTH)
            sheet.paragraph(self.title, size=HEADLINE, bold=True)
            sheet.end += LINE / 3
            sheet.paragraph(self.under)
            sheet.end += LINE / 2
            names = [wrapped(line.name.replace(", ", ",\n").split("\n"), NAME, SIZE) for line in self.lines]
            frame = _frame(sheet, self, names)
            rows = _axes(sheet, frame, self)
            _lines(sheet, frame, self)
            _names(sheet, frame, self, names)
            write(sheet, frame, self.tags, self.lines)
            sheet.end = frame.bottom + (2.4 + rows) * LINE
            for note in self.notes:
                sheet.paragraph(note)
            return sheet.bytes(format_, self.title, self.words())

    def words(self) -> str:
        """The chart in words, for who cannot see it."""
        return " ".join([self.under, *(self._told(line) for line in self.lines), *self.notes])

    def _told(self, line: Line) -> str:
        """A line in words."""
        labels, said = dict(self.ticks), self.scale.said
        tags = {(tag.x, tag.y): f" ({tag.text})" for tag in self.tags}
        points = ", ".join(
            f"at {self.measured.said(point.x) if self.measured else labels[point.x]} {said(point.y)}"
            + (f" ({said(point.low)} to {said(point.high)})" * (point.low < point.high))
            + tags.get((point.x, point.y), "")
            for point in line.points
        )
        return f"{line.name}: {points}."


def _frame(sheet: Sheet, chart: Chart, names: Sequence[Sequence[str]]) -> Frame:
    """Room for a chart below what is drawn, for its labels at its left and for the names at its right."""
    wide = max((width_of(row) for name in names for row in name), default=0.0)
    low, most = chart.scale.ends([end for line in chart.lines for point in line.points for end in point[2:4]])
    scaled = [log(x) if chart.logarithmic else x for x, _ in chart.ticks]
    return Frame(
        right=sheet.width - MARGIN - wide - SIZE / 2 - SAMPLE - LEAD,
        top=sheet.end + 2 * LINE,
        least=scaled[0],
        greatest=scaled[-1],
        most=most,
        logarithmic=chart.logarithmic,
        scale=chart.scale,
        low=low,
        left=left_of([label for _, label in chart.scale.ticks(low, most)]),
        tall=max(TALL, APART * sum(map(len, names))),
    )


def _axes(sheet: Sheet, frame: Frame, chart: Chart) -> int:
    """Draw a line for every round figure and a tick for every value; returns how many rows the values' labels take."""
    sheet.text(MARGIN, frame.top - 1.2 * LINE, chart.up, bold=True)
    edges = (frame.left, frame.right)
    if frame.bottom not in [frame.y(figure) for figure, _ in frame.ticks]:
        sheet.line(edges, (frame.bottom, frame.bottom), color=INK)
    for figure, label in frame.ticks:
        y = frame.y(figure)
        sheet.line(edges, (y, y), color=INK if y == frame.bottom else FAINT)
        sheet.text(frame.left - BESIDE, y, label, align="right")
    ends = [-sheet.width] * ROWS
    used = 1
    for value, label in chart.ticks:
        x, wide = frame.x(value), width_of(label)
        sheet.line((x, x), (frame.bottom, frame.bottom + 3), color=INK)
        row = next((row for row, end in enumerate(ends) if x - wide / 2 > end + SIZE / 2), None)
        if row is not None:
            sheet.text(x, frame.bottom + (1 + row) * LINE, label, align="center")
            ends[row] = x + wide / 2
            used = max(used, row + 1)
    middle = (frame.left + frame.right) / 2
    sheet.text(middle, frame.bottom + (1.2 + used) * LINE, chart.across, bold=True, align="center")
    return used


def _path(frame: Frame, chart: Chart, line: Line, aside: float = 0.0) -> list[Place]:
    """Where a line runs; what is no number parts it."""
    if chart.measured:
        return [(frame.x(point.x), frame.y(point.y)) for point in line.points]
    at = {point.x: point for point in line.points}
    return [(frame.x(x) + aside, frame.y(at[x].y)) if x in at else (nan, nan) for x, _ in chart.ticks]


def _lines(sheet: Sheet, frame: Frame, chart: Chart) -> None:
    """Draw every line; where values are chosen, a little aside of its neighbours, so that none hides another."""
    order = [x for x, _ in chart.ticks]
    near = min((frame.x(b) - frame.x(a) for a, b in pairwise(order)), default=sheet.width)
    step = 0.0 if chart.measured else min(ASIDE, near / (len(chart.lines) + 1), SPREAD / (len(chart.lines) or 1))
    for place, line in enumerate(chart.lines):
        aside = (place - (len(chart.lines) - 1) / 2) * step
        if line.joined:
            draw(sheet, _path(frame, chart, line, aside), line.look)
        for point in line.points:
            x = frame.x(point.x) + aside
            _bar(sheet, x, (frame.y(point.low), frame.y(point.high)), line.look)
            hollow = "none" if chart.measured else PAPER  # marks at the same place show through
            dot(sheet, (x, frame.y(point.y)), line.look, face=hollow if point.hollow else line.look.color)


def draw(sheet: Sheet, path: Sequence[Place], look: Look) -> None:
    """Draw a line through places."""
    xs, ys = zip(*path, strict=True)
    sheet.axes.plot(xs, ys, color=look.color, linewidth=1.3, linestyle=look.dashes, zorder=2)


def dot(sheet: Sheet, place: Place, look: Look, *, face: str) -> None:
    """Draw a line's marker."""
    colors = {"markerfacecolor": face, "markeredgecolor": look.color}
    (x, y), marker = place, look.marker
    sheet.axes.plot([x], [y], linestyle="none", marker=marker, markersize=5, markeredgewidth=0.9, zorder=4, **colors)


def _bar(sheet: Sheet, x: float, ends: Place, look: Look) -> None:
    """Draw from the least to the greatest share, with a short line across each end."""
    low, high = ends
    if low - high < 0.5:  # noqa: PLR2004  too short to be seen
        return
    ends_ = [x, x, nan, x - 2, x + 2, nan, x - 2, x + 2], [low, high, nan, low, low, nan, high, high]
    sheet.axes.plot(*ends_, color=look.color, linewidth=0.8, zorder=3)


def _names(sheet: Sheet, frame: Frame, chart: Chart, names: Sequence[Sequence[str]]) -> None:
    """Write every line's name beside its end, in a column in which none hides another."""
    ends = [(frame.x(line.points[-1].x), frame.y(line.points[-1].y)) for line in chart.lines]
    apart = APART * max(map(len, names), default=1)
    wanted = [frame.top] * len(ends) if chart.measured else [y for _, y in ends]
    x = frame.right + LEAD
    for line, name, end, y in zip(
        chart.lines, names, ends, spread(wanted, apart, (frame.top, frame.bottom)), strict=True
    ):
        if not chart.measured:
            sheet.line((end[0] + 2 * ASIDE + 3, frame.right, x - 3), (end[1], end[1], y), color=LEADER)
        if line.joined:
            draw(sheet, [(x, y), (x + SAMPLE, y)], line.look)
        dot(sheet, (x + SAMPLE / 2, y), line.look, face=line.look.color)
        for row, text in enumerate(name):
            sheet.text(x + SAMPLE + SIZE / 2, y + (row - (len(name) - 1) / 2) * LINE, text)


def spread(wanted: Sequence[float], apart: float, within: Place) -> list[float]:
    """Places near the wanted ones, in their order, none nearer than `apart` to another, inside if there is room.

    >>> spread([10, 11, 30], 5, (0, 31))
    [10, 15, 30]
    >>> spread([30, 30], 5, (0, 31))
    [26, 31]
    """
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    found, last = [0.0] * len(wanted), within[0] - apart
    for place in order:
        last = found[place] = max(wanted[place], last + apart)
    last = within[1] + apart
    for place in reversed(order):
        last = found[place] = min(found[place], last - apart)
    return found
