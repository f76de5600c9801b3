"""What single changes of a job would cost or keep: ranked on a sample, the best of them measured in full."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kohort.errors import InfeasibleError, KohortError, SourceNote, UnsupportedError
from kohort.io import read
from kohort.io.baskets import read_transactions
from kohort.job.request import of, request
from kohort.job.steps import changed, steps_of, transaction_steps_of
from kohort.job.transactions import of as of_transactions
from kohort.job.transactions import request as request_of_transactions
from kohort.pipeline.publishing import silent
from kohort.pipeline.transactions import rehearse_transactions
from kohort.shown import Shown, many
from kohort.sweeps.prices import SAMPLED, Price, priced, sampled
from kohort.tables.table import Table
from kohort.transactions.database import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kohort.engines.base import Counts
    from kohort.job.document import Document
    from kohort.job.steps import Step
    from kohort.release import Job
    from kohort.release.transactions import TransactionJob
    from kohort.shown import Rows
    from kohort.tables.dataset import Dataset

#: Steps that are told, and of these, steps that are measured in full: with the job itself some four solves in all.
TOLD: Final = 10
MEASURED: Final = 3

#: Steps that are told at the end of another command.
SHORT: Final = 3

#: A step that keeps less than this share of the detail is not worth telling.
GAIN: Final = 0.001

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


#: A job and what it costs; `None` where it has no release.
Costing = "Callable[[Any], Cost | None]"


@dataclass(frozen=True, slots=True)
class Advice:
    """What a single change of a job would give.

    Attributes:
        step: The change.
        job: The changed job, a `Job` or a `TransactionJob`.
        cost: What it costs.
        measured: Whether it was measured in full: then it is what a run of the job tells; else an estimate.
    """

    step: Step
    job: Any
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
class Advised(Shown):
    """What single changes of a job would give, the one that keeps most first.

    Attributes:
        loss: The detail that is lost without a change; `None` where there is no release.
        steps: The changes.
        records: The records, or transactions, that the changes were ranked on.
        of: All there are.
    """

    loss: float | None
    steps: tuple[Advice, ...]
    records: int
    of: int

    def text(self, most: int | None = None) -> str:
        """The steps as numbered lines for a person, or only the first ones; empty where none keeps more."""
        if all(one.step.dearer for one in self.steps):
            return ""
        now = "there is no release" if self.loss is None else f"{self.loss:.1%} of the detail is lost"
        lines = [f"Now {now}. Single changes, the one that keeps most first:"]
        marks = ["-"] * most if most else [f"{place:>2}" for place in range(1, len(self.steps) + 1)]
        lines += [f"  {mark} {one}" for mark, one in zip(marks, self.steps, strict=False)]
        if not all(one.measured for one in self.steps[: len(marks)]):
            lines.append(f"    (about: estimated on {self.records:,} of {many(self.of, 'record')})")
        return "\n".join(lines)

    def _shown(self) -> tuple[str, Rows]:
        return "Advice", [(one.step.words, f"{one.cost.loss:.1%} lost") for one in self.steps]


def advice_on(
    text: Document,
    *,
    source: object = None,
    population: Dataset | None = None,
    now: float | None = None,
    most: int = MEASURED,
    tell: Callable[[str], None] = silent,
) -> Advised:
    """What single changes of a job file would give.

    Args:
        text: The job file, on a table or on transactions.
        source: The records or transactions, where they are read already; else they are read, and the population too.
        population: The population table, likewise.
        now: The loss of the job where it is known.
        most: How many steps are measured in full; 0 for estimates alone.
        tell: Called with the name of each stage as it begins.

    Raises:
        UnsupportedError: the job's records are counted elsewhere.
        KohortError: the job has faults, or its input cannot be read.
    """
    if text.is_of_transactions:
        given = of_transactions(text)
        _refuse_elsewhere(given.run.engine)
        tell("read")
        held = source if isinstance(source, Transactions) else read_transactions(given.source, given.job.reading).database
        tell("measure")
        said = partial(request_of_transactions, where=text.where, folder=text.folder)
        return advised_transactions(text.raw, lambda raw: said(raw).job, held, now=now, most=most)
    made = of(text)
    _refuse_elsewhere(made.engine)
    tell("read")
    table = source if isinstance(source, Table) else read(made.source, made.job.reading)
    if population is None and made.population is not None:
        population = read(made.population, made.job.reading)
    tell("measure")
    asked = partial(request, where=text.where, folder=text.folder, held=text.held)
    return advised(text.raw, lambda raw: asked(raw).job, table, population=population, now=now, most=most)


def _refuse_elsewhere(engine: str) -> None:
    """Refuse records that are not counted here."""
    if engine != "local":
        what = f"the records are counted by {engine}, and advice only on records that are read here"
        raise UnsupportedError(what, where="engine", hint="leave engine out, or change the job yourself and run it")


def advised(
    tables: Mapping[str, object],
    make: Callable[[Mapping[str, object]], Job],
    table: Table,
    *,
    population: Dataset | None = None,
    now: float | None = None,
    most: int = MEASURED,
) -> Advised:
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
    before = priced(some, job, population=population)
    steps = steps_of(job, before.losses if before else {})
    costings = of_some, of_some if some is table else of_all
    found = _ranked(job, _made(steps, tables, make), costings, now, most, _by_loss)
    return Advised(*found, some.records, table.records)


def _cost(
    data: Table, columns: Sequence[str], population: Dataset | None, counted: dict[str, Counts], job: Job
) -> Cost | None:
    """What a job on a table costs, over the columns one started with."""
    price = priced(data, job, population=population, counted=counted)
    if price is None:
        return None
    released = {one.name for one in job.schema.released}
    losses = [price.losses.get(name, float(name not in released)) for name in columns if name not in price.constant]
    same = set(columns) == set(price.losses)
    loss = price.loss if same or not losses else float(np.mean(losses))
    return Cost(loss, price.loss, price.highest)


def advised_transactions(
    tables: Mapping[str, object],
    make: Callable[[Mapping[str, object]], TransactionJob],
    transactions: Transactions,
    *,
    now: float | None = None,
    most: int = MEASURED,
) -> Advised:
    """The same of a job on transactions; what is lost is their distortion.

    What an attacker knows comes first: its price is the greatest, and it is often set without need.
    """
    job, some = make(tables), _some(transactions)
    of_some, of_all = (partial(_distortion, data) for data in (some, transactions))
    steps = [*transaction_steps_of(job)]
    costings = of_some, of_some if some is transactions else of_all
    found = _ranked(job, _made(steps, tables, make), costings, now, most, lambda one: steps.index(one.step))
    return Advised(*found, len(some), len(transactions))


def _some(transactions: Transactions) -> Transactions:
    """At most `SAMPLED` transactions, evenly spread, over the same items."""
    if len(transactions) <= SAMPLED:
        return transactions
    rows = np.linspace(0, len(transactions) - 1, SAMPLED).astype(np.int64)
    lengths = transactions.lengths[rows]
    cells = np.repeat(transactions.starts[rows] - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    return Transactions(transactions.names, np.cumsum([0, *lengths], dtype=np.int64), transactions.cells[cells])


def _distortion(transactions: Transactions, job: TransactionJob) -> Cost | None:
    """What a job on transactions costs."""
    try:
        release = rehearse_transactions(transactions, job)
    except InfeasibleError:
        return None
    return Cost(float(release.distortion), float(release.distortion))


# --- what both share --------------------------------------------------------------------------------------------------


def _made(
    steps: Iterable[Step], tables: Mapping[str, object], make: Callable[[Mapping[str, object]], Any]
) -> Iterator[tuple[Step, Any]]:
    """The steps with the jobs that they make; a change that a job cannot have is no step."""
    for step in steps:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SourceNote)
                yield step, make(changed(tables, step.changes))
        except KohortError:
            continue


def _ranked(
    job: Any,
    steps: Iterable[tuple[Step, Any]],
    costings: tuple[Costing, Costing],
    now: float | None,
    most: int,
    order: Callable[[Advice], Any],
) -> tuple[float | None, tuple[Advice, ...]]:
    """The loss without a change, and the steps that are told.

    Args:
        job: The job without a change.
        steps: Every step with its job.
        costings: What a job costs, estimated and in full; the same where there is nothing to estimate.
        now: The loss of the job where it is known.
        most: How many steps are measured in full.
        order: The order in which steps are told.
    """
    of_some, of_all = costings
    exact, before = of_some is of_all, of_some(job)
    if now is None:
        cost = before if exact or not most else of_all(job)
        now = None if cost is None else cost.loss
    shift = 0.0 if exact or now is None or before is None else now - before.loss
    found: list[Advice] = []
    for step, made in steps:
        cost = None if step.doubtful and not (exact or most) else _tried(of_some, made)
        if cost is not None:
            estimate = cost if exact else Cost(min(max(cost.loss + shift, 0.0), ALL))
            found.append(Advice(step, made, estimate, exact))
    found = sorted(_paying(found, now), key=_by_loss)
    if not exact:
        costs = [(one, _tried(of_all, one.job)) for one in found[:most]]
        measured = [Advice(one.step, one.job, cost, measured=True) for one, cost in costs if cost is not None]
        found = [*_paying(measured, now), *(one for one in found[most:] if not one.step.doubtful)]
    found.sort(key=order)
    dearer = [one for one in found if one.step.dearer]
    return now, tuple([one for one in found if not one.step.dearer][: TOLD - len(dearer)] + dearer)


def _tried(costing: Costing, job: Any) -> Cost | None:
    """What a job costs; `None` where it has no release, or cannot be solved."""
    try:
        return costing(job)
    except KohortError:
        return None


def _paying(found: Iterable[Advice], now: float | None) -> list[Advice]:
    """The steps that keep more detail than the job does now, or promise more."""
    return [one for one in found if one.step.dearer or one.cost.loss < (ALL if now is None else now) - GAIN]


def _by_loss(advice: Advice) -> tuple[bool, float]:
    """Steps that promise more come last, each by the detail that it keeps."""
    return advice.step.dearer, advice.cost.loss
