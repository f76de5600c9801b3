"""A lattice as the desk shows it: drawn whole where it is small, else the nodes that somebody would choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.algorithms.lattice.exhaustive import landscape
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.judge import lattice_of
from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.method import OBJECTIVE
from kohort.core.recoding import FullDomain
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError, LimitError
from kohort.metrics.known import metric_of
from kohort.report.charts.canvas import settings
from kohort.report.lattice.drawing import HIGH, MOST_DRAWN, arranged, box_width, meanings, title, width_for
from kohort.report.lattice.frontier import frontier
from kohort.report.lattice.sheet import STYLES, Kind, kind_of, number
from kohort.report.lattice.sheet import label as label_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kohort.algorithms.lattice.exhaustive import Landscape
    from kohort.algorithms.problem import Algorithm, Problem, Solution
    from kohort.core.lattice import Lattice, Node

#: Pixels of a point: a node is as high as a finger needs it.
SCALE: Final = 2.0

#: Nodes that are listed of those that somebody would choose from.
MOST_LISTED: Final = 60

#: What a node is that nobody has looked at, and its sign.
UNKNOWN: Final = "not evaluated"
UNKNOWN_SIGN: Final = "?"


class NodeLook(NamedTuple):
    """A node.

    Attributes:
        levels: The level of each quasi-identifier.
        label: The same in short.
        kind: What it is: the name of a kind, in small letters; `unknown` where nobody has looked.
        says: What it is, in words.
        sign: What stands before its label.
        suppressed: How many records it suppresses; `None` where nobody has looked.
        figure: What it costs in the objective; empty where it is not releasable.
        chosen: Whether the job releases it.
        x: Where its middle is drawn, in pixels.
        y: Likewise.
    """

    levels: Node
    label: str
    kind: str
    says: str
    sign: str
    suppressed: int | None
    figure: str
    chosen: bool
    x: float = 0.0
    y: float = 0.0


class Sample(NamedTuple):
    """How a kind of node is drawn, and what it means."""

    kind: str
    sign: str
    says: str
    outline: str


class LatticeLook(NamedTuple):
    """A lattice.

    Attributes:
        title: What is asked of it.
        names: The quasi-identifiers, in the order of the levels.
        top: The highest level of each.
        objective: What costs are in.
        legend: The kinds of nodes.
        best: The nodes that somebody would choose from, best first.
        more: How many of those are not listed.
        near: The neighbours of the best one and of the one that the job releases, where the lattice is not drawn.
        nodes: All nodes, where it is drawn.
        heights: Each height, and where it is drawn.
        edges: The lines between nodes, as the path of an SVG.
        size: How wide and high the picture is, and a node in it.
    """

    title: str
    names: tuple[str, ...]
    top: Node
    objective: str
    legend: tuple[Sample, ...]
    best: tuple[NodeLook, ...]
    more: int = 0
    near: tuple[NodeLook, ...] = ()
    nodes: tuple[NodeLook, ...] = ()
    heights: tuple[tuple[int, float], ...] = ()
    edges: str = ""
    size: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    @property
    def chosen(self) -> NodeLook | None:
        """The node that the job releases, where it is shown."""
        return next((one for one in (*self.nodes, *self.best, *self.near) if one.chosen), None)


def lattice_look(problem: Problem, algorithm: Algorithm) -> LatticeLook:
    """The lattice of a problem, each node judged; of one that is too large for that, what the search has found."""
    names = tuple(domain.attribute.name for domain in problem.domains)
    try:
        judged = landscape(problem, algorithm.limit or SuppressionLimit(), algorithm.objective or OBJECTIVE)
    except LimitError:
        return _searched(names, problem, algorithm)
    chosen = _chosen(problem, algorithm)
    found = frontier(judged)
    with settings():
        wide = box_width(judged)
        look = LatticeLook(
            title(judged),
            names,
            judged.lattice.top,
            judged.objective.shown.symbol,
            tuple(_sample(kind, says, wide) for kind, says in meanings(judged).items()),
            tuple(_node(judged, node, chosen) for node in found[:MOST_LISTED]),
            max(0, len(found) - MOST_LISTED),
        )
        if judged.lattice.size <= MOST_DRAWN:
            return _drawn(look, judged, chosen, wide)
    beside = _beside(judged.lattice, [*found[:1], *([chosen] if chosen else [])], {*found[:MOST_LISTED]})
    return look._replace(near=tuple(_node(judged, node, chosen) for node in beside))


def _drawn(look: LatticeLook, judged: Landscape, chosen: Node | None, wide: float) -> LatticeLook:
    """The lattice with the place of each node."""
    lattice, width = judged.lattice, width_for(judged)
    spots, at_heights, end = arranged(lattice, wide, {}, width=width, top=HIGH)
    places = {node: (round(x * SCALE, 1), round(y * SCALE, 1)) for node, (x, y) in spots.items()}
    nodes = (_node(judged, node, chosen)._replace(x=x, y=y) for node, (x, y) in places.items())
    lines = (
        f"M{x} {y}L{places[other][0]} {places[other][1]}"
        for node, (x, y) in places.items()
        for other in lattice.successors(node)
    )
    return look._replace(
        nodes=tuple(nodes),
        heights=tuple((height, round(y * SCALE, 1)) for height, y in at_heights),
        edges="".join(lines),
        size=(width * SCALE, (end + HIGH) * SCALE, round(wide * SCALE, 1), HIGH * SCALE),
    )


def _sample(kind: Kind, says: str, wide: float) -> Sample:
    corners = STYLES[kind].outline(wide * SCALE, HIGH * SCALE)[:-1]
    return Sample(_name(kind), STYLES[kind].sign, says, " ".join(f"{x:.1f},{y:.1f}" for x, y in corners))


def _name(kind: Kind) -> str:
    return kind.name.lower()


def _node(judged: Landscape, node: Node, chosen: Node | None) -> NodeLook:
    kind = kind_of(judged, node)
    says = kind.value
    if kind is Kind.OPTIMAL and judged.minimal[node]:
        says = f"{Kind.OPTIMAL.value}, {Kind.MINIMAL.value}"
    figure = number(judged.figure(node)) if judged.releasable[node] else ""
    suppressed = int(judged.suppressed[node])
    return NodeLook(
        node, label_of(judged, node), _name(kind), says, STYLES[kind].sign, suppressed, figure, node == chosen
    )


def _beside(lattice: Lattice, nodes: Iterable[Node], known: set[Node]) -> list[Node]:
    """The nodes directly below and above some nodes, and those themselves, but for those that are known."""
    found: dict[Node, None] = {}
    for node in nodes:
        below = ((*node[:at], level - 1, *node[at + 1 :]) for at, level in enumerate(node) if level)
        found |= dict.fromkeys([node, *below, *lattice.successors(node)])
    return [node for node in found if node not in known]


# --- what the job releases --------------------------------------------------------------------------------------------


def _chosen(problem: Problem, algorithm: Algorithm) -> Node | None:
    """The node that a job releases; `None` where it can release none."""
    search = algorithm.search if isinstance(algorithm, LocalRecoding) else algorithm
    if isinstance(search, GivenNode):
        levels = dict(zip(search.names, search.node, strict=True))
        return tuple(levels[domain.attribute.name] for domain in problem.domains)
    try:
        return _levels(search.solve(problem))
    except InfeasibleError:
        return None


def _levels(found: Solution) -> Node:
    assert isinstance(found.recoding, FullDomain)  # noqa: S101  a search of levels finds nothing else
    return found.recoding.levels


def _searched(names: Sequence[str], problem: Problem, algorithm: Algorithm) -> LatticeLook:
    """What a search has found in a lattice that is too large to be judged: other nodes are not evaluated."""
    search = algorithm.search if isinstance(algorithm, LocalRecoding) else algorithm
    found, lattice = search.solve(problem), lattice_of(problem)
    chosen = _levels(found)
    best = tuple(
        NodeLook(
            one.node,
            _short(one.node),
            _name(Kind.OPTIMAL if found.proven and not place else Kind.RELEASABLE),
            Kind.OPTIMAL.value if found.proven and not place else Kind.RELEASABLE.value,
            STYLES[Kind.OPTIMAL if found.proven and not place else Kind.RELEASABLE].sign,
            one.outcome.suppressed,
            "",
            one.node == chosen,
        )
        for place, one in enumerate(found.candidates)
    )
    beside = _beside(lattice, [chosen], {one.levels for one in best})
    near = tuple(
        NodeLook(node, _short(node), "unknown", UNKNOWN, UNKNOWN_SIGN, None, "", node == chosen) for node in beside
    )
    told = f"Lattice of {lattice.size:,} nodes, too large to evaluate each: what {search.name} has found"
    symbol = metric_of(search.objective or OBJECTIVE).shown.symbol
    return LatticeLook(told, tuple(names), lattice.top, symbol, (), best, near=near)


def _short(node: Node) -> str:
    return ",".join(map(str, node))
