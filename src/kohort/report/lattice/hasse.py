"""The whole lattice: a row for each height, the bottom below, a line from every node to each node directly above it."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, nan
from typing import TYPE_CHECKING, Final, TypeAlias

from kohort.report.charts.canvas import LINE, MARGIN, SIZE, width_of
from kohort.report.lattice.shapes import FRAME, STYLES, Kind, kind_of, label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.algorithms.lattice.landscape import Landscape
    from kohort.core.lattice import Lattice, Node
    from kohort.report.lattice.sheet import Sheet

    #: Where each node stands.
    Places: TypeAlias = dict[Node, tuple[float, float]]

#: Points: height of a node, from one line of nodes to the next of the same height, between heights, between nodes, and
#: of the column on the left that holds the heights.
HIGH: Final = 13.0
STEP: Final = 19.0
GAP: Final = 24.0
APART: Final = 4.0
LEFT: Final = 26.0

#: Points from one word below a node to the next.
SAID: Final = 9.6

#: Between the end of one line and the start of the next.
NOWHERE: Final = (nan, nan)

#: Nodes of a sparse row stand no farther apart than this.
FAR: Final = 64.0


def draw_lattice(sheet: Sheet, landscape: Landscape, chosen: Node | None) -> None:
    """Draw every node of a small lattice."""
    lattice = landscape.lattice
    wide = box_width(landscape)
    said = {node: words for node in (landscape.optimum, chosen) if node and (words := caption(landscape, node, chosen))}
    places = _placed(sheet, lattice, wide, {node: len(words) for node, words in said.items()})
    _edges(sheet, lattice, places)
    kinds = {node: kind_of(landscape, node) for node in places}
    for kind, style in STYLES.items():
        nodes = [node for node, one in kinds.items() if one is kind]
        if not nodes:
            continue
        sheet.mark([places[node] for node in nodes], style, (wide, HIGH))
        for node in nodes:
            text = style.sign + label(landscape, node)
            sheet.text(*places[node], text, color=style.text, bold=style.bold, align="center")
    if chosen is not None:
        sheet.mark([places[chosen]], FRAME, (wide + 5, HIGH + 5))
    for node, words in said.items():
        x, y = places[node]
        for line, word in enumerate(words):
            sheet.text(x, y + HIGH + 3 + line * SAID, word, bold=True, align="center", paper=True)


def box_width(landscape: Landscape) -> float:
    """How wide a node must be for what is written on it."""
    return max(width_of("★" + label(landscape, landscape.lattice.top), bold=True) + 0.65 * HIGH, 2 * HIGH)


def caption(landscape: Landscape, node: Node, chosen: Node | None) -> list[str]:
    """What is said below a node in words."""
    optimal = [Kind.OPTIMAL.value, *([Kind.MINIMAL.value] if landscape.minimal[node] else [])]
    return [*(optimal if node == landscape.optimum else []), *(["chosen"] if node == chosen else [])]


def _placed(sheet: Sheet, lattice: Lattice, wide: float, captions: dict[Node, int]) -> Places:
    """Give every node its place, height by height from the top of the lattice; rows that are too long are broken."""
    room = sheet.width - LEFT - MARGIN
    heights = [list(lattice.at(height)) for height in reversed(range(lattice.height + 1))]
    fits = max(map(len, heights)) * (wide + APART) <= room + APART
    most = max(1, int(room / (wide + APART) - 0.5))
    rows = [[nodes] if fits else list(_lines(nodes, most)) for nodes in heights]
    longest = max(len(row[0]) for row in rows) + (0 if fits else 0.5)
    pitch = min(room / longest, max(FAR, wide + APART))
    sheet.text(MARGIN, sheet.end, "height")
    sheet.end += LINE
    places: Places = {}
    for row in rows:
        start, low = sheet.end, 0.0
        for turn, line in enumerate(row):
            brick = pitch * (turn % 2 - 0.5) / 2 if len(row) > 1 else 0  # edges show between the nodes of other lines
            left = LEFT + room / 2 - pitch * (len(row[0]) - 1) / 2 + brick
            places |= {node: (left + pitch * place, sheet.end + HIGH / 2) for place, node in enumerate(line)}
            low = SAID * max(captions.get(node, 0) for node in line)
            sheet.end += STEP + low
        sheet.text(
            MARGIN + SIZE, (start + sheet.end - low - STEP + HIGH) / 2, str(sum(row[0][0])), align="center", bold=True
        )
        sheet.end += GAP - min(low, SAID)
    sheet.end -= GAP
    return places


def _lines(nodes: list[Node], most: int) -> Iterator[list[Node]]:
    """The nodes in as few lines of at most so many as will do; each has as many as the next, or one more."""
    many = ceil(len(nodes) / most)
    length, longer = divmod(len(nodes), many)
    ends = [length * place + min(place, longer) for place in range(many + 1)]
    return (nodes[start:end] for start, end in pairwise(ends))


def _edges(sheet: Sheet, lattice: Lattice, places: Places) -> None:
    """Draw a line from each node to every node directly above it."""
    ends = [
        end for node in places for other in lattice.successors(node) for end in (places[node], places[other], NOWHERE)
    ]
    xs, ys = zip(*ends, strict=True) if ends else ((), ())
    sheet.line(xs, ys)
