"""The problem that a search is given."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kohort.algorithms.problem import Problem, never

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.engines.base import Counts
    from kohort.release import Job


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
        counts.workspace,
    )


def _deadline(seconds: float | None) -> Callable[[], bool]:
    """Tells whether so many seconds have passed from now on."""
    if seconds is None:
        return never
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end
