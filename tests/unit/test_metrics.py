"""Every metric is the sum that its definition writes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.metrics import METRICS
from kohort.metrics.base import Outcome
from kohort.metrics.loss import attribute_losses


def outcome(sizes: list[int], losses: list[list[float]], suppressed: int = 0, k: int = 2) -> Outcome:
    """A release with classes of these sizes; `losses` has each attribute's loss in each class."""
    of_classes = np.array(sizes, dtype=np.int64)
    summed = np.array([np.dot(loss, of_classes) for loss in losses])
    return Outcome(int(of_classes.sum()) + suppressed, suppressed, k, of_classes, summed, np.ones(summed.size))


#: Two attributes, classes of 3 and 5 records, 2 records suppressed.
MIXED = outcome([3, 5], [[0.5, 0.0], [1.0, 0.25]], suppressed=2, k=3)


def test_loss_is_summed_over_attributes_and_averaged_over_records() -> None:
    """A record costs the share of its domain that its label may stand for; a suppressed one 1 per attribute."""
    first, second = (3 * 0.5 + 5 * 0.0 + 2) / 10, (3 * 1.0 + 5 * 0.25 + 2) / 10
    assert attribute_losses(MIXED).tolist() == pytest.approx([first, second])
    assert METRICS["lm"](MIXED) == pytest.approx(first + second)
    assert METRICS["ncp"](MIXED) == pytest.approx((first + second) / 2)


def test_discernibility_is_what_each_record_cannot_be_told_from() -> None:
    """The sum of squared sizes; a suppressed record cannot be told from any of the table."""
    assert METRICS["c_dm"](MIXED) == 3 * 3 + 5 * 5 + 2 * 10


def test_average_class_size_is_relative_to_k() -> None:
    """Released records per class, over k."""
    assert METRICS["c_avg"](MIXED) == pytest.approx(8 / 2 / 3)


@given(st.lists(st.integers(1, 9), min_size=1), st.integers(1, 4))
def test_the_identity_costs_nothing(sizes: list[int], attributes: int) -> None:
    """Where every record is released as it is nothing is lost."""
    identity = outcome(sizes, [[0.0] * len(sizes)] * attributes)
    assert METRICS["lm"](identity) == METRICS["ncp"](identity) == 0


@given(st.integers(1, 99), st.integers(1, 4))
def test_total_suppression_costs_everything(records: int, attributes: int) -> None:
    """Where no record is released LM is 1 per attribute, NCP 1, C_DM n per record, and there is no class."""
    nothing = outcome([], [[]] * attributes, suppressed=records)
    assert METRICS["lm"](nothing) == attributes
    assert METRICS["ncp"](nothing) == 1
    assert METRICS["c_dm"](nothing) == records * records
    assert METRICS["c_avg"](nothing) == 0


@given(st.lists(st.integers(2, 9), min_size=1))
def test_bounds_that_every_release_keeps(sizes: list[int]) -> None:
    """C_DM is at least k times the records and C_AVG at least 1, whatever the labels hide."""
    k = min(sizes)
    release = outcome(sizes, [[1.0] * len(sizes)], k=k)
    assert METRICS["c_dm"](release) >= k * sum(sizes)
    assert METRICS["c_avg"](release) >= 1


def test_large_classes_are_counted_exactly() -> None:
    """Squares of millions neither overflow nor round."""
    assert METRICS["c_dm"](outcome([10_000_000, 3], [[0.0, 0.0]])) == 100_000_000_000_009
