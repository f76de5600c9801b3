"""`kohort anonymize`, `run` and `advise`: a job from flags or a file, and what single changes of it would cost."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

from kohort.cli import flags, options, outputs
from kohort.cli.derive import Bound, Given, Keys, argument, option
from kohort.cli.kinds import KINDS, functions, kind_of, refuse_others
from kohort.cli.screen import progress, say
from kohort.errors import KohortError, UsageError
from kohort.errors.display import took, whole
from kohort.job.faults import placing
from kohort.job.keys import USUAL_K, with_usual_k

if TYPE_CHECKING:
    from kohort.job.advice import Advice
    from kohort.job.document import Document
    from kohort.job.request import TableRequest
    from kohort.job.steps import Step
    from kohort.report import Json


#: How the flag of k differs from the job file's key.
_K: Final = MappingProxyType({"k": {"shown": f"{USUAL_K}, unless another model of whole classes is given"}})

Job = Annotated[Path, argument("JOB", "A job file (TOML); `kohort init` writes one to correct.")]
Changes = Annotated[
    list[str] | None,
    option(
        "Input",
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
    kinds: Annotated[Mapping[str, Bound], partial(functions, "run")],
    run: options.Run,
) -> None:
    """Run a job file, on a table or on transactions, with the changes of `--set`."""
    from kohort.job.document import changed, document_at

    text = changed(document_at(job), changes or ())
    kind = kind_of(text)
    for key, other in kinds.items():
        refuse_others(other.used, kinds[kind], f"jobs on {KINDS[key].data}")
    kinds[kind].call(text, page, run)


def run_table(text: Document, page: outputs.PageOptions, run: options.Run, *, files: outputs.Files) -> None:
    """Run a job file on a table."""
    from kohort.job.request import of

    _carry_out(of(text), page, files, run, text)


def _carry_out(
    made: TableRequest, page: outputs.PageOptions, files: outputs.Files, run: options.Run, text: Document | None = None
) -> None:
    """Anonymize as `made` asks, and print the result; of a job file also what changes of it would give."""
    from kohort.engines import pipeline
    from kohort.engines.base import engine_of

    outputs.refuse_elsewhere(made.run.engine, page, outputs.used(files))
    engine = engine_of(**vars(made.run))
    figures_of = outputs.figures_of(made, files, threads=run.threads)
    reports = outputs.companions(made, page, files, figures_of, dry_run=run.dry_run)
    with placing(made.placed), progress(quiet=run.quiet) as on_progress:
        figures_of.on_progress = on_progress
        common: dict[str, Any] = {
            "population": made.population,
            "overwrite": run.overwrite,
            "threads": run.threads,
            "on_progress": on_progress,
            "reports": reports,
            "inputs": made.inputs,
            "engine": engine,
        }
        if run.dry_run:
            release = pipeline.dry_run(made.source, made.job, **common)
        else:
            staging = None if made.run.spill_folder is None else Path(made.run.spill_folder)
            release = pipeline.anonymize(made.source, made.job, target=made.target, staging=staging, **common)
        if run.quiet and not run.json:
            return  # nobody reads the figures
        figures = figures_of(release)
    from kohort.report.render.release import release_text

    quasi = [one.name for one in made.job.schema.quasi]
    told = f"{release_text(figures, quasi)}\n{took(release.seconds)}"
    if text is not None and not run.json:
        told += changes_of(text, release.records.whole, release.metrics.get("ncp"))
    say(told, figures.as_json(), as_json=run.json, internal=True)


# --- changes of a job -------------------------------------------------------------------------------------------------

#: The methods of which a run tells changes: those that take no longer on a sample than a blink.
QUICK: Final = frozenset({"mondrian", "mondrian-relaxed", "ordered"})


def advise(
    job: Job,
    *,
    take: int | None = option("Output", "Write the N-th change into the job file.", "N", min=1),
    printed: options.Printed,
) -> None:
    """Show what single changes of a job would keep or cost; write nothing, or one of them into the job file."""
    from kohort.job.advice import advice_on
    from kohort.job.document import document_at

    text = document_at(job)
    with progress(quiet=printed.quiet) as on_progress:
        found = advice_on(text, on_progress=on_progress)
    told = found.text()
    told = (
        f"{told}\nMake the first change:   kohort advise {quote(str(job))} --take 1"
        if told
        else "No single change would keep more."
    )
    if take is not None:
        if take > len(found.steps):
            there = f"1 to {len(found.steps)}" if found.steps else "none"
            raise UsageError(
                f"there is no change {take}", where="--take", hint=f"there are {there}: kohort advise {job}"
            )
        _take(job, found.steps[take - 1].step)
        told = f"Changed {job}: {found.steps[take - 1].step.words}. Then run: {run_of(job)}"
    figures: dict[str, Json] = {
        "loss": None if found.loss is None else whole(found.loss),
        "records": found.of,
        "sample": found.records,
        "steps": [_figures(one) for one in found.steps],
        "taken": take,
    }
    say(told, figures, as_json=printed.json, quiet=printed.quiet, internal=True)


def changes_of(text: Document, source: object, now: float | None = None) -> str:
    """The best changes of a job that was run, as lines to print below its figures; empty where nothing would help."""
    lines = best_of(text, source, now)
    name = quote(str(text.path[0])) if text.path else "JOB"
    return "\n".join(["\n", *lines, f"See all changes, and make one:   kohort advise {name}"]) if lines else ""


def best_of(text: Document, source: object, now: float | None) -> list[str]:
    """The loss of a job, and the best changes of it, in lines; empty where nothing would help.

    Nothing that is wrong here may spoil a release that is there, and no search of a lattice is begun once more.

    Args:
        text: The job file.
        source: Its records or transactions; none is read where an engine has them elsewhere.
        now: The loss of its release; `None` for an estimate.
    """
    from kohort.job.advice import SHORT, advice_on
    from kohort.job.parts import table

    method = table(text.raw, "method")
    if method.get("optimal") is True or method.get("name", "mondrian") not in QUICK:
        return []
    try:
        return advice_on(text, source=source, now=now, most=0).text(SHORT).splitlines()
    except KohortError:
        return []


def run_of(job: Path) -> str:
    """The command that runs a job file, over its release where that is there already."""
    from kohort.job.document import document_at
    from kohort.job.parts import table

    output = table(document_at(job).raw, "output").get("path")
    there = isinstance(output, str) and (job.parent / output).is_file()
    return f"kohort run {quote(str(job))}{' --overwrite' * there}"


def _take(job: Path, step: Step) -> None:
    """Write a change into a job file, which keeps its comments."""
    from kohort.job.edits import taken
    from kohort.publish import publish

    text = taken(job.read_text("utf-8-sig"), step.changes)
    publish(job, lambda file: file.write(text.encode()), lambda _: None, overwrite=True, inputs=())


def _figures(one: Advice[Any]) -> dict[str, Json]:
    """A change for a program, with the figures of a run as it prints them; keys that are taken out are null."""
    loss, told, risk = one.cost
    return {
        "change": one.step.words,
        "keys": [{"key": list(place), "value": _plain(value)} for place, value in one.step.changes.items()],
        "loss": whole(loss),
        "told": told if told is None or risk is None else whole(told),
        "risk": None if risk is None else whole(risk),
        "measured": one.measured,
        "weakens": one.step.weakens,
    }


def _plain(value: object) -> Json:
    return value if isinstance(value, int | float | str) else None
