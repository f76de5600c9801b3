"""Columns that no release may have, whatever its models: they single people out, or repeat identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.risk.singling import refuse_needless, refuse_singling
from kohort.errors import JobError, SchemaError
from kohort.verify.identifiers import leaks

if TYPE_CHECKING:
    from kohort.arrays import Numbers
    from kohort.release import Job
    from kohort.tables.table import Table
    from kohort.verify.identifiers import Leak


def refuse_unsafe(table: Table, job: Job) -> None:
    """Refuse what can be seen before the search; the job's schema is over the table's columns.

    Raises:
        SchemaError: a column that would be released as it is singles out more than half of the people, or a released
            one holds cells of an identifying one, and the job does not allow it.
        JobError: there are several such columns.
    """
    schema, allowed = job.schema, job.allow_singling
    refuse_needless(schema, allowed)
    people = None if schema.person is None else table[schema.person].codes.astype(np.int64)
    perturbed = {name for one in job.perturbations for name in one.columns}
    names = [one.name for one in schema.unchanged if one.name not in {*allowed, *perturbed}]
    refuse_singling(table, names, missing=schema.missing, people=people)
    every = np.arange(table.records, dtype=np.uint32)
    faults = [_leaking(one) for one in leaks(schema, table, table, every, k=job.k, allowed=allowed)]
    if faults:
        raise faults[0] if len(faults) == 1 else JobError("released columns hold identifiers", faults)


def refuse_perturbed(released: Table, source: Table, lineage: Numbers, job: Job) -> None:
    """Refuse perturbed columns that single people out as they are released.

    Raises:
        SchemaError: one does.
        JobError: several do.
    """
    names = [name for one in job.perturbations for name in one.columns if name not in job.allow_singling]
    people = None if job.schema.person is None else source[job.schema.person].codes.take(lineage).astype(np.int64)
    refuse_singling(released, names, missing=job.schema.missing, people=people)


def _leaking(one: Leak) -> SchemaError:
    """The error of one column."""
    return SchemaError(
        one.told,
        where=f"column {one.released}",
        hint=f"drop it, or take the identifiers out of it; to release it all the same: --allow-singling {one.released}"
        " (in a job file allow-singling = true, in Python Job.allow_singling)",
    )
