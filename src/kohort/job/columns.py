"""The columns and the method of a job: what is said of them, made into attributes and an algorithm."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, cast

from kohort.algorithms.method import METHODS, Choices, on_nodes
from kohort.errors import SchemaError, SourceNote, UsageError
from kohort.errors.display import many
from kohort.job.faults import nearest
from kohort.job.form import COLUMN, METHOD, PRIVACY
from kohort.job.parts import part, right_part, table
from kohort.release.fit import Misfit, without_levels
from kohort.schema import Attribute, Label, Order, Role, Scale
from kohort.schema.hierarchies import is_builder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kohort.algorithms.lattice.given import GivenNode
    from kohort.algorithms.problem import Algorithm
    from kohort.core.suppression import SuppressionLimit
    from kohort.job.keys import KeyValues
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
    known = {*COLUMN.names} - _NO_MATTER
    changed = table(perturb, "columns")
    lost = {name: [key for key in held[name] if key in known] + ["perturb"] * (name in changed) for name in dropped}
    lost = {name: keys for name, keys in lost.items() if keys}
    for name, keys in lost.items():
        note = f"column {name} is dropped, together with its settings in the job: {', '.join(keys)}"
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
    raw: Mapping[str, object], free: KeyValues | None, where: Callable[[Place], str], folder: Path
) -> tuple[list[Attribute], list[UsageError]]:
    """The attributes of all columns whose form is right, and what else is wrong with these columns.

    Columns are looked at one by one, so that the faults of one are told beside another's. What the job says of the
    labels of all is `free`; see `free_labels`.
    """
    attributes: list[Attribute] = []
    faults: list[UsageError] = []
    for name, held in table(raw, "columns").items():
        place: Place = ("columns", name, "hierarchy")
        try:
            _check_builder(held, folder)
            place = ("columns", name)
            form = part(COLUMN, held)
            if form is not None:
                attributes.append(_attribute(name, form, free))
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


def _attribute(name: str, part: KeyValues, free: KeyValues | None) -> Attribute:
    """The attribute that a column's table asks for; a hierarchy file is not read yet."""
    usual = free if part.role is Role.QUASI else None
    label = part.label or (_label(usual.labels or Label.COMPANIONS, part) if usual else None)
    return Attribute(
        name,
        part.role,
        part.scale,
        part.hierarchy,
        part.weight,
        part.bounds,
        part.grid or (_grid(usual, part) if usual else None),
        part.order or (_order(usual.order, part) if usual else None),
        None if label is Label.OWN else label,
        part.missing,
        part.max_level,
        part.pseudonym,
        part.date_format,
        part.pivot,
    )


def _order(order: Order | None, part: KeyValues) -> Order | None:
    return None if order is Order.HIERARCHY and part.hierarchy is None else order


def has_companions(column: KeyValues | Attribute) -> bool:
    """Whether the names of a quasi-identifier have companions where a job says nothing of labels."""
    plain = column.hierarchy is None and column.grid is None and column.date_format is None
    return plain and column.scale in {None, Scale.CATEGORICAL}


def _label(label: Label, part: KeyValues) -> Label | None:
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
    if label is Label.OWN or needless or cannot.get(label, False):
        return None
    return Label.NAMES if label is Label.SET else label


def _grid(free: KeyValues, part: KeyValues) -> Literal["round"] | None:
    """A round grid, where the job leaves the choice of cut points and labels to the method."""
    plain = part.hierarchy is None and part.label is None and part.scale is not Scale.CATEGORICAL
    label = _label(free.labels or Label.COMPANIONS, part)
    return "round" if free.grid != "none" and plain and label in {None, Label.COMPANIONS} else None


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
_LEAVE: Final = "leave this setting out, or choose another method"

#: The key of a time limit among a method's parameters.
_TIMED: Final = "time_limit"


def method_of(
    raw: Mapping[str, object], quasi: Sequence[str], where: Callable[[Place], str]
) -> tuple[Algorithm | None, list[UsageError]]:
    """The algorithm of a job's tables, and what does not go together: `None` where they name no method there is.

    Keys of a wrong form count as not said: they are told elsewhere.
    """
    said = table(raw, "method")
    part, limit = right_part(METHOD, said), right_part(PRIVACY, table(raw, "privacy"))
    if part.name != said.get("name", part.name):
        return None, []
    faults = list(_refused(part, limit.max_suppression))
    taken = {one.place for one in faults}
    node = None if _NODE in taken else _in_order(part.node, quasi, faults)
    choices = Choices(part.cut, limit.max_suppression, part.objective, node, part.dimension, part.local or None)
    algorithm = METHODS[part.name](Choices() if taken else choices)
    if node is not None and not taken:
        algorithm = _named(algorithm, tuple(quasi))
    faults += _needless(part, algorithm)
    return algorithm, [one.told(where) for one in faults]


def free_labels(raw: Mapping[str, object], algorithm: Algorithm | None) -> KeyValues | None:
    """What a job says of the labels of all columns; `None` where it names no method, or one that releases nodes."""
    return None if algorithm is None or on_nodes(algorithm) else right_part(METHOD, table(raw, "method"))


def time_limit_of(raw: Mapping[str, object]) -> float | None:
    """The seconds that a search which can stop early may take; `None` for any other."""
    part = right_part(METHOD, table(raw, "method"))
    return (part.time_limit or TIME_LIMIT) if METHODS[part.name].takes(_TIMED) and part.node is None else None


def _named(algorithm: Algorithm, quasi: tuple[str, ...]) -> Algorithm:
    """The release of a given node, or what refines it, whose levels are in the order of these quasi-identifiers."""
    from kohort.algorithms.lattice.local import LocalRecoding  # noqa: PLC0415  few jobs give a node

    if isinstance(algorithm, LocalRecoding):
        return LocalRecoding(_named(algorithm.search, quasi))
    return replace(cast("GivenNode", algorithm), names=quasi)


def _refused(part: KeyValues, limit: SuppressionLimit | None) -> Iterator[Misfit]:
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
            yield Misfit(place, fault.what, _LEAVE)


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
    faults.append(Misfit(_NODE, what, hint))
    return None


def _needless(part: KeyValues, algorithm: Algorithm) -> Iterator[Misfit]:
    if part.time_limit is not None and not METHODS[part.name].takes(_TIMED):
        others = " or ".join(name for name, method in METHODS.items() if method.takes(_TIMED))
        yield Misfit(
            ("method", "time-limit"), f"{part.name} always runs to its end", f"leave time-limit out, or choose {others}"
        )
    if on_nodes(algorithm) and part.labels not in {None, Label.ANCESTOR}:
        yield Misfit(("method", "labels"), f"{part.name} releases nodes of the hierarchies", _LEAVE)
    if on_nodes(algorithm) and part.order is not None:
        yield Misfit(("method", "order"), f"{part.name} ignores the order of values", _LEAVE)


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
    found = without_levels((one for one in attributes if one.role is Role.QUASI), algorithm)
    places = {f"column {one.name}": _key_of(one) for one in attributes}
    return [SchemaError(one.what, where=where(places[one.where]), hint=one.hint) for one in found]


def _key_of(attribute: Attribute) -> Place:
    return ("columns", attribute.name, *(("hierarchy",) if attribute.hierarchy is None else ()))
