"""Jobs that round, as the command line knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.cli import outputs
from kohort.cli.derive import option
from kohort.cli.kinds import JobKind
from kohort.cli.screen import progress, say
from kohort.job.faults import placing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kohort.certificate.again import Again
    from kohort.cli.options import Run
    from kohort.job.document import Document
    from kohort.job.keys import KeyTable
    from kohort.report.page import Page
    from kohort.report.page.audience import Audience
    from kohort_rounding.certificate import RoundingCertificate


def run(text: Document, page: outputs.PageOptions, run: Run) -> None:
    """Round the table that a job file names, and publish it."""
    from kohort_rounding import release
    from kohort_rounding.page import page_of, text_of
    from kohort_rounding.request import request

    made, report = request(text), outputs.report_of(page, text_of, page_of, dry_run=run.dry_run)
    with placing(made.placed), progress(quiet=run.quiet) as on_progress:
        reports = () if report is None else (report,)
        found = release.save(made, None if run.dry_run else reports, overwrite=run.overwrite, on_progress=on_progress)
    say(text_of(found), found.figures, as_json=run.json, quiet=run.quiet, internal=True)


def report(
    text: Document, audience: Audience | None, threads: int, on_progress: Callable[[str], None]
) -> tuple[Page, Sequence[Path]]:
    """Round the table of a published release again, and make its page."""
    del threads  # one is enough
    from kohort_rounding import release
    from kohort_rounding.page import page_of
    from kohort_rounding.request import request

    made = request(text)
    with placing(made.placed):
        return page_of(release.again(made, on_progress), audience), made.inputs


def recheck(source: str, known: RoundingCertificate) -> Again:
    """Check a certificate against the file that it is of."""
    return known.checked_again(source)


def schema(*, rounding: bool = option("", "Print the schema of jobs that round.")) -> KeyTable:
    """The keys of a job file."""
    del rounding
    from kohort_rounding.request import ROUNDING_JOB

    return ROUNDING_JOB


#: Jobs that round.
ROUNDING: Final = JobKind(
    data="tables to round",
    run=run,
    report=report,
    recheck=recheck,
    schema=schema,
)
