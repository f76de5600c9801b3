"""Draw the lattice that a method searched, or any other that was judged.

A small lattice is drawn whole: a row for each height, the bottom below, a line from every node to each
directly above it.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil, nan
from typing import TYPE_CHECKING, Final, TypeAlias

from kohort.algorithms.lattice.exhaustive import landscape
from kohort.algorithms.method import OBJECTIVE
from kohort.core.suppression import SuppressionLimit
from kohort.errors import UnsupportedError
from kohort.report.charts.canvas import HEADLINE, LINE, MARGIN, SIZE, settings, width_of
from kohort.report.charts.canvas import format_of as format_of_suffix
from kohort.report.lattice.frontier import draw_frontier, frontier, shown
from kohort.report.lattice.sheet import FRAME, STYLES, Kind, Sheet, kind_of, label, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.algorithms.lattice.exhaustive import Landscape
    from kohort.algorithms.problem import Algorithm
    from kohort.core.lattice import Lattice, Node
    from kohort.release import Release
    from kohort.report.charts.canvas import Format
    from kohort.report.lattice.sheet import Style

    #: Where each node stands.
    Places: TypeAlias = dict[Node, tuple[float, float]]

#: Nodes of the largest lattice that is drawn whole.
MOST_DRAWN: Final = 300

#: Points: width of a picture, and what it needs beside one and a half nodes where these have very many levels.
WIDTH: Final = 540.0
BESIDE: Final = 320.0

#: Letters of a name that are drawn.
LETTERS: Final = 40

#: Points: width and height of a sample in the legend.
SAMPLE: Final = (22.0, 11.0)

#: Nodes that the description counts up.
TOLD: Final = 40


def picture(release: Release, format: Format) -> bytes:  # noqa: A002  as everywhere that writes pictures
    """The picture of the lattice that a method searched, by its limit and objective, and of the node that it chose.

    Raises:
        UnsupportedError: the release has no levels.
        MissingExtraError: matplotlib is not installed.
        LimitError: the lattice has more than 65,536 nodes.
    """
    problem, algorithm = release.problem, release.job.algorithm
    if problem is None or not release.levels:
        raise UnsupportedError(f"a release by {algorithm.name} has no lattice", hint="release records on levels")
    judged = landscape(problem, algorithm.limit or SuppressionLimit(), algorithm.objective or OBJECTIVE)
    return lattice_picture(judged, list(release.levels), format=format, chosen=tuple(release.levels.values()))


def format_of(algorithm: Algorithm, path_suffix: str) -> Format:
    """The format that a picture with such a suffix has; refuses what cannot be drawn, before any work.

    Raises:
        UnsupportedError: the algorithm searches no lattice.
        UsageError: the suffix is neither `.svg` nor `.png`.
        MissingExtraError: matplotlib is not installed.
    """
    if not algorithm.full_domain:
        raise UnsupportedError(
            f"{algorithm.name} does not search a lattice, so there is no picture",
            hint="choose a method that gives each quasi-identifier one level: samarati, optimal, datafly, best-effort",
        )
    return format_of_suffix(path_suffix)


def lattice_picture(
    landscape: Landscape,
    names: Sequence[str],
    *,
    format: Format = "svg",  # noqa: A002  as everywhere that writes pictures
    chosen: Node | None = None,
) -> bytes:
    """Draw a lattice; the same bytes whenever it is the same.

    Args:
        landscape: Its nodes, judged.
        names: The quasi-identifiers in the order of the levels.
        format: `svg`, with a title and a description for screen readers; the others have both as metadata.
        chosen: The node that is released, where one is.
    """
    names = ["".join(one if one.isprintable() else "?" for one in name) for name in names]
    short = ", ".join(name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…" for name in names)
    whole = landscape.lattice.size <= MOST_DRAWN
    with settings():
        page = Sheet.of(width_for(landscape))
        page.paragraph(title(landscape), size=HEADLINE, bold=True)
        page.end += LINE / 3
        page.paragraph(f"{label(landscape, landscape.lattice.top)} is the top: the levels of {short}, in this order.")
        page.end += LINE / 3
        _legend(page, landscape, whole=whole, chosen=chosen is not None)
        (draw_lattice if whole else draw_frontier)(page, landscape, chosen)
        return page.bytes(format, title(landscape), description(landscape, names, chosen))


def width_for(landscape: Landscape) -> float:
    """How wide a picture of a lattice is, in points."""
    return max(WIDTH, 1.5 * box_width(landscape) + BESIDE)


def title(landscape: Landscape) -> str:
    """What is asked of which lattice."""
    return (
        f"Lattice of {landscape.lattice.size:,} nodes: {' and '.join(landscape.models)}, at most "
        f"{landscape.limit:,} of {landscape.records:,} records suppressed"
    )


def description(landscape: Landscape, names: Sequence[str], chosen: Node | None) -> str:
    """The picture in words."""
    lines = [
        f"{title(landscape)}. A node is the levels of {', '.join(names)}, in this order.",
        f"{int(landscape.releasable.sum()):,} nodes are releasable, {int(landscape.minimal.sum()):,} of them minimal.",
    ]
    best = frontier(landscape)
    if best:
        told = "; ".join(_told(landscape, node) for node in best[:TOLD])
        lines += [f"Optimal in {landscape.objective.name}: {_told(landscape, best[0])}.", f"The best: {told}."]
    if chosen is not None:
        lines.append(f"Chosen: {_told(landscape, chosen)}.")
    return " ".join(lines)


def _told(landscape: Landscape, node: Node) -> str:
    suppressed = f"{int(landscape.suppressed[node]):,} suppressed"
    if not landscape.releasable[node]:
        return f"{label(landscape, node)} ({suppressed}, not releasable)"
    return f"{label(landscape, node)} ({landscape.objective.name} {number(landscape.figure(node))}, {suppressed})"


def meanings(landscape: Landscape) -> dict[Kind, str]:
    """What each kind of node means."""
    return {
        Kind.FAILING: "not releasable",
        Kind.RELEASABLE: "releasable",
        Kind.MINIMAL: "minimal: no node below is releasable",
        Kind.OPTIMAL: f"optimal: best {landscape.objective.name}",
    }


def _legend(page: Sheet, landscape: Landscape, *, whole: bool, chosen: bool) -> None:
    says = meanings(landscape)
    says[Kind.MINIMAL] += "" if whole else f" ({shown(landscape)})"
    kinds = list(Kind) if whole else [Kind.MINIMAL, Kind.OPTIMAL]
    entries = [(STYLES[kind], says[kind]) for kind in kinds] + [(FRAME, "chosen")] * chosen
    x = MARGIN
    for style, words in entries:
        wide = SAMPLE[0] + SIZE / 2 + width_of(words)
        if x + wide > page.width - MARGIN:
            x = MARGIN
            page.end += 1.5 * LINE
        _sample(page, style, (x + SAMPLE[0] / 2, page.end + SAMPLE[1] / 2))
        page.text(x + SAMPLE[0] + SIZE / 2, page.end + SAMPLE[1] / 2, words)
        x += wide + 1.5 * SIZE
    page.end += 2.5 * LINE


def _sample(page: Sheet, style: Style, place: tuple[float, float]) -> None:
    page.mark([place], style, SAMPLE)
    page.text(*place, style.sign, color=style.text, bold=style.bold, align="center")


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


def arranged(
    lattice: Lattice, wide: float, captions: Mapping[Node, int], *, width: float, top: float
) -> tuple[Places, list[tuple[int, float]], float]:
    """The place of each node and of each height, from the top of the lattice, and where they end, in points.

    Rows that are too long are broken.
    """
    room = width - LEFT - MARGIN
    nodes_at = [list(lattice.at(height)) for height in reversed(range(lattice.height + 1))]
    fits = max(map(len, nodes_at)) * (wide + APART) <= room + APART
    most = max(1, int(room / (wide + APART) - 0.5))
    rows = [[nodes] if fits else list(_lines(nodes, most)) for nodes in nodes_at]
    longest = max(len(row[0]) for row in rows) + (0 if fits else 0.5)
    pitch = min(room / longest, max(FAR, wide + APART))
    places: Places = {}
    heights: list[tuple[int, float]] = []
    for row in rows:
        start, low = top, 0.0
        for turn, line in enumerate(row):
            brick = pitch * (turn % 2 - 0.5) / 2 if len(row) > 1 else 0  # edges show between the nodes of other lines
            left = LEFT + room / 2 - pitch * (len(row[0]) - 1) / 2 + brick
            places |= {node: (left + pitch * place, top + HIGH / 2) for place, node in enumerate(line)}
            low = SAID * max(captions.get(node, 0) for node in line)
            top += STEP + low
        heights.append((sum(row[0][0]), (start + top - low - STEP + HIGH) / 2))
        top += GAP - min(low, SAID)
    return places, heights, top - GAP


def _placed(sheet: Sheet, lattice: Lattice, wide: float, captions: Mapping[Node, int]) -> Places:
    """Arrange the nodes below what is drawn, and write their heights at the left."""
    sheet.text(MARGIN, sheet.end, "height")
    places, heights, end = arranged(lattice, wide, captions, width=sheet.width, top=sheet.end + LINE)
    for height, middle in heights:
        sheet.text(MARGIN + SIZE, middle, str(height), align="center", bold=True)
    sheet.end = end
    return places


def _lines(nodes: list[Node], most: int) -> Iterator[list[Node]]:
    """The nodes in as few lines of at most so many as will do; each has as many as the next, or one more."""
    many = ceil(len(nodes) / most)
    length, longer = divmod(len(nodes), many)
    ends = [length * place + min(place, longer) for place in range(many + 1)]
    return (nodes[start:end] for start, end in pairwise(ends))


def _edges(sheet: Sheet, lattice: Lattice, places: Places) -> None:
    ends = [
        end for node in places for other in lattice.successors(node) for end in (places[node], places[other], NOWHERE)
    ]
    xs, ys = zip(*ends, strict=True) if ends else ((), ())
    sheet.line(xs, ys)
