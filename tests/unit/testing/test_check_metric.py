"""`check_metric`: kohort's own metrics pass, and every law has a metric that breaks it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.metrics.base import Metric, added
from kohort.metrics.kl_divergence import KL_DIVERGENCE
from kohort.metrics.known import METRICS
from kohort.metrics.loss import attribute_losses
from kohort.specification import Specification
from kohort.testing import WrongMetricError, check_metric

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.metrics.base import Measure, Outcome

LM, C_AVG, C_DM, NCP = (METRICS[name] for name in ("lm", "c_avg", "c_dm", "ncp"))


@pytest.mark.parametrize("name", METRICS)
def test_our_own_metrics_pass(name: str) -> None:
    """Every metric is what it declares."""
    check_metric(METRICS[name], tables=25, seed=7)


def measuring(measure: Measure, like: Metric = LM) -> Metric:
    """A metric that measures something else, and joins no attributes."""
    return replace(like, measure=measure, join=None)


def first_code(outcome: Outcome) -> Shares:
    """What no metric may look at: which tuple comes first."""
    assert outcome.detail is not None
    return np.asarray(float(outcome.detail.quasi[0, 0]))


def dear(records: int, _: int) -> float:
    """More than a suppressed record costs."""
    return 2.0 * records


LIES: dict[str, tuple[str, Metric]] = {
    "bare": ("specification", replace(LM, specification=Specification("x", "X", ""))),
    "infinite": ("not a finite number", measuring(lambda one: one.losses.sum(axis=-1) + np.inf)),
    "falling": ("generalizing lowers", measuring(lambda one: -one.losses.sum(axis=-1))),
    "forgiving": ("suppressing a class lowers", measuring(lambda one: one.losses.sum(axis=-1) / one.records)),
    "large classes": ("suppressing a class lowers", replace(C_AVG, size_only=False)),
    "dear": ("surcharge", replace(C_DM, surcharge=dear)),
    "joined": ("join", replace(NCP, join=added)),
    "one by one": ("at once", measuring(lambda one: np.asarray(attribute_losses(one).sum()))),
    "in order": ("order of tuples", measuring(first_code, KL_DIVERGENCE)),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_is_not_so_is_found(lie: str) -> None:
    """Each law is broken by a metric, and the toy is shown."""
    law, metric = LIES[lie]
    with pytest.raises(WrongMetricError, match=law) as error:
        check_metric(metric, tables=300)
    assert error.value.law in str(error.value)
    assert len(error.value.node) == len(error.value.table.cells[0])
