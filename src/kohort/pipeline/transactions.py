"""The whole path of a transaction database: read, count, solve, recode, write, verify, publish."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, assert_never

import numpy as np

from kohort.calls import called
from kohort.certificate.form import signing_key
from kohort.certificate.transactions import certificate
from kohort.io.baskets import Reading, read_transactions, write_transactions
from kohort.io.baskets.options import Form
from kohort.pipeline.outlets import Outlet, beside
from kohort.pipeline.publishing import Publication, Stages, paths, silent
from kohort.publish import Companion, check_target
from kohort.release.transactions import TransactionRelease
from kohort.transactions.database import Transactions, places_of
from kohort.transactions.loss import item_losses, lost
from kohort.transactions.problem import CellSuppression, SuppressionProblem
from kohort.transactions.recode import recode
from kohort.transactions.roles import Drawn, Listed, Roles
from kohort.verify.transactions import CoherenceClaim, verify_database, verify_transactions

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from kohort.arrays import Mask
    from kohort.io.baskets.options import BasketOptions
    from kohort.release.transactions import TransactionJob
    from kohort.verify.transactions import CoherenceVerdict


@called("anonymize_transactions('baskets.dat', TransactionJob(coherence=…, roles=…))", job="TransactionJob")
def anonymize_transactions(
    source: object,
    job: TransactionJob,
    *,
    target: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    tell: Callable[[str], None] = silent,
    reports: tuple[Companion[TransactionRelease], ...] = (),
    inputs: tuple[Path, ...] = (),
) -> TransactionRelease:
    """Make a verified release of the transactions in `source`.

    Args:
        source: A path, `-` for standard input, a frame, a sparse matrix in CSR form, or a `Transactions`.
        job: The promise, the roles and the algorithm.
        target: Where to publish. Without it the release is verified in memory; see `save_transactions`.
        overwrite: Whether a file at `target` may be replaced.
        tell: Called with the name of each stage as it begins.
        reports: Further files to publish with the release, or not at all.
        inputs: Files besides the source that no output may replace.

    Raises:
        KohortError: one of the tree in `kohort.errors`; then nothing was published.
    """
    stage = Stages(tell)
    if target is not None:
        path, inputs = Path(target), (*paths(source), *inputs)
        job.written_to(path)
        companions = [beside(path), *(report.path for report in reports)]
        check_target(path, overwrite=overwrite, inputs=inputs, companions=companions)
    release = _solved(source, job, stage)
    if target is not None:
        return save_transactions(release, target, overwrite=overwrite, inputs=inputs, stage=stage, reports=reports)
    with stage("verify"):
        verdict = verify_database(release.released, claim_of(release))
    return replace(release, verdict=verdict)


def rehearse_transactions(
    source: object, job: TransactionJob, *, tell: Callable[[str], None] = silent
) -> TransactionRelease:
    """What `anonymize_transactions` would release and what it would cost; nothing is written, nothing verified."""
    return _solved(source, job, Stages(tell))


def _solved(source: object, job: TransactionJob, stage: Stages) -> TransactionRelease:
    """Read, count, solve and recode: a release that nobody has verified yet."""
    with stage("read"):
        reading = Reading(source, 0) if isinstance(source, Transactions) else read_transactions(source, job.reading)
    with stage("count"):
        problem = problem_of(reading.database, job)
    with stage("solve"):
        solution = job.algorithm.solve(problem)
    with stage("recode"):
        recoded = recode(problem.database, solution.suppression)
    return TransactionRelease(
        job,
        reading.database,
        problem.database,
        problem.roles,
        solution,
        recoded.database,
        recoded.lineage,
        recoded.dropped,
        losses=problem.losses,
        lost=lost(problem, solution.suppression),
        repeated=reading.repeated,
        seconds=stage.seconds,
        like=reading.like,
    )


def problem_of(source: Transactions, job: TransactionJob) -> SuppressionProblem:
    """What the job asks of an algorithm: the database less the items below the minimum support, their roles and losses.

    Names are looked for among all items, so that one that is removed is not taken for a misspelt one; roles are drawn
    among the items that stay.

    Raises:
        UsageError: a name in the job is of no item.
        InfeasibleError: there are not enough items to draw the roles from.
    """
    h = job.coherence.h
    losses = item_losses(source, job.weights)
    if not job.min_support:
        return SuppressionProblem(source, job.roles.over(source, h), job.coherence, losses, job.most)
    stays = source.common(job.min_support)
    database = source.only(stays)
    match job.roles:
        case Listed():
            everyone = job.roles.over(source, h)
            roles = Roles(everyone.public[stays], everyone.private[stays])
        case Drawn():
            roles = job.roles.over(database, h)
        case _:
            assert_never(job.roles)
    return SuppressionProblem(database, roles, job.coherence, losses[stays], job.most)


def save_transactions(
    release: TransactionRelease,
    target: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    inputs: tuple[Path, ...] = (),
    stage: Stages | None = None,
    reports: tuple[Companion[TransactionRelease], ...] = (),
) -> TransactionRelease:
    """Publish `release` at `target` with its certificate beside it: verified on the written bytes, all or nothing.

    Raises:
        TargetError: the target exists (and `overwrite` is false) or is an input.
        VerificationError: the written bytes are not what was promised; nothing was published.
        FileError: writing failed; nothing was published.
    """
    stage = stage or Stages(silent, dict(release.seconds))
    path = Path(target)
    writing = release.job.written_to(path)
    said = replace(release.job.writing, form=writing.form, separator=writing.separator)
    release = replace(release, job=replace(release.job, writing=said))  # the certificate tells the form, said or not
    claim = replace(claim_of(release), writing=writing)
    key = signing_key(said.sign_key)
    release = replace(release, signed_by=None if key is None else key.public.fingerprint)

    def write_release(file: BinaryIO) -> None:
        write_transactions(in_columns(release, writing), file, writing)

    def certify(verdict: CoherenceVerdict) -> bytes:
        made = certificate(release, verdict, path.name)
        return made if key is None else key.signed(made)

    def finish(verdict: CoherenceVerdict) -> TransactionRelease:
        return replace(release, verdict=verdict, seconds=stage.seconds, path=path, certificate=beside(path))

    publication = Publication(write_release, partial(verify_transactions, claim=claim), certify, finish)
    return publication.publish(Outlet(path, beside(path)), stage, reports, overwrite=overwrite, inputs=inputs)


def in_columns(release: TransactionRelease, writing: BasketOptions) -> Transactions:
    """What is written: where an item's name is the place of its column, every column of the source stays."""
    released, names = release.released, release.source.names
    if writing.form is not Form.MATRIX:
        return released
    places, _ = places_of(released.names, names)
    return Transactions(names, released.starts, np.array(places, np.int32)[released.cells])


def claim_of(release: TransactionRelease) -> CoherenceClaim:
    """What the release says of itself, for the verifier to doubt."""
    source, searched, roles = release.source, release.database, release.roles
    return CoherenceClaim(
        source=source,
        coherence=release.job.coherence,
        public=_marked(searched, roles.public),
        private=_marked(searched, roles.private),
        dropped=frozenset(release.named(release.dropped)),
        lineage=release.lineage,
        removed=frozenset(source.names) - frozenset(searched.names),
        cells=isinstance(release.solution.suppression, CellSuppression),
    )


def _marked(database: Transactions, items: Mask) -> frozenset[str]:
    """The names of the items that are marked."""
    return frozenset(name for name, one in zip(database.names, items.tolist(), strict=True) if one)
