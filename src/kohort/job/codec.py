"""One codec of jobs: keys with their values on any side, flags or keyword arguments, as the tables of a job file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction
from numbers import Integral, Real
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from kohort.errors import JobError, UsageError
from kohort.job.keys import drops
from kohort.perturbation.text import names_of, parameters_of, said_of
from kohort.schema.numbers import said

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.job.keys import Key
    from kohort.perturbation.base import Perturbation

    #: The tables of columns, by their names.
    ColumnTables: TypeAlias = dict[str, dict[str, object]]

#: The role of a column that only such a key names; one that may single people out has the role of the rest.
_ROLES: Final = {"no-model": "sensitive", "allow-singling": "", "pseudonym": "identifying"}

#: A hierarchy that stands for another, which is no text.
STAND_IN: Final = "suppress"

#: What the rest must be for its columns to be released.
_RELEASED: Final = ("sensitive", "insensitive")


class Side(NamedTuple):
    """Where a job is said by keys, and how.

    Attributes:
        read: What the value of a key says, as a job file says it: of keys of columns their names, or a value for each.
            It knows the columns that have a role, and adds faults to a list.
        place: Where a key is said, of a column where one is named.
        naming: How a column is given a role.
    """

    read: Callable[[Key, Any, ColumnTables, list[UsageError]], Any]
    place: Callable[[Key, str], str]
    naming: Callable[[str, str], str]


class Columns(NamedTuple):
    """The tables of columns, as keys fill them.

    Attributes:
        side: Where the keys are said.
        faults: Where what is wrong is added.
        tables: The tables by the names of the columns.
    """

    side: Side
    faults: list[UsageError]
    tables: ColumnTables

    def said(self, key: Key, value: object) -> Any:  # noqa: ANN401  of any key
        """What a key says; `None` where it is wrong."""
        try:
            return self.side.read(key, value, self.tables, self.faults)
        except UsageError as fault:
            self.faults.extend(fault.faults if isinstance(fault, JobError) else [fault])
        return None

    def name(self, key: Key, names: Iterable[str]) -> None:
        """Give columns the role of a key; one in two lists is a fault, unless it is then dropped."""
        for name in names:
            if name in self.tables and not drops(self.tables[name], key.place[-1]):
                what, where = f"column {name} is named twice", self.side.place(key, "")
                self.faults.append(UsageError(what, where=where, hint="a column has one role"))
            self.tables[name] = {"role": key.place[-1]}

    def mark(self, key: Key, names: Iterable[str], rest: object) -> None:
        """Set what is true of columns; one without a role gets the role that follows from it."""
        role = _ROLES[key.place[-1]] or (rest if rest in _RELEASED else None)
        for name in names:
            if name in self.tables or role is not None:
                self.tables.setdefault(name, {"role": role})[key.place[-1]] = True
            else:
                self._refuse(key, name)

    def shape(self, key: Key, values: Mapping[str, object]) -> None:
        """Set the value of a key of columns; each must have a role."""
        for name, value in values.items():
            if name in self.tables:
                self.tables[name][key.place[-1]] = value
            else:
                self._refuse(key, name)

    def _refuse(self, key: Key, name: str) -> None:
        near = " or ".join(get_close_matches(name, self.tables))
        role = "sensitive" if key.is_model or not key.of_column else "quasi"
        hint = f"did you mean {near}?" if near else self.side.naming(role, name)
        self.faults.append(UsageError(f"column {name} has no role", where=self.side.place(key, name), hint=hint))


def tables_of(
    given: Sequence[tuple[Key, Any]], side: Side, faults: list[UsageError], roles: Mapping[str, str]
) -> dict[str, Any]:
    """The tables of a job file that some keys with their values make.

    Args:
        given: The keys and what is given for each; `None` for nothing.
        side: Where it is given.
        faults: Where what is wrong is added.
        roles: Those of columns that are named nowhere else.
    """
    columns = Columns(side, faults, {})
    of_columns = [one for one in given if one[0].place[0] == "columns"]
    rest = next((value for key, value in given if key.place == ("rest",)), None)
    _fill(columns, of_columns, rest, roles)
    tables: dict[str, Any] = {"columns": columns.tables} if of_columns or roles else {}
    for key, value in given:
        *above, name = key.place
        made = None if key.place[0] == "columns" else columns.said(key, value)
        if made is not None:
            (tables.setdefault(above[0], {}) if above else tables)[name] = made
    return tables


def _fill(columns: Columns, given: Sequence[tuple[Key, Any]], rest: object, roles: Mapping[str, str]) -> None:
    """Fill the tables of columns: a column has its role before anything else is said of it."""
    for key, value in given:
        if key.place[1] == "role":
            columns.name(key, columns.said(key, value) or ())
    for name, role in roles.items():
        columns.tables.setdefault(name, {"role": role})
    marks = [one for one in given if one[0].place[1] in _ROLES]
    for key, value in sorted(marks, key=lambda one: [*_ROLES].index(one[0].place[1])):
        columns.mark(key, columns.said(key, value) or (), rest)
    for key, value in given:
        if key.of_column:
            values: Mapping[str, object] = columns.said(key, value) or {}
            if rest == "drop" and key.place[1] == "hierarchy":  # it is of no use there, and does no harm
                for name in values:
                    columns.tables.setdefault(name, {"role": "drop"})
            columns.shape(key, values)


# --- how values are spelled outside a job file: the texts of flags, and Python values ---------------------------------

_NODE: Final = "write 0,1,2, or age=2,sex=0,city=1"


def names(texts: Sequence[str] | None, _: object = None) -> list[str]:
    """Column names from comma-separated, repeatable flags; a name with a comma is quoted as in CSV.

    >>> names(["age,sex", 'city,"income, net"'])
    ['age', 'sex', 'city', 'income, net']
    """
    return [name for name in names_of(texts or (), "columns") if name]


def complete_records(texts: Sequence[str], _: object = None) -> list[str] | str:
    """The columns of complete records.

    >>> complete_records(["age", "city"]), complete_records(["all"])
    (['age', 'city'], 'all')
    """
    columns = names(texts)
    return "all" if columns == ["all"] else columns


def pairs(noun: str, shape: str, *, last: bool = False) -> Callable[..., dict[str, str] | None]:
    """What reads texts of this shape, `ITEM=NUMBER`, each name once.

    Args:
        noun: What stands before the equals sign.
        shape: The flag and its value, as the hint shows it.
        last: Whether the value has no equals sign, but the name may have one.

    >>> pairs("item", "--weight ITEM=NUMBER", last=True)(["bread=2", "a=b=0.5"], [])
    {'bread': '2', 'a=b': '0.5'}
    """
    flag, kind, value = shape.replace("=", " ").split(" ")

    def read(texts: Sequence[str], faults: list[UsageError]) -> dict[str, str] | None:
        found: dict[str, str] = {}
        for text in texts:
            name, equals, given = text.rpartition("=") if last else text.partition("=")
            if not equals or name in found:
                what = f"{noun} {name} is given twice" if equals else f"{f'{flag} {text}'.rstrip()} has no value"
                written = shape if equals or not text else f"{flag} {text}={value}"
                faults.append(UsageError(what, where=flag, hint=f"write {written}, once per {kind.lower()}"))
            else:
                found[name] = given
        return found or None

    return read


def perturbations(texts: Sequence[str], faults: list[UsageError]) -> dict[str, object]:
    """What is perturbed, by the first column of each text."""
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
    """A list of levels, or a level for each name.

    >>> node(["0,1"], []), node(["age=0", "sex=1"], [])
    (['0', '1'], {'age': '0', 'sex': '1'})
    """
    levels = [one.strip() for one in names(texts)]
    if not any("=" in one for one in levels):
        return levels
    found: dict[str, str] = {}
    for one in levels:
        column, equals, level = one.rpartition("=")  # a level has none
        if not equals or column in found:
            what = f"column {column} is given twice" if equals else "a level names no column"
            faults.append(UsageError(what, where="--node", hint=_NODE))
            return None
        found[column] = level
    return found


def plain(value: object) -> object:  # noqa: PLR0911  a case for each type
    """A Python value as a job file has it.

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


def perturbed(value: object, _: str = "") -> dict[str, object]:
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
