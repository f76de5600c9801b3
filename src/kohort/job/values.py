"""What single keys of a job file may say: numbers, levels, limits, and the words for them in JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypeVar, cast

from pydantic import AfterValidator, BeforeValidator, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from kohort.algorithms.mondrian.dimension import Dimension, dimension_of
from kohort.core.suppression import SuppressionLimit
from kohort.errors import KohortError
from kohort.io import ReadOptions
from kohort.job.faults import UNDECIDED
from kohort.metrics.known import OBJECTIVES
from kohort.schema import Grid
from kohort.schema.dates import Period
from kohort.schema.numbers import exact
from kohort.tables import complete as columns
from kohort.workspace import bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

#: The levels of a node: in the order of the quasi-identifiers, or by their names.
NodeText: TypeAlias = tuple[int, ...] | Mapping[str, int]

if TYPE_CHECKING:
    ObjectiveName: TypeAlias = str
else:
    #: The names of what a lattice method can prefer releases by.
    ObjectiveName = Literal[(*OBJECTIVES, "first")]

#: A level in digits: hierarchies of ten thousand levels are not made.
_level_text = re.compile(r"[0-9]{1,4}").fullmatch
_year_text = re.compile("[1-9][0-9]{3}").fullmatch

#: The longest time limit: a week.
_LONGEST = 604_800

#: Powers of ten beyond which a number is a slip of the pen, and its digits would fill the memory.
_LARGEST_POWER = 1_000


def wrong(what: str, hint: str = "") -> PydanticCustomError:
    """What pydantic is told of a wrong value; `kohort.job.faults` finds both parts again."""
    return PydanticCustomError("kohort", "{what}", {"what": what, "hint": hint})


def _decided(key: str) -> str:
    """The person key, unless `kohort init` asked which it is and nobody has said so."""
    asked, _, names = key.partition(": ")
    if names and asked == UNDECIDED:
        what = f"the person key is undecided: does {names} say whose a record is?"
        raise wrong(what, "name one of them; or leave the key out, if each record is a person of its own")
    return key


PersonKey: TypeAlias = Annotated[str, AfterValidator(_decided)]


def passing(check: Callable[[T], object]) -> Callable[[T], T]:
    """A validator that returns the value itself where `check` raises none of kohort's errors over it."""

    def validator(value: T) -> T:
        try:
            check(value)
        except KohortError as error:
            raise wrong(error.what, error.hint) from None
        return value

    return validator


def number(value: object) -> Fraction:
    """The exact number that was written, as a number or as a text."""
    match value:
        case int() if not isinstance(value, bool):
            return Fraction(value)
        case float():
            return number(Decimal(repr(value)))
        case Decimal() if value.is_finite() and abs(value.adjusted()) < _LARGEST_POWER:
            return Fraction(value)
        case str():
            try:
                return exact(value)
            except KohortError:
                raise wrong("it must be a number", "write digits without a leading zero, such as -12 or 0.5") from None
        case _:
            raise wrong("it must be a number", "such as 5 or 0.5")


def _numbers(value: object) -> tuple[Fraction, ...] | None:
    """The numbers of a list; `None` where there is no list."""
    return tuple(map(number, cast("list[object]", value))) if isinstance(value, list) else None


def _bounds(value: object) -> tuple[Fraction, Fraction]:
    match _numbers(value):
        case (low, high):
            return low, high
        case _:
            raise wrong("bounds are two numbers, the least and the greatest value", "such as [18, 90]")


def _grid(value: object) -> Grid:
    if value in ("hierarchy", "round"):
        return value
    if isinstance(value, str) and value in {*Period}:
        return Period(value)
    cuts = _numbers(value)
    if cuts is not None:
        return cuts
    try:
        return number(value)
    except PydanticCustomError:
        raise wrong(
            'a grid is a step, a list of cut points, "round", "hierarchy" or a period of the calendar',
            "such as 5, [18, 30, 60] or 'year'",
        ) from None


def _limit(value: object) -> SuppressionLimit:
    match value:
        case Decimal() if value.is_finite() and abs(value.adjusted()) < _LARGEST_POWER:
            said: object = f"{value:f}"
        case float():
            said = f"{Decimal(repr(value)):f}"
        case _:
            said = value
    try:
        return SuppressionLimit.of(cast("int | str", said))
    except KohortError as error:
        raise wrong(error.what, error.hint) from None


def _level(value: object) -> int:
    match value:
        case int() if not isinstance(value, bool) and value >= 0:
            return value
        case str() if _level_text(value):
            return int(value)
        case _:
            raise wrong("a level is a count of steps up the hierarchy", "such as 2; 0 is the value itself")


def _year(value: object) -> int:
    if isinstance(value, int | str) and not isinstance(value, bool) and _year_text(str(value)):
        return int(value)
    raise wrong("a year has four digits", "such as 1930")


def _node(value: object) -> NodeText:
    match value:
        case list():
            return tuple(map(_level, cast("list[object]", value)))
        case dict():
            return {name: _level(level) for name, level in cast("dict[str, object]", value).items()}
        case _:
            raise wrong("a node is a level for each quasi-identifier", "such as [0, 2, 1], or { age = 2, sex = 0 }")


def _seconds(value: object) -> float:
    seconds = number(value)
    if not 0 < seconds <= _LONGEST:
        raise wrong("a time limit is a number of seconds above 0", f"such as 30; {_LONGEST:,} at most")
    return float(seconds)


def _dimension(value: object) -> Dimension:
    try:
        return dimension_of(value if isinstance(value, str) else "")
    except KohortError as error:
        raise wrong(error.what, error.hint) from None


def _underscored(value: object) -> object:
    return value.replace("-", "_") if isinstance(value, str) else value


def _complete(value: object) -> columns.Complete:
    if value == "all":
        return "all"
    named = cast("list[object]", value) if isinstance(value, list) else []
    if not named or not all(isinstance(name, str) for name in named):
        raise wrong("complete-records is a list of columns, or 'all'", 'such as ["age", "city"]')
    return tuple(map(str, named))


_DIGITS = {"type": "string", "pattern": r"^-?((0|[1-9][0-9]*)(\.[0-9]+)?|\.[0-9]+)$"}
_NUMBER = {"anyOf": [{"type": "number"}, _DIGITS]}
_LEVEL = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]{1,4}$"}]}
_YEAR = {
    "anyOf": [
        {"type": "integer", "minimum": 1000, "maximum": 9999},
        {"type": "string", "pattern": "^[1-9][0-9]{3}$"},
    ]
}
_LEVELS = {"anyOf": [{"type": "array", "items": _LEVEL}, {"type": "object", "additionalProperties": _LEVEL}]}
_LIMIT = [
    {"type": "integer", "minimum": 0},
    {"type": "number", "minimum": 0, "maximum": 1},
    {
        "type": "string",
        "pattern": r"^([0-9]{1,18}|([0-9]{1,2}(\.[0-9]{1,30})?|\.[0-9]{1,30}|100)%|0?\.[0-9]{1,30}|1\.0{1,30})$",
    },
]
_COMPLETE = [{"const": "all"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]
_SECONDS = [
    {"type": "number", "exclusiveMinimum": 0, "maximum": _LONGEST},
    {"type": "string", "pattern": "^[1-9][0-9]*$"},
]
_MEMORY = {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)? ?(|[kKMGT]i?)B$"}
_PAIR = {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}
_CUTS = {"type": "array", "items": _NUMBER, "minItems": 2}

Number = Annotated[Fraction, PlainValidator(number), WithJsonSchema(_NUMBER)]
Bounds = Annotated[tuple[Fraction, Fraction], PlainValidator(_bounds), WithJsonSchema(_PAIR)]
GridText = Annotated[
    Grid, PlainValidator(_grid), WithJsonSchema({"anyOf": [_NUMBER, _CUTS, {"enum": ["hierarchy", "round", *Period]}]})
]
Limit = Annotated[SuppressionLimit, PlainValidator(_limit), WithJsonSchema({"anyOf": _LIMIT})]
Complete = Annotated[columns.Complete, PlainValidator(_complete), WithJsonSchema({"anyOf": _COMPLETE})]
Level = Annotated[int, PlainValidator(_level), WithJsonSchema(_LEVEL)]
Year = Annotated[int, PlainValidator(_year), WithJsonSchema(_YEAR)]
Levels = Annotated[NodeText, PlainValidator(_node), WithJsonSchema(_LEVELS)]
Seconds = Annotated[float, PlainValidator(_seconds), WithJsonSchema({"anyOf": _SECONDS})]
Memory = Annotated[str, AfterValidator(passing(bytes_of)), WithJsonSchema(_MEMORY)]
Objective = Annotated[
    ObjectiveName,
    BeforeValidator(_underscored),
    WithJsonSchema({"enum": [*OBJECTIVES, "first", *(name.replace("_", "-") for name in OBJECTIVES if "_" in name)]}),
]

FirstCut = Annotated[
    Dimension,
    PlainValidator(_dimension),
    WithJsonSchema({"type": "string", "pattern": "^(widest|most-values|random:[0-9]{1,18})$"}),
]

Separator = Annotated[str, AfterValidator(passing(lambda text: ReadOptions(separator=text)))]
Quote = Annotated[str, AfterValidator(passing(lambda text: ReadOptions(quote=text or None)))]
DecimalMark = Annotated[str, AfterValidator(passing(lambda text: ReadOptions(decimal=text)))]
Encoding = Annotated[str, AfterValidator(passing(lambda text: ReadOptions(encoding=text)))]
