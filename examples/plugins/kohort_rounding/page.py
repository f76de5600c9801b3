"""The page of a rounded table: what a steward and the public read of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from pydantic import JsonValue

from kohort.errors.display import Number, many, took
from kohort.release.job import Purpose
from kohort.report.figures import Figures
from kohort.report.page.audience import FEWEST, Audience, Reader
from kohort.report.page.build import heading, rounded_seconds
from kohort.report.page.verdict import CertificateFigures, CheckFigures, Heading, certificate, checks
from kohort_rounding.certificate import NOT_PROMISED

if TYPE_CHECKING:
    from kohort_rounding.release import RoundedRelease


class RoundingResult(Figures, frozen=True):
    """What was released."""

    records: int
    kept: tuple[str, ...]


class RoundingVerdict(Figures, frozen=True):
    """What verification found."""

    verified: bool
    sha256: str | None
    bytes: int | None
    checks: tuple[CheckFigures, ...]
    promised: tuple[str, ...]
    not_promised: tuple[str, ...]


class RoundingPage(Heading, frozen=True):
    """The page of a rounded table; the public's has neither `seconds` nor `public`."""

    kind: Literal["rounding"]
    done: RoundingResult
    verdict: RoundingVerdict
    parameters: dict[str, JsonValue]
    purpose: Purpose
    certificate: CertificateFigures | None
    seconds: dict[str, Number] | None = None
    public: RoundingPage | None = None


def page_of(release: RoundedRelease, audience: Audience | None) -> RoundingPage:
    """The page of a release for an audience; for the steward, if none is named."""
    public = _page(release, Reader(FEWEST))
    if audience is Audience.PUBLIC:
        return public
    return _page(release, Reader()).model_copy(update={"seconds": rounded_seconds(release.seconds), "public": public})


def _page(release: RoundedRelease, reader: Reader) -> RoundingPage:
    found = release.verdict
    sha256 = None if found is None else found.sha256
    return RoundingPage(
        **dict(heading("rounding", release.path, reader)),
        done=RoundingResult(records=release.table.records, kept=release.job.keep),
        verdict=RoundingVerdict(
            verified=found is not None,
            sha256=sha256,
            bytes=None if found is None else found.checks["bytes"],
            checks=() if found is None else checks(found.checks, reader),
            promised=tuple(f"{name} is rounded to multiples of {base}." for name, base in release.job.bases.items()),
            not_promised=NOT_PROMISED,
        ),
        parameters=json.loads(release.job.described),
        purpose=release.job.purpose or Purpose(),
        certificate=certificate(release.path, release.certificate, sha256, release.signed_by),
    )


def text_of(release: RoundedRelease) -> str:
    """What is printed of a release."""
    columns = ", ".join(f"{name} to {base}" for name, base in release.job.bases.items())
    way = "tried, not written" if release.verdict is None else f"verified on the published bytes: {release.path}"
    return f"{many(release.table.records, 'record')} rounded ({columns}); {way}\n{took(release.seconds)}"
