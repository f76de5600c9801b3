"""A sweep over a table: what each of many jobs would release, in figures; nothing is released.

The table is read and encoded once, and counted once for all jobs with the same columns; then each job is solved and its
classes are weighed. No record is recoded, nothing is written, and so nothing is verified: every figure is what
`kohort.anonymize` would tell of the same job.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.engines.pricing import answer, bound_of, bounded_alike, count, counted_alike
from kohort.engines.problem import refuse_unknown
from kohort.errors import InfeasibleError
from kohort.errors.calls import called, verb
from kohort.errors.display import Summary, four_digits, many, span
from kohort.job.sweeps.frame import Answer, Candidate, Ending, Sweep, once, run_points
from kohort.job.sweeps.table_plan import TablePlan, rising, said
from kohort.metrics.known import METRICS, measured
from kohort.metrics.loss import attribute_losses
from kohort.report.figures import bound_figures
from kohort.tables.complete import entered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from matplotlib.figure import Figure

    from kohort.algorithms.mondrian.bound import LeastLoss
    from kohort.engines.base import Counts
    from kohort.errors.display import Grid, Rows
    from kohort.job.sweeps.frame import Json, Values
    from kohort.release import Job
    from kohort.report.figures import BoundFigures
    from kohort.tables.table import Table

#: The points that a notebook shows.
MOST_SHOWN: Final = 20

#: The loss of a table that a bound, and a limit, is about: a share of the detail, whatever the quasi-identifiers are.
LOSS: Final = "ncp"


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
    def cells(self) -> tuple[str, ...]:
        """What it would cost, as the cells below `COSTS`; or why it cannot be."""
        if not self.found:
            return *[""] * (len(COSTS) - 1), f"{self.ending}: {self.why}"
        loss, lm = self.metrics.get(LOSS), self.metrics.get("lm")
        costs = "" if loss is None else f"{loss:.1%}", "" if lm is None else four_digits(lm)
        sizes = f"{self.classes:,}", span(self.smallest, self.largest), f"{self.suppressed:,}"
        return *costs, *sizes, f"{self.highest:.1%}", self.bound.said if self.bound else ""


#: What a notebook shows of a point.
COSTS: Final = ("Detail lost", "LM", "Classes", "Records of a class", "Suppressed", "Highest risk", "Note")


@dataclass(frozen=True, slots=True, repr=False)
class TableSweep(Sweep[Point], Summary):
    """What each job of a sweep would release.

    Attributes:
        axes: The varied parameters; at least one, and no name twice.
        records: Number of records of the table; of complete ones, if the first job requires these.
        fixed: The parameters that do not vary, by name, as given: `quasi`, `k`, `method`, `max-suppression`, `models`
            (except k), without those that do not apply.
        points: Every combination of values; those of the last axis change fastest.
        within: The greatest loss (NCP) of a proposed point; `None` if none is to be proposed.
        audience: Who may read it: anybody only when it is rounded, see `kohort.job.sweeps.published`.
    """

    @property
    def rows(self) -> list[dict[str, Json]]:
        """A flat row of figures for each point, all with the same names: `polars.DataFrame(found.rows)` takes them."""
        return rows(self)

    def candidates(self) -> Iterator[Candidate]:
        """Every release: a point is as strict as its values are where their axes have an order."""
        orders = [(place, up) for place, axis in enumerate(self.axes) if (up := rising(axis.name)) is not None]
        for one in self.points:
            if one.found:
                strict = tuple(Fraction(one.values[place]) * (1 if up else -1) for place, up in orders)
                yield Candidate(strict, one.metrics[LOSS], one.values)

    @called('sweep.plot("risk-utility")')
    def plot(self, figure: str | None = None) -> Figure:
        """The points as a figure of matplotlib; see `kohort.Release.plot` for what it raises.

        Args:
            figure: A metric or another figure of a point, such as `ncp`, `classes`, `suppressed` or `highest`, drawn
                against what is varied first; or `risk-utility`, the risk and the loss of each point, the best of them,
                and the knee. `lm` if not given.
        """
        return verb(TableSweep.plot)(self, figure)

    def _shown(self) -> tuple[str, Rows]:
        fixed = ", ".join(f"{name} = {value}" for name, value in self.fixed.items())
        endings = Counter(str(point.ending) for point in self.points)
        told = ", ".join(f"{count:,} {ending}" for ending, count in endings.items())
        return "Sweep", [("Records", f"{self.records:,}"), ("Fixed", fixed), ("Points", told)]

    def _grid(self) -> Grid:
        """Each point: what it would cost, or why it has no release; and a bound where one is known."""
        more = len(self.points) - MOST_SHOWN
        title = f"Points; `rows` has {many(more, 'more point')}" if more > 0 else "Points"
        rows = [(*point.values, *point.cells) for point in self.points[:MOST_SHOWN]]
        end = None if any(row[-1] for row in rows) else -1  # no column of notes where there is none
        return title, [row[:end] for row in rows], (*(axis.name for axis in self.axes), *COSTS[:end])

    def value(self, point: Point, name: str) -> str:
        """What `name` is at a point, varied or fixed; "" where it is neither."""
        return {**self.fixed, **_named(self, point.values)}.get(name, "")


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
    proposed: Json = best and {"values": {**_named(found, best.values)}, "loss": float(best.loss)}
    return {
        "vary": {axis.name: [*axis.values] for axis in found.axes},
        "fixed": {**found.fixed},
        "records": found.records,
        "points": [_figures(found, point) for point in found.points],
        **({} if found.within is None else {"at_most_loss": float(found.within), "proposed": proposed}),
    }


def _named(found: TableSweep, values: Values) -> dict[str, str]:
    return dict(zip((axis.name for axis in found.axes), values, strict=True))


def _figures(found: TableSweep, point: Point) -> dict[str, Json]:
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
        "values": {**_named(found, point.values)},
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
    row: dict[str, Json] = {}
    for name, held in figures.items():
        if isinstance(held, dict):
            row |= {f"{_PREFIXES[name]}{key}": value for key, value in held.items()}
        elif name not in _PREFIXES:
            row[name] = held
    return row


def sweep(
    table: Table,
    plan: TablePlan,
    *,
    population: Table | None = None,
    threads: int = 1,
    on_progress: Callable[[str], None] = lambda _: None,
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
        on_progress: Called with each point, in their order, as it is waited for.
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
    first = next(iter(plan.jobs.values()))
    records = entered(table, first.complete, first.schema.missing)[0].records
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
        on_progress(f"{place + 1} of {len(described)}: {said(plan.axes, values)}")

    points = run_points(Point, described, runs, {} if known is None else known, threads=threads, on_progress=tell_place)
    points |= {one: Point(values=one, ending=Ending.IMPOSSIBLE, why=why) for one, why in plan.impossible.items()}
    order = product(*(axis.values for axis in plan.axes))
    return TableSweep(plan.axes, records, plan.fixed, tuple(points[values] for values in order))


def _least(counts: Callable[[], Counts], job: Job) -> LeastLoss:
    return bound_of(counts(), job)


def _solve(
    counts: Callable[[], Counts],
    job: Job,
    *,
    timed: bool,
    metrics: Sequence[str],
    bound: Callable[[], LeastLoss] | None,
) -> Point:
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
