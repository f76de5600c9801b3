"""What a sweep over a table can be drawn of, and the words of its pictures: what is varied, what stays, what is not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.errors import UsageError
from kohort.errors.display import many
from kohort.job.sweeps.frame import Ending
from kohort.metrics.known import METRICS, refuse_moved
from kohort.report.charts.canvas import PERCENT, PLAIN, AxisScale

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.job.sweeps.frame import Values
    from kohort.job.sweeps.tables import Point, TableSweep
    from kohort.metrics.base import Metric

#: So many sentences about what has no answer are written at most.
MOST_SENTENCES: Final = 6

_ACROSS: Final = MappingProxyType(
    {
        "k": "k: records that a class must have",
        "max-suppression": "max-suppression: records that may be suppressed",
        "quasi": "number of quasi-identifiers",
    }
)

_SAID: Final = MappingProxyType(
    {Ending.INFEASIBLE: "No release", Ending.LIMIT: "Limit reached", Ending.IMPOSSIBLE: "Impossible"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of a release.

    Attributes:
        name: As it is asked for.
        title: As a headline has it.
        says: What it is, at its axis.
        of: Of a release; `None` where it is not defined.
        scale: How it lies and is written.
        wide: Whether it lies by its ratios where it spans much.
    """

    name: str
    title: str
    says: str
    of: Callable[[Point], float | None]
    scale: AxisScale = PLAIN
    wide: bool = False

    def least(self, at: Point) -> float | None:
        """What no release with the point's k and labels is below: known of NCP, and of LM, its sum over the columns."""
        if at.least is None or at.bound is None or self.name not in {"lm", "ncp"}:
            return None
        return at.bound.ncp * (at.least.columns if self.name == "lm" else 1)


#: What is drawn where nothing is said: the loss, which no bound lets look better than it is.
DEFAULT: Final = "lm"

#: The risks that a frontier may lie over.
RISKS: Final = MappingProxyType(
    {
        "highest": "highest prosecutor risk: 1 / people of the smallest class",
        "average": "average prosecutor risk: classes / people released",
        "k": "risk that k allows: 1 / k",
    }
)

_NAME: Final = "risk-utility"


def figure_of(text: str | None) -> tuple[Figure, str]:
    """The figure to draw, and the risk of a risk-utility frontier: "" where it is drawn against what is varied.

    Asked for by name, or as `risk-utility`, with a risk and a loss behind a colon if need be.

    Raises:
        UsageError: no figure is called so.

    >>> [(figure.title, risk) for figure, risk in map(figure_of, ("c_dm", None, "risk-utility:k"))]
    [('Discernibility (C_DM)', ''), ('Loss (LM)', ''), ('Loss (LM)', 'k')]
    """
    name, colon, words = (text or DEFAULT).partition(":")
    if name == _NAME:
        return _risk_utility(words.split(",") if colon else [])
    if text is not None and text not in FIGURES:
        refuse_moved(text, "figure")
        names = (*FIGURES, _NAME)
        near = " or ".join(get_close_matches(text, names))
        hint = f"did you mean {near}?" if near else f"one of {', '.join(names)}"
        raise UsageError(f"no figure is called {text}", where="figure", hint=hint)
    return FIGURES[text or DEFAULT], ""


def _risk_utility(words: list[str]) -> tuple[Figure, str]:
    for word in words:
        refuse_moved(word, "figure")
    risks = [word for word in words if word in RISKS]
    losses = [word for word in words if word in METRICS and METRICS[word].less_is_better]
    if len(risks) > 1 or len(losses) > 1 or len(risks) + len(losses) < len(words):
        hint = f"such as {_NAME}:average,ncp; a risk ({', '.join(RISKS)}), and a metric for which less is better"
        raise UsageError("figure must name a risk and a loss", where="figure", hint=hint)
    return FIGURES[(losses or [DEFAULT])[0]], (risks or ["highest"])[0]


def on_demand(text: str | None) -> tuple[str, ...]:
    """The metrics of a figure that are measured only on demand.

    >>> on_demand("kl"), on_demand("risk-utility:k,gcp"), on_demand("lm")
    (('kl',), ('gcp',), ())
    """
    words = (text or DEFAULT).removeprefix(f"{_NAME}:").split(",")
    return tuple(word for word in words if word in METRICS and METRICS[word].detail)


def _metric(metric: Metric) -> Figure:
    name, said, shown = metric.name, metric.specification, metric.shown
    return Figure(
        name=name,
        title=said.title,
        says=said.unit,
        of=lambda at: at.metrics.get(name),
        scale=PERCENT if shown.kind == "share" else AxisScale(base=shown.least),
        wide=shown.wide,
    )


_FIGURES: Final = (
    *map(_metric, METRICS.values()),
    Figure(name="suppressed", title="Suppressed records", says="records left out", of=lambda one: one.suppressed),
    Figure(name="classes", title="Classes", says="equivalence classes", of=lambda one: one.classes, wide=True),
    Figure(name="smallest", title="Smallest class", says="records", of=lambda one: one.smallest, wide=True),
    Figure(name="largest", title="Largest class", says="records", of=lambda one: one.largest, wide=True),
    Figure(name="highest", title="Highest risk", says=RISKS["highest"], of=lambda one: one.highest, scale=PERCENT),
    Figure(name="average", title="Average risk", says=RISKS["average"], of=lambda one: one.average, scale=PERCENT),
)

#: Every figure by the name by which it is asked for.
FIGURES: Final = MappingProxyType({figure.name: figure for figure in _FIGURES})


def across(name: str) -> str:
    """What is varied, in words.

    >>> across("quasi"), across("l:salary"), across("order")
    ('number of quasi-identifiers', 'l of salary', 'order')
    """
    return _ACROSS.get(name, name.replace(":", " of ", 1))


def setting(name: str, value: str) -> str:
    """A value with its name, as short as is clear.

    >>> setting("method", "mondrian"), setting("k", "5"), setting("quasi", "3"), setting("quasi", "age,sex")
    ('mondrian', 'k = 5', '3 quasi-identifiers', 'quasi-identifiers age, sex')
    """
    if name == "quasi" and value.isdigit():
        return f"{value} quasi-identifiers"
    if name == "quasi":
        return f"quasi-identifiers {', '.join(map(str.strip, value.split(',')))}"
    return value if name in {"method", "models"} else f"{name} = {value}"


def series(found: TableSweep) -> list[tuple[str, list[Point]]]:
    """The points by what is varied second and further, as this is said, in the order in which that is said.

    Where no value of something makes a difference, such as cuts to a method that makes none, there is one series.
    """
    groups = defaultdict[tuple[str, ...], list["Point"]](list)
    for point in found.points:
        groups[point.values[1:]].append(point)
    kept: dict[Values, list[Point]] = groups
    for place, axis in enumerate(found.axes[1:]):
        kept = _without(kept, place, len(axis.values))
    alone, names = found.fixed.get("method", "all"), [axis.name for axis in found.axes[1:]]
    said = (", ".join(setting(*pair) for pair in zip(names, values, strict=True) if pair[1]) for values in kept)
    return [(name or alone, points) for name, points in zip(said, kept.values(), strict=True)]


def _without(groups: Mapping[Values, list[Point]], place: int, count: int) -> dict[Values, list[Point]]:
    """The same, but one instead of `count` that differ at a place only, and in no point; at that place it has ""."""
    alike = defaultdict[tuple[str, ...], list[list["Point"]]](list)
    shorts = {values: (*values[:place], "", *values[place + 1 :]) for values in groups}
    for values, points in groups.items():
        alike[shorts[values]].append(points)
    kept: dict[Values, list[Point]] = {}
    for values, points in groups.items():
        first, *others = alike[shorts[values]]
        same = len(others) == count - 1 > 0 and all(all(map(_is_same, first, one)) for one in others)
        kept.setdefault(shorts[values] if same else values, points)
    return kept


def _is_same(one: Point, other: Point) -> bool:
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
            if some := [point for point in points if point.ending is ending]:
                values = setting(found.axes[0].name, ", ".join(point.values[0] for point in some))
                sentences.append(f"{said}: {name} at {values}. At the first, {some[0].why}.")
    more = len(sentences) - MOST_SENTENCES
    return [*sentences[:MOST_SENTENCES], *([f"And {more} more like these."] if more > 0 else [])]
