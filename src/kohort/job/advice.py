"""What single changes of a job would cost or keep: ranked on a sample, the best of them measured in full."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

import numpy as np

from kohort.engines.outlets import no_progress
from kohort.engines.pricing import of_sample, priced, sampled
from kohort.errors import KohortError, SourceNote, UnsupportedError
from kohort.errors.display import Summary, many
from kohort.io import read
from kohort.job.faults import placing
from kohort.job.request import of, request
from kohort.job.steps import changed, steps_of
from kohort.specification import plugins
from kohort.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kohort.engines.base import Counts
    from kohort.errors.display import Rows
    from kohort.job.document import Document
    from kohort.job.steps import Step
    from kohort.release import Job
    from kohort.tables.dataset import Dataset

J = TypeVar("J")

#: Steps that are told, and of these, steps that are measured in full: with the job itself some four solves in all.
MOST_STEPS: Final = 10
MEASURED: Final = 3

#: Steps that are told at the end of another command.
SHORT: Final = 3

#: A step that keeps less than this share of the detail is not worth telling.
GAIN: Final = 0.001

#: Seconds of a search that can stop early, for each step that is ranked.
HURRIED: Final = 1.0

#: The share that is lost where there is no release.
ALL: Final = 1.0


class Cost(NamedTuple):
    """What a job costs.

    Attributes:
        loss: The detail lost, over the columns one started with: of one that is dropped, all.
        told: What a run tells as its loss: the NCP, or the distortion of transactions; `None` of an estimate.
        risk: The highest risk of a person; `None` of transactions, and of an estimate.
    """

    loss: float
    told: float | None = None
    risk: float | None = None


@dataclass(frozen=True, slots=True)
class Advice(Generic[J]):
    """What a single change of a job would give.

    Attributes:
        step: The change.
        job: The changed job.
        cost: What it costs.
        measured: Whether it was measured in full: then it is what a run of the job tells; else an estimate.
    """

    step: Step
    job: J
    cost: Cost
    measured: bool

    def __str__(self) -> str:
        """The cost, the change, and which promise it weakens, in a line."""
        loss, _, risk = self.cost
        figure = f"{loss:.1%} lost" if self.measured else f"about {loss:.0%} lost"
        risks = "" if risk is None else f", highest risk {risk:.1%}"
        weakens = f"; weakens: {self.step.weakens}" if self.step.weakens else ""
        return f"{figure}{risks}: {self.step.words}{weakens}"


@dataclass(frozen=True, slots=True, repr=False)
class Advised(Summary, Generic[J]):
    """What single changes of a job would give, the one that keeps most first.

    Attributes:
        loss: The detail that is lost without a change; `None` where there is no release.
        measured: Whether that is what a run tells; else an estimate.
        steps: The changes.
        records: The records, or transactions, that the changes were ranked on.
        of: All there are.
    """

    loss: float | None
    measured: bool
    steps: tuple[Advice[J], ...]
    records: int
    of: int

    def text(self, most: int | None = None) -> str:
        """The steps as numbered lines for a person, or only the first ones; empty where none keeps more."""
        if all(one.step.dearer for one in self.steps):
            return ""
        lost = "there is no release" if self.loss is None else f"{self.loss:.1%} of the detail is lost"
        now = lost if self.measured or self.loss is None else f"about {self.loss:.0%} of the detail is lost"
        lines = [f"Now {now}. Single changes would give:"]
        marks = ["-"] * most if most else [f"{place:>2}" for place in range(1, len(self.steps) + 1)]
        lines += [f"  {mark} {one}" for mark, one in zip(marks, self.steps, strict=False)]
        if not (self.measured and all(one.measured for one in self.steps[: len(marks)])):
            lines.append(f"    (about: estimated on {self.records:,} of {many(self.of, 'record')})")
        return "\n".join(lines)

    def _shown(self) -> tuple[str, Rows]:
        return "Advice", [(one.step.words, f"{one.cost.loss:.1%} lost") for one in self.steps]


# --- job files --------------------------------------------------------------------------------------------------------


#: What advises on a job that has the table of this name, of any kind but a table: called as `advice_on` is.
ADVICE: Final[Mapping[str, Callable[..., Advised[Any]]]] = plugins("kohort.advice", {})


def advice_on(
    text: Document,
    *,
    source: object = None,
    now: float | None = None,
    most: int = MEASURED,
    on_progress: Callable[[str], None] = no_progress,
) -> Advised[Any]:
    """What single changes of a job file would give.

    Args:
        text: The job file, of any kind.
        source: The records, where they are read already.
        now: The loss of the job where it is known.
        most: How many steps are measured in full; 0 for estimates alone.
        on_progress: Called with the name of each stage as it begins.

    Raises:
        UnsupportedError: the job's records are counted elsewhere.
        KohortError: the job has faults, or its input cannot be read.
    """
    for kind in (kind for kind in ADVICE if kind in text.raw):
        return ADVICE[kind](text, source=source, now=now, most=most, on_progress=on_progress)
    made, asked = of(text), partial(request, where=text.where, folder=text.folder, held=text.held)
    refuse_elsewhere(made.run.engine)
    on_progress("read")
    table = source if isinstance(source, Table) else read(made.source, made.job.reading)
    population = None if made.population is None else read(made.population, made.job.reading)
    on_progress("measure")
    with placing(made.placed):
        return advised(text.raw, lambda raw: asked(raw).job, table, population=population, now=now, most=most)


def refuse_elsewhere(engine: str) -> None:
    """Refuse a job whose records another engine than this process counts."""
    if engine != "local":
        what = f"the records are counted by {engine}, and advice needs them in this process"
        raise UnsupportedError(what, where="engine", hint="change the job yourself, and compare its dry runs")


# --- tables -----------------------------------------------------------------------------------------------------------


def advised(
    tables: Mapping[str, object],
    make: Callable[[Mapping[str, object]], Job],
    table: Table,
    *,
    population: Dataset | None = None,
    now: float | None = None,
    most: int = MEASURED,
) -> Advised[Job]:
    """What single changes of a job on a table would give.

    Cost: one solve of a sample for each step, some twenty, and `most` solves of the whole table, and one more.

    Args:
        tables: The tables of the job.
        make: Makes a job of tables.
        table: The records.
        population: The population table, if a model needs one.
        now: The loss of the job where it is known.
        most: How many steps are measured in full.
    """
    job, some = make(tables), sampled(table)
    columns = [one.name for one in job.schema.quasi]
    of_some, of_all = (partial(_cost, data, columns, population, {}) for data in (some, table))

    def hurried(one: Job) -> Cost | None:
        return of_some(_hurried(one))

    before = priced(some, _hurried(job), population=population)
    steps = changed_jobs(steps_of(job, before.losses if before else {}), tables, make)
    exact = some is table and job.time_limit is None
    costing = Costing(of_all if exact else hurried, of_all, most)
    return Advised(*ranked(job, steps, costing, now, _by_loss), some.records, table.records)


def _hurried(job: Job) -> Job:
    limit = None if job.time_limit is None else min(job.time_limit, HURRIED)
    return replace(of_sample(job), time_limit=limit)


def _cost(
    data: Table, columns: Sequence[str], population: Dataset | None, counted: dict[str, Counts], job: Job
) -> Cost | None:
    price = priced(data, job, population=population, counted=counted)
    if price is None:
        return None
    released = {one.name for one in job.schema.released}
    losses = [price.losses.get(name, float(name not in released)) for name in columns if name not in price.constant]
    same = not losses or set(columns) == set(price.losses)
    return Cost(price.loss if same else float(np.mean(losses)), price.loss, price.highest)


# --- what all kinds share ---------------------------------------------------------------------------------------------


class Costing(NamedTuple, Generic[J]):
    """What jobs cost; `None` where there is no release.

    Attributes:
        some: Of a sample.
        all: Of everything; the same where the sample is everything.
        most: How many steps are measured of everything.
    """

    some: Callable[[J], Cost | None]
    all: Callable[[J], Cost | None]
    most: int

    @property
    def exact(self) -> bool:
        """Whether there is nothing to estimate."""
        return self.some is self.all


def changed_jobs(
    steps: Iterable[Step], tables: Mapping[str, object], make: Callable[[Mapping[str, object]], J]
) -> Iterator[tuple[Step, J]]:
    """The steps with their jobs; those that give none are left out."""
    for step in steps:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SourceNote)
                yield step, make(changed(tables, step.changes))
        except KohortError:
            continue


def ranked(
    job: J,
    steps: Iterable[tuple[Step, J]],
    costing: Costing[J],
    now: float | None,
    order: Callable[[Advice[J]], tuple[bool, float]],
) -> tuple[float | None, bool, tuple[Advice[J], ...]]:
    """The loss without a change, whether it was measured, and the steps that are told, in an order.

    Args:
        job: The job without a change.
        steps: Every step with its job.
        costing: What jobs cost.
        now: The loss of the job where it is known.
        order: What steps are sorted by.
    """
    before, measured = costing.some(job), now is not None or costing.exact or costing.most > 0
    if now is None:
        cost = before if costing.exact or not costing.most else costing.all(job)
        now = None if cost is None else cost.loss
    scale = now / before.loss if now is not None and before is not None and before.loss else 1.0
    found = sorted(_paying(_estimated(steps, costing, scale), now), key=_by_loss)
    if not costing.exact:
        costs = [(one, _tried(costing.all, one.job)) for one in found[: costing.most]]
        full = [Advice(one.step, one.job, cost, measured=True) for one, cost in costs if cost is not None]
        found = [*_paying(full, now), *(one for one in found[costing.most :] if not one.step.doubtful)]
    found.sort(key=order)
    dearer = [one for one in found if one.step.dearer]
    return now, measured, (*[one for one in found if not one.step.dearer][: MOST_STEPS - len(dearer)], *dearer)


def _estimated(steps: Iterable[tuple[Step, J]], costing: Costing[J], scale: float) -> Iterator[Advice[J]]:
    """The steps with what they cost: of a sample, times what the job without a change costs less or more there."""
    for step, made in steps:
        if step.doubtful and not (costing.exact or costing.most):
            continue  # nothing can show that it pays
        cost = _tried(costing.some, made)
        if cost is not None:
            estimate = cost if costing.exact else Cost(min(cost.loss * scale, ALL))
            yield Advice(step, made, estimate, costing.exact)


def _tried(costs: Callable[[J], Cost | None], job: J) -> Cost | None:
    """What a job costs; `None` where it has no release, or cannot be solved."""
    try:
        return costs(job)
    except KohortError:
        return None


def _paying(found: Iterable[Advice[J]], now: float | None) -> Iterator[Advice[J]]:
    """The steps that keep more detail than the job does now, or promise more."""
    return (one for one in found if one.step.dearer or one.cost.loss < (ALL if now is None else now) - GAIN)


def _by_loss(advice: Advice[J]) -> tuple[bool, float]:
    """Steps that promise more come last, each by the detail that it keeps."""
    return advice.step.dearer, advice.cost.loss
