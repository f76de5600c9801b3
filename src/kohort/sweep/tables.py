"""A sweep over a table: what each of many jobs would release, in figures; nothing is released."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Ending(StrEnum):
    """How a job ended."""

    FOUND = "found"
    """With an answer."""
    INFEASIBLE = "infeasible"
    """No release can meet its goal."""
    LIMIT = "limit"
    """A limit of memory or size was reached."""


class Seconds(NamedTuple):
    """What a point took; what is done once for several points, such as counting, is in none."""

    cpu: float
    wall: float


@dataclass(frozen=True, slots=True)
class Axis:
    """Something that is varied.

    Attributes:
        name: As it is said: `k`, `max-suppression`, `quasi` (how many), `method`, `l:salary`, `t:salary` …
        values: As they are said, in that order, none twice: `("2", "5", "10")`, `("0", "5%")`, `("mondrian", "samarati")`.

    >>> Axis("k", ("2", "5")).numbers, Axis("max-suppression", ("0.5%", "5%")).numbers
    ((2.0, 5.0), (0.5, 5.0))
    """

    name: str
    values: tuple[str, ...]

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """The values as numbers, one for each, percentages as they are said; `None` where they are words or mixed."""
        percent = all(value.endswith("%") for value in self.values)
        try:
            return tuple(float(value.removesuffix("%") if percent else value) for value in self.values)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What one job would release. Where it ended without an answer, nothing but `ending` and `why` is known.

    Attributes:
        values: A value of each axis, as it is said.
        ending: How the job ended.
        why: What stood in the way; empty where there is an answer.
        metrics: Cost by metric, see `kohort.metrics`: `lm`, `ncp`, `c_dm`, `c_avg` …; methods on levels have some more.
        losses: Loss of each quasi-identifier, 0..1.
        released: Records that would be released.
        suppressed: Records that would be left out.
        classes: How many equivalence classes there are.
        smallest: Records of the smallest class.
        largest: Records of the largest class.
        highest: The greatest prosecutor's risk: one over the people of the smallest class.
        average: The mean prosecutor's risk.
        node: The level of each quasi-identifier; empty where the method has none.
        seconds: What it took, where that was asked for.
    """

    values: tuple[str, ...]
    ending: Ending = Ending.FOUND
    why: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict[str, float])
    losses: Mapping[str, float] = field(default_factory=dict[str, float])
    released: int = 0
    suppressed: int = 0
    classes: int = 0
    smallest: int = 0
    largest: int = 0
    highest: float = 0.0
    average: float = 0.0
    node: Mapping[str, int] = field(default_factory=dict[str, int])
    seconds: Seconds | None = None

    @property
    def found(self) -> bool:
        """Whether there is an answer."""
        return self.ending is Ending.FOUND


@dataclass(frozen=True, slots=True)
class TableSweep:
    """What every job would release.

    Attributes:
        axes: What is varied; at least one, and no name twice.
        records: Of the table.
        fixed: What stays as it is, by name, as it is said: `k`, `method`, `max-suppression`, `quasi`, `models`; what is
            varied, and what does not apply, is not in it.
        points: Every combination of values; those of the last axis change fastest.
    """

    axes: tuple[Axis, ...]
    records: int
    fixed: Mapping[str, str]
    points: tuple[Point, ...]

    def value(self, point: Point, name: str) -> str:
        """The value of the axis called `name` at a point."""
        return point.values[[axis.name for axis in self.axes].index(name)]
