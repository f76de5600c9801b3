"""The files that are published with a release."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from kohort.job import Request
    from kohort.pipeline import Report
    from kohort.publish import Companion
    from kohort.release import Release
    from kohort.release.transactions import TransactionRelease
    from kohort.report import Json

#: Forms that a report can have, by its name's ending.
_REPORTS = (".json", ".txt")

ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Publish the figures too: a .json or .txt file.")
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


class Files(NamedTuple):
    """What is published with a release."""

    report: Path | None
    mapping: Path | None
    picture: Path | None


def figures_of(made: Request, *, compare: bool, threads: int) -> Callable[[Release], dict[str, Json]]:
    """What tells of a release, in files and on the screen; the search that a comparison takes is made once.

    Raises:
        UsageError: there are no cuts to compare.
    """
    from kohort import exposure
    from kohort.report import numbers
    from kohort.report.grid import grid_numbers

    compared: dict[str, Json] = {}
    if compare:
        with _placed("--compare-grid"):
            exposure.check_cuts(made.job)

    def told(release: Release) -> dict[str, Json]:
        if compare and not compared:
            compared.update(grid_numbers(exposure.compare(release, threads=threads)))
        return numbers(release) | compared

    return told


def companions(
    made: Request, files: Files, told: Callable[[Release], dict[str, Json]], *, dry_run: bool
) -> tuple[Report, ...]:
    """The files to publish with the release, and what writes each.

    Args:
        made: The job.
        files: Where they go.
        told: What tells of the release in figures.
        dry_run: Whether nothing is to be written.

    Raises:
        UsageError: one of them cannot be written; it is told before any work.
    """
    from kohort import mapping, pipeline

    for flag, path in (("--report", files.report), ("--mapping", files.mapping)):
        _refuse_dry(flag, path, dry_run=dry_run)
    found: list[Report] = []
    if files.report is not None:
        found.append(pipeline.Report(files.report, _writer(files.report, made.quasi, told)))
    if files.mapping is not None:
        with _placed("--mapping"):
            mapping.check(made.job.algorithm)
            found.append(pipeline.Report(files.mapping, mapping.writer(files.mapping)))
    if files.picture is not None:
        found.append(_picture(made, files.picture))
    return tuple(found)


def transaction_companions(report: Path | None, *, dry_run: bool) -> tuple[Companion[TransactionRelease], ...]:
    """The same for a release of transactions: its report, if one is asked for.

    Raises:
        UsageError: it cannot be written; it is told before any work.
    """
    _refuse_dry("--report", report, dry_run=dry_run)
    if report is None:
        return ()
    from kohort.publish import Companion
    from kohort.render.transactions import release_text
    from kohort.report.transactions import numbers

    write = _form(report, release_text)
    return (Companion(report, lambda release: write(numbers(release))),)


def _refuse_dry(flag: str, path: Path | None, *, dry_run: bool) -> None:
    """Refuse a file that a dry run is to write."""
    if path is not None and dry_run:
        raise UsageError("a dry run writes nothing", where=flag, hint="leave it out; --json prints the figures")


def _picture(made: Request, path: Path) -> Report:
    """What draws the lattice that the job searches."""
    from kohort import lattice_picture, pipeline
    from kohort.algorithms.landscape import refuse_large

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


def _writer(path: Path, quasi: Sequence[str], told: Callable[[Release], dict[str, Json]]) -> Callable[[Release], bytes]:
    """What writes a release's figures."""
    from kohort.render import release_text

    write = _form(path, lambda figures: release_text(figures, quasi))
    return lambda release: write(told(release))


def _form(path: Path, text: Callable[[Mapping[str, Json]], str]) -> Callable[[Mapping[str, Json]], bytes]:
    """What writes figures in the form that a report's name asks for."""
    from json import dumps

    if path.suffix not in _REPORTS:
        raise UsageError(f"a report is one of {', '.join(_REPORTS)}", where="--report", hint="name it so")
    if path.suffix == ".json":
        return lambda figures: (dumps(figures, indent=2) + "\n").encode()
    return lambda figures: (text(figures) + "\n").encode()
