"""From `--vary` to the jobs of a sweep over a table: a job's tables, and what of them is varied."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from kohort.algorithms.method import FIRST, LIMIT, LOCAL, METHODS, Choices, on_nodes
from kohort.errors import JobError, UsageError
from kohort.job.columns import quasi_of
from kohort.job.sweeps.table_plan import TablePlan
from kohort.models.base import models

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kohort.job.lines import Place
    from kohort.job.request import TableRequest
    from kohort.release import Job

#: Where a job says what can be varied, besides models and how many quasi-identifiers there are.
PLACES: Final[Mapping[str, Place]] = MappingProxyType(
    {
        "k": ("privacy", "k"),
        "max-suppression": ("privacy", "max-suppression"),
        "method": ("method", "name"),
        "cut": ("method", "cut"),
        "dimension": ("method", "dimension"),
        LOCAL.name: ("method", LOCAL.name),
    }
)

#: How many of the quasi-identifiers there are.
QUASI: Final = "quasi"

#: What a switch may be said to be.
_SWITCH: Final[Mapping[str, bool]] = MappingProxyType({"yes": True, "true": True, "no": False, "false": False})

#: Numbers of records, people and columns, and a range of such numbers.
_number = re.compile(r"[1-9][0-9]{0,17}").fullmatch
_range = re.compile(r"([0-9]{1,9})\.\.([0-9]{1,9})").fullmatch

#: Values of a range: each is a release to search for.
MOST: Final = 100


#: What is said to methods that cut, and to those on levels, besides their parameters: places of a job, and keys of any
#: column.
OF_CUTS: Final[tuple[tuple[Place, ...], tuple[str, ...]]] = (
    (("method", "order"), ("method", "labels")),
    ("grid", "label"),
)
OF_LEVELS: Final[tuple[tuple[Place, ...], tuple[str, ...]]] = (), ("max-level",)


def read(text: str) -> tuple[str, list[str]]:
    """What is varied, and its values as they are written; of a range of whole numbers, all of them.

    >>> read("l:net=income=1, 2"), read("k=2..4,10")
    (('l:net=income', ['1', '2']), ('k', ['2', '3', '4', '10']))
    """
    name, equals, values = (part.strip() for part in text.rpartition("="))
    said = [value.strip() for value in values.split(",")]
    if not equals or not all(said):
        raise UsageError("no values are given", where="--vary", hint="write --vary k=5,10,20")
    return name, [one for value in said for one in _from_end_to_end(name, value)]


def _from_end_to_end(name: str, value: str) -> Iterable[str]:
    kind = models().get(name)
    if ".." not in value or (kind is not None and kind.specification.is_range):
        return [value]
    ends = _range(value)
    if ends is None or not 0 <= int(ends[2]) - int(ends[1]) < MOST:
        what, hint = f"{name}: {value} is not a range of 1 to {MOST} whole numbers", "write 2..10, or list all values"
        raise UsageError(what, where="--vary", hint=hint)
    return map(str, range(int(ends[1]), int(ends[2]) + 1))


def all_of(texts: Sequence[str]) -> dict[str, list[str]]:
    """The values of everything that is varied."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, values = read(text)
        model, colon, _ = name.partition(":")
        if model not in (_of_columns() if colon else _whole()):
            raise _unknown(name)
        if name in found:
            raise UsageError(f"{name} is varied twice", where="--vary", hint="list all its values once: --vary k=5,10")
        found[name] = values
    return found


def _whole() -> list[str]:
    of_table = [key for key, kind in models().items() if not kind.specification.of_column and key not in PLACES]
    return [*PLACES, *of_table, QUASI]


def _of_columns() -> dict[str, Place]:
    """What can be varied of columns, and where their tables say it: of several parameters, each by its name."""
    found: dict[str, Place] = {}
    for key, kind in models().items():
        told = kind.specification
        if told.of_column and len(told.own) == 1:
            found[key] = (key,)
        elif told.of_column:
            found |= {f"{key}-{one.name}": (key, one.name) for one in told.own}
    return found


def _unknown(name: str) -> UsageError:
    of_columns, whole = _of_columns(), _whole()
    if name in of_columns:
        hint = f"name the column: --vary {name}:COLUMN=…"
    elif near := get_close_matches(name, whole):
        hint = f"did you mean {' or '.join(near)}?"
    else:
        hint = f"one of {', '.join([*whole, *(f'{model}:COLUMN' for model in of_columns)])}"
    return UsageError(f"{name or 'nothing'} cannot be varied", where="--vary", hint=hint)


def place_of(name: str) -> Place:
    """Where a job says what is varied; how many quasi-identifiers there are stands nowhere."""
    model, colon, column = name.partition(":")
    if colon:
        return ("columns", column, *_of_columns().get(model, ()))
    return PLACES.get(name) or (("privacy", name) if name in models() else ())


def value_at(tables: Mapping[str, object], place: Place) -> object:
    """What a job says at a place; `None` where it says nothing."""
    held = cast("object", tables)
    for key in place:
        held = cast("dict[str, object]", held).get(key) if isinstance(held, dict) else None
    return held


@dataclass(frozen=True, slots=True)
class Variations:
    """The jobs of a sweep.

    Attributes:
        base: The tables of the job that stays as it is.
        vary: The values of everything that is varied, as they are said.
        make: Makes a request of tables.
        inputs: The file that the base is in.
        requests: What was made, the first one first.
    """

    base: Mapping[str, object]
    vary: Mapping[str, Sequence[str]]
    make: Callable[[Mapping[str, object]], TableRequest]
    inputs: tuple[Path, ...] = ()
    requests: list[TableRequest] = field(default_factory=list["TableRequest"])

    def plan(self) -> TablePlan:
        """The sweep.

        Raises:
            JobError: all faults of the first job that has some.
            UsageError: a value is said twice, a column has no role, or there are not so many quasi-identifiers.
        """
        for name in self.vary:
            column = name.partition(":")[2]
            if column and value_at(self.base, ("columns", column)) is None:
                hint = f"name the column first: --sensitive {column}"
                raise UsageError(f"column {column} has no role", where=f"--vary {name}", hint=hint)
        try:
            return TablePlan.of(self.vary, self._job)
        except JobError:
            raise
        except UsageError as fault:
            where = "--vary" if fault.where == "vary" else fault.where
            raise UsageError(fault.what, where=where, hint=fault.hint) from None

    def _job(self, at: Mapping[str, str]) -> Job:
        tables = deepcopy(dict(self.base))
        for name, value in at.items():
            if name == QUASI:
                _drop_quasi(tables, value)
            else:
                *above, key = place_of(name)
                table(tables, tuple(above))[key] = _value(name, value)
        methods = [name for name in self.vary.get("method", ()) if name in METHODS]
        for place in list(unfit(tables, methods)):
            del table(tables, place[:-1])[place[-1]]
        self.requests.append(self.make(tables))
        return self.requests[-1].job


def unfit(tables: Mapping[str, object], methods: Sequence[str]) -> Iterator[Place]:
    """Where a job says what another one of these methods is told, and its own cannot be."""
    method = value_at(tables, ("method", "name"))
    if not isinstance(method, str) or method not in methods:
        return
    taken = {one.name for name in methods for one in METHODS[name].specification.parameters}
    others = (_parameter(name) for name in sorted(taken) if not METHODS[method].takes(name))
    yield from (place for place in others if value_at(tables, place) is not None)
    algorithms = {name: METHODS[name](Choices()) for name in methods}
    on_levels = {name: one.full_domain for name, one in algorithms.items()}
    if on_nodes(algorithms[method]) and not all(map(on_nodes, algorithms.values())):
        yield from _said(tables, *OF_CUTS)
    if not on_levels[method] and any(on_levels.values()):
        yield from _said(tables, *OF_LEVELS)
    first = value_at(tables, ("method", "objective")) == FIRST
    if first and on_levels[method] and method != "samarati" and "samarati" in methods:
        yield "method", "objective"


def _said(tables: Mapping[str, object], places: Iterable[Place], keys: Iterable[str]) -> Iterator[Place]:
    """Where a job says one of these, or one of these keys of a column."""
    named = (("columns", name, key) for name in table(tables, ("columns",)) for key in keys)
    yield from (place for place in (*places, *named) if value_at(tables, place) is not None)


def _parameter(name: str) -> Place:
    return PLACES["max-suppression"] if name == LIMIT.name else ("method", name.replace("_", "-"))


def _value(name: str, text: str) -> object:
    if name == LOCAL.name:
        return _SWITCH.get(text.lower(), text)
    kind = models().get(name)
    if kind is None or kind.specification.of_column:
        return text
    whole = kind.specification.own[0].kind == "integer" and _number(text)
    return int(text) if whole else kind.specification.written(text)


def table(tables: Mapping[str, object], above: Place) -> dict[str, object]:
    """The table at a place, to be changed; one that belongs to nothing where something else stands there."""
    held = cast("dict[str, object]", tables)
    for key in above:
        below = held.setdefault(key, {})
        held = cast("dict[str, object]", below) if isinstance(below, dict) else {}
    return held


def _drop_quasi(tables: dict[str, object], said: str) -> None:
    """Leave the first so many of the quasi-identifiers; the others are not released."""
    names = quasi_of(tables)
    if not _number(said) or int(said) > len(names):
        what = f"there are {len(names)} quasi-identifiers, and {said} are requested"
        raise UsageError(what, where="vary", hint=f"use numbers from 1 to {len(names)}")
    for name in names[int(said) :]:
        table(tables, ("columns",))[name] = {"role": "drop"}
