"""How values are spelled outside a job file: the texts of flags, and Python values, made into what a file says."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from enum import Enum
from fractions import Fraction
from numbers import Integral, Real
from os import PathLike, fspath
from typing import TYPE_CHECKING, Final, cast

from kohort.errors import UsageError
from kohort.perturbation.text import parameters_of, said_of
from kohort.schema.numbers import said

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.perturbation.base import Perturbation

_NODE: Final = "write 0,1,2, or age=2,sex=0,city=1"


def names(texts: Sequence[str] | None, _: object = None) -> list[str]:
    """Column names from comma-separated, repeatable flags; a name with a comma is quoted as in CSV.

    >>> names(["age,sex", 'city,"income, net"'])
    ['age', 'sex', 'city', 'income, net']
    """
    return [name for row in csv.reader(texts or ()) for name in row if name]


def complete_records(texts: Sequence[str], _: object = None) -> list[str] | str:
    """The columns of complete records.

    >>> complete_records(["age", "city"]), complete_records(["all"])
    (['age', 'city'], 'all')
    """
    columns = names(texts)
    return "all" if columns == ["all"] else columns


def pairs(noun: str, shape: str, *, last: bool = False) -> Callable[[Sequence[str], list[UsageError]], object]:
    """What reads texts of this shape, `ITEM=NUMBER`, each name once.

    Args:
        noun: What stands before the equals sign.
        shape: The flag and its value, as the hint shows it.
        last: Whether the value has no equals sign, but the name may have one.

    >>> pairs("item", "--weight ITEM=NUMBER", last=True)(["bread=2", "a=b=0.5"], [])
    {'bread': '2', 'a=b': '0.5'}
    """
    flag, _, value = shape.partition(" ")

    def read(texts: Sequence[str], faults: list[UsageError]) -> object:
        found: dict[str, object] = {}
        for text in texts:
            name, equals, given = text.rpartition("=") if last else text.partition("=")
            if not equals or name in found:
                what = f"{noun} {name} is given twice" if equals else "there is no = in it"
                once = f"once per {value.partition('=')[0].lower()}"
                faults.append(UsageError(what, where=flag, hint=f"write {shape}, {once}"))
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
