"""The columns of a job: what each says, made into an attribute."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final, Literal, cast

from kohort.errors import SourceNote, UsageError
from kohort.job.form import ColumnPart
from kohort.job.parts import part, table
from kohort.schema import Attribute, Label, Order, Role, Scale
from kohort.schema.hierarchies import is_builder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from kohort.job.lines import Place
    from kohort.job.method import Method


def quasi_of(raw: Mapping[str, object]) -> list[str]:
    """The names of the columns that are said to be quasi-identifying, whatever is wrong with them."""
    columns = table(raw, "columns")
    return [name for name in columns if table(columns, name).get("role") == Role.QUASI]


#: What may be said of a column that is dropped: how it is read, and a hierarchy, of which a run tells.
_NO_MATTER: Final = frozenset({"role", "scale", "date-format", "pivot", "missing", "hierarchy"})


def without_dropped(raw: Mapping[str, object]) -> Mapping[str, object]:
    """The tables of a job without what they say of columns that are dropped; a `SourceNote` tells of each.

    A steward who drops a column, since a refusal said so, need not look for all that was said of it before.
    """
    columns, perturb = table(raw, "columns"), table(raw, "perturb")
    held = {name: table(columns, name) for name in columns}
    dropped = [name for name, said in held.items() if said.get("role") == Role.DROP]
    known = {one.alias or key for key, one in ColumnPart.model_fields.items()} - _NO_MATTER
    changed = table(perturb, "columns")
    lost = {name: [key for key in held[name] if key in known] + ["perturb"] * (name in changed) for name in dropped}
    lost = {name: keys for name, keys in lost.items() if keys}
    for name, keys in lost.items():
        note = f"column {name} is dropped, and with it what the job says of it: {', '.join(keys)}"
        warnings.warn(SourceNote(note), stacklevel=3)
    if not lost:
        return raw
    left = {name: {key: said for key, said in held[name].items() if key not in keys} for name, keys in lost.items()}
    rest = {**perturb, "columns": {name: said for name, said in changed.items() if name not in lost}}
    return {**raw, "columns": {**columns, **left}, **({"perturb": rest} if changed else {})}


def with_answers(raw: Mapping[str, object]) -> Mapping[str, object]:
    """The tables of a job in which answers without a table of their own are insensitive columns.

    >>> with_answers({"answers": ["q1"], "columns": {"age": {"role": "quasi"}}})["columns"]
    {'age': {'role': 'quasi'}, 'q1': {'role': 'insensitive'}}
    """
    said, columns = raw.get("answers"), table(raw, "columns")
    if not isinstance(said, list) or columns is not raw.get("columns", columns):
        return raw
    names = [name for name in cast("list[object]", said) if isinstance(name, str) and name not in columns]
    own = {name: {"role": Role.INSENSITIVE.value} for name in names}
    return {**raw, "columns": {**columns, **own}} if own else raw


def attributes_of(
    raw: Mapping[str, object], method: Method, where: Callable[[Place], str], folder: Path
) -> tuple[list[Attribute], list[UsageError]]:
    """The attributes of all columns whose form is right, and what else is wrong with these columns.

    Columns are looked at one by one, so that the faults of one are told beside another's.
    """
    attributes: list[Attribute] = []
    faults: list[UsageError] = []
    for name, held in table(raw, "columns").items():
        place: Place = ("columns", name, "hierarchy")
        try:
            _check_builder(held, folder)
            place = ("columns", name)
            form = part(ColumnPart, held)
            if form is not None:
                attributes.append(_attribute(name, form, method))
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


def _attribute(name: str, part: ColumnPart, method: Method) -> Attribute:
    """The attribute that a column's table asks for; a hierarchy file is not read yet."""
    quasi = part.role is Role.QUASI
    label = part.label or (_label(method.labels, part) if quasi else None)
    return Attribute(
        name,
        part.role,
        part.scale,
        part.hierarchy,
        part.weight,
        part.bounds,
        part.grid or (_grid(method, part) if quasi else None),
        part.order or (_order(method.order, part) if quasi else None),
        None if label is Label.OWN else label,
        part.missing,
        part.max_level,
        part.pseudonym,
        part.date_format,
        part.pivot,
    )


def _order(order: Order | None, part: ColumnPart) -> Order | None:
    """The job's order where it can hold for the column."""
    return None if order is Order.HIERARCHY and part.hierarchy is None else order


def has_companions(column: ColumnPart | Attribute) -> bool:
    """Whether the names of a quasi-identifier have companions where a job says nothing of labels."""
    plain = column.hierarchy is None and column.grid is None and column.date_format is None
    return plain and column.scale in {None, Scale.CATEGORICAL}


def _label(label: Label | None, part: ColumnPart) -> Label | None:
    """The job's label where it can hold for the column; where it cannot, the column's own way.

    Sets are for names: numbers become sets only where the column itself says so. Names without a hierarchy are released
    as sets anyway; whether a column with one holds names is for its values to tell.
    """
    cannot = {
        Label.GRID: part.grid is None,
        Label.ANCESTOR: part.hierarchy is None,
        Label.MEAN: part.scale is Scale.CATEGORICAL,
        Label.SET: part.hierarchy is None or part.scale is Scale.NUMERIC,
        Label.COMPANIONS: not has_companions(part),
    }
    needless = part.grid is not None and label is not Label.GRID
    if label is None or label is Label.OWN or needless or cannot.get(label, False):
        return None
    return Label.NAMES if label is Label.SET else label


def _grid(method: Method, part: ColumnPart) -> Literal["round"] | None:
    """A round grid, where the job leaves the choice of cut points and labels to the method."""
    free = part.hierarchy is None and part.label is None and _label(method.labels, part) in {None, Label.COMPANIONS}
    return "round" if method.round_grids and free and part.scale is not Scale.CATEGORICAL else None


def hierarchy_file(attribute: Attribute, folder: Path) -> Path | None:
    """The attribute's hierarchy file, and how to read it; the text of a builder stays, since it needs the values."""
    named = attribute.hierarchy
    return folder / named if isinstance(named, str) and not is_builder(named, folder=folder) else None
