"""Job files: TOML to `Job`, with every fault at once, each with its line."""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from kohort.algorithms import METHODS
from kohort.errors import InputError, JobError, SchemaError, UsageError
from kohort.hierarchies import is_builder, read_hierarchy
from kohort.io import ReadOptions
from kohort.io.write import Format
from kohort.models.k_anonymity import KAnonymity
from kohort.numbers import exact
from kohort.release import Job, Writing
from kohort.schema import Attribute, Label, Missing, Order, Role, Scale, Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kohort.hierarchy import Hierarchy
    from kohort.schema import Grid


#: A path of keys into a job file: `("columns", "age", "role")`.
Place: TypeAlias = tuple[str, ...]


def _number(value: object) -> object:
    """A TOML number as the exact number that was written; texts such as "0.1" too."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | str):
        return exact(str(value))
    return exact(format(value, "f").rstrip("0").rstrip(".")) if isinstance(value, float) else value


Number = Annotated[Fraction, BeforeValidator(_number)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class InputPart(_Part):
    """Where the table is and how it is written."""

    path: str = Field(description="The file; '-' is standard input.")
    separator: str | None = Field(None, description="Between cells; found by itself where it is not given.")
    encoding: str = Field("utf-8", description="The text's encoding.")
    header: bool = Field(True, description="Whether the first line names the columns.")
    missing: list[str] = Field([""], description="The texts that mean: no value.")


class OutputPart(_Part):
    """Where the release goes."""

    path: str = Field(description="The file to publish.")
    format: Format | None = Field(None, description="Its format; else by its name.")
    separator: str = Field(",", description="Between cells.")
    excel_safe: bool = Field(False, alias="excel-safe", description="Neutralise cells that a spreadsheet would run.")


class PrivacyPart(_Part):
    """What every class must satisfy."""

    k: int = Field(strict=True, ge=2, description="Every class has at least k records.")


class MethodPart(_Part):
    """How the recoding is found."""

    name: Literal["mondrian", "mondrian-relaxed"] = Field("mondrian", description="The algorithm.")
    cut: Literal["nearest", "median"] = Field("nearest", description="Which cuts Mondrian tries.")
    order: Order | None = Field(None, description="Order of categorical values, where a column says nothing.")
    labels: Label | None = Field(None, description="What is released, where a column says nothing.")


class ColumnPart(_Part):
    """One column."""

    role: Role = Field(description="What the column tells about a person.")
    scale: Scale | None = Field(None, description="Numeric or categorical; else the values decide.")
    hierarchy: str | None = Field(None, description="A hierarchy file, or a builder such as intervals:5,10,20.")
    weight: Number = Field(Fraction(1), description="How much its width counts when Mondrian chooses a cut.")
    bounds: tuple[Number, Number] | None = Field(None, description="Least and greatest value of the domain.")
    grid: Number | list[Number] | Literal["hierarchy"] | None = Field(None, description="Public cut points.")
    order: Order | None = Field(None, description="Order of a categorical column's values.")
    label: Label | None = Field(None, description="What is released.")
    missing: Missing = Field(Missing.VALUE, description="What a missing value means.")


class JobFile(_Part):
    """A kohort job: a table in, a verified release out."""

    input: InputPart
    output: OutputPart
    privacy: PrivacyPart
    method: MethodPart = MethodPart.model_construct()
    rest: Literal["refuse", "insensitive", "drop"] = Field("refuse", description="Columns that are not listed.")
    columns: dict[str, ColumnPart]


class Request(BaseModel):
    """A job with its two ends: where the table is, and where the release goes."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    source: str
    target: str
    job: Job


def load(path: Path) -> Request:
    """Read the job file at `path`; the paths in it are relative to its folder.

    Raises:
        InputError: the file cannot be read.
        JobError: everything that is wrong in it, each fault with its line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError("the job file cannot be read", where=str(path), hint="it must be a UTF-8 text file") from fault
    return parse(text, name=str(path), folder=path.parent)


def parse(text: str, *, name: str = "job", folder: Path = Path()) -> Request:
    """The request that the TOML `text` makes; see `load`."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise JobError("the job is not valid TOML", [UsageError(str(fault), where=name)]) from fault
    lines = _lines(text)
    return request(raw, where=lambda place: _place(lines, place, name), folder=folder)


def request(raw: Mapping[str, Any], *, where: Callable[[Place], str], folder: Path = Path()) -> Request:
    """The request that nested mappings make: a job file's tables, or the command line's flags.

    Args:
        raw: The tables of a job file.
        where: Tells the reader's place for a path of keys: a line, or a flag.
        folder: What relative paths are relative to.

    Raises:
        JobError: all faults at once.
    """
    try:
        file = JobFile.model_validate(raw)
    except ValidationError as fault:
        raise _job_error([_fault(error, where) for error in fault.errors(include_url=False)]) from None
    return Request(
        source=_relative(file.input.path, folder), target=_relative(file.output.path, folder), job=_job(file, where, folder)
    )


def _job_error(faults: list[UsageError]) -> JobError:
    return JobError(f"the job has {len(faults)} fault{'s' * (len(faults) != 1)}", faults)


def _relative(path: str, folder: Path) -> str:
    return path if path == "-" else str(folder / path)


# --- from the file's tables to the job --------------------------------------------------------------------------------


def _job(file: JobFile, where: Callable[[Place], str], folder: Path) -> Job:
    faults: list[UsageError] = []
    attributes: list[Attribute] = []
    for name, part in file.columns.items():
        try:
            attributes.append(_attribute(name, part, file.method, folder))
        except (UsageError, InputError) as fault:
            faults.append(SchemaError(fault.what, where=where(("columns", name)), hint=fault.hint))
    if faults:
        raise _job_error(faults)
    rest = {"refuse": None, "insensitive": Role.INSENSITIVE, "drop": Role.IDENTIFYING}[file.rest]
    return Job(
        Schema(tuple(attributes), frozenset(file.input.missing), rest),
        (KAnonymity(file.privacy.k),),
        METHODS[file.method.name](file.method.cut),
        ReadOptions(separator=file.input.separator, encoding=file.input.encoding, header=file.input.header),
        Writing(file.output.format, file.output.separator, file.output.excel_safe),
    )


def _attribute(name: str, part: ColumnPart, method: MethodPart, folder: Path) -> Attribute:
    quasi = part.role is Role.QUASI
    hierarchy = None if part.hierarchy is None else _hierarchy(name, part.hierarchy, folder)
    return Attribute(
        name,
        part.role,
        part.scale,
        hierarchy,
        part.weight,
        part.bounds,
        tuple(part.grid) if isinstance(part.grid, list) else part.grid,
        part.order or (_order(method.order, hierarchy) if quasi else None),
        part.label or (_label(method.labels, part) if quasi else None),
        part.missing,
    )


def _hierarchy(name: str, text: str, folder: Path) -> Hierarchy | str:
    """A builder's text as it is; a file read now, so that its faults are told with the others."""
    return text if is_builder(text) else read_hierarchy(folder / text, name=name)


def _order(order: Order | None, hierarchy: Hierarchy | str | None) -> Order | None:
    """The job's order where it can hold for the column."""
    return None if order is Order.HIERARCHY and hierarchy is None else order


def _label(label: Label | None, part: ColumnPart) -> Label | None:
    """The job's label where it can hold for the column; where it cannot, the column's own way."""
    cannot = {
        Label.GRID: part.grid is None,
        Label.ANCESTOR: part.hierarchy is None,
        Label.MEAN: part.scale is Scale.CATEGORICAL,
    }
    needless = part.grid is not None and label is not Label.GRID
    return None if label is None or needless or cannot.get(label, False) else label


# --- where a fault is -------------------------------------------------------------------------------------------------


def _lines(text: str) -> dict[Place, int]:
    """The line of each table and key of a TOML text: enough to point at, not a parser."""
    lines: dict[Place, int] = {}
    table: Place = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[{1,2}\s*([^\]]+?)\s*\]", line):
            table = _keys(header[1])
            lines.setdefault(table, number)
        elif assignment := re.match(r"""\s*((?:"[^"]*"|'[^']*'|[\w.\- ])+?)\s*=""", line):
            lines.setdefault(table + _keys(assignment[1]), number)
    return lines


def _keys(dotted: str) -> Place:
    parts = re.findall(r""""([^"]*)"|'([^']*)'|([\w\-]+)""", dotted)
    return tuple(next(part for part in found if part) for found in parts if any(found))


def _place(lines: Mapping[Place, int], place: Place, name: str) -> str:
    """`job.toml, line 7 (columns.age.role)`; the line of the nearest enclosing table where the key has none."""
    known = next((place[:end] for end in range(len(place), -1, -1) if place[:end] in lines), ())
    line = f", line {lines[known]}" if known in lines else ""
    return f"{name}{line} ({'.'.join(place)})" if place else name


def _fault(error: Mapping[str, Any], where: Callable[[Place], str]) -> UsageError:
    """One of pydantic's findings in our words."""
    place = tuple(str(part) for part in error["loc"] if not str(part).startswith(("function-", "literal[")))
    kind = error["type"]
    if kind == "extra_forbidden":
        near = get_close_matches(place[-1], _known(place[:-1]), n=1, cutoff=0.5)
        return UsageError(f"unknown key {place[-1]}", where=where(place), hint=f"did you mean {near[0]}?" if near else "")
    if kind == "missing":
        return UsageError(f"{place[-1]} is missing", where=where(place[:-1]), hint=f"add {place[-1]}")
    return UsageError(f"{place[-1]}: {error['msg']}", where=where(place))


def _known(place: Place) -> Iterable[str]:
    """The keys that may stand at `place`."""
    model: type[BaseModel] = JobFile
    for part in place:
        if model is JobFile and part == "columns":
            model = ColumnPart
        elif part in model.model_fields and (kind := model.model_fields[part].annotation) is not None:
            model = kind if isinstance(kind, type) and issubclass(kind, BaseModel) else model
    return [field.alias or name for name, field in model.model_fields.items()]
