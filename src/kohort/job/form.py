"""The form of a job file: its tables and keys, and what each may say. `kohort schema` prints it as JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypeVar, cast, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from kohort.errors import KohortError
from kohort.io import ReadOptions
from kohort.io.write import Format
from kohort.models.k_anonymity import KAnonymity
from kohort.numbers import exact
from kohort.schema import Grid, Label, Missing, Order, Role, Scale
from kohort.suppression import SuppressionLimit

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

#: The levels of a node: in the order of the quasi-identifiers, or by their names.
NodeText: TypeAlias = tuple[int, ...] | Mapping[str, int]

#: The names of methods, and of what a lattice method can prefer releases by.
MethodName: TypeAlias = Literal["mondrian", "mondrian-relaxed", "samarati", "optimal", "datafly", "best-effort"]
ObjectiveName: TypeAlias = Literal[
    "lm", "ncp", "lm_geometric", "arx_loss", "c_dm", "c_avg", "precision", "entropy", "height", "first"
]

#: A level in digits: hierarchies of ten thousand levels are not made.
_level_text = re.compile(r"[0-9]{1,4}").fullmatch

#: The longest time limit: a week.
_LONGEST = 604_800

#: Powers of ten beyond which a number is a slip of the pen, and its digits would fill the memory.
_LARGEST_POWER = 1_000


# --- what single keys may say -----------------------------------------------------------------------------------------


def _wrong(what: str, hint: str = "") -> PydanticCustomError:
    """What pydantic is told of a wrong value; `kohort.job.faults` finds both parts again."""
    return PydanticCustomError("kohort", "{what}", {"what": what, "hint": hint})


def _passing(check: Callable[[T], object]) -> Callable[[T], T]:
    """A validator that returns the value itself where `check` raises none of kohort's errors over it."""

    def validator(value: T) -> T:
        try:
            check(value)
        except KohortError as error:
            raise _wrong(error.what, error.hint) from None
        return value

    return validator


def _number(value: object) -> Fraction:
    """The exact number that was written, as a number or as a text."""
    match value:
        case int() if not isinstance(value, bool):
            return Fraction(value)
        case float():
            return _number(Decimal(repr(value)))
        case Decimal() if value.is_finite() and abs(value.adjusted()) < _LARGEST_POWER:
            return Fraction(value)
        case str():
            try:
                return exact(value)
            except KohortError:
                raise _wrong("it must be a number", "write digits without a leading zero, such as -12 or 0.5") from None
        case _:
            raise _wrong("it must be a number", "such as 5 or 0.5")


def _numbers(value: object) -> tuple[Fraction, ...] | None:
    """The numbers of a list; `None` where there is no list."""
    return tuple(map(_number, cast("list[object]", value))) if isinstance(value, list) else None


def _bounds(value: object) -> tuple[Fraction, Fraction]:
    """Two numbers."""
    match _numbers(value):
        case (low, high):
            return low, high
        case _:
            raise _wrong("bounds are two numbers, the least and the greatest value", "such as [18, 90]")


def _grid(value: object) -> Grid:
    """A step, cut points, or the word."""
    if value == "hierarchy":
        return "hierarchy"
    cuts = _numbers(value)
    if cuts is not None:
        return cuts
    try:
        return _number(value)
    except PydanticCustomError:
        raise _wrong('a grid is a step, a list of cut points or "hierarchy"', "such as 5 or [18, 30, 60]") from None


def _limit(value: object) -> SuppressionLimit:
    """The suppression limit that was written, as a number or as a text."""
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
        raise _wrong(error.what, error.hint) from None


def _level(value: object) -> int:
    """A level, as a number or as its digits."""
    match value:
        case int() if not isinstance(value, bool) and value >= 0:
            return value
        case str() if _level_text(value):
            return int(value)
        case _:
            raise _wrong("a level is a count of steps up the hierarchy", "such as 2; 0 is the value itself")


def _node(value: object) -> NodeText:
    """A level for each quasi-identifier: in their order, or by name."""
    match value:
        case list():
            return tuple(map(_level, cast("list[object]", value)))
        case dict():
            return {name: _level(level) for name, level in cast("dict[str, object]", value).items()}
        case _:
            raise _wrong("a node is a level for each quasi-identifier", "such as [0, 2, 1], or { age = 2, sex = 0 }")


def _seconds(value: object) -> float:
    """A length of time."""
    seconds = _number(value)
    if not 0 < seconds <= _LONGEST:
        raise _wrong("a time limit is a number of seconds above 0", f"such as 30; {_LONGEST:,} at most")
    return float(seconds)


def _underscored(value: object) -> object:
    """The name of a metric as it is written inside."""
    return value.replace("-", "_") if isinstance(value, str) else value


_DIGITS = {"type": "string", "pattern": r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"}
_NUMBER = {"anyOf": [{"type": "number"}, _DIGITS]}
_LEVEL = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]{1,4}$"}]}
_LEVELS = {"anyOf": [{"type": "array", "items": _LEVEL}, {"type": "object", "additionalProperties": _LEVEL}]}
_LIMIT = [
    {"type": "integer", "minimum": 0},
    {"type": "number", "minimum": 0, "maximum": 1},
    {"type": "string", "pattern": r"^([0-9]{1,18}|[0-9]{1,2}(\.[0-9]{1,30})?%|100%|0\.[0-9]{1,30}|1\.0{1,30})$"},
]
_SECONDS = [
    {"type": "number", "exclusiveMinimum": 0, "maximum": _LONGEST},
    {"type": "string", "pattern": "^[1-9][0-9]*$"},
]
_PAIR = {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}
_CUTS = {"type": "array", "items": _NUMBER, "minItems": 2}

Number = Annotated[Fraction, PlainValidator(_number), WithJsonSchema(_NUMBER)]
Bounds = Annotated[tuple[Fraction, Fraction], PlainValidator(_bounds), WithJsonSchema(_PAIR)]
GridText = Annotated[
    Grid,
    PlainValidator(_grid),
    WithJsonSchema({"anyOf": [_NUMBER, _CUTS, {"const": "hierarchy"}]}),
]
K = Annotated[int, PlainValidator(_passing(KAnonymity)), WithJsonSchema({"type": "integer", "minimum": 2})]
Limit = Annotated[SuppressionLimit, PlainValidator(_limit), WithJsonSchema({"anyOf": _LIMIT})]
Level = Annotated[int, PlainValidator(_level), WithJsonSchema(_LEVEL)]
Levels = Annotated[NodeText, PlainValidator(_node), WithJsonSchema(_LEVELS)]
Seconds = Annotated[float, PlainValidator(_seconds), WithJsonSchema({"anyOf": _SECONDS})]
Objective = Annotated[
    ObjectiveName,
    BeforeValidator(_underscored),
    WithJsonSchema({"enum": [*get_args(ObjectiveName), "lm-geometric", "arx-loss", "c-dm", "c-avg"]}),
]

Separator = Annotated[str, AfterValidator(_passing(lambda text: ReadOptions(separator=text)))]
Quote = Annotated[str, AfterValidator(_passing(lambda text: ReadOptions(quote=text or None)))]
Encoding = Annotated[str, AfterValidator(_passing(lambda text: ReadOptions(encoding=text)))]

_Word = Field(strict=False)  # a word of an enumeration, though all else must have its own type


# --- the tables -------------------------------------------------------------------------------------------------------


class Part(BaseModel):
    """A table of the job file: no key but those listed, and every value of its own type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class InputPart(Part):
    """Where the table is and how it is written."""

    path: str = Field(description="The file, relative to the job's folder; '-' is standard input.")
    separator: Separator | None = Field(None, description="Between cells; found by itself where it is not given.")
    quote: Quote = Field('"', description="Round cells that hold separators; empty where there is none.")
    encoding: Encoding = Field("utf-8", description="The text's encoding.")
    header: bool = Field(default=True, description="Whether the first line names the columns.")
    skip_blank: bool = Field(default=False, alias="skip-blank", description="Pass over empty lines.")
    allow_empty: bool = Field(default=False, alias="allow-empty", description="Accept a table of no records.")
    missing: list[str] = Field([""], description="The texts that mean: no value.")


class OutputPart(Part):
    """Where the release goes."""

    path: str = Field(description="The file to publish, relative to the job's folder.")
    format: Annotated[Format, _Word] | None = Field(None, description="Its format; else by the ending of its name.")
    separator: Separator = Field(",", description="Between cells.")
    excel_safe: bool = Field(
        default=False, alias="excel-safe", description="Neutralise cells that a spreadsheet would run."
    )


class PrivacyPart(Part):
    """What every class must satisfy."""

    k: K = Field(description="Every class has at least k records.")
    max_suppression: Limit | None = Field(
        None,
        alias="max-suppression",
        description="Records that a lattice method may leave out: a count such as 20, or a share, '5%' or 0.05.",
    )


class MethodPart(Part):
    """How the recoding is found."""

    name: MethodName = Field("mondrian", description="The algorithm.")
    cut: Literal["nearest", "median"] | None = Field(
        None, description="Which cuts Mondrian tries; nearest if not given."
    )
    order: Annotated[Order, _Word] | None = Field(None, description="Order of categorical values, where it can hold.")
    labels: Annotated[Label, _Word] | None = Field(None, description="What is released, where a column can.")
    objective: Objective | None = Field(
        None,
        description="The metric of which a lattice method's release is to cost little; lm if not given."
        " 'first' (samarati): the first of the minimal nodes in lexicographic order.",
    )
    node: Levels | None = Field(
        None,
        description="Release these levels instead of searching: in the order of the quasi-identifiers, or by name.",
    )
    time_limit: Seconds | None = Field(
        None, alias="time-limit", description="Seconds after which best-effort stops; 30 if not given."
    )


class ColumnPart(Part):
    """One column."""

    role: Annotated[Role, _Word] = Field(description="What the column tells about a person.")
    scale: Annotated[Scale, _Word] | None = Field(None, description="Numeric or categorical; else the values decide.")
    hierarchy: str | None = Field(None, description="A hierarchy file, or a builder such as intervals:5,10,20.")
    max_level: Level | None = Field(
        None, alias="max-level", description="The greatest level of its hierarchy that a lattice method may use."
    )
    weight: Number = Field(
        Fraction(1), description="How much it counts: when Mondrian chooses a cut, and in a lattice method's objective."
    )
    bounds: Bounds | None = Field(None, description="Least and greatest value of the domain.")
    grid: GridText | None = Field(None, description="Public cut points: a step, a list, or the hierarchy's.")
    order: Annotated[Order, _Word] | None = Field(None, description="Order of a categorical column's values.")
    label: Annotated[Label, _Word] | None = Field(None, description="What is released.")
    missing: Annotated[Missing, _Word] = Field(Missing.VALUE, description="What a missing value means.")


class JobFile(Part):
    """A kohort job: a table in, a verified release out."""

    input: InputPart
    output: OutputPart
    privacy: PrivacyPart
    method: MethodPart = MethodPart.model_construct()
    rest: Annotated[Literal["refuse", "insensitive", "drop"], Field(description="Columns that are not listed.")] = (
        "refuse"
    )
    columns: dict[str, ColumnPart] = Field(description="Every column by its name.")
