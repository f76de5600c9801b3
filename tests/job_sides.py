"""The sides on which a job can be said: TOML, flags, keyword arguments, the desk's fields, and a certificate.

Each side takes the tables of a job file, says them in its own words, and lets kohort read these words. `LACKING` holds
what a side has no words for, with the reason.
"""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast
from unittest.mock import patch

from kohort.certificate.form import FORM
from kohort.desk.fields import FORMS, fields_of, read
from kohort.errors import InfeasibleError
from kohort.job import request as tables_of_a_job
from kohort.job.certified import table_job
from kohort.job.document import document
from kohort.job.edits import changed
from kohort.job.form import TABLE_JOB
from kohort.job.keys import keys_of
from kohort.job.keywords import job_from
from kohort.job.written import tables_of
from kohort.perturbation.pseudonyms import SIZE, Key
from kohort.release import Job
from kohort.schema import Role
from kohort.schema.hierarchy import Hierarchy
from kohort.transactions import request as transaction_tables
from kohort.transactions.form import TRANSACTION_JOB
from tests.command import kohort
from tests.jobs import KEY, SIGN_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kohort.certificate.table import Certificate
    from kohort.job.keys import Key as FormKey
    from kohort.job.lines import Place
    from kohort.job.request import TableRequest
    from kohort.transactions.release import TransactionJob
    from kohort.transactions.request import TransactionRequest
    from tests.jobs import Tables

#: The keys of a form without a flag, and so without a keyword argument; a column's key without its column's name.
HIDDEN: Final[Mapping[Place, str]] = {
    ("input", "quote"): "few files have another quote",
    ("output", "separator"): "a release is CSV with commas, or another format",
    ("columns", "order"): "the flag sets the order of all columns",
    ("columns", "label"): "the flag sets the labels of all columns",
    ("purpose",): "free text is written into a file",
}

#: What a call in Python says by other arguments than the keys of a job.
ENDS: Final[Mapping[Place, str]] = {
    ("input", "path"): "the table is the first argument",
    ("output", "path"): "the release is target=",
    ("population",): "the population is population=",
    ("run",): "the engine is engine=",
}


class Said(NamedTuple):
    """What kohort has read: a job and its ends."""

    job: Job | TransactionJob
    source: str
    target: str
    population: str | None
    run: tuple[object, ...]


def without(tables: Tables, lacking: Iterable[Place]) -> Tables:
    """The tables without some keys; a column's key is named without its column."""
    made: Tables = {name: {**part} if isinstance(part, dict) else part for name, part in tables.items()}
    for place in lacking:
        if len(place) == 1:
            made.pop(place[0], None)
        elif place[0] == "columns":
            made["columns"] = {
                name: {key: value for key, value in said.items() if key != place[1]}
                for name, said in made["columns"].items()
            }
        else:
            made.get(place[0], {}).pop(place[1], None)
    return made


def tables_again(said: Said, before: Tables) -> Tables:
    """The tables that kohort writes of a job; what stands in no job comes from the tables before."""
    made, trees = tables_of(replace(cast("Job", said.job), seed=None, insecure_reproducible=False))
    for name in trees:
        made["columns"][name]["hierarchy"] = before["columns"][name]["hierarchy"]
    made["input"]["path"], made["output"]["path"] = said.source, said.target
    made["input"] |= {"key-file": KEY} if cast("Job", said.job).key else {}
    made["output"] |= {"sign-key": SIGN_KEY} if "sign-key" in before["output"] else {}
    made |= {"population": {"path": said.population}} if said.population else {}
    made |= {"run": before["run"]} if "run" in before else {}
    seeded = {key: one for key, one in before.get("perturb", {}).items() if key != "columns"}
    return made | ({"perturb": made.get("perturb", {}) | seeded} if seeded else {})


def by_role(job: Job) -> Job:
    """The job with its columns in the order in which flags name roles, and what follows from that order."""
    roles = [Role.QUASI, Role.SENSITIVE, Role.IDENTIFYING, Role.INSENSITIVE, Role.DROP]
    attributes = tuple(sorted(job.schema.attributes, key=lambda one: roles.index(one.role)))
    return replace(
        job,
        schema=replace(job.schema, attributes=attributes),
        models=tuple(sorted(job.models, key=repr)),
        perturbations=tuple(sorted(job.perturbations, key=repr)),
        allow_singling=tuple(sorted(job.allow_singling)),
        no_model=tuple(sorted(job.no_model)),
    )


# --- TOML -------------------------------------------------------------------------------------------------------------

#: The tables whose keys may be tables of their own.
_ABOVE: Final = frozenset({(), ("columns",), ("perturb",), ("perturb", "columns")})


def toml(tables: Tables, *, inline: bool = False) -> str:
    """The text of a job file, with a comment on each line.

    Args:
        tables: The tables.
        inline: Whether what stands below a table is written on a line each, instead of below a head.
    """
    lines = _lines((), tables, inline=inline)
    return "".join(f"{line} # {number} 'a' = \"b\"\n" for number, line in enumerate(lines))


def comments(text: str) -> list[str]:
    """The comments of such a text."""
    return re.findall(r"# [0-9]+ 'a' = \"b\"$", text, re.MULTILINE)


def _lines(place: Place, part: Tables, *, inline: bool) -> Iterator[str]:
    below = [name for name, one in part.items() if isinstance(one, dict) and place in _ABOVE and not (place and inline)]
    yield from (f"{key_text(name)} = {_value(one)}" for name, one in part.items() if name not in below)
    for name in below:
        yield f"[{'.'.join(map(key_text, (*place, name)))}]"
        yield from _lines((*place, name), part[name], inline=inline)


def key_text(text: str) -> str:
    """A key as TOML writes it."""
    return text if re.fullmatch("[A-Za-z0-9_-]+", text) else _value(text)


def _value(value: object) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key_text(name)} = {_value(one)}' for name, one in cast('Tables', value).items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, cast('list[object]', value)))}]"
    return json.dumps(value, ensure_ascii=False)


def of_toml(text: str) -> Said:
    """What the text of a job file says."""
    made = table_request(text)
    run = tuple(vars(made.run).values())
    return Said(made.job, made.source, made.target, made.population, run)


def table_request(text: str, *, name: str = "job", folder: Path = Path()) -> TableRequest:
    """The request of the text of a job file on a table."""
    return tables_of_a_job.of(document(text, name=name, folder=folder))


def transaction_request(text: str, *, name: str = "job", folder: Path = Path()) -> TransactionRequest:
    """The request of the text of a job file on transactions."""
    return transaction_tables.of(document(text, name=name, folder=folder))


def of_toml_on_transactions(text: str) -> Said:
    """The same of a job on transactions."""
    made = transaction_request(text)
    run = tuple(vars(made.run).values())
    return Said(made.job, made.source, made.target, None, run)


# --- flags ------------------------------------------------------------------------------------------------------------


@cache
def keys(*, transactions: bool = False) -> Mapping[Place, FormKey]:
    """The keys of the form that have flags, by their places; a column's key without its column's name."""
    return {key.place: key for key in keys_of(TRANSACTION_JOB if transactions else TABLE_JOB)}


def words(tables: Tables, *, transactions: bool = False) -> list[str]:
    """The command line after the command, the input first."""
    found = [str(tables["input"]["path"])]
    for key in keys(transactions=transactions).values():
        if key.place != ("input", "path"):
            found += [f"--{key.flag}={text}" if text else f"--{key.flag}" for text in _texts(key, tables)]
        if key.kind == bool | None and _at(tables, key.place) is False:
            found.append(f"--no-{key.flag}")
    return found


def _at(tables: Tables, place: Place) -> Any:  # noqa: ANN401  whatever a job says
    held: Any = tables
    for key in place:
        held = cast("Tables", held).get(key) if isinstance(held, dict) else None
    return held


def _texts(key: FormKey, tables: Tables) -> list[str]:
    """The values of a flag, in the order in which it is repeated; an empty one for a switch."""
    columns: dict[str, Tables] = tables.get("columns", {})
    match key.place:
        case ("columns", "role", role):
            return listed(name for name, said in columns.items() if said["role"] == role)
        case ("columns", name) if key.of_column:
            said = {column: one[name] for column, one in columns.items() if name in one}
            return [f"{column}={_text(value, key)}" for column, value in said.items()]
        case ("columns", name):
            return listed(column for column, one in columns.items() if one.get(name))
        case ("perturb", "columns"):
            changes = cast("dict[str, Tables]", _at(tables, key.place) or {})
            return [change(name, said) for name, said in changes.items()]
        case place if ".." in key.metavar:
            return [_text(value, key) for value in [_at(tables, place)] if value is not None]
        case place:
            return _whole(place, _at(tables, place))


def _whole(place: Place, value: object) -> list[str]:  # noqa: PLR0911  a case for each form of a flag
    """The values of a flag that is not about single columns."""
    match place, value:
        case _, None | False:
            return []
        case _, True:
            return [""]
        case ("method", "grid"), _:
            return [""] if value == "none" else []
        case ("input", "missing"), _:
            return cast("list[str]", value)[1:]
        case ("method", "node"), dict():
            return listed(f"{name}={level}" for name, level in cast("Tables", value).items())
        case _, dict():
            return [f"{name}={one}" for name, one in cast("Tables", value).items()]
        case _, list():
            return listed(map(str, cast("list[object]", value)))
        case _:
            return [str(value)]


def _text(value: object, key: FormKey) -> str:
    if isinstance(value, dict):
        return ",".join(map(str, cast("Tables", value).values()))
    if isinstance(value, list):
        return (".." if ".." in key.metavar else ",").join(map(str, cast("list[object]", value)))
    return str(value)


def listed(names: Iterable[str]) -> list[str]:
    """Names in one text as CSV quotes them; none where there are none."""
    row = [*names]
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerow(row)
    return [text.getvalue().removesuffix("\n")] if row else []


def change(name: str, said: Tables) -> str:
    """A perturbation as its flag has it."""
    [columns] = listed([name, *said.get("together", ())])
    parameters = [f"{key}={value}" for key, value in said.items() if key not in {"method", "together"}]
    return f"{columns}={said['method']}{':' * bool(parameters)}{','.join(parameters)}"


def of_flags(arguments: list[str], *, transactions: bool = False) -> Said | list[dict[str, str]]:
    """What the command line would release, or the faults that it prints; nothing is read."""
    found: list[Said] = []

    def anonymize(
        source: str, job: Job, *, target: str, engine: object, population: str | None = None, **_: object
    ) -> None:
        found.append(Said(job, source, target, population, cast("tuple[object, ...]", engine)))
        raise InfeasibleError("nothing is read")

    module = (
        "kohort.transactions.pipeline.anonymize_transactions" if transactions else "kohort.engines.pipeline.anonymize"
    )
    with patch(module, anonymize), patch("kohort.engines.base.engine_of", _engine):
        ran = kohort("transactions" if transactions else "anonymize", *arguments, "--json")
    return found[0] if found else _printed(ran.figures)


def _engine(engine: str, memory_limit: int | None, spill_folder: str | None, **of_spark: object) -> object:
    return engine, *of_spark.values(), memory_limit, spill_folder  # as the form has them


def _printed(error: dict[str, Any]) -> list[dict[str, str]]:
    """The faults of a job that the command line has printed as JSON."""
    return cast("list[dict[str, str]]", error.get("faults", [error]))


# --- keyword arguments ------------------------------------------------------------------------------------------------


def options(tables: Tables) -> dict[str, object]:
    """The keyword arguments that say what the tables say."""
    columns: dict[str, Tables] = tables.get("columns", {})
    found: dict[str, object] = {}
    for key in keys().values():
        match key.place:
            case ("columns", "role", role):
                value: object = [name for name, said in columns.items() if said["role"] == role]
            case ("columns", name) if key.of_column:
                value = {column: said[name] for column, said in columns.items() if name in said}
            case ("columns", name):
                value = [column for column, said in columns.items() if said.get(name)]
            case ("method", "grid"):
                value = _at(tables, key.place) == "none"
            case place:
                value = _at(tables, place)
        if value is not None and (value or not isinstance(value, list | dict)):
            found[key.keyword] = value
    return found


def of_keywords(arguments: dict[str, object], population: object = None) -> Job:
    """The job that keyword arguments make."""
    made = job_from(None, arguments, population=population)
    return made if isinstance(made, Job) else made.job


# --- a certificate ----------------------------------------------------------------------------------------------------


def of_certificate(described: str) -> Job:
    """The job that a certificate's JSON describes."""
    return table_job(cast("Certificate", SimpleNamespace(job=json.loads(described), form=FORM))).job


def as_certified(job: Job) -> Job:
    """The job without what no certificate holds: the key, the seed, the file of a signing key, and hierarchies."""
    trees = [
        replace(one, hierarchy="mask:right") for one in job.schema.attributes if isinstance(one.hierarchy, Hierarchy)
    ]
    return replace(
        job,
        schema=job.schema.changed(trees),
        key=Key(bytes(SIZE)) if job.key else None,
        seed=0 if job.insecure_reproducible else None,
        writing=replace(job.writing, sign_key=None),
    )


# --- the desk ---------------------------------------------------------------------------------------------------------


def of_fields(tables: Tables, text: str) -> str:
    """A job's text with everything that the desk has fields for set through them, as its pages show it."""
    places: list[Place] = [(name,) for name in FORMS if name in tables and name != "columns"]
    places += [("columns", name) for name in tables["columns"]]
    shown = (field for place in places for field in fields_of(tables, place) if field.value)
    return changed(text, {field.place: read(field.place, field.value) for field in shown})


def without_fields(tables: Tables) -> Tables:
    """The tables without what the desk has fields for; a role has a page of its own."""
    kept = {name: part for name, part in tables.items() if name not in FORMS}
    return kept | {"columns": {name: {"role": said["role"]} for name, said in tables["columns"].items()}}
