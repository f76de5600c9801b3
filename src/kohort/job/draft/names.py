"""How names are released: all or nothing, as nodes of a tree or as sets in its order; by likeness, or a public one.

Each way is tried for all such columns on a sample, then the way that loses least for each column. LM flatters sets: of
many names a set says little, and is counted as next to nothing. So count queries judge too: of the jobs whose median
error is at most a tenth above the least, the one that loses least is taken. A public tree may lose some more: everybody
knows what its nodes mean, and the data have no part in it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.assessment.comparison import lines_of
from kohort.assessment.comparison.queries import workload
from kohort.engines.pipeline import dry_run
from kohort.engines.pricing import sampled
from kohort.errors import KohortError
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job
from kohort.schema import Attribute, Label, Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.schema import Schema
    from kohort.tables.table import Table

#: By how much the median error of count queries may exceed that of the way that has the least.
WITHIN: Final = 1.1

#: How much more of a column a public tree may lose.
NOTABLY: Final = 0.05

#: The ways in words, the first of equal ones first.
_WORDS: Final = {
    "public sets": "as sets in the order of {}",
    "public": "as nodes of {}",
    "sets": "as sets in an order of likeness",
    "nodes": "as nodes by likeness",
    "suppress": "all or nothing",
}


class LabelChoice(NamedTuple):
    """How a column of names is released, and why.

    Attributes:
        way: What `with_way` takes.
        why: What it and the others lose of the column, and how far count queries are off.
    """

    way: str
    why: str


class _Trial(NamedTuple):
    """What a sample loses, by column, and the median error of count queries."""

    losses: Mapping[str, float]
    error: float


def with_way(one: Attribute, way: str, public: Mapping[str, str]) -> Attribute:
    """What a way makes of a column that has its tree by likeness; where there is no public tree, that is it."""
    if way == "suppress":
        return replace(one, hierarchy="suppress")
    hierarchy = public.get(one.name, one.hierarchy) if way.startswith("public") else one.hierarchy
    return replace(one, hierarchy=hierarchy, label=Label.SET if way.endswith("sets") else one.label)


def choose_ways(
    table: Table, schema: Schema, names: Sequence[str], public: Mapping[str, str], *, k: int
) -> dict[str, LabelChoice]:
    """The way of each of these columns, whose attributes have their trees by likeness.

    Args:
        table: The records.
        schema: Their schema.
        names: The columns.
        public: The builders of those that have a public tree.
        k: Of k-anonymity.

    Cost: four releases of a sample, six where there is a public tree.
    """
    if not names:
        return {}
    some, tried = sampled(table), dict[tuple[str, ...], _Trial]()
    known = {one.name: one for one in schema.attributes}
    ways = [way for way in _WORDS if not way.startswith("public") or any(name in public for name in names)]

    def on_progress(taken: Sequence[str]) -> None:
        """Try these ways of the columns."""
        made = [with_way(known[name], way, public) for name, way in zip(names, taken, strict=True)]
        if (*taken,) not in tried and (found := _try_out(some, schema.changed(made), k)):
            tried[*taken,] = found

    def cost(name: str, way: str, one: _Trial) -> float:
        """What a column loses, less what a public tree may lose more."""
        return round(one.losses[name] - NOTABLY * (way.startswith("public") and name in public), 6)

    for way in ways:
        on_progress([way] * len(names))
    alike = {taken[0]: one for taken, one in tried.items()}
    if not alike:
        told = {name: "public" if name in public else "nodes" for name in names}
        return {name: LabelChoice(way, _WORDS[way].format(public.get(name))) for name, way in told.items()}
    on_progress([min(alike, key=lambda way: cost(name, way, alike[way])) for name in names])
    least = min(one.error for one in tried.values())
    able = {taken: one for taken, one in tried.items() if one.error <= WITHIN * least}
    costs = {taken: sum(map(cost, names, taken, [one] * len(names))) for taken, one in able.items()}
    taken = min(costs, key=lambda taken: round(costs[taken], 6))
    told = {
        name: way if name in public else {"public sets": "sets", "public": "nodes"}.get(way, way)
        for name, way in zip(names, taken, strict=True)
    }
    return {name: LabelChoice(way, _why(name, way, alike, tried[taken].error, public)) for name, way in told.items()}


def _try_out(some: Table, schema: Schema, k: int) -> _Trial | None:
    kept = [
        one if one.role is Role.QUASI or one.name == schema.person else Attribute(one.name, Role.DROP)
        for one in schema.attributes
    ]
    job = Job.of(replace(schema, attributes=tuple(kept)), KAnonymity(k), algorithm=Mondrian("loss"))
    try:
        release = dry_run(some, job)
    except KohortError:  # no release of so few, or one that a run would refuse
        return None
    return _Trial(release.losses, workload(lines_of(some, release.table, schema=job.schema)).median)


def _why(name: str, taken: str, alike: Mapping[str, _Trial], error: float, public: Mapping[str, str]) -> str:
    said = {way: words.format(public.get(name)) for way, words in _WORDS.items()}
    able = [way for way in alike if name in public or not way.startswith("public")]
    lost = {way: f"{alike[way].losses[name]:.1%} {said[way]}" for way in able}
    first = lost.pop(taken, said[taken]).replace(" ", " lost ", 1)
    errors = ", ".join(f"{alike[way].error:.0%}" for way in able)
    told = f"count queries err by {error:.0%} (all names in one way: {errors})"
    return f"{first}, {', '.join(lost.values())}; {told}"
