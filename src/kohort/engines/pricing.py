"""What jobs would release and lose, in figures: counted once for many of them, of a table or a sample of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

import numpy as np

from kohort.algorithms.mondrian.bound import least_loss
from kohort.assessment.classes import SizeDistribution, sizes_of
from kohort.assessment.labels import canonical, leaves_below
from kohort.assessment.risk.reidentification import THRESHOLD, by_size
from kohort.core.frequency import people_in
from kohort.core.labels import ANY
from kohort.core.recoding import FullDomain, Multidimensional, classes_of
from kohort.engines.base import searched_sensitive
from kohort.engines.local import LOCAL
from kohort.engines.problem import outcome_of, problem_of, refuse_hopeless
from kohort.errors import InfeasibleError, UsageError
from kohort.metrics.base import Detail
from kohort.metrics.known import measured
from kohort.metrics.loss import attribute_losses
from kohort.models.k_anonymity import KAnonymity
from kohort.release.fit import check_population
from kohort.release.job import Job, plain
from kohort.schema import Label, Role, Schema
from kohort.schema.numbers import is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from kohort.algorithms.mondrian.bound import LeastLoss
    from kohort.arrays import Mask
    from kohort.assessment.comparison.line import ColumnLine
    from kohort.assessment.risk.reidentification import Exposure
    from kohort.core.frequency import FrequencySet
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.engines.base import Counts, Engine
    from kohort.metrics.base import Outcome
    from kohort.release import Release
    from kohort.schema import Attribute
    from kohort.tables.dataset import Dataset
    from kohort.tables.table import Table

#: Records that choices are ranked on: enough to compare them, and each is priced in a fraction of a second.
SAMPLED: Final = 5_000


class PointAnswer(NamedTuple):
    """What a job would release.

    Attributes:
        outcome: As the metrics see it.
        node: The level of each quasi-identifier; empty where the method has none.
        exposure: The prosecutor's.
    """

    outcome: Outcome
    node: tuple[int, ...]
    exposure: Exposure


def counted_alike(job: Job) -> str:
    """What jobs over one table share that are answered from the same counts."""
    same = plain(job.schema), searched_sensitive(job), job.algorithm.distinct
    asked = same, plain(job.perturbations), job.complete, _needs_population(job)
    return json.dumps(asked, sort_keys=True)


def count(data: Dataset, job: Job, population: Dataset | None) -> Counts:
    """Count the tuples that the job's search looks at; its schema is over the table's columns.

    The population table is left alone where no model needs it: its values would widen the domains. Columns that single
    people out are not refused, since nothing is released.

    Raises:
        UsageError: the schema does not go with what the columns hold, or a population table is needed.
        InputError: values have no place in their domain.
        InfeasibleError: the schema suppresses every record.
    """
    known = population if _needs_population(job) else None
    check_population(job, known)
    return LOCAL.count(data, job, known).counts


def answer(counts: Counts, job: Job) -> PointAnswer:
    """Solve what the job asks, by one thread.

    Raises:
        InfeasibleError: no release can meet the models.
        LimitError: the lattice is too large.
    """
    problem, frequency = problem_of(counts, job), counts.frequency
    refuse_hopeless(problem, job.algorithm.limit)
    solution = job.algorithm.solve(problem)
    classes = classes_of(solution.recoding, frequency, counts.domains)
    suppressed = counts.suppressed_by_schema + classes.suppressed
    levels = solution.candidates[0].outcome.full_domain if solution.candidates else None
    outcome = outcome_of(counts.records, suppressed, job.k, classes, levels, domains=counts.domains)
    return PointAnswer(
        replace(outcome, detail=Detail(frequency, counts.domains, solution.recoding, classes)),
        solution.recoding.levels if isinstance(solution.recoding, FullDomain) else (),
        by_size(_distribution(frequency, solution.recoding, classes, job.schema.missing), THRESHOLD),
    )


def _needs_population(job: Job) -> bool:
    return any(model.declared.population for model in job.models)


def _distribution(
    frequency: FrequencySet, recoding: Recoding, classes: RegionClasses, missing: Collection[str]
) -> SizeDistribution:
    """How many people would be in classes of each size; suppressed records are in none."""
    told = _telling(classes, missing)
    if frequency.people is None:
        sizes, place = np.unique(classes.sizes[told], return_inverse=True)
        return SizeDistribution(sizes, np.bincount(place, weights=classes.sizes[told]).astype(np.int64))
    match recoding:
        case Multidimensional():
            recoding = recoding.released
            pieces, regions = frequency.take(recoding.tuples, recoding.counts), recoding.regions
        case FullDomain():
            kept = recoding.of >= 0
            pieces, regions = frequency.take(kept, frequency.counts[kept]), recoding.of[kept]
        case _:
            assert_never(recoding)
    of = classes.of[regions]
    people = people_in(of, classes.sizes.size, pieces.counts, pieces.people)
    some = told[of]
    return sizes_of(pieces.take(some, pieces.counts[some]), of[some], people)


def _telling(classes: RegionClasses, missing: Collection[str]) -> Mask:
    """(c,) whether a class has another label than `*`; see `kohort.tables.complete.unsuppressed`."""
    told = np.zeros(classes.sizes.size, np.bool_)
    for labels in classes.labels:
        anything = [place for place, text in enumerate(labels.texts) if text == ANY]
        told |= ~np.isin(labels.of[classes.first], anything)
    return told if told.any() and ANY not in missing else np.ones_like(told)


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
        what = "the release prints numbers that the table does not have, such as means, whose loss is unknown"
        raise UsageError(what, where=f"column {line.name}", hint="leave --bound out")
    nodes = set[str]() if domain.hierarchy is None else {*leaves_below(domain.hierarchy)}
    if any(text.startswith("{") for text in printed) or (not line.numeric and not nodes >= {*printed}):
        return replace(domain.attribute, label=Label.SET, grid=None)
    return domain.attribute
