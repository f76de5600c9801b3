"""Nodes are judged by the records that there are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.algorithms.lattice import judge as judging
from kohort.algorithms.lattice.best_effort import BestEffort
from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.exhaustive import Exhaustive
from kohort.algorithms.lattice.judge import NodeEvaluator, lattice_of
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.samarati import Samarati
from kohort.algorithms.problem import Problem
from kohort.core.frequency import FrequencySet
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError
from kohort.metrics.base import Metric
from kohort.metrics.known import OBJECTIVES
from kohort.models.k_anonymity import KAnonymity
from kohort.native.library import WEIGH
from kohort.schema import Attribute, Missing, Role
from kohort.schema.domain import resolve
from kohort.schema.hierarchies import from_tree
from kohort.specification import Specification
from tests.reference.lattice import Column, NotByThree, RawTable, problem_of
from tests.reference.mondrian_tables import DistinctLDiversity

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.algorithms.problem import Algorithm
    from kohort.models.base import PrivacyModel


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


@pytest.mark.parametrize("search", [Exhaustive, Optimal, BestEffort, Samarati, Datafly])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_domain_without_a_value_has_no_solution(
    search: Callable[[SuppressionLimit, str], Algorithm], objective: str
) -> None:
    """Where the schema suppresses every record, no node is releasable."""
    attribute = Attribute("a", Role.QUASI, hierarchy="suppress", missing=Missing.SUPPRESS)
    domain, _ = resolve(attribute, [""], np.array([5]), frozenset({""}))
    nobody = FrequencySet(np.empty((0, 1), np.uint16), np.empty((0, 0), np.uint16), np.empty(0, np.int64))
    with pytest.raises(InfeasibleError):
        search(SuppressionLimit.of("100%"), objective).solve(Problem(nobody, (domain,), (KAnonymity(2),)))


# ── What may be released ─────────────────────────────────────────────────────────────────────────

#: 6 records of one town and 2 of each of two others, in one province and another.
TOWNS = Column((("a", "N", "*"), ("b", "N", "*"), ("c", "S", "*")))
TABLE = RawTable((TOWNS,), (("a",),) * 6 + (("b",),) * 2 + (("c",),) * 2, ("x",) * 6 + ("x", "y") * 2)

#: A model that fails large classes too: that of the first town has one sensitive value.
DIFFERENT = DistinctLDiversity(2)


def judge(limit: int, objective: str = "lm", *models: PrivacyModel, table: RawTable = TABLE) -> NodeEvaluator:
    """The judge of a table."""
    return NodeEvaluator.of(problem_of(table, *(models or (KAnonymity(3),))), limit, OBJECTIVES[objective])


def test_the_limit_is_what_is_allowed() -> None:
    """As many records as the limit says may be suppressed, not one more; what is not allowed costs infinitely much."""
    assert judge(4).judge((0,)).releasable
    refused = judge(3).judge((0,))
    assert (refused.suppressed, refused.releasable, refused.cost) == (4, False, np.inf)


def test_nothing_released_is_no_release() -> None:
    """Whatever the limit, some record must be left."""
    judged = judge(100, "lm", KAnonymity(11)).judge((2,))
    assert (judged.suppressed, judged.releasable) == (10, False)


def test_one_record_left_is_a_release() -> None:
    """Where the models accept a class of one, all others may be suppressed."""
    alone = RawTable((TOWNS,), (("a",),) * 3 + (("c",),))
    judged = judge(4, "lm", NotByThree(), table=alone).judge((0,))
    assert (judged.suppressed, judged.releasable) == (3, True)


def test_all_models_must_be_met() -> None:
    """Models are a conjunction: a class fails if one of them does, and k is the largest that any asks for."""
    both = judge(10, "c_avg", KAnonymity(2), DIFFERENT)
    assert [both.judge((level,)).suppressed for level in range(3)] == [6, 0, 0]
    stricter = judge(10, "c_avg", KAnonymity(3), DIFFERENT)
    assert [stricter.judge((level,)).suppressed for level in range(3)] == [10, 2, 0]
    assert (both.k, stricter.k, both.size_only, judge(0).size_only) == (2, 3, False, True)


def test_levels_go_as_far_as_the_schema_allows() -> None:
    """The greatest level of an attribute is its hierarchy's height, or lower where that is asked for."""
    columns = tuple(replace(TOWNS, max_level=level) for level in (None, 0, 1, 2, 9))
    table = RawTable(columns, tuple(5 * record for record in TABLE.records))
    assert lattice_of(problem_of(table, KAnonymity(2))).top == (2, 0, 1, 2, 2)


def test_a_candidate_is_the_node_as_the_metrics_see_it() -> None:
    """Its outcome has the sizes of the released classes and what was suppressed, at whatever limit."""
    outcome = judge(0).candidate((0,)).outcome
    assert (outcome.records, outcome.suppressed, outcome.k, outcome.sizes.tolist()) == (10, 4, 3, [6])
    assert judge(0).candidate((0,)).node == (0,)
    assert OBJECTIVES["lm"](outcome) == pytest.approx(0.4)


# ── What is declared ─────────────────────────────────────────────────────────────────────────────


def test_only_models_that_say_so_are_monotone() -> None:
    """One model that does not declare it is enough."""
    assert judge(0, "lm", KAnonymity(2), DIFFERENT).monotone
    assert not judge(0, "lm", KAnonymity(2), replace(DIFFERENT, monotone_suppression=False)).monotone


def test_a_metric_of_sizes_alone_has_no_floor_where_models_look_at_more() -> None:
    """C_AVG of all records is a floor only where it is small classes that go: here a large one does."""
    by_size, by_value = judge(10, "c_avg", KAnonymity(2)), judge(10, "c_avg", DIFFERENT)
    assert (by_size.bounded, by_value.bounded) == (True, False)
    assert by_size.judge((0,)).floor > by_value.judge((0,)).cost
    assert by_value.judge((0,)).floor == by_value.floor_of((0,)) == by_value.floor_of((0,), 5) == -np.inf
    assert judge(10, "c_dm", DIFFERENT).bounded


def test_a_metric_that_is_not_monotone_has_no_floor() -> None:
    """Without the declaration nothing is said of the nodes above."""
    for classes in (False, True):
        other = Specification(key="other", title="Other", sentence="Another.")
        metric = Metric(other, lambda one: np.asarray(-one.losses.sum(axis=-1)), monotone=False, classes=classes)
        one = NodeEvaluator.of(problem_of(TABLE, KAnonymity(3)), 10, metric)
        assert not one.bounded
        assert one.judge((1,)).floor == one.floor_of((1,)) == -np.inf


def test_classes_tell_a_floor_only_where_the_metric_looks_at_them() -> None:
    """C_DM and C_AVG have one from the classes of a node; all others know it from its levels."""
    for name, metric in OBJECTIVES.items():
        one = judge(10, name)
        assert (one.judge((1,)).floor > -np.inf) == metric.classes
        assert one.floor_of((1,)) > -np.inf
    assert judge(10, "c_dm").judge((0,)).floor == 6 * 6 + 2 * 2 + 2 * 2


def test_a_floor_takes_the_suppressed_records_to_lose_least() -> None:
    """As many as are known, each of the widest value, or of the one that tells least; none loses less than nothing."""
    by_loss, by_bits = judge(10, "lm"), judge(10, "entropy")
    assert [by_loss.floor_of((1,), gone) for gone in (0, 2, 8, 9)] == pytest.approx([0.4, 0.5, 0.8, 0.9])
    assert by_bits.floor_of((0,), 2) == pytest.approx(2 * np.log2(10 / 6))
    assert by_bits.floor_of((2,), 2) == by_bits.floor_of((2,)) == pytest.approx(6 * np.log2(10 / 6) + 4 * np.log2(5))


def test_a_suppressed_record_adds_its_surcharge_where_sizes_decide() -> None:
    """To C_DM n less the most it can have cost before; nothing where models look at more, or for other metrics."""
    assert judge(10, "c_dm").surcharge == 10 - 2
    assert judge(10, "c_dm", DIFFERENT).surcharge == 0
    assert judge(10, "lm").surcharge == 0


def test_bits_of_many_classes_add_up_to_twelve_digits() -> None:
    """Plainly added, a hundred thousand equal terms are not their product: floors would exceed the costs they bound."""
    classes, place, bits = 100_000, np.zeros(1, np.int64), np.zeros(1, np.uint64)
    judged = (np.zeros((classes, 1), np.uint64), np.full(classes, 3), np.ones(classes, np.bool_))
    out = np.zeros((1, 3))
    WEIGH((place, bits, bits, np.zeros(5, np.uint64), np.array([[0.0, 11.1]])), *judged, place, out)
    assert out[0, 1] == pytest.approx(classes * 3 * 11.1, rel=1e-15)


@pytest.mark.parametrize("block", [1, 2, 5])
def test_the_whole_lattice_is_computed_in_blocks(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few nodes are computed at once, each gets its own floor in its own place."""
    whole = judge(10).everywhere(OBJECTIVES["lm"])
    monkeypatch.setattr(judging, "BLOCK", block)
    one = judge(10)
    np.testing.assert_array_equal(one.everywhere(OBJECTIVES["lm"]), whole)
    assert all(whole[node] == one.floor_of(node) for node in one.lattice.nodes())
