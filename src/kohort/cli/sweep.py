"""`kohort sweep`: what a release would cost, as parameters vary; a table and a picture."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

import typer

from kohort.cli import flags, options, sweep_tables, sweep_transactions
from kohort.cli.derive import BASKETS, Given, Keys, option
from kohort.cli.sweep_files import SweepOutput
from kohort.cli.sweep_transactions import Drawn, TrialFlags
from kohort.errors import UsageError

#: The flags of a job on a table that a sweep does not have: whole tables of it, and others.
_WITHOUT: Final = (
    *("output", "run", "perturb", "path", "allow-empty", "key-file", "person", "node", "time-limit", "weight"),
    *("scale", "missing", "pseudonym"),
)

#: The flags of a job on transactions that it has.
_OF_BASKETS: Final = (
    *("format", "key", "person", "item", "separator", "encoding", "private", "private-file"),
    *("no-private", "public", "public-file"),
    *("delta", "draw", "allow-absent", "min-support", "h", "k", "p", "max-sets"),
)

#: How the flag of k differs from the key of a job.
_K: Final = MappingProxyType(
    {
        "k": {
            "help": "Every class has at least k records, every cohort k transactions.",
            "shown": "10, unless k or another model of whole classes is given or varied",
        }
    }
)

Source = Annotated[
    str | None,
    typer.Argument(metavar="IN", help="The table, or the transactions; '-' is standard input. Not with --job."),
]
Vary = Annotated[
    list[str],
    option(
        "Method",
        "What to vary: k=5,10; max-suppression=0,5%; quasi=2,3 (the first 2 or 3 of --quasi; the others are "
        "dropped); method=…; cut=nearest,loss; local=no,yes; a model: l:COLUMN=2,3 or t:COLUMN=0.1,0.2 "
        "(repeatable: all combinations). For transactions: one of k, h, p, delta; rows, columns or density of "
        "generated matrices.",
        "P=A,B,…",
    ),
]
Transactions = Annotated[bool, option("Transactions", "IN is a transaction database, not a table.", "--transactions")]
JobFile = Annotated[
    Path | None,
    option("Reading", "For a table: a job file instead of IN and flags; varied values replace its own.", "JOB"),
]
Resume = Annotated[
    bool,
    option(
        "Writing",
        "For a table: keep finished points in OUT.points.jsonl until all are done, and continue from those in it.",
        "--resume",
    ),
]


def sweep(
    source: Source = None,
    *,
    vary: Vary,
    transactions: Transactions = False,
    job: JobFile = None,
    table: Annotated[Given, Keys(without=_WITHOUT, changed=_K)],
    baskets: Annotated[Given, Keys(form=BASKETS, only=_OF_BASKETS, panel="Transactions")],
    drawn: Drawn,
    compared: TrialFlags,
    resume: Resume = False,
    threads: options.Threads = options.CORES,
    shown: SweepOutput,
) -> None:
    """Show what a release would cost as parameters vary; nothing is released."""
    options.use_threads(threads)
    used = {"table": table.used(), "baskets": baskets.used() | compared._asdict() | drawn.used()}
    if transactions:
        unused = {flag: value for flag, value in used["table"].items() if flag not in _OF_BASKETS}
        of_tables = {"job": job, "figure": shown.figure, "resume": resume, "bound": shown.bound}
        flags.refuse({**unused, **of_tables}, "this flag is only for tables")
        generated = sweep_transactions.is_generated(drawn, vary)
        if generated and source is not None:
            what = "matrices are generated, and nothing is read"
            raise UsageError(what, where="IN", hint="leave it out, or leave out rows, columns and density")
        sweep_transactions.carry_out(baskets, drawn, None if generated else _named(source), vary, compared, shown)
        return
    unused = {flag: value for flag, value in used["baskets"].items() if flag not in {"separator", "encoding", "k"}}
    flags.refuse(unused, "this flag is only for transactions", "leave it out, or add --transactions")
    if job is not None:
        if source is not None:
            raise UsageError("the job file names the input", where="IN", hint="leave it out")
        flags.refuse(used["table"], "the job file says this already", "leave it out, or give all by flags")
        jobs = sweep_tables.of_job(job, vary)
    else:
        faults: list[UsageError] = []
        raw: dict[str, Any] = {"input": {}, "privacy": {}, "method": {}, **flags.tables(table, faults)}
        raw["input"]["path"], raw["output"] = _named(source), {"path": "nothing is released.csv"}
        jobs = sweep_tables.of_flags(raw, vary, faults, table)
    sweep_tables.carry_out(jobs, shown, resume=resume, threads=threads)


def _named(source: str | None) -> str:
    if source is None:
        raise UsageError("no input is named", where="IN", hint="name a file, or - for standard input")
    return source
