"""A chart of shares against a number: a line with markers for each of a few names, told at its end.

Nothing is told by colour alone: each line has a marker and dashes of its own, shown beside its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import log, nan
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from kohort.sheet import HEADLINE, INK, LINE, MARGIN, PAPER, SIZE, Sheet, library, settings, width_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.sheet import Format

    #: x, and y downward.
    Place: TypeAlias = tuple[float, float]

#: Points: width of a chart, height of the plot, room at its left, between its right edge and the first sample, and
#: within the frame on both sides of the first and last value.
WIDTH: Final = 540.0
TALL: Final = 230.0
LEFT: Final = 42.0
LEAD: Final = 26.0
INSIDE: Final = 18.0

#: Points: width of a sample line beside a name, from one name to the next, and between neighbours' bars at one value.
SAMPLE: Final = 30.0
APART: Final = 13.0
ASIDE: Final = 3.0

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


class Point(NamedTuple):
    """A share at a value, and between which shares it is the mean; hollow where not all runs had an answer."""

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
    """

    name: str
    points: tuple[Point, ...]
    look: Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """What is drawn.

    Attributes:
        title: The headline.
        under: What stands below it: what stays as it is.
        across: What the values are.
        up: What the shares are.
        ticks: Each value and how it is written, ascending.
        lines: In the order in which they are named where they end alike.
        notes: Sentences below.
        logarithmic: Whether equal ratios of values lie equally far apart.
    """

    title: str
    under: str
    across: str
    up: str
    ticks: tuple[tuple[float, str], ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    logarithmic: bool = False

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
            frame = Frame.of(sheet, self)
            _axes(sheet, frame, self)
            _lines(sheet, frame, self)
            _names(sheet, frame, self.lines)
            sheet.end = frame.bottom + 3.4 * LINE
            for note in self.notes:
                sheet.paragraph(note)
            return sheet.bytes(format_, self.title, self.words())

    def words(self) -> str:
        """The chart in words, for who cannot see it."""
        return " ".join([self.under, *(_told(line, dict(self.ticks)) for line in self.lines), *self.notes])


def _told(line: Line, labels: Mapping[float, str]) -> str:
    """A line in words."""
    points = ", ".join(
        f"at {labels[point.x]} {point.y:.2%}" + (f" ({point.low:.2%} to {point.high:.2%})" * (point.low < point.high))
        for point in line.points
    )
    return f"{line.name}: {points}."


@dataclass(frozen=True, slots=True)
class Frame:
    """Where values and shares lie.

    Attributes:
        right: The right edge of the plot.
        top: Its upper edge.
        least: The first value, as it is scaled.
        greatest: The last one.
        most: The share at the upper edge.
        logarithmic: How values are scaled.
    """

    right: float
    top: float
    least: float
    greatest: float
    most: float
    logarithmic: bool

    @classmethod
    def of(cls, sheet: Sheet, chart: Chart) -> Frame:
        """Room for a chart below what is drawn, and for the names at its right."""
        wide = max((width_of(line.name) for line in chart.lines), default=0.0)
        highest = max((point.high for line in chart.lines for point in line.points), default=0.0)
        scaled = [log(x) if chart.logarithmic else x for x, _ in chart.ticks]
        right = sheet.width - MARGIN - wide - SIZE / 2 - SAMPLE - LEAD
        return cls(
            right, sheet.end + 2 * LINE, scaled[0], scaled[-1], min(highest * 1.06, 1.0) or 1.0, chart.logarithmic
        )

    @property
    def bottom(self) -> float:
        """The lower edge of the plot."""
        return self.top + TALL

    def x(self, value: float) -> float:
        """Where a value lies; a single one in the middle."""
        left, right = LEFT + INSIDE, self.right - INSIDE
        if self.least == self.greatest:
            return (left + right) / 2
        scaled = log(value) if self.logarithmic else value
        return left + (right - left) * (scaled - self.least) / (self.greatest - self.least)

    def y(self, share: float) -> float:
        """Where a share lies."""
        return self.bottom - TALL * share / self.most


def _axes(sheet: Sheet, frame: Frame, chart: Chart) -> None:
    """Draw a line for every round share and a tick for every value that has room for its label."""
    sheet.text(MARGIN, frame.top - 1.2 * LINE, chart.up, bold=True)
    for percent in library("matplotlib.ticker").MaxNLocator(6).tick_values(0, 100 * frame.most).tolist():
        y = frame.y(percent / 100)
        if y > frame.top - 1:
            sheet.line((LEFT, frame.right), (y, y), color=INK if not percent else FAINT)
            sheet.text(LEFT - 5, y, f"{percent:.6g} %", align="right")
    said = -sheet.width
    for value, label in chart.ticks:
        x, wide = frame.x(value), width_of(label)
        sheet.line((x, x), (frame.bottom, frame.bottom + 3), color=INK)
        if x - wide / 2 > said + SIZE / 2:
            sheet.text(x, frame.bottom + LINE, label, align="center")
            said = x + wide / 2
    sheet.text((LEFT + frame.right) / 2, frame.bottom + 2.2 * LINE, chart.across, bold=True, align="center")


def _lines(sheet: Sheet, frame: Frame, chart: Chart) -> None:
    """Draw every line, its bars a little aside of its neighbours'."""
    order = [x for x, _ in chart.ticks]
    near = min((frame.x(b) - frame.x(a) for a, b in pairwise(order)), default=sheet.width)
    step = min(ASIDE, near / (len(chart.lines) + 1))
    for place, line in enumerate(chart.lines):
        aside = (place - (len(chart.lines) - 1) / 2) * step
        at = {point.x: point for point in line.points}
        path = [(frame.x(x) + aside, frame.y(at[x].y)) if x in at else (nan, nan) for x in order]
        draw(sheet, path, line.look)
        for point in line.points:
            x = frame.x(point.x) + aside
            _bar(sheet, x, (frame.y(point.low), frame.y(point.high)), line.look)
            dot(sheet, (x, frame.y(point.y)), line.look, hollow=point.hollow)


def draw(sheet: Sheet, path: Sequence[Place], look: Look) -> None:
    """Draw a line through places."""
    xs, ys = zip(*path, strict=True)
    sheet.axes.plot(xs, ys, color=look.color, linewidth=1.3, linestyle=look.dashes, zorder=2)


def dot(sheet: Sheet, place: Place, look: Look, *, hollow: bool = False) -> None:
    """Draw a line's marker."""
    face = {"markerfacecolor": PAPER if hollow else look.color, "markeredgecolor": look.color}
    x, y = place
    sheet.axes.plot([x], [y], linestyle="none", marker=look.marker, markersize=5, markeredgewidth=0.9, zorder=4, **face)


def _bar(sheet: Sheet, x: float, ends: Place, look: Look) -> None:
    """Draw from the least to the greatest share, with a short line across each end."""
    low, high = ends
    if low - high < 0.5:  # noqa: PLR2004  too short to be seen
        return
    ends_ = [x, x, nan, x - 2, x + 2, nan, x - 2, x + 2], [low, high, nan, low, low, nan, high, high]
    sheet.axes.plot(*ends_, color=look.color, linewidth=0.8, zorder=3)


def _names(sheet: Sheet, frame: Frame, lines: Sequence[Line]) -> None:
    """Write every line's name beside its end, in a column in which none hides another."""
    ends = [(frame.x(line.points[-1].x), frame.y(line.points[-1].y)) for line in lines]
    x = frame.right + LEAD
    for line, end, y in zip(lines, ends, spread([y for _, y in ends], APART, (frame.top, frame.bottom)), strict=True):
        sheet.line((end[0] + 2 * ASIDE + 3, frame.right, x - 3), (end[1], end[1], y), color=LEADER)
        draw(sheet, [(x, y), (x + SAMPLE, y)], line.look)
        dot(sheet, (x + SAMPLE / 2, y), line.look)
        sheet.text(x + SAMPLE + SIZE / 2, y, line.name)


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
