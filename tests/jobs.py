"""Jobs for tests that are about something else than what a job must say before anything is released."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kohort import Job


def freely(job: Job) -> Job:
    """The job, with leave to release sensitive columns without a model, and any column that singles people out."""
    modelled = {model.declared.sensitive for model in job.models}
    free = tuple(one.name for one in job.schema.sensitive if one.name not in modelled)
    unchanged = tuple(one.name for one in job.schema.released if not one.pseudonym)
    return replace(job, no_model=free, allow_singling=job.allow_singling or unchanged)
