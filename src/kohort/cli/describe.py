"""`kohort inspect`, `kohort init` and `kohort schema`: what is in a table, and how to say it in a job file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kohort.cli import options
from kohort.cli.screen import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.inspection import Guess
    from kohort.report import Json


def inspect(
    source: options.Source,
    *,
    missing_token: options.MissingTokens = None,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    skip_blank: options.SkipBlank = False,
    json: options.Json = False,
) -> None:
    """Guess what each column reveals, and say why; write nothing."""
    table = options.read_table(source, separator, encoding, no_header=no_header, skip_blank=skip_blank)
    from kohort.inspection import inspect_table

    guesses = inspect_table(table, missing=frozenset(["", *(missing_token or ())]))
    figures: dict[str, Json] = {"records": table.records, "columns": [_figures(guess) for guess in guesses]}
    say(_text(guesses), figures, as_json=json)


def init(
    source: options.Source,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="JOB", help="The job file to write.")] = Path("job.toml"),
    k: options.K = 10,
    missing_token: options.MissingTokens = None,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    skip_blank: options.SkipBlank = False,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a job file with those guesses, for you to correct."""
    options.use_threads()
    from kohort.inspection import inspect_table
    from kohort.job_draft import job_text
    from kohort.models.k_anonymity import KAnonymity
    from kohort.publish import check_target, publish

    KAnonymity(k)  # refuses what is no k
    inputs = () if source == "-" else (Path(source),)
    check_target(out, overwrite=overwrite, inputs=inputs)
    table = options.read_table(source, separator, encoding, no_header=no_header, skip_blank=skip_blank)
    tokens = ["", *(missing_token or ())]
    guesses = inspect_table(table, missing=frozenset(tokens))
    reading: dict[str, object] = {
        "separator": separator,
        "encoding": encoding if encoding != "utf-8" else None,
        "header": False if no_header else None,
        "skip-blank": True if skip_blank else None,
        "missing": tokens if missing_token else None,
    }
    text = job_text(guesses, _from_folder(source, out.parent), k=k, reading=reading)
    publish(out, lambda file: file.write(text.encode()), lambda _: None, overwrite=overwrite, inputs=inputs)
    say(f"wrote {out}: correct the guesses in it, then   kohort run {out}", quiet=quiet)


def schema() -> None:
    """Print the JSON Schema of a job file."""
    from json import dumps

    options.use_threads()
    from kohort.job import JobFile

    say(dumps(JobFile.model_json_schema(by_alias=True), indent=2))


def _from_folder(source: str, folder: Path) -> str:
    """The source's path as a file in `folder` has to say it."""
    return (
        source
        if source == "-"
        else os.path.relpath(Path(source).parent.resolve() / Path(source).name, folder.resolve())
    )


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
        "grid": guess.grid,
    }


def _text(guesses: Sequence[Guess]) -> str:
    width = max(len("column"), *(len(guess.name) for guess in guesses))
    lines = [f"{'column':<{width}}  guessed role  scale        distinct  missing  separation"]
    for guess in guesses:
        figures = f"{guess.distinct:>8,}  {guess.missing:>7,}  {guess.separation:>10.1%}"
        lines.append(f"{guess.name:<{width}}  {guess.role:<12}  {guess.scale:<11}  {figures}")
        lines += [f"    {reason}" for reason in guess.reasons]
    return "\n".join(
        [
            *lines,
            "",
            "separation: the share of the pairs of records that the column alone tells apart",
            "These are guesses: a person who knows the data must correct them. kohort init writes them as a job file.",
        ]
    )
