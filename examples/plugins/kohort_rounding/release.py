"""Rounding, its verification, which shares nothing with it, and the publication of both."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

import polars as pl

from kohort import io
from kohort.certificate.again import read_certificate
from kohort.engines.again import refuse_changed, refuse_other, signed_by
from kohort.engines.outlets import Outlet, Publication, Stages, beside
from kohort.errors import InputError, UsageError, VerificationError
from kohort.io.forms import Format
from kohort.io.typed import from_frame
from kohort.io.write import write
from kohort.publish import check_target
from kohort_rounding.certificate import certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.io.manifest import WrittenPart
    from kohort.job.request import Request
    from kohort.publish import Companion
    from kohort.report import Json
    from kohort.tables.table import Table
    from kohort_rounding.request import RoundingJob

#: What a missing number is in the file.
_MISSING: Final = ""


class Verdict(NamedTuple):
    """What is true of the written bytes."""

    sha256: str
    records: int
    checks: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundedRelease:
    """A rounded table, verified once there is a verdict, and published once it has a path."""

    job: RoundingJob
    source: Table
    table: Table
    seconds: Mapping[str, float]
    verdict: Verdict | None = None
    path: Path | None = None
    certificate: Path | None = None
    signed_by: str | None = None

    @property
    def figures(self) -> dict[str, Json]:
        """What `--json` prints."""
        return {
            "records": self.table.records,
            "columns": dict(self.job.bases),
            "kept": list(self.job.keep),
            "verified": self.verdict is not None,
            "release": None if self.path is None else str(self.path),
            "certificate": None if self.certificate is None else str(self.certificate),
        }


def rounded(source: Table, job: RoundingJob) -> Table:
    """The released columns, the numbers rounded half to even, in an order that only their own content decides.

    Raises:
        UsageError: the table has no such column.
        InputError: a cell of a column to round is no number.
    """
    names = [name for name in source.names if name in job.bases or name in job.keep]
    if absent := sorted({*job.bases, *job.keep} - {*names}):
        raise UsageError(f"no such column: {', '.join(absent)}", where="rounding", hint="name columns of the input")
    cells = [
        pl.Series(name, [_nearest(cell, job.bases.get(name), name) for cell in source[name].cells()], dtype=pl.String)
        for name in names
    ]
    return from_frame(pl.DataFrame(cells).sort(names, nulls_last=False))


def _nearest(cell: str | None, base: int | None, name: str) -> str:
    if base is None or not cell:
        return cell or _MISSING
    try:
        number = (Decimal(cell) / base).quantize(Decimal(1), ROUND_HALF_EVEN) * base
    except InvalidOperation:
        raise InputError(
            "a cell is no number", where=f"column {name}", hint="keep the column, or leave it out"
        ) from None
    return str(int(number))


def verify(file: BinaryIO, source: Table, job: RoundingJob) -> Verdict:
    """Read the bytes again, by another reader, and hold them against the input in exact arithmetic.

    Raises:
        VerificationError: they are not the input, rounded.
    """
    content = file.read()
    header, *rows = csv.reader(StringIO(content.decode(), newline=""), strict=True)
    if header != [name for name in source.names if name in job.bases or name in job.keep]:
        raise VerificationError("the columns are not those of the job")
    due = Counter(
        zip(*([_close(cell, job.bases.get(name)) for cell in source[name].cells()] for name in header), strict=True)
    )
    found = Counter(map(tuple, rows))
    if rows != sorted(rows):
        raise VerificationError("the records are not in the order of their content")
    if due != found:
        raise VerificationError(f"{(found - due).total():,} records are not those of the input, rounded")
    cells = sum(bool(cell) for row in rows for name, cell in zip(header, row, strict=True) if name in job.bases)
    checks = {"bytes": len(content), "records": len(rows), "rounded cells": cells, "order": max(len(rows) - 1, 0)}
    return Verdict(hashlib.sha256(content).hexdigest(), len(rows), checks)


def _close(cell: str | None, base: int | None) -> str:
    return cell or _MISSING if base is None or not cell else str(round(Fraction(cell) / base) * base)


def save(
    made: Request[RoundingJob],
    reports: Sequence[Companion[RoundedRelease]] | None,
    *,
    overwrite: bool,
    on_progress: Callable[[str], None],
) -> RoundedRelease:
    """The release of a request, verified and published with its reports, all or nothing; `None`: only tried."""
    stage, path = Stages(on_progress), Path(made.target)
    if reports is not None:
        companions = [beside(path), *(report.path for report in reports)]
        check_target(path, overwrite=overwrite, inputs=made.inputs, companions=companions)
    release = _made(made, stage)
    if reports is None:
        return release

    def written(file: BinaryIO | Path) -> Sequence[WrittenPart]:
        assert not isinstance(file, Path)  # noqa: S101  it is one file
        write(release.table, file, Format.CSV)
        return []

    def verified(file: BinaryIO | Sequence[WrittenPart]) -> Verdict:
        assert not isinstance(file, Sequence)  # noqa: S101  as above
        return verify(file, release.source, made.job)

    def certified(verdict: Verdict) -> bytes:
        return certificate(made.job, verdict, path.name)

    publication = Publication(written, verified, certified, partial(replace, release), made.job.sign_key)
    return publication.publish(Outlet(path, beside(path)), stage, reports, overwrite=overwrite, inputs=made.inputs)


def again(made: Request[RoundingJob], on_progress: Callable[[str], None]) -> RoundedRelease:
    """The release that was published, made and verified once more."""
    path, stage, file = Path(made.target), Stages(on_progress), BytesIO()
    known = read_certificate(beside(path))
    refuse_changed(path, known)
    release = _made(made, stage)
    write(release.table, file, Format.CSV)
    file.seek(0)
    verdict = verify(file, release.source, made.job)
    refuse_other(verdict.sha256, known.sha256, path)
    published = replace(release, path=path, certificate=beside(path), signed_by=signed_by(known))
    return replace(published, verdict=verdict, seconds=stage.seconds)


def _made(made: Request[RoundingJob], stage: Stages) -> RoundedRelease:
    with stage("read"):
        source = io.read(made.source, made.job.reading)
    with stage("recode"):
        table = rounded(source, made.job)
    return RoundedRelease(job=made.job, source=source, table=table, seconds=stage.seconds)
