"""What the command line does with transactions: `kohort transactions`, `run`, `report`, `sweep` and `convert`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from kohort.cli import options, outputs
from kohort.cli.derive import Given, Keys, option
from kohort.cli.screen import progress, say
from kohort.cli.sweep_files import named, outputs_of, say_sweep
from kohort.errors import InfeasibleError, UsageError
from kohort.errors.display import many, took
from kohort.job.faults import placing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.cli.sweep_files import SweepOutput
    from kohort.job.document import Document
    from kohort.job.keys import KeyValues
    from kohort.job.lines import Place
    from kohort.report.page import Page
    from kohort.report.page.audience import Audience
    from kohort.transactions.problem import SuppressionProblem
    from kohort.transactions.release import TransactionRelease
    from kohort.transactions.request import TransactionRequest
    from kohort.transactions.sweep import Plan, TransactionSweep


#: The keys of a job on transactions.
BASKETS: Final = "kohort.transactions.form:TRANSACTION_JOB"

Trace = Annotated[
    bool, option("Run", "Show each step with the original transactions: for teaching, on small examples.")
]
ShowValues = Annotated[bool, option("Run", "Name the private items that prevent a release, not only their number.")]


# --- from flags to a request ------------------------------------------------------------------------------------------


def requested(raw: Mapping[str, object], faults: Sequence[UsageError], *, releasing: bool = True) -> TransactionRequest:
    """The request that flags make, of a command that releases something or not; their faults come all at once."""
    from kohort.cli import flags
    from kohort.transactions.form import TRANSACTION_JOB
    from kohort.transactions.request import request

    return flags.made(partial(request, releasing=releasing), raw, TRANSACTION_JOB, faults)


def parts_of(given: Given, lacking: Sequence[Place], raw: Mapping[str, object] | None = None) -> KeyValues:
    """The parts of a job that flags make, without the keys that a command does not need."""
    from kohort.cli import flags
    from kohort.transactions.form import TRANSACTION_JOB
    from kohort.transactions.request import parts_of as made_of

    faults: list[UsageError] = []
    raw = flags.tables(given, faults) if raw is None else raw
    return flags.made(partial(made_of, lacking=lacking), raw, TRANSACTION_JOB, faults)


def flag_at(place: Place) -> str:
    """The flag that a place of a job stands for."""
    from kohort.cli import flags
    from kohort.transactions.form import TRANSACTION_JOB

    return flags.flag_at(TRANSACTION_JOB, place)


# --- `kohort transactions` and `run` ----------------------------------------------------------------------------------


def transactions(
    job: Annotated[Given, Keys(form=BASKETS)],
    page: outputs.PageOptions,
    *,
    trace: Trace = False,
    show_values: ShowValues = False,
    run: options.Run,
) -> None:
    """Turn baskets into a verified (h,k,p)-coherent release.

    Example: baskets.txt --private hiv --h 0.4 --k 10 --p 4 --out release.txt
    """
    from kohort.cli import flags

    faults: list[UsageError] = []
    raw = flags.tables(job, faults)
    carry_out(requested(raw, faults), page, run, trace=trace, show_values=show_values)


def run_job(
    text: Document,
    page: outputs.PageOptions,
    run: options.Run,
    *,
    trace: Trace = False,
    show_values: ShowValues = False,
) -> None:
    """Run a job file on transactions."""
    from kohort.transactions.request import of

    carry_out(of(text), page, run, trace=trace, show_values=show_values, job=text)


def carry_out(
    made: TransactionRequest,
    page: outputs.PageOptions,
    run: options.Run,
    *,
    trace: bool,
    show_values: bool,
    job: Document | None = None,
) -> None:
    """Make the transactions coherent as `made` asks, and print the result; of a job file also what changes give."""
    from kohort.engines.base import engine_of
    from kohort.transactions.pipeline import anonymize_transactions, dry_run_transactions
    from kohort.transactions.report import transaction_figures
    from kohort.transactions.report.text import text_of, transactions_text
    from kohort.transactions.request import refuse_target

    if trace and run.json:
        raise UsageError("a trace is printed as text", where="--trace", hint="leave out --trace, or --json")
    outputs.refuse_elsewhere(made.run.engine, page, {"trace": trace, "show-values": show_values})
    report = outputs.report_of(page, text_of, _page, dry_run=run.dry_run)
    refuse_target(made)
    engine = engine_of(**vars(made.run))
    try:
        with placing(made.placed), progress(quiet=run.quiet) as on_progress:
            if run.dry_run:
                release = dry_run_transactions(made.source, made.job, on_progress=on_progress, engine=engine)
            else:
                release = anonymize_transactions(
                    made.source,
                    made.job,
                    target=made.target,
                    overwrite=run.overwrite,
                    progress=on_progress,
                    reports=() if report is None else (report,),
                    inputs=made.inputs,
                    engine=engine,
                )
    except InfeasibleError as fault:
        raise made.placed(_named(fault, made) if show_values else fault) from None
    figures = transaction_figures(release if run.json else release.labelled())
    text = f"{transactions_text(figures)}\n{took(release.seconds)}"
    if trace:
        text = f"{_trace(release)}\n\n{text}"
    if job is not None and not run.json and not run.quiet:
        from kohort.cli.anonymize import changes_of

        text += changes_of(job, release.source, figures.distortion)
    say(text, figures.as_json(), as_json=run.json, quiet=run.quiet, internal=True)


def _page(release: TransactionRelease, audience: Audience | None) -> Page:
    from kohort.report.page.audience import Audience
    from kohort.transactions.report.page import transactions_page

    return transactions_page(release, audience=audience or Audience.INTERNAL)


def problem_at(made: TransactionRequest, on_progress: Callable[[str], None]) -> SuppressionProblem:
    """The transactions with their roles and model.

    Raises:
        UsageError: a name is of no item.
    """
    from kohort.transactions.io import read_transactions
    from kohort.transactions.pipeline import problem_of

    on_progress("read")
    with placing(made.placed):
        return problem_of(read_transactions(made.source, made.job.reading).database, made.job)


def in_the_way(problem: SuppressionProblem) -> list[str]:
    """Names of the private items that are in more than the share h of all transactions."""
    from kohort.transactions.problem import responsible

    return [problem.database.names[item] for item in responsible(problem).tolist()]


def _named(fault: InfeasibleError, made: TransactionRequest) -> InfeasibleError:
    if fault.where != "h" or made.source == "-":
        return fault
    from kohort.report.render.text import listed
    from kohort.transactions.release import labelled

    names = listed(labelled(in_the_way(problem_at(made, lambda _: None)), made.job.labels))
    return InfeasibleError(f"{fault.what}: {names}", where=fault.where, hint=fault.hint)


def _trace(release: TransactionRelease) -> str:
    """How the release came about, or why that is not shown: the release is there in either case."""
    from kohort.transactions.report.text import trace_text

    try:
        return trace_text(release)
    except UsageError as fault:
        return f"no trace: {fault.what}"


def report(
    text: Document, audience: Audience | None, threads: int, on_progress: Callable[[str], None]
) -> tuple[Page, Sequence[Path]]:
    """Make and verify a release of transactions again."""
    del threads  # one is enough
    from kohort.transactions.pipeline import transactions_again
    from kohort.transactions.request import of, refuse_target

    made = of(text)
    refuse_target(made)
    target = Path(made.target)
    with placing(made.placed):
        release = transactions_again(made.source, made.job, target, on_progress=on_progress)
    inputs = [Path(made.source), target, cast("Path", release.certificate), *made.inputs]
    return _page(release, audience), inputs


# --- `kohort sweep --transactions` ------------------------------------------------------------------------------------


#: The flags behind the places that faults of a sweep name, besides what can be varied.
_SWEEP_FLAGS: Final = MappingProxyType(
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
_SWEEP_KEYS: Final = (
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
    given: Annotated[Given, Keys(form=BASKETS, only=_SWEEP_KEYS, panel="Transactions")],
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
    """Sweep over transactions, or over 0/1 matrices: these are generated if their size or density is said or varied."""
    from kohort.cli import flags

    del transactions
    matrix = {"rows": rows, "columns": columns, "density": density}
    drawn = {name: value for name, value in matrix.items() if value is not None}
    generated = bool(drawn) or any(text.partition("=")[0].strip() in matrix for text in vary)
    if generated and source is not None:
        what = "matrices are generated, and nothing is read"
        raise UsageError(what, where="IN", hint="leave it out, or leave out rows, columns and density")
    source = None if generated else named(source)
    from kohort.job.sweeps.frame import refuse_unordered
    from kohort.job.varied import read
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
    made = requested(raw, (), releasing=False)
    exact = shown.exact
    with placing(partial(_at_flag, made)):
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
    from kohort.job.codec import names
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


def _at_flag(made: TransactionRequest, fault: UsageError) -> UsageError:
    from kohort.transactions.sweep import PARAMETERS

    where = "--vary" if fault.where in PARAMETERS else _SWEEP_FLAGS.get(fault.where)
    return UsageError(fault.what, where=where, hint=fault.hint) if where else made.placed(fault)


# --- `kohort convert` -------------------------------------------------------------------------------------------------


#: The flags of a job on transactions that say how they are read and written.
_FLAGS: Final = (
    *("path", "out", "out-format", "out-separator", "format", "key", "person", "item", "separator", "encoding"),
    "min-support",
)

#: What a file that was only converted is called, instead of a release.
_WRITTEN: Final = MappingProxyType(
    {
        "out": {"help": "The file to write, without a certificate."},
        "out-format": {"help": "The format of that file; by default that of the input."},
        "out-separator": {"help": "The character between its items or cells; by default that of the input."},
    }
)

#: What is said first.
UNPROTECTED: Final = "Converted, not anonymized: every transaction is unchanged, and nothing protects the people."


def convert(
    job: Annotated[Given, Keys(form=BASKETS, only=_FLAGS, changed=_WRITTEN)],
    *,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Convert transactions to another format, without anonymizing them."""
    from kohort.job.parts import relative
    from kohort.job.request import placed
    from kohort.transactions.pipeline import convert_transactions
    from kohort.transactions.release import BasketWriting
    from kohort.transactions.request import PLACES, reading_of, refuse_output

    parts = parts_of(job, [("privacy",), ("items", "private")])
    reading = reading_of(parts.transactions, parts.input)
    writing = BasketWriting(form=parts.output.format, separator=parts.output.separator)
    source, target = (relative(path, Path()) for path in (parts.input.path, parts.output.path))
    refuse_output(writing, reading, target, flag_at)
    least = parts.items.min_support or Fraction(0)
    with placing(partial(placed, where=flag_at, places=PLACES)), progress(quiet=quiet) as on_progress:
        found = convert_transactions(
            source, reading, writing, Path(target), min_support=least, overwrite=overwrite, on_progress=on_progress
        )
    removed = f"; {many(found.removed, 'item')} below the minimum support removed" if found.removed else ""
    counts = (
        f"{many(found.transactions, 'transaction')}, {many(found.items, 'item')}, {many(found.cells, 'cell')}{removed}"
    )
    text = f"{UNPROTECTED}\n{counts}\nwrote {target} ({found.form})"
    figures = {**found._asdict(), "form": str(found.form), "file": str(target), "anonymized": False}
    say(text, figures, as_json=json, quiet=quiet, internal=True)


# --- `kohort generate matrix` -----------------------------------------------------------------------------------------


def matrix(
    *,
    out: Path = option("", "The matrix file to write.", "FILE", default=Path("matrix.csv")),
    rows: int = option("", "Number of rows: transactions.", "N", default=10_000, min=1),
    columns: int = option("", "Number of columns: items.", "N", default=100, min=1),
    density: float = option("", "The probability of a 1.", "D", default=0.1, min=0, max=1),
    seed: int = option("", "The same seed gives the same bytes.", "N", default=7, min=0),
    header: bool = option("", "Write the items' names in the first line."),
    written: options.Written,
) -> None:
    """A 0/1 matrix of independent cells: a row for each transaction, a column for each item."""
    from kohort.samples.command import write_pieces
    from kohort.transactions.matrix import Matrix, text

    made = Matrix(columns=columns, density=density, seed=seed)
    pieces = ((text(batch), int(batch.sum())) for batch in made.batches(rows))
    names = [(made.header(), 0)] if header else []
    figures = {"transactions": rows, "items": columns, "seed": seed}
    write_pieces(out, chain(names, pieces), figures, written)
