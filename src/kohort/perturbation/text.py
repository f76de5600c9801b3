"""A perturbation in one line of text, or from the keys of a job file: `income=noise:scale=0.1,decimals=0,lower=0`."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from kohort.errors import UsageError
from kohort.perturbation import PLUGINS
from kohort.specification import plugins

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kohort.perturbation.base import Perturbation
    from kohort.specification import Parameter

#: How the value of a parameter is read: a text, or what TOML makes of it.
Reader: TypeAlias = Callable[[object], object]

_whole = re.compile(r"-?[0-9]{1,18}").fullmatch
_decimal = re.compile(r"-?(?:[0-9]{1,100}(?:\.[0-9]{1,100})?|\.[0-9]{1,100})").fullmatch
_fraction = re.compile(r"[0-9]{1,100}/[1-9][0-9]{0,99}").fullmatch


def whole(said: object) -> int:
    """A whole number that was said.

    >>> whole("3"), whole(3)
    (3, 3)
    """
    if type(said) is int:
        return said
    if isinstance(said, str) and _whole(said):
        return int(said)
    raise UsageError("the value is not a whole number", hint="write plain digits, such as 3")


def number(said: object) -> Fraction:
    """A number that was said, exactly: `0.1` is a tenth.

    >>> number(".1"), number(0.1), number("1/3"), number(5)
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 3), Fraction(5, 1))
    """
    if isinstance(said, float) and abs(said) < float("inf"):
        return Fraction(str(said))
    if type(said) is int or isinstance(said, Fraction):
        return Fraction(said)
    if isinstance(said, str) and (_decimal(said) or _fraction(said)):
        return Fraction(said)
    raise UsageError("the value is not a number", hint="write plain digits, such as 0.1")


def share(said: object) -> Fraction:
    """A share that was said: a number, or so many percent.

    >>> share("5%"), share(0.05)
    (Fraction(1, 20), Fraction(1, 20))
    """
    if isinstance(said, str) and said.endswith("%"):
        return number(said[:-1]) / 100
    return number(said)


def word(said: object) -> str:
    """A word that was said."""
    if isinstance(said, str):
        return said
    raise UsageError("the value is not a word", hint="write the word in quotes")


#: Each method by the word that asks for it; those of other packages are entry points `kohort.perturbations`.
METHODS: Final[Mapping[str, type[Perturbation]]] = plugins("kohort.perturbations", PLUGINS)


def reader_of(parameter: Parameter) -> Reader:
    """How the value of a parameter is read, by what it is.

    >>> from kohort.specification import SHARE, Parameter
    >>> reader_of(Parameter("keep", SHARE, "the chance that a cell stays as it is.", (0.8,)))("80%")
    Fraction(4, 5)
    """
    readers: dict[str, Reader] = {"integer": whole, "number": number, "string": word}
    return share if parameter.bounds.get("maximum") == 1 else readers[parameter.kind]


def perturbation_of(text: str) -> Perturbation:
    """The perturbation that a text asks for: columns, `=`, method, and after a colon its parameters.

    Args:
        text: Several columns are parted by commas; a name with a comma is quoted as in CSV.

    >>> perturbation_of("income=noise:scale=0.1,decimals=0,lower=0")
    Noise(column='income', scale=Fraction(1, 10), decimals=0, lower=Fraction(0, 1), upper=None)
    """
    return perturbation_from(*said_of(text))


class ParsedPerturbation(NamedTuple):
    """What a text says of a perturbation, as a job file would say it; no such method need exist."""

    columns: list[str]
    method: str
    parameters: dict[str, object]


def names_of(texts: Iterable[str], where: str) -> list[str]:
    """The column names of comma-separated texts, in which a name with a comma or a line break is quoted as in CSV.

    Raises:
        UsageError: a line break is not quoted.
    """
    try:
        return [name for row in csv.reader(texts) for name in row]
    except csv.Error:
        hint = "put such a name in double quotes, within the shell's own quotes"
        raise UsageError("a name with a line break is not quoted", where=where, hint=hint) from None


def said_of(text: str) -> ParsedPerturbation:
    """What a text says of a perturbation."""
    names, equals, rest = text.partition("=")
    columns = names_of([names], f"perturb {names}")
    if not equals or not all(columns) or not columns:
        raise UsageError("the column or the method is missing", where=f"perturb {text}", hint=_EXAMPLE)
    method, _, said = rest.partition(":")
    parameters: dict[str, object] = {}
    for part in said.split(",") if said else ():
        key, equals, value = part.partition("=")
        if not equals or key in parameters:
            what = f"{key} is given twice" if equals else "a parameter has no value"
            raise UsageError(what, where=f"perturb {text}", hint=_EXAMPLE)
        parameters[key] = value
    return ParsedPerturbation(columns, method, parameters)


_EXAMPLE: Final = "write COLUMN=METHOD:key=value,…, such as income=noise:scale=0.1,decimals=0"


def perturbation_from(columns: Sequence[str], method: str, parameters: Mapping[str, object]) -> Perturbation:
    """The perturbation of `columns` by a method with parameters, as a text or a job file says them.

    Raises:
        UsageError: there is no such method or parameter, or a value is not one of it.

    >>> perturbation_from(["income"], "noise", {"scale": 0.2}).name
    'noise of 0.2 variances'
    """
    place = f"perturb {','.join(columns)}"
    if method not in METHODS:
        raise UsageError(f"unknown method {method!r}", where=place, hint=_near(method, METHODS))
    make = cast("type[Any]", METHODS[method])
    readers = {one.name: reader_of(one) for one in METHODS[method].specification.parameters}
    read: dict[str, object] = {}
    for key, said in parameters.items():
        if key not in readers:
            raise UsageError(f"{method} has no parameter {key!r}", where=place, hint=_near(key, readers))
        read[key] = _read(readers[key], said, f"{place}, {key}")
    several = "columns" in {field.name for field in fields(make)}
    if not several and len(columns) != 1:
        hint = "repeat the method for each column; quote a name with a comma as in CSV"
        raise UsageError(f"{method} changes one column", where=place, hint=hint)
    lacking = [one.name for one in fields(make) if one.default is MISSING and one.name in readers.keys() - read.keys()]
    if lacking:
        raise UsageError(f"{method} needs {', '.join(lacking)}", where=place, hint=_EXAMPLE)
    try:
        return cast("Perturbation", make(tuple(columns) if several else columns[0], **read))
    except UsageError as fault:
        raise UsageError(
            fault.what, where=f"{place}, {fault.where}" if fault.where else place, hint=fault.hint
        ) from None


def parameters_of(one: Perturbation) -> dict[str, object]:
    """What a job file would say of a perturbation at its first column, with parameters as it keeps them.

    >>> parameters_of(perturbation_of("income=rounding:step=1000"))
    {'method': 'rounding', 'step': Fraction(1000, 1)}
    """
    told = one.specification
    values = {parameter.name: getattr(one, parameter.name) for parameter in told.parameters}
    said = {name: value for name, value in values.items() if value is not None}
    together = {"together": list(one.columns[1:])} if len(one.columns) > 1 else {}
    return {"method": told.key, **together, **said}


def _read(reader: Reader, said: object, place: str) -> object:
    """A parameter's value; its fault at its place."""
    try:
        return reader(said)
    except UsageError as fault:
        raise UsageError(fault.what, where=place, hint=fault.hint) from None


def _near(word: str, known: Mapping[str, object]) -> str:
    close = get_close_matches(word, known, n=1)
    return f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"


def outcome(columns: Sequence[str], methods: Mapping[str, str]) -> str:
    """How columns are released, in the word of the perturbation that changed one of them, else `unchanged`.

    >>> outcome(["income"], {"income": "rounding to multiples of 50"}), outcome(["town"], {})
    ('rounded', 'unchanged')
    """
    changed = [methods[name] for name in columns if name in methods]
    if not changed:
        return "unchanged"
    method = changed[0].replace("-", " ")
    of = [one for key, one in METHODS.items() if key.replace("-", " ") in method]
    return next((one.specification.outcome for one in of if one.specification.outcome), f"with {changed[0]}")
