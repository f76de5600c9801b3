"""What a large lattice comes down to: its minimal nodes and the optimum, each at its height and its cost.

They are plotted so that no point hides another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from kohort.report.charts.canvas import LINE, MARGIN, PAPER, SIZE, library, width_of
from kohort.report.lattice.sheet import FRAME, STYLES, Kind, kind_of, label, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.algorithms.lattice.exhaustive import Landscape
    from kohort.arrays import Shares
    from kohort.core.lattice import Node
    from kohort.report.lattice.sheet import Sheet

#: Up to so many nodes are all numbered and listed; of more only the best, and of very many not all are drawn.
MOST_LISTED: Final = 40
BEST: Final = 16
MOST_SHOWN: Final = 1_000

#: Points: width and height of a numbered node, of one in a frame, and of the others, as large as their number allows.
NUMBERED: Final = (19.0, 11.0)
FRAMED: Final = (24.0, 16.0)
OTHERS: Final = ((6.0, 4.8), (5.0, 4.0), (4.0, 3.2), (3.0, 2.4), (2.0, 1.6))

#: Points from one line of the list to the next.
ROW: Final = 16.0

#: Where something is drawn: x, and y downward.
Place: TypeAlias = "tuple[float, float]"

#: Points: height of the plot, room for what is written at its left, free room above and below the points, least width
#: of a height with points and of one without, and between two points.
TALL: Final = 300.0
LEFT: Final = 58.0
FREE: Final = 14.0
NARROW: Final = 24.0
EMPTY: Final = 10.0
APART: Final = 1.5

#: Every other height stands on grey.
BAND: Final = "#f3f5f7"


def draw_frontier(sheet: Sheet, landscape: Landscape, chosen: Node | None) -> None:
    """Draw the nodes that a steward would choose from, and list the best."""
    nodes = frontier(landscape)
    if not nodes:
        sheet.paragraph("No node is releasable.")
        return
    listed = nodes[: _listed(len(nodes))]
    if chosen is not None and chosen not in listed and landscape.releasable[chosen]:
        listed.append(chosen)
    others = [node for node in nodes[:MOST_SHOWN] if node not in listed]
    _scatter(sheet, landscape, (listed, others), chosen)
    _table(sheet, landscape, listed, chosen)


def frontier(landscape: Landscape) -> list[Node]:
    """The minimal nodes and the optimum, best first; the optimum need not be minimal."""
    nodes = {tuple(node) for node in np.argwhere(landscape.minimal).tolist()}
    nodes |= set() if landscape.optimum is None else {landscape.optimum}
    return sorted(nodes, key=lambda node: (landscape.cost[node], sum(node), node))


def shown(landscape: Landscape) -> str:
    """How many minimal nodes there are, and which of them can be told apart."""
    many = len(frontier(landscape))
    parts = [
        f"{int(landscape.minimal.sum()):,} nodes",
        *([f"the best {MOST_SHOWN:,} drawn"] if many > MOST_SHOWN else []),
        *([f"the best {BEST} numbered"] if many > MOST_LISTED else []),
    ]
    return ", ".join(parts)


def _listed(many: int) -> int:
    return many if many <= MOST_LISTED else BEST


def _scatter(sheet: Sheet, landscape: Landscape, nodes: tuple[list[Node], list[Node]], chosen: Node | None) -> None:
    listed, others = nodes
    sizes = [NUMBERED] * len(listed) + [OTHERS[0]] * len(others)
    points = [
        PlotPoint(sum(node), landscape.figure(node), wide * high)
        for node, (wide, high) in zip((*listed, *others), sizes, strict=True)
    ]
    plot = Plot.of(sheet, points)
    objective = landscape.objective
    plot.draw(sheet, f"{objective.name} ({'less' if objective.less_is_better else 'more'} is better)")
    places, small = _packed([plot.span(point) for point in points], listed, chosen)
    if others:
        sheet.mark(places[len(listed) :], replace(STYLES[Kind.MINIMAL], width=0.6), small)
    for rank, (node, place) in enumerate(zip(listed, places, strict=False), 1):
        _numbered(sheet, landscape, (node, rank, node == chosen), place)


def _packed(spans: list[Span], listed: list[Node], chosen: Node | None) -> tuple[list[Place], tuple[float, float]]:
    """Where the nodes are drawn, listed ones first, and how large the others: as far as all keep to their costs."""
    first = [FRAMED if node == chosen else NUMBERED for node in listed]
    others = len(spans) - len(first)
    for small in OTHERS:
        places = pack(spans, first + [small] * others, still=len(first))
        if len(places) == len(spans):
            return places, small
    return pack(spans, first + [OTHERS[-1]] * others), OTHERS[-1]


def _numbered(sheet: Sheet, landscape: Landscape, entry: tuple[Node, int, bool], place: Place) -> None:
    node, rank, chosen = entry
    style = STYLES[kind_of(landscape, node)]
    sheet.mark([place], style, NUMBERED)
    sheet.text(*place, str(rank), color=style.text, bold=style.bold, align="center")
    if chosen:
        sheet.mark([place], FRAME, FRAMED)


def _table(sheet: Sheet, landscape: Landscape, nodes: list[Node], chosen: Node | None) -> None:
    texts = [_said(landscape, node, chosen) for node in nodes]
    wide = 2.5 * NUMBERED[0] + max(map(width_of, texts))
    columns = max(1, int((sheet.width - MARGIN) // wide))
    rows = -(-len(nodes) // columns)
    for place, (node, text) in enumerate(zip(nodes, texts, strict=True)):
        x, y = MARGIN + NUMBERED[0] + wide * (place // rows), sheet.end + ROW * (place % rows + 0.5)
        _numbered(sheet, landscape, (node, place + 1, node == chosen), (x, y))
        sheet.text(x + NUMBERED[0], y, text)
    sheet.end += ROW * rows


def _said(landscape: Landscape, node: Node, chosen: Node | None) -> str:
    words = [number(landscape.figure(node)), f"{int(landscape.suppressed[node]):,} suppressed"]
    words += [Kind.OPTIMAL.value] if node == landscape.optimum else []
    words += [] if landscape.minimal[node] else ["not minimal"]
    words += ["chosen"] if node == chosen else []
    return f"{label(landscape, node)}: {', '.join(words)}"


class PlotPoint(NamedTuple):
    """A figure at a height, and the area of what is drawn there."""

    height: int
    figure: float
    area: float


class Span(NamedTuple):
    """Where a point may be drawn: at `y`, from `left` to `right`; and, if there is no room, from `top` to `bottom`."""

    left: float
    right: float
    y: float
    top: float
    bottom: float


@dataclass(frozen=True, slots=True, eq=False)
class Plot:
    """Where heights and figures lie.

    Attributes:
        top: The upper edge.
        lowest: The first height.
        edges: Where each height begins, and where the last one ends; many points get more room than few.
        least: The figure at the lower edge.
        greatest: The figure at the upper edge.
    """

    top: float
    lowest: int
    edges: Shares
    least: float
    greatest: float

    @classmethod
    def of(cls, sheet: Sheet, points: Sequence[PlotPoint]) -> Plot:
        """Room for these points below what is drawn."""
        figures = [point.figure for point in points]
        lowest = min(point.height for point in points)
        areas = np.bincount([point.height - lowest for point in points], [point.area for point in points])
        room = sheet.width - LEFT - MARGIN
        least = np.where(areas > 0, NARROW, EMPTY)
        least *= min(1, room / 2 / least.sum())
        widths = least + (room - least.sum()) * np.sqrt(areas) / np.sqrt(areas).sum()
        free = (max(figures) - min(figures) or 1.0) * FREE / (TALL - 2 * FREE)
        edges = LEFT + np.concatenate([[0], widths.cumsum()])
        return cls(sheet.end + 1.5 * LINE, lowest, edges, min(figures) - free, max(figures) + free)

    def span(self, point: PlotPoint) -> Span:
        """Where a point may be drawn."""
        left, right = self.edges[point.height - self.lowest :][:2].tolist()
        return Span(left, right, self._y(point.figure), self.top, self.top + TALL)

    def _y(self, figure: float) -> float:
        return self.top + TALL * (self.greatest - figure) / (self.greatest - self.least)

    def draw(self, sheet: Sheet, title: str) -> None:
        """Draw the axes; the sheet then ends below them."""
        sheet.text(MARGIN, sheet.end + SIZE / 2, title, bold=True)
        bottom, said = self.top + TALL, 0.0
        for height, (left, right) in enumerate(pairwise(self.edges.tolist()), self.lowest):
            x = (left + right) / 2
            sheet.line((x, x), (self.top, bottom), width=right - left, color=BAND if height % 2 else PAPER)
            if x - said >= 2 * width_of(str(height)):
                sheet.text(x, bottom + LINE, str(height), align="center")
                said = x
        for tick in library("matplotlib.ticker").MaxNLocator(6).tick_values(self.least, self.greatest).tolist():
            if self.least <= tick <= self.greatest:
                sheet.line((LEFT, sheet.width - MARGIN), (self._y(tick), self._y(tick)))
                sheet.text(LEFT - 4, self._y(tick), f"{tick:,.6g}", align="right")
        sheet.text((LEFT + sheet.width - MARGIN) / 2, bottom + 2.2 * LINE, "height", bold=True, align="center")
        sheet.end = bottom + 3.2 * LINE


def pack(spans: Sequence[Span], sizes: Sequence[tuple[float, float]], *, still: int | None = None) -> list[Place]:
    """Give each point a place near the middle of its span that hides none before it.

    Where there is no room, it moves up or down; the places end before the first one that would have to and is not
    among the first `still`.

    >>> pack([Span(0, 9, 10, 0, 20)] * 3, [(4, 4)] * 3)
    [(4.5, 10.0), (4.5, 4.0), (4.5, 16.0)]
    """
    taken = np.empty((len(spans), 4))
    for place, (span, (wide, high)) in enumerate(zip(spans, sizes, strict=True)):
        x, y = _free(taken[:place], span, (wide + APART, high + APART))
        if still is not None and place >= still and y != span.y:
            taken = taken[:place]
            break
        taken[place] = x, y, wide + APART, high + APART
    return [(x, y) for x, y, _, _ in taken.tolist()]


def _free(taken: Shares, span: Span, size: tuple[float, float]) -> Place:
    """The place for a box of this size: the least way up or down, then to a side; the middle where there is none."""
    xs, ys, widths, heights = taken.T
    middle, free = (span.left + span.right) / 2, (span.right - span.left - size[0]) / 2
    steps = np.arange(0, max(free, 0) + 0.5)
    tried = middle + np.stack([steps, -steps], axis=1).ravel()
    for y in _nearest(span, size[1] / 2):
        near = abs(ys - y) < (heights + size[1]) / 2
        clear = (abs(tried[:, None] - xs[near]) >= (widths[near] + size[0]) / 2).all(axis=1)
        if clear.any():
            return float(tried[clear.argmax()]), y
    return middle, span.y


def _nearest(span: Span, half: float) -> Iterator[float]:
    """Ways up and down, the least first, as far as a box half so high stays inside."""
    yield span.y
    for away in range(2, int(span.bottom - span.top), 2):
        yield from (y for y in (span.y - away, span.y + away) if span.top + half <= y <= span.bottom - half)
