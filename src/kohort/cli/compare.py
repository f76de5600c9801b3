"""`kohort compare`: a table and its release, side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from kohort.cli import flags, options
from kohort.cli.screen import progress, say
from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.engines.table import Table
    from kohort.io import ReadOptions
    from kohort.job import Request
    from kohort.report.comparison import ComparisonFigures
    from kohort.report.figures import Figures
    from kohort.schema import Schema

#: Queries that are asked where nothing is said and the quasi-identifiers are known.
QUERIES: Final = 200

#: Forms that the comparison can be written in.
_FORMS: Final = (".json", ".txt")


def compare(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="The table; - is standard input.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="Its release: the same columns by name.")],
    *,
    quasi: options.Quasi = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=FILE", help="What labels of a quasi-identifier cover (repeatable; also a builder)."
        ),
    ] = None,
    job: Annotated[
        Path | None,
        typer.Option("--job", metavar="JOB.toml", help="Take roles, hierarchies and k from the release's job file."),
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", metavar="K", help="The size that classes were to have: for C_AVG.")
    ] = None,
    queries: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Random counts that both tables are asked, where quasi-identifiers are known; 0: none.",
            show_default=str(QUERIES),
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Train a classifier on each table to predict this column from quasi-identifiers."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed asks and holds out the same.")] = 0,
    missing_token: options.MissingTokens = None,
    separator: options.Separator = None,
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Encoding of BEFORE; a release is UTF-8.")] = "utf-8",
    header: options.Header = None,
    names: options.Names = None,
    skip_blank: options.SkipBlank = False,
    trim: options.Trim = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write it too: .json, with values of the table in it, or .txt."),
    ] = None,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """What did a release cost? Means, distributions, associations, counts and predictions before and after."""
    options.use_threads()
    from kohort.report.render.comparison import comparison_text

    said: dict[str, object] = {"quasi": quasi, "hierarchy": hierarchy, "k": k, "missing-token": missing_token}
    reading = options.Reading(header, names, skip_blank, trim)
    how: dict[str, object] = {"separator": separator, **reading.flags()}
    if job is not None:
        flags.refuse(said | how | {"encoding": encoding if encoding != "utf-8" else None}, "the job file says it")
        asked = _by_job(job)
    else:
        asked = _by_flags(quasi, hierarchy, k, missing_token)
        asked = asked._replace(reading=reading.options(separator, encoding))
    _refuse_unasked(asked, queries=queries, target=target)
    inputs = _inputs(before, after)
    write = _writer(out, inputs, overwrite=overwrite)
    figures = _figures(before, after, asked, _Questions(queries, target, seed), quiet=quiet)
    text = comparison_text(figures)
    write(text, figures)
    say(text, figures.as_json(), as_json=json, quiet=quiet)


class _Asked(NamedTuple):
    """What is known of the tables.

    Attributes:
        schema: Roles, hierarchies, and texts that mean no value.
        k: The size that classes were to have; `None` where nobody says it.
        reading: How the first table is written; `None` for the usual way.
        request: The job that made the release.
    """

    schema: Schema
    k: int | None
    reading: ReadOptions | None = None
    request: Request | None = None


class _Questions(NamedTuple):
    """What is asked of both tables besides.

    Attributes:
        queries: How many random counts; `None` as many as usual.
        target: The column to predict.
        seed: What is drawn by.
    """

    queries: int | None
    target: str | None
    seed: int


def _by_job(path: Path) -> _Asked:
    """What a job file says."""
    from kohort.job import load

    request = load(path)
    return _Asked(request.job.schema, request.job.k, request.job.reading, request)


def _by_flags(
    quasi: Sequence[str] | None, hierarchy: Sequence[str] | None, k: int | None, missing: Sequence[str] | None
) -> _Asked:
    """What flags say.

    Raises:
        JobError: every fault of the flags at once.
    """
    from kohort.schema import Schema

    if not options.names(quasi):
        flags.refuse({"k": k, "hierarchy": hierarchy}, "no quasi-identifier is named", "add --quasi, or leave it out")
        return _Asked(Schema((), frozenset(missing or ())), None)
    faults: list[UsageError] = []
    columns = flags.columns({"quasi": quasi}, faults)
    flags.shape(columns, "hierarchy", hierarchy, faults)
    raw = {"privacy": {"k": k}, "columns": columns}
    made = flags.question(raw, faults)
    return _Asked(replace(made.schema, missing=frozenset(missing or ())), k)


def _refuse_unasked(asked: _Asked, *, queries: int | None, target: str | None) -> None:
    """Refuse questions about quasi-identifiers where none is known."""
    if not asked.schema.quasi:
        said = {"queries": queries or None, "target": target}
        flags.refuse(said, "no quasi-identifier is named", "add --quasi or --job, or leave it out")


def _inputs(before: str, after: str) -> tuple[Path, ...]:
    """The files that no output may replace."""
    if before == after == "-":
        raise UsageError("only one of the two can be standard input", where="BEFORE AFTER", hint="give a path")
    return tuple(Path(one) for one in (before, after) if one != "-")


def _writer(out: Path | None, inputs: Sequence[Path], *, overwrite: bool) -> Callable[[str, ComparisonFigures], None]:
    """What writes the comparison, by the ending of the file's name; what cannot be written is refused at once."""
    if out is None:
        return lambda _text, _figures: None
    if out.suffix not in _FORMS:
        raise UsageError(f"a comparison is one of {', '.join(_FORMS)}", where="--out", hint="name it so")
    from json import dumps

    from kohort.publish import check_target, publish

    check_target(out, overwrite=overwrite, inputs=inputs)

    def write(text: str, figures: ComparisonFigures) -> None:
        content = (text if out.suffix == ".txt" else dumps(figures.as_json(), indent=2)) + "\n"
        publish(out, lambda file: file.write(content.encode()), lambda _: None, overwrite=overwrite, inputs=inputs)

    return write


def _figures(before: str, after: str, asked: _Asked, questions: _Questions, *, quiet: bool) -> ComparisonFigures:
    """Read both tables, and compare them."""
    from kohort.assessment.comparison import comparison_of, lines_of
    from kohort.assessment.comparison.classifier import library, prediction
    from kohort.assessment.comparison.queries import workload
    from kohort.io import ReadOptions, read
    from kohort.pipeline.counting import entered_by
    from kohort.report.comparison import PredictionFigures, WorkloadFigures, comparison_figures

    if questions.target is not None:
        library()  # refused before any work where it is not there
    asking: dict[str, Figures | None] = {"queries": None, "classifier": None}
    with progress(quiet=quiet) as tell:
        tell("read")
        with options.refusing_empty():
            old, new = read(before, asked.reading or ReadOptions()), read(after, ReadOptions(header=True))
            old = old if asked.request is None else entered_by(asked.request.job, old)
        schema = _over(asked, old)
        target = _target(questions.target, old, new)
        tell("compare")
        lines = lines_of(old, new, schema=schema)
        quasi = [line for line in lines if line.known.domain is not None]
        figures = comparison_figures(comparison_of(old, new, lines, k=asked.k))
        queries = QUERIES if questions.queries is None else questions.queries
        if quasi and queries:
            tell(f"ask {queries:,} counts")
            asking["queries"] = WorkloadFigures.from_attributes(workload(quasi, queries, seed=questions.seed))
        if target is not None:
            tell("learn")
            [line] = [one for one in lines if one.name == target]
            asking["classifier"] = PredictionFigures.from_attributes(prediction(quasi, line, seed=questions.seed))
    return figures.model_copy(update=asking)


def _over(asked: _Asked, table: Table) -> Schema:
    """The schema, which must name no column that the table does not have.

    Raises:
        UsageError: it does; the message names the nearest.
    """
    if asked.request is None:
        for attribute in asked.schema.attributes:
            _named(table, attribute.name)
        return asked.schema
    try:
        return asked.schema.over(table.names)
    except UsageError as fault:
        raise asked.request.placed(fault) from None


def _target(name: str | None, before: Table, after: Table) -> str | None:
    """The column to predict, which both tables must have."""
    if name is not None:
        _named(before, name)
        if name not in after.names:
            raise UsageError("the release does not have it", where=f"--target {name}", hint="predict a released column")
    return name


def _named(table: Table, name: str) -> None:
    """Refuse a column that the table does not have; see `kohort.assessment.checking.named_column`."""
    from kohort.assessment.checking import named_column

    named_column(table, name)
