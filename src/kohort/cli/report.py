"""`kohort report`: the page of a release, from its figures or from its job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from kohort.cli import options, outputs
from kohort.cli.derive import argument, option
from kohort.cli.kinds import KINDS, kind_of
from kohort.cli.screen import echo_json, progress, say
from kohort.errors import FileError, UsageError
from kohort.job.faults import placing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.job.document import Document
    from kohort.publish import Companion
    from kohort.report.charts.canvas import Format
    from kohort.report.metadata.dataset import Vocabulary
    from kohort.report.page import Page
    from kohort.report.page.audience import Audience
    from kohort.report.render.page.chart import Chart


#: The formats of charts.
CHARTS: Final = ("png", "pdf", "svg", "jpg")


def report(
    source: Path = argument(
        "IN", "The figures of a release, as --report FIGURES.json writes them, or the job that made it, JOB.toml."
    ),
    *,
    out: Path | None = option("", "The page to write: .html, or its figures as .json.", "FILE"),
    audience: outputs.AudienceWord = None,
    charts: Path | None = option("", "Also write every chart to a file.", "FOLDER"),
    format_: str | None = option("", "Chart format: png (default), pdf, svg or jpg.", "WORD", "--format"),
    threads: options.Threads = options.CORES,
    quiet: options.Quiet = False,
    overwrite: options.Overwrite = False,
) -> None:
    """The page of a release: what was asked and done, what it cost and whom; from its figures, or from its job."""
    from kohort.publish import publish

    reader = outputs.audience_of(audience)
    write = _writer(out, charts, format_)
    with progress(quiet=quiet) as on_progress:
        page, inputs = _figures(source, out, reader, threads=threads, overwrite=overwrite, on_progress=on_progress)
        on_progress("draw")
        first, *others = _files(page, out, write, charts, format_)
    publish(
        first.path,
        lambda file: file.write(first.content(None)),
        lambda _: None,
        companions=others,
        overwrite=overwrite,
        inputs=inputs,
    )
    for one in (first, *others):
        say(str(one.path), quiet=quiet)


def _writer(out: Path | None, charts: Path | None, format_: str | None) -> Callable[[Page], bytes]:
    """What writes the page; refuses what could not be written before any work."""
    from kohort.report.charts.canvas import library
    from kohort.report.written import refuse_missing, writer_of

    if out is None and charts is None:
        raise UsageError("no file to write is named", where="--out", hint="add --out FILE.html, or --charts FOLDER")
    if out is not None and out.suffix not in outputs.FORMS:
        raise UsageError(f"unknown file type {out.suffix}", where="--out", hint=f"one of {', '.join(outputs.FORMS)}")
    if format_ is not None and charts is None:
        raise UsageError("no charts are written", where="--format", hint="add --charts FOLDER, or leave it out")
    if format_ is not None and format_ not in CHARTS:
        raise UsageError("unknown chart format", where="--format", hint=f"one of {', '.join(CHARTS)}")
    if charts is not None:
        refuse_missing()
        library()
    return writer_of(".json" if out is None else out.suffix)


def _figures(
    source: Path,
    out: Path | None,
    audience: Audience | None,
    *,
    threads: int,
    overwrite: bool,
    on_progress: Callable[[str], None],
) -> tuple[Page, Sequence[Path]]:
    from kohort.publish import check_target
    from kohort.report.page.build import for_audience, read_page

    if out is not None:
        check_target(out, overwrite=overwrite, inputs=[source])
    if source.suffix == ".json":
        return for_audience(read_page(source), audience), [source]
    if source.suffix != ".toml":
        raise UsageError(
            "a page is drawn from figures or from a job", where=str(source), hint="name FIGURES.json, or JOB.toml"
        )
    from kohort.job.document import document_at

    text = document_at(source)
    return KINDS[kind_of(text)].report(text, audience, threads, on_progress)


def report_table(
    text: Document, audience: Audience | None, threads: int, on_progress: Callable[[str], None]
) -> tuple[Page, Sequence[Path]]:
    """Make and verify a release of a table again."""
    from kohort.engines.again import again, refuse_random
    from kohort.io.forms import files
    from kohort.job.request import of
    from kohort.report.page import page
    from kohort.report.page.audience import Audience

    made = of(text)
    refuse_random(made.job)
    target = made.target
    with placing(made.placed):
        release = again(
            made.source, made.job, target, population=made.population, threads=threads, on_progress=on_progress
        )
    inputs = [Path(made.source), *files(target), cast("Path", release.certificate), *made.inputs]
    if made.population is not None:
        inputs.append(Path(made.population))
    return page(release, audience=audience or Audience.INTERNAL), inputs


def _files(
    page: Page, out: Path | None, write: Callable[[Page], bytes], charts: Path | None, format_: str | None
) -> list[Companion[None]]:
    from kohort.publish import Companion

    files: list[Companion[None]] = [] if out is None else [Companion(out, lambda _: write(page))]
    if charts is None:
        return files
    from kohort.report.render.page import charts as charts_of

    _made(charts)
    form = cast("Format", format_ or CHARTS[0])

    def drawn(chart: Chart) -> Callable[[None], bytes]:
        return lambda _: chart.bytes(form)

    return files + [Companion(charts / f"{name}.{form}", drawn(chart)) for name, chart in charts_of(page).items()]


def _made(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as fault:
        raise FileError(f"the folder could not be made: {fault.strerror}", where=str(folder)) from None


# --- `kohort metadata`: the certificate of a release in the words of data catalogues ----------------------------------


def metadata(
    certificate: Path = argument("CERTIFICATE", "The certificate beside a release: NAME.kohort.json."),
    *,
    format_: str = option("", "The vocabulary: frictionless, croissant or dcat.", "WORD", "--format"),
    out: Path | None = option("", "The file to write.", "FILE", shown="standard output"),
    title: str | None = option("", "The title of the data set.", "TEXT", shown="the release's name"),
    license_: str | None = option("", "The address of the licence of the release.", "URL", "--license"),
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Describe a release for data catalogues: its file, columns and models; no value of a record."""
    from json import dumps, load

    from kohort.certificate.again import read_certificate
    from kohort.publish import check_target, publish
    from kohort.report.metadata import PLUGINS
    from kohort.report.metadata.dataset import dataset
    from kohort.specification import plugins

    known: Mapping[str, Vocabulary] = plugins("kohort.metadata", PLUGINS)
    if format_ not in known:
        raise UsageError("unknown vocabulary", where="--format", hint=f"one of {', '.join(known)}")
    if out is not None:
        check_target(out, overwrite=overwrite, inputs=[certificate])
    data = dataset(read_certificate(certificate), certificate.name, title=title, licence=license_)
    document = known[format_](data)
    if out is None:
        echo_json(document, indent=2)
        return
    text = dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    publish(out, lambda file: file.write(f"{text}\n".encode()), load, overwrite=overwrite, inputs=[certificate])
    say(str(out), quiet=quiet)
