"""How a sweep over a table is told: every point as CSV and JSON, the most telling figures as text."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.metrics.known import METRICS
from kohort.shown import many
from kohort.sweeps.frame import Ending, Kind, aligned
from kohort.sweeps.picture import chart
from kohort.sweeps.published import published
from kohort.sweeps.tables import LOSS, said, taken

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from kohort.sweeps.frame import Json, Values
    from kohort.sweeps.tables import Point, TableSweep

#: The metrics that people see first; all others are in the files.
SHOWN: Final = ("lm", "c_avg", "c_dm", "precision")

#: What a sweep over a table is not.
NOTHING: Final = "A sweep releases and verifies nothing. To release one of its points, use kohort anonymize."

#: How an impossible point is told.
_SKIPPED: Final = "skipped as impossible"

_COUNTS: Final = ("classes", "smallest", "largest", "suppressed")

_PREFIXES: Final = MappingProxyType(
    {"values": "", "metrics": "", "losses": "loss:", "node": "level:", "bound": "bound:"}
)


def figures(found: TableSweep) -> dict[str, Json]:
    """Everything that is known of a sweep, as JSON takes it.

    Keys: vary (the values of everything that is varied), fixed, records, points. Of a point: values (by what is
    varied), ending (found, infeasible, limit or impossible: skipped), why (null where there is an answer); and null
    where there is none: metrics, losses (by quasi-identifier), released, suppressed, classes, smallest, largest,
    highest_risk and average_risk (the prosecutor's), node (by quasi-identifier; null: not a method on levels);
    cpu_seconds and wall_seconds, and bound (ncp, error, records, exact, times: see `BoundFigures`), where they were
    asked for. With a limit on the loss also at_most_loss, and proposed:
    values and loss of the strictest point within it (null: there is none).
    """
    best = found.proposed
    proposed: Json = best and {"values": _named(found, best.values), "loss": float(best.loss)}
    return {
        "vary": {axis.name: [*axis.values] for axis in found.axes},
        "fixed": {**found.fixed},
        "records": found.records,
        "points": [_figures(found, point) for point in found.points],
        **({} if found.within is None else {"at_most_loss": float(found.within), "proposed": proposed}),
    }


def _named(found: TableSweep, values: Values) -> dict[str, Json]:
    return dict(zip((axis.name for axis in found.axes), values, strict=True))


def _figures(found: TableSweep, point: Point) -> dict[str, Json]:
    """One point; whole metrics as integers."""
    told: dict[str, Json] = {
        "metrics": {name: int(value) if value.is_integer() else value for name, value in point.metrics.items()},
        "losses": {**point.losses},
        **{name: getattr(point, name) for name in ("released", "suppressed", "classes", "smallest", "largest")},
        "highest_risk": point.highest,
        "average_risk": point.average,
        "node": {**point.node} or None,
    }
    seconds = point.seconds
    return {
        "values": _named(found, point.values),
        "ending": str(point.ending),
        "why": point.why or None,
        **(told if point.found else dict.fromkeys(told)),
        **({} if point.bound is None else {"bound": point.bound.as_json()}),
        **({} if seconds is None else {"cpu_seconds": round(seconds.cpu, 4), "wall_seconds": round(seconds.wall, 4)}),
    }


def rows(found: TableSweep) -> list[dict[str, Json]]:
    """A flat row for each point, all of the same names: what is varied, how it ended, metrics, counts, and why."""
    flat = [_flat(_figures(found, point)) for point in found.points]
    axes = [axis.name for axis in found.axes]
    held = dict.fromkeys(name for row in flat for name in row)
    metrics = [name for name in METRICS if name in held]
    others = [name for name in held if name not in {*axes, *metrics, "ending", "why"}]
    return [{name: row.get(name) for name in [*axes, "ending", *metrics, *others, "why"]} for row in flat]


def _flat(figures: dict[str, Json]) -> dict[str, Json]:
    """The figures of a point without tables in tables: `loss:age`, `level:age`."""
    row: dict[str, Json] = {}
    for name, held in figures.items():
        if isinstance(held, dict):
            row |= {f"{_PREFIXES[name]}{key}": value for key, value in held.items()}
        elif name not in _PREFIXES:
            row[name] = held
    return row


def text(found: TableSweep) -> str:
    """The sweep for people: a line for each point, and why some have no answer."""
    released = [point for point in found.points if point.found]
    metrics = [name for name in SHOWN if any(name in point.metrics for point in released)]
    nodes = ["node"] if any(point.node for point in released) else []
    near = ["ncp", "least ncp", "times"] if any(point.bound for point in released) else []
    timed = ["cpu s", "wall s"] if any(point.seconds for point in released) else []
    axes = [axis.name for axis in found.axes]
    head = [*axes, *metrics, *_COUNTS, "highest risk", "average risk", *near, *nodes, *timed]
    kept = dict[tuple[str, ...], "Point"]()  # where a method does not take a value, one row for all of them
    for point in found.points:
        kept.setdefault(tuple(value or "-" for value in taken(found.axes, point.values)), point)
    cells = [[*values, *_cells(point, metrics, noded=bool(nodes))] for values, point in kept.items()]
    fixed = "".join(f"; {name} = {value}" for name, value in found.fixed.items())
    told = [*_bounds(released), *_nodes(found), *_reasons(found), *_proposal(found), NOTHING]
    lines = aligned([head, *cells], str.rjust)
    return "\n".join([f"{many(found.records, 'record')}{fixed}", "", *lines, "", *told])


def _cells(point: Point, metrics: list[str], *, noded: bool) -> list[str]:
    """The figures of a point as people read them."""
    if not point.found:
        return [str(point.ending)]
    told = (point.metrics.get(name) for name in metrics)
    costs = ["" if one is None else f"{one:,.0f}" if one.is_integer() else f"{one:,.6g}" for one in told]
    counts = [f"{getattr(point, name):,}" for name in _COUNTS]
    near, bound = [], point.bound
    if bound is not None:
        near = [f"{point.metrics[LOSS]:.4f}", f"{bound.ncp:.4f}", f"{bound.times:.1f}" if bound.times else "-"]
    node = [",".join(map(str, point.node.values()))] if noded else []
    seconds = [f"{one:.3f}" for one in point.seconds or ()]
    return [*costs, *counts, f"{point.highest:.2%}", f"{point.average:.2%}", *near, *node, *seconds]


def _bounds(released: Sequence[Point]) -> list[str]:
    """What the figures of bounds mean, where there are some."""
    looked = {point.bound.records: point.bound.error for point in released if point.bound is not None}
    sampled = f"; estimated from {many(max(looked), 'record')}" if any(looked.values()) else ""
    said = f"least ncp: no release with the same k and labels has a lower NCP{sampled}. times: NCP over that."
    return [said] if looked else []


def _nodes(found: TableSweep) -> list[str]:
    """Whose levels a node lists, where methods have some."""
    node = max((point.node for point in found.points), key=len)
    flag = ",".join(f"{name}={level}" for name, level in node.items())
    return [f"A node is the levels of {', '.join(node)}; release one by --node {flag}"] if node else []


def _proposal(found: TableSweep) -> list[str]:
    """The strictest point within the loss, where one was asked for; or how far off the nearest is."""
    released = [point for point in found.points if point.found]
    if found.within is None or not released:
        return []
    limit, best = f"a loss of {_share(found.within)}", found.proposed
    if best is not None:
        at, loses = said(found.axes, best.values), f"{_share(best.loss)} of the detail (NCP)"
        return [f"Proposed: {at}, the strictest within {limit}: it loses {loses}."]
    least = min(released, key=lambda point: point.metrics[LOSS])
    loses = f"{_share(least.metrics[LOSS])} of the detail (NCP)"
    return [f"Nothing proposed: no point is within {limit}; {said(found.axes, least.values)} loses least, {loses}."]


def _share(value: float | Fraction) -> str:
    """A share as people read it.

    >>> _share(0.1), _share(0.20366)
    ('10 %', '20.4 %')
    """
    return f"{100 * float(value):.3g} %"


def _reasons(found: TableSweep) -> list[str]:
    """What stood in the way, a sentence for each reason: where first, and how often; all impossible points in one."""
    reasons = [_SKIPPED if point.ending is Ending.IMPOSSIBLE else point.why for point in found.points]
    first: dict[str, Point] = {}
    for point, reason in zip(found.points, reasons, strict=True):
        if not point.found:
            first.setdefault(reason, point)
    times = Counter(reasons)
    return [
        f"{_SKIPPED if reason == _SKIPPED else point.ending} at {said(found.axes, point.values)}"
        + (f", and at {times[reason] - 1} more" if times[reason] > 1 else "")
        + f": {point.why}."
        for reason, point in first.items()
    ]


#: How sweeps over tables are told.
TABLES: Final = Kind(figures=figures, rows=rows, text=text, chart=chart, published=published)
