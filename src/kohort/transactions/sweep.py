"""A sweep over a transaction database: what every method loses at every value of one parameter, exactly."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, assert_never

import numpy as np

from kohort.errors import UsageError
from kohort.job.sweeps.frame import Answer, Axis, Candidate, Sweep, once, run_points
from kohort.schema.numbers import said
from kohort.transactions.cells import LocalSuppression
from kohort.transactions.database import Transactions, held
from kohort.transactions.matrix import Matrix
from kohort.transactions.moles import mine
from kohort.transactions.optimum import Optimum
from kohort.transactions.pipeline import problem_of
from kohort.transactions.problem import CellSuppression, ItemSuppression, distortion, refuse_infeasible
from kohort.transactions.roles import Drawn
from kohort.transactions.suppression import Greedy, Score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.job.sweeps.frame import Values
    from kohort.transactions.database import Database
    from kohort.transactions.problem import Moles, Suppression, SuppressionProblem
    from kohort.transactions.release import TransactionJob

    #: Tells the seconds since some moment.
    Clock: TypeAlias = Callable[[], float]

    #: What every method answers at one point, and the seconds that mining took.
    Mined: TypeAlias = tuple[SuppressionProblem, Moles, float]

#: The methods, each as it is where nothing more is said: the scores, then what goes beyond the paper.
METHODS: Final[Mapping[str, Greedy | Optimum | LocalSuppression]] = MappingProxyType(
    {
        "mmil": Greedy(score=Score.MMIL),
        "mm": Greedy(score=Score.MM),
        "1il": Greedy(score=Score.ONE_IL),
        "all": Greedy(score=Score.ALL),
        "give-back": Greedy(give_back=True),
        "optimal": Optimum(),
        "cells": LocalSuppression(),
    }
)

#: What is compared where nothing is said, and the seeds of drawn roles.
SCORES: Final = tuple(map(str, Score))
SEEDS: Final = (1, 2, 3)


class Parameter(NamedTuple):
    """What can be varied: in words, whether a greater value is stricter, if it is either, and of what it is."""

    says: str
    rising: bool | None = None
    whole: bool = False
    of_matrix: bool = False


#: What can be varied, by name; the last three only of generated matrices.
PARAMETERS: Final[Mapping[str, Parameter]] = MappingProxyType(
    {
        "h": Parameter("h: share of a cohort that a private item may have", rising=False),
        "k": Parameter("k: transactions that a cohort must have", rising=True, whole=True),
        "p": Parameter("p: public items that an attacker knows", rising=True, whole=True),
        "delta": Parameter("delta: share of the items that are public"),
        "rows": Parameter("rows: transactions of a generated matrix", whole=True, of_matrix=True),
        "columns": Parameter("columns: items of a generated matrix", whole=True, of_matrix=True),
        "density": Parameter("density: share of the cells of a generated matrix that are 1", of_matrix=True),
    }
)


class Generated(NamedTuple):
    """Matrices to sweep over instead of a database: a seed draws its own, and the roles in it."""

    rows: int = 10_000
    columns: int = 100
    density: Fraction = Fraction(1, 10)

    def of(self, seed: int) -> Matrix:
        """The matrix of a seed, of any number of rows.

        Raises:
            UsageError: a number is out of its range.
        """
        if self.rows < 1:
            raise UsageError("rows must be a whole number of at least 1", where="rows")
        return Matrix(columns=self.columns, density=float(self.density), seed=seed)


class Run(NamedTuple):
    """A value of what is varied and a seed, `None` where roles are listed, and the job with both, for all methods.

    The matrix is what its database is drawn from; `None` where there is one for all.
    """

    value: Fraction
    seed: int | None
    job: TransactionJob
    matrix: Generated | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that decides a sweep but the transactions.

    Attributes:
        job: What stays as it is; its algorithm, seed and value of the parameter that is varied say nothing.
        vary: The parameter that takes several values.
        values: Those, ascending, none twice.
        methods: What is compared: names in `METHODS`.
        seeds: Of drawn roles and generated matrices. Listed roles in a database need none.
        matrix: Generated matrices instead of a database.

    Raises:
        UsageError: a value is out of its range or said twice, or nothing is varied or compared.

    >>> from kohort.transactions.release import TransactionJob
    >>> from kohort.transactions.coherence import Coherence
    >>> job = TransactionJob(coherence=Coherence.of(h=0.5, k=2, p=2), roles=Drawn(delta=Fraction(1, 2)))
    >>> [(run.seed, run.job.coherence.name) for run in Plan.of(job, "k", [10, 5]).runs()][::3]
    [(1, '(0.5, 5, 2)-coherence'), (1, '(0.5, 10, 2)-coherence')]
    """

    job: TransactionJob
    vary: str
    values: tuple[Fraction, ...]
    methods: tuple[str, ...] = SCORES
    seeds: tuple[int, ...] = SEEDS
    matrix: Generated | None = None

    @classmethod
    def of(
        cls,
        job: TransactionJob,
        vary: str,
        values: Sequence[str | float | Fraction],
        *,
        methods: Sequence[str] = SCORES,
        seeds: Sequence[int] = SEEDS,
        matrix: Generated | None = None,
    ) -> Plan:
        """A sweep of these values as they are written: decimals, fractions such as 2/5, or floats by their digits."""
        if vary not in PARAMETERS:
            what = "only h, k, p and delta can be varied, and rows, columns and density of generated matrices"
            raise UsageError(what, where="vary", hint="such as k=5,10,20")
        try:
            exact = tuple(sorted(one if isinstance(one, Fraction) else Fraction(str(one)) for one in values))
        except (ValueError, ZeroDivisionError):
            raise UsageError("a value is not a number", where="vary", hint="numbers such as 5, 0.4 or 2/5") from None
        return cls(job=job, vary=vary, values=exact, methods=tuple(methods), seeds=tuple(seeds), matrix=matrix)

    def __post_init__(self) -> None:
        """Refuse a sweep that compares nothing, or the same twice."""
        for where, given in (("vary", self.values), ("methods", self.methods), ("seeds", self.seeds)):
            if not given or len(set(given)) < len(given):
                raise UsageError("give at least one, and none twice", where=where)
        unknown = [name for name in self.methods if name not in METHODS]
        if unknown:
            what = f"there is no method {unknown[0]}"
            raise UsageError(what, where="methods", hint=f"one of {', '.join(METHODS)}")
        if self.vary == "delta" and not isinstance(self.job.roles, Drawn):
            raise UsageError("delta can be varied only where the roles are drawn", where="vary")
        if PARAMETERS[self.vary].of_matrix and self.matrix is None:
            raise UsageError(f"{self.vary} can be varied only of generated matrices", where="vary")
        for _ in self.runs():  # each refuses what is out of its range
            pass

    @property
    def axes(self) -> tuple[Axis, ...]:
        """What is varied: the parameter, the seed and the method."""
        seeds = tuple("" if seed is None else str(seed) for seed in self.repeats)
        return Axis(self.vary, tuple(map(said, self.values))), Axis("seed", seeds), Axis("method", self.methods)

    @property
    def fixed(self) -> dict[str, str]:
        """What stays as it is: each parameter that is not varied and has a value here."""
        model, roles = self.job.coherence, self.job.roles
        pairs: dict[str, Fraction | int] = {"h": model.h, "k": model.k, "p": model.p}
        pairs |= {"delta": roles.delta} if isinstance(roles, Drawn) else {}
        pairs |= {} if self.matrix is None else self.matrix._asdict()
        return {name: said(Fraction(value)) for name, value in pairs.items() if name != self.vary}

    @property
    def least_h(self) -> Fraction:
        """The least share h of all points: what drawn roles are drawn for."""
        return self.values[0] if self.vary == "h" else self.job.coherence.h

    @property
    def repeats(self) -> tuple[int | None, ...]:
        """What is repeated at each value: the seeds, or once without one where nothing is drawn."""
        return self.seeds if isinstance(self.job.roles, Drawn) or self.matrix is not None else (None,)

    def runs(self) -> Iterator[Run]:
        """Every problem: value by value, seed by seed."""
        varies = PARAMETERS[self.vary]
        for value in self.values:
            coherence, matrix, roles = self.job.coherence, self.matrix, self.job.roles
            if varies.whole and value.denominator != 1:
                raise UsageError(f"{self.vary} must be a whole number of at least 1", where=self.vary)
            varied: dict[str, Any] = {self.vary: value.numerator if varies.whole else value}
            if varies.rising is not None:
                coherence = replace(coherence, **varied)
            if varies.of_matrix and matrix is not None:
                matrix = matrix._replace(**varied)
                matrix.of(seed=0)  # refuses what is out of its range
            for seed in self.repeats:
                if seed is not None and isinstance(roles, Drawn):
                    delta = value if self.vary == "delta" else roles.delta
                    roles = replace(roles, seed=seed, delta=delta)
                yield Run(value, seed, replace(self.job, coherence=coherence, roles=roles), matrix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Answer):
    """What one method answered at one value, with one seed, "" where the roles are listed.

    Attributes:
        moles: The minimal moles of each size 1..p.
        dropped: The items that occur nowhere any more.
        distortion: The share of the cells that is lost; `None` where there is no answer.
        seconds: What mining and suppressing took by the clock, if there is one; mining is done once for all methods and
            counted in for each.
    """

    moles: tuple[int, ...] = ()
    dropped: int | None = None
    distortion: Fraction | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """One method at one value, over all seeds.

    Attributes:
        value: Of the parameter that is varied, as it is said.
        method: Its name.
        distortions: Ascending; those of the runs that found an answer, and of no other.
        runs: How many there were.
    """

    value: str
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


@dataclass(frozen=True, slots=True, repr=False)
class TransactionSweep(Sweep[Outcome]):
    """What every method answered at every point: by value, seed and method.

    Attributes:
        plan: What was asked.
        items: Of the database, or the first generated one, without those that were removed; `None` for the public, as
            is the next.
        removed: Items below the minimum support.
    """

    plan: Plan = field(kw_only=True)
    items: int | None = None
    removed: int | None = None

    def summaries(self) -> list[Summary]:
        """Value by value, method by method: what came of all seeds."""
        values, _, methods = self.axes
        cells = {cell: list[Fraction]() for cell in product(values.values, methods.values)}
        for one in self.points:
            if one.distortion is not None:
                cells[one.values[0], one.values[2]].append(one.distortion)
        runs = len(self.plan.repeats)
        return [Summary(value, method, tuple(sorted(all_)), runs) for (value, method), all_ in cells.items()]

    def candidates(self) -> Iterator[Candidate]:
        """Every value by a method that had an answer in every run, and the mean loss."""
        sign = 1 if PARAMETERS[self.plan.vary].rising else -1
        for one in self.summaries():
            if one.mean is not None and len(one.distortions) == one.runs:
                yield Candidate((sign * Fraction(one.value),), one.mean, (one.value, one.method))


def sweep(
    source: Transactions | None,
    plan: Plan,
    *,
    on_progress: Callable[[str], None] = lambda _: None,
    clock: Clock | None = None,
) -> TransactionSweep:
    """Answer at every point by every method; the moles of a value and a seed are mined once for all of them.

    Args:
        source: The transactions; `None` for the generated matrices of the plan.
        plan: What is asked.
        on_progress: Called with each point as it begins.
        clock: What tells the time; without one, no seconds are told, and equal sweeps are equal.
    """
    keys: dict[Values, str] = {}
    answers: dict[str, Callable[[], Outcome]] = {}
    every = list(plan.runs())
    for run in every:
        mined = once(partial(_mined, source, plan, run, clock))
        for method in plan.methods:
            values = said(run.value), "" if run.seed is None else str(run.seed), method
            keys[values] = " ".join(values)
            answers[keys[values]] = partial(_outcome, mined, method, clock)

    def tell_values(_: int, values: Values) -> None:
        on_progress(f"{plan.vary} = {values[0]}" + (f", seed {values[1]}" if values[1] else ""))

    points = tuple(run_points(Outcome, keys, answers, {}, on_progress=tell_values).values())
    source = _database(source, every[0])
    kept = int(np.count_nonzero(source.common(plan.job.min_support)))
    removed = len(source.names) - kept
    return TransactionSweep(plan.axes, len(source), plan.fixed, points, plan=plan, items=kept, removed=removed)


def _database(source: Transactions | None, run: Run) -> Transactions:
    if run.matrix is not None:
        return run.matrix.of(run.seed or 0).transactions(run.matrix.rows)
    assert source is not None  # noqa: S101  a plan without matrices comes with a database
    return source


def _mined(source: Transactions | None, plan: Plan, run: Run, clock: Clock | None) -> Mined:
    begun = clock() if clock else 0.0
    problem = problem_at(_database(source, run), plan, run)
    refuse_infeasible(problem)
    return problem, mine(problem), clock() - begun if clock else 0.0


def problem_at(source: Transactions, plan: Plan, run: Run) -> SuppressionProblem:
    """What is asked at one point.

    Roles are drawn for the least h of the sweep, so that a seed has the same ones at every h: drawn for each h, a
    larger one could make more frequent items private, and the curve would show that instead of what h costs.
    """
    drawn = replace(run.job, coherence=replace(run.job.coherence, h=plan.least_h))
    return replace(problem_of(source, drawn), coherence=run.job.coherence)


def _outcome(mined: Callable[[], Mined], method: str, clock: Clock | None) -> Outcome:
    problem, moles, seconds = mined()
    begun = clock() if clock else 0.0
    suppression = METHODS[method].suppress(problem, moles).suppression
    seconds += clock() - begun if clock else 0.0
    return Outcome(
        values=(),
        moles=tuple(map(len, moles.sets)),
        dropped=_dropped(problem.database, suppression),
        distortion=distortion(problem, suppression),
        seconds=seconds if clock else None,
    )


def _dropped(database: Database, suppression: Suppression) -> int:
    match suppression:
        case ItemSuppression(items):
            return items.size
        case CellSuppression(keep):
            kept = held(database, "suppressing cells").kept(keep)
            return int(np.count_nonzero(database.supports) - np.count_nonzero(kept.supports))
        case _:
            assert_never(suppression)
