"""`kohort transactions`: baskets in, a verified (h,k,p)-coherent database out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from kohort.cli import basket_options, flags, options, outputs, pages
from kohort.cli.screen import progress, say
from kohort.errors import InfeasibleError, UsageError

if TYPE_CHECKING:
    from kohort.job.transactions import TransactionRequest
    from kohort.release.transactions import TransactionRelease


def transactions(
    source: basket_options.Baskets,
    *,
    out: Annotated[
        str, typer.Option("--out", metavar="OUT", help="The release to publish; its certificate is OUT.kohort.json.")
    ],
    format_: basket_options.Form = None,
    key: basket_options.Key = None,
    person: basket_options.Person = None,
    item: basket_options.Item = None,
    separator: basket_options.BasketSeparator = None,
    encoding: options.Encoding = "utf-8",
    private: basket_options.Private = None,
    private_file: basket_options.PrivateFile = None,
    public: basket_options.Public = None,
    public_file: basket_options.PublicFile = None,
    delta: basket_options.Delta = None,
    seed: basket_options.Seed = None,
    draw: basket_options.Draw = None,
    allow_absent: basket_options.AllowAbsent = False,
    min_support: basket_options.MinSupport = None,
    weight: Annotated[
        list[str] | None, typer.Option(metavar="ITEM=NUMBER", help="How much a cell of it counts; 1 if not given.")
    ] = None,
    weight_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="The same from a file, ITEM=NUMBER a line.")
    ] = None,
    h: basket_options.H = "0.4",
    k: basket_options.CohortK = 10,
    p: basket_options.P = 4,
    score: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="The next item to drop: mmil, in most minimal moles for what it loses; mm, in most; 1il, loses least;"
            " all, every public item.",
            show_default="mmil",
        ),
    ] = None,
    give_back: Annotated[
        bool, typer.Option("--give-back", help="Give items back at the end that turn out to be dispensable.")
    ] = False,
    optimal: Annotated[
        bool, typer.Option("--optimal", help="Lose least and prove it; needs the extra 'optimal'.")
    ] = False,
    time_limit: Annotated[
        str | None, typer.Option(metavar="SECONDS", help="When --optimal stops, and tells how far it may be.")
    ] = None,
    suppress: Annotated[
        str, typer.Option(metavar="WORD", help="items, or cells: single ones, which promises less; see the reference.")
    ] = "items",
    max_sets: basket_options.MaxSets = None,
    out_format: Annotated[
        str | None,
        typer.Option("--out-format", metavar="WORD", help="The form of the release.", show_default="that of IN"),
    ] = None,
    out_separator: Annotated[
        str | None,
        typer.Option("--out-separator", metavar="CHAR", help="Its separator.", show_default="that of IN"),
    ] = None,
    report: outputs.ReportFile = None,
    audience: pages.AudienceWord = None,
    trace: basket_options.Trace = False,
    show_values: basket_options.ShowValues = False,
    threads: options.Threads = options.CORES,
    json: options.Json = False,
    quiet: options.Quiet = False,
    dry_run: options.DryRun = False,
    overwrite: options.Overwrite = False,
) -> None:
    """Baskets in, a verified (h,k,p)-coherent database out."""
    faults: list[UsageError] = []
    raw = {
        "transactions": {"format": format_, "key": key, "person": person, "item": item},
        "input": {"path": source, "separator": separator, "encoding": encoding},
        "output": {"path": out, "format": out_format, "separator": out_separator},
        "privacy": {"h": h, "k": k, "p": p},
        "items": {
            "private": options.names(private) or None,
            "private-file": private_file,
            "public": options.names(public) or None,
            "public-file": public_file,
            "delta": delta,
            "seed": seed,
            "draw": draw,
            "allow-absent": allow_absent,
            "min-support": min_support,
            "weight": options.weights(weight, faults),
            "weight-file": weight_file,
        },
        "method": {
            "score": score,
            "give-back": give_back,
            "optimal": optimal,
            "time-limit": time_limit,
            "suppress": suppress,
            "max-sets": max_sets,
        },
    }
    options.use_threads(threads)
    made = flags.transaction_request(raw, faults)
    shown = Shown(json=json, quiet=quiet, trace=trace, values=show_values)
    carry_out(made, outputs.Asked(report, audience), shown, dry_run=dry_run, overwrite=overwrite)


class Shown(NamedTuple):
    """What of a release is printed."""

    json: bool
    quiet: bool
    trace: bool
    values: bool


def carry_out(made: TransactionRequest, report: outputs.Asked, shown: Shown, *, dry_run: bool, overwrite: bool) -> None:
    """Make the transactions coherent as `made` asks, and say what came of it."""
    from kohort.pipeline.transactions import anonymize_transactions, rehearse_transactions
    from kohort.report.render.transactions import transactions_text
    from kohort.report.transactions import transaction_figures

    if shown.trace and shown.json:
        raise UsageError("a trace is text", where="--trace", hint="leave out --trace, or --json")
    reports = outputs.transaction_companions(report, dry_run=dry_run)
    made.refuse_output()
    try:
        with progress(quiet=shown.quiet) as tell:
            if dry_run:
                release = rehearse_transactions(made.source, made.job, tell=tell)
            else:
                release = anonymize_transactions(
                    made.source,
                    made.job,
                    target=made.target,
                    overwrite=overwrite,
                    tell=tell,
                    reports=reports,
                    inputs=made.inputs,
                )
    except UsageError as fault:
        raise made.placed(fault) from None
    except InfeasibleError as fault:
        raise made.placed(_named(fault, made) if shown.values else fault) from None
    figures = transaction_figures(release)
    text = transactions_text(figures)
    if shown.trace:
        text = f"{_trace(release)}\n\n{text}"
    say(text, figures.as_json(), as_json=shown.json, quiet=shown.quiet)


def _named(fault: InfeasibleError, made: TransactionRequest) -> InfeasibleError:
    """The same with the names of the private items that stand in the way; standard input cannot be read again."""
    if fault.where != "h" or made.source == "-":
        return fault
    from kohort.cli.coherence import asked, in_the_way
    from kohort.report.render.text import listed

    names = listed(in_the_way(asked(made, lambda _: None)))
    return InfeasibleError(f"{fault.what}: {names}", where=fault.where, hint=fault.hint)


def _trace(release: TransactionRelease) -> str:
    """How the release came about, or why that is not shown: the release is there in either case."""
    from kohort.report.render.trace import trace_text

    try:
        return trace_text(release)
    except UsageError as fault:
        return f"no trace: {fault.what}"
