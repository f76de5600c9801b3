"""What a search sees of a table, and the problem that it is given.

What the paths of tables and of transactions share: timed stages, the files a run reads, the certificate's place.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from kohort.algorithms.problem import Problem, never
from kohort.engines.complete import entered
from kohort.errors import InfeasibleError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from kohort.core.frequency import FrequencySet
    from kohort.engines.local import LocalEngine
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
        gone: Records that the schema suppresses.
        population: The tuples of the population table.
    """

    records: int
    frequency: FrequencySet
    domains: tuple[Domain, ...]
    gone: int
    population: FrequencySet | None


def entered_by(job: Job, table: Table) -> Table:
    """The records of the table that enter.

    Raises:
        InfeasibleError: none does.
    """
    return entered(table, job.complete, job.schema.missing).table if job.complete else table


def counts_of(engine: LocalEngine, job: Job) -> Counts:
    """The tuples that the job's search looks at.

    Raises:
        InfeasibleError: the schema suppresses every record.
    """
    frequency = engine.count(looked_at(job), distinct=job.algorithm.distinct)
    if not frequency.records:
        what = "every record lacks a value, and the schema suppresses those"
        raise InfeasibleError(what, where="missing = suppress", hint="keep missing values as values of their own")
    return Counts(engine.table.records, frequency, engine.domains, engine.suppressed, engine.population)


def problem_of(counts: Counts, job: Job, *, threads: int = 1) -> Problem:
    """What the job's search is to solve; its time begins now."""
    enough = _deadline(job.time_limit)
    return Problem(counts.frequency, counts.domains, job.models, threads, counts.gone, counts.population, enough)


def looked_at(job: Job) -> tuple[str, ...]:
    """The sensitive attributes that the search must see: the models', or all where ties are dealt by them."""
    if job.algorithm.distinct:
        return tuple(attribute.name for attribute in job.schema.sensitive)
    judged = {model.sensitive for model in job.models}
    return tuple(attribute.name for attribute in job.schema.sensitive if attribute.name in judged)


def _deadline(seconds: float | None) -> Callable[[], bool]:
    """Tells whether so many seconds have passed from now on."""
    if seconds is None:
        return never
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


@dataclass(slots=True)
class Stages:
    """Wall seconds of each stage, and who wants to hear of them."""

    tell: Callable[[str], None]
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def __call__(self, name: str) -> Generator[None]:
        """Tell of stage `name` and time it."""
        self.tell(name)
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


def silent(_: str) -> None:
    """Hear of a stage and do nothing."""


def beside(target: Path) -> Path:
    """Where the certificate of a release stands: `NAME.kohort.json` beside `NAME`."""
    return target.parent / f"{target.name}.kohort.json"  # `.` and `/` have no name that could be replaced


def is_path(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a source is a file, or standard input, rather than something in memory."""
    return isinstance(source, str | os.PathLike)


def paths(source: object) -> tuple[Path, ...]:
    """The files that the target must not be."""
    return (Path(source),) if is_path(source) and source != "-" else ()
