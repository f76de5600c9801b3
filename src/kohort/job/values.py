"""The types of single values of a job: how each is read on every side, and its JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, cast

from kohort.algorithms.mondrian.dimension import dimension_of
from kohort.core.suppression import SuppressionLimit
from kohort.errors import KohortError, UsageError
from kohort.io.options import ReadOptions
from kohort.job.codec import complete_records, names, node
from kohort.job.faults import UNDECIDED, nearest
from kohort.job.keys import REQUIRED, SEVERAL, TRI_STATE, KeyValues, ValueType, is_list, is_table
from kohort.metrics.known import OBJECTIVES, refuse_moved
from kohort.schema import names_in
from kohort.schema.dates import Period
from kohort.schema.numbers import exact
from kohort.system.workspace import bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import Enum

    from kohort.job.keys import KeyTable
    from kohort.schema import Grid
    from kohort.specification import Parameter
    from kohort.tables.complete import Complete

T = TypeVar("T")

#: The levels of a node: in the order of the quasi-identifiers, or by their names.
NodeText: TypeAlias = tuple[int, ...] | Mapping[str, int]

#: A level in digits: hierarchies of ten thousand levels are not made.
_level_text = re.compile(r"[0-9]{1,4}").fullmatch
_year_text = re.compile("[1-9][0-9]{3}").fullmatch

#: The longest time limit: a week.
_LONGEST: Final = 604_800

#: Powers of ten beyond which a number is a slip of the pen, and its digits would fill the memory.
_LARGEST_POWER: Final = 1_000


# --- what values are made of ------------------------------------------------------------------------------------------


def of_type(kind: type[T], what: str) -> Callable[[object], T]:
    """Reads values of a type, no truth value as a number."""

    def read(value: object) -> T:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise UsageError(what)
        return value

    return read


def checked(read: Callable[[object], T], check: Callable[[T], object]) -> Callable[[object], T]:
    """Reads what `read` does, unless `check` raises an error over the value."""

    def both(value: object) -> T:
        made = read(value)
        check(made)
        return made

    return both


_text = of_type(str, "must be a text in quotes")


def _items(value: object) -> list[object]:
    if not is_list(value):
        raise UsageError("must be a list")
    return value


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, _items(value)))


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
                hint = "write digits without a leading zero, such as -12 or 0.5"
                raise UsageError("must be a number", hint=hint) from None
        case _:
            raise UsageError("must be a number", hint="such as 5 or 0.5")


def _numbers(value: object) -> tuple[Fraction, ...] | None:
    return tuple(map(number, value)) if is_list(value) else None


def _bounds(value: object) -> tuple[Fraction, Fraction]:
    match _numbers(value):
        case (low, high):
            return low, high
        case _:
            raise UsageError("bounds are two numbers, the minimum and the maximum", hint="such as [18, 90]")


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
    except UsageError:
        raise UsageError(
            'a grid is a step, a list of cut points, "round", "hierarchy" or a period of the calendar',
            hint="such as 5, [18, 30, 60] or 'year'",
        ) from None


def _limit(value: object) -> SuppressionLimit:
    match value:
        case Decimal() if value.is_finite() and abs(value.adjusted()) < _LARGEST_POWER:
            written: object = f"{value:f}"
        case float():
            written = f"{Decimal(repr(value)):f}"
        case _:
            written = value
    return SuppressionLimit.of(cast("int | str", written))


def _level(value: object) -> int:
    match value:
        case int() if not isinstance(value, bool) and value >= 0:
            return value
        case str() if _level_text(value):
            return int(value)
        case _:
            raise UsageError("a level is a number of steps up the hierarchy", hint="such as 2; 0 is the value itself")


def _year(value: object) -> int:
    if isinstance(value, int | str) and not isinstance(value, bool) and _year_text(str(value)):
        return int(value)
    raise UsageError("a year has four digits", hint="such as 1930")


def _node(value: object) -> NodeText:
    match value:
        case _ if is_list(value):
            return tuple(map(_level, value))
        case _ if is_table(value):
            return {name: _level(level) for name, level in value.items()}
        case _:
            what = "a node is a level for each quasi-identifier"
            raise UsageError(what, hint="such as [0, 2, 1], or { age = 2, sex = 0 }")


def _seconds(value: object) -> float:
    seconds = number(value)
    if not 0 < seconds <= _LONGEST:
        what = "a time limit is a number of seconds above 0"
        raise UsageError(what, hint=f"such as 30; {_LONGEST:,} at most")
    return float(seconds)


def _complete(value: object) -> Complete:
    if value == "all":
        return "all"
    named = value if is_list(value) else []
    if not named or not all(isinstance(name, str) for name in named):
        what = "complete-records is a list of columns, or 'all'"
        raise UsageError(what, hint='such as ["age", "city"]')
    return tuple(map(str, named))


def _parameter(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise UsageError("must be a number or a word")
    return float(value) if isinstance(value, Decimal) else value


def _tokens(said: list[str], _: object) -> list[str]:
    """The empty cell, and other texts that mean a missing value."""
    return ["", *said]


def _denied(said: object, _: object) -> str | None:
    return "none" if said else None


def _some(value: object) -> tuple[str, ...]:
    named = _texts(value)
    if not named:
        raise UsageError("must name at least one item", hint='such as ["bread"]')
    return named


def _decided(key: str) -> None:
    """Refuse a person key of which `kohort init` asked which it is, and nobody has said so."""
    asked, _, columns = key.partition(": ")
    if columns and asked == UNDECIDED:
        what = f"the person key is undecided: does {columns} identify the person of a record?"
        raise UsageError(what, hint="name one of them; or leave the key out, if each record is a person of its own")


# --- the types --------------------------------------------------------------------------------------------------------


def text(check: Callable[[str], object], metavar: str, **schema: object) -> ValueType:
    """Texts, unless `check` raises an error over one."""
    read = checked(_text, check)
    return ValueType(read=read, schema={"type": "string", **schema}, metavar=metavar)


def whole(minimum: int) -> ValueType:
    """Whole numbers of at least `minimum`."""
    integer = of_type(int, f"must be a whole number of at least {minimum}")

    def read(value: object) -> int:
        return integer(value if isinstance(value, int) and value >= minimum else None)

    schema = {"type": "integer", "minimum": minimum}
    return ValueType(read=read, schema=schema, flag=int | None, hint="int", metavar="N")


def word(*words: str, hint: str = "", words_of: type[Enum] | None = None) -> ValueType:
    """One of these words."""

    def read(value: object) -> object:
        if isinstance(value, str) and value in words:
            return value if words_of is None else words_of(value)
        if value == UNDECIDED:
            raise UsageError("the role is undecided", hint=f"decide: {', '.join(words)}")
        raise UsageError(f"must be one of {', '.join(words)}", hint=nearest(str(value), words))

    usual = f"Literal[{', '.join(map(repr, words))}]".replace("'", '"')
    schema = {"type": "string", "enum": [*words]}
    return ValueType(read=read, schema=schema, hint=hint or usual, metavar="WORD", words=words, words_of=words_of)


def of(words: type[Enum]) -> ValueType:
    """One of the words of an enumeration."""
    return word(*(str(one.value) for one in words), words_of=words)


def of_parameter(parameter: Parameter) -> ValueType:
    """What a parameter of a plug-in takes: one of its words, a count, or any text."""
    if "enum" in parameter.bounds:
        return word(*cast("list[str]", parameter.bounds["enum"]))
    return whole(int(str(parameter.bounds["minimum"]))) if parameter.kind == "integer" else TEXT


def table_of(table: KeyTable) -> ValueType:
    """A table of these keys, whose flag gives their values in order, with commas between them."""

    def parted(said: str, _: object) -> dict[str, str]:
        parts = said.split(",", len(table.keys) - 1)
        return dict(zip(table.names, [*parts, *[""] * (len(table.keys) - len(parts))], strict=True))

    usual = {one.attribute: one.usual for one in table.keys}
    optional = None if REQUIRED in usual.values() else KeyValues(**usual)
    return ValueType(table=table, text=parted, hint="Mapping[str, Number]", usual=optional)


def each(kind: ValueType) -> ValueType:
    """A table whose keys are names, each with a value of this type; their texts are `NAME=VALUE`."""
    return ValueType(each=kind, flag=SEVERAL, usual=MappingProxyType(dict[str, object]()))


_DIGITS = {"type": "string", "pattern": r"^-?((0|[1-9][0-9]*)(\.[0-9]+)?|\.[0-9]+)$"}
_NUMBER = {"anyOf": [{"type": "number"}, _DIGITS]}
_LEVEL = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]{1,4}$"}]}
_YEAR = [{"type": "integer", "minimum": 1000, "maximum": 9999}, {"type": "string", "pattern": "^[1-9][0-9]{3}$"}]
_LEVELS = [{"type": "array", "items": _LEVEL}, {"type": "object", "additionalProperties": _LEVEL}]
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
_GRID = [_NUMBER, {"type": "array", "items": _NUMBER, "minItems": 2}, {"enum": ["hierarchy", "round", *Period]}]
_PAIR = {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}

#: What a perturbation may be told: a number, exact as text, or a word.
_PARAMETER = [{"type": "integer"}, {"type": "number"}, {"type": "string"}]

TEXT = ValueType(read=_text, schema={"type": "string"})
FILE = replace(TEXT, metavar="FILE")
PARAMETER = ValueType(read=_parameter, schema={"anyOf": _PARAMETER})
SWITCH = ValueType(
    read=of_type(bool, "must be true or false"),
    schema={"type": "boolean"},
    flag=bool,
    hint="bool",
    metavar="A,B",
    usual=False,
)
MAYBE = replace(SWITCH, flag=TRI_STATE, hint="bool | None", usual=None)
TEXTS = ValueType(
    read=_texts,
    schema={"type": "array", "items": {"type": "string"}},
    flag=SEVERAL,
    text=lambda said, _: names(said) or None,
    python=lambda value, keyword: [*names_in(value, keyword)],
    hint="Sequence[str]",
    metavar="A,B",
    usual=(),
)
NAMES = replace(TEXTS, read=_some, schema={**TEXTS.schema, "minItems": 1}, usual=None)
TOKENS = replace(TEXTS, text=_tokens, metavar="TEXT")
COMPLETE = ValueType(
    read=_complete,
    schema={"anyOf": _COMPLETE},
    flag=SEVERAL,
    text=complete_records,
    hint='Sequence[str] | Literal["all"]',
    metavar="A,B",
    usual=(),
)
NODE = ValueType(
    read=_node,
    schema={"anyOf": _LEVELS},
    flag=SEVERAL,
    text=node,
    hint="Sequence[int] | Mapping[str, int]",
    metavar="LEVELS",
)
NUMBER = ValueType(read=number, schema=_NUMBER, hint="Number", metavar="NUMBER")
BOUNDS = ValueType(
    read=_bounds, schema=_PAIR, text=lambda said, _: said.split(".."), hint="tuple[Number, Number]", metavar="LOW..HIGH"
)
GRID = ValueType(
    read=_grid,
    schema={"anyOf": _GRID},
    text=lambda said, _: said.split(",") if "," in said else said,
    hint="Number | Sequence[Number]",
    metavar="STEP",
)
NO_GRID = replace(word("round", "none", hint="bool"), flag=bool, text=_denied, python=_denied)
LIMIT = ValueType(read=_limit, schema={"anyOf": _LIMIT}, hint="Number", metavar="LIMIT")
LEVEL = ValueType(read=_level, schema=_LEVEL, flag=int | None, hint="int")
YEAR = replace(LEVEL, read=_year, schema={"anyOf": _YEAR}, metavar="YEAR")
SECONDS = ValueType(read=_seconds, schema={"anyOf": _SECONDS}, hint="Number", metavar="SECONDS")
MEMORY = text(bytes_of, "AMOUNT", pattern=r"^[0-9]+(\.[0-9]+)? ?(|[kKMGT]i?)B$")
DIMENSION = ValueType(
    read=lambda value: dimension_of(value if isinstance(value, str) else ""),
    metavar="WORD",
    schema={"type": "string", "pattern": "^(widest|most-values|random:[0-9]{1,18})$"},
)
SEPARATOR = text(lambda said: ReadOptions(separator=said), "CHAR")
QUOTE = text(lambda said: ReadOptions(quote=said or None), "CHAR")
DECIMAL_MARK = text(lambda said: ReadOptions(decimal=said), "MARK")
ENCODING = text(lambda said: ReadOptions(encoding=said), "NAME")
PERSON_KEY = text(_decided, "COLUMN")
_OBJECTIVE = word(*OBJECTIVES, "first")


def _objective(value: object) -> object:
    if isinstance(value, str):
        refuse_moved(value, "")
        value = value.replace("-", "_")
    return _OBJECTIVE.read(value)


OBJECTIVE = ValueType(
    metavar="WORD",
    read=_objective,
    schema={"enum": [*OBJECTIVES, "first", *(name.replace("_", "-") for name in OBJECTIVES if "_" in name)]},
    words=tuple(name.replace("_", "-") for name in (*OBJECTIVES, "first")),
)
