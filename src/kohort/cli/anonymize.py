"""`kohort anonymize` and `kohort run`: the same job from flags or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kohort.cli import options
from kohort.cli.screen import progress, say
from kohort.errors import UsageError

if TYPE_CHECKING:
    from kohort.job import Request


def anonymize(
    source: options.Source,
    out: Annotated[str, typer.Option("--out", metavar="OUT", help="The release to publish; its certificate is OUT.kohort.json.")],
    *,
    quasi: options.Quasi = None,
    sensitive: Annotated[list[str] | None, typer.Option(help="Sensitive columns.")] = None,
    identifier: Annotated[list[str] | None, typer.Option(help="Identifying columns: never released.")] = None,
    insensitive: Annotated[list[str] | None, typer.Option(help="Insensitive columns.")] = None,
    rest: Annotated[str, typer.Option(help="Columns not named: refuse, insensitive, or drop.")] = "refuse",
    k: options.K = 10,
    method: Annotated[str, typer.Option(help="mondrian or mondrian-relaxed.")] = "mondrian",
    cut: Annotated[str, typer.Option(help="nearest: the allowable cut nearest the median; median: the textbook's.")] = "nearest",
    order: Annotated[str | None, typer.Option(help="Order of categorical values: hierarchy, frequency, sorted.")] = None,
    labels: Annotated[str | None, typer.Option(help="range, set, ancestor, mean or grid, where a column can.")] = None,
    hierarchy: Annotated[list[str] | None, typer.Option(help="COLUMN=FILE, or a builder: age=intervals:5,10,20 zip=mask:right sex=suppress.")] = None,
    grid: Annotated[list[str] | None, typer.Option(help="COLUMN=STEP or COLUMN=CUT,CUT,…: public cut points.")] = None,
    bounds: Annotated[list[str] | None, typer.Option(help="COLUMN=LOW..HIGH: the numeric domain.")] = None,
    weight: Annotated[list[str] | None, typer.Option(help="COLUMN=NUMBER: how much its width counts.")] = None,
    scale: Annotated[list[str] | None, typer.Option(help="COLUMN=numeric or COLUMN=categorical.")] = None,
    missing: Annotated[list[str] | None, typer.Option(help="COLUMN=own-value, suppress or refuse.")] = None,
    missing_token: options.MissingTokens = None,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    format: Annotated[str | None, typer.Option(help="Format of the release, where its name does not tell.")] = None,  # noqa: A002  the flag's name
    excel_safe: Annotated[bool, typer.Option("--excel-safe", help="Neutralise cells that a spreadsheet would run.")] = False,
    threads: options.Threads = options.CORES,
    json: options.Json = False,
    quiet: options.Quiet = False,
    dry_run: options.DryRun = False,
    overwrite: options.Overwrite = False,
) -> None:
    """A table in, a verified k-anonymous release out."""
    roles = {"quasi": quasi, "sensitive": sensitive, "identifying": identifier, "insensitive": insensitive}
    columns = _columns({role: options.names(texts) for role, texts in roles.items()})
    shapes = {"hierarchy": hierarchy, "grid": grid, "bounds": bounds, "weight": weight, "scale": scale, "missing": missing}
    for key, texts in shapes.items():
        for name, text in options.pairs(texts, f"--{key}").items():
            columns.setdefault(name, {})[key] = _value(key, text)
    raw: dict[str, Any] = {
        "input": {"path": source, "separator": separator, "encoding": encoding, "header": not no_header}
        | {"missing": ["", *(missing_token or ())]},
        "output": {"path": out, "format": format, "excel-safe": excel_safe},
        "privacy": {"k": k},
        "method": {"name": method, "cut": cut, "order": order, "labels": labels},
        "rest": rest,
        "columns": columns,
    }
    options.use_threads(threads)
    from kohort.job import request  # noqa: PLC0415  imports the data-frame library

    made = request(raw, where=_flag)
    _carry_out(made, threads=threads, json=json, quiet=quiet, dry_run=dry_run, overwrite=overwrite)


def run(
    job: Annotated[Path, typer.Argument(metavar="JOB", help="A job file (TOML); `kohort init` writes one to correct.")],
    *,
    threads: options.Threads = options.CORES,
    json: options.Json = False,
    quiet: options.Quiet = False,
    dry_run: options.DryRun = False,
    overwrite: options.Overwrite = False,
) -> None:
    """The same from a job file."""
    options.use_threads(threads)
    from kohort.job import load  # noqa: PLC0415  imports the data-frame library

    _carry_out(load(job), threads=threads, json=json, quiet=quiet, dry_run=dry_run, overwrite=overwrite)


def _carry_out(made: Request, *, threads: int, json: bool, quiet: bool, dry_run: bool, overwrite: bool) -> None:
    """Anonymize as `made` asks, and say what came of it."""
    from kohort import pipeline, render, report  # noqa: PLC0415  imports the data-frame library

    with progress(quiet=quiet) as tell:
        if dry_run:
            release = pipeline.rehearse(made.source, made.job, threads=threads, tell=tell)
        else:
            release = pipeline.anonymize(
                made.source, made.job, target=made.target, overwrite=overwrite, threads=threads, tell=tell
            )
    figures = report.numbers(release)
    say(render.release_text(figures), figures, as_json=json, quiet=quiet)


def _columns(roles: dict[str, list[str]]) -> dict[str, dict[str, Any]]:
    """The columns of a job from the lists of names; a name in two lists is refused."""
    columns: dict[str, dict[str, Any]] = {}
    for role, names in roles.items():
        for name in names:
            if name in columns:
                raise UsageError(f"column {name} is named twice", hint="a column has one role")
            columns[name] = {"role": role}
    return columns


def _value(key: str, text: str) -> object:
    """The text of a COLUMN=VALUE flag as the job file would say it."""
    if key == "bounds":
        return text.split("..")
    if key == "grid" and text != "hierarchy":
        return text.split(",") if "," in text else text
    return text


def _flag(place: tuple[str, ...]) -> str:
    """The flag that a job file's key stands for."""
    match place:
        case ("columns", name, "role"):
            return f"column {name} (give it a role: --quasi, --sensitive, --identifier or --insensitive)"
        case ("columns", name, *rest):
            return " ".join([f"column {name}", *(f"--{key}" for key in rest[:1])])
        case ("method", "name"):
            return "--method"
        case (_, key, *_):
            return f"--{key}"
        case _:
            return "--" + "-".join(place)
