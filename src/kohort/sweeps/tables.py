"""A sweep over a table: what each of many jobs would release, in figures; nothing is released.

The table is read and encoded once, and counted once for all jobs with the same columns; then each job is solved and its
classes are weighed. No record is recoded, nothing is written, and so nothing is verified: every figure is what
`kohort.anonymize` would tell of the same job.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.engines.local import entering
from kohort.errors import InfeasibleError, LimitError
from kohort.metrics.known import measured
from kohort.metrics.loss import attribute_losses
from kohort.pipeline.bound import bound_of, bounded_alike
from kohort.pipeline.pricing import answer, count, counted_alike
from kohort.pipeline.problem import refuse_unknown
from kohort.report.figures import bound_figures
from kohort.report.page.audience import Audience
from kohort.shown import Shown, many, span
from kohort.sweeps.advice import LOSS, proposed
from kohort.sweeps.engine import Ending, Once, Results, run_points, status_of
from kohort.sweeps.table_plan import Axis, TablePlan, taken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from fractions import Fraction

    from kohort.algorithms.mondrian.bound import LeastLoss
    from kohort.engines.base import Counts
    from kohort.pipeline.pricing import PointAnswer
    from kohort.release import Job
    from kohort.report.figures import BoundFigures
    from kohort.shown import Rows
    from kohort.sweeps.table_figures import Json
    from kohort.tables.table import Table

__all__ = ["Axis", "Ending", "Point", "Seconds", "TablePlan", "TableSweep", "sweep"]


#: Points that a notebook shows.
MOST_SHOWN: Final = 20


class Seconds(NamedTuple):
    """What a point took; what is done once for several points, such as counting, is in none."""

    cpu: float
    wall: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What one job would release. If it ended without a release, only `ending` and `why` are known.

    Attributes:
        values: A value of each axis, as given.
        ending: How the job ended.
        why: The reason if there is no release; empty otherwise.
        metrics: Cost by metric, see `kohort.metrics`: `lm`, `ncp`, `c_dm`, `c_avg` …; lattice methods have more.
        losses: Loss of each quasi-identifier, 0..1.
        released: Records that would be released.
        suppressed: Records that would be suppressed.
        classes: Number of equivalence classes.
        smallest: Records of the smallest class.
        largest: Records of the largest class.
        highest: The greatest prosecutor's risk: one over the people of the smallest class.
        average: The mean prosecutor's risk.
        node: The level of each quasi-identifier; empty for methods without levels.
        seconds: The run time, if requested.
        least: A lower bound on the loss of any release with this k and these labels, if requested.
    """

    values: tuple[str, ...]
    ending: Ending = Ending.FOUND
    why: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict[str, float])
    losses: Mapping[str, float] = field(default_factory=dict[str, float])
    released: int = 0
    suppressed: int = 0
    classes: int = 0
    smallest: int = 0
    largest: int = 0
    highest: float = 0.0
    average: float = 0.0
    node: Mapping[str, int] = field(default_factory=dict[str, int])
    seconds: Seconds | None = None
    least: LeastLoss | None = None

    @property
    def found(self) -> bool:
        """Whether there is an answer."""
        return self.ending is Ending.FOUND

    @property
    def bound(self) -> BoundFigures | None:
        """What no release with its k and labels loses less than, and how near it is; `None` where that is not known."""
        return None if self.least is None else bound_figures(self.least, self.metrics[LOSS])

    @property
    def told(self) -> str:
        """What it would cost, in a line; or why it cannot be."""
        if not self.found:
            return f"{self.ending}: {self.why}"
        cost = f"LM {self.metrics['lm']:.4f}, " if "lm" in self.metrics else ""
        classes = f"{many(self.classes, 'class')} of {span(self.smallest, self.largest)}"
        near = f", {self.bound.said}" if self.bound is not None else ""
        return f"{cost}{classes}, {self.suppressed:,} suppressed{near}"


@dataclass(frozen=True, slots=True, repr=False)
class TableSweep(Shown):
    """What each job of a sweep would release.

    Attributes:
        axes: The varied parameters; at least one, and no name twice.
        records: Number of records of the table; of complete ones, if the first job requires these.
        fixed: The parameters that do not vary, by name, as given: `quasi`, `k`, `method`, `max-suppression`, `models`
            (except k), without those that do not apply.
        points: Every combination of values; those of the last axis change fastest.
        within: The greatest loss (NCP) of a proposed point; `None` if none is to be proposed.
        audience: Who may read it: anybody only when it is rounded, see `kohort.sweeps.published`.
    """

    axes: tuple[Axis, ...]
    records: int
    fixed: Mapping[str, str]
    points: tuple[Point, ...]
    within: Fraction | None = None
    audience: Audience = Audience.INTERNAL

    @property
    def status(self) -> int:
        """The exit status: 0 where some job has an answer, and a point is within the loss if one was to be proposed."""
        advised = self.within is None or proposed(self, self.within) is not None
        return status_of({point.ending for point in self.points}, advised=advised)

    @property
    def rows(self) -> list[dict[str, Json]]:
        """A flat row of figures for each point, all with the same names: `polars.DataFrame(found.rows)` takes them."""
        from kohort.sweeps.table_figures import rows  # noqa: PLC0415  it is made of points

        return rows(self)

    def _shown(self) -> tuple[str, Rows]:
        fixed = ", ".join(f"{name} = {value}" for name, value in self.fixed.items())
        rows = [("Records", f"{self.records:,}"), ("Fixed", fixed)]
        rows += [(said(self.axes, point.values), point.told) for point in self.points[:MOST_SHOWN]]
        more = len(self.points) - MOST_SHOWN
        return "Sweep", rows + ([("…", f"{more:,} more points")] if more > 0 else [])

    def value(self, point: Point, name: str) -> str:
        """The value of the axis called `name` at a point."""
        return point.values[[axis.name for axis in self.axes].index(name)]


def sweep(
    table: Table,
    plan: TablePlan,
    *,
    population: Table | None = None,
    threads: int = 1,
    tell: Callable[[str], None] = lambda _: None,
    timed: bool = False,
    bounded: bool = False,
    metrics: Sequence[str] = (),
    known: Results[Point] | None = None,
) -> TableSweep:
    """Say what every job would release; each is solved by one thread, several at once.

    Args:
        table: The records.
        plan: What is asked.
        population: The population table, where a model needs one.
        threads: How many jobs may be solved at once; the figures are the same for any number.
        tell: Called with each point, in their order, as it is waited for.
        timed: Whether to tell the seconds of each point; without them equal sweeps are equal.
        bounded: Whether to bound the loss of each point from below; points with the same k and labels share a bound.
        metrics: Which are measured besides those that every release has: see `kohort.metrics.measured`.
        known: Points that were found before: they are not solved again, and those that are found are added.

    Raises:
        UsageError: a job's schema does not go with the table.
        InputError: values have no place in their domain.
        InfeasibleError: the table has no records. A single job without a release is told, not raised.

    >>> import polars as pl
    >>> from kohort import Job, KAnonymity, Schema
    >>> from kohort.io import read
    >>> people = read(pl.DataFrame({"age": [30, 31, 40, 41]}))
    >>> schema = Schema.of(quasi=["age"])
    >>> plan = TablePlan.of({"k": ["2", "9"]}, lambda at: Job.of(schema, KAnonymity(int(at["k"]))))
    >>> [(point.values, str(point.ending), point.classes, point.highest) for point in sweep(people, plan).points]
    [(('2',), 'found', 2, 0.5), (('9',), 'infeasible', 0, 0.0)]
    """
    if not table.records:
        raise InfeasibleError("there are 0 records", hint="use a table with records")
    described = [job.described() for job in plan.jobs]
    jobs = {key: _over(job, table) for key, job in zip(described, plan.jobs, strict=True)}
    records = entering(table, plan.jobs[0])[0].records
    counts: dict[str, Once[Counts]] = {}
    bounds: dict[str, Once[LeastLoss]] = {}
    runs: dict[str, Callable[[], Point]] = {}
    for key, job in jobs.items():
        counted = counts.setdefault(counted_alike(job), Once(partial(count, table, job, population)))
        bound = bounds.setdefault(bounded_alike(job), Once(partial(_least, counted, job))) if bounded else None
        runs[key] = partial(_solve, counted, job, timed=timed, metrics=metrics, bound=bound)
    counts.clear()  # each goes when the last job that needs it is done
    bounds.clear()

    def tell_place(place: int) -> None:
        tell(f"{place + 1} of {len(described)}: {said(plan.axes, plan.points[place])}")

    results: Results[Point] = dict[str, Point]() if known is None else known
    found = run_points(described, runs, results, threads=threads, tell=tell_place)
    points = {values: replace(point, values=values) for values, point in zip(plan.points, found, strict=True)}
    points |= {one.values: Point(values=one.values, ending=Ending.IMPOSSIBLE, why=one.why) for one in plan.impossible}
    order = product(*(axis.values for axis in plan.axes))
    return TableSweep(plan.axes, records, plan.fixed, tuple(points[values] for values in order))


def _over(job: Job, table: Table) -> Job:
    """The job with a schema over the table's columns."""
    job = replace(job, schema=job.schema.over(table.names))
    refuse_unknown(job)
    return job


def said(axes: Sequence[Axis], values: Sequence[str]) -> str:
    """What is varied and its method takes, with the values of a point: `k = 5, method = samarati`."""
    pairs = zip(axes, taken(axes, values), strict=True)
    return ", ".join(f"{axis.name} = {value}" for axis, value in pairs if value)


def _least(counts: Once[Counts], job: Job) -> LeastLoss:
    """The bound of the job's release."""
    return bound_of(counts(), job)


def _solve(
    counts: Once[Counts], job: Job, *, timed: bool, metrics: Sequence[str], bound: Once[LeastLoss] | None
) -> Point:
    """What the job would release, from counts, and with a bound, that it shares with others."""
    try:
        counted = counts()
        cpu, wall = time.thread_time(), time.perf_counter()
        point = _point(answer(counted, job), job, metrics)
        seconds = Seconds(time.thread_time() - cpu, time.perf_counter() - wall)
    except (InfeasibleError, LimitError) as fault:
        return Point(values=(), ending=Ending.of(fault), why=fault.what)
    return replace(point, seconds=seconds if timed else None, least=None if bound is None else bound())


def _point(found: PointAnswer, job: Job, metrics: Sequence[str]) -> Point:
    """The figures of an answer."""
    outcome, names = found.outcome, [one.name for one in job.schema.quasi]
    sizes = outcome.sizes
    return Point(
        values=(),
        metrics=measured(outcome, *metrics),
        losses=dict(zip(names, attribute_losses(outcome).tolist(), strict=True)),
        released=outcome.records - outcome.suppressed,
        suppressed=outcome.suppressed,
        classes=sizes.size,
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        highest=found.exposure.highest,
        average=found.exposure.average,
        node=dict(zip(names, found.node, strict=False)),
    )
