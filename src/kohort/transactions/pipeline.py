"""The whole path of a transaction database: read, count, solve, recode, write, verify, publish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, assert_never

import numpy as np

from kohort.certificate.again import read_certificate
from kohort.engines.again import refuse_changed, refuse_other, signed_by
from kohort.engines.base import LOCALLY, engine_of
from kohort.engines.local import LocalEngine
from kohort.engines.outlets import Outlet, Publication, Stages, beside, no_progress, paths
from kohort.errors import VerificationError
from kohort.errors.calls import called
from kohort.io.options import ReadOptions
from kohort.publish import Companion, check_target, publish
from kohort.sql.remote import RemoteEngine
from kohort.system.progress import progress_to
from kohort.transactions.certificate import certificate
from kohort.transactions.database import Transactions, common, held, places_of
from kohort.transactions.duckdb import Baskets, baskets_of, duckdb_of, refuse_form, refuse_unsupported
from kohort.transactions.io import read_content, read_transactions
from kohort.transactions.io.options import Form
from kohort.transactions.io.write import write_transactions
from kohort.transactions.problem import CellSuppression, SuppressionProblem, item_losses, lost
from kohort.transactions.recode import recode
from kohort.transactions.release import BasketWriting, TransactionRelease, check_labels
from kohort.transactions.roles import Drawn, Listed, Roles
from kohort.transactions.verify import CoherenceClaim, verify_database, verify_transactions
from kohort.transactions.verify.aggregated import verify_by_aggregation

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from fractions import Fraction

    from kohort.arrays import Index, Items, Mask
    from kohort.engines.base import Engine
    from kohort.io.manifest import WrittenPart
    from kohort.system.progress import Progress
    from kohort.transactions.database import Database
    from kohort.transactions.io.options import BasketOptions
    from kohort.transactions.problem import Suppression
    from kohort.transactions.release import TransactionJob
    from kohort.transactions.verify import CoherenceVerdict


@called("anonymize_transactions('baskets.dat', TransactionJob(coherence=…, roles=…))", job="TransactionJob")
def anonymize_transactions(
    source: object,
    job: TransactionJob,
    *,
    target: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress = False,
    reports: tuple[Companion[TransactionRelease], ...] = (),
    inputs: tuple[Path, ...] = (),
    engine: object = LOCALLY,
    even_small: bool = False,
) -> TransactionRelease:
    """Make a verified release of the transactions in `source`.

    Args:
        source: A path, `-` for standard input, a frame, a sparse matrix in CSR form, or a `Transactions`.
        job: The promise, the roles and the algorithm.
        target: Where to publish. Without it the release is verified in memory; see `save_transactions`.
        overwrite: Whether a file at `target` may be replaced.
        progress: Whether to show the stage that runs, or a function to call with its name; see `kohort.anonymize`.
        reports: Further files to publish with the release, or not at all.
        inputs: Files besides the source that no output may replace.
        engine: Where the transactions are counted, ordered and verified: `duckdb` or a connection of it leaves records
            in the long form where they are. It is for databases that do not fit into memory: others are counted several
            times faster there, and refused.
        even_small: Whether such an engine takes those, too, for transactions that must not leave their place.

    Raises:
        KohortError: one of the tree in `kohort.errors`; then nothing was published.
    """
    with progress_to(progress) as on_progress:
        stage, engine = Stages(on_progress), _engine(engine)
        if isinstance(engine, RemoteEngine):
            refuse_form(None if target is None else job.written_to(Path(target)).form)
        if target is not None:
            path, inputs = Path(target), (*paths(source), *inputs)
            job.written_to(path)
            companions = [beside(path), *(report.path for report in reports)]
            check_target(path, overwrite=overwrite, inputs=inputs, companions=companions)
        release = _solved(source, job, stage, engine, even_small=even_small)
        if target is not None:
            return save_transactions(release, target, overwrite=overwrite, inputs=inputs, stage=stage, reports=reports)
        with stage("verify"):
            verdict = verify_database(release.here().released, claim_of(release))
        return replace(release, verdict=verdict)


def dry_run_transactions(
    source: object,
    job: TransactionJob,
    *,
    on_progress: Callable[[str], None] = no_progress,
    engine: object = LOCALLY,
    even_small: bool = False,
) -> TransactionRelease:
    """What `anonymize_transactions` would release and what it would cost; nothing is written, nothing verified."""
    return _solved(source, job, Stages(on_progress), _engine(engine), even_small=even_small)


def _engine(engine: object) -> Engine:
    return engine if isinstance(engine, RemoteEngine | LocalEngine) else engine_of(engine)


def _read(source: object, job: TransactionJob, engine: Engine, *, even_small: bool) -> tuple[Database, int, str]:
    """The database, here or elsewhere, its repeated cells, and what the source is; see `kohort.transactions.io`."""
    if isinstance(engine, RemoteEngine):
        base = duckdb_of(engine.base)
        refuse_unsupported(job)
        baskets = baskets_of(base, source, job.reading, engine.limit, even_small=even_small)
        return baskets, baskets.repeated, "file"
    if isinstance(source, Transactions):
        return source, 0, "file"
    reading = read_transactions(source, job.reading)
    return reading.database, reading.repeated, reading.like


def _recoded(database: Database, suppression: Suppression) -> tuple[Database, Index, Items]:
    if isinstance(database, Baskets):
        return database.recode(suppression)
    found = recode(held(database, "to suppress items"), suppression)
    return found.database, found.lineage, found.dropped


def _solved(
    source: object, job: TransactionJob, stage: Stages, engine: Engine, *, even_small: bool
) -> TransactionRelease:
    with stage("read"):
        database, repeated, like = _read(source, job, engine, even_small=even_small)
    with stage("count"):
        problem = problem_of(database, job)
    with stage("solve"):
        solution = job.algorithm.solve(problem)
    with stage("recode"):
        recoded = _recoded(problem.database, solution.suppression)
    return TransactionRelease(
        job,
        database,
        problem.database,
        problem.roles,
        solution,
        *recoded,
        losses=problem.losses,
        lost=lost(problem, solution.suppression),
        repeated=repeated,
        seconds=stage.seconds,
        like=like,
    )


def problem_of(source: Database, job: TransactionJob) -> SuppressionProblem:
    """What the job asks of an algorithm: the database less the items below the minimum support, their roles and losses.

    Names are looked for among all items, so that one that is removed is not taken for a misspelt one; roles are drawn
    among the items that stay.

    Raises:
        UsageError: a name in the job is of no item.
        InfeasibleError: there are not enough items to draw the roles from.
    """
    h = job.coherence.h
    check_labels(job.labels, source.names)
    losses = item_losses(source, job.weights)
    if not job.min_support:
        return SuppressionProblem(source, job.roles.over(source, h), job.coherence, losses, job.most)
    stays = common(source, job.min_support)
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
    """Publish `release` at `target` with its certificate beside it: verified on the written bytes, all or nothing."""
    stage = stage or Stages(no_progress, dict(release.seconds))
    path = Path(target)
    writing = release.job.written_to(path)
    said = replace(release.job.writing, form=writing.form, separator=writing.separator)
    release = replace(release, job=replace(release.job, writing=said))  # the certificate tells the form, said or not
    claim = replace(claim_of(release), writing=writing)

    def write_release(file: BinaryIO | Path) -> Sequence[WrittenPart]:
        assert not isinstance(file, Path)  # noqa: S101  transactions are one file
        if isinstance(release.released, Baskets):
            write_pieces(release.released, file, writing)
        else:
            write_transactions(in_columns(release.here().released, release.source.names, writing.form), file, writing)
        return []

    def verify(file: BinaryIO | Sequence[WrittenPart]) -> CoherenceVerdict:
        assert not isinstance(file, Sequence)  # noqa: S101  as above
        if isinstance(release.source, Baskets):
            return verify_by_aggregation(file, claim, release.source)
        return verify_transactions(file, claim)

    certify, finish = partial(certificate, release, name=path.name), partial(replace, release)
    publication = Publication(write_release, verify, certify, finish, said.sign_key)
    return publication.publish(Outlet(path, beside(path)), stage, reports, overwrite=overwrite, inputs=inputs)


def transactions_again(
    source: object, job: TransactionJob, target: Path, *, on_progress: Callable[[str], None] = no_progress
) -> TransactionRelease:
    """The release of transactions that was published at `target`, made and verified again: see `pipeline.again`."""
    known = read_certificate(beside(target))
    refuse_changed(target, known)
    writing = job.written_to(target)
    said = replace(job, writing=BasketWriting(form=writing.form, separator=writing.separator))  # as it was published
    release = dry_run_transactions(source, said, on_progress=on_progress)
    stage = Stages(on_progress, dict(release.seconds))
    file = BytesIO()
    with stage("write"):
        write_transactions(in_columns(release.here().released, release.source.names, writing.form), file, writing)
    file.seek(0)
    with stage("verify"):
        verdict = verify_transactions(file, replace(claim_of(release), writing=writing))
    refuse_other(verdict.sha256, known.sha256, target)
    release = replace(release, verdict=verdict, seconds=stage.seconds, signed_by=signed_by(known))
    return replace(release, path=target, certificate=beside(target))


def write_pieces(released: Baskets, file: BinaryIO, writing: BasketOptions) -> None:
    """Write transactions that stay elsewhere, some at a time."""
    before = 0
    for piece in released.pieces():
        write_transactions(piece, file, writing, before)
        before += len(piece)


def in_columns(released: Transactions, names: tuple[str, ...], form: Form) -> Transactions:
    """What is written: where an item's name is the place of its column, every column of the source stays."""
    if form is not Form.MATRIX:
        return released
    places, _ = places_of(released.names, names)
    return Transactions(names, released.starts, np.array(places, np.int32)[released.cells])


def claim_of(release: TransactionRelease) -> CoherenceClaim:
    """The claims of the release to verify."""
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


def _marked(database: Database, items: Mask) -> frozenset[str]:
    return frozenset(name for name, one in zip(database.names, items.tolist(), strict=True) if one)


class Converted(NamedTuple):
    """What was written."""

    transactions: int
    items: int
    removed: int
    cells: int
    repeated: int
    form: Form


def convert_transactions(
    source: str,
    reading: BasketOptions,
    writing: BasketWriting,
    target: Path,
    *,
    min_support: Fraction,
    overwrite: bool = False,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Converted:
    """Write the transactions as they are, less the items below the minimum support; read back before they are there.

    Args:
        source: A path, or `-` for standard input.
        reading: The format of the input.
        writing: The format of the file.
        target: Where the file goes.
        min_support: Items in a smaller share of the transactions are removed; 0: none.
        overwrite: Whether a file there may be replaced.
        on_progress: Called with the name of each stage.

    Raises:
        KohortError: one of the tree in `kohort.errors`; then nothing was published.
    """
    written = writing.over(reading, target)
    inputs = () if source == "-" else (Path(source),)
    check_target(target, overwrite=overwrite, inputs=inputs)
    on_progress("read")
    found = read_transactions(source, reading)
    names = found.database.names
    kept = found.database.only(found.database.common(min_support)) if min_support else found.database
    on_progress("write")
    publish(
        target,
        partial(write_transactions, in_columns(kept, names, written.form), options=written),
        partial(_same, kept, written),
        overwrite=overwrite,
        inputs=inputs,
    )
    cells, removed = int(kept.cells.size), len(names) - len(kept.names)
    return Converted(len(kept), len(kept.names), removed, cells, found.repeated, written.form)


def _same(kept: Transactions, writing: BasketOptions, file: BinaryIO) -> None:
    limits = ReadOptions(allow_empty=True)
    found, due = (
        _occurring(one) for one in (read_content("the file", file.read(), writing, limits=limits).database, kept)
    )
    same = found.names == due.names and np.array_equal(found.starts, due.starts)
    if not (same and np.array_equal(found.cells, due.cells)):
        raise VerificationError(
            "the written file does not have the same transactions", hint="report this to the authors"
        )


def _occurring(database: Transactions) -> Transactions:
    """Over the items that some transaction has: others leave no trace but in a matrix."""
    return database.only(database.supports > 0)
