"""From the flags of a job to its tables: as a job file has them, every fault at its flag."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kohort.errors import UsageError
from kohort.job.codec import Columns, Side, names, pairs, tables_of
from kohort.job.faults import job_error, together
from kohort.job.keys import keys_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.cli.derive import Given
    from kohort.job.keys import Key, KeyTable
    from kohort.job.lines import Place
    from kohort.job.request import Question, TableRequest

T = TypeVar("T")

#: The tables of a job that are there only with a key.
_OPTIONAL: Final = frozenset({"columns", "person", "population"})


def request(raw: Mapping[str, object], faults: Sequence[UsageError], *, releasing: bool = True) -> TableRequest:
    """The request that the flags make, of a command that releases something or not; their faults come all at once."""
    from kohort.job.form import TABLE_JOB
    from kohort.job.request import request as made_of

    return made(partial(made_of, releasing=releasing), raw, TABLE_JOB, faults)


def question(raw: Mapping[str, object], faults: Sequence[UsageError]) -> Question:
    """The same for a file that is only judged."""
    from kohort.job.form import TABLE_JOB
    from kohort.job.request import question as made_of

    return made(made_of, raw, TABLE_JOB, faults)


def made(make: Callable[..., T], raw: Mapping[str, object], form: KeyTable, faults: Sequence[UsageError]) -> T:
    """What is made of the tables that the flags of a form's keys say; all faults at once, each at its flag."""
    return together(lambda: make(raw, where=partial(flag_at, form)), faults)


def refuse(flags: Mapping[str, object], what: str, hint: str = "leave it out") -> None:
    """Refuse flags that would have no effect, by their names without dashes; `what` says why, after the name."""
    faults = [
        UsageError(f"--{flag} {what}", where=f"--{flag}", hint=hint)
        for flag, given in flags.items()
        if given is not None and given is not False
    ]
    if faults:
        raise job_error(faults)


# --- the tables of a job ----------------------------------------------------------------------------------------------


def tables(given: Given, faults: list[UsageError]) -> dict[str, Any]:
    """The tables of a job, as a job file would have them; what is not given is left out."""
    values = [(key, given[key.flag]) for key in given.keys]
    named: dict[str, Any] = {
        key.place[0]: {} for key in given.keys if len(key.place) > 1 and key.place[0] not in _OPTIONAL
    }
    return named | tables_of(values, FLAGS, faults, {})


def shape(
    columns: dict[str, dict[str, object]], key: Key, texts: Sequence[str] | None, faults: list[UsageError]
) -> None:
    """Add the values that the flag of a key gives to some columns; each must have a role."""
    made = Columns(FLAGS, faults, columns)
    made.shape(key, made.said(key, texts))


def by_column(flag: str, texts: Sequence[str] | None, faults: list[UsageError]) -> dict[str, str]:
    """What a flag says of each column."""
    return pairs("column", f"--{flag} COLUMN=VALUE")(texts or (), faults) or {}


def _read(key: Key, value: Any, _: object, faults: list[UsageError]) -> Any:  # noqa: ANN401  whatever click made of a flag
    """What a flag says, as a job file says it; `None` where it is not given and says nothing."""
    if key.of_column:
        return {name: key.type.text(text, faults) for name, text in by_column(key.flag, value, faults).items()}
    if key.place[0] == "columns":
        return names(value)
    if value is None or (value is False and key.kind is bool):
        return key.default
    return key.type.text(value, faults)


def _place(key: Key, name: str) -> str:
    return f"--{key.flag} {name}{'=…' * key.of_column}".strip()


def _naming(role: str, name: str) -> str:
    return f"name the column first: --{role} {name}"


#: How flags say a job.
FLAGS: Final = Side(_read, _place, _naming)


# --- from a place of a job to its flag --------------------------------------------------------------------------------


def flag_at(form: KeyTable, place: Place) -> str:
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
        case ("perturb", "columns", name, *_) | ("items", "weight", name) | ("run", _, name):
            return f"--{flags[place[:2]]} {name}=…"
        case _:
            return f"--{flags.get(place[:2], place[-1])}" if place else "the flags"


@cache
def _flags(form: KeyTable) -> Mapping[Place, str]:
    return {key.place: key.flag for key in keys_of(form)}
