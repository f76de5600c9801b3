"""What a large lattice comes down to: its minimal nodes and the optimum, each at its height and its cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.report.lattice.plot import Plot, Point, pack
from kohort.report.lattice.shapes import FRAME, STYLES, Kind, kind_of, label, number
from kohort.report.sheet import MARGIN, width_of

if TYPE_CHECKING:
    from kohort.algorithms.lattice.landscape import Landscape
    from kohort.core.lattice import Node
    from kohort.report.lattice.plot import Place, Span
    from kohort.report.sheet import Sheet

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
    """How many of so many nodes are numbered and listed."""
    return many if many <= MOST_LISTED else BEST


def _scatter(sheet: Sheet, landscape: Landscape, nodes: tuple[list[Node], list[Node]], chosen: Node | None) -> None:
    """Draw the listed nodes with their numbers and the others without."""
    listed, others = nodes
    sizes = [NUMBERED] * len(listed) + [OTHERS[0]] * len(others)
    points = [
        Point(sum(node), landscape.figure(node), wide * high)
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
    """Draw a node with its number on it, and a frame around it if it is chosen."""
    node, rank, chosen = entry
    style = STYLES[kind_of(landscape, node)]
    sheet.mark([place], style, NUMBERED)
    sheet.text(*place, str(rank), color=style.text, bold=style.bold, align="center")
    if chosen:
        sheet.mark([place], FRAME, FRAMED)


def _table(sheet: Sheet, landscape: Landscape, nodes: list[Node], chosen: Node | None) -> None:
    """Say what the numbers stand for, in columns."""
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
    """A node in words and figures."""
    words = [number(landscape.figure(node)), f"{int(landscape.suppressed[node]):,} suppressed"]
    words += [Kind.OPTIMAL.value] if node == landscape.optimum else []
    words += [] if landscape.minimal[node] else ["not minimal"]
    words += ["chosen"] if node == chosen else []
    return f"{label(landscape, node)}: {', '.join(words)}"
