"""What is counted once for many jobs, and what each job would release of it, in figures: no record is recoded."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, assert_never

import numpy as np

from kohort.engines.local import LocalEngine
from kohort.errors import InfeasibleError
from kohort.frequency import people_in
from kohort.pipeline import looked_at, outcome_of
from kohort.pipeline.feasibility import refuse_hopeless
from kohort.problem import Problem, never
from kohort.recoding import FullDomain, Multidimensional, classes_of
from kohort.release import plain
from kohort.release.fit import check_population
from kohort.risk.classes import Exposed, exposed
from kohort.risk.reidentification import THRESHOLD, by_size
from kohort.risk.singling import refuse_singling

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.domain import Domain
    from kohort.engines.table import Table
    from kohort.frequency import FrequencySet
    from kohort.metrics.base import Outcome
    from kohort.recoding import Classes, Recoding
    from kohort.release import Job
    from kohort.risk.reidentification import Exposure


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """A table as searches see it.

    Attributes:
        records: Of the table.
        frequency: Its tuples.
        domains: What their codes mean.
        gone: Records that the schema suppresses.
        population: The tuples of the population table.
    """

    records: int
    frequency: FrequencySet
    domains: tuple[Domain, ...]
    gone: int
    population: FrequencySet | None


class Answer(NamedTuple):
    """What a job would release.

    Attributes:
        outcome: As the metrics see it.
        node: The level of each quasi-identifier; empty where the method has none.
        exposure: The prosecutor's.
    """

    outcome: Outcome
    node: tuple[int, ...]
    exposure: Exposure


def counted_alike(job: Job) -> str:
    """What jobs over one table share that are answered from the same counts."""
    same = plain(job.schema), looked_at(job), job.algorithm.distinct, sorted(job.allow_singling), _needs_population(job)
    return json.dumps(same, sort_keys=True)


def count(table: Table, job: Job, population: Table | None) -> Counts:
    """Count the tuples that the job's search looks at; its schema is over the table's columns.

    The population table is left alone where no model needs it: its values would widen the domains.

    Raises:
        UsageError: the schema does not go with what the columns hold, or a population table is needed.
        InputError: values have no place in their domain.
        InfeasibleError: the schema suppresses every record.
    """
    known = population if _needs_population(job) else None
    check_population(job, known)
    refuse_singling(table, job.schema, job.allow_singling)
    engine = LocalEngine(table, job.schema, known)
    frequency = engine.count(looked_at(job), distinct=job.algorithm.distinct)
    if not frequency.records:
        what = "every record lacks a value, and the schema suppresses those"
        raise InfeasibleError(what, where="missing = suppress", hint="keep missing values as values of their own")
    return Counts(table.records, frequency, engine.domains, engine.suppressed, engine.population)


def answer(counts: Counts, job: Job) -> Answer:
    """Solve what the job asks, by one thread.

    Raises:
        InfeasibleError: no release can meet the models.
        LimitError: the lattice is too large.
    """
    frequency, domains = counts.frequency, counts.domains
    enough = never if job.time_limit is None else _after(job.time_limit)
    problem = Problem(frequency, domains, job.models, gone=counts.gone, population=counts.population, enough=enough)
    refuse_hopeless(problem, job.algorithm.limit)
    solution = job.algorithm.solve(problem)
    classes = classes_of(solution.recoding, frequency, domains)
    suppressed = counts.gone + classes.suppressed
    levels = solution.candidates[0].outcome.full_domain if solution.candidates else None
    return Answer(
        outcome_of(counts.records, suppressed, job.k, classes, levels),
        solution.recoding.levels if isinstance(solution.recoding, FullDomain) else (),
        by_size(_exposed(frequency, solution.recoding, classes), THRESHOLD),
    )


def _needs_population(job: Job) -> bool:
    """Whether a model compares classes with the population table."""
    return any(model.population for model in job.models)


def _after(seconds: float) -> Callable[[], bool]:
    """Tells whether so many seconds have passed from now on."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def _exposed(frequency: FrequencySet, recoding: Recoding, classes: Classes) -> Exposed:
    """How many would hide among how many in the release."""
    if frequency.people is None:
        sizes, place = np.unique(classes.sizes, return_inverse=True)
        return Exposed(sizes, np.bincount(place, weights=classes.sizes).astype(np.int64))
    match recoding:
        case Multidimensional():
            pieces, regions = frequency.take(recoding.tuples, recoding.counts), recoding.regions
        case FullDomain():
            kept = recoding.of >= 0
            pieces, regions = frequency.take(kept, frequency.counts[kept]), recoding.of[kept]
        case _:
            assert_never(recoding)
    of = classes.of[regions]
    return exposed(pieces, of, people_in(of, classes.sizes.size, pieces.counts, pieces.people))
