"""`kohort sweep`: what a release would cost, as parameters vary; a table and a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

from kohort.cli import flags
from kohort.cli.derive import Bound, Given, Keys, argument, option
from kohort.cli.kinds import KINDS, TABLE, chosen, functions, kind_of
from kohort.cli.screen import progress
from kohort.cli.sweep_files import SweepOutput, named, outputs_of, say_sweep
from kohort.errors import JobError, UnsupportedError, UsageError
from kohort.job.faults import placing
from kohort.job.keys import with_usual_k

if TYPE_CHECKING:
    from kohort.job.lines import Place
    from kohort.job.request import TableRequest
    from kohort.job.sweeps.journal import Journal
    from kohort.job.sweeps.table_plan import TablePlan
    from kohort.job.sweeps.tables import TableSweep
    from kohort.job.varied import Variations


#: The flags of a job on a table that a sweep does not have: whole tables of it, and others.
_WITHOUT: Final = (
    *("output", "run", "perturb", "path", "allow-empty", "key-file", "person", "node", "time-limit", "weight"),
    *("scale", "missing", "pseudonym"),
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
    argument("IN", "The table, or the transactions; '-' is standard input. Not with --job."),
]
Vary = Annotated[
    list[str],
    option(
        "Method",
        "What to vary, and its values: k=2..10, k=5,10,20 or t:COLUMN=0.1,0.2 (repeatable: all combinations). For a "
        "table: k or another model, as l:COLUMN=2,3; max-suppression=0,5%; quasi=2,3 (the first 2 or 3 of --quasi, "
        "the others are dropped); method; cut=nearest,loss; local=no,yes. For transactions: k, h, p or delta; or rows, "
        "columns or density of generated matrices.",
        "P=A,B,…",
        first=True,
    ),
]
JobFile = Annotated[
    Path | None,
    option(
        "Input", "For a table: a job file instead of IN and flags; varied values replace its own.", "JOB", first=True
    ),
]
Resume = Annotated[
    bool,
    option(
        "Output",
        "For a table: keep finished points in OUT.points.jsonl until all are done, and continue from those in it.",
        "--resume",
    ),
]


def sweep(
    source: Source = None,
    *,
    vary: Vary,
    kinds: Annotated[Mapping[str, Bound], partial(functions, "sweep")],
    shown: SweepOutput,
) -> None:
    """Show what a release would cost as parameters vary; nothing is released."""
    of_tables = {"figure": shown.figure, "bound": shown.bound}
    chosen(kinds, of_tables).call(source, vary, shown)


# --- of a table: many jobs, one table of figures ----------------------------------------------------------------------


def sweep_table(
    source: str | None,
    vary: Sequence[str],
    shown: SweepOutput,
    *,
    job: JobFile = None,
    table: Annotated[Given, Keys(without=_WITHOUT, changed=_K)],
    resume: Resume = False,
) -> None:
    """Sweep over a table, by flags or by a job file."""
    if job is not None:
        if source is not None:
            raise UsageError("the job file names the input", where="IN", hint="leave it out")
        flags.refuse(table.used(), "the job file says this already", "leave it out, or give all by flags")
        jobs = of_job(job, vary)
    else:
        faults: list[UsageError] = []
        raw: dict[str, Any] = {"input": {}, "privacy": {}, "method": {}, **flags.tables(table, faults)}
        raw["input"]["path"] = named(source)
        jobs = of_flags(raw, vary, faults, table)
    carry_out(jobs, shown, resume=resume)


def of_flags(raw: Mapping[str, object], vary: Sequence[str], faults: list[UsageError], given: Given) -> Variations:
    """The jobs that flags make; k is 10 unless it or another model of whole classes is given or varied."""
    from kohort.job import varied

    parameters = varied.all_of(vary)
    for name in parameters:
        if name != varied.QUASI and _is_given(name, raw, given):
            raise UsageError(f"{name} is varied", where=_flag_of(name), hint="leave it out, or vary another")
    flag_of = {_flag_of(name): f"--vary {name}" for name in parameters}
    raw = with_usual_k(raw, parameters)

    def make(tables: Mapping[str, object]) -> TableRequest:
        try:
            return flags.request(tables, faults, releasing=False)
        except JobError as fault:
            raise _varied_at(fault, flag_of) from None

    return varied.Variations(raw, parameters, make)


def _is_given(name: str, raw: Mapping[str, object], given: Given) -> bool:
    from kohort.job import varied

    return varied.value_at(raw, varied.place_of(name)) is not None and (":" in name or name in given.used())


def of_job(path: Path, vary: Sequence[str]) -> Variations:
    """The jobs that a job file makes; what is varied takes the place of what it says."""
    from kohort.job import varied
    from kohort.job.document import document_at
    from kohort.job.request import request

    text = document_at(path)
    if (kind := kind_of(text)) != TABLE:
        hint = f"write its settings as flags, with --{kind}"
        raise UnsupportedError(f"a sweep cannot start from a job on {KINDS[kind].data}", where="--job", hint=hint)
    parameters = varied.all_of(vary)
    place_of = {varied.place_of(name): f"--vary {name}" for name in parameters}

    def where(place: Place) -> str:
        return place_of.get(place) or text.where(place)

    return varied.Variations(text.raw, parameters, lambda raw: request(raw, where=where, folder=text.folder), (path,))


def _flag_of(name: str) -> str:
    from kohort.job import varied
    from kohort.job.form import TABLE_JOB

    return f"--{varied.QUASI}" if name == varied.QUASI else flags.flag_at(TABLE_JOB, varied.place_of(name))


def _varied_at(fault: JobError, flag_of: Mapping[str, str]) -> JobError:
    from kohort.job.faults import job_error

    return job_error(
        [type(one)(one.what, where=flag_of.get(one.where, one.where), hint=one.hint) for one in fault.faults]
    )


def carry_out(jobs: Variations, shown: SweepOutput, *, resume: bool) -> None:
    """Solve every job, publish the files, say what came of it."""
    from kohort.io.forms import files
    from kohort.job.sweeps.frame import refuse_unordered
    from kohort.job.sweeps.table_figures import TABLES
    from kohort.job.sweeps.table_plan import rising

    exact = shown.exact
    with placing(_at_flag):
        if shown.within is not None:
            refuse_unordered({name: rising(name) for name in jobs.vary})
        plan = jobs.plan()
        first = jobs.requests[0]
        inputs = (*files(first.source), *first.inputs, *jobs.inputs)
        inputs += () if first.population is None else (Path(first.population),)
        publish = outputs_of(TABLES, shown, inputs)
    with ExitStack() as open_:
        journal = open_.enter_context(_journal(first, shown)) if resume else None
        found = replace(_swept(first, plan, journal, shown), within=shown.within)
        publish(found if exact else TABLES.published(found))
    if journal is not None:
        journal.remove()
    say_sweep(TABLES, found, shown)


def _journal(first: TableRequest, shown: SweepOutput) -> Journal:
    from kohort.job.sweeps.figure import on_demand
    from kohort.job.sweeps.journal import Journal, beside, digest_of

    if shown.out is None or first.source == "-":
        what = "points are kept beside --out" if shown.out is None else "standard input cannot be read again"
        raise UsageError(what, where="--resume", hint="name a file")
    read = [first.source, *([] if first.population is None else [first.population])]
    asked = [f"seconds={shown.seconds} bound={shown.bound}", *on_demand(shown.figure)]
    return Journal.at(beside(shown.out), " ".join([*map(digest_of, read), *asked]))


def _swept(first: TableRequest, plan: TablePlan, journal: Journal | None, shown: SweepOutput) -> TableSweep:
    from kohort import io
    from kohort.job.sweeps.figure import on_demand
    from kohort.job.sweeps.tables import sweep

    with progress(quiet=shown.quiet) as on_progress:
        on_progress("read")
        with placing(first.placed):
            table = io.read(first.source, first.job.reading)
            population = None if first.population is None else io.read(first.population, first.job.reading)
            return sweep(
                table,
                plan,
                population=population,
                threads=shown.threads,
                on_progress=on_progress,
                timed=shown.seconds,
                bounded=shown.bound,
                metrics=on_demand(shown.figure),
                known=journal,
            )


def _at_flag(fault: UsageError) -> UsageError:
    if isinstance(fault, JobError) or fault.where not in {"vary", "out", "picture", "figure", "at-most-loss"}:
        return fault
    return UsageError(fault.what, where=f"--{fault.where}", hint=fault.hint)
