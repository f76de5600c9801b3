"""A published release made once more, in memory: to tell of it what its files do not."""

from __future__ import annotations

import os
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from kohort.certificate.again import PartOutcome, of_bytes, read_certificate
from kohort.certificate.signing import signer
from kohort.engines.local import LOCAL
from kohort.engines.outlets import Stages, no_progress, outlet, written_as
from kohort.engines.pipeline import claim_of, read, solve
from kohort.errors import UnsupportedError, UsageError, VerificationError
from kohort.io.forms import Format
from kohort.publish.journal import settle_for_reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.certificate.form import Certified
    from kohort.engines.base import Engine
    from kohort.engines.outlets import Outlet
    from kohort.release import Job, Release
    from kohort.verify import Verdict


def again(
    source: object,
    job: Job,
    target: str | os.PathLike[str],
    *,
    population: object = None,
    threads: int = 1,
    on_progress: Callable[[str], None] = no_progress,
    engine: Engine = LOCAL,
) -> Release:
    """The release that was published at `target`, made and verified again.

    Raises:
        UsageError: the job draws random numbers, so that it never gives the same release twice.
        InputError: the certificate beside the target is none.
        FileError: there is no file at the target, or no certificate beside it, or the system failed to read it.
        VerificationError: its bytes, or those made, are not those that the certificate is of.
    """
    refuse_random(job)
    where = outlet(target, job.writing)
    if where.store is not None:
        hint = "download the folder, and make the copy the output of the job"
        raise UnsupportedError("a release in an object store cannot be made again", where=str(where.store), hint=hint)
    settle_for_reading(where.path)
    known = read_certificate(where.certificate)
    refuse_changed(target, known)
    stage = Stages(on_progress)
    with stage("read"):
        data, others = read(engine, source, population, job)
    release = solve(data, job, population=others, threads=threads, stage=stage, engine=engine)
    verdict = _verdict(release, target, where, stage, engine)
    refuse_other(verdict.sha256, known.sha256, where.path)
    release = replace(release, verdict=verdict, seconds=stage.seconds, signed_by=signed_by(known))
    return replace(release, path=where.path, certificate=where.certificate)


def _verdict(release: Release, target: str | os.PathLike[str], where: Outlet, stage: Stages, engine: Engine) -> Verdict:
    writing = release.job.writing
    format_ = Format.CSV if where.table is not None else written_as(target, writing)
    claim = claim_of(release, format_)
    if where.of_parts:
        with TemporaryDirectory(prefix="kohort-") as folder:
            with stage("write"):
                parts = engine.write(release.records, Path(folder), format_, writing)
            with stage("verify"):
                return engine.verify(parts, claim)
    file = BytesIO()
    with stage("write"):
        engine.write(release.records, file, format_, writing)
    file.seek(0)
    with stage("verify"):
        return engine.verify(file, claim)


def signed_by(known: Certified) -> str | None:
    """The fingerprint of the key that signed a certificate; `None` of a weak one, or of none."""
    key = signer(known.signature or "")
    return None if key is None or key.weak else key.fingerprint


def refuse_random(job: Job) -> None:
    """Refuse a job whose noise is new each time."""
    if job.seed is None and any(one.random for one in job.perturbations):
        raise UsageError(
            "the job draws new random numbers each time, so its release cannot be made again",
            where="perturb",
            hint="write the page together with the release: --report FILE.html",
        )


def refuse_changed(target: str | os.PathLike[str], known: Certified) -> None:
    """Refuse a published file that is another one since: the page would call it verified."""
    if any(part.outcome is PartOutcome.DIFFERENT for part in of_bytes(target, known)):
        raise VerificationError(
            "the certificate is for another file",
            where=os.fspath(target),
            hint="the file was changed since; publish the release again with --report",
        )


def refuse_other(made: str, published: str, target: Path) -> None:
    """Refuse a release made again whose digest is not the published one."""
    if made != published:
        raise VerificationError(
            "the job makes other bytes than the certified ones",
            where=str(target),
            hint="the input, the job or kohort has changed since; publish the release again with --report",
        )
