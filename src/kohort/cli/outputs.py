"""The files that are published with a release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeVar

from kohort.cli.derive import option
from kohort.errors import UnsupportedError, UsageError
from kohort.job.faults import placing
from kohort.job.keys import CLASSICS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.engines.pipeline import Report
    from kohort.job.request import TableRequest
    from kohort.publish import Companion
    from kohort.release import Release
    from kohort.report.page import Page as PageModel
    from kohort.report.page.audience import Audience
    from kohort.report.release import ReleaseFigures

V = TypeVar("V")

AudienceWord = Annotated[
    str | None,
    option(
        "Output",
        "Who reads the page: internal, for the steward; or public, without values or counts below k.",
        "WORD",
        "--audience",
        shown="internal",
    ),
]

#: The forms that a page can have, by its file's ending.
FORMS: Final = (".html", ".json")

#: Forms that a report can have, by its name's ending.
_REPORTS = (*FORMS, ".txt")


class PageOptions(NamedTuple):
    """The report that is published with a release, and for whom."""

    report: Path | None = option(
        "Output",
        "Also publish a report: a page (.html), its figures (.json), or the printed text (.txt).",
        "FILE",
        first=True,
    )
    audience: AudienceWord = None


class Files(NamedTuple):
    """What else is made of a table's release: files, comparisons and attacks."""

    mapping: Path | None = option(
        "Output", "Write each value and its released value, by column (.csv, .json): for the steward only.", "FILE"
    )
    picture: Path | None = option(
        CLASSICS,
        "Draw the lattice, or its frontier (.svg, .png, .pdf, .jpg), without any value; also in a dry run.",
        "FILE",
    )
    compare_grid: bool = option(
        "Output",
        "Search again without the grids, or with proposed ones, to show what range ends reveal and what grids cost.",
    )
    attack: list[str] | None = option(
        "Output",
        "Run these attacks of `kohort risk`, or all, on the release, with its input; the report shows the results.",
        "A,B",
    )
    bound: bool = option(
        "Output",
        "Compute a lower bound on the loss of any release with classes of k records, from a sample of the records.",
    )


def used(files: Files) -> dict[str, object]:
    """The files by their flags."""
    return {name.replace("_", "-"): value for name, value in files._asdict().items()}


def refuse_elsewhere(engine: str, page: PageOptions, asked: Mapping[str, object]) -> None:
    """Refuse what needs the records, where another engine leaves them elsewhere."""
    from kohort.engines.base import LOCALLY

    if engine == LOCALLY:
        return
    asked = {**asked, "report": page.report is not None and page.report.suffix != ".txt"}
    for name, value in asked.items():
        if value:
            what = f"--{name} needs the records themselves, which stay in {engine}"
            hint = f"leave out --{name} or the engine; --report FILE.txt has the figures"
            raise UnsupportedError(what, where=f"--{name}", hint=hint)


@dataclass(slots=True)
class FigureMaker:
    """Makes the figures of one release, for files and for the screen; comparisons and attacks are made once.

    Attributes:
        files: Which of them to make.
        attack: The attacks to run; empty for all.
        threads: For comparisons.
        on_progress: Called with the stage of each attack.
        found: What was made: by the names that the figures give it.
    """

    files: Files
    attack: tuple[str, ...]
    threads: int
    on_progress: Callable[[str], None] = lambda _: None
    found: dict[str, Any] | None = None

    def __call__(self, release: Release) -> ReleaseFigures:
        """What is printed."""
        from kohort.report.release import release_figures

        return release_figures(release).model_copy(update=self._made(release))

    def page(self, release: Release, audience: Audience | None) -> PageModel:
        """The model of a page; only the steward reads how cuts compare, and how near the loss is to the least."""
        from kohort.report.page import page
        from kohort.report.page.audience import Audience

        more = {**self._made(release)}
        attacks, public = more.pop("attacks", None), audience is Audience.PUBLIC
        made = page(release, audience=Audience.PUBLIC if public else Audience.INTERNAL, attacks=attacks)
        return made if public else made.model_copy(update=more)

    def _made(self, release: Release) -> dict[str, Any]:
        if self.found is None:
            self.found = {}
            if self.files.compare_grid:
                from kohort.engines import exposure

                self.found["grid"] = exposure.compare(release, threads=self.threads)
            if self.files.bound:
                from kohort.engines.pricing import bound
                from kohort.report.figures import bound_figures

                least = bound(release)
                self.found["bound"] = None if least is None else bound_figures(least, release.metrics["ncp"])
            if self.files.attack is not None:
                from kohort.report.release import attacked

                self.found["attacks"] = attacked(release, self.attack, on_progress=self.on_progress)
        return self.found


def figures_of(made: TableRequest, files: Files, *, threads: int) -> FigureMaker:
    """What makes the figures of a release."""
    if files.compare_grid:
        from kohort.engines import exposure

        with placing(_at("--compare-grid")):
            exposure.check_cuts(made.job)
    if files.attack is None:
        return FigureMaker(files, (), threads)
    from kohort.cli.risk import names_of

    return FigureMaker(files, names_of(files.attack), threads)


def companions(
    made: TableRequest, page: PageOptions, files: Files, figures: FigureMaker, *, dry_run: bool
) -> tuple[Report, ...]:
    """The files to publish with the release, and what writes each."""
    from kohort.engines import pipeline

    def text(release: Release) -> str:
        from kohort.report.render.release import release_text

        return release_text(figures(release), [one.name for one in made.job.schema.quasi])

    report = report_of(page, text, figures.page, dry_run=dry_run)
    _refuse_dry("--mapping", files.mapping, dry_run=dry_run)
    found = [] if report is None else [pipeline.Report(report.path, report.content)]
    if files.mapping is not None:
        from kohort.report import mapping

        with placing(_at("--mapping")):
            mapping.check(made.job.algorithm)
            found.append(pipeline.Report(files.mapping, mapping.writer(files.mapping)))
    if files.picture is not None:
        found.append(_picture(made, files.picture))
    return tuple(found)


def report_of(
    page: PageOptions,
    text: Callable[[V], str],
    drawn: Callable[[V, Audience | None], PageModel],
    *,
    dry_run: bool,
) -> Companion[V] | None:
    """The report to publish with a release of any kind, if there is to be one.

    Args:
        page: What is asked of it.
        text: The release as it is printed.
        drawn: The page of the release for an audience, by default the steward.
        dry_run: Whether nothing may be written.
    """
    _refuse_dry("--report", page.report, dry_run=dry_run)
    audience = _audience(page)
    if page.report is None:
        return None
    from kohort.publish import Companion
    from kohort.report.render.text import text_file
    from kohort.report.written import writer_of

    if page.report.suffix == ".txt":
        return Companion(page.report, lambda release: text_file(text(release)))
    write = writer_of(page.report.suffix)
    return Companion(page.report, lambda release: write(drawn(release, audience)))


def _audience(page: PageOptions) -> Audience | None:
    """The audience of a report; refuses a report of no known form, and text that the public should read."""
    report, audience = page.report, audience_of(page.audience)
    if report is None and audience is not None:
        raise UsageError("no report is written", where="--audience", hint="add --report FILE.html, or leave it out")
    if report is not None and report.suffix not in _REPORTS:
        raise UsageError(f"unknown file type {report.suffix}", where="--report", hint=f"one of {', '.join(_REPORTS)}")
    if report is not None and report.suffix == ".txt" and audience is not None:
        hint = "name the report .html or .json"
        raise UsageError("the printed text is the same for every audience", where="--audience", hint=hint)
    return audience


def _refuse_dry(flag: str, path: Path | None, *, dry_run: bool) -> None:
    if path is not None and dry_run:
        raise UsageError("a dry run writes nothing", where=flag, hint="leave it out; --json prints the figures")


def _picture(made: TableRequest, path: Path) -> Report:
    from kohort.algorithms.lattice.exhaustive import check_drawable
    from kohort.engines import pipeline
    from kohort.report import lattice as lattice_picture

    with placing(_at("--picture")):
        format_ = lattice_picture.format_of(made.job.algorithm, path.suffix)
    return pipeline.Report(path, lambda release: lattice_picture.picture(release, format_), check_drawable)


def _at(flag: str) -> Callable[[UsageError], UsageError]:
    return lambda fault: UsageError(fault.what, where=flag, hint=fault.hint)


def audience_of(word: str | None) -> Audience | None:
    """The audience that a flag names."""
    if word is None:
        return None
    from kohort.report.page.audience import Audience

    if word not in list(Audience):
        raise UsageError("unknown audience", where="--audience", hint=f"one of {', '.join(Audience)}")
    return Audience(word)
