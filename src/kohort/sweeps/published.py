"""A sweep as its files show it: figures so coarse that nobody's record follows from two of them.

All figures of a sweep are of the input: nothing is released that would show them. So no figure is left exact that a
single record can change: each is rounded to two significant digits, and to a step that as many records are worth as a
class has at least. Two sweeps, over the table with a person and without, then differ in a figure by nothing or by what
several people are worth. What has no such step, such as a bound or a reason, is left out.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Final

from kohort.metrics.known import METRICS
from kohort.report.page.audience import FEWEST, Audience, coarse
from kohort.sweeps.frame import Ending

if TYPE_CHECKING:
    from kohort.sweeps.tables import Point, TableSweep
    from kohort.sweeps.transactions import Outcome, TransactionSweep

#: Why there is no release, where the reason counts records.
WITHHELD: Final = "what stood in the way is told on the terminal alone"


def published(found: TableSweep) -> TableSweep:
    """A sweep over a table for anybody; no point is proposed, for that took exact figures."""
    names = [axis.name for axis in found.axes]
    ks = [({**found.fixed} | dict(zip(names, one.values, strict=True))).get("k", "") for one in found.points]
    points = tuple(_point(one, found.records, k) for one, k in zip(found.points, ks, strict=True))
    return replace(found, points=points, within=None, audience=Audience.PUBLIC)


def _point(one: Point, records: int, k: str) -> Point:
    """A point of a job with this k."""
    if not one.found:
        return one if one.ending is Ending.IMPOSSIBLE else replace(one, why=WITHHELD)
    least = max(FEWEST, int(k) if k.isdigit() else 0)
    suppressed, smallest = (int(coarse(count, least, to=floor)) for count in (one.suppressed, one.smallest))
    worth = {name: _worth(name, one, records) for name in one.metrics}
    return replace(
        one,
        metrics={name: coarse(one.metrics[name], least * each) for name, each in worth.items() if each is not None},
        losses={name: coarse(loss, least / records) for name, loss in one.losses.items()},
        released=records - suppressed,
        suppressed=suppressed,
        classes=max(int(coarse(one.classes, least)), 1),
        smallest=smallest,
        largest=int(coarse(one.largest, least)),
        highest=coarse(1 / smallest, to=ceil) if smallest else 1.0,
        average=min(coarse(one.average, least / max(one.released, 1), to=ceil), 1.0),
        least=None,
    )


def _worth(name: str, one: Point, records: int) -> float | None:
    """What a record is worth to a metric, at most or nearly; `None` where that is not known."""
    metric = METRICS[name]
    if metric.disclosure.worth is not None:
        return metric.disclosure.worth(records, len(one.losses))
    counted = {"height": 0.0, "c_avg": one.metrics[name] / max(one.classes, 1), "c_dm": 2.0 * one.largest}
    return counted.get(name)


def published_transactions(found: TransactionSweep) -> TransactionSweep:
    """The same over transactions; generated ones are nobody's, and stay exact."""
    if found.plan.matrix is not None:
        return replace(found, audience=Audience.PUBLIC)
    points = tuple(_outcome(one, found) for one in found.points)
    return replace(found, items=None, removed=None, points=points, within=None, audience=Audience.PUBLIC)


def _outcome(one: Outcome, found: TransactionSweep) -> Outcome:
    """What a method answered."""
    if one.distortion is None:
        return replace(one, why=WITHHELD)
    k = int(one.values[0]) if found.plan.vary == "k" else found.plan.job.coherence.k
    share = coarse(float(one.distortion), max(FEWEST, k) / found.records)
    return replace(one, moles=(), dropped=None, distortion=Fraction(str(share)))
