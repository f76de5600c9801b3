"""`kohort sweep --transactions`: one parameter, many values, several methods and seeds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

from kohort.cli import flags
from kohort.cli.derive import BASKETS, Given, Keys, option
from kohort.cli.screen import progress
from kohort.cli.sweep_files import named, outputs_of, say_sweep
from kohort.errors import UsageError
from kohort.job.codec import names
from kohort.job.faults import placing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.cli.sweep_files import SweepOutput
    from kohort.transactions.request import TransactionRequest
    from kohort.transactions.sweep import Plan, TransactionSweep

#: The flags behind the places that faults of a sweep name, besides what can be varied.
_FLAGS: Final = MappingProxyType(
    {
        "methods": "--scores",
        "seeds": "--seeds",
        "seed": "--seeds",
        "out": "--out",
        "picture": "--picture",
        "at-most-loss": "--at-most-loss",
        "vary": "--vary",
    }
)


#: The flags of a job on transactions that it has.
_KEYS: Final = (
    *("format", "key", "person", "item", "separator", "encoding", "private", "private-file"),
    *("no-private", "public", "public-file"),
    *("delta", "draw", "allow-absent", "min-support", "h", "k", "p", "max-sets"),
)

_GENERATED: Final = "Instead of IN: generate 0/1 matrices with N rows, one for each seed."
_SCORES: Final = "The methods to compare: mmil, mm, 1il, all; also give-back, optimal, cells."


def sweep(
    source: str | None,
    vary: Sequence[str],
    shown: SweepOutput,
    *,
    transactions: bool = option("Transactions", "IN is a transaction database, not a table.", first=True),
    given: Annotated[Given, Keys(form=BASKETS, only=_KEYS, panel="Transactions")],
    rows: int | None = option("Transactions", _GENERATED, "N", shown="10000", min=1),
    columns: int | None = option("Transactions", "Number of items of generated matrices.", "N", shown="100", min=1),
    density: float | None = option(
        "Transactions", "The probability of a 1 in generated matrices.", "D", shown="0.1", min=0, max=1
    ),
    scores: list[str] | None = option("Transactions", _SCORES, "A,B", shown="mmil,mm,1il,all"),
    seeds: list[str] | None = option(
        "Transactions", "With --delta: draw the items once with each seed.", "N,N", shown="1,2,3"
    ),
) -> None:
    """Sweep over the transactions at `source`, or over matrices, which are generated if something of them is said.

    Args:
        source: Where the transactions are.
        vary: The texts of `--vary`, of which there may be one.
        shown: What is written and printed.
        transactions: The flag that asks for this.
        given: The flags of a job on transactions.
        rows: Of generated matrices.
        columns: Of them.
        density: Of them.
        scores: The methods to compare.
        seeds: The draws.
    """
    del transactions
    matrix = {"rows": rows, "columns": columns, "density": density}
    drawn = {name: value for name, value in matrix.items() if value is not None}
    generated = bool(drawn) or any(text.partition("=")[0].strip() in matrix for text in vary)
    if generated and source is not None:
        what = "matrices are generated, and nothing is read"
        raise UsageError(what, where="IN", hint="leave it out, or leave out rows, columns and density")
    source = None if generated else named(source)
    from kohort.job.varied import read
    from kohort.sweeps.frame import refuse_unordered
    from kohort.transactions.sweep import PARAMETERS
    from kohort.transactions.sweep_figures import TRANSACTIONS

    if len(vary) > 1:
        raise UsageError(
            "for transactions only one parameter can vary", where="--vary", hint="vary the others in separate sweeps"
        )
    name, values = read(vary[0])
    if name in PARAMETERS and name in {**given.used(), **drawn}:
        raise UsageError(f"{name} is varied", where=f"--{name}", hint="leave it out, or vary another")
    raw = flags.tables(given, [])
    if name == "delta":
        raw["items"]["delta"] = values[0]
    if seeds is not None and "delta" not in raw["items"] and source is not None:
        raise UsageError(
            "seeds apply only to randomly drawn roles", where="--seeds", hint="leave it out, or add --delta"
        )
    raw["input"]["path"] = source or "-"
    made = flags.transaction_request(raw, (), releasing=False)
    exact = shown.exact
    with placing(partial(_placed, made)):
        if shown.within is not None:
            refuse_unordered({name: PARAMETERS[name].rising if name in PARAMETERS else None})
        plan = _plan(made, (name, values), (scores, seeds), None if source else drawn)
        inputs = (*(() if made.source == "-" else (Path(made.source),)), *made.inputs)
        publish = outputs_of(TRANSACTIONS, shown, inputs)
        found = replace(_swept(made, plan, quiet=shown.quiet, timed=shown.seconds), within=shown.within)
    publish(found if exact else TRANSACTIONS.published(found))
    say_sweep(TRANSACTIONS, found, shown)


def _plan(
    made: TransactionRequest,
    vary: tuple[str, list[str]],
    compared: tuple[list[str] | None, list[str] | None],
    drawn: Mapping[str, float] | None,
) -> Plan:
    from kohort.transactions.sweep import SCORES, SEEDS, Generated, Plan

    scores, seeds = compared
    try:
        numbers = [int(one) for one in names(seeds)] if seeds else SEEDS
    except ValueError:
        raise UsageError("a seed is a whole number of at least 0", where="--seeds", hint="such as 1,2,3") from None
    matrix = None if drawn is None else Generated(**{name: _exact(value) for name, value in drawn.items()})
    methods = names(scores) if scores else SCORES
    return Plan.of(made.job, *vary, methods=methods, seeds=numbers, matrix=matrix)


def _exact(value: float) -> Any:  # noqa: ANN401  as the matrix has it
    return value if isinstance(value, int) else Fraction(str(value))


def _swept(made: TransactionRequest, plan: Plan, *, quiet: bool, timed: bool) -> TransactionSweep:
    from time import process_time

    from kohort.transactions.io import read_transactions
    from kohort.transactions.sweep import sweep as swept

    with progress(quiet=quiet) as on_progress:
        on_progress("read")
        database = None if plan.matrix else read_transactions(made.source, made.job.reading).database
        return swept(database, plan, on_progress=on_progress, clock=process_time if timed else None)


def _placed(made: TransactionRequest, fault: UsageError) -> UsageError:
    from kohort.transactions.sweep import PARAMETERS

    where = "--vary" if fault.where in PARAMETERS else _FLAGS.get(fault.where)
    return UsageError(fault.what, where=where, hint=fault.hint) if where else made.placed(fault)
