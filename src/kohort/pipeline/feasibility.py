"""Goals that no recoding can meet, told before any search.

What stops a release whatever its models: columns that single people out, and columns that repeat identifiers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.risk.singling import refuse_needless, refuse_singling
from kohort.core.frequency import ClassProfile, profile
from kohort.errors import InfeasibleError, JobError, SchemaError
from kohort.models.base import satisfied_jointly
from kohort.verify.identifiers import leaks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Index
    from kohort.core.suppression import SuppressionLimit
    from kohort.engines.table import Table
    from kohort.models.base import Declaration, PrivacyModel
    from kohort.release import Job
    from kohort.verify.identifiers import Leak


def refuse_hopeless(problem: Problem, limit: SuppressionLimit | None) -> None:
    """Refuse a diversity that the whole table does not have, and what it fails as one class if all is to be kept.

    What a union of satisfying classes always satisfies, no release without suppression can satisfy where the table
    as one class does not. The size of classes and the population are left to the search: it knows more to say of them.

    Raises:
        InfeasibleError: no release can meet a model.
    """
    frequency = problem.frequency
    values = {domain.name: len(domain) for domain in frequency.sensitive_domains}
    for model in problem.models:
        least, held = model.declared.least_values, values.get(model.declared.sensitive or "", 0)
        if held < least:
            raise InfeasibleError(
                f"{model.name} needs {least} different values, and there are only {held}",
                where=f"column {model.declared.sensitive}",
                hint="ask for less; spellings of one value count as one, and a missing value is none",
            )
    apart = frequency.people is None  # classes that share people are no mere union
    judged = [model for model in problem.models if model.declared.sensitive and _joins(model.declared, apart=apart)]
    if not judged or (limit is not None and limit.among(frequency.records) > 0):
        return
    whole = profile(frequency, np.zeros(frequency.counts.size, np.int64), 1)
    for model in judged:
        if not satisfied_jointly(model, whole):
            name = str(model.declared.sensitive)
            raise InfeasibleError(
                f"the whole table as one class, with {values[name]} different values, does not meet {model.name}",
                where=f"column {name}",
                hint="ask for less, or let a lattice method suppress records",
            )


def _joins(declared: Declaration, *, apart: bool) -> bool:
    """Whether a union of satisfying classes satisfies; `apart`: nobody is counted in several of them."""
    return declared.monotone_generalization and (apart or declared.monotone_suppression)


def refuse_absence(models: Sequence[PrivacyModel], population: Table | None) -> None:
    """Refuse a release of nobody where it tells of somebody that he or she is not in it.

    Raises:
        InfeasibleError: a model of all classes together does not allow that people fit none.
    """
    if population is None:
        return
    none = np.empty(0, np.int64)
    nobody = ClassProfile(none, population=none, outside=population.records)
    for model in models:
        if model.declared.population and not satisfied_jointly(model, nobody):
            raise InfeasibleError(
                f"a release of no records does not satisfy {model.name}",
                where="population",
                hint="everybody in the population table would be known to be absent; bring records",
            )


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
    faults = [_leaking(one) for one in leaks(schema, table, table, np.arange(table.records), k=job.k, allowed=allowed)]
    if faults:
        raise faults[0] if len(faults) == 1 else JobError("released columns hold identifiers", faults)


def refuse_perturbed(released: Table, source: Table, lineage: Index, job: Job) -> None:
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
