"""How much of a release's loss no other could avoid: the bound of its table, for its k and its kinds of labels."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from kohort.algorithms.mondrian.bound import least_loss
from kohort.assessment.labels import canonical, leaves_below
from kohort.engines.local import LOCAL
from kohort.errors import UsageError
from kohort.models.k_anonymity import KAnonymity
from kohort.pipeline.problem import problem_of
from kohort.release.job import Job, plain
from kohort.schema import Label, Role, Schema
from kohort.schema.numbers import is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from kohort.algorithms.mondrian.bound import LeastLoss
    from kohort.assessment.comparison.line import ColumnLine
    from kohort.engines.base import Counts, Engine
    from kohort.release import Release
    from kohort.schema import Attribute
    from kohort.tables.table import Table


def bound(release: Release, *, engine: Engine = LOCAL) -> LeastLoss | None:
    """What no release of the same table, with the job's k and labels, loses less than; `None` if nothing is released.

    Cost: one more count of the table, and that of `bound_of`.
    """
    if not release.sizes.size:
        return None
    return bound_of(engine.count(release.records.source, release.job, release.population).counts, release.job)


def bound_of(counts: Counts, job: Job) -> LeastLoss:
    """What no release of these tuples, with the job's k and labels, loses less than.

    Records that the schema suppresses are lost in every release, and count so.

    Cost: up to a minute for some ten thousand different tuples.
    """
    problem = problem_of(counts, job)
    found, suppressed = least_loss(problem), problem.suppressed_by_schema
    share = problem.frequency.records / (problem.frequency.records + suppressed)
    return replace(found, ncp=found.ncp * share + 1 - share, error=found.error * share)


def bounded_alike(job: Job) -> str:
    """What jobs over one table share that have the same bound: k, and what is released as which kind of label."""
    return json.dumps((job.k, plain(job.schema), plain(job.perturbations), job.complete), sort_keys=True)


def bound_of_table(table: Table, lines: Sequence[ColumnLine], k: int, *, missing: AbstractSet[str]) -> LeastLoss:
    """What no release of a table by classes of k records loses less than, with labels like those of a release.

    Args:
        table: The records.
        lines: The quasi-identifiers of both, as `kohort.assessment.comparison` reads them.
        k: The size of the release's classes.
        missing: The texts that mean no value.

    Raises:
        UsageError: a label is the mean of a class, whose loss nothing tells.
    """
    attributes = tuple(_labelled(line) for line in lines)
    job = Job.of(Schema(attributes, frozenset(missing), Role.DROP), KAnonymity(k))
    return bound_of(LOCAL.count(table, job).counts, job)


def _labelled(line: ColumnLine) -> Attribute:
    """The quasi-identifier, released by labels that lose no more than those that its release prints."""
    domain, printed = line.known.domain, line.after.texts
    assert domain is not None  # noqa: S101  every quasi-identifier has one
    known = {canonical(text) for text in domain.texts}
    if line.numeric and any(is_numeric_text((text,)) and canonical(text) not in known for text in printed if text):
        what = "the release prints numbers that the table does not have, such as means: what they lose is not known"
        raise UsageError(what, where=f"column {line.name}", hint="leave --bound out")
    nodes = set[str]() if domain.hierarchy is None else {*leaves_below(domain.hierarchy)}
    if any(text.startswith("{") for text in printed) or (not line.numeric and not nodes >= {*printed}):
        return replace(domain.attribute, label=Label.SET, grid=None)
    return domain.attribute
