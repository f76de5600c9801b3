"""`kohort anonymize` and `kohort run`: the same job from flags or from a file."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kohort.cli import options
from kohort.cli.screen import progress, say
from kohort.errors import JobError, SchemaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.job import Request
    from kohort.job.lines import Place
    from kohort.release import Release

#: Forms that a report can have, by its name's ending.
_REPORTS = (".json", ".txt")

ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Publish the figures too: a .json or .txt file.")
]


def anonymize(
    source: options.Source,
    *,
    out: Annotated[
        str, typer.Option("--out", metavar="OUT", help="The release to publish; its certificate is OUT.kohort.json.")
    ],
    quasi: options.Quasi = None,
    sensitive: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Sensitive columns: released unchanged.")
    ] = None,
    identifier: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Identifying columns: never released.")
    ] = None,
    insensitive: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Insensitive columns: released unchanged.")
    ] = None,
    rest: Annotated[
        str, typer.Option(metavar="WORD", help="Columns not named: refuse, insensitive, or drop.")
    ] = "refuse",
    k: options.K = 10,
    method: Annotated[str, typer.Option(metavar="WORD", help="mondrian or mondrian-relaxed.")] = "mondrian",
    cut: Annotated[
        str,
        typer.Option(metavar="WORD", help="nearest: the allowable cut nearest the median; median: the textbook's."),
    ] = "nearest",
    order: Annotated[
        str | None, typer.Option(metavar="WORD", help="Order of categorical values: hierarchy, frequency, sorted.")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(metavar="WORD", help="range, set, ancestor, mean or grid, where a column can.")
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=FILE", help="Or a builder: age=intervals:5,10,20 zip=mask:right sex=suppress."),
    ] = None,
    grid: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=STEP", help="Or COLUMN=CUT,CUT,…: public cut points.")
    ] = None,
    bounds: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=LOW..HIGH", help="The domain of a numeric column.")
    ] = None,
    weight: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=NUMBER", help="How much its width counts; 1 if not given.")
    ] = None,
    scale: Annotated[list[str] | None, typer.Option(metavar="COLUMN=WORD", help="numeric or categorical.")] = None,
    missing: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=WORD", help="own-value, suppress or refuse.")
    ] = None,
    missing_token: options.MissingTokens = None,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    skip_blank: options.SkipBlank = False,
    allow_empty: Annotated[bool, typer.Option("--allow-empty", help="Accept a table of no records.")] = False,
    format_: Annotated[
        str | None, typer.Option("--format", metavar="WORD", help="Format of the release, where its name tells none.")
    ] = None,
    excel_safe: Annotated[
        bool, typer.Option("--excel-safe", help="Neutralise cells that a spreadsheet would run.")
    ] = False,
    report: ReportFile = None,
    threads: options.Threads = options.CORES,
    json: options.Json = False,
    quiet: options.Quiet = False,
    dry_run: options.DryRun = False,
    overwrite: options.Overwrite = False,
) -> None:
    """A table in, a verified k-anonymous release out."""
    roles = {"quasi": quasi, "sensitive": sensitive, "identifying": identifier, "insensitive": insensitive}
    shapes = {
        "hierarchy": hierarchy,
        "grid": grid,
        "bounds": bounds,
        "weight": weight,
        "scale": scale,
        "missing": missing,
    }
    faults: list[UsageError] = []
    columns = _columns(roles, faults)
    for key, texts in shapes.items():
        _shape(columns, key, texts, faults)
    raw: dict[str, object] = {
        "input": {
            "path": source,
            "separator": separator,
            "encoding": encoding,
            "header": not no_header,
            "skip-blank": skip_blank,
            "allow-empty": allow_empty,
            "missing": ["", *(missing_token or ())],
        },
        "output": {"path": out, "format": format_, "excel-safe": excel_safe},
        "privacy": {"k": k},
        "method": {"name": method, "cut": cut, "order": order, "labels": labels},
        "rest": rest,
        "columns": columns,
    }
    options.use_threads(threads)
    made = _request(raw, faults)
    _carry_out(made, report, threads=threads, json=json, quiet=quiet, dry_run=dry_run, overwrite=overwrite)


def run(
    job: Annotated[Path, typer.Argument(metavar="JOB", help="A job file (TOML); `kohort init` writes one to correct.")],
    *,
    report: ReportFile = None,
    threads: options.Threads = options.CORES,
    json: options.Json = False,
    quiet: options.Quiet = False,
    dry_run: options.DryRun = False,
    overwrite: options.Overwrite = False,
) -> None:
    """The same from a job file."""
    options.use_threads(threads)
    from kohort.job import load

    _carry_out(load(job), report, threads=threads, json=json, quiet=quiet, dry_run=dry_run, overwrite=overwrite)


def _carry_out(
    made: Request, report: Path | None, *, threads: int, json: bool, quiet: bool, dry_run: bool, overwrite: bool
) -> None:
    """Anonymize as `made` asks, and say what came of it."""
    from kohort import pipeline
    from kohort.render import release_text
    from kohort.report import numbers

    reports = () if report is None else (pipeline.Report(report, _writer(report, dry_run=dry_run)),)
    try:
        with progress(quiet=quiet) as tell:
            if dry_run:
                release = pipeline.rehearse(made.source, made.job, threads=threads, tell=tell)
            else:
                release = pipeline.anonymize(
                    made.source,
                    made.job,
                    target=made.target,
                    overwrite=overwrite,
                    threads=threads,
                    tell=tell,
                    reports=reports,
                    inputs=made.inputs,
                )
    except (JobError, SchemaError) as fault:
        raise made.placed(fault) from None
    figures = numbers(release)
    say(release_text(figures), figures, as_json=json, quiet=quiet)


def _writer(path: Path, *, dry_run: bool) -> Callable[[Release], bytes]:
    """What writes a release's figures in the form that the report's name asks for."""
    from json import dumps

    from kohort.render import release_text
    from kohort.report import numbers

    if dry_run:
        raise UsageError("a dry run writes nothing", where="--report", hint="leave it out; --json prints the figures")
    if path.suffix not in _REPORTS:
        raise UsageError(f"a report is one of {', '.join(_REPORTS)}", where="--report", hint="name it so")
    if path.suffix == ".json":
        return lambda release: (dumps(numbers(release), indent=2) + "\n").encode()
    return lambda release: (release_text(numbers(release)) + "\n").encode()


# --- from flags to a job ----------------------------------------------------------------------------------------------


def _request(raw: Mapping[str, object], faults: Sequence[UsageError]) -> Request:
    """The request that the flags make; their faults come all at once."""
    from kohort.job import faults_of, job_error, request

    try:
        made = request(raw, where=_flag)
    except JobError as fault:
        raise job_error([*faults, *faults_of(fault)]) from None
    if faults:
        raise job_error(faults)
    return made


def _columns(roles: Mapping[str, Sequence[str] | None], faults: list[UsageError]) -> dict[str, dict[str, object]]:
    """The columns of a job from the lists of names; a name in two lists is a fault."""
    columns: dict[str, dict[str, object]] = {}
    for role, texts in roles.items():
        for name in options.names(texts):
            if name in columns:
                faults.append(UsageError(f"column {name} is named twice", hint="a column has one role"))
            columns[name] = {"role": role}
    return columns


def _shape(
    columns: dict[str, dict[str, object]], key: str, texts: Sequence[str] | None, faults: list[UsageError]
) -> None:
    """Add what `--key` says of some columns; each must have been given a role."""
    try:
        said = options.pairs(texts, f"--{key}")
    except UsageError as fault:
        faults.append(fault)
        return
    for name, text in said.items():
        if name in columns:
            columns[name][key] = _value(key, text)
        else:
            near = " or ".join(get_close_matches(name, columns))
            hint = f"did you mean {near}?" if near else f"name it first: --quasi {name}"
            faults.append(UsageError(f"column {name} has no role", where=f"--{key} {name}=…", hint=hint))


def _value(key: str, text: str) -> object:
    """The text of a COLUMN=VALUE flag as the job file would say it."""
    if key == "bounds":
        return text.split("..")
    return text.split(",") if key == "grid" and "," in text else text


#: Flags that have another name than their key in a job file.
_FLAGS: Final[Mapping[Place, str]] = MappingProxyType(
    {("input", "path"): "IN", ("output", "path"): "--out", ("method", "name"): "--method"}
)


def _flag(place: Place) -> str:
    """The flag that a job file's key stands for."""
    match place:
        case ("columns", name, key):
            return f"--{key} {name}=…"
        case ("columns", name):
            return f"column {name}"
        case _:
            return _FLAGS.get(place, f"--{place[-1]}") if place else "the flags"
