"""How a sweep over a table is told: the most telling figures as text, and rounded for anybody.

All figures of a sweep are of the input: nothing is released that would show them. So anybody may read only figures that
no single record can change: each is rounded to two significant digits, and to a step that as many records are worth as
a class has at least. Two sweeps, with a person and without, then differ by nothing or by what several people are worth.
No class is shown smaller than the k of its point, which the sweep names, and no average risk above the highest one.
What has no such step, such as a bound or a reason, is left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import ceil, floor
from typing import TYPE_CHECKING, Final

from kohort.errors.display import many
from kohort.job.sweeps.frame import WITHHELD, Ending, Kind
from kohort.job.sweeps.picture import chart
from kohort.job.sweeps.table_plan import said, taken
from kohort.job.sweeps.tables import LOSS, figures, rows
from kohort.metrics.known import METRICS
from kohort.report.page.audience import FEWEST, Audience, coarse
from kohort.report.render.text import aligned

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from kohort.job.sweeps.tables import Point, TableSweep

#: The metrics that people see first; all others are in the files.
SHOWN: Final = ("lm", "c_avg", "c_dm", "precision")

#: What a sweep over a table is not.
NOTHING: Final = "A sweep releases and verifies nothing. To release one of its points, use kohort anonymize."

#: How an impossible point is told.
_SKIPPED: Final = "skipped as impossible"

_COUNTS: Final = ("classes", "smallest", "largest", "suppressed")


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
    lines = aligned([head, *cells])
    return "\n".join([f"{many(found.records, 'record')}{fixed}", "", *lines, "", *told])


def _cells(point: Point, metrics: list[str], *, noded: bool) -> list[str]:
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
    looked = {point.bound.records: point.bound.error for point in released if point.bound is not None}
    sampled = f"; estimated from {many(max(looked), 'record')}" if any(looked.values()) else ""
    said = f"least ncp: no release with the same k and labels has a lower NCP{sampled}. times: NCP over that."
    return [said] if looked else []


def _nodes(found: TableSweep) -> list[str]:
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
        return [f"Proposed: {at}, the strictest within {limit}, with a loss of {loses}."]
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


def published(found: TableSweep) -> TableSweep:
    """A sweep over a table for anybody; no point is proposed, for that took exact figures."""
    points = tuple(_point(one, found.records, found.value(one, "k")) for one in found.points)
    return replace(found, points=points, within=None, audience=Audience.PUBLIC)


def _point(one: Point, records: int, k: str) -> Point:
    if not one.found:
        return one if one.ending is Ending.IMPOSSIBLE else replace(one, why=WITHHELD)
    promised = int(k) if k.isdigit() else 1
    least = max(FEWEST, promised)
    counts = one.suppressed, one.smallest, round(1 / one.highest)
    suppressed, *sizes = (int(coarse(count, least, to=floor)) for count in counts)
    smallest, people = (max(promised, size) for size in sizes)
    released, largest = records - suppressed, max(int(coarse(one.largest, least)), smallest)
    worth = {name: _worth(name, one, records) for name in one.metrics}
    return replace(
        one,
        metrics={name: coarse(one.metrics[name], least * each) for name, each in worth.items() if each is not None},
        losses={name: coarse(loss, least / records) for name, loss in one.losses.items()},
        released=released,
        suppressed=suppressed,
        classes=max(min(max(int(coarse(one.classes, least)), ceil(released / largest)), released // smallest), 1),
        smallest=smallest,
        largest=largest,
        highest=1 / people,
        average=min(coarse(one.average, least / max(one.released, 1), to=ceil), 1 / people),
        least=None,
    )


def _worth(name: str, one: Point, records: int) -> float | None:
    """What a record is worth to a metric, at most or nearly; `None` where that is not known."""
    metric = METRICS[name]
    if metric.disclosure.worth is not None:
        return metric.disclosure.worth(records, len(one.losses))
    counted = {"height": 0.0, "c_avg": one.metrics[name] / max(one.classes, 1), "c_dm": 2.0 * one.largest}
    return counted.get(name)


#: How sweeps over tables are told.
TABLES: Final = Kind(figures=figures, rows=rows, text=text, chart=chart, published=published)
