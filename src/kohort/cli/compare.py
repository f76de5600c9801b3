"""`kohort compare`: a table and its release, side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from kohort.cli import flags, options
from kohort.cli.derive import Given, Keys, argument, option
from kohort.cli.screen import progress, say
from kohort.errors import UsageError
from kohort.errors.display import INTERNAL
from kohort.job.codec import names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.assessment.comparison import Comparison
    from kohort.io import ReadOptions
    from kohort.job.request import TableRequest
    from kohort.report import Json
    from kohort.report.figures import BoundFigures
    from kohort.schema import Schema
    from kohort.tables.table import Table

#: Queries where no number is given and the quasi-identifiers are known.
QUERIES: Final = 200

#: Forms that the comparison can be written in.
_FORMS: Final = (".json", ".txt")


class Questions(NamedTuple):
    """What else to compare: random counts, and predictions."""

    queries: int | None = option(
        "Method",
        "Number of random COUNT queries to run on both tables, if quasi-identifiers are known; 0 for none.",
        "N",
        shown=str(QUERIES),
        min=0,
    )
    target: str | None = option(
        "Method",
        "Train a classifier on each table to predict this column from the quasi-identifiers.",
        "COLUMN",
        first=True,
    )
    seed: int = option(
        "Method", "The same seed draws the same queries and holds out the same records.", "N", default=0, min=0
    )
    bound: bool = option(
        "Method",
        "Compute a lower bound on the loss of any release with this k and such labels, from a sample of BEFORE.",
    )


class ComparisonOutput(NamedTuple):
    """Where the comparison goes."""

    out: Path | None = option(
        "Output",
        "Also write the comparison to a file: .json, which contains values of the table, or .txt.",
        "FILE",
        first=True,
    )
    overwrite: options.Overwrite = False
    json: options.Json = False
    quiet: options.Quiet = False


#: How flags differ from the keys of a job.
_CHANGED: Final = MappingProxyType(
    {
        "hierarchy": {"help": "A hierarchy file or builder that defines what the labels of a quasi-identifier cover."},
        "k": {"help": "The k of the release, for C_AVG."},
        "encoding": {"help": "Encoding of BEFORE; a release is UTF-8."},
    }
)


def compare(
    before: str = argument("BEFORE", "The table; '-' is standard input."),
    after: str = argument("AFTER", "The release of this table; columns are matched by name."),
    *,
    table: Annotated[
        Given, Keys(only=("quasi", "hierarchy", "k", "missing-token", *options.READING), changed=_CHANGED)
    ],
    job: Path | None = option(
        "Input", "Take roles, hierarchies and k from the release's job file.", "JOB.toml", first=True
    ),
    questions: Questions,
    shown: ComparisonOutput,
) -> None:
    """Compare a table and its release: means, distributions, associations, counts and predictions."""
    from kohort.report.figures import as_json
    from kohort.report.render.comparison import comparison_text

    if job is not None:
        flags.refuse(table.used(), "the job file says this already")
        known = _by_job(job)
    else:
        known = _by_flags(table)
    _refuse_unknown(known, questions)
    inputs = _inputs(before, after)
    write = _writer(shown.out, inputs, overwrite=shown.overwrite)
    figures, bound = _figures(before, after, known, questions, quiet=shown.quiet)
    text = comparison_text(figures, bound)
    json: dict[str, Json] = {**as_json(figures), **({} if bound is None else {"bound": bound.as_json()})}
    write(text, json)
    say(text, json, as_json=shown.json, quiet=shown.quiet, internal=True)


class _Known(NamedTuple):
    """What is known of the tables.

    Attributes:
        schema: Roles, hierarchies, and texts that mean no value.
        k: The size that classes were to have; `None` if unknown.
        reading: How the first table is written; `None` for the usual way.
        request: The job that made the release.
    """

    schema: Schema
    k: int | None
    reading: ReadOptions | None = None
    request: TableRequest | None = None


def _by_job(path: Path) -> _Known:
    from kohort.job.document import document_at
    from kohort.job.request import of

    request = of(document_at(path))
    return _Known(request.job.schema, request.job.k, request.job.reading, request)


def _by_flags(given: Given) -> _Known:
    from kohort.schema import Schema

    missing, how = frozenset(given["missing-token"] or ()), options.reader(given)
    if not names(given["quasi"]):
        unused = {"k": given["k"], "hierarchy": given["hierarchy"]}
        flags.refuse(unused, "no quasi-identifier is named", "add --quasi, or leave it out")
        return _Known(Schema((), missing), None, how)
    faults: list[UsageError] = []
    raw = flags.tables(given.only("quasi", "hierarchy", "k"), faults)
    made = flags.question({"privacy": {}, **raw}, faults)
    return _Known(replace(made.schema, missing=missing), given["k"], how)


def _refuse_unknown(known: _Known, questions: Questions) -> None:
    if not known.schema.quasi:
        unused = {"queries": questions.queries or None, "target": questions.target, "bound": questions.bound}
        flags.refuse(unused, "no quasi-identifier is named", "add --quasi or --job, or leave it out")
    if known.k is None:
        flags.refuse({"bound": questions.bound}, "the k of the release is not known", "add --k, or leave it out")


def _inputs(before: str, after: str) -> tuple[Path, ...]:
    if before == after == "-":
        raise UsageError("only one of the two tables can be standard input", where="BEFORE AFTER", hint="give a path")
    from kohort.io.forms import files

    return files(before, after)


def _writer(out: Path | None, inputs: Sequence[Path], *, overwrite: bool) -> Callable[[str, dict[str, Json]], None]:
    """What writes the comparison, by the ending of the file's name; what cannot be written is refused at once."""
    if out is None:
        return lambda _text, _json: None
    if out.suffix not in _FORMS:
        raise UsageError(f"unknown file type {out.suffix}", where="--out", hint=f"one of {', '.join(_FORMS)}")
    from json import dumps

    from kohort.publish import check_target, publish
    from kohort.report.render.text import text_file

    check_target(out, overwrite=overwrite, inputs=inputs)

    def write(text: str, json: dict[str, Json]) -> None:
        content = text_file(text) if out.suffix == ".txt" else f"{dumps({**INTERNAL, **json}, indent=2)}\n".encode()
        publish(out, lambda file: file.write(content), lambda _: None, overwrite=overwrite, inputs=inputs)

    return write


def _figures(
    before: str, after: str, known: _Known, questions: Questions, *, quiet: bool
) -> tuple[Comparison, BoundFigures | None]:
    """Read both tables, and compare them; and the least loss, where that is asked for."""
    from kohort.assessment.comparison import comparison_of, lines_of
    from kohort.assessment.comparison.classifier import library, prediction
    from kohort.assessment.comparison.queries import workload
    from kohort.engines.pricing import bound_of_table
    from kohort.errors.display import significant
    from kohort.io import ReadOptions, read
    from kohort.report.figures import bound_figures
    from kohort.tables.complete import entered

    if questions.target is not None:
        library()  # refused before any work where it is not there
    bound = None
    with progress(quiet=quiet) as on_progress:
        on_progress("read")
        with options.refusing_empty():
            old = read(before, known.reading or ReadOptions())
            marks = [one.decimal for one in old.notations.values()]
            new = read(after, ReadOptions(header=True, decimal=next(iter(marks), None)))
            if known.request is not None:
                old, _ = entered(old, known.request.job.complete, known.request.job.schema.missing)
        schema = _over(known, old)
        target = _target(questions.target, old, new)
        on_progress("compare")
        lines = lines_of(old, new, schema=schema)
        quasi = [line for line in lines if line.known.domain is not None]
        compared = comparison_of(old, new, lines, k=known.k)
        queries = QUERIES if questions.queries is None else questions.queries
        if quasi and queries:
            on_progress(f"run {queries:,} queries")
            compared = replace(compared, queries=workload(quasi, queries, seed=questions.seed))
        if target is not None:
            on_progress("learn")
            [line] = [one for one in lines if one.name == target]
            compared = replace(compared, classifier=prediction(quasi, line, seed=questions.seed))
        if questions.bound and compared.cost is not None and known.k is not None:
            on_progress("bound the loss")
            least = bound_of_table(old, quasi, known.k, missing=schema.missing)
            bound = bound_figures(least, significant(compared.cost.ncp))
    return compared, bound


def _over(known: _Known, table: Table) -> Schema:
    """The schema, which must name no column that the table does not have."""
    if known.request is None:
        for attribute in known.schema.attributes:
            _named(table, attribute.name)
        return known.schema
    try:
        return known.schema.over(table.names)
    except UsageError as fault:
        raise known.request.placed(fault) from None


def _target(name: str | None, before: Table, after: Table) -> str | None:
    """The column to predict, which both tables must have."""
    if name is not None:
        _named(before, name)
        if name not in after.names:
            raise UsageError(
                "the release has no such column", where=f"--target {name}", hint="predict a released column"
            )
    return name


def _named(table: Table, name: str) -> None:
    from kohort.assessment.classes import named_column

    named_column(table, name)
