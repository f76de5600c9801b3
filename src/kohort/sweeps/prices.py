"""What a job costs: the detail that its release would lose, of a whole table or of a sample of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.errors import InfeasibleError
from kohort.metrics.known import measured
from kohort.metrics.loss import attribute_losses
from kohort.sweeps.counting import answer, count, counted_alike

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.engines.base import Counts
    from kohort.release import Job
    from kohort.tables.dataset import Dataset
    from kohort.tables.table import Table

#: Records that choices are ranked on: enough to compare them, and each is priced in a fraction of a second.
SAMPLED: Final = 5_000


class Price(NamedTuple):
    """What a release would lose.

    Attributes:
        loss: The NCP: the mean loss of the quasi-identifiers that have several values.
        losses: The loss of each quasi-identifier.
        constant: Those that have one value.
        highest: The highest risk of a person: 1 divided by the size of the smallest class.
    """

    loss: float
    losses: Mapping[str, float]
    constant: tuple[str, ...]
    highest: float


def sampled(table: Table, most: int = SAMPLED) -> Table:
    """At most so many records, evenly spread over the table; the table itself, where it has no more."""
    if table.records <= most:
        return table
    return table.take(np.linspace(0, table.records - 1, most).astype(np.int64))


def of_sample(job: Job, *, whole: bool = False) -> Job:
    """The job as a sample can be asked it: as many records as a perturbation needs may not lie in it.

    Args:
        job: The job.
        whole: Whether the sample is the table; then the job is what it is.
    """
    return job if whole else replace(job, perturbations=tuple(one.of_sample() for one in job.perturbations))


def priced(
    data: Dataset, job: Job, *, population: Dataset | None = None, counted: dict[str, Counts] | None = None
) -> Price | None:
    """What the release of a job loses; `None` where there is no release. Of the whole table it is what a run tells.

    Args:
        data: The records; see `sampled`.
        job: The job.
        population: The population table, if a model needs one.
        counted: Keeps what is counted, for other jobs over the same records.

    Raises:
        UsageError: the schema does not go with the table, or has no quasi-identifier.
    """
    job = replace(job, schema=job.schema.over(data.names))
    counted = {} if counted is None else counted
    key = counted_alike(job)
    try:
        if key not in counted:
            counted[key] = count(data, job, population)
        found = answer(counted[key], job)
    except InfeasibleError:
        return None
    names = [one.name for one in job.schema.quasi]
    losses = dict(zip(names, attribute_losses(found.outcome).tolist(), strict=True))
    constant = tuple(one.attribute.name for one in counted[key].domains if not one.varies)
    return Price(measured(found.outcome)["ncp"], losses, constant, found.exposure.highest)
