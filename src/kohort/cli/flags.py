"""From the flags of a job to its tables: as a job file has them, every fault at its flag."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast, get_args, get_origin

from kohort.cli import options
from kohort.errors import UsageError
from kohort.job.keys import drops, keys_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.cli.derive import Given
    from kohort.job.keys import Key
    from kohort.job.lines import Place
    from kohort.job.parts import Part
    from kohort.job.request import Question, Request
    from kohort.job.transactions import TransactionRequest

#: The tables of a job that are there only with a key.
_OPTIONAL: Final = frozenset({"columns", "person", "population"})

#: The role of a column that only such a flag names.
_ROLES: Final = {"no-model": "sensitive", "pseudonym": "identifying"}


def request(raw: Mapping[str, object], faults: Sequence[UsageError]) -> Request:
    """The request that the flags make; their faults come all at once."""
    from kohort.job.faults import together
    from kohort.job.form import JobFile
    from kohort.job.request import request as made_of

    return together(lambda: made_of(raw, where=lambda place: flag_at(JobFile, place)), faults)


def question(raw: Mapping[str, object], faults: Sequence[UsageError]) -> Question:
    """The same for a file that is only judged."""
    from kohort.job.faults import together
    from kohort.job.form import JobFile
    from kohort.job.request import question as made_of

    return together(lambda: made_of(raw, where=lambda place: flag_at(JobFile, place)), faults)


def transaction_request(raw: Mapping[str, object], faults: Sequence[UsageError]) -> TransactionRequest:
    """The same for a job on transactions."""
    from kohort.job.faults import together
    from kohort.job.transactions import TransactionFile
    from kohort.job.transactions import request as made_of

    return together(lambda: made_of(raw, where=lambda place: flag_at(TransactionFile, place)), faults)


def refuse(flags: Mapping[str, object], what: str, hint: str = "leave it out") -> None:
    """Refuse flags that would have no effect, by the names they have without their dashes."""
    faults = [
        UsageError(what, where=f"--{flag}", hint=hint)
        for flag, given in flags.items()
        if given is not None and given is not False
    ]
    if faults:
        from kohort.job.faults import job_error

        raise job_error(faults)


# --- the tables of a job ----------------------------------------------------------------------------------------------


def tables(given: Given, faults: list[UsageError]) -> dict[str, Any]:
    """The tables of a job, as a job file would have them; what is not given is left out."""
    found: dict[str, Any] = {}
    if any(key.place[0] == "columns" for key in given.keys):
        found["columns"] = _columns(given, faults)
    for key in given.keys:
        *above, name = key.place
        if above and above[0] not in _OPTIONAL:
            found.setdefault(above[0], {})
        value = None if key.place[0] == "columns" else _read(key, given[key.flag], faults)
        if value is not None:
            (found.setdefault(above[0], {}) if above else found)[name] = value
    return found


def _columns(given: Given, faults: list[UsageError]) -> dict[str, dict[str, object]]:
    made = columns(
        {key.place[-1]: given[key.flag] for key in given.keys if key.place[:2] == ("columns", "role")}, faults
    )
    named = {key.place[-1]: given[key.flag] for key in given.keys if key.place[0] == "columns" and key.type is bool}
    valued = [key for key in given.keys if key.of_column]
    if given.values.get("rest") == "drop":  # its hierarchy is of no use, and does no harm
        for name in options.readable(given.values.get("hierarchy")):
            made.setdefault(name, {"role": "drop"})
    _mark(made, "no-model", named.get("no-model"))
    for key in valued:
        if not key.is_model:
            shape(made, key, given[key.flag], faults)
    _allow_singling(made, named.get("allow-singling"), given.values.get("rest"), faults)
    _mark(made, "pseudonym", named.get("pseudonym"))
    for key in valued:
        if key.is_model:
            shape(made, key, given[key.flag], faults)
    return made


def columns(roles: Mapping[str, Sequence[str] | None], faults: list[UsageError]) -> dict[str, dict[str, object]]:
    """The columns of a job from the lists of names; one in two lists is a fault, unless it is then dropped."""
    columns: dict[str, dict[str, object]] = {}
    for role, texts in roles.items():
        for name in options.names(texts):
            if name in columns and not drops(columns[name], role):
                faults.append(UsageError(f"column {name} is named twice", hint="a column has one role"))
            columns[name] = {"role": role}
    return columns


def shape(
    columns: dict[str, dict[str, object]], key: Key, texts: Sequence[str] | None, faults: list[UsageError]
) -> None:
    """Add the values that the flag of a key gives to some columns; each must have a role."""
    flag = f"--{key.flag}"
    try:
        options.pairs(texts, flag)
    except UsageError as fault:
        faults.append(fault)
    for name, text in options.readable(texts).items():
        if name in columns:
            columns[name][key.place[-1]] = value_of(key, text)
        else:
            near = " or ".join(get_close_matches(name, columns))
            role = "sensitive" if key.is_model else "quasi"
            hint = f"did you mean {near}?" if near else f"name it first: --{role} {name}"
            faults.append(UsageError(f"column {name} has no role", where=f"{flag} {name}=…", hint=hint))


def _mark(columns: dict[str, dict[str, object]], key: str, texts: Sequence[str] | None) -> None:
    """Set a key of the columns that its flag names; one without a role gets the role that the key is of."""
    for name in options.names(texts):
        columns.setdefault(name, {"role": _ROLES[key]})[key] = True


def _allow_singling(
    columns: dict[str, dict[str, object]], texts: Sequence[str] | None, rest: object, faults: list[UsageError]
) -> None:
    """Set which columns may single people out; one that only the rest covers gets the rest's role by its name."""
    for name in options.names(texts):
        if name in columns or rest in {"sensitive", "insensitive"}:
            columns.setdefault(name, {"role": rest})["allow-singling"] = True
        else:
            hint = f"name it first: --sensitive {name}, or --insensitive {name}"
            faults.append(UsageError(f"column {name} has no role", where=f"--allow-singling {name}", hint=hint))


# --- single values ----------------------------------------------------------------------------------------------------


def _read(key: Key, value: Any, faults: list[UsageError]) -> object:  # noqa: ANN401  whatever typer made of a flag
    """The value of a flag as a job file would have it; `None` where it is not given."""
    if value is None or (value is False and key.type is bool):
        return key.default
    if key.place in _READERS:
        return _READERS[key.place](cast("list[str]", value), faults)
    if get_origin(key.type) is list:
        return options.names(cast("list[str]", value)) or None
    return value_of(key, value) if isinstance(value, str) else value


def value_of(key: Key, text: str) -> object:
    """The text of a value as a job file would have it: a table, a list or the text itself, by the type of its key."""
    kind = key.type
    fields = getattr(kind, "model_fields", None)
    if fields is not None:
        parts = text.split(",", len(fields) - 1)
        return dict(zip(fields, [*parts, *[""] * (len(fields) - len(parts))], strict=True))
    if get_origin(kind) is tuple:
        return text.split("..")
    cuts = any(get_origin(one) is tuple for one in get_args(kind))
    return text.split(",") if cuts and "," in text else text


def perturbed(texts: Sequence[str], faults: list[UsageError]) -> dict[str, object]:
    """What is perturbed, as a job file would have it."""
    from kohort.perturbation.text import said_of

    columns: dict[str, object] = {}
    for text in texts:
        try:
            parsed = said_of(text)
        except UsageError as fault:
            faults.append(UsageError(fault.what, where=f"--{fault.where}", hint=fault.hint))
            continue
        first, *others = parsed.columns
        if first in columns:
            what = f"column {first} is perturbed twice"
            faults.append(UsageError(what, where=f"--perturb {text}", hint="give one method for it"))
        columns[first] = {"method": parsed.method, "together": others, **parsed.parameters}
    return columns


def node(texts: Sequence[str], faults: list[UsageError]) -> object:
    """The node of `--node`, as a job file would have it: a list of levels, or a level for each name."""
    levels = [one.strip() for one in options.names(texts)]
    if not any("=" in one for one in levels):
        return levels
    found: dict[str, str] = {}
    for one in levels:
        column, equals, level = one.rpartition("=")  # a level has none
        if not equals or column in found:
            what = f"column {column} is given twice" if equals else "a level names no column"
            faults.append(UsageError(what, where="--node", hint="write 0,1,2, or age=2,sex=0,city=1"))
            return None
        found[column] = level
    return found


#: What reads the flags whose values have a form of their own.
_READERS: Final[Mapping[Place, Callable[[list[str], list[UsageError]], object]]] = {
    ("input", "missing"): lambda texts, _: ["", *texts],
    ("input", "complete-records"): lambda texts, _: options.complete_records(texts) or [],
    ("method", "node"): node,
    ("method", "grid"): lambda _, __: "none",
    ("perturb", "columns"): perturbed,
    ("items", "weight"): options.weights,
    ("run", "spark-conf"): options.settings,
}


# --- from a place of a job to its flag --------------------------------------------------------------------------------


def flag_at(form: type[Part], place: Place) -> str:
    """The flag that a place of a job stands for."""
    flags = _flags(form)
    match place:
        case ("input", "path"):
            return "IN"
        case ("items",):
            return "--private"
        case ("columns", name):
            return f"column {name}"
        case ("columns", name, key, *_):
            return f"--{flags.get(('columns', key), key)} {name}=…"
        case ("perturb", "columns", name, *_) | ("items", "weight", name) | ("run", "spark-conf", name):
            return f"--{flags[place[:2]]} {name}=…"
        case _:
            return f"--{flags.get(place[:2], place[-1])}" if place else "the flags"


@cache
def _flags(form: type[Part]) -> Mapping[Place, str]:
    return {key.place: key.flag for key in keys_of(form)}
