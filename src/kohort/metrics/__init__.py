"""Quality metrics: one file each, computed from the classes of a release, for search and report alike."""

from __future__ import annotations

from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING

from kohort.errors import UsageError
from kohort.metrics.class_size import C_AVG
from kohort.metrics.discernibility import C_DM
from kohort.metrics.entropy import ENTROPY
from kohort.metrics.height import HEIGHT
from kohort.metrics.loss import ARX_LOSS, LM, LM_GEOMETRIC, NCP
from kohort.metrics.precision import PRECISION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.metrics.base import Metric, Outcome

#: Every metric by its name on the command line.
METRICS: Mapping[str, Metric] = MappingProxyType(
    {metric.name: metric for metric in (LM, NCP, LM_GEOMETRIC, ARX_LOSS, C_DM, C_AVG, PRECISION, ENTROPY, HEIGHT)}
)


def metric_of(name: str) -> Metric:
    """The metric with this name.

    Raises:
        UsageError: no metric is called so.
    """
    if name not in METRICS:
        near = " or ".join(get_close_matches(name, METRICS))
        hint = f"did you mean {near}?" if near else f"one of {', '.join(METRICS)}"
        raise UsageError(f"no metric is called {name}", where="objective", hint=hint)
    return METRICS[name]


def measured(outcome: Outcome) -> dict[str, float]:
    """Every metric that is defined for the release."""
    return {
        name: metric(outcome)
        for name, metric in METRICS.items()
        if outcome.full_domain is not None or not metric.full_domain
    }
