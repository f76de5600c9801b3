"""`check_metric`: kohort's own metrics pass, and every law has a metric that breaks it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kohort.metrics.base import Metric, added
from kohort.metrics.kl_divergence import KL_DIVERGENCE
from kohort.metrics.known import METRICS
from kohort.metrics.loss import attribute_losses
from kohort.specification import Specification
from kohort.testing import WrongMetricError, check_metric

LM, C_AVG, C_DM, NCP = (METRICS[name] for name in ("lm", "c_avg", "c_dm", "ncp"))


@pytest.mark.parametrize("name", METRICS)
def test_our_own_metrics_pass(name: str) -> None:
    """Every metric is what it declares."""
    check_metric(METRICS[name], tables=25, seed=7)


LIES: dict[str, tuple[str, Metric]] = {
    "bare": ("specification", replace(LM, specification=Specification("x", "X", ""))),
    "infinite": ("no finite number", replace(LM, measure=lambda one: one.losses.sum(axis=-1) + np.inf)),
    "falling": ("generalizing lowers", replace(LM, measure=lambda one: -one.losses.sum(axis=-1), join=None)),
    "forgiving": (
        "suppressing a class lowers",
        replace(LM, measure=lambda one: one.losses.sum(axis=-1) / one.records, join=None),
    ),
    "large classes": ("suppressing a class lowers", replace(C_AVG, size_only=False)),
    "dear": ("surcharge", replace(C_DM, surcharge=lambda records, _: 2.0 * records)),
    "joined": ("join", replace(NCP, join=added)),
    "one by one": ("at once", replace(LM, measure=lambda one: np.asarray(attribute_losses(one).sum()), join=None)),
    "in order": (
        "order of tuples",
        replace(
            KL_DIVERGENCE,
            measure=lambda one: np.asarray(float(one.detail.quasi[0, 0]) if one.detail is not None else 0.0),
        ),
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_is_not_so_is_found(lie: str) -> None:
    """Each law is broken by a metric, and the toy is shown."""
    law, metric = LIES[lie]
    with pytest.raises(WrongMetricError, match=law) as error:
        check_metric(metric, tables=300)
    assert error.value.law in str(error.value)
    assert len(error.value.node) == len(error.value.table.cells[0])
