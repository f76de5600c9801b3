"""`kohort inspect`, `kohort init` and `kohort schema`: what is in a table, and how to say it in a job file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kohort.cli import options
from kohort.cli.screen import say
from kohort.errors import TargetError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.inspection import Guess
    from kohort.report import Json


def inspect(
    source: options.Source,
    *,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    json: options.Json = False,
) -> None:
    """Guess what each column reveals, and say why; write nothing."""
    guesses = _guesses(source, separator, encoding, header=not no_header)
    figures: dict[str, Json] = {"columns": [_figures(guess) for guess in guesses]}
    say(_text(guesses), figures, as_json=json)


def init(
    source: options.Source,
    *,
    out: Annotated[Path, typer.Option("--out", help="The job file to write.")] = Path("job.toml"),
    k: options.K = 10,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    overwrite: options.Overwrite = False,
) -> None:
    """Write a job file with those guesses, for you to correct."""
    if out.exists() and not overwrite:
        raise TargetError("the job file exists", where=str(out), hint="choose another --out, or --overwrite")
    guesses = _guesses(source, separator, encoding, header=not no_header)
    from kohort.job_draft import job_text  # noqa: PLC0415  imports the TOML writer

    reading = {"separator": separator, "encoding": encoding if encoding != "utf-8" else None, "header": False if no_header else None}
    out.write_text(job_text(guesses, source, k=k, reading=reading), encoding="utf-8")
    typer.echo(f"wrote {out}: correct the guesses in it, then  kohort run {out}")


def schema() -> None:
    """Print the JSON Schema of a job file."""
    from json import dumps  # noqa: PLC0415

    from kohort.job import JobFile  # noqa: PLC0415  imports the data-frame library

    typer.echo(dumps(JobFile.model_json_schema(by_alias=True), indent=2))


def _guesses(source: str, separator: str | None, encoding: str, *, header: bool) -> Sequence[Guess]:
    from kohort.inspection import inspect_table  # noqa: PLC0415  imports the data-frame library
    from kohort.io import ReadOptions, read  # noqa: PLC0415

    return inspect_table(read(source, ReadOptions(separator=separator, encoding=encoding, header=header)))


def _figures(guess: Guess) -> dict[str, Json]:
    return {
        "name": guess.name,
        "role": guess.role,
        "scale": guess.scale,
        "reasons": list(guess.reasons),
        "distinct": guess.distinct,
        "missing": guess.missing,
        "distinctness": round(guess.distinctness, 6),
        "separation": round(guess.separation, 6),
        "hierarchy": guess.hierarchy,
        "grid": None if guess.grid is None else str(guess.grid),
    }


def _text(guesses: Sequence[Guess]) -> str:
    width = max(map(len, (guess.name for guess in guesses)), default=0)
    lines = [f"{'column':<{width}}  {'guessed role':<12}  {'scale':<11}  distinct  missing  separation  why"]
    for guess in guesses:
        figures = f"{guess.distinct:>8,}  {guess.missing:>7,}  {guess.separation:>9.1%}"
        lines.append(f"{guess.name:<{width}}  {guess.role:<12}  {guess.scale:<11}  {figures}   {'; '.join(guess.reasons)}")
    lines += ["", "These are guesses: a person who knows the data must correct them. `kohort init` writes them as a job file."]
    return "\n".join(lines)
