"""From keyword arguments to the tables of a job: the flags of the command line, in Python's own types.

A job that was made before is passed alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from kohort.errors import JobError, UsageError
from kohort.job import written
from kohort.job.codec import STAND_IN, Side, plain, tables_of
from kohort.job.faults import raised, together
from kohort.job.form import TABLE_JOB
from kohort.job.keys import is_table, keys_of, with_usual_k
from kohort.job.parts import table
from kohort.job.request import question, request
from kohort.job.varied import place_of, value_at
from kohort.release import Job
from kohort.schema import names_in
from kohort.schema.hierarchies import from_tree
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from kohort.job.codec import ColumnTables
    from kohort.job.draft import Draft
    from kohort.job.keys import Key
    from kohort.job.lines import Place
    from kohort.job.request import Question, TableRequest
    from kohort.schema import Schema
    from kohort.schema.hierarchies import HeldFile


T = TypeVar("T")

#: No roles.
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class JobBuilder:
    """The tables of a job, and how a job is made of them.

    Attributes:
        tables: As a job file would have them.
        hierarchies: Those that no job file can hold, by column; another stands for each in the tables.
        faults: What is wrong with the arguments that made them.
    """

    tables: Mapping[str, Any]
    hierarchies: Mapping[str, Hierarchy]
    faults: tuple[UsageError, ...] = ()

    def request(self, tables: Mapping[str, object], held: Sequence[HeldFile] = ()) -> TableRequest:
        """The request of these tables, with its hierarchies, also those in files that are not written."""
        made = self._made(lambda: request(tables, where=keyword_at, held=held))
        return replace(made, job=replace(made.job, schema=self._with_hierarchies(made.job.schema)))

    def question(self, tables: Mapping[str, object]) -> Question:
        """What a file is judged by, of these tables."""
        made = self._made(lambda: question(tables, where=keyword_at))
        return replace(made, schema=self._with_hierarchies(made.schema))

    def _made(self, make: Callable[[], T]) -> T:
        """What `make` makes; its faults come together with those of the arguments, a single one by itself."""
        try:
            return together(make, self.faults)
        except JobError as fault:
            raise raised(fault.faults) from None

    def _with_hierarchies(self, schema: Schema) -> Schema:
        known = [one for one in schema.attributes if one.name in self.hierarchies]
        return schema.changed(replace(one, hierarchy=self.hierarchies[one.name]) for one in known)


@cache
def keywords() -> Mapping[str, Key]:
    """The keys of a job by their keyword arguments, the roles first."""
    return {key.keyword: key for key in keys_of(TABLE_JOB) if not key.is_end}


def keyword_at(place: Place) -> str:
    """The keyword argument that a place of a job stands for.

    >>> keyword_at(("privacy", "k")), keyword_at(("columns", "illness", "l")), keyword_at(("columns", "age"))
    ('k=…', "l={'illness': …}", 'column age')
    """
    named = {key.place: key.keyword for key in keywords().values()}
    match place:
        case ("columns", name):
            return f"column {name}"
        case ("columns", name, key, *_):
            keyword = named.get(("columns", key), key)
            return f"{keyword}={{{name!r}: …}}"
        case ("perturb", "columns", name, *_):
            return f"perturb={{{name!r}: …}}"
        case ("population", _):
            return "population=…"
        case _:
            return f"{named.get(place[:2], place[-1])}=…" if place else "the options"


def job_builder(options: Mapping[str, object], roles: Mapping[str, str] = _NONE) -> JobBuilder:
    """The tables that keyword arguments make; what is `None` is left out, and faults are collected.

    Args:
        options: The keyword arguments.
        roles: Those of columns that they name in no list.

    >>> job_builder({"quasi": ["age"], "sensitive": ["illness"], "l": {"illness": 2}, "k": 5}).tables
    {'columns': {'age': {'role': 'quasi'}, 'illness': {'role': 'sensitive', 'l': 2}}, 'privacy': {'k': 5}}
    """
    faults: list[UsageError] = [_unknown(name) for name in options if name not in keywords()]
    given = [(key, options[name]) for name, key in keywords().items() if options.get(name) is not None]
    tables: dict[str, Any] = {"columns": {}, **tables_of(given, KEYWORDS, faults, roles)}
    hierarchies: dict[str, Hierarchy] = {}
    columns: dict[str, dict[str, object]] = tables["columns"]
    for name, column in columns.items():
        tree = column.get("hierarchy")
        if is_table(tree):
            tree = from_tree(tree, name=name, root="*" if len(tree) > 1 else "")
        if isinstance(tree, Hierarchy):
            hierarchies[name], column["hierarchy"] = tree, STAND_IN
    return JobBuilder(tables, hierarchies, tuple(faults))


def _read(key: Key, value: object, columns: ColumnTables, _: list[UsageError]) -> object:
    if key.of_column:
        if not isinstance(value, Mapping):
            role = "sensitive" if key.is_model else "quasi"
            fitting = [name for name, column in columns.items() if column["role"] == role]
            literal = repr(value) if isinstance(value, int | float | str) else "…"
            example = f"write {key.keyword}={{{[*fitting, 'age'][0]!r}: {literal}}}"
            raise UsageError(f"{key.keyword} applies to single columns", where=f"{key.keyword}=…", hint=example)
        said = cast("Mapping[str, object]", value)
        is_tree = key.place[-1] == "hierarchy"
        return {name: one if is_tree and isinstance(one, Hierarchy) else plain(one) for name, one in said.items()}
    if key.place[0] == "columns":
        return names_in(value, key.keyword)
    return plain(value) if key.type.python is None else key.type.python(value, key.keyword)


def _place(key: Key, _: str) -> str:
    return f"{key.keyword}=…"


def _naming(role: str, name: str) -> str:
    return f"name it too: {role}=[…, {name!r}]"


#: How keyword arguments say a job.
KEYWORDS: Final = Side(_read, _place, _naming)


def _unknown(name: str) -> UsageError:
    """The error of a keyword argument that there is not; flags that are called otherwise in Python have their hint."""
    flags = {key.name: keyword for keyword, key in keywords().items()}
    near = [flags[name]] if name in flags else get_close_matches(name, keywords(), n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(keywords())}"
    return UsageError(f"there is no option {name!r}", hint=hint)


# --- a draft with corrections, as a job -------------------------------------------------------------------------------


def corrected(draft: Draft, corrections: Mapping[str, object]) -> Job:
    """The job of a draft, corrected by the keyword arguments of a job; see `Draft.job`."""
    from kohort.job.lines import read_toml  # noqa: PLC0415  other arguments need no TOML

    raw: dict[str, Any] = read_toml(draft.to_toml(), Decimal)
    made = job_builder(corrections, {guess.name: guess.role for guess in draft.guesses})
    _merge(raw, made.tables)
    return made.request(raw, draft.trees).job


def _merge(raw: dict[str, Any], said: Mapping[str, Any]) -> None:
    columns, altered = raw["columns"], table(table(raw, "perturb"), "columns")
    for name, column in said["columns"].items():
        if table(columns, name).get("role") != column["role"]:
            columns[name] = {}
            altered.pop(name, None)
            raw["answers"] = [one for one in raw.get("answers", ()) if one != name]
        columns[name] |= column
    altered |= table(table(said, "perturb"), "columns")
    for key, held in said.items():
        if isinstance(held, dict) and key not in {"columns", "perturb"}:
            raw[key] = {**table(raw, key), **held}
        elif key in {"rest", "answers"}:
            raw[key] = held
    if altered:
        raw["perturb"] = {**table(raw, "perturb"), **table(said, "perturb"), "columns": altered}
    else:
        raw.pop("perturb", None)


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
    raw["output"] = {"path": written.usual_target(of_parts="records-per-part" in output), **output}
    raw["input"] = {**said.tables.get("input", {}), "path": written.SOURCE}
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
    return JobBuilder(*written.tables_of(job))


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
