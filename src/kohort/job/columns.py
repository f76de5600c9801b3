"""The columns and the method of a job: what is said of them, made into attributes and an algorithm."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, cast

from kohort.algorithms.method import METHODS, Choices
from kohort.algorithms.problem import on_nodes
from kohort.errors import JobError, SchemaError, SourceNote, UsageError
from kohort.job.faults import nearest
from kohort.job.form import ColumnPart, MethodPart, PrivacyPart
from kohort.job.parts import Misfit, part, right_part, table
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job
from kohort.schema import Attribute, Label, Order, Role, Scale, Schema
from kohort.schema.hierarchies import is_builder
from kohort.shown import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kohort.algorithms.lattice.given import GivenNode
    from kohort.algorithms.problem import Algorithm
    from kohort.core.suppression import SuppressionLimit
    from kohort.job.lines import Place
    from kohort.job.values import NodeText


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
        Label.MEAN: part.scale in {Scale.CATEGORICAL, Scale.DATE} or part.date_format is not None,
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


# --- the method, and what of it does not go together ------------------------------------------------------------------


#: Seconds that best-effort may take where nothing is said.
TIME_LIMIT: Final = 30.0

#: Where a node is said.
_NODE: Final[Place] = ("method", "node")

#: What to do with a choice that a method cannot be told.
_LEAVE: Final = "leave it out, or choose another method"

#: The key of a time limit among a method's parameters.
_TIMED: Final = "time_limit"


@dataclass(frozen=True, slots=True)
class Method:
    """What a job says of all its columns' generalization.

    Attributes:
        algorithm: How the recoding is found; `None` where the job names no method there is.
        order: Order of categorical values, where it can hold.
        labels: What is released, where a column can.
        time_limit: Seconds that a search which can stop early may take.
        round_grids: Whether numbers get a grid of round numbers, where a column does not say otherwise.
    """

    algorithm: Algorithm | None
    order: Order | None = None
    labels: Label | None = None
    time_limit: float | None = None
    round_grids: bool = False


def method_of(
    raw: Mapping[str, object], quasi: Sequence[str], where: Callable[[Place], str]
) -> tuple[Method, list[UsageError]]:
    """The method that a job's tables ask for, and what in them does not go together.

    Keys of a wrong form count as not said: they are told elsewhere.
    """
    said = table(raw, "method")
    part, limit = right_part(MethodPart, said), right_part(PrivacyPart, table(raw, "privacy"))
    if part.name != said.get("name", part.name):
        return Method(None), []
    faults = list(_refused(part, limit.max_suppression))
    taken = {one.place for one in faults}
    node = None if _NODE in taken else _in_order(part.node, quasi, faults)
    choices = Choices(part.cut, limit.max_suppression, part.objective, node, part.dimension, part.local or None)
    algorithm = METHODS[part.name](Choices() if taken else choices)
    if node is not None and not taken:
        algorithm = _named(algorithm, tuple(quasi))
    faults += _needless(part, algorithm)
    timed = METHODS[part.name].takes(_TIMED) and node is None
    made = Method(
        algorithm,
        None if on_nodes(algorithm) else part.order,
        None if on_nodes(algorithm) else part.labels or Label.COMPANIONS,
        (part.time_limit or TIME_LIMIT) if timed else None,
        not on_nodes(algorithm) and part.grid != "none",
    )
    return made, [one.told(where) for one in faults]


def _named(algorithm: Algorithm, quasi: tuple[str, ...]) -> Algorithm:
    """The release of a given node, or what refines it, whose levels are in the order of these quasi-identifiers."""
    from kohort.algorithms.lattice.local import LocalRecoding  # noqa: PLC0415  few jobs give a node

    if isinstance(algorithm, LocalRecoding):
        return LocalRecoding(_named(algorithm.search, quasi))
    return replace(cast("GivenNode", algorithm), names=quasi)


def _refused(part: MethodPart, limit: SuppressionLimit | None) -> Iterator[Misfit]:
    """The choices that the method cannot be told, each with the key that said it."""
    single: dict[Place, Choices] = {
        ("method", "cut"): Choices(cut=part.cut),
        ("method", "dimension"): Choices(dimension=part.dimension),
        ("privacy", "max-suppression"): Choices(limit=limit),
        ("method", "objective"): Choices(objective=part.objective),
        _NODE: Choices(node=None if part.node is None else ()),
        ("method", "local"): Choices(local=part.local or None),
    }
    for place, one in single.items():
        try:
            METHODS[part.name](one)
        except UsageError as fault:
            yield Misfit(place, UsageError(fault.what, hint=_LEAVE))


def _in_order(said: NodeText | None, quasi: Sequence[str], faults: list[Misfit]) -> tuple[int, ...] | None:
    """The levels of a node in the order of `quasi`; `None` where none are said, or other than one for each."""
    if said is None:
        return None
    if isinstance(said, tuple) and len(said) == len(quasi):
        return said
    hint = f"say one level for each, such as {','.join(f'{name}=0' for name in quasi)}"
    if isinstance(said, tuple):
        what = f"the node has {many(len(said), 'level')}, but there are {len(quasi)} quasi-identifiers"
    elif unknown := [name for name in said if name not in quasi]:
        what, hint = f"no quasi-identifier is called {' or '.join(unknown)}", nearest(unknown[0], quasi) or hint
    elif lacking := [name for name in quasi if name not in said]:
        what = f"the node has no level for {', '.join(lacking)}"
    else:
        return tuple(said[name] for name in quasi)
    faults.append(Misfit(_NODE, UsageError(what, hint=hint)))
    return None


def _needless(part: MethodPart, algorithm: Algorithm) -> Iterator[Misfit]:
    if part.time_limit is not None and not METHODS[part.name].takes(_TIMED):
        others = " or ".join(name for name, method in METHODS.items() if method.takes(_TIMED))
        fault = UsageError(f"{part.name} always runs to its end", hint=f"leave it out, or choose {others}")
        yield Misfit(("method", "time-limit"), fault)
    if on_nodes(algorithm) and part.labels not in {None, Label.ANCESTOR}:
        yield Misfit(("method", "labels"), UsageError(f"{part.name} releases nodes of the hierarchies", hint=_LEAVE))
    if on_nodes(algorithm) and part.order is not None:
        fault = UsageError(f"the order of values makes no difference to {part.name}", hint=_LEAVE)
        yield Misfit(("method", "order"), fault)


def misfits(
    attributes: Sequence[Attribute], algorithm: Algorithm | None, where: Callable[[Place], str]
) -> list[UsageError]:
    """What the columns say that does not go with the method."""
    if algorithm is None:
        return []
    if not on_nodes(algorithm):
        capped = [("columns", one.name, "max-level") for one in attributes if one.max_level is not None]
        hint = "leave it out, or choose a lattice method such as samarati"
        return [UsageError(f"{algorithm.name} has no levels", where=where(place), hint=hint) for place in capped]
    try:
        Job.of(Schema(tuple(one for one in attributes if one.role is Role.QUASI)), KAnonymity(2), algorithm=algorithm)
    except JobError as fault:
        found = fault.faults
    except SchemaError as fault:
        found = [fault]
    else:
        return []
    places = {f"column {one.name}": _key_of(one) for one in attributes}
    return [SchemaError(one.what, where=where(places[one.where]), hint=one.hint) for one in found]


def _key_of(attribute: Attribute) -> Place:
    """The key that is wrong, where a lattice method cannot take the column."""
    return ("columns", attribute.name, *(("hierarchy",) if attribute.hierarchy is None else ()))
