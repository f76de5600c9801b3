"""What a sweep over a table can be drawn of: every quality metric, the classes, what is suppressed, and the risk."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.errors import UsageError
from kohort.metrics.known import METRICS
from kohort.report.charts.canvas import PERCENT, PLAIN, AxisScale

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.metrics.base import Metric
    from kohort.sweeps.tables import Point


def _unknown(_: Point) -> None:
    """Nothing is known of it."""


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
        least: What it cannot be below with the release's k and labels; `None` where that is not known.
    """

    name: str
    title: str
    says: str
    of: Callable[[Point], float | None]
    scale: AxisScale = PLAIN
    wide: bool = False
    least: Callable[[Point], float | None] = _unknown


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


@dataclass(frozen=True, slots=True)
class RiskUtility:
    """The risk-utility frontier: which risk it lies over, and which loss it tells."""

    risk: str = "highest"
    loss: str = DEFAULT


def figure_of(text: str | None) -> Figure | RiskUtility:
    """What is to be drawn: a figure by its name, or `risk-utility`, with a risk and a loss behind a colon if need be.

    Raises:
        UsageError: no figure is called so.

    >>> figure_of("c_dm").title, figure_of(None).title, figure_of("risk-utility:k").risk
    ('Discernibility (C_DM)', 'Loss (LM)', 'k')
    """
    name, colon, words = (text or DEFAULT).partition(":")
    if name == _NAME:
        return _risk_utility(words.split(",") if colon else [])
    if text is not None and text not in FIGURES:
        raise UsageError(f"no figure is called {text}", where="figure", hint=_hint(text, (*FIGURES, _NAME)))
    return FIGURES[text or DEFAULT]


def _risk_utility(words: list[str]) -> RiskUtility:
    """The frontier over one of the risks, of one of the losses."""
    risks = [word for word in words if word in RISKS]
    losses = [word for word in words if word in METRICS and METRICS[word].less_is_better]
    if len(risks) > 1 or len(losses) > 1 or len(risks) + len(losses) < len(words):
        hint = f"such as {_NAME}:average,ncp; a risk ({', '.join(RISKS)}), and a metric of which less is better"
        raise UsageError("name the risk and the loss to draw", where="figure", hint=hint)
    return RiskUtility(*(risks or ["highest"]), *(losses or [DEFAULT]))


def on_demand(text: str | None) -> tuple[str, ...]:
    """The metrics of a figure that are measured only on demand.

    >>> on_demand("kl"), on_demand("risk-utility:k,ambiguity"), on_demand("lm")
    (('kl',), ('ambiguity',), ())
    """
    words = (text or DEFAULT).removeprefix(f"{_NAME}:").split(",")
    return tuple(word for word in words if word in METRICS and METRICS[word].detail)


def _hint(text: str, names: tuple[str, ...]) -> str:
    near = " or ".join(get_close_matches(text, names))
    return f"did you mean {near}?" if near else f"one of {', '.join(names)}"


def _metric(metric: Metric) -> Figure:
    """A quality metric as a figure."""
    name, said, shown = metric.name, metric.specification, metric.shown
    scale = PERCENT if shown.kind == "share" else AxisScale(base=shown.least)
    return Figure(
        name=name,
        title=said.title,
        says=said.unit,
        of=lambda at: at.metrics.get(name),
        scale=scale,
        wide=shown.wide,
        least=_LEAST.get(name, _unknown),
    )


def _least_mean(at: Point) -> float | None:
    """The bound of a release's NCP."""
    return None if at.bound is None else float(at.bound.ncp)


def _least_sum(at: Point) -> float | None:
    """The bound of its LM, which is the sum of what NCP is the mean of."""
    return None if at.bound is None or at.least is None else float(at.bound.ncp) * at.least.columns


#: The losses that are bounded.
_LEAST: Final = MappingProxyType({"ncp": _least_mean, "lm": _least_sum})


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
