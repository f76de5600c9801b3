"""Job files: TOML to a `Request`, with every fault at once, each with its line."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from pydantic import ValidationError

from kohort.algorithms import METHODS, Choices
from kohort.errors import InputError, JobError, SchemaError, UsageError
from kohort.hierarchies import is_builder, read_hierarchy
from kohort.io import ReadOptions
from kohort.io.write import Format, format_of
from kohort.job.faults import shape_faults
from kohort.job.form import ColumnPart, InputPart, JobFile, MethodPart, OutputPart
from kohort.job.lines import lines_of
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job, Writing
from kohort.schema import Attribute, Label, Order, Role, Scale, Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.job.form import Part
    from kohort.job.lines import Place

__all__ = ["JobFile", "Request", "faults_of", "job_error", "load", "parse", "request"]

P = TypeVar("P", bound="Part")

#: Formats that are no text.
_TYPED: Final = frozenset({Format.PARQUET, Format.IPC})

#: The roles that columns not listed can have.
_REST: Final = {"refuse": None, "insensitive": Role.INSENSITIVE, "drop": Role.IDENTIFYING}


@dataclass(frozen=True, slots=True)
class Request:
    """A job with its two ends.

    Attributes:
        source: Where the table is; `-` is standard input.
        target: Where the release goes.
        job: What decides the release.
        inputs: The other files that it was made from: the job file and the hierarchies.
        where: Tells the reader's place for a path of keys, such as `("columns", "age")`: a line, or a flag.
    """

    source: str
    target: str
    job: Job
    inputs: tuple[Path, ...]
    where: Callable[[Place], str]

    def placed(self, fault: UsageError) -> UsageError:
        """A fault that the table showed, with the column's place in the job; each one where there are several."""
        if isinstance(fault, JobError):
            return job_error([self.placed(one) for one in faults_of(fault)])
        for attribute in self.job.schema.attributes:
            if fault.where == f"column {attribute.name}":
                return SchemaError(fault.what, where=self.where(("columns", attribute.name)), hint=fault.hint)
        return fault


def load(path: Path) -> Request:
    """The request of the job file at `path`; relative paths in it are relative to its folder.

    Raises:
        InputError: the file cannot be read.
        JobError: everything that is wrong in it, each fault with its line.
    """
    if not path.is_file():
        what = "the job is not a regular file" if path.exists() else "there is no such job file"
        raise InputError(what, where=str(path), hint="kohort init writes one to correct")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError("the job file cannot be read", where=str(path), hint="it must be a UTF-8 text file") from fault
    made = parse(text, name=str(path), folder=path.parent)
    return replace(made, inputs=(path, *made.inputs))


def parse(text: str, *, name: str = "job", folder: Path = Path()) -> Request:
    """The request that the TOML `text` makes; see `load`.

    >>> made = parse('''
    ...     input.path = "people.csv"
    ...     output.path = "release.csv"
    ...     privacy.k = 5
    ...     columns = { age = { role = "quasi" }, illness = { role = "sensitive" } }
    ... ''')
    >>> made.job.k, made.job.schema.quasi[0].name
    (5, 'age')
    """
    try:
        raw = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as fault:
        raise job_error([_not_toml(str(fault), text, name)]) from None
    except RecursionError:
        raise job_error([UsageError("it is nested too deeply", where=name, hint="a job has three levels")]) from None
    lines = lines_of(text)
    return request(raw, where=lambda place: _line(lines, place, name), folder=folder)


def request(raw: Mapping[str, object], *, where: Callable[[Place], str], folder: Path = Path()) -> Request:
    """The request that nested mappings make: a job file's tables, or the command line's flags.

    Args:
        raw: The tables of a job file.
        where: Tells the reader's place for a path of keys: a line, or a flag.
        folder: What relative paths are relative to.

    Raises:
        JobError: all faults at once.
        InputError: a hierarchy file cannot be read as one.
    """
    attributes, faults = _attributes(raw, where, folder)
    faults += _output_fault(raw, where)
    try:
        file = JobFile.model_validate(raw)
    except ValidationError as fault:
        raise job_error([*shape_faults(fault.errors(include_url=False), where), *faults]) from None
    if faults:
        raise job_error(faults)
    files = {one.name: path for one in attributes if (path := _hierarchy_file(one, folder))}
    held = {name: read_hierarchy(path, name=name) for name, path in files.items()}
    attributes = [replace(one, hierarchy=held.get(one.name, one.hierarchy)) for one in attributes]
    job = Job(
        Schema(tuple(attributes), frozenset(file.input.missing), _REST[file.rest]),
        (KAnonymity(file.privacy.k),),
        METHODS[file.method.name](Choices(file.method.cut)),
        _reading(file.input),
        Writing(file.output.format, file.output.separator, file.output.excel_safe),
    )
    source, target = _relative(file.input.path, folder), _relative(file.output.path, folder)
    return Request(source, target, job, tuple(files.values()), where)


def job_error(faults: Sequence[UsageError]) -> JobError:
    """All faults in the order of their lines."""
    count = f"{len(faults)} fault{'s' * (len(faults) != 1)}"
    return JobError(f"the job has {count}", sorted(faults, key=_line_number))


def faults_of(error: JobError) -> list[UsageError]:
    """The single faults of a job."""
    return [fault for fault in error.exceptions if isinstance(fault, UsageError)]


def _line_number(fault: UsageError) -> int:
    line = re.search(r", line (\d+)", fault.where)
    return int(line[1]) if line else 0


def _relative(path: str, folder: Path) -> str:
    return path if path == "-" else str(folder / path)


# --- from the file's tables to the job --------------------------------------------------------------------------------


def _reading(part: InputPart) -> ReadOptions:
    return ReadOptions(
        separator=part.separator,
        encoding=part.encoding,
        header=part.header,
        quote=part.quote or None,
        skip_blank=part.skip_blank,
        allow_empty=part.allow_empty,
    )


def _part(form: type[P], raw: object) -> P | None:
    """A table of the job; `None` where its form is wrong, which has been told already."""
    try:
        return form.model_validate(raw)
    except ValidationError:
        return None


def _table(raw: Mapping[str, object], key: str) -> dict[str, object]:
    held = raw.get(key)
    return cast("dict[str, object]", held) if isinstance(held, dict) else {}


def _attributes(
    raw: Mapping[str, object], where: Callable[[Place], str], folder: Path
) -> tuple[list[Attribute], list[UsageError]]:
    """The attributes of all columns whose form is right, and what else is wrong with these columns.

    Columns are looked at one by one, so that the faults of one are told beside another's.
    """
    method = _part(MethodPart, _table(raw, "method")) or MethodPart.model_construct()
    attributes: list[Attribute] = []
    faults: list[UsageError] = []
    for name, held in _table(raw, "columns").items():
        place: Place = ("columns", name, "hierarchy")
        try:
            _check_builder(held, folder)
            place = ("columns", name)
            part = _part(ColumnPart, held)
            if part is not None:
                attributes.append(_attribute(name, part, method))
        except UsageError as fault:
            faults.append(UsageError(fault.what, where=where(place), hint=fault.hint))
    return attributes, faults


def _check_builder(held: object, folder: Path) -> None:
    """Refuse a misspelt builder of a hierarchy, whatever else is wrong with the column."""
    match held:
        case {"hierarchy": str(text)}:
            is_builder(text, folder=folder)
        case _:
            pass


def _attribute(name: str, part: ColumnPart, method: MethodPart) -> Attribute:
    """The attribute that a column's table asks for; a hierarchy file is not read yet."""
    quasi = part.role is Role.QUASI
    return Attribute(
        name,
        part.role,
        part.scale,
        part.hierarchy,
        part.weight,
        part.bounds,
        part.grid,
        part.order or (_order(method.order, part) if quasi else None),
        part.label or (_label(method.labels, part) if quasi else None),
        part.missing,
    )


def _order(order: Order | None, part: ColumnPart) -> Order | None:
    """The job's order where it can hold for the column."""
    return None if order is Order.HIERARCHY and part.hierarchy is None else order


def _label(label: Label | None, part: ColumnPart) -> Label | None:
    """The job's label where it can hold for the column; where it cannot, the column's own way."""
    cannot = {
        Label.GRID: part.grid is None,
        Label.ANCESTOR: part.hierarchy is None,
        Label.MEAN: part.scale is Scale.CATEGORICAL,
    }
    needless = part.grid is not None and label is not Label.GRID
    return None if label is None or needless or cannot.get(label, False) else label


def _hierarchy_file(attribute: Attribute, folder: Path) -> Path | None:
    """The file that the attribute's hierarchy is in; a builder's text stays, since it needs the values."""
    named = attribute.hierarchy
    return folder / named if isinstance(named, str) and not is_builder(named, folder=folder) else None


def _output_fault(raw: Mapping[str, object], where: Callable[[Place], str]) -> list[UsageError]:
    """What is wrong with a release's path and format, before any work is done for it."""
    part = _part(OutputPart, _table(raw, "output"))
    if part is None:
        return []
    try:
        format_ = format_of(part.path, part.format)
    except UsageError as fault:
        return [UsageError(fault.what, where=where(("output", "path")), hint=fault.hint)]
    if part.excel_safe and format_ in _TYPED:
        return [
            UsageError("only delimited text can be excel-safe", where=where(("output", "excel-safe")), hint="write CSV")
        ]
    return []


# --- where a fault is -------------------------------------------------------------------------------------------------


def _not_toml(said: str, text: str, name: str) -> UsageError:
    """What the TOML reader said, its place where places stand."""
    what, _, place = said.partition(" (at ")
    line = re.match(r"line (\d+)", place)
    where = f"{name}, line {line[1] if line else text.count(chr(10)) + 1}"
    return UsageError(
        f"not valid TOML: {what[:1].lower()}{what[1:]}", where=where, hint="see toml.io for how it is written"
    )


def _line(lines: Mapping[Place, int], place: Place, name: str) -> str:
    """`job.toml, line 7 (columns.age.role)`; the line of the nearest enclosing table where the key has none."""
    known = next((place[:end] for end in range(len(place), 0, -1) if place[:end] in lines), None)
    line = f", line {lines[known]}" if known else ""
    return f"{name}{line} ({'.'.join(map(_key, place))})" if place else name


def _key(name: str) -> str:
    """A key as TOML writes it.

    >>> _key("age"), _key("net.income")
    ('age', '"net.income"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)
