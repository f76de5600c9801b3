"""A sheet of paper on which the picture of a lattice is laid out by hand, in points, and how its nodes look on it.

What a node is shows by outline, by fill and by sign, so that nobody needs to tell colours apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from kohort.report.charts.canvas import (
    GREY,
    INK,
    MARGIN,
    PALE,
    PAPER,
    PIXELS,
    POINTS,
    SIZE,
    encoded,
    library,
    paragraphs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kohort.algorithms.lattice.exhaustive import Landscape
    from kohort.core.lattice import Node
    from kohort.report.charts.canvas import Format


Align: TypeAlias = Literal["left", "center", "right"]

#: The corners of a shape of some width and height about the origin, and the first one again.
Outline: TypeAlias = "list[tuple[float, float]]"


@dataclass(frozen=True, slots=True)
class Style:
    """How something is drawn."""

    outline: Callable[[float, float], Outline]
    fill: str
    edge: str
    width: float
    text: str = INK
    bold: bool = False
    sign: str = ""


@dataclass(slots=True)
class Sheet:
    """A sheet with its origin at the top left, y downward; it grows as long as it must.

    Attributes:
        width: Its width.
        figure: What matplotlib calls it, a `Figure`; its declared types leave most options unknown.
        axes: The whole of it, one unit a point.
        end: How far down it is drawn on.
    """

    width: float
    figure: Any
    axes: Any
    end: float = MARGIN

    @classmethod
    def of(cls, width: float) -> Self:
        """An empty sheet."""
        figure = library("matplotlib.figure").Figure(dpi=PIXELS, facecolor=PAPER)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        return cls(width, figure, axes)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = SIZE,
        color: str = INK,
        bold: bool = False,
        align: Align = "left",
        paper: bool = False,
    ) -> None:
        """Write one line, y its middle; with `paper` on a piece of paper that hides what is behind."""
        box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8} if paper else None
        weight = "bold" if bold else "normal"
        style = {"fontsize": size, "color": color, "fontweight": weight, "ha": align, "va": "center_baseline"}
        self.axes.text(x, y, text, bbox=box, **style)

    def paragraph(self, text: str, *, size: float = SIZE, bold: bool = False) -> None:
        """Write below what there is, in as many lines as it takes."""
        for line in paragraphs([text], self.width - 2 * MARGIN, size, bold=bold).split("\n"):
            self.text(MARGIN, self.end + size / 2, line, size=size, bold=bold)
            self.end += size * 1.5

    def line(self, xs: Sequence[float], ys: Sequence[float], *, width: float = 0.5, color: str = PALE) -> None:
        """Draw lines through points, behind all else; a point that is not a number parts two lines."""
        self.axes.plot(xs, ys, color=color, linewidth=width, zorder=1)

    def mark(self, places: Iterable[tuple[float, float]], style: Style, size: tuple[float, float]) -> None:
        """Draw a shape `size` wide and high at each of the places."""
        xs, ys = zip(*places, strict=True)
        path = library("matplotlib.path").Path(style.outline(*size), closed=True)
        marks = {"marker": path, "markersize": max(size), "markerfacecolor": style.fill}
        edge = {"markeredgecolor": style.edge, "markeredgewidth": style.width}
        self.axes.plot(xs, ys, linestyle="none", zorder=2, **marks, **edge)

    def bytes(self, format_: Format, title: str, description: str) -> bytes:
        """The sheet, cut below what was drawn, with what it shows in words for who cannot see it."""
        height = self.end + MARGIN
        self.figure.set_size_inches(self.width / POINTS, height / POINTS)
        self.axes.set(xlim=(0, self.width), ylim=(height, 0))
        return encoded(self.figure, format_, title, description)


def cut(width: float, height: float, *, part: float) -> Outline:
    """A rectangle of which each corner is cut off, by this part of the height."""
    x, y, c = width / 2, height / 2, part * height
    corners = ((-x, c - y), (c - x, -y), (x - c, -y), (x, c - y), (x, y - c), (x - c, y), (c - x, y), (-x, y - c))
    different = [*dict.fromkeys(corners)]
    return [*different, different[0]]


def ribbon(width: float, height: float) -> Outline:
    """A box with notched ends."""
    x, y = width / 2, height / 2
    notch = height / 4
    return [(-x, -y), (x, -y), (x - notch, 0), (x, y), (-x, y), (notch - x, 0), (-x, -y)]


class Kind(Enum):
    """What a node is; each is releasable but the first."""

    FAILING = "not releasable"
    RELEASABLE = "releasable"
    MINIMAL = "minimal"
    OPTIMAL = "optimal"


BOX = partial(cut, part=0.0)

STYLES = {
    Kind.FAILING: Style(BOX, PAPER, "#9aa5b1", 0.5, GREY, sign="\N{MULTIPLICATION SIGN}"),
    Kind.RELEASABLE: Style(partial(cut, part=0.25), "#e3f2ea", "#0b6e4f", 0.8),
    Kind.MINIMAL: Style(partial(cut, part=0.5), "#ffe08a", INK, 1.2, bold=True, sign="▾"),
    Kind.OPTIMAL: Style(ribbon, "#0b4f3a", INK, 1.2, PAPER, bold=True, sign="★"),
}

#: The frame around the chosen node.
FRAME = Style(BOX, "none", INK, 1.4)


def kind_of(landscape: Landscape, node: Node) -> Kind:
    """What a node is; the optimum may be minimal, too."""
    if node == landscape.optimum:
        return Kind.OPTIMAL
    if landscape.minimal[node]:
        return Kind.MINIMAL
    return Kind.RELEASABLE if landscape.releasable[node] else Kind.FAILING


def label(landscape: Landscape, node: Node) -> str:
    """The levels of a node: `0121`; with commas where some level may have two digits."""
    return ("," if max(landscape.lattice.top, default=0) > 9 else "").join(map(str, node))  # noqa: PLR2004  one digit


def number(figure: float) -> str:
    """A figure, short.

    >>> number(0.31371303), number(0.323), number(12_345_678.0)
    ('0.3137', '0.3230', '12,345,678')
    """
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:#.4g}"  # noqa: PLR2004  digits enough
