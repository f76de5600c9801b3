"""A sweep over a table as a picture: a figure against what is varied first, a line for each combination of the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.report.charts import Line, LineChart, Mark, look
from kohort.sweeps.figure import RiskUtility, across, figure_of, fixed, series, unanswered
from kohort.sweeps.frontier import BOUND, BOUNDED, LEAST, lowest, risk_utility

if TYPE_CHECKING:
    from kohort.sweeps.figure import Figure
    from kohort.sweeps.frame import Axis
    from kohort.sweeps.tables import Point, TableSweep

#: Values, or figures, lie by their ratios where the greatest is so many times the least.
WIDE: Final = 8

#: So many lines are drawn at most: more cannot be told apart.
MOST_LINES: Final = 16


def chart(found: TableSweep, figure: str | None) -> LineChart:
    """A figure of a sweep, LM where none is said.

    Raises:
        UsageError: no figure is called so; ask `figure_of` before the sweep.
    """
    asked = figure_of(figure)
    if isinstance(asked, RiskUtility):
        return risk_utility(found, asked)
    axis, values = found.axes[0], Places.of(found.axes[0])
    drawn = [(name, points, _points(points, values, asked)) for name, points in series(found)]
    shown = enumerate(drawn[:MOST_LINES])
    lines = [Line(name, marks, look(place), joined=not values.named) for place, (name, _, marks) in shown if marks]
    below = _bound(found, values, asked)
    lines += below
    figures = [point.y for line in lines for point in line.points]
    wide = asked.wide and min(figures, default=0) > 0 and max(figures) >= WIDE * min(figures)
    quasi = "the number of quasi-identifiers" if axis.name == "quasi" else axis.name.replace(":", " of ")
    return LineChart(
        title=f"{asked.title} against {quasi}",
        under=fixed(found),
        across=across(axis.name) + values.how,
        up=asked.says + " (logarithmic)" * wide,
        ticks=values.ticks,
        lines=tuple(lines),
        notes=(*(BOUNDED for line in below if line.name == LEAST), *_left_out(asked, drawn), *unanswered(found)),
        logarithmic="logarithmic" in values.how,
        named=values.named,
        scale=replace(asked.scale, logarithmic=wide),
    )


class Places(NamedTuple):
    """Where the values of what is varied first lie.

    Attributes:
        at: Of each value, as it is said; ascending.
        how: How they lie, in words, where that is not evident.
        named: Whether they are names, which have no order.
    """

    at: dict[str, float]
    how: str = ""
    named: bool = False

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """The places, each with its value as it is written."""
        return tuple((number, value) for value, number in self.at.items())

    @classmethod
    def of(cls, axis: Axis) -> Places:
        """Names one after the other; numbers by their ratios where they span much, evenly if one of them is 0."""
        numbers = axis.numbers
        if numbers is None:
            return cls({value: float(place) for place, value in enumerate(axis.values)}, named=True)
        at = dict(sorted(zip(axis.values, numbers, strict=True), key=lambda pair: pair[1]))
        positive = [number for number in numbers if number > 0]
        if not positive or max(positive) < WIDE * min(positive):
            return cls(at)
        if len(positive) == len(numbers):
            return cls(at, " (logarithmic)")
        return cls({value: float(place) for place, value in enumerate(at)}, " (evenly spaced)")


def _points(some: list[Point], values: Places, figure: Figure) -> tuple[Mark, ...]:
    """Where a series is drawn: where there is a release and the figure is defined."""
    known = [(values.at[point.values[0]], figure.of(point)) for point in some if point.found]
    return tuple(Mark(x, y, y, y) for x, y in sorted((x, y) for x, y in known if y is not None))


def _bound(found: TableSweep, values: Places, figure: Figure) -> list[Line]:
    """What no release can be below: C_DM with k records in each class, where k is known; losses that are bounded."""
    k = None if found.axes[0].name == "k" else found.fixed.get("k", "")
    if figure.name == "c_dm" and (k is None or k.isdigit()):
        least = [(x, found.records * float(k or value)) for x, value in values.ticks]
        points = tuple(Mark(x, y, y, y) for x, y in least)
        return [Line("least: k x records", points, BOUND, joined=not values.named)]
    known = ((values.at[point.values[0]], figure.least(point)) for point in found.points)
    points = lowest((x, y) for x, y in known if y is not None)
    return [Line(LEAST, points, BOUND, joined=not values.named)] if points else []


def _left_out(figure: Figure, drawn: list[tuple[str, list[Point], tuple[Mark, ...]]]) -> list[str]:
    """What is not drawn although it is released."""
    undefined = [name for name, points, marks in drawn if not marks and any(point.found for point in points)]
    more = len(drawn) > MOST_LINES
    return [
        *([f"{figure.title} is not defined for {', '.join(undefined)}."] if undefined else []),
        *([f"Only the first {MOST_LINES} of {len(drawn)} lines are drawn; the table has all."] if more else []),
    ]
