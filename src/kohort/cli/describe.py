"""`kohort inspect`, `kohort init` and `kohort schema`: what is in a table, and how to say it in a job file."""

from __future__ import annotations

import os
import re
import shlex
from math import ceil
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

from kohort.cli import flags, options
from kohort.cli.derive import Given, Keys, option
from kohort.cli.screen import progress, say
from kohort.cli.sweep_files import picture_of
from kohort.job.codec import names
from kohort.schema.numbers import said as written
from kohort.shown import many
from kohort.transactions.command import BASKETS, parts_of
from kohort.transactions.profile import PERCENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.assessment.inspection.distribution import Bar
    from kohort.assessment.inspection.guesses import Guess
    from kohort.job.draft import Draft
    from kohort.report import Json
    from kohort.report.charts.canvas import Format
    from kohort.transactions.profile import DatabaseProfile, Spread


#: The job file that `init` writes, and its k, unless somebody says others.
_JOB: Final = Path("job.toml")
_K: Final = 10

#: Columns that somebody has to decide of that are told with their reasons: the job file has all.
_NAMED: Final = 5

#: How the flag of h differs from the key of a job.
_H: Final = MappingProxyType({"h": {"help": "Count the items in more than this share of the transactions."}})


def inspect(
    table: options.ReadingWithTokens,
    baskets: Annotated[
        Given,
        Keys(form=BASKETS, only=("path", "separator", "encoding", "Input", "h"), panel="Transactions", changed=_H),
    ],
    *,
    transactions: bool = option("Transactions", "IN contains transactions: describe them and their items.", first=True),
    picture: Path | None = option(
        "Output", "Draw the distribution of each column (.svg, .png): for you, not for the public.", "FILE", first=True
    ),
    overwrite: options.Overwrite = False,
    json: options.Json = False,
) -> None:
    """Guess what each column reveals, with reasons."""
    shared = {"path", "separator", "encoding"}
    if transactions:
        of_tables = {flag: value for flag, value in table.used().items() if flag not in shared}
        flags.refuse({**of_tables, "picture": picture}, "is only for tables")
        _inspect_transactions(baskets, as_json=json)
        return
    unused = {flag: value for flag, value in baskets.used().items() if flag not in shared}
    flags.refuse(unused, "is only for transactions", "leave it out, or add --transactions")
    inputs = () if table["path"] == "-" else (Path(table["path"]),)
    publish = picture_of(picture, _draw, overwrite=overwrite, inputs=inputs)
    read = options.read_table(table)
    from kohort.assessment.inspection.distribution import distributions
    from kohort.assessment.inspection.guesses import inspect_table
    from kohort.assessment.inspection.notes import noticed
    from kohort.job.draft.reading import whose

    missing = frozenset(["", *(table["missing-token"] or ())])
    guesses, read = inspect_table(read, missing=missing), read.needing(())
    if picture is not None:
        found = distributions(read, guesses, missing)
        publish((found, [name for name in read.names if name not in found], read.records))
    figures: dict[str, Json] = {"records": read.records, "columns": [_figures(guess) for guess in guesses]}
    notes = (*whose(read, guesses, missing).notes, *noticed(read, read.names))
    if notes:
        figures["notes"] = list(notes)
    told = "\n".join([_text(guesses), *(f"note: {note}" for note in notes)])
    say(told, figures, as_json=json, internal=True)


def _draw(found: tuple[Mapping[str, Sequence[Bar]], Sequence[str], int], form: Format) -> bytes:
    from kohort.report.columns import distributions_picture

    return distributions_picture(*found, form)


def _inspect_transactions(baskets: Given, *, as_json: bool) -> None:
    from kohort.job.parts import relative
    from kohort.transactions.io import read_transactions
    from kohort.transactions.profile import profile
    from kohort.transactions.request import reading_of

    parts = parts_of(baskets, [("output",), ("items",), ("privacy", "k"), ("privacy", "p")])
    with progress() as on_progress:
        on_progress("read")
        source = relative(parts.input.path, Path())
        reading = read_transactions(source, reading_of(parts.transactions, parts.input))
    found = profile(reading.database, parts.privacy.h)
    say(profile_text(found, reading.repeated), profile_figures(found, reading.repeated), as_json=as_json, internal=True)


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


def schema(
    *,
    transactions: bool = option("", "Print the schema of a job file on transactions."),
) -> None:
    """Print the JSON Schema of a job file."""
    from json import dumps

    from kohort.job.form import TABLE_JOB
    from kohort.job.parts import json_schema
    from kohort.transactions.form import TRANSACTION_JOB

    say(dumps(json_schema(TRANSACTION_JOB if transactions else TABLE_JOB), indent=2))


def _from_folder(source: str, folder: Path) -> str:
    from kohort.io.forms import files

    if not files(source):
        return source
    return os.path.relpath(Path(source).parent.resolve() / Path(source).name, folder.resolve())


def _figures(guess: Guess) -> dict[str, Json]:
    return {
        "name": guess.name,
        "role": guess.role,
        "certainty": guess.certainty,
        "scale": guess.scale,
        "reasons": list(guess.reasons),
        "distinct": guess.distinct,
        "missing": guess.missing,
        "missing_tokens": list(guess.missing_tokens),
        "trim": guess.trim,
        "answer": guess.answer,
        "distinctness": round(guess.distinctness, 6),
        "separation": round(guess.separation, 6),
        "hierarchy": guess.hierarchy,
        "date_format": guess.date_format,
        "hierarchy_reason": guess.hierarchy_reason,
        "grid": guess.grid,
        "grid_reason": guess.grid_reason,
        "safe_harbor": [
            {
                "letter": one.letter,
                "reasons": list(one.reasons),
                "share": None if one.share is None else round(one.share, 6),
            }
            for one in guess.findings
        ],
    }


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


# --- a transaction database in figures and in text; no item is named --------------------------------------------------


def profile_figures(found: DatabaseProfile, repeated: int) -> dict[str, Json]:
    """The profile as one JSON object; `repeated` cells named an item that their transaction already had."""
    return {
        "transactions": found.transactions,
        "items": found.items,
        "cells": found.cells,
        "repeated": repeated,
        "density": found.density,
        "empty": found.empty,
        "unique": found.unique,
        "unique_share": found.unique_share,
        "lengths": _quantiles(found.lengths),
        "supports": _quantiles(found.supports),
        "bands": [{"least": least, "most": most, "items": items} for least, most, items in found.bands],
        "h": float(found.h),
        "above": found.above,
        "above_share": found.above_share,
        "feasible_h": _feasible(found),
        "advice": list(_advice(found)),
    }


def profile_text(found: DatabaseProfile, repeated: int) -> str:
    """The profile as a few lines for a person."""
    again = f", {many(repeated, 'repeated cell')} not counted" if repeated else ""
    bands = [(f"{least:,}" + f" to {most:,}" * (most > least), items) for least, most, items in found.bands]
    width = max((len(name) for name, _ in bands), default=0)
    unique = f"{found.unique:,} ({found.unique_share:.1%}) unique"
    lines = [
        f"{many(found.transactions, 'transaction')}: {found.empty:,} empty, {unique}",
        f"{many(found.items, 'item')} in {many(found.cells, 'cell')}{again}; density {found.density:.4%}",
        "",
        *_spreads(found),
        "",
        "items by the number of their transactions:",
        *(f"  {name:>{width}}  {items:>9,}" for name, items in bands),
        f"  more than {written(found.h)} of all: {found.above:,} ({found.above_share:.2%})",
        "",
        "unique: no other transaction has the same items",
        *_advice(found),
    ]
    return "\n".join(lines)


def _quantiles(spread: Spread) -> dict[str, Json]:
    return {"mean": spread.mean, **{str(percent): q for percent, q in zip(PERCENTS, spread.quantiles, strict=True)}}


def _spreads(found: DatabaseProfile) -> Iterator[str]:
    numbers = {"items of a transaction": found.lengths, "transactions of an item": found.supports}
    heads = ("min", *(f"{percent} %" for percent in PERCENTS[1:-1]), "max")
    width = max(5, *(len(f"{spread.quantiles[-1]:,}") for spread in numbers.values()))
    yield " " * 23 + f"  {'mean':>{width + 3}}" + "".join(f"  {head:>{width}}" for head in heads)
    for name, spread in numbers.items():
        quantiles = "".join(f"  {number:>{width},}" for number in spread.quantiles)
        yield f"{name:<23}  {spread.mean:>{width + 3},.2f}{quantiles}"


def _feasible(found: DatabaseProfile) -> float:
    """The least h at which any item can be private, rounded up to four digits after the point."""
    return ceil(found.feasible_h * 10_000) / 10_000


def _advice(found: DatabaseProfile) -> Iterator[str]:
    yield "Name the private items (--private or --private-file); all others, or those of --public, are then public."
    yield "To experiment, draw the roles at random: --delta 0.4 --seed 7"
    h, feasible = written(found.h), f"{_feasible(found):.4g}"
    if found.above:
        count = f"{found.above:,} of {many(found.items, 'item')}"
        yield f"At h = {h}, {count} cannot be private; from h = {feasible} on any item can."
    else:
        yield f"At h = {h}, any item can be private; the smallest such h is {feasible}."
