"""`kohort anonymize` and `kohort run`: the same job from flags or from a file."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

from kohort.cli import flags, options, outputs, transactions
from kohort.cli.derive import Given, Keys, argument, option
from kohort.cli.screen import progress, say
from kohort.errors import UsageError
from kohort.job.faults import placing
from kohort.job.keys import USUAL_K, with_usual_k
from kohort.shown import took

if TYPE_CHECKING:
    from kohort.job.document import Document
    from kohort.job.request import Request


#: How the flag of k differs from the job file's key.
_K: Final = MappingProxyType({"k": {"shown": f"{USUAL_K}, unless another model of whole classes is given"}})

Job = Annotated[Path, argument("JOB", "A job file (TOML); `kohort init` writes one to correct.")]
Changes = Annotated[
    list[str] | None,
    option(
        "Reading",
        "Change a key of the job for this run: privacy.k=20, or columns.age.grid=10 (repeatable).",
        "KEY=VALUE",
        "--set",
    ),
]


def anonymize(
    job: Annotated[Given, Keys(changed=_K)], page: outputs.PageOptions, files: outputs.Files, run: options.Run
) -> None:
    """Anonymize a table by the job that the flags make."""
    faults: list[UsageError] = []
    raw = with_usual_k(flags.tables(job, faults))
    _carry_out(flags.request(raw, faults), page, files, run)


def run(
    job: Job,
    changes: Changes = None,
    *,
    page: outputs.PageOptions,
    files: outputs.Files,
    shown: transactions.Teaching,
    run: options.Run,
) -> None:
    """Run a job file, on a table or on transactions, with the changes of `--set`."""
    from kohort.job.document import changed, document_at

    text = changed(document_at(job), changes or ())
    if text.is_of_transactions:
        from kohort.job.transactions import of as made_of

        flags.refuse(outputs.used(files), "this flag is only for jobs on tables")
        transactions.carry_out(made_of(text), page, shown, run, text)
        return
    from kohort.job.request import of

    flags.refuse({"trace": shown.trace, "show-values": shown.show_values}, "this flag is only for jobs on transactions")
    _carry_out(of(text), page, files, run, text)


def _carry_out(
    made: Request, page: outputs.PageOptions, files: outputs.Files, run: options.Run, text: Document | None = None
) -> None:
    """Anonymize as `made` asks, and print the result; of a job file also what changes of it would give."""
    from kohort import pipeline
    from kohort.engines.local import engine_of

    outputs.refuse_elsewhere(made.engine, page, outputs.used(files))
    engine = engine_of(made.engine, made.memory, made.spill, master=made.master, spark_conf=made.spark_conf)
    figures_of = outputs.figures_of(made, files, threads=run.threads)
    reports = outputs.companions(made, page, files, figures_of, dry_run=run.dry_run)
    with placing(made.placed), progress(quiet=run.quiet) as on_progress:
        common: dict[str, Any] = {
            "population": made.population,
            "overwrite": run.overwrite,
            "threads": run.threads,
            "tell": on_progress,
            "reports": reports,
            "inputs": made.inputs,
            "engine": engine,
        }
        if run.dry_run:
            release = pipeline.dry_run(made.source, made.job, **common)
        else:
            staging = None if made.spill is None else Path(made.spill)
            release = pipeline.anonymize(made.source, made.job, target=made.target, staging=staging, **common)
    if run.quiet and not run.json:
        return  # nobody reads the figures
    from kohort.report.render.release import release_text

    figures = figures_of(release)
    told = f"{release_text(figures, made.quasi)}\n{took(release.seconds)}"
    if text is not None and not run.json:
        from kohort.cli.advise import changes_of

        told += changes_of(text, release.records.whole, release.metrics.get("ncp"))
    say(told, figures.as_json(), as_json=run.json, internal=True)
