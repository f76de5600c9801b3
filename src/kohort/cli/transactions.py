"""`kohort transactions`: baskets in, a verified (h,k,p)-coherent database out; `kohort convert`: the same ones."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, cast

from kohort.cli import flags, options, outputs
from kohort.cli.derive import BASKETS, Given, Keys, option
from kohort.cli.kinds import JobKind
from kohort.cli.measured import check, inspect, recheck, schema
from kohort.cli.screen import progress, say
from kohort.cli.sweep_transactions import sweep
from kohort.errors import InfeasibleError, UsageError
from kohort.job.faults import placing
from kohort.shown import many, took

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.job.document import Document
    from kohort.report.page import Page
    from kohort.report.page.audience import Audience
    from kohort.transactions.release import TransactionRelease
    from kohort.transactions.request import TransactionRequest


Trace = Annotated[
    bool, option("Run", "Show each step with the original transactions: for teaching, on small examples.")
]
ShowValues = Annotated[bool, option("Run", "Name the private items that prevent a release, not only their number.")]


def transactions(
    job: Annotated[Given, Keys(form=BASKETS)],
    page: outputs.PageOptions,
    *,
    trace: Trace = False,
    show_values: ShowValues = False,
    run: options.Run,
) -> None:
    """Make transactions coherent by the job that the flags make."""
    faults: list[UsageError] = []
    raw = flags.tables(job, faults)
    carry_out(flags.transaction_request(raw, faults), page, run, trace=trace, show_values=show_values)


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
    from kohort.transactions.report.text import transactions_text
    from kohort.transactions.request import refuse_target

    if trace and run.json:
        raise UsageError("a trace is printed as text", where="--trace", hint="leave out --trace, or --json")
    outputs.refuse_elsewhere(made.run.engine, page, {"trace": trace, "show-values": show_values})
    reports = outputs.transaction_companions(page, dry_run=run.dry_run)
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
                    reports=reports,
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


def _named(fault: InfeasibleError, made: TransactionRequest) -> InfeasibleError:
    if fault.where != "h" or made.source == "-":
        return fault
    from kohort.cli.measured import in_the_way, problem_at
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
    from kohort.report.page.audience import Audience
    from kohort.transactions.pipeline import transactions_again
    from kohort.transactions.report.page import transactions_page
    from kohort.transactions.request import of, refuse_target

    made = of(text)
    refuse_target(made)
    target = Path(made.target)
    with placing(made.placed):
        release = transactions_again(made.source, made.job, target, on_progress=on_progress)
    inputs = [Path(made.source), target, cast("Path", release.certificate), *made.inputs]
    return transactions_page(release, audience=audience or Audience.INTERNAL), inputs


#: Jobs on transactions.
TRANSACTIONS: Final = JobKind(
    data="transactions",
    form=BASKETS,
    run=run_job,
    report=report,
    sweep=sweep,
    check=check,
    recheck=recheck,
    inspect=inspect,
    schema=schema,
)


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
    """Write transactions in another form; this does not anonymize them."""
    from kohort.job.parts import relative
    from kohort.job.request import placed
    from kohort.transactions.pipeline import convert_transactions
    from kohort.transactions.release import BasketWriting
    from kohort.transactions.request import PLACES, reading_of, refuse_output

    parts = flags.transaction_parts(job, [("privacy",), ("items", "private")])
    reading = reading_of(parts.transactions, parts.input)
    writing = BasketWriting(form=parts.output.format, separator=parts.output.separator)
    source, target = (relative(path, Path()) for path in (parts.input.path, parts.output.path))
    refuse_output(writing, reading, target, flags.transaction_flag)
    least = parts.items.min_support or Fraction(0)
    with placing(partial(placed, where=flags.transaction_flag, places=PLACES)), progress(quiet=quiet) as on_progress:
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
