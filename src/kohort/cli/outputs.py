"""The files that are published with a release."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from kohort.cli import pages
from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from kohort.assessment.risk.attacks import Outcome
    from kohort.job import Request
    from kohort.pipeline import Report
    from kohort.publish import Companion
    from kohort.release import Release
    from kohort.release.transactions import TransactionRelease
    from kohort.report.page import Page
    from kohort.report.page.audience import Audience
    from kohort.report.release import GridFigures, ReleaseFigures

#: Forms that a report can have, by its name's ending.
_REPORTS = (*pages.FORMS, ".txt")

ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Publish a report too: a page (.html), its figures (.json), or what is printed (.txt).",
    ),
]

MappingFile = Annotated[
    Path | None,
    typer.Option(
        "--mapping",
        metavar="FILE",
        help="Write value and released value of every column too (.csv, .json): for the steward, not to be released.",
    ),
]


CompareGrid = Annotated[
    bool,
    typer.Option(
        "--compare-grid",
        help="Search again without the grids, or with proposed ones: what do range ends expose, what do grids cost?",
    ),
]

PictureFile = Annotated[
    Path | None,
    typer.Option(
        "--picture",
        metavar="FILE",
        help="Draw the lattice, or its frontier, too (.svg, .png); also in a dry run. No value is in it.",
    ),
]


Attack = Annotated[
    list[str] | None,
    typer.Option(
        "--attack",
        metavar="A,B",
        help="Try these attacks of `kohort risk` on the release, with the input at hand, or all; shown in the report.",
    ),
]


class Asked(NamedTuple):
    """A report that is asked for: where it goes, and the word for who reads it."""

    path: Path | None
    audience: str | None


class Files(NamedTuple):
    """What is published with a release."""

    report: Asked
    mapping: Path | None
    picture: Path | None


class Figures:
    """What tells of a release, in files and on the screen; comparisons and attacks are made once."""

    def __init__(self, *, compare: bool, attack: Sequence[str] | None, threads: int) -> None:
        """Keep what is asked for."""
        self._compare = compare
        self._threads = threads
        self._attack = attack
        self._compared: dict[str, GridFigures | None] = {}
        self._outcomes: tuple[Outcome, ...] | None = None

    def __call__(self, release: Release) -> ReleaseFigures:
        """What is printed."""
        from kohort.report.attacks import attack_figures
        from kohort.report.release import release_figures

        outcomes = self.attacked(release)
        attacks = {} if outcomes is None else {"attacks": attack_figures(outcomes)}
        return release_figures(release).model_copy(update={**self.compared(release), **attacks})

    def page(self, release: Release, audience: Audience | None) -> Page:
        """What a page is drawn from; how cuts compare is told to the steward only."""
        from kohort.report.page import page
        from kohort.report.page.audience import Audience

        outcomes = self.attacked(release)
        if audience is Audience.PUBLIC:
            return page(release, audience=audience, attacks=outcomes)
        internal = page(release, audience=Audience.INTERNAL, attacks=outcomes)
        return internal.model_copy(update=self.compared(release))

    def attacked(self, release: Release) -> tuple[Outcome, ...] | None:
        """What attacks found, where some were asked for."""
        from kohort.report.attacks import attacked

        if self._attack is not None and self._outcomes is None:
            self._outcomes = attacked(release, self._attack)
        return self._outcomes

    def compared(self, release: Release) -> dict[str, GridFigures | None]:
        """How the cuts compare, where that was asked."""
        from kohort.pipeline import exposure
        from kohort.report.release import grid_figures

        if self._compare and not self._compared:
            self._compared["grid"] = grid_figures(exposure.compare(release, threads=self._threads))
        return self._compared


def figures_of(made: Request, *, compare: bool, attack: Sequence[str] | None, threads: int) -> Figures:
    """What tells of a release.

    Raises:
        UsageError: there are no cuts to compare, or there is no such attack.
    """
    from kohort.cli.attack import names_of
    from kohort.pipeline import exposure

    if compare:
        with _placed("--compare-grid"):
            exposure.check_cuts(made.job)
    return Figures(compare=compare, attack=None if attack is None else names_of(attack), threads=threads)


def companions(made: Request, files: Files, told: Figures, *, dry_run: bool) -> tuple[Report, ...]:
    """The files to publish with the release, and what writes each.

    Args:
        made: The job.
        files: Where they go.
        told: What tells of the release in figures.
        dry_run: Whether nothing is to be written.

    Raises:
        UsageError: one of them cannot be written; it is told before any work.
    """
    from kohort import pipeline
    from kohort.report import mapping

    report = files.report.path
    for flag, path in (("--report", report), ("--mapping", files.mapping)):
        _refuse_dry(flag, path, dry_run=dry_run)
    found: list[Report] = []
    audience = _audience(files.report)
    if report is not None:
        found.append(pipeline.Report(report, _writer(report, audience, made.quasi, told)))
    if files.mapping is not None:
        with _placed("--mapping"):
            mapping.check(made.job.algorithm)
            found.append(pipeline.Report(files.mapping, mapping.writer(files.mapping)))
    if files.picture is not None:
        found.append(_picture(made, files.picture))
    return tuple(found)


def transaction_companions(asked: Asked, *, dry_run: bool) -> tuple[Companion[TransactionRelease], ...]:
    """The same for a release of transactions: its report, if one is asked for.

    Raises:
        UsageError: it cannot be written; it is told before any work.
    """
    report = asked.path
    _refuse_dry("--report", report, dry_run=dry_run)
    audience = _audience(asked)
    if report is None:
        return ()
    from kohort.publish import Companion
    from kohort.report.page import transactions_page
    from kohort.report.page.audience import Audience
    from kohort.report.render.transactions import transactions_text
    from kohort.report.transactions import transaction_figures

    if report.suffix == ".txt":
        return (Companion(report, lambda release: f"{transactions_text(transaction_figures(release))}\n".encode()),)
    write, reader = pages.writer_of(report.suffix), audience or Audience.INTERNAL
    return (Companion(report, lambda release: write(transactions_page(release, audience=reader))),)


def _audience(asked: Asked) -> Audience | None:
    """The audience of a report; refuses a report of no known form, and text that the public should read.

    Raises:
        UsageError: one of these, or there is no report.
    """
    report, audience = asked.path, pages.audience_of(asked.audience)
    if report is None and audience is not None:
        raise UsageError("no report is asked for", where="--audience", hint="add --report FILE.html, or leave it out")
    if report is not None and report.suffix not in _REPORTS:
        raise UsageError(f"a report is one of {', '.join(_REPORTS)}", where="--report", hint="name it so")
    if report is not None and report.suffix == ".txt" and audience is not None:
        hint = "name the report .html or .json"
        raise UsageError("what is printed is the same for every audience", where="--audience", hint=hint)
    return audience


def _refuse_dry(flag: str, path: Path | None, *, dry_run: bool) -> None:
    """Refuse a file that a dry run is to write."""
    if path is not None and dry_run:
        raise UsageError("a dry run writes nothing", where=flag, hint="leave it out; --json prints the figures")


def _picture(made: Request, path: Path) -> Report:
    """What draws the lattice that the job searches."""
    from kohort import pipeline
    from kohort.algorithms.lattice.landscape import refuse_large
    from kohort.report import lattice as lattice_picture

    with _placed("--picture"):
        format_ = lattice_picture.format_of(made.job.algorithm, path.suffix)
    return pipeline.Report(path, lambda release: lattice_picture.picture(release, format_), refuse_large)


@contextmanager
def _placed(flag: str) -> Generator[None]:
    """Give a misuse the flag that it came of."""
    try:
        yield
    except UsageError as fault:
        raise UsageError(fault.what, where=flag, hint=fault.hint) from None


def _writer(path: Path, audience: Audience | None, quasi: Sequence[str], told: Figures) -> Callable[[Release], bytes]:
    """What writes a release's report in the form that its name asks for."""
    from kohort.report.render.release import release_text

    if path.suffix == ".txt":
        return lambda release: f"{release_text(told(release), quasi)}\n".encode()
    write = pages.writer_of(path.suffix)
    return lambda release: write(told.page(release, audience))
