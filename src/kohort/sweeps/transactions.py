"""Every method at every point of a sweep over a transaction database: what is lost, exactly."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain, product
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar, assert_never

import numpy as np

from kohort.errors import InfeasibleError, LimitError
from kohort.pipeline.transactions import problem_of
from kohort.report.page.audience import Audience
from kohort.schema.numbers import said
from kohort.sweeps.advice import proposed_coherence
from kohort.sweeps.engine import Ending, run_points, status_of
from kohort.transactions.database import held
from kohort.transactions.loss import distortion
from kohort.transactions.methods import METHODS
from kohort.transactions.moles import mine
from kohort.transactions.problem import CellSuppression, ItemSuppression, refuse_infeasible

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.sweeps.transaction_plan import Plan, Run
    from kohort.transactions.database import Database, Transactions
    from kohort.transactions.problem import Moles, Suppression, SuppressionProblem

    #: Tells the seconds since some moment.
    Clock: TypeAlias = Callable[[], float]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one method answered at one point.

    Attributes:
        value: Of the parameter that is varied.
        method: Its name.
        seed: Of the roles; `None` where they are listed.
        ending: How it ended; the rest is known only where it found an answer.
        why: What stood in the way.
        moles: The minimal moles of each size 1..p.
        dropped: The items that occur nowhere any more.
        distortion: The share of the cells that is lost.
        seconds: What mining and suppressing took by the clock, if there is one; mining is done once for all methods and
            counted in for each.
    """

    value: Fraction
    method: str
    seed: int | None
    ending: Ending = Ending.FOUND
    why: str = ""
    moles: tuple[int, ...] = ()
    dropped: int | None = None
    distortion: Fraction | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """One method at one value, over all seeds.

    Attributes:
        value: Of the parameter that is varied.
        method: Its name.
        distortions: Ascending; those of the runs that found an answer, and of no other.
        runs: How many there were.
    """

    value: Fraction
    method: str
    distortions: tuple[Fraction, ...]
    runs: int

    @property
    def mean(self) -> Fraction | None:
        """The mean distortion, exact; `None` where no run found an answer."""
        return Fraction(sum(self.distortions), len(self.distortions)) if self.distortions else None

    @property
    def deviation(self) -> float | None:
        """The standard deviation of a sample; `None` for fewer than two."""
        mean, many = self.mean, len(self.distortions)
        if mean is None or many == 1:
            return None
        return sqrt(sum((one - mean) ** 2 for one in self.distortions) / (many - 1))


class Failure(NamedTuple):
    """Runs that ended without an answer, and are in no mean."""

    methods: tuple[str, ...]
    ending: Ending
    runs: tuple[tuple[Fraction, int], ...]
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """What every method answered at every point.

    Attributes:
        plan: What was asked.
        transactions: Of the database; of generated ones, the first.
        items: Of the same, without those that were removed; `None` for the public, as is the next.
        removed: Items below the minimum support.
        outcomes: Value by value, seed by seed, method by method.
        within: The mean distortion that a proposed value may have at most; `None` where none is to be proposed.
        audience: Who may read it: anybody only when it is rounded, see `kohort.sweeps.published`.
    """

    plan: Plan
    transactions: int
    items: int | None
    removed: int | None
    outcomes: tuple[Outcome, ...]
    within: Fraction | None = None
    audience: Audience = Audience.INTERNAL

    @property
    def status(self) -> int:
        """The exit status: 0 where some run found an answer, and a value is within the loss if one is due."""
        advised = self.within is None or proposed_coherence(self, self.within) is not None
        return status_of({one.ending for one in self.outcomes}, advised=advised)

    def summaries(self) -> list[Summary]:
        """Value by value, method by method: what came of all seeds."""
        cells = {(value, method): list[Fraction]() for value in self.plan.values for method in self.plan.methods}
        for one in self.outcomes:
            if one.distortion is not None:
                cells[one.value, one.method].append(one.distortion)
        runs = len(self.plan.repeats)
        return [Summary(value, method, tuple(sorted(all_)), runs) for (value, method), all_ in cells.items()]

    def failures(self) -> list[Failure]:
        """What had no answer; methods that fared alike are told together."""
        alike: dict[tuple[Ending, tuple[tuple[Fraction, int], ...], str], list[str]] = {}
        for method, ending in product(self.plan.methods, (Ending.INFEASIBLE, Ending.LIMIT)):
            ones = [one for one in self.outcomes if one.method == method and one.ending is ending]
            if ones:
                runs = tuple(Counter(one.value for one in ones).items())
                alike.setdefault((ending, runs, ones[0].why), []).append(method)
        return [Failure(tuple(methods), ending, runs, why) for (ending, runs, why), methods in alike.items()]


def sweep(
    source: Transactions | None, plan: Plan, *, tell: Callable[[str], None] = lambda _: None, clock: Clock | None = None
) -> Sweep:
    """Answer at every point by every method; the moles of a point are mined once for all of them.

    Args:
        source: The transactions; `None` for the generated matrices of the plan.
        plan: What is asked.
        tell: Called with each point as it begins.
        clock: What tells the time; without one, no seconds are told, and equal sweeps are equal.
    """
    runs = list(plan.runs())

    def tell_place(place: int) -> None:
        run = runs[place]
        tell(f"{plan.vary} = {said(run.value)}" + ("" if run.seed is None else f", seed {run.seed}"))

    keys = [str(place) for place in range(len(runs))]
    answers: dict[str, Callable[[], list[Outcome]]] = {
        key: partial(_outcomes, source, plan, run, clock) for key, run in zip(keys, runs, strict=True)
    }
    found = run_points(keys, answers, dict[str, list[Outcome]](), threads=1, tell=tell_place)
    source = _database(source, runs[0])
    kept = int(np.count_nonzero(source.common(plan.job.min_support)))
    return Sweep(plan, len(source), kept, len(source.names) - kept, tuple(chain.from_iterable(found)))


def _database(source: Transactions | None, run: Run) -> Transactions:
    """The database of a point: that of all, or the matrix of its seed."""
    if run.matrix is not None:
        return run.matrix.database(run.seed or 0)
    assert source is not None  # noqa: S101  a plan without matrices comes with a database
    return source


def _outcomes(source: Transactions | None, plan: Plan, run: Run, clock: Clock | None) -> list[Outcome]:
    """What every method answers at one point."""
    try:
        (problem, moles), mined = _timed(lambda: _mined(source, plan, run), clock)
    except (InfeasibleError, LimitError) as fault:
        return [_failed(run, method, fault) for method in plan.methods]
    found: list[Outcome] = []
    for method in plan.methods:
        try:
            solution, more = _timed(partial(METHODS[method].suppress, problem, moles), clock)
        except LimitError as fault:
            found.append(_failed(run, method, fault))
            continue
        outcome = Outcome(
            value=run.value,
            method=method,
            seed=run.seed,
            moles=tuple(map(len, moles.sets)),
            dropped=_dropped(problem.database, solution.suppression),
            distortion=distortion(problem, solution.suppression),
            seconds=mined + more if clock else None,
        )
        found.append(outcome)
    return found


def _timed(make: Callable[[], T], clock: Clock | None) -> tuple[T, float]:
    """What is made, and how long that took by the clock."""
    begun = clock() if clock else 0.0
    made = make()
    return made, clock() - begun if clock else 0.0


def _mined(source: Transactions | None, plan: Plan, run: Run) -> tuple[SuppressionProblem, Moles]:
    """What is asked at one point, and the minimal moles."""
    problem = problem_at(_database(source, run), plan, run)
    refuse_infeasible(problem)
    return problem, mine(problem)


def problem_at(source: Transactions, plan: Plan, run: Run) -> SuppressionProblem:
    """What is asked at one point.

    Roles are drawn for the least h of the sweep, so that a seed has the same ones at every h: drawn for each h, a
    larger one could make more frequent items private, and the curve would show that instead of what h costs.
    """
    drawn = replace(run.job, coherence=replace(run.job.coherence, h=plan.least_h))
    return replace(problem_of(source, drawn), coherence=run.job.coherence)


def _failed(run: Run, method: str, fault: InfeasibleError | LimitError) -> Outcome:
    """What is told where there is no answer."""
    return Outcome(value=run.value, method=method, seed=run.seed, ending=Ending.of(fault), why=fault.what)


def _dropped(database: Database, suppression: Suppression) -> int:
    """The items that are left nowhere."""
    match suppression:
        case ItemSuppression(items):
            return items.size
        case CellSuppression(keep):
            kept = held(database, "suppressing cells").kept(keep)
            return int(np.count_nonzero(database.supports) - np.count_nonzero(kept.supports))
        case _:
            assert_never(suppression)
