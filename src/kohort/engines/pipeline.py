"""The whole path: read, count, solve, recode, write, verify, publish."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from kohort.algorithms.method import on_nodes
from kohort.assessment.risk.telling import LOOKED_AT, Hidden, tellings
from kohort.certificate.table import certificate
from kohort.core.recoding import FullDomain, classes_of
from kohort.engines.local import LOCAL
from kohort.engines.outlets import Publication, Stages, check, is_path, no_progress, outlet, paths, written_as
from kohort.engines.problem import outcome_of, problem_of, refuse_absence, refuse_hopeless, refuse_unknown
from kohort.errors import LimitError, UnsupportedError, UsageError
from kohort.io.tables import table_within
from kohort.io.typed import kind_of
from kohort.metrics.base import kept_of
from kohort.metrics.known import measured
from kohort.metrics.loss import attribute_losses
from kohort.publish import Companion, check_target, publish
from kohort.release import Job, Release
from kohort.release.fit import check_population, refuse_unmodelled
from kohort.tables.dataset import ReleasedRecords
from kohort.tables.people import person_codes
from kohort.tables.recoded import RecodedTable
from kohort.tables.table import Table
from kohort.verify import Claim, verify_table

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Index
    from kohort.assessment.risk.telling import Telling
    from kohort.engines.base import Engine
    from kohort.io.manifest import WrittenPart
    from kohort.io.options import ReadOptions
    from kohort.tables.dataset import Dataset
    from kohort.tables.notation import Notation
    from kohort.verify import Verdict


def accept_all(_: Problem) -> None:
    """Refuse nothing."""


@dataclass(frozen=True, slots=True)
class Report:
    """A file to publish with a release.

    Attributes:
        path: Where it goes.
        content: Writes it from the verified release.
        fits: Refuses a problem whose release it could not describe, before any search.
    """

    path: Path
    content: Callable[[Release], bytes]
    fits: Callable[[Problem], None] = accept_all


def anonymize(
    source: object,
    job: Job,
    *,
    population: object = None,
    target: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int = 1,
    on_progress: Callable[[str], None] = no_progress,
    reports: tuple[Report, ...] = (),
    inputs: tuple[Path, ...] = (),
    engine: Engine = LOCAL,
    staging: Path | None = None,
) -> Release:
    """Make a verified release of `source`; see `kohort.anonymize`, whose arguments are told there.

    A target may also be `FOLDER/`, for a folder of Parquet, or a table of a database that exists, `FILE#TABLE` or
    `postgresql://USER@HOST/DATABASE#TABLE`. `tell` is called with the name of each stage as it begins; `reports` are
    published with the release, or not at all; no output may replace `inputs`; parts lie in `staging` until they are in
    an object store.
    """
    stage = Stages(on_progress)
    check_population(job, population)
    engine.refuse_format(None if target is None else written_as(target, job.writing))
    if target is not None:
        inputs = (*paths(source), *paths(population), *inputs)
        companions = [report.path for report in reports]
        sources = [one for one in (source, population) if is_path(one)]
        check(outlet(target, job.writing), sources, overwrite=overwrite, inputs=inputs, companions=companions)
    with stage("read"):
        data, known = read(engine, source, population, job)
    release = solve(data, job, population=known, threads=threads, stage=stage, reports=reports, engine=engine)
    release = replace(release, like=_like(source))
    if target is None:
        with stage("verify"):
            return replace(release, verdict=verify_table(release.table, claim_of(release)))
    return save(
        release,
        target,
        overwrite=overwrite,
        inputs=inputs,
        stage=stage,
        reports=reports,
        engine=engine,
        staging=staging,
    )


def read(engine: Engine, source: object, population: object, job: Job) -> tuple[Dataset, Dataset | None]:
    """The records, and those of the population table where there is one.

    Raises:
        UsageError: both are standard input.
    """
    if is_path(source) and is_path(population) and source == population == "-":
        raise UsageError("standard input can be read only once", where="population", hint="give the table as a file")
    data = engine.read(source, job.reading)
    return data, None if population is None else engine.read(population, job.reading)


def dry_run(
    source: object,
    job: Job,
    *,
    population: object = None,
    overwrite: bool = False,
    threads: int = 1,
    on_progress: Callable[[str], None] = no_progress,
    reports: tuple[Report, ...] = (),
    inputs: tuple[Path, ...] = (),
    engine: Engine = LOCAL,
) -> Release:
    """What `anonymize` would release and what it would cost; only reports are written, and nothing is verified."""
    stage = Stages(on_progress)
    check_population(job, population)
    inputs = (*paths(source), *paths(population), *inputs)
    for report in reports:
        check_target(report.path, overwrite=overwrite, inputs=inputs)
    with stage("read"):
        data, known = read(engine, source, population, job)
    release = solve(data, job, population=known, threads=threads, stage=stage, reports=reports, engine=engine)
    for report in reports:
        content = report.content(release)
        publish(report.path, methodcaller("write", content), lambda _: None, overwrite=overwrite, inputs=inputs)
    return release


def solve(
    data: Dataset,
    job: Job,
    *,
    population: Dataset | None = None,
    threads: int,
    stage: Stages,
    reports: tuple[Report, ...] = (),
    engine: Engine = LOCAL,
) -> Release:
    """Count, solve and recode: a release that nobody has verified yet."""
    job = replace(job, schema=job.schema.over(data.names), reading=_as_written(data, job.reading))
    refuse_unknown(job)
    refuse_unmodelled(job)
    if not data.records:
        refuse_absence(job.models, population)
        return replace(_nothing(data.collect(), job, stage.seconds), population=population)
    with stage("count"):
        counted = engine.count(data, job, population, releasing=True)
        counts = counted.counts
        job = replace(job, schema=counts.schema)
    with stage("solve"):
        problem = problem_of(counts, job, threads=threads)
        refuse_hopeless(problem, job.algorithm.limit)
        for report in reports:
            report.fits(problem)
        if counted.search is None:
            solution, classes = job.algorithm.solve(problem), None
        else:
            solution, classes = counted.search(problem, job.algorithm)
    with stage("recode"):
        if classes is None:
            classes = classes_of(solution.recoding, counts.frequency, counts.domains, counts.workspace)
        released = counted.recode(solution.recoding, classes)
        told = told_of(released, job)
    suppressed = counts.suppressed_by_schema + classes.suppressed
    node = solution.recoding.levels if isinstance(solution.recoding, FullDomain) else ()
    full = solution.candidates[0].outcome.full_domain if solution.candidates else None
    outcome = outcome_of(counts.records, suppressed, job.k, classes, full, domains=counts.domains)
    names = [one.name for one in job.schema.quasi]
    return Release(
        job,
        released,
        suppressed,
        classes.sizes,
        metrics=measured(outcome),
        losses=dict(zip(names, attribute_losses(outcome).tolist(), strict=True)),
        constant=tuple(one.attribute.name for one in counts.domains if not one.varies),
        kept={
            name: kept_of(domain, labels, solution.recoding, classes.regions, suppressed)
            for name, domain, labels in zip(names, counts.domains, classes.labels, strict=True)
        },
        trace=solution.trace,
        proven=solution.proven,
        seconds=stage.seconds,
        problem=problem if on_nodes(job.algorithm) else None,
        levels=dict(zip(names, node, strict=False)),
        refined=dict(zip(names, () if node else solution.refined, strict=False)),
        candidates=solution.candidates,
        bound=solution.bound,
        population=population,
        telling=told,
    )


def _as_written(data: Dataset, reading: ReadOptions) -> ReadOptions:
    notations: Mapping[str, Notation] = getattr(data, "notations", {})
    marks = {one.decimal for one in notations.values()}
    return replace(reading, decimal=marks.pop()) if marks else reading


def _nothing(table: Table, job: Job, seconds: Mapping[str, float]) -> Release:
    """The release of a table of no records, where the job allows one: its columns, and no class."""
    released = Table(tuple(table[attribute.name] for attribute in job.schema.released), 0)
    none = np.empty(0, np.int64)
    records = ReleasedRecords(released, table, table, none, None, None, np.empty(0))
    return Release(job, records, 0, none, metrics={}, losses={}, trace={}, proven=True, seconds=seconds)


def save(
    release: Release,
    target: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    inputs: tuple[Path, ...] = (),
    stage: Stages | None = None,
    reports: tuple[Report, ...] = (),
    engine: Engine = LOCAL,
    staging: Path | None = None,
) -> Release:
    """Publish `release` at `target` with its certificate beside it: verified on the written bytes, all or nothing.

    Raises:
        UsageError: the job names a format or `excel_safe`, and the target is a table of a database.
        TargetError: the target exists (and `overwrite` is false) or is an input.
        VerificationError: the written bytes are not what was promised; nothing was published.
        FileError: writing failed; nothing was published.
    """
    stage = stage or Stages(no_progress, dict(release.seconds))
    writing = release.job.writing
    where, format_ = outlet(target, writing)._replace(staging=staging), written_as(target, writing)
    claim = claim_of(release, format_) if where.table is None else replace(claim_of(release), separator=",")  # as CSV

    def write_release(into: BinaryIO | Path) -> Sequence[WrittenPart]:
        return engine.write(release.records, into, format_, writing)

    def certify(verdict: Verdict) -> bytes:
        return certificate(
            verdict,
            where.name,
            job=release.job,
            metrics=release.metrics,
            levels=release.levels,
            refined=release.refined,
            effects=release.effects,
            linked=release.linked,
        )

    separator, verify = writing.separator if format_.form.is_text else "", partial(engine.verify, claim=claim)
    finish = partial(replace, release)
    publication = Publication(write_release, verify, certify, finish, writing.sign_key, format_.value, separator)
    companions = [Companion(report.path, report.content) for report in reports]
    return publication.publish(where, stage, companions, overwrite=overwrite, inputs=inputs)


def _like(source: object) -> str:
    return "polars" if is_path(source) or table_within(source) else kind_of(source)


def claim_of(release: Release, format_: str = "csv") -> Claim:
    """The claims of the release to verify."""
    limit, records = release.job.algorithm.limit, release.records
    return Claim(
        schema=release.job.schema,
        models=release.job.models,
        source=records.whole,
        lineage=records.lineage if records.entered is None else records.entered.take(records.lineage),
        complete=release.job.complete,
        incomplete=release.incomplete,
        suppressed=release.suppressed,
        format=format_,
        separator=release.job.writing.separator,
        excel_safe=release.job.writing.excel_safe,
        levels=release.levels,
        refined=release.refined,
        limit=limit.among(release.problem.frequency.records) if limit and release.problem else 0,
        population=release.population,
        effects=records.effects,
        coarsened=records.coarsened,
        key=release.job.key,
        allowed=release.job.allow_singling,
        answers=release.job.answers or (),
        groups=records.groups,
        witness=records.data if isinstance(records.data, Table | RecodedTable) else None,
    )


def told_of(records: ReleasedRecords, job: Job) -> tuple[Telling, ...]:
    """The hidden columns that released ones tell; see `kohort.assessment.risk.telling`.

    Hidden are quasi-identifiers, by their labels, and perturbed columns, by their cells where equal values stay equal.
    Of a person with several records one counts. Of records elsewhere, tuples of these columns are counted there, and
    of very many only some; where they do not fit into memory, nothing is told.
    """
    schema, fixed = job.schema, {name for one in job.perturbations if one.valuewise for name in one.columns}
    perturbed = [name for one in job.perturbations for name in one.columns]
    names = [one.name for one in schema.unchanged if one.name not in perturbed]
    quasi = [one.name for one in schema.quasi]
    if not records.data.records or not names or not (quasi or perturbed):
        return ()
    with suppress(LimitError, UnsupportedError):
        keys = [] if schema.person is None else [schema.person]
        table, labels = _looked_at(records, [*names, *quasi, *perturbed, *keys], [*quasi, *fixed])
        if schema.person is not None:
            rows = np.unique(person_codes(table[schema.person]), return_index=True)[1]
            table, labels = table.take(rows), {name: of.take(rows) for name, of in labels.items()}
        hidden = [Hidden(table[name], labels.get(name)) for name in (*quasi, *perturbed)]
        return tuple(tellings([table[name] for name in names], hidden, schema.missing))
    return ()


def _looked_at(
    records: ReleasedRecords, names: Sequence[str], labelled: Sequence[str]
) -> tuple[Table, dict[str, Index]]:
    """Some of the released records as they were, and a number for the label of each in some columns."""
    if records.groups is not None:
        classes, table = records.groups.witnesses(names, LOOKED_AT)
        return table, {name: records.groups.labels[name].codes.take(classes).astype(np.int64) for name in labelled}
    data, m = records.data, records.data.records
    rows = np.linspace(0, m - 1, min(m, LOOKED_AT)).astype(np.int64)
    released = data if isinstance(data, RecodedTable) else data.collect()
    source = records.source.collect()
    some = Table(tuple(source[name] for name in names), source.records).take(records.lineage.take(rows))
    return some, {name: released[name].codes.take(rows).astype(np.int64) for name in labelled}
