"""Nodes are judged by the records that there are."""

from __future__ import annotations

import numpy as np
import pytest

from kohort.algorithms.exhaustive import Exhaustive
from kohort.domain import resolve
from kohort.errors import InfeasibleError
from kohort.frequency import FrequencySet
from kohort.hierarchies import from_tree
from kohort.models.k_anonymity import KAnonymity
from kohort.problem import Problem
from kohort.schema import Attribute, Missing, Role
from kohort.suppression import SuppressionLimit


@pytest.mark.parametrize("objective", ["entropy", "lm", "arx_loss"])
def test_a_value_that_no_record_has_changes_nothing(objective: str) -> None:
    """A value of the domain may occur only in records that the schema suppresses: it costs nothing."""
    attribute = Attribute("a", Role.QUASI, hierarchy=from_tree({"x": ["1", "2"], "y": ["3", "4"]}, root="*"))
    bounds: list[float | None] = []
    for values in (["1", "2", "3"], ["1", "2", "3", "4"]):
        domain, codes = resolve(attribute, values, np.ones(len(values), np.int64), frozenset({""}))
        quasi = codes[[0, 0, 1, 2, 2]].astype(np.uint16)[:, np.newaxis]
        frequency = FrequencySet(quasi, np.empty((5, 0), np.uint16), np.ones(5, np.int64))
        bounds.append(Exhaustive(objective=objective).solve(Problem(frequency, (domain,), (KAnonymity(2),))).bound)
    assert bounds[0] == bounds[1]
    assert bounds[0] is not None
    assert 0 < bounds[0] < np.inf


def test_a_domain_without_a_value_has_no_solution() -> None:
    """Where the schema suppresses every record, no node is releasable."""
    attribute = Attribute("a", Role.QUASI, hierarchy="suppress", missing=Missing.SUPPRESS)
    domain, _ = resolve(attribute, [""], np.array([5]), frozenset({""}))
    nobody = FrequencySet(np.empty((0, 1), np.uint16), np.empty((0, 0), np.uint16), np.empty(0, np.int64))
    with pytest.raises(InfeasibleError):
        Exhaustive(SuppressionLimit.of("100%")).solve(Problem(nobody, (domain,), (KAnonymity(2),)))
