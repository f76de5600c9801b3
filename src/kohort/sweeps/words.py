"""The words of a picture of a sweep over a table: what is varied, what stays, and what has no answer."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.shown import many
from kohort.sweeps.engine import Ending
from kohort.sweeps.table_plan import taken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.sweeps.tables import Point, TableSweep

#: So many sentences about what has no answer are written at most.
MOST_SENTENCES: Final = 6

_ACROSS: Final = MappingProxyType(
    {
        "k": "k: records that a class must have",
        "max-suppression": "max-suppression: records that may be suppressed",
        "quasi": "number of quasi-identifiers",
        "method": "method",
    }
)

_SAID: Final = MappingProxyType(
    {Ending.INFEASIBLE: "No release", Ending.LIMIT: "Stopped at a limit", Ending.IMPOSSIBLE: "Skipped as impossible"}
)


class Series(NamedTuple):
    """All points with the same values of everything but what is varied first, as these are said."""

    name: str
    points: tuple[Point, ...]


def across(name: str) -> str:
    """What is varied, in words.

    >>> across("quasi"), across("l:salary"), across("order")
    ('number of quasi-identifiers', 'l of salary', 'order')
    """
    parameter, colon, column = name.partition(":")
    return f"{parameter} of {column}" if colon else _ACROSS.get(name, name)


def against(name: str) -> str:
    """What is varied, in a headline.

    >>> against("quasi"), against("l:salary"), against("k")
    ('the number of quasi-identifiers', 'l of salary', 'k')
    """
    return "the number of quasi-identifiers" if name == "quasi" else name.replace(":", " of ")


def setting(name: str, value: str) -> str:
    """A value with its name, as short as is clear.

    >>> setting("method", "mondrian"), setting("k", "5"), setting("quasi", "3"), setting("quasi", "age,sex")
    ('mondrian', 'k = 5', '3 quasi-identifiers', 'quasi-identifiers age, sex')
    """
    if name in {"method", "models"}:
        return value
    if name == "quasi":
        return (
            f"{value} quasi-identifiers"
            if value.isdigit()
            else f"quasi-identifiers {', '.join(map(str.strip, value.split(',')))}"
        )
    return f"{name} = {value}"


def settings(found: TableSweep, point: Point, *, first: int = 0) -> str:
    """The values of a point, from those of the axis at `first` on."""
    pairs = zip(found.axes[first:], taken(found.axes, point.values)[first:], strict=True)
    return ", ".join(setting(axis.name, value) for axis, value in pairs if value)


def series(found: TableSweep) -> list[Series]:
    """The points by what is varied second and further, in the order in which that is said.

    Where no value of something makes a difference, such as cuts to a method that makes none, there is one series.
    """
    groups = defaultdict[tuple[str, ...], list["Point"]](list)
    for point in found.points:
        groups[point.values[1:]].append(point)
    kept: dict[tuple[str, ...], list[Point]] = groups
    for place, axis in enumerate(found.axes[1:]):
        kept = _without(kept, place, len(axis.values))
    alone = found.fixed.get("method", "all")
    names = [axis.name for axis in found.axes[1:]]
    return [
        Series(
            ", ".join(setting(name, value) for name, value in zip(names, values, strict=True) if value) or alone,
            tuple(points),
        )
        for values, points in kept.items()
    ]


def _without(
    groups: Mapping[tuple[str, ...], list[Point]], place: int, many: int
) -> dict[tuple[str, ...], list[Point]]:
    """The same, but one instead of `many` that differ at a place only, and in no point; at that place it has ""."""
    alike = defaultdict[tuple[str, ...], list[list["Point"]]](list)
    for values, points in groups.items():
        alike[*values[:place], "", *values[place + 1 :]].append(points)
    kept: dict[tuple[str, ...], list[Point]] = {}
    for values, points in groups.items():
        short = (*values[:place], "", *values[place + 1 :])
        first, *others = alike[short]
        same = len(others) == many - 1 > 0 and all(all(map(_same, first, one)) for one in others)
        kept.setdefault(short if same else values, points)
    return kept


def _same(one: Point, other: Point) -> bool:
    """Whether two points are what the same job came to."""
    return one.found and replace(one, values=other.values, seconds=other.seconds) == other


def fixed(found: TableSweep) -> str:
    """What stays as it is."""
    said = [setting(name, value) for name, value in found.fixed.items() if value]
    return f"{'; '.join([*said, many(found.records, 'record')])}."


def unanswered(found: TableSweep) -> list[str]:
    """What ended without a release: a sentence for each series and how it ended."""
    sentences: list[str] = []
    for name, points in series(found):
        for ending, said in _SAID.items():
            sentences += _sentence(found, f"{said}: {name}", [point for point in points if point.ending is ending])
    more = len(sentences) - MOST_SENTENCES
    return [*sentences[:MOST_SENTENCES], *([f"And {more} more like these."] if more > 0 else [])]


def _sentence(found: TableSweep, said: str, points: Sequence[Point]) -> list[str]:
    """At which values this is so, and why at the first."""
    if not points:
        return []
    values = ", ".join(point.values[0] for point in points)
    return [f"{said} at {setting(found.axes[0].name, values)}. At the first, {points[0].why}."]
