"""From the flags of `kohort anonymize` to the tables of a job: as a job file would say it, every fault at its flag."""

from __future__ import annotations

from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

from kohort.cli import options
from kohort.errors import JobError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.job import Question, Request
    from kohort.job.lines import Place
    from kohort.job.transactions import TransactionRequest

T = TypeVar("T")


def request(raw: Mapping[str, object], faults: Sequence[UsageError]) -> Request:
    """The request that the flags make; their faults come all at once."""
    from kohort.job import request as made_of

    return together(lambda: made_of(raw, where=_flag), faults)


def question(raw: Mapping[str, object], faults: Sequence[UsageError]) -> Question:
    """The same for a file that is only judged."""
    from kohort.job import question as made_of

    return together(lambda: made_of(raw, where=_flag), faults)


def transaction_request(raw: Mapping[str, object], faults: Sequence[UsageError]) -> TransactionRequest:
    """The same for a job on transactions."""
    from kohort.job.transactions import request as made_of

    return together(lambda: made_of(raw, where=_transaction_flag), faults)


def together(make: Callable[[], T], faults: Sequence[UsageError]) -> T:
    """What `make` makes; its faults come together with those that were found before.

    Raises:
        JobError: there are any.
    """
    from kohort.job import faults_of, job_error

    try:
        made = make()
    except JobError as fault:
        raise job_error([*faults, *faults_of(fault)]) from None
    if faults:
        raise job_error(faults)
    return made


def refuse(said: Mapping[str, object], what: str, hint: str = "leave it out") -> None:
    """Refuse flags that would have no effect, by the names they have without their dashes."""
    faults = [
        UsageError(what, where=f"--{flag}", hint=hint)
        for flag, given in said.items()
        if given is not None and given is not False
    ]
    if faults:
        from kohort.job import job_error

        raise job_error(faults)


def columns(roles: Mapping[str, Sequence[str] | None], faults: list[UsageError]) -> dict[str, dict[str, object]]:
    """The columns of a job from the lists of names; a name in two lists is a fault."""
    columns: dict[str, dict[str, object]] = {}
    for role, texts in roles.items():
        for name in options.names(texts):
            if name in columns:
                faults.append(UsageError(f"column {name} is named twice", hint="a column has one role"))
            columns[name] = {"role": role}
    return columns


def shape(
    columns: dict[str, dict[str, object]],
    key: str,
    texts: Sequence[str] | None,
    faults: list[UsageError],
    *,
    role: str = "quasi",
) -> None:
    """Add what `--key` says of some columns; each must have been given a role, usually `role`."""
    flag = _column_flag(key)
    try:
        options.pairs(texts, flag)
    except UsageError as fault:
        faults.append(fault)
    for name, text in options.readable(texts).items():
        if name in columns:
            columns[name][key] = _value(key, text)
        else:
            near = " or ".join(get_close_matches(name, columns))
            hint = f"did you mean {near}?" if near else f"name it first: --{role} {name}"
            faults.append(UsageError(f"column {name} has no role", where=f"{flag} {name}=…", hint=hint))


def allow_singling(
    columns: dict[str, dict[str, object]], texts: Sequence[str] | None, rest: str, faults: list[UsageError]
) -> None:
    """Add which columns may single people out; one that only the rest covers gets the rest's role by its name."""
    for name in options.names(texts):
        if name in columns or rest in {"sensitive", "insensitive"}:
            columns.setdefault(name, {"role": rest})["allow-singling"] = True
        else:
            hint = f"name it first: --sensitive {name}, or --insensitive {name}"
            faults.append(UsageError(f"column {name} has no role", where=f"--allow-singling {name}", hint=hint))


def no_model(columns: dict[str, dict[str, object]], texts: Sequence[str] | None) -> None:
    """Add which sensitive columns go without a model; one without a role is sensitive."""
    for name in options.names(texts):
        columns.setdefault(name, {"role": "sensitive"})["no-model"] = True


def pseudonyms(columns: dict[str, dict[str, object]], texts: Sequence[str] | None) -> None:
    """Add which columns get pseudonyms; one without a role is identifying."""
    for name in options.names(texts):
        columns.setdefault(name, {"role": "identifying"})["pseudonym"] = True


def perturbed(
    texts: Sequence[str] | None, seed: int | None, faults: list[UsageError], *, insecure_reproducible: bool
) -> dict[str, object]:
    """What is perturbed as the job file would say it."""
    columns: dict[str, object] = {}
    asked: dict[str, object] = {"columns": columns, "seed": seed, "insecure-reproducible": insecure_reproducible}
    if not texts:
        return asked
    from kohort.perturb.text import said_of

    for text in texts:
        try:
            said = said_of(text)
        except UsageError as fault:
            faults.append(UsageError(fault.what, where=f"--{fault.where}", hint=fault.hint))
            continue
        first, *others = said.columns
        if first in columns:
            what = f"column {first} is perturbed twice"
            faults.append(UsageError(what, where=f"--perturb {text}", hint="say one method for it"))
        columns[first] = {"method": said.method, "together": others, **said.parameters}
    return asked


def node(texts: Sequence[str] | None, faults: list[UsageError]) -> object:
    """The node of `--node` as the job file would say it: a list of levels, or a level for each name."""
    said = [one.strip() for one in options.names(texts)]
    if not any("=" in one for one in said):
        return said if texts else None
    found: dict[str, str] = {}
    for one in said:
        column, equals, level = one.rpartition("=")  # a level has none
        if not equals or column in found:
            what = f"column {column} is given twice" if equals else "some level has no name"
            faults.append(UsageError(what, where="--node", hint="write 0,1,2, or age=2,sex=0,city=1"))
            return None
        found[column] = level
    return found


def _value(key: str, text: str) -> object:
    """The text of a COLUMN=VALUE flag as the job file would say it."""
    match key:
        case "bounds":
            return text.split("..")
        case "grid" if "," in text:
            return text.split(",")
        case "recursive":
            c, _, l = text.partition(",")  # noqa: E741  as the paper calls it
            return {"c": c, "l": l}
        case _:
            return text


def share_range(text: str | None) -> list[str] | None:
    """`LOW..HIGH` as the job file would say it.

    >>> share_range("0.1..0.9")
    ['0.1', '0.9']
    """
    return None if text is None else text.split("..")


def _column_flag(key: str) -> str:
    """The flag of a column's key; `--delta` is of transactions."""
    return "--delta-disclosure" if key == "delta" else f"--{key}"


#: Flags that have another name than their key in a job file.
_FLAGS: Final[Mapping[Place, str]] = MappingProxyType(
    {
        ("input", "path"): "IN",
        ("output", "path"): "--out",
        ("method", "name"): "--method",
        ("person", "key"): "--person",
        ("population", "path"): "--population",
    }
)


def _flag(place: Place) -> str:
    """The flag that a job file's key stands for."""
    match place:
        case ("perturb", "columns", name, *_):
            return f"--perturb {name}=…"
        case ("columns", name, key, *_):
            return f"{_column_flag(key)} {name}=…"
        case ("columns", name):
            return f"column {name}"
        case _:
            return _FLAGS.get(place, f"--{place[-1]}") if place else "the flags"


#: The same in a job on transactions.
_TRANSACTION_FLAGS: Final[Mapping[Place, str]] = MappingProxyType(
    {
        ("input", "path"): "IN",
        ("output", "path"): "--out",
        ("output", "format"): "--out-format",
        ("output", "separator"): "--out-separator",
        ("items",): "--private",
    }
)


def _transaction_flag(place: Place) -> str:
    """The flag that a key of a job on transactions stands for."""
    match place:
        case ("items", "weight", item):
            return f"--weight {item}=…"
        case _:
            return _TRANSACTION_FLAGS.get(place, f"--{place[-1]}") if place else "the flags"
