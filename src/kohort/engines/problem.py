"""The problem that a search is given, and the outcome that metrics see."""

from __future__ import annotations

import time
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.problem import Problem, never_stop
from kohort.core.frequency import ClassProfile, profile
from kohort.errors import InfeasibleError, SchemaError, combined
from kohort.metrics.base import Outcome
from kohort.models.base import satisfied_jointly
from kohort.system.workspace import HEAP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.core.recoding import RegionClasses
    from kohort.core.suppression import SuppressionLimit
    from kohort.engines.base import Counts
    from kohort.metrics.base import Levels
    from kohort.models.base import Declaration, PrivacyModel
    from kohort.release import Job
    from kohort.schema.domain import Domain
    from kohort.tables.dataset import Dataset


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
    if seconds is None:
        return never_stop
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


# ── what is refused before any search ────────────────────────────────────────────────────────────


def refuse_hopeless(problem: Problem, limit: SuppressionLimit | None) -> None:
    """Refuse a diversity that the whole table does not have, and what it fails as one class if all is to be kept.

    What a union of satisfying classes always satisfies, no release without suppression can satisfy where the table
    as one class does not. The size of classes and the population are left to the search: it knows more to say of them.
    """
    frequency = problem.frequency
    values = {domain.name: len(domain) for domain in frequency.sensitive_domains}
    for model in problem.models:
        least, held = model.declared.least_values, values.get(model.declared.sensitive or "", 0)
        if held < least:
            raise InfeasibleError(
                f"{model.name} needs {least} different values, but there are only {held}",
                where=f"column {model.declared.sensitive}",
                hint="lower the requirement; spellings of one value count as one, a missing value as none",
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
                hint="lower the requirement, or let a lattice method suppress records",
            )


def _joins(declared: Declaration, *, apart: bool) -> bool:
    return declared.monotone_generalization and (apart or declared.monotone_suppression)


def refuse_absence(models: Sequence[PrivacyModel], population: Dataset | None) -> None:
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
                f"a release without records does not satisfy {model.name}",
                where="population",
                hint="an empty release reveals that everyone in the population table is absent; add records",
            )


def refuse_unknown(job: Job) -> None:
    """Refuse perturbations, complete records and answers by columns that the job's schema, the table's, lacks."""
    known = [attribute.name for attribute in job.schema.attributes]
    faults: list[SchemaError] = []
    said = [name for one in job.perturbations for name in one.columns]
    said += [*(() if job.complete == "all" else job.complete), *(job.answers or ())]
    for name in (name for name in said if name not in known):
        near = " or ".join(get_close_matches(name, known))
        hint = near and f"did you mean {near}?"
        faults.append(SchemaError(f"no column is called {name}", where=f"column {name}", hint=hint))
    if faults:
        raise combined("the job does not fit the table", faults)


def outcome_of(
    records: int,
    suppressed: int,
    k: int,
    classes: RegionClasses,
    full_domain: Levels | None,
    *,
    domains: Sequence[Domain],
) -> Outcome:
    """The release as the metrics see it."""
    losses = np.array([*HEAP.side_by_side(lambda one: one.total(classes.regions), classes.labels)])
    varying = np.array([domain.varies for domain in domains], np.bool_)
    return Outcome(records, suppressed, k, classes.sizes, losses, np.ones(losses.size), full_domain, varying=varying)
