"""A sweep over a table in figures: every point as CSV and JSON, the most telling figures as text."""

from __future__ import annotations

import csv
import json
from collections import Counter
from io import StringIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from kohort.errors import UsageError
from kohort.metrics.known import METRICS
from kohort.shown import many
from kohort.sweeps.advice import LOSS, proposed
from kohort.sweeps.engine import Ending
from kohort.sweeps.table_plan import taken
from kohort.sweeps.tables import said

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kohort.sweeps.tables import Point, TableSweep

#: What JSON can say.
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

#: The metrics that people see first; all others are in the files.
SHOWN: Final = ("lm", "c_avg", "c_dm", "precision")

#: What a sweep over a table is not.
NOTHING: Final = "A sweep releases and verifies nothing. To release one of its points, use kohort anonymize."

#: How an impossible point is told.
_SKIPPED: Final = "skipped as impossible"

_NEAR: Final = ("ncp", "least ncp", "times")
_COUNTS: Final = ("classes", "smallest", "largest", "suppressed")


def writer(path: Path) -> Callable[[TableSweep], bytes]:
    """What writes a sweep in the form that the name of its file asks for."""
    if path.suffix not in _FORMS:
        raise UsageError(f"a sweep is written as {' or '.join(_FORMS)}", where="out", hint="name the file so")
    form = _FORMS[path.suffix]
    return lambda sweep: form(sweep).encode()


def figures(sweep: TableSweep) -> dict[str, Json]:
    """Everything that is known of a sweep, as JSON takes it.

    Keys: vary (the values of everything that is varied), fixed, records, points. Of a point: values (by what is
    varied), ending (found, infeasible, limit or impossible: skipped), why (null where there is an answer); and null
    where there is none: metrics, losses (by quasi-identifier), released, suppressed, classes, smallest, largest,
    highest_risk and average_risk (the prosecutor's), node (by quasi-identifier; null: not a method on levels);
    cpu_seconds and wall_seconds, and bound (ncp, error, records, exact, times: see `BoundFigures`), where they were
    asked for. With a limit on the loss also at_most_loss, and proposed:
    values and loss of the strictest point within it (null: there is none).
    """
    return {
        "vary": {axis.name: [*axis.values] for axis in sweep.axes},
        "fixed": {**sweep.fixed},
        "records": sweep.records,
        "points": [_figures(sweep, point) for point in sweep.points],
        **_advice(sweep),
    }


def _advice(sweep: TableSweep) -> dict[str, Json]:
    """The proposed point, where one was asked for."""
    if sweep.within is None:
        return {}
    found = proposed(sweep, sweep.within)
    names = [axis.name for axis in sweep.axes]
    told: Json = found and {"values": dict(zip(names, found.point.values, strict=True)), "loss": found.loss}
    return {"at_most_loss": float(sweep.within), "proposed": told}


def _figures(sweep: TableSweep, point: Point) -> dict[str, Json]:
    """One point."""
    told: dict[str, Json] = {
        "metrics": {name: _figure(value) for name, value in point.metrics.items()},
        "losses": {**point.losses},
        "released": point.released,
        "suppressed": point.suppressed,
        "classes": point.classes,
        "smallest": point.smallest,
        "largest": point.largest,
        "highest_risk": point.highest,
        "average_risk": point.average,
        "node": {**point.node} or None,
    }
    seconds = point.seconds
    return {
        "values": dict(zip((axis.name for axis in sweep.axes), point.values, strict=True)),
        "ending": str(point.ending),
        "why": point.why or None,
        **(told if point.found else dict.fromkeys(told)),
        **({} if point.bound is None else {"bound": point.bound.as_json()}),
        **({} if seconds is None else {"cpu_seconds": round(seconds.cpu, 4), "wall_seconds": round(seconds.wall, 4)}),
    }


def json_text(sweep: TableSweep) -> str:
    """All figures as one object."""
    return json.dumps({"audience": sweep.audience, **figures(sweep)}, indent=2) + "\n"


def csv_text(sweep: TableSweep) -> str:
    """A line for each point; one without an answer has no figures, and says why."""
    found = [{"audience": sweep.audience, **row} for row in rows(sweep)]
    file = StringIO()
    table = csv.DictWriter(file, [*found[0]], lineterminator="\n")
    table.writeheader()
    table.writerows(found)
    return file.getvalue()


def rows(sweep: TableSweep) -> list[dict[str, Json]]:
    """A flat row for each point, all of the same names: what is varied, how it ended, metrics, counts, and why."""
    flat = [_flat(_figures(sweep, point)) for point in sweep.points]
    axes = [axis.name for axis in sweep.axes]
    held = dict.fromkeys(name for row in flat for name in row)
    metrics = [name for name in METRICS if name in held]
    others = [name for name in held if name not in {*axes, *metrics, "ending", "why"}]
    names = [*axes, "ending", *metrics, *others, "why"]
    return [{name: row.get(name) for name in names} for row in flat]


def _flat(figures: Mapping[str, Json]) -> dict[str, Json]:
    """The figures of a point without tables in tables: `loss:age`, `level:age`."""
    row: dict[str, Json] = {}
    for name, held in figures.items():
        if not isinstance(held, dict):
            row |= {name: held} if name not in _PREFIXES else {}
            continue
        row |= {f"{_PREFIXES[name]}{key}": value for key, value in held.items()}
    return row


def text(sweep: TableSweep) -> str:
    """The sweep for people: a line for each point, and why some have no answer."""
    found = [point for point in sweep.points if point.found]
    metrics = [name for name in SHOWN if any(name in point.metrics for point in found)]
    nodes = ["node"] if any(point.node for point in found) else []
    near = [*_NEAR] if any(point.bound for point in found) else []
    timed = ["cpu s", "wall s"] if any(point.seconds for point in found) else []
    risks = ["highest risk", "average risk"]
    head = [*(axis.name for axis in sweep.axes), *metrics, *_COUNTS, *risks, *near, *nodes, *timed]
    rows = [head, *([*said, *_cells(point, metrics, noded=bool(nodes))] for said, point in _rows(sweep).items())]
    width = max(map(len, rows))
    padded = [row + [""] * (width - len(row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*padded, strict=True)]
    lines = ["  ".join(cell.rjust(wide) for cell, wide in zip(row, widths, strict=True)).rstrip() for row in padded]
    fixed = "".join(f"; {name} = {value}" for name, value in sweep.fixed.items())
    told = [*_bounds(found), *_nodes(sweep), *_reasons(sweep), *_proposal(sweep), NOTHING]
    return "\n".join([f"{many(sweep.records, 'record')}{fixed}", "", *lines, "", *told])


def _rows(sweep: TableSweep) -> dict[tuple[str, ...], Point]:
    """The points by their values; where a method does not take one, a dash, and one row for all of its values."""
    kept = dict[tuple[str, ...], "Point"]()
    for point in sweep.points:
        kept.setdefault(tuple(value or "-" for value in taken(sweep.axes, point.values)), point)
    return kept


def _bounds(found: Sequence[Point]) -> list[str]:
    """What the figures of bounds mean, where there are some."""
    looked = {point.bound.records: point.bound.error for point in found if point.bound is not None}
    if not looked:
        return []
    sampled = f"; estimated from {many(max(looked), 'record')}" if any(looked.values()) else ""
    return [f"least ncp: no release with the same k and labels has a lower NCP{sampled}. times: NCP over that."]


def _nodes(sweep: TableSweep) -> list[str]:
    """Whose levels a node lists, where methods have some."""
    node = max((point.node for point in sweep.points), key=len)
    flag = ",".join(f"{name}={level}" for name, level in node.items())
    return [f"A node is the levels of {', '.join(node)}; release one by --node {flag}"] if node else []


def _proposal(sweep: TableSweep) -> list[str]:
    """The strictest point within the loss, where one was asked for; or how far off the nearest is."""
    if sweep.within is None:
        return []
    limit = f"a loss of {_share(float(sweep.within))}"
    found = proposed(sweep, sweep.within)
    if found is not None:
        at = said(sweep.axes, found.point.values)
        return [f"Proposed: {at}, the strictest within {limit}: it loses {_share(found.loss)} of the detail (NCP)."]
    least = min((point for point in sweep.points if point.found), key=lambda point: point.metrics[LOSS], default=None)
    if least is None:
        return []
    nearest = f"{said(sweep.axes, least.values)} loses least, {_share(least.metrics[LOSS])} of the detail (NCP)"
    return [f"Nothing proposed: no point is within {limit}; {nearest}."]


def _share(value: float) -> str:
    """A share as people read it.

    >>> _share(0.1), _share(0.20366)
    ('10 %', '20.4 %')
    """
    return f"{100 * value:.3g} %"


def _reasons(sweep: TableSweep) -> list[str]:
    """What stood in the way, a sentence for each reason: where first, and how often; all impossible points in one."""
    first: dict[str, Point] = {}
    reasons = [_SKIPPED if point.ending is Ending.IMPOSSIBLE else point.why for point in sweep.points]
    for point, reason in zip(sweep.points, reasons, strict=True):
        if not point.found:
            first.setdefault(reason, point)
    times = Counter(reasons)
    return [
        f"{_SKIPPED if reason == _SKIPPED else point.ending} at {said(sweep.axes, point.values)}"
        + (f", and at {times[reason] - 1} more" if times[reason] > 1 else "")
        + f": {point.why}."
        for reason, point in first.items()
    ]


def _cells(point: Point, metrics: list[str], *, noded: bool) -> list[str]:
    """The figures of a point as people read them."""
    if not point.found:
        return [str(point.ending)]
    told = [_written(point.metrics[name]) if name in point.metrics else "" for name in metrics]
    counts = [f"{count:,}" for count in (point.classes, point.smallest, point.largest, point.suppressed)]
    seconds = [] if point.seconds is None else [f"{one:.3f}" for one in point.seconds]
    node = [",".join(map(str, point.node.values()))] if noded else []
    return [*told, *counts, f"{point.highest:.2%}", f"{point.average:.2%}", *_near(point), *node, *seconds]


def _near(point: Point) -> list[str]:
    """How near a point is to the least possible loss, where that is known."""
    bound = point.bound
    return (
        []
        if bound is None
        else [f"{point.metrics[LOSS]:.4f}", f"{bound.ncp:.4f}", "-" if bound.times is None else f"{bound.times:.1f}"]
    )


def _written(value: float) -> str:
    """A metric as people read it."""
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.6g}"


def _figure(value: float) -> int | float:
    """A metric; a whole one as an integer."""
    return int(value) if value.is_integer() else value


_FORMS: Final = MappingProxyType({".csv": csv_text, ".json": json_text})

_PREFIXES: Final = MappingProxyType(
    {"values": "", "metrics": "", "losses": "loss:", "node": "level:", "bound": "bound:"}
)
