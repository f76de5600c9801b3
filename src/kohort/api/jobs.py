"""From what a caller passes to a job: a job itself, or the keyword arguments that make one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kohort.errors import UsageError
from kohort.job.keys import with_usual_k
from kohort.job.keywords import JobBuilder, job_builder
from kohort.job.varied import place_of, value_at
from kohort.job.written import SOURCE, tables_of, usual_target
from kohort.release import Job

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kohort.job.request import TableRequest


def tables_from(
    job: object, options: Mapping[str, object], *, population: object = None, varied: Collection[str] = ()
) -> JobBuilder:
    """The tables of a job or of keyword arguments.

    Args:
        job: The job; `None` where there are keyword arguments.
        options: The keyword arguments.
        population: The population table, which a job file would name.
        varied: The keys that a sweep varies.

    Raises:
        UsageError: there are both or none, or the job is something else.
    """
    if job is not None:
        return _of_job(checked(job, options))
    if not options:
        hint = 'write anonymize(people, quasi=["age", "city"], sensitive=["illness"], l={"illness": 2}, k=10); '
        raise UsageError("no column has a role", hint=hint + "kohort.draft(people) proposes roles")
    said = job_builder(options)
    raw: dict[str, Any] = {"privacy": {}, **said.tables}
    output = said.tables.get("output", {})
    raw["output"] = {"path": usual_target(of_parts="records-per-part" in output), **output}
    raw["input"] = {**said.tables.get("input", {}), "path": SOURCE}
    raw |= population_table(population)
    given = [name for name in varied if value_at(raw, place_of(name)) is not None]
    faults = [UsageError(f"{name} is varied, too", where=f"{name}=…", hint=f"leave {name} out") for name in given]
    return replace(said, tables=with_usual_k(raw, varied), faults=(*said.faults, *faults))


def population_table(population: object) -> dict[str, object]:
    """The table of a job file that names the population, where there is one: its place is not looked at."""
    return {} if population is None else {"population": {"path": "population"}}


def _of_job(job: Job) -> JobBuilder:
    """The tables of a job, without what no cost depends on and no job file may hold."""
    plain = [replace(one, pseudonym=False) for one in job.schema.pseudonyms]
    job = replace(job, schema=job.schema.changed(plain), key=None, seed=None, insecure_reproducible=False)
    return JobBuilder(*tables_of(job))


def job_from(job: object, options: Mapping[str, object], *, population: object = None) -> TableRequest | Job:
    """The job that was passed, or the request of the keyword arguments.

    Raises:
        UsageError: there are both or none, or the job is something else.
        JobError: everything that is wrong with the keyword arguments.
    """
    if job is not None:
        return checked(job, options)
    made = tables_from(None, options, population=population)
    return made.request(made.tables)


def checked(job: object, options: Mapping[str, object]) -> Job:
    """The job, if it is one and says it all.

    Raises:
        UsageError: it is something else, or there are options beside it.
    """
    if isinstance(job, Job):
        if options:
            what = f"a job is given, and {', '.join(options)} beside it"
            hint = "leave the job out, or change the job: dataclasses.replace(job, …)"
            raise UsageError(what, where="anonymize", hint=hint)
        return job
    match type(job).__name__:
        case "dict":
            hint = "write the keys as keyword arguments: anonymize(people, **options); keys are those of the flags"
        case "str" | "PosixPath" | "WindowsPath":
            hint = "for a job file write anonymize(people, kohort.Job.from_toml(path))"
        case "Schema":
            hint = "write anonymize(people, Job.of(schema, KAnonymity(10)))"
        case "Draft":
            hint = "write anonymize(people, draft.job()), once every role is right"
        case "list" | "tuple":
            hint = 'name columns by keyword: anonymize(people, quasi=["age", "city"], k=10)'
        case _:
            hint = 'write anonymize(people, quasi=["age", "city"], k=10), or pass a Job'
    raise UsageError(f"the job is of class {type(job).__name__}", where="anonymize", hint=hint)
