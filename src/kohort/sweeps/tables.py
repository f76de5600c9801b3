"""A sweep over a table: what each of many jobs would release, in figures; nothing is released.

The table is read and encoded once, and counted once for all jobs with the same columns; then each job is solved and its
classes are weighed. No record is recoded, nothing is written, and so nothing is verified: every figure is what
`kohort.anonymize` would tell of the same job.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.algorithms.method import CUT, LIMIT, METHODS
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.engines.local import entering
from kohort.errors import InfeasibleError, JobError, SchemaError, UsageError
from kohort.metrics.known import measured
from kohort.metrics.loss import attribute_losses
from kohort.models.base import models
from kohort.models.k_anonymity import KEY, k_of
from kohort.pipeline.pricing import answer, bound_of, bounded_alike, count, counted_alike
from kohort.pipeline.problem import refuse_unknown
from kohort.report.figures import bound_figures
from kohort.shown import Shown, many, span
from kohort.sweeps.frame import Answer, Axis, Candidate, Ending, Sweep, once, run_points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.algorithms.mondrian.bound import LeastLoss
    from kohort.engines.base import Counts
    from kohort.release import Job
    from kohort.report.figures import BoundFigures
    from kohort.shown import Rows
    from kohort.sweeps.frame import Json, Values
    from kohort.tables.table import Table

#: How Mondrian cuts if nothing else is asked for.
USUAL: Final = "loss"

#: More points than anybody looks at, and the points that a notebook shows.
MOST: Final = 10_000
MOST_SHOWN: Final = 20

#: The loss of a table that a bound, and a limit, is about: a share of the detail, whatever the quasi-identifiers are.
LOSS: Final = "ncp"


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Everything that decides a sweep but the records.

    Attributes:
        axes: What is varied; at least one, and no name twice.
        jobs: The job of every possible combination of values; those of the last axis change fastest. Equal jobs are
            answered once.
        impossible: The combinations that are skipped, such as an l above k, and why.

    Raises:
        UsageError: nothing is varied, or too much, or two values of an axis ask for the same everywhere.

    >>> from kohort import Job, KAnonymity, Schema
    >>> schema = Schema.of(quasi=["age", "city"])
    >>> plan = TablePlan.of({"k": ["2", "5"]}, lambda at: Job.of(schema, KAnonymity(int(at["k"]))))
    >>> plan.fixed["method"], [job.k for job in plan.jobs.values()]
    ('mondrian', [2, 5])
    """

    axes: tuple[Axis, ...]
    jobs: Mapping[Values, Job]
    impossible: Mapping[Values, str] = field(default_factory=dict["Values", str])

    @classmethod
    def of(cls, vary: Mapping[str, Sequence[str]], job: Callable[[Mapping[str, str]], Job]) -> TablePlan:
        """The sweep over these values, as they are said; `job` makes the job of one value of each.

        Combinations whose job raises nothing but `SchemaError` are skipped, unless all do.

        Raises:
            UsageError: nothing is varied, or too much, or two values of an axis ask for the same everywhere; or what
                `job` raises.
        """
        axes = tuple(Axis(name, tuple(values)) for name, values in vary.items())
        points = prod(len(axis.values) for axis in axes)
        if points > MOST:
            raise UsageError(f"these are {points:,} points", where="vary", hint=f"ask for {MOST:,} at most")
        jobs: dict[Values, Job] = {}
        impossible: dict[Values, str] = {}
        faults: list[UsageError] = []
        for values in product(*(axis.values for axis in axes)):
            try:
                jobs[values] = job(dict(zip(vary, values, strict=True)))
            except UsageError as fault:
                faults.append(fault)
                impossible[values] = _misfit(fault)
        if faults and not jobs:
            raise faults[0]
        return cls(axes, jobs, impossible)

    def __post_init__(self) -> None:
        """Refuse a sweep that compares nothing, or the same twice."""
        names = [axis.name for axis in self.axes]
        if not names or len(set(names)) < len(names):
            raise UsageError("at least one parameter must be varied, and none twice", where="vary")
        asked = {values: job.described() for values, job in self.jobs.items()}
        for place, axis in enumerate(self.axes):
            rows = {value: list[str]() for value in axis.values}
            for values, text in asked.items():
                rows[values[place]].append(text)
            first = dict[tuple[str, ...], str]()
            for value, row in rows.items():
                one = first.setdefault(tuple(row), value)
                if row and one != value:
                    raise UsageError(f"{axis.name}: {one} and {value} mean the same", where="vary", hint="drop one")

    @property
    def fixed(self) -> dict[str, str]:
        """What all jobs share that it concerns, by name: quasi, k, method, max-suppression, models (but k)."""
        jobs = [*self.jobs.values()]
        said = [_said(job) for job in jobs]
        every = {name: text for one in said for name, text in one.items()}
        shared = {name: text for name, text in every.items() if all(one.get(name, text) == text for one in said)}
        if shared.get(CUT.name) == USUAL:
            del shared[CUT.name]
        common = [model for model in jobs[0].models if all(model in job.models for job in jobs)]
        others = ", ".join(model.name for model in common if model.specification.key != KEY)
        return shared | ({"models": others} if others else {})


def taken(axes: Sequence[Axis], values: Sequence[str]) -> tuple[str, ...]:
    """The values of a point, "" where something is varied that is a parameter of other methods than its own.

    >>> axes = (Axis("k", ("5",)), Axis("method", ("mondrian", "ordered")), Axis("cut", ("nearest", "loss")))
    >>> taken(axes, ("5", "ordered", "loss")), taken(axes, ("5", "mondrian", "loss"))
    (('5', 'ordered', ''), ('5', 'mondrian', 'loss'))
    """
    named = {axis.name: value for axis, value in zip(axes, values, strict=True)}
    method = METHODS.get(named.get("method", ""))

    def concerns(name: str) -> bool:
        parameter = LIMIT.name if name == "max-suppression" else name
        takes = [other.takes(parameter) for other in (method, *METHODS.values()) if other is not None]
        return method is None or takes[0] or not any(takes)

    return tuple(value if concerns(name) else "" for name, value in named.items())


def _misfit(fault: UsageError) -> str:
    """What does not go together; any other fault is raised."""
    every = fault.exceptions if isinstance(fault, JobError) else (fault,)
    faults = [one for one in every if isinstance(one, SchemaError)]
    if len(faults) < len(every):
        raise fault
    return "; ".join(dict.fromkeys(one.what for one in faults))


def _said(job: Job) -> dict[str, str]:
    """What is told of a job where it is fixed."""
    said = {"quasi": ", ".join(one.name for one in job.schema.quasi)}
    if (k := k_of(job.models)) is not None:
        said[KEY] = str(k)
    said["method"] = job.algorithm.name
    if isinstance(job.algorithm, Mondrian):
        said[CUT.name] = job.algorithm.cut
    return said | ({} if job.algorithm.limit is None else {"max-suppression": str(job.algorithm.limit)})


def rising(name: str) -> bool | None:
    """Whether a greater value of what is varied is stricter; `None` where neither is, as of methods.

    >>> rising("k"), rising("t:salary"), rising("recursive-l:illness"), rising("method")
    (True, False, True, None)
    """
    asked = name.partition(":")[0]
    for key, kind in models().items():
        own = kind.specification.own
        for one in own:
            if asked == (key if len(own) == 1 else f"{key}-{one.name}"):
                return one.rising
    return None


class Seconds(NamedTuple):
    """What a point took; what is done once for several points, such as counting, is in none."""

    cpu: float
    wall: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Point(Answer):
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
class TableSweep(Sweep[Point], Shown):
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

    @property
    def rows(self) -> list[dict[str, Json]]:
        """A flat row of figures for each point, all with the same names: `polars.DataFrame(found.rows)` takes them."""
        from kohort.sweeps.table_figures import TABLES  # noqa: PLC0415  it is made of points

        return TABLES.rows(self)

    def candidates(self) -> Iterator[Candidate]:
        """Every release: a point is as strict as its values are where their axes have an order."""
        orders = [(place, up) for place, axis in enumerate(self.axes) if (up := rising(axis.name)) is not None]
        for one in self.points:
            if one.found:
                strict = tuple(Fraction(one.values[place]) * (1 if up else -1) for place, up in orders)
                yield Candidate(strict, one.metrics[LOSS], one.values)

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
    known: dict[str, Point] | None = None,
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
    described = {values: job.described() for values, job in plan.jobs.items()}
    records = entering(table, next(iter(plan.jobs.values())))[0].records
    counts: dict[str, Callable[[], Counts]] = {}
    bounds: dict[str, Callable[[], LeastLoss]] = {}
    runs: dict[str, Callable[[], Point]] = {}
    for key, asked in dict(zip(described.values(), plan.jobs.values(), strict=True)).items():
        job = replace(asked, schema=asked.schema.over(table.names))
        refuse_unknown(job)
        counted = counts.setdefault(counted_alike(job), once(partial(count, table, job, population)))
        bound = bounds.setdefault(bounded_alike(job), once(partial(_least, counted, job))) if bounded else None
        runs[key] = partial(_solve, counted, job, timed=timed, metrics=metrics, bound=bound)
    counts.clear()  # each goes when the last job that needs it is done
    bounds.clear()

    def tell_place(place: int, values: Values) -> None:
        tell(f"{place + 1} of {len(described)}: {said(plan.axes, values)}")

    points = run_points(Point, described, runs, {} if known is None else known, threads=threads, tell=tell_place)
    points |= {one: Point(values=one, ending=Ending.IMPOSSIBLE, why=why) for one, why in plan.impossible.items()}
    order = product(*(axis.values for axis in plan.axes))
    return TableSweep(plan.axes, records, plan.fixed, tuple(points[values] for values in order))


def said(axes: Sequence[Axis], values: Sequence[str], form: Callable[[str, str], str] = "{} = {}".format) -> str:
    """What is varied and its method takes, with the values of a point: `k = 5, method = samarati`."""
    return ", ".join(form(axis.name, value) for axis, value in zip(axes, taken(axes, values), strict=True) if value)


def _least(counts: Callable[[], Counts], job: Job) -> LeastLoss:
    """The bound of the job's release."""
    return bound_of(counts(), job)


def _solve(
    counts: Callable[[], Counts],
    job: Job,
    *,
    timed: bool,
    metrics: Sequence[str],
    bound: Callable[[], LeastLoss] | None,
) -> Point:
    """What the job would release, from counts, and with a bound, that it shares with others."""
    counted, names = counts(), [one.name for one in job.schema.quasi]
    cpu, wall = time.thread_time(), time.perf_counter()
    found = answer(counted, job)
    outcome, sizes = found.outcome, found.outcome.sizes
    point = Point(
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
    seconds = Seconds(time.thread_time() - cpu, time.perf_counter() - wall)
    return replace(point, seconds=seconds if timed else None, least=None if bound is None else bound())
