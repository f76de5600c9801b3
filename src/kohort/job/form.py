"""The form of a job file: its tables and keys, and what each may say. `kohort schema` prints it as JSON Schema."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from kohort.errors import KohortError
from kohort.io import ReadOptions
from kohort.io.write import Format
from kohort.models.k_anonymity import KAnonymity
from kohort.numbers import exact
from kohort.schema import Grid, Label, Missing, Order, Role, Scale

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

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
            except KohortError as error:
                raise _wrong("it must be a number", error.hint) from None
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


_DIGITS = {"type": "string", "pattern": r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"}
_NUMBER = {"anyOf": [{"type": "number"}, _DIGITS]}
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


class MethodPart(Part):
    """How the recoding is found."""

    name: Literal["mondrian", "mondrian-relaxed"] = Field("mondrian", description="The algorithm.")
    cut: Literal["nearest", "median"] = Field("nearest", description="Which cuts Mondrian tries.")
    order: Annotated[Order, _Word] | None = Field(None, description="Order of categorical values, where it can hold.")
    labels: Annotated[Label, _Word] | None = Field(None, description="What is released, where a column can.")


class ColumnPart(Part):
    """One column."""

    role: Annotated[Role, _Word] = Field(description="What the column tells about a person.")
    scale: Annotated[Scale, _Word] | None = Field(None, description="Numeric or categorical; else the values decide.")
    hierarchy: str | None = Field(None, description="A hierarchy file, or a builder such as intervals:5,10,20.")
    weight: Number = Field(Fraction(1), description="How much its width counts when Mondrian chooses a cut.")
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
