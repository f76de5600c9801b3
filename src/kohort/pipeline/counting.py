"""What a search sees of a table, and the problem that it is given."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohort.algorithms.problem import Problem, never
from kohort.engines.complete import entered
from kohort.engines.local import LocalEngine
from kohort.errors import InfeasibleError
from kohort.pipeline.altering import with_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.core.frequency import FrequencySet
    from kohort.engines.base import Engine
    from kohort.engines.table import Table
    from kohort.release import Job
    from kohort.schema.domain import Domain


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """A table as searches see it.

    Attributes:
        records: Of the table.
        frequency: Its tuples.
        domains: What their codes mean.
        suppressed_by_schema: Records that the schema suppresses.
        population: The tuples of the population table.
    """

    records: int
    frequency: FrequencySet
    domains: tuple[Domain, ...]
    suppressed_by_schema: int
    population: FrequencySet | None


def entered_by(job: Job, table: Table) -> Table:
    """The records of the table that enter.

    Raises:
        InfeasibleError: none does.
    """
    return entered(table, job.complete, job.schema.missing).table if job.complete else table


def engine_of(table: Table, job: Job, population: Table | None = None, *, coarse: Table | None) -> Engine:
    """The engine that holds the records as the job's search judges them.

    Args:
        table: The records that enter, as they were read.
        job: The job; its schema is over the table's columns.
        population: The population table, where a model needs one.
        coarse: The columns that are changed before the search; see `kohort.pipeline.altering.coarsened`.

    Raises:
        InputError: values have no place in their domain.
    """
    return LocalEngine(with_columns(table, coarse), job.schema, population)


def counts_of(engine: Engine, job: Job) -> Counts:
    """The tuples that the job's search looks at.

    Raises:
        InfeasibleError: the schema suppresses every record.
    """
    frequency = engine.count(looked_at(job), distinct=job.algorithm.distinct)
    if not frequency.records:
        what = "every record lacks a value, and the schema suppresses those"
        raise InfeasibleError(what, where="missing = suppress", hint="keep missing values as values of their own")
    return Counts(engine.records, frequency, engine.domains, engine.suppressed, engine.population)


def problem_of(counts: Counts, job: Job, *, threads: int = 1) -> Problem:
    """What the job's search is to solve; its time begins now."""
    should_stop = _deadline(job.time_limit)
    return Problem(
        counts.frequency,
        counts.domains,
        job.models,
        threads,
        counts.suppressed_by_schema,
        counts.population,
        should_stop,
    )


def looked_at(job: Job) -> tuple[str, ...]:
    """The sensitive attributes that the search must see: the models', or all where ties are dealt by them."""
    if job.algorithm.distinct:
        return tuple(attribute.name for attribute in job.schema.sensitive)
    judged = {model.declared.sensitive for model in job.models}
    return tuple(attribute.name for attribute in job.schema.sensitive if attribute.name in judged)


def _deadline(seconds: float | None) -> Callable[[], bool]:
    """Tells whether so many seconds have passed from now on."""
    if seconds is None:
        return never
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end
