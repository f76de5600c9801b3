"""How much of a release's loss no other could avoid: the bound of its table, for its k and its kinds of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kohort.algorithms.mondrian.bound import least_loss
from kohort.engines.local import LOCAL
from kohort.pipeline.problem import problem_of

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.bound import LeastLoss
    from kohort.engines.base import Engine
    from kohort.release import Release


def bound(release: Release, *, engine: Engine = LOCAL) -> LeastLoss | None:
    """What no release of the same table, with the job's k and labels, loses less than; `None` if nothing is released.

    Records that the schema suppresses are lost in every release, and count so.

    Cost: one more count of the table, and up to a minute for some ten thousand different tuples.
    """
    job = release.job
    if not release.sizes.size:
        return None
    problem = problem_of(engine.count(release.records.source, job, release.population).counts, job)
    found, suppressed = least_loss(problem), problem.suppressed_by_schema
    share = problem.frequency.records / (problem.frequency.records + suppressed)
    return replace(found, ncp=found.ncp * share + 1 - share, error=found.error * share)
