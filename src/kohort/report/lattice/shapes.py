"""What a node is and how that is shown: by outline, by fill and by sign, so that nobody needs to tell colours apart."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from kohort.report.charts.canvas import GREY, INK, PAPER
from kohort.report.lattice.sheet import Style

if TYPE_CHECKING:
    from kohort.algorithms.lattice.landscape import Landscape
    from kohort.core.lattice import Node
    from kohort.report.lattice.sheet import Outline


def box(width: float, height: float) -> Outline:
    """A rectangle."""
    x, y = width / 2, height / 2
    return [(-x, -y), (x, -y), (x, y), (-x, y), (-x, -y)]


def lozenge(width: float, height: float) -> Outline:
    """A box with pointed ends."""
    x, y = width / 2, height / 2
    return [(-x, 0), (y - x, -y), (x - y, -y), (x, 0), (x - y, y), (y - x, y), (-x, 0)]


def chamfered(width: float, height: float) -> Outline:
    """A box without its corners."""
    x, y = width / 2, height / 2
    c = height / 4
    return [
        (-x, c - y),
        (c - x, -y),
        (x - c, -y),
        (x, c - y),
        (x, y - c),
        (x - c, y),
        (c - x, y),
        (-x, y - c),
        (-x, c - y),
    ]


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


STYLES = {
    Kind.FAILING: Style(box, PAPER, "#9aa5b1", 0.5, GREY, sign="\N{MULTIPLICATION SIGN}"),
    Kind.RELEASABLE: Style(chamfered, "#e3f2ea", "#0b6e4f", 0.8),
    Kind.MINIMAL: Style(lozenge, "#ffe08a", INK, 1.2, bold=True, sign="▾"),
    Kind.OPTIMAL: Style(ribbon, "#0b4f3a", INK, 1.2, PAPER, bold=True, sign="★"),
}

#: The frame around the chosen node.
FRAME = Style(box, "none", INK, 1.4)


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
