"""`kohort inspect`, `kohort init` and `kohort schema`: what is in a table, and how to say it in a job file."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from kohort.cli import flags, options
from kohort.cli.derive import Bound, Given, Keys, option
from kohort.cli.kinds import chosen, functions
from kohort.cli.screen import progress, say
from kohort.cli.sweep_files import picture_of
from kohort.errors.display import many
from kohort.job.codec import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.assessment.inspection.distribution import Bar
    from kohort.assessment.inspection.guesses import Guess
    from kohort.job.draft import Draft
    from kohort.job.keys import KeyTable
    from kohort.report import Json
    from kohort.report.charts.canvas import Format


#: The job file that `init` writes, and its k, unless somebody says others.
_JOB: Final = Path("job.toml")
_K: Final = 10

#: Columns that somebody has to decide of that are told with their reasons: the job file has all.
_NAMED: Final = 5

#: What of a guess is printed for programs, in this order; the identifiers that it found come last.
_PRINTED: Final = (
    *("name", "role", "certainty", "scale", "reasons", "distinct", "missing", "missing_tokens", "trim", "answer"),
    *("distinctness", "separation", "hierarchy", "date_format", "hierarchy_reason", "grid", "grid_reason"),
)


def inspect(
    source: options.Source,
    *,
    kinds: Annotated[Mapping[str, Bound], partial(functions, "inspect")],
    json: options.Json = False,
) -> None:
    """Guess what each column reveals, with reasons."""
    told, figures = chosen(kinds).call(source)
    say(told, figures, as_json=json, internal=True)


def inspect_table(
    source: str,
    *,
    reading: Annotated[Given, Keys(only=(*options.READING, "missing-token"))],
    picture: Path | None = option(
        "Output", "Draw the distribution of each column (.svg, .png): for you, not for the public.", "FILE", first=True
    ),
    overwrite: options.Overwrite = False,
) -> tuple[str, dict[str, Json]]:
    """What each column of a table seems to reveal, in text and figures."""
    inputs = () if source == "-" else (Path(source),)
    publish = picture_of(picture, _draw, overwrite=overwrite, inputs=inputs)
    table = options.read_table(reading, source)
    from kohort.assessment.inspection.distribution import distributions
    from kohort.assessment.inspection.guesses import inspect_table as guesses_of
    from kohort.assessment.inspection.notes import noticed
    from kohort.job.draft.reading import whose

    missing = frozenset(["", *(reading["missing-token"] or ())])
    guesses, table = guesses_of(table, missing=missing), table.needing(())
    if picture is not None:
        found = distributions(table, guesses, missing)
        publish((found, [name for name in table.names if name not in found], table.records))
    figures: dict[str, Json] = {"records": table.records, "columns": [_figures(guess) for guess in guesses]}
    notes = (*whose(table, guesses, missing).notes, *noticed(table, table.names))
    if notes:
        figures["notes"] = list(notes)
    return "\n".join([_text(guesses), *(f"note: {note}" for note in notes)]), figures


def _draw(found: tuple[Mapping[str, Sequence[Bar]], Sequence[str], int], form: Format) -> bytes:
    from kohort.report.columns import distributions_picture

    return distributions_picture(*found, form)


def init(
    reading: options.ReadingWithTokens,
    *,
    out: Path = option("Output", "The job file to write.", "JOB", default=_JOB),
    k: options.K = _K,
    known: list[str] | None = option(
        "Columns",
        "The columns that an outsider knows; others that could be quasi-identifying are then answers, released "
        "unchanged. 'all': all of these are quasi-identifying. (repeatable)",
        "A,B",
    ),
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a job file with these guesses, for you to correct, and say what to decide."""
    from kohort.io.forms import files
    from kohort.job.draft import draft_of, job_text
    from kohort.models.k_anonymity import check_k
    from kohort.publish import check_target

    check_k(k)
    source = reading["path"]
    inputs = files(source)
    check_target(out, overwrite=overwrite, inputs=inputs)
    table = options.read_table(reading)
    path, tokens = None if source == "-" else Path(source), reading["missing-token"] or ()
    with progress(quiet=quiet) as on_progress:
        on_progress("measure")
        named = None if known is None else "all" if known == ["all"] else names(known)
        draft = draft_of(table, k=k, missing=("", *tokens), path=path, folder=out.parent, known=named)
    reading = reading.only(*(flag for flag in reading.used() if flag != "path"))
    keys = flags.tables(reading.only(*(flag for flag in reading.used() if flag != "missing-token")), [])
    text = job_text(draft, _from_folder(source, out.parent), reading=keys.get("input", {}))
    draft.write(text, out, overwrite=overwrite, inputs=inputs)
    given = {
        "--out": [str(out)] * (out != _JOB),
        "--k": [str(k)] * (k != _K),
        "--known": [*filter(None, [",".join(known or ())])],
    }
    told = _drafted(out, draft, [source, *reading.words(), "--overwrite"], given)
    if not (quiet or draft.undecided or draft.whose.asked):  # else no job runs yet
        from kohort.cli.anonymize import changes_of
        from kohort.job.document import document_at

        told += changes_of(document_at(out), table)
    say(told, quiet=quiet, internal=True)


def _drafted(out: Path, draft: Draft, again: Sequence[str], given: Mapping[str, list[str]]) -> str:
    """What was written, and what is left to do.

    Args:
        out: The job file.
        draft: What is in it.
        again: The words of a command that drafts it once more, without those that choices name.
        given: The words of other flags, by the flag.
    """
    from tomlkit import key

    from kohort.cli.anonymize import run_of

    first, undecided = "Review the guesses", [one for one in draft.guesses if one.role == "undecided"]
    if undecided:
        first = f"Decide the role of {many(len(undecided), 'column')} ({', '.join(draft.undecided)})"
    if draft.whose.asked:
        first += f", and the person key ({draft.whose.question})"
    run = run_of(out)
    lines = [f"wrote {out}. {first}, then run: {run}"]
    lines += [f"  {one.name}: {one.reasons[0]}" for one in undecided[:_NAMED]]
    if undecided and not draft.whose.asked:
        changes = (f"--set {shlex.quote(f'columns.{key(name).as_string()}.role=drop')}" for name in draft.undecided)
        lines.append(f"or release without:   {run} {' '.join(changes)}")
    names = [one.name for one in draft.trees]
    alike = [one for one in names if ".alike." in one]
    lines += [f"wrote {', '.join(alike)} beside the job: trees of names by likeness, from the data"] if alike else []
    reasons = {str(one.hierarchy).removesuffix(":from-data"): one.why for one in draft.shapes.values()}
    spelled = [f"{one} ({reasons[one]})" for one in names if one not in alike]
    lines += [f"wrote {one} beside the job: the spellings of one thing are one node" for one in spelled]
    lines += ["To decide, with the detail that each choice keeps:"] if draft.decisions else []

    def command(found: re.Match[str]) -> str:
        others = [word for flag, values in given.items() if flag != found[1] for one in values for word in (flag, one)]
        return f"   kohort init {shlex.join([*again, *others])} {found[1]}"

    asked = (re.sub(r"(?<=:)   (--k(?:nown)?)\b", command, one) for one in draft.decisions)
    lines += [f"{at}. {one}" for at, one in enumerate(asked, 1)]
    return "\n".join(lines)


def schema(kinds: Annotated[Mapping[str, Bound], partial(functions, "schema")]) -> None:
    """Print the JSON Schema of a job file."""
    from json import dumps

    from kohort.job.parts import json_schema

    say(dumps(json_schema(chosen(kinds).call()), indent=2))


def schema_of_table() -> KeyTable:
    """The form of a job on a table."""
    from kohort.job.form import TABLE_JOB

    return TABLE_JOB


def _from_folder(source: str, folder: Path) -> str:
    from kohort.io.forms import files

    if not files(source):
        return source
    return os.path.relpath(Path(source).parent.resolve() / Path(source).name, folder.resolve())


def _figures(guess: Guess) -> dict[str, Json]:
    figures: dict[str, Json] = {name: getattr(guess, name) for name in _PRINTED}
    figures |= {name: round(getattr(guess, name), 6) for name in ("distinctness", "separation")}
    figures["safe_harbor"] = [
        {
            "letter": one.letter,
            "reasons": list(one.reasons),
            "share": None if one.share is None else round(one.share, 6),
        }
        for one in guess.findings
    ]
    return figures


def _text(guesses: Sequence[Guess]) -> str:
    width = max(len("column"), *(len(guess.name) for guess in guesses))
    lines = [f"{'column':<{width}}  guessed role  certainty  scale        distinct  missing  separation"]
    for guess in guesses:
        figures = f"{guess.distinct:>8,}  {guess.missing:>7,}  {guess.separation:>10.1%}"
        lines.append(f"{guess.name:<{width}}  {guess.role:<12}  {guess.certainty:<9}  {guess.scale:<11}  {figures}")
        lines += [f"    {line}" for line in (*guess.reasons, *_proposals(guess))]
    undecided = [guess.name for guess in guesses if guess.role == "undecided"]
    return "\n".join(
        [
            *([f"Decide first: {', '.join(undecided)} (undecided: no job runs until you do)", ""] if undecided else []),
            *lines,
            "",
            "separation: the share of record pairs that the column alone distinguishes",
            *_safe_harbor(guesses),
            "These are guesses. Someone who knows the data must correct them in a job file: kohort init",
        ]
    )


def _safe_harbor(guesses: Sequence[Guess]) -> list[str]:
    """The identifiers that columns seem to hold, for those who release by that list."""
    from kohort.assessment.inspection.safe_harbor import SAFE_HARBOR

    found = {
        one: [guess.name for guess in guesses if one.letter in {each.letter for each in guess.findings}]
        for one in SAFE_HARBOR
    }
    lines = [
        f"    ({one.letter}) {one.title.partition(';')[0]}: {', '.join(names)}" for one, names in found.items() if names
    ]
    if not lines:
        return []
    return [
        "HIPAA Safe Harbor (United States) removes these, and others that neither column name nor format reveals:",
        *lines,
    ]


def _proposals(guess: Guess) -> list[str]:
    """How to read and to generalize the column, as flags or keys of a job file."""
    grid = [] if guess.grid is None else [f"proposed: grid = {guess.grid}, {guess.grid_reason}"]
    form = [] if guess.date_format is None else [f"proposed: --date-format {guess.name}={guess.date_format}"]
    tree = [] if not guess.hierarchy_reason else [f"proposed: hierarchy = {guess.hierarchy}, {guess.hierarchy_reason}"]
    return [
        *(f'proposed: --missing-token "{token}" (means a missing value)' for token in guess.missing_tokens),
        *(["proposed: --trim, since nearly all cells have blanks around them"] if guess.trim else []),
        *form,
        *grid,
        *tree,
    ]
