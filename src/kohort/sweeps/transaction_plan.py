"""What a sweep over transaction databases is asked: which parameter takes which values, and what stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

import numpy as np

from kohort.errors import UsageError
from kohort.generate.matrix import Matrix
from kohort.transactions.database import Transactions
from kohort.transactions.methods import METHODS
from kohort.transactions.roles import Drawn
from kohort.transactions.suppression import Score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.release.transactions import TransactionJob
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.roles import RoleChoice

#: What is compared where nothing is said, and the seeds of drawn roles.
SCORES: Final = tuple(map(str, Score))
SEEDS: Final = (1, 2, 3)


class Parameter(StrEnum):
    """What can be varied."""

    H = "h"
    K = "k"
    P = "p"
    DELTA = "delta"
    ROWS = "rows"
    COLUMNS = "columns"
    DENSITY = "density"


#: What only generated matrices have.
OF_MATRIX: Final = frozenset({Parameter.ROWS, Parameter.COLUMNS, Parameter.DENSITY})


class Generated(NamedTuple):
    """Matrices to sweep over instead of a database: a seed draws its own, and the roles in it."""

    rows: int = 10_000
    columns: int = 100
    density: Fraction = Fraction(1, 10)

    def database(self, seed: int) -> Transactions:
        """The transactions of a seed; items are called by their places.

        Raises:
            UsageError: a number is out of its range.
        """
        made = Matrix(columns=self.columns, density=float(self.density), seed=seed)
        cells, lengths = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
        for batch in made.batches(self.rows):
            lengths.append(batch.sum(axis=1))
            cells.append(np.nonzero(batch)[1].astype(np.int32))
        names = tuple(map(str, range(self.columns)))
        return Transactions(names, np.cumsum(np.concatenate(lengths)), np.concatenate(cells))


class Run(NamedTuple):
    """One point of a sweep: all methods answer the same problem.

    Attributes:
        value: Of the parameter that is varied.
        seed: Of the roles; `None` where they are listed.
        job: With both.
        matrix: What its database is drawn from; `None` where there is one for all.
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
        methods: What is compared: names in `kohort.transactions.methods`.
        seeds: Of drawn roles and generated matrices. Listed roles in a database need none.
        matrix: Generated matrices instead of a database.

    Raises:
        UsageError: a value is out of its range or said twice, or nothing is varied or compared.

    >>> from kohort.release.transactions import TransactionJob
    >>> from kohort.transactions.coherence import Coherence
    >>> job = TransactionJob(coherence=Coherence.of(h=0.5, k=2, p=2), roles=Drawn(delta=Fraction(1, 2)))
    >>> [(run.seed, run.job.coherence.name) for run in Plan.of(job, "k", [10, 5]).runs()][::3]
    [(1, '(0.5, 5, 2)-coherence'), (1, '(0.5, 10, 2)-coherence')]
    """

    job: TransactionJob
    vary: Parameter
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
        if vary not in tuple(Parameter):
            what = "only h, k, p and delta can be varied, and rows, columns and density of generated matrices"
            raise UsageError(what, where="vary", hint="such as k=5,10,20")
        try:
            exact = tuple(sorted(one if isinstance(one, Fraction) else Fraction(str(one)) for one in values))
        except (ValueError, ZeroDivisionError):
            raise UsageError("a value is not a number", where="vary", hint="numbers such as 5, 0.4 or 2/5") from None
        return cls(
            job=job, vary=Parameter(vary), values=exact, methods=tuple(methods), seeds=tuple(seeds), matrix=matrix
        )

    def __post_init__(self) -> None:
        """Refuse a sweep that compares nothing, or the same twice."""
        for where, given in (("vary", self.values), ("methods", self.methods), ("seeds", self.seeds)):
            if not given or len(set(given)) < len(given):
                raise UsageError("give at least one, and none twice", where=where)
        unknown = [name for name in self.methods if name not in METHODS]
        if unknown:
            what = f"there is no method {unknown[0]}"
            raise UsageError(what, where="methods", hint=f"one of {', '.join(METHODS)}")
        if self.vary is Parameter.DELTA and not isinstance(self.job.roles, Drawn):
            raise UsageError("delta can be varied only where the roles are drawn", where="vary")
        if self.vary in OF_MATRIX and self.matrix is None:
            raise UsageError(f"{self.vary} can be varied only of generated matrices", where="vary")
        for _ in self.runs():  # each refuses what is out of its range
            pass

    def fixed(self) -> list[tuple[Parameter, Fraction]]:
        """What stays as it is: each parameter that is not varied and has a value here."""
        model, roles = self.job.coherence, self.job.roles
        pairs = [(Parameter.H, model.h), (Parameter.K, Fraction(model.k)), (Parameter.P, Fraction(model.p))]
        pairs += [(Parameter.DELTA, roles.delta)] if isinstance(roles, Drawn) else []
        if self.matrix is not None:
            pairs += [(Parameter(name), Fraction(value)) for name, value in self.matrix._asdict().items()]
        return [(name, value) for name, value in pairs if name is not self.vary]

    @property
    def least_h(self) -> Fraction:
        """The least share h of all points: what drawn roles are drawn for."""
        return self.values[0] if self.vary is Parameter.H else self.job.coherence.h

    @property
    def repeats(self) -> tuple[int | None, ...]:
        """What is repeated at each value: the seeds, or once without one where nothing is drawn."""
        return self.seeds if isinstance(self.job.roles, Drawn) or self.matrix is not None else (None,)

    def runs(self) -> Iterator[Run]:
        """Every point: value by value, seed by seed."""
        for value in self.values:
            coherence, matrix = self._promise(value), self._drawn_from(value)
            for seed in self.repeats:
                yield Run(value, seed, replace(self.job, coherence=coherence, roles=self._roles(value, seed)), matrix)

    def _drawn_from(self, value: Fraction) -> Generated | None:
        """The matrices where the parameter has this value."""
        if self.matrix is None or self.vary not in OF_MATRIX:
            return self.matrix
        match self.vary:
            case Parameter.DENSITY:
                made = self.matrix._replace(density=value)
            case Parameter.COLUMNS:
                made = self.matrix._replace(columns=_whole(value, "columns"))
            case _:
                made = self.matrix._replace(rows=_whole(value, "rows"))
        if made.rows < 1:
            raise UsageError("rows must be a whole number of at least 1", where="rows")
        Matrix(columns=made.columns, density=float(made.density), seed=0)
        return made

    def _promise(self, value: Fraction) -> Coherence:
        """The promise where the parameter has this value."""
        model = self.job.coherence
        match self.vary:
            case Parameter.H:
                return replace(model, h=value)
            case Parameter.K:
                return replace(model, k=_whole(value, "k"))
            case Parameter.P:
                return replace(model, p=_whole(value, "p"))
            case Parameter.DELTA | Parameter.ROWS | Parameter.COLUMNS | Parameter.DENSITY:
                return model
            case _:
                assert_never(self.vary)

    def _roles(self, value: Fraction, seed: int | None) -> RoleChoice:
        """The roles where the parameter has this value."""
        roles = self.job.roles
        if seed is None or not isinstance(roles, Drawn):
            return roles
        return replace(roles, seed=seed, delta=value if self.vary is Parameter.DELTA else roles.delta)


def _whole(value: Fraction, where: str) -> int:
    """A value of k or p."""
    if value.denominator != 1:
        raise UsageError(f"{where} must be a whole number of at least 1", where=where)
    return value.numerator
