"""`kohort sweep --transactions`: one parameter, many values, several methods and seeds."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import typer

from kohort.cli import flags, options, varied
from kohort.cli.screen import progress, say
from kohort.cli.sweep_files import Outputs
from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from kohort.job.transactions import TransactionRequest
    from kohort.sweep.transaction_plan import Plan
    from kohort.sweep.transactions import Sweep

#: What stays as it is where nothing is said.
_BASE: Final[Mapping[str, str | int]] = MappingProxyType({"h": "0.4", "k": 10, "p": 4})

#: The flags behind the places that faults of a sweep name.
_FLAGS: Final = MappingProxyType(
    {"methods": "--scores", "seeds": "--seeds", "seed": "--seeds", "out": "--out", "picture": "--picture"}
    | dict.fromkeys(("vary", "h", "k", "p", "delta"), "--vary")
)


class Shown(NamedTuple):
    """What is told of a sweep, and where.

    Attributes:
        out: Where the figures go.
        picture: Where the picture goes.
        figure: What is drawn.
        seconds: Whether they are told.
        json: One object instead of text.
        quiet: Nothing.
        overwrite: Whether files may be replaced.
    """

    out: Path | None
    picture: Path | None
    figure: str | None
    seconds: bool
    json: bool
    quiet: bool
    overwrite: bool


def carry_out(
    raw: Mapping[str, Mapping[str, object]],
    said: Mapping[str, str | int | None],
    vary: Sequence[str],
    compared: tuple[list[str] | None, list[str] | None],
    shown: Shown,
) -> None:
    """Sweep over the transactions that the tables of a job describe.

    Args:
        raw: The tables of the job, without what is in `said`.
        said: The parameters h, k, p and delta that stay as they are.
        vary: What is varied: one parameter.
        compared: The scores, and the seeds.
        shown: What is told.
    """
    if len(vary) > 1:
        raise UsageError(
            "of transactions one parameter is varied", where="--vary", hint="ask for the others one by one"
        )
    name, values = varied.read(vary[0])
    base = _base(name, said, values)
    scores, seeds = compared
    if seeds is not None and base["delta"] is None:
        raise UsageError("only roles that are drawn have seeds", where="--seeds", hint="leave it out, or add --delta")
    items = {**raw["items"], "delta": base["delta"]}
    made = flags.transaction_request(
        {**raw, "items": items, "privacy": {one: base[one] for one in ("h", "k", "p")}}, ()
    )
    with _placed(made):
        plan = _plan(made, (name, values), scores, seeds)
        outputs = _outputs(made, shown)
        found = _swept(made, plan, quiet=shown.quiet, timed=shown.seconds)
    outputs.publish(found)
    from kohort.sweep.transaction_figures import figures, text

    say(text(found), figures(found), as_json=shown.json, quiet=shown.quiet)
    if found.status:
        raise typer.Exit(found.status)


def _base(name: str, said: Mapping[str, str | int | None], values: list[str]) -> dict[str, str | int | None]:
    """What stays as it is; what is varied must not be said, too."""
    if said.get(name) is not None:
        raise UsageError(f"{name} is varied", where=f"--{name}", hint="leave it out, or vary another")
    first = {"delta": values[0]} if name == "delta" else {}
    return {one: _BASE.get(one) if value is None else value for one, value in said.items()} | first


def _plan(
    made: TransactionRequest, vary: tuple[str, list[str]], scores: list[str] | None, seeds: list[str] | None
) -> Plan:
    """The sweep that the flags make."""
    from kohort.sweep.transaction_plan import SCORES, SEEDS, Plan

    try:
        numbers = [int(one) for one in options.names(seeds)] if seeds else SEEDS
    except ValueError:
        raise UsageError("a seed is a whole number of at least 0", where="--seeds", hint="such as 1,2,3") from None
    return Plan.of(made.job, *vary, methods=options.names(scores) if scores else SCORES, seeds=numbers)


def _outputs(made: TransactionRequest, shown: Shown) -> Outputs[Sweep]:
    """The files to publish; what cannot be published is refused at once."""
    from kohort.report.charts.canvas import format_of
    from kohort.sweep.transaction_figures import writer
    from kohort.sweep.transaction_picture import picture

    forms = [] if shown.out is None else [(shown.out, writer(shown.out))]
    if shown.picture is not None:
        format_ = format_of(shown.picture.suffix)
        forms.append((shown.picture, lambda found: picture(found, format_)))
    inputs = (*(() if made.source == "-" else (Path(made.source),)), *made.inputs)
    return Outputs(tuple(forms), shown.overwrite, inputs)


def _swept(made: TransactionRequest, plan: Plan, *, quiet: bool, timed: bool) -> Sweep:
    """Read once, and answer at every point."""
    from time import process_time

    from kohort.io.baskets import read_transactions
    from kohort.sweep.transactions import sweep as swept

    with progress(quiet=quiet) as tell:
        tell("read")
        reading = read_transactions(made.source, made.job.reading)
        return swept(reading.database, plan, tell=tell, clock=process_time if timed else None)


@contextmanager
def _placed(made: TransactionRequest) -> Generator[None]:
    """Give a misuse the flag that it came of."""
    try:
        yield
    except UsageError as fault:
        where = _FLAGS.get(fault.where)
        raise (UsageError(fault.what, where=where, hint=fault.hint) if where else made.placed(fault)) from None
