"""A sweep over a table as a picture: a figure against what is varied first, a line for each combination of the rest."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from kohort.errors import UnsupportedError
from kohort.job.sweeps.figure import FIGURES, RISKS, across, figure_of, fixed, on_demand, series, setting, unanswered
from kohort.job.sweeps.table_plan import said
from kohort.report.charts.canvas import GREY, INK, PERCENT
from kohort.report.charts.lines import Line, LineChart, Look, Mark, Tag, look

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import matplotlib.figure

    from kohort.job.sweeps.figure import Figure
    from kohort.job.sweeps.frame import Axis
    from kohort.job.sweeps.tables import Point, TableSweep

    #: What a point gives, and the point.
    Setting: TypeAlias = tuple["Tradeoff", Point]

#: How a bound is drawn, and called and explained where it was computed.
BOUND: Final = Look(GREY, "", (0, (2, 4)))
LEAST: Final = "bound"
BOUNDED: Final = "Bound: no release with the same k and labels is below; estimated from a sample of large tables."

#: The line of the frontier, which has no marks of its own.
FRONTIER: Final = Look(INK, "", "-")

#: So many settings that are equally far are named.
MOST_KNEES: Final = 3

_DEFINED: Final = (
    "Frontier: the settings that no other beats in both, joined by a line; all others are hollow. Knee: its point "
    "farthest below the straight line between its two ends, after both axes are scaled to 0..1 between these."
)


#: Values, or figures, lie by their ratios where the greatest is so many times the least.
WIDE: Final = 8

#: So many lines are drawn at most: more cannot be told apart.
MOST_LINES: Final = 16


def chart(found: TableSweep, figure: str | None) -> LineChart:
    """A figure of a sweep, LM where none is said.

    Raises:
        UsageError: no figure is called so; ask `figure_of` before the sweep.
    """
    asked, risk = figure_of(figure)
    if risk:
        return risk_utility(found, asked, risk)
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


def plot(found: TableSweep, figure: str | None) -> matplotlib.figure.Figure:
    """A figure of a sweep as one of matplotlib; see `TableSweep.plot`."""
    for name in on_demand(figure):
        if not any(name in point.metrics for point in found.points):
            hint = f"kohort sweep --figure {figure} --picture FILE measures and draws it"
            raise UnsupportedError(f"{name} was not measured", where="plot", hint=hint)
    return chart(found, figure).plot()


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
    undefined = [name for name, points, marks in drawn if not marks and any(point.found for point in points)]
    more = len(drawn) > MOST_LINES
    return [
        *([f"{figure.title} is not defined for {', '.join(undefined)}."] if undefined else []),
        *([f"Only the first {MOST_LINES} of {len(drawn)} lines are drawn; the table has all."] if more else []),
    ]


# ── the risk-utility frontier: every setting's risk and loss, those that no other beats, and the knee ──


class Tradeoff(NamedTuple):
    """What one setting gives: less is better in both."""

    risk: float
    loss: float


def frontier(points: Sequence[Tradeoff]) -> tuple[int, ...]:
    """The places of the points that no other dominates, by ascending risk.

    A point dominates another if it is no worse in risk and in loss, and better in one of them. Equal points do not
    dominate each other: all of them are told, in the order in which they are given.

    >>> frontier([Tradeoff(0.5, 1.0), Tradeoff(0.1, 3.0), Tradeoff(0.2, 3.0), Tradeoff(0.5, 2.0)])
    (1, 0)
    """
    found: list[int] = []
    for place in sorted(range(len(points)), key=lambda place: points[place]):
        if not found or points[place].loss < points[found[-1]].loss or points[place] == points[found[-1]]:
            found.append(place)
    return tuple(found)


def knees(points: Sequence[Tradeoff]) -> tuple[int, ...]:
    """The places of the knee: where the frontier bends most, so that less of either costs most of the other.

    Both axes are scaled so that the frontier goes from (0, 1), its least risk and greatest loss, to (1, 0). The knee is
    its point farthest below the straight line between these ends. Computed in fractions of the given floats; points
    equally far are all told, by ascending risk. There is none where no point lies below that line: in fewer than
    three points, or where the frontier bulges the other way.

    >>> knees([Tradeoff(0.1, 4.0), Tradeoff(0.2, 1.0), Tradeoff(0.5, 0.0)])
    (1,)
    >>> knees([Tradeoff(0.0, 2.0), Tradeoff(1.0, 1.0), Tradeoff(2.0, 0.0)])
    ()
    """
    places = frontier(points)
    if not places:
        return ()
    exact = [(Fraction(points[place].risk), Fraction(points[place].loss)) for place in places]
    (safest, dearest), (riskiest, cheapest) = exact[0], exact[-1]
    if safest == riskiest:  # then the losses are equal, too
        return ()
    wide, high = riskiest - safest, dearest - cheapest
    below = [1 - (risk - safest) / wide - (loss - cheapest) / high for risk, loss in exact]
    farthest = max(below)
    return tuple(place for place, far in zip(places, below, strict=True) if far == farthest > 0)


def lowest(known: Iterable[tuple[float, float]]) -> tuple[Mark, ...]:
    """The least figure at each value, by ascending value: it is below all that are known there.

    >>> [(mark.x, mark.y) for mark in lowest([(5, 0.2), (2, 0.1), (5, 0.15)])]
    [(2, 0.1), (5, 0.15)]
    """
    least = dict[float, float]()
    for x, y in known:
        least[x] = min(y, least.get(x, y))
    return tuple(Mark(x, y, y, y) for x, y in sorted(least.items()))


def risk_utility(found: TableSweep, loss: Figure, risk: str) -> LineChart:
    """Every setting with its risk and its loss, the frontier of them as a line, and the knee named."""
    groups = [(name, some) for name, points in series(found) if (some := _settings(found, points, loss, risk))]
    every = [one for _, some in groups for one in some]
    tradeoffs = [tradeoff for tradeoff, _ in every]
    bends, best = ([every[place] for place in places] for places in (knees(tradeoffs), frontier(tradeoffs)))
    lines = [Line(name, _placed(some, best), look(place), joined=False) for place, (name, some) in enumerate(groups)]
    if len(best) > 1:
        lines.append(Line("frontier", _placed(best, best), FRONTIER))
    known = ((at.risk, loss.least(point)) for at, point in every)
    below = lowest((risk, least) for risk, least in known if least is not None)
    if below:  # what a stricter setting cannot be below, no laxer one is said to be above
        falling = accumulate((mark.y for mark in below), min)
        marks = tuple(Mark(mark.x, y, y, y) for mark, y in zip(below, falling, strict=True))
        lines.append(Line(LEAST, marks, BOUND))
    return LineChart(
        title=f"Risk and {loss.title[0].lower()}{loss.title[1:]}",
        under=f"{fixed(found)} Less is better in both.",
        across=RISKS[risk],
        up=loss.says,
        lines=tuple(lines),
        notes=(_DEFINED, *([BOUNDED] if below else []), _knee(found, bends, loss), *unanswered(found)),
        scale=loss.scale,
        measured=PERCENT,
        tags=_tags(found, best, bends),
    )


def _settings(found: TableSweep, points: list[Point], loss: Figure, risk: str) -> list[Setting]:
    def risk_of(point: Point) -> float | None:
        if risk != "k":
            return FIGURES[risk].of(point)
        k = found.value(point, "k")
        return 1 / float(k) if k else None

    both = [(risk_of(point), loss.of(point), point) for point in points if point.found]
    known = [(Tradeoff(x, y), point) for x, y, point in both if x is not None and y is not None]
    return sorted(known, key=lambda one: one[0])


def _placed(some: list[Setting], best: list[Setting]) -> tuple[Mark, ...]:
    """Where settings are drawn: those that others beat are hollow."""
    return tuple(Mark(*one[0], one[0].loss, one[0].loss, one not in best) for one in some)


def _tags(found: TableSweep, best: list[Setting], bends: list[Setting]) -> tuple[Tag, ...]:
    """What is written at the points of the frontier: what is varied first; once where several points are equal."""
    tags = dict[Tradeoff, Tag]()
    for one in (*bends, *best):
        at, text = one[0], setting(found.axes[0].name, one[1].values[0])
        tags.setdefault(at, Tag(*at, f"knee: {text}", ringed=True) if one in bends else Tag(*at, text))
    return tuple(tags.values())


def _knee(found: TableSweep, bends: list[Setting], loss: Figure) -> str:
    if not bends:
        return "There is no knee here: no point of the frontier lies below that line."
    told: list[str] = []
    for at, point in bends:
        figures = f"risk {PERCENT.said(at.risk)}, {loss.name} {loss.scale.said(at.loss)}"
        told.append(f"{said(found.axes, point.values, setting)} ({figures})")
    more = len(told) - MOST_KNEES
    return f"Knee: {'; equally far: '.join(told[:MOST_KNEES])}{f' and {more} more' * (more > 0)}."
