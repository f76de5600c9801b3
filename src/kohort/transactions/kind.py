"""Transactions as the command line knows them: `kohort check`, `inspect` and `schema` of them, and all it does."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

from kohort.cli import flags, options
from kohort.cli.derive import Given, Keys, option
from kohort.cli.kinds import JobKind
from kohort.cli.screen import progress
from kohort.schema.numbers import said
from kohort.shown import many
from kohort.transactions.command import (
    BASKETS,
    flag_at,
    in_the_way,
    parts_of,
    problem_at,
    report,
    requested,
    run_job,
    sweep,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kohort.certificate.again import Again
    from kohort.job.keys import KeyTable
    from kohort.job.lines import Place
    from kohort.report import Json
    from kohort.transactions.certificate import CoherenceCertificate
    from kohort.transactions.check import CoherenceFinding
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.profile import DatabaseProfile, Spread

#: The flags that say how transactions are read, and which items are private.
_READING: Final = ("format", "key", "item", "separator")
_ITEMS: Final = ("private", "private-file", "no-private", "public", "public-file")

#: Those of a check.
_CHECK: Final = (*_READING, *_ITEMS, "encoding", "person", "allow-absent", "h", "k", "p", "max-sets", "names-file")

#: How the flag of h differs from the key of a job.
_H: Final = MappingProxyType({"h": {"help": "Count the items in more than this share of the transactions."}})


# --- `kohort check --transactions` ------------------------------------------------------------------------------------


def check(
    source: str,
    on_progress: Callable[[str], None],
    *,
    baskets: Annotated[Given, Keys(form=BASKETS, only=_CHECK, panel="Transactions")],
    transactions: bool = option(
        "Transactions", "IN contains transactions: check whether they are (h,k,p)-coherent.", first=True
    ),
    show_values: options.ShowValues = False,
) -> tuple[str, dict[str, Json]]:
    """Whether the transactions are coherent, in text and figures; `show_values` names the items in the way."""
    del transactions  # which only says that it is these
    from kohort.transactions.check import check_transactions
    from kohort.transactions.release import labelled

    raw = flags.tables(baskets, [])
    raw["input"]["path"] = source
    made = requested(raw, (), releasing=False)
    problem = problem_at(made, on_progress)
    on_progress("count")
    found = check_transactions(problem.database, problem.roles, made.job.coherence, most=made.job.most)
    over = in_the_way(problem) if show_values else []
    figures = _finding_figures(found, made.job.coherence)
    figures["items"] = len(problem.database.names)
    figures["public"] = int(problem.roles.public.sum())
    figures["private"] = int(problem.roles.private.sum())
    if show_values:
        figures["over_names"] = [*over]
    return "\n".join(_finding_lines(found, made.job.coherence, labelled(over, made.job.labels))), figures


def recheck(
    source: str,
    known: CoherenceCertificate,
    *,
    baskets: Annotated[Given, Keys(form=BASKETS, only=(*_READING, *_ITEMS), panel="Transactions")],
) -> Again:
    """A certificate checked again: in its form or that of the flags, by the items that the flags name."""
    from kohort.transactions.recheck import check_transactions_again, written_as
    from kohort.transactions.request import reading_of, roles_of

    raw = flags.tables(baskets, [])
    raw["input"]["path"] = source
    lacking: list[Place] = [("output",), ("privacy",)]
    if raw["items"]:
        raw["items"]["allow-absent"] = True  # an item of the original may be in no released transaction
    else:
        lacking.append(("items",))
    parts = parts_of(baskets, lacking, raw)
    reading = reading_of(parts.transactions, parts.input)
    reading = reading if {"format", "separator"} & {*baskets.used()} else written_as(known)
    roles = roles_of(parts.items, flag_at) if raw["items"] else None
    return check_transactions_again(source, known, reading, roles)


def _finding_figures(found: CoherenceFinding, model: Coherence) -> dict[str, Json]:
    """The finding as one JSON object."""
    return {
        "met": found.met,
        "model": found.model,
        "h": float(model.h),
        "k": model.k,
        "p": model.p,
        "transactions": found.transactions,
        "empty_set": {"mole": found.too_few or found.over > 0, "too_few": found.too_few, "over": found.over},
        "minimal_moles": {str(one.size): {"rare": one.rare, "breach": one.breach} for one in found.moles},
    }


def _finding_lines(found: CoherenceFinding, model: Coherence, over: Sequence[str]) -> Iterator[str]:
    """The finding for a person; `over` names the private items that stand in the way, if they are to be named."""
    from kohort.report.render.text import listed

    yield f"{many(found.transactions, 'transaction')}: {found.model} {'met' if found.met else 'NOT met'}"
    if found.too_few:
        yield f"there are fewer than {model.k:,} transactions: no release can be coherent"
    if found.over:
        names = f": {listed(over)}" if over else " (--show-values names them)"
        yield f"private items in more than the share h of all transactions: {found.over:,}{names}"
        yield "as long as they are private, no release can be coherent: dropping public items does not help"
    for one in found.moles:
        if one.rare or one.breach:
            total = one.rare + one.breach
            yield f"minimal moles of size {one.size}: {total:,} ({one.rare:,} below k, {one.breach:,} above h)"


# --- `kohort inspect --transactions` and `kohort schema --transactions`; no item is named -----------------------------


def inspect(
    source: str,
    *,
    baskets: Annotated[
        Given,
        Keys(
            form=BASKETS,
            only=("separator", "encoding", "format", "key", "person", "item", "h"),
            panel="Transactions",
            changed=_H,
        ),
    ],
    transactions: bool = option("Transactions", "IN contains transactions: describe them and their items.", first=True),
) -> tuple[str, dict[str, Json]]:
    """The transactions in text and figures."""
    del transactions
    from kohort.job.parts import relative
    from kohort.transactions.io import read_transactions
    from kohort.transactions.profile import profile
    from kohort.transactions.request import reading_of

    raw = flags.tables(baskets, [])
    raw["input"]["path"] = source
    lacking = [("output",), ("items",), ("privacy", "k"), ("privacy", "p")]
    parts = parts_of(baskets, lacking, raw)
    with progress() as on_progress:
        on_progress("read")
        reading = read_transactions(relative(source, Path()), reading_of(parts.transactions, parts.input))
    found = profile(reading.database, parts.privacy.h)
    return _profile_text(found, reading.repeated), _profile_figures(found, reading.repeated)


def schema(*, transactions: bool = option("", "Print the schema of a job file on transactions.")) -> KeyTable:
    """The form of a job on transactions."""
    del transactions
    from kohort.transactions.form import TRANSACTION_JOB

    return TRANSACTION_JOB


def _profile_figures(found: DatabaseProfile, repeated: int) -> dict[str, Json]:
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


def _profile_text(found: DatabaseProfile, repeated: int) -> str:
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
        f"  more than {said(found.h)} of all: {found.above:,} ({found.above_share:.2%})",
        "",
        "unique: no other transaction has the same items",
        *_advice(found),
    ]
    return "\n".join(lines)


def _quantiles(spread: Spread) -> dict[str, Json]:
    from kohort.transactions.profile import PERCENTS

    return {"mean": spread.mean, **{str(percent): q for percent, q in zip(PERCENTS, spread.quantiles, strict=True)}}


def _spreads(found: DatabaseProfile) -> Iterator[str]:
    from kohort.transactions.profile import PERCENTS

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
    h, feasible = said(found.h), f"{_feasible(found):.4g}"
    if found.above:
        count = f"{found.above:,} of {many(found.items, 'item')}"
        yield f"At h = {h}, {count} cannot be private; from h = {feasible} on any item can."
    else:
        yield f"At h = {h}, any item can be private; the smallest such h is {feasible}."


#: Jobs on transactions.
TRANSACTIONS: Final = JobKind(
    data="transactions",
    run=run_job,
    report=report,
    sweep=sweep,
    check=check,
    recheck=recheck,
    inspect=inspect,
    schema=schema,
)
