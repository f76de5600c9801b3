"""From keyword arguments to the tables of a job: the flags of the command line, in Python's own types."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction
from functools import cache
from numbers import Integral, Real
from os import PathLike, fspath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast, get_origin

from kohort.errors import JobError, UsageError
from kohort.job.faults import raised, together
from kohort.job.form import JobFile
from kohort.job.keys import drops, keys_of
from kohort.job.parts import table
from kohort.job.request import question, request
from kohort.perturbation.text import parameters_of, said_of
from kohort.schema import names_in
from kohort.schema.hierarchies import from_tree
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.numbers import said

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.job.draft import Draft
    from kohort.job.keys import Key
    from kohort.job.lines import Place
    from kohort.job.request import Question, Request
    from kohort.perturbation.base import Perturbation
    from kohort.release import Job
    from kohort.schema import Schema
    from kohort.schema.hierarchies import HeldFile


T = TypeVar("T")

#: What a call says by other means than the keys of a job: the table and its release, the population table, and what a
#: run may use of the machine.
ENDS: Final = frozenset(
    {
        ("input", "path"),
        ("output", "path"),
        ("population", "path"),
        ("run", "engine"),
        ("run", "master"),
        ("run", "memory-limit"),
        ("run", "spark-conf"),
        ("run", "spill-folder"),
    }
)

#: The role of a column that only such a key names.
_ROLES: Final = {"no-model": "sensitive", "pseudonym": "identifying"}

#: What the rest must be for its columns to be released.
_RELEASED: Final = ("sensitive", "insensitive")

#: No roles.
_NONE: Final[Mapping[str, str]] = MappingProxyType({})

#: A hierarchy that stands for another, which is no text.
STAND_IN: Final = "suppress"


class Said(NamedTuple):
    """What keyword arguments say.

    Attributes:
        tables: As the tables of a job file.
        hierarchies: Those that no job file can hold, by column; another stands for each in the tables.
    """

    tables: dict[str, Any]
    hierarchies: dict[str, Hierarchy]


@dataclass(frozen=True, slots=True)
class Made:
    """The tables of a job, and how a job is made of them.

    Attributes:
        tables: As a job file would have them.
        hierarchies: Those that are objects; another stands for each in the tables.
        faults: What is wrong with the arguments that made them.
    """

    tables: Mapping[str, Any]
    hierarchies: Mapping[str, Hierarchy]
    faults: tuple[UsageError, ...] = ()

    def request(self, tables: Mapping[str, object], held: Sequence[HeldFile] = ()) -> Request:
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
        """The schema with the hierarchies that others stood for."""
        known = [one for one in schema.attributes if one.name in self.hierarchies]
        return schema.changed(replace(one, hierarchy=self.hierarchies[one.name]) for one in known)


@cache
def keywords() -> Mapping[str, Key]:
    """The keys of a job by their keyword arguments, the roles first."""
    return {key.keyword: key for key in keys_of(JobFile) if key.place not in ENDS}


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


def said_by(options: Mapping[str, object], faults: list[UsageError], roles: Mapping[str, str] = _NONE) -> Said:
    """The tables that keyword arguments make; what is `None` is left out, and faults are collected.

    >>> said_by({"quasi": ["age"], "sensitive": ["illness"], "l": {"illness": 2}, "k": 5}, []).tables
    {'columns': {'age': {'role': 'quasi'}, 'illness': {'role': 'sensitive', 'l': 2}}, 'privacy': {'k': 5}}
    """
    found = Said({"columns": {}}, {})
    faults += [_unknown(name) for name in options if name not in keywords()]
    given = {name: value for name, value in options.items() if value is not None and name in keywords()}
    for read in (_role, _whole, _implied, _mark, _valued):  # a column has its role before anything else is said of it
        for name in (name for name, key in keywords().items() if name in given and _reader(key) is read):
            try:
                read(found, keywords()[name], given[name])
            except UsageError as fault:
                faults.append(fault)
        for name, role in roles.items():
            found.tables["columns"].setdefault(name, {"role": role})
    return found


def _reader(key: Key) -> Callable[[Said, Key, object], None]:
    if key.place[:2] == ("columns", "role"):
        return _role
    if key.place[0] != "columns":
        return _whole
    if key.of_column:
        return _valued
    return _implied if key.place[-1] in _ROLES else _mark


def _role(found: Said, key: Key, value: object) -> None:
    for name in names_in(value, key.keyword):
        if name in found.tables["columns"] and not drops(found.tables["columns"][name], key.place[-1]):
            raise UsageError(f"column {name} is named twice", where=f"{key.keyword}=…", hint="a column has one role")
        found.tables["columns"][name] = {"role": key.place[-1]}


def _implied(found: Said, key: Key, value: object) -> None:
    """The columns that something is true of from which their role follows."""
    own = key.place[-1]
    for name in names_in(value, key.keyword):
        found.tables["columns"].setdefault(name, {"role": _ROLES[own]})[own] = True


def _mark(found: Said, key: Key, value: object) -> None:
    """The columns that something is true of; one that only the rest covers gets the rest's role by its name."""
    rest = found.tables.get("rest")
    for name in names_in(value, key.keyword):
        if rest in _RELEASED:
            found.tables["columns"].setdefault(name, {"role": rest})
        if name not in found.tables["columns"]:
            raise _no_role(name, key, found)
        found.tables["columns"][name][key.place[-1]] = True


def _valued(found: Said, key: Key, value: object) -> None:
    if not isinstance(value, Mapping):
        role = "sensitive" if key.is_model else "quasi"
        fitting = [name for name, column in found.tables["columns"].items() if column["role"] == role]
        example = f"write {key.keyword}={{{[*fitting, 'age'][0]!r}: {_literal(value)}}}"
        raise UsageError(f"{key.keyword} applies to single columns", where=f"{key.keyword}=…", hint=example)
    for name, one in cast("Mapping[str, object]", value).items():
        if name not in found.tables["columns"]:
            raise _no_role(name, key, found)
        if key.place[-1] == "hierarchy" and isinstance(one, Hierarchy | Mapping):
            found.hierarchies[name] = (
                one if isinstance(one, Hierarchy) else _tree(cast("Mapping[str, object]", one), name)
            )
            found.tables["columns"][name]["hierarchy"] = STAND_IN
        else:
            found.tables["columns"][name][key.place[-1]] = plain(one)


def _tree(tree: Mapping[str, object], name: str) -> Hierarchy:
    """The hierarchy of a nested mapping; several nodes at the top get one root."""
    return from_tree(tree, name=name, root="*" if len(tree) > 1 else "")


def _whole(found: Said, key: Key, value: object) -> None:
    *above, name = key.place
    table = found.tables.setdefault(above[0], {}) if above else found.tables
    if key.place == ("perturb", "columns"):
        table[name] = perturbed(value)
    elif key.place == ("method", "grid"):
        table |= {name: "none"} if value else {}
    elif get_origin(key.type) is list:
        table[name] = list(names_in(value, key.keyword))
    else:
        table[name] = plain(value)


def _no_role(name: str, key: Key, found: Said) -> UsageError:
    """The error of a column that is named before it has a role."""
    named = cast("dict[str, object]", found.tables["columns"])
    near = " or ".join(get_close_matches(name, named))
    role = "sensitive" if key.is_model or key.type is bool else "quasi"
    hint = f"did you mean {near}?" if near else f"name it too: {role}=[…, {name!r}]"
    return UsageError(f"column {name} has no role", where=f"{key.keyword}=…", hint=hint)


def _unknown(name: str) -> UsageError:
    """The error of a keyword argument that there is not; flags that are called otherwise in Python have their hint."""
    flags = {key.name: keyword for keyword, key in keywords().items()}
    near = [flags[name]] if name in flags else get_close_matches(name, keywords(), n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(keywords())}"
    return UsageError(f"there is no option {name!r}", hint=hint)


def _literal(value: object) -> str:
    """A value as Python writes it, where it is short enough to be shown."""
    return repr(value) if isinstance(value, int | float | str) else "…"


def plain(value: object) -> object:  # noqa: PLR0911  a case for each type
    """A value as a job file has it.

    >>> plain(Fraction(1, 5)), plain((1, Fraction(5))), plain({"c": 2})
    ('0.2', [1, '5'], {'c': 2})
    """
    match value:
        case bool() | None:
            return value
        case Enum():
            return plain(value.value)
        case Fraction():
            return said(value)
        case Integral():
            return int(value)
        case Real():
            return float(value)
        case str():
            return str(value)
        case PathLike():
            return fspath(cast("PathLike[str]", value))
        case Mapping():
            return {str(key): plain(one) for key, one in cast("Mapping[object, object]", value).items()}
        case Iterable():
            return [plain(one) for one in cast("Iterable[object]", value)]
        case _:
            return value


def perturbed(value: object) -> dict[str, object]:
    """What is perturbed, by column: of a mapping of texts or tables, or of perturbations.

    >>> perturbed({"income": "rounding:step=1000"})
    {'income': {'method': 'rounding', 'together': [], 'step': '1000'}}
    """
    if isinstance(value, Mapping):
        return {name: _perturbed(name, one) for name, one in cast("Mapping[str, object]", value).items()}
    if isinstance(value, str) or not isinstance(value, Iterable):
        what = f"perturb is of class {type(value).__name__}, and must say a method for each column"
        raise UsageError(what, where="perturb=…", hint=_PERTURBED)
    found: dict[str, object] = {}
    for one in cast("Iterable[object]", value):
        columns = cast("tuple[str, ...]", getattr(one, "columns", ()))
        if not columns or columns[0] in found:
            what = (
                f"column {columns[0]} is perturbed twice" if columns else f"{type(one).__name__} is not a perturbation"
            )
            raise UsageError(what, where="perturb=…", hint=_PERTURBED)
        found[columns[0]] = {**cast("dict[str, object]", plain(parameters_of(cast("Perturbation", one))))}
    return found


#: How a perturbation is said.
_PERTURBED: Final = 'write perturb={"income": "rounding:step=1000"}, a method for each column'


def _perturbed(name: str, one: object) -> object:
    where = f"perturb={{{name!r}: …}}"
    if isinstance(one, Mapping):
        return plain(cast("object", one))
    if not isinstance(one, str):
        raise UsageError(f"the method is of class {type(one).__name__}", where=where, hint=_PERTURBED)
    try:
        parsed = said_of(f"column={one}")
    except UsageError as fault:
        raise UsageError(fault.what, where=where, hint=_PERTURBED) from None
    return {"method": parsed.method, "together": [], **parsed.parameters}


# --- a draft with corrections, as a job -------------------------------------------------------------------------------


def corrected(draft: Draft, corrections: Mapping[str, object]) -> Job:
    """The job of a draft, corrected by the keyword arguments of a job; see `Draft.job`."""
    raw: dict[str, Any] = tomllib.loads(draft.to_toml(), parse_float=Decimal)
    faults: list[UsageError] = []
    said = said_by(corrections, faults, {guess.name: guess.role for guess in draft.guesses})
    _merge(raw, said)
    made = Made(raw, said.hierarchies, tuple(faults))
    return made.request(raw, draft.trees).job


def _merge(raw: dict[str, Any], said: Said) -> None:
    columns, altered = raw["columns"], table(table(raw, "perturb"), "columns")
    for name, column in said.tables["columns"].items():
        if table(columns, name).get("role") != column["role"]:
            columns[name] = {}
            altered.pop(name, None)
            raw["answers"] = [one for one in raw.get("answers", ()) if one != name]
        columns[name] |= column
    altered |= table(table(said.tables, "perturb"), "columns")
    for key, held in said.tables.items():
        if isinstance(held, dict) and key not in {"columns", "perturb"}:
            raw[key] = {**table(raw, key), **held}
        elif key in {"rest", "answers"}:
            raw[key] = held
    if altered:
        raw["perturb"] = {**table(raw, "perturb"), **table(said.tables, "perturb"), "columns": altered}
    else:
        raw.pop("perturb", None)
