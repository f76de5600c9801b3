"""Draw the lattice that a method searched, or any other that was judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.algorithms.lattice.landscape import landscape
from kohort.algorithms.method import OBJECTIVE
from kohort.core.suppression import SuppressionLimit
from kohort.errors import UnsupportedError
from kohort.report.charts.canvas import HEADLINE, LINE, MARGIN, SIZE, settings, width_of
from kohort.report.charts.canvas import format_of as format_of_suffix
from kohort.report.lattice.frontier import draw_frontier, frontier, shown
from kohort.report.lattice.hasse import box_width, draw_lattice
from kohort.report.lattice.shapes import FRAME, STYLES, Kind, label, number
from kohort.report.lattice.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.algorithms.lattice.landscape import Landscape
    from kohort.algorithms.problem import Algorithm
    from kohort.core.lattice import Node
    from kohort.release import Release
    from kohort.report.charts.canvas import Format
    from kohort.report.lattice.sheet import Style

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
    if problem is None:
        raise UnsupportedError(f"a release by {algorithm.name} has no lattice", hint="it had no records, or no levels")
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
            f"{algorithm.name} searches no lattice that a picture could show",
            hint="take a method that gives each quasi-identifier one level: samarati, optimal, datafly, best-effort",
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

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    names = ["".join(one if one.isprintable() else "?" for one in name) for name in names]
    short = ", ".join(name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…" for name in names)
    whole = landscape.lattice.size <= MOST_DRAWN
    with settings():
        page = Sheet.of(max(WIDTH, 1.5 * box_width(landscape) + BESIDE))
        page.paragraph(title(landscape), size=HEADLINE, bold=True)
        page.end += LINE / 3
        page.paragraph(f"{label(landscape, landscape.lattice.top)} is the top: the levels of {short}, in this order.")
        page.end += LINE / 3
        _legend(page, landscape, whole=whole, chosen=chosen is not None)
        (draw_lattice if whole else draw_frontier)(page, landscape, chosen)
        return page.bytes(format, title(landscape), description(landscape, names, chosen))


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


def _legend(page: Sheet, landscape: Landscape, *, whole: bool, chosen: bool) -> None:
    """Say what the shapes mean, in as few lines as will do."""
    says = {
        Kind.FAILING: "not releasable",
        Kind.RELEASABLE: "releasable",
        Kind.MINIMAL: "minimal: no node below is releasable" + ("" if whole else f" ({shown(landscape)})"),
        Kind.OPTIMAL: f"optimal: best {landscape.objective.name}",
    }
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
