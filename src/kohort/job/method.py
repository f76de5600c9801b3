"""The method of a job: what was said of it, made into an algorithm, and what of that does not go together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from kohort.algorithms.known import METHODS
from kohort.algorithms.method import Choices
from kohort.algorithms.problem import on_nodes
from kohort.errors import JobError, SchemaError, UsageError
from kohort.job.faults import nearest
from kohort.job.form import MethodPart, PrivacyPart
from kohort.job.parts import Misfit, right_part, table
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job
from kohort.schema import Label, Role, Schema
from kohort.shown import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.algorithms.lattice.given import GivenNode
    from kohort.algorithms.problem import Algorithm
    from kohort.core.suppression import SuppressionLimit
    from kohort.job.lines import Place
    from kohort.job.values import NodeText
    from kohort.schema import Attribute, Order

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
    """What would have no effect."""
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
    places = {f"column {one.name}": _place(one) for one in attributes}
    return [SchemaError(one.what, where=where(places[one.where]), hint=one.hint) for one in found]


def _place(attribute: Attribute) -> Place:
    """The key that is wrong, where a lattice method cannot take the column."""
    return ("columns", attribute.name, *(("hierarchy",) if attribute.hierarchy is None else ()))
