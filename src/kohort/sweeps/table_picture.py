"""A sweep over a table as a picture: a figure against what is varied first, a line for each combination of the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kohort.report.charts import Line, LineChart, Mark, look
from kohort.sweeps.figure import RiskUtility, figure_of
from kohort.sweeps.risk_utility import BOUND, LEAST, bounding, lowest, risk_utility
from kohort.sweeps.words import across, against, fixed, series, unanswered

if TYPE_CHECKING:
    from kohort.report.charts.canvas import Format
    from kohort.sweeps.figure import Figure
    from kohort.sweeps.table_plan import Axis
    from kohort.sweeps.tables import TableSweep
    from kohort.sweeps.words import Series

#: Values, or figures, lie by their ratios where the greatest is so many times the least.
WIDE: Final = 8

#: So many lines are drawn at most: more cannot be told apart.
MOST_LINES: Final = 16


def picture(found: TableSweep, format_: Format, figure: str | None) -> bytes:
    """Draw a figure of a sweep, LM where none is said; the same bytes whenever it is the same.

    Raises:
        UsageError: no figure is called so; ask `figure_of` before the sweep.
        MissingExtraError: matplotlib is not installed.
    """
    return chart(found, figure).bytes(format_)


def chart(found: TableSweep, figure: str | None) -> LineChart:
    """What is drawn of a sweep."""
    asked = figure_of(figure)
    if isinstance(asked, RiskUtility):
        return risk_utility(found, asked)
    values = Values.of(found.axes[0])
    drawn = [(one, _points(one, values, asked)) for one in series(found)]
    lines = [
        Line(one.name, points, look(place), joined=not values.named)
        for place, (one, points) in enumerate(drawn[:MOST_LINES])
        if points
    ]
    below = _bound(found, values, asked)
    lines += below
    figures = [point.y for line in lines for point in line.points]
    wide = asked.wide and min(figures, default=0) > 0 and max(figures) >= WIDE * min(figures)
    return LineChart(
        title=f"{asked.title} against {against(found.axes[0].name)}",
        under=fixed(found),
        across=across(found.axes[0].name) + values.how,
        up=asked.says + " (logarithmic)" * wide,
        ticks=values.ticks,
        lines=tuple(lines),
        notes=(*bounding(below), *_left_out(asked, drawn), *unanswered(found)),
        logarithmic=values.logarithmic,
        named=values.named,
        scale=replace(asked.scale, logarithmic=wide),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """Where the values of what is varied first lie.

    Attributes:
        at: Of each value, as it is said.
        ticks: The same, ascending, each as it is written.
        how: How they lie, in words, where that is not evident.
        logarithmic: Whether by their ratios.
        named: Whether they are names, which have no order.
    """

    at: dict[str, float]
    ticks: tuple[tuple[float, str], ...]
    how: str = ""
    logarithmic: bool = False
    named: bool = False

    @classmethod
    def of(cls, axis: Axis) -> Values:
        """Names one after the other; numbers by their ratios where they span much, evenly if one of them is 0."""
        numbers = axis.numbers
        if numbers is None:
            places = {value: float(place) for place, value in enumerate(axis.values)}
            return cls(at=places, ticks=_ticks(places), named=True)
        at = dict(sorted(zip(axis.values, numbers, strict=True), key=lambda pair: pair[1]))
        positive = [number for number in numbers if number > 0]
        if not positive or max(positive) < WIDE * min(positive):
            return cls(at=at, ticks=_ticks(at))
        if len(positive) == len(numbers):
            return cls(at=at, ticks=_ticks(at), logarithmic=True, how=" (logarithmic)")
        places = {value: float(place) for place, value in enumerate(at)}
        return cls(at=places, ticks=_ticks(places), how=" (evenly spaced)")


def _ticks(at: dict[str, float]) -> tuple[tuple[float, str], ...]:
    return tuple((number, value) for value, number in at.items())


def _points(one: Series, values: Values, figure: Figure) -> tuple[Mark, ...]:
    """Where a series is drawn: where there is a release and the figure is defined."""
    known = [(values.at[point.values[0]], figure.of(point)) for point in one.points if point.found]
    return tuple(Mark(x, y, y, y) for x, y in sorted((x, y) for x, y in known if y is not None))


def _bound(found: TableSweep, values: Values, figure: Figure) -> list[Line]:
    """What no release can be below: C_DM with k records in each class, where k is known; losses that are bounded."""
    name = found.axes[0].name
    if figure.name == "c_dm" and (name == "k" or found.fixed.get("k", "").isdigit()):
        least = {value: found.records * float(value if name == "k" else found.fixed["k"]) for value in values.at}
        points = tuple(Mark(x, least[value], least[value], least[value]) for x, value in values.ticks)
        return [Line("least: k x records", points, BOUND, joined=not values.named)]
    known = ((values.at[point.values[0]], figure.least(point)) for point in found.points)
    points = lowest((x, y) for x, y in known if y is not None)
    return [Line(LEAST, points, BOUND, joined=not values.named)] if points else []


def _left_out(figure: Figure, drawn: list[tuple[Series, tuple[Mark, ...]]]) -> list[str]:
    """What is not drawn although it is released."""
    undefined = [one.name for one, points in drawn if not points and any(point.found for point in one.points)]
    more = len(drawn) - MOST_LINES
    return [
        *([f"{figure.title} is not defined for {', '.join(undefined)}."] if undefined else []),
        *([f"Only the first {MOST_LINES} of {len(drawn)} lines are drawn; the table has all."] if more > 0 else []),
    ]
