"""The metrics there are, kohort's own and those of other packages, and what of them is defined for a release."""

from __future__ import annotations

from difflib import get_close_matches
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.errors import UsageError
from kohort.metrics import MOVED, PLUGINS
from kohort.specification import plugins

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.metrics.base import Metric, Outcome

#: Every metric by its name on the command line: kohort's own, then those of other packages.
METRICS: Final[Mapping[str, Metric]] = plugins("kohort.metrics", PLUGINS)

#: Those by which a search can compare releases.
OBJECTIVES: Final[Mapping[str, Metric]] = MappingProxyType(
    {name: metric for name, metric in METRICS.items() if not metric.detail}
)


def refuse_moved(name: str, where: str) -> None:
    """Raise where a metric is asked for that kohort no longer has, and that no package brings."""
    if (key := name.replace("-", "_")) in MOVED and key not in METRICS:
        hint = "examples/plugins in kohort's source has it as a package to install or to copy"
        raise UsageError(f"the metric {name} is no longer part of kohort", where=where, hint=hint)


def metric_of(name: str) -> Metric:
    """The metric with this name, as the objective of a search.

    Raises:
        UsageError: no metric is called so, or it looks at more than a search knows.
    """
    if name not in OBJECTIVES:
        refuse_moved(name, "objective")
        near = " or ".join(get_close_matches(name, OBJECTIVES))
        hint = f"did you mean {near}?" if near else f"one of {', '.join(OBJECTIVES)}"
        what = f"{name} cannot be an objective: finished releases alone have one" if name in METRICS else ""
        raise UsageError(what or f"no metric is called {name}", where="objective", hint=hint)
    return OBJECTIVES[name]


def measured(outcome: Outcome, *more: str) -> dict[str, float]:
    """Every metric that is defined for the release and finite, of those that cost next to nothing.

    Args:
        outcome: The release.
        more: Metrics that look at the records of the release one by one, and are measured only on demand.
    """
    chosen = {**OBJECTIVES, **{name: METRICS[name] for name in more}}
    figures = {name: metric(outcome) for name, metric in chosen.items() if metric.defined(outcome)}
    return {name: figure for name, figure in figures.items() if isfinite(figure)}
