"""How much of a release's loss no other could avoid: the bound of its table, for its k and its kinds of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kohort.algorithms.mondrian.bound import least_loss
from kohort.pipeline.counting import counts_of, engine_of, problem_of

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.bound import LeastLoss
    from kohort.release import Release


def bound(release: Release) -> LeastLoss | None:
    """What no release of the same table, with the job's k and labels, loses less than; `None` if nothing is released.

    Records that the schema suppresses are lost in every release, and count so.

    Cost: one more count of the table, and up to a minute for some ten thousand different tuples.
    """
    job = release.job
    if not release.sizes.size:
        return None
    engine = engine_of(release.source, job, release.population, coarse=release.coarsened)
    problem = problem_of(counts_of(engine, job), job)
    found, suppressed = least_loss(problem), problem.suppressed_by_schema
    share = problem.frequency.records / (problem.frequency.records + suppressed)
    return replace(found, ncp=found.ncp * share + 1 - share, error=found.error * share)
