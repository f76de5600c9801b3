"""How names with a tree by likeness are released: all or nothing, as nodes of the tree, or as sets in its order.

Each way is tried for all such columns on a sample, then the way that loses least for each column. LM flatters sets: of
many names a set says little, and is counted as next to nothing. So count queries judge too: of the jobs whose median
error is at most a tenth above the least, the one that loses least is taken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.assessment.comparison import lines_of
from kohort.assessment.comparison.queries import workload
from kohort.errors import KohortError
from kohort.models.k_anonymity import KAnonymity
from kohort.pipeline import rehearse
from kohort.release import Job
from kohort.schema import Attribute, Label, Role
from kohort.sweeps.prices import sampled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.schema import Schema
    from kohort.tables.table import Table

#: By how much the median error of count queries may exceed that of the way that has the least.
WITHIN: Final = 1.1

#: The ways, the first of equal ones first, and what each makes of the attribute of a column with a tree.
WAYS: Final[Mapping[str, Callable[[Attribute], Attribute]]] = {
    "sets": lambda one: replace(one, label=Label.SET),
    "nodes": lambda one: one,
    "suppress": lambda one: replace(one, hierarchy="suppress"),
}


class Chosen(NamedTuple):
    """How a column of names is released, and why.

    Attributes:
        way: One of `WAYS`.
        why: What it and the others lose of the column, and how far count queries are off.
    """

    way: str
    why: str


class _Tried(NamedTuple):
    """What a sample loses, by column, and the median error of count queries."""

    losses: Mapping[str, float]
    error: float


def ways_of(table: Table, schema: Schema, names: Sequence[str], *, k: int) -> dict[str, Chosen]:
    """The way of each of these columns, whose attributes have their trees.

    Cost: four releases of a sample.
    """
    if not names:
        return {}
    some, tried = sampled(table), dict[tuple[str, ...], _Tried]()
    known = {one.name: one for one in schema.attributes}

    def tell(ways: Sequence[str]) -> None:
        """Try these ways of the columns."""
        made = [WAYS[way](known[name]) for name, way in zip(names, ways, strict=True)]
        if (*ways,) not in tried and (found := _tried(some, schema.changed(made), k)):
            tried[*ways,] = found

    for way in WAYS:
        tell([way] * len(names))
    alike = {ways[0]: one for ways, one in tried.items()}
    if not alike:
        return {name: Chosen("nodes", "names whose people are alike in the other columns") for name in names}
    lost = [{way: round(one.losses[name], 6) for way, one in alike.items()} for name in names]
    tell([min(each, key=each.__getitem__) for each in lost])
    least = min(one.error for one in tried.values())
    able = {ways: one for ways, one in tried.items() if one.error <= WITHIN * least}
    taken = min(able, key=lambda ways: round(sum(able[ways].losses.values()), 6))
    told = dict(zip(names, taken, strict=True))
    return {name: Chosen(way, _why(name, way, alike, tried[taken].error)) for name, way in told.items()}


def _tried(some: Table, schema: Schema, k: int) -> _Tried | None:
    """What a release of the quasi-identifiers alone loses; `None` where there is none."""
    kept = [one if one.role is Role.QUASI or one.name == schema.person else _dropped(one) for one in schema.attributes]
    job = Job.of(replace(schema, attributes=tuple(kept)), KAnonymity(k), algorithm=Mondrian("loss"))
    try:
        release = rehearse(some, job)
    except KohortError:  # no release of so few, or one that a run would refuse
        return None
    return _Tried(release.losses, workload(lines_of(some, release.table, schema=job.schema)).median)


def _dropped(one: Attribute) -> Attribute:
    return Attribute(one.name, Role.DROP)


def _why(name: str, taken: str, alike: Mapping[str, _Tried], error: float) -> str:
    """What each way loses of a column, the one that is taken first."""
    lost = {way: f"{one.losses[name]:.1%} {_SAID[way]}" for way, one in alike.items()}
    first = lost.pop(taken, _SAID[taken]).replace(" ", " lost ", 1)
    errors = ", ".join(f"{alike[way].error:.0%}" for way in alike)
    told = f"count queries err by {error:.0%} (all names in one way: {errors})"
    return f"{first}, {', '.join(lost.values())}; {told}"


#: The ways in words.
_SAID: Final = {
    "sets": "as sets in an order of likeness",
    "nodes": "as nodes by likeness",
    "suppress": "all or nothing",
}
