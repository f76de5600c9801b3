"""Best effort: run to its end it is exhaustive search; stopped at any time it has an answer, and a bound under all."""

# A model's field is read as the property that it stands for.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count, permutations, product
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.lattice import best_effort, greedy
from kohort.algorithms.lattice.answer import rank
from kohort.algorithms.lattice.best_effort import BestEffort, _Search  # pyright: ignore[reportPrivateUsage]  one step of it is left out
from kohort.algorithms.lattice.boxes import (
    MOST_FAILING,
    Failing,
    classes_floor,
    levels_floor,
    node_floor,
    packed,
    raised_floors,
)
from kohort.algorithms.lattice.exhaustive import Exhaustive, survey
from kohort.algorithms.lattice.greedy import EnoughError, Greedy, moved
from kohort.algorithms.lattice.judge import CheckedNode, NodeEvaluator
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError, LimitError
from kohort.metrics.base import Metric, added
from kohort.metrics.known import OBJECTIVES
from kohort.models.base import Declaration, PrivacyModel
from kohort.models.k_anonymity import KAnonymity
from kohort.specification import Specification
from tests.reference.lattice import Column, NotByThree, RawTable, is_above, problem_of
from tests.toy_models import ToyModel
from tests.unit.algorithms.lattices import chain

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.algorithms.problem import Problem, Solution
    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile


@dataclass(frozen=True)
class Toy(ToyModel):
    """A model made for these tests: k-anonymity and something else."""

    name: str = "toy"
    monotone_suppression: bool = True
    sensitive: str | None = None

    @property
    def declared(self) -> Declaration:
        """What it declares."""
        return Declaration(
            sensitive=self.sensitive,
            smallest_class=2,
            monotone_generalization=True,
            monotone_suppression=self.monotone_suppression,
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """Which classes have an even number of records, or two sensitive values."""
        if self.sensitive is None:
            even: Mask = classes.sizes % 2 == 0
            return even
        kinds: Mask = (classes.histograms[0].counts > 0).sum(axis=1) > 1
        return kinds


#: Merging an even class with an odd one makes more records fail.
EVEN = Toy("even", monotone_suppression=False)

#: Looks at more than sizes, and never fails where a part did not.
DIVERSE = Toy("diverse", sensitive="disease")

MODELS: list[PrivacyModel] = [KAnonymity(2), KAnonymity(3), EVEN, DIVERSE]

LIMITS = [SuppressionLimit.of(said) for said in ("0", "2", "30%", "100%")]


def hierarchy(values: int, base: int, height: int) -> tuple[tuple[str, ...], ...]:
    """Rows: `base` neighbours fall together on each level, all on the last."""
    return tuple(
        (f"v{value}", *(f"{level}.{value // base**level}" for level in range(1, height)), "*")
        for value in range(values)
    )


columns = st.builds(
    Column,
    st.builds(hierarchy, st.integers(1, 6), st.integers(2, 3), st.integers(1, 3)),
    st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 3)]),
    st.sampled_from([None, None, 1]),
)


@st.composite
def tables(draw: st.DrawFn) -> RawTable:
    """Up to 20 records over up to 4 columns, each with one of three sensitive values."""
    chosen = tuple(draw(st.lists(columns, min_size=1, max_size=4)))
    cells = st.tuples(*(st.sampled_from([row[0] for row in column.rows]) for column in chosen))
    records = tuple(draw(st.lists(cells, min_size=1, max_size=20)))
    return RawTable(chosen, records, tuple(draw(st.sampled_from("xyz")) for _ in records))


problems = st.builds(problem_of, tables(), st.sampled_from(MODELS))
limits = st.sampled_from(LIMITS)
objectives = st.sampled_from(sorted(OBJECTIVES))


def after(asked: int) -> Callable[[], bool]:
    """Say that it is enough from the question after the first `asked` ones on."""
    questions = count(1)
    return lambda: next(questions) > asked


def truth(problem: Problem, limit: SuppressionLimit, objective: str) -> Solution | None:
    """What exhaustive search finds."""
    try:
        return Exhaustive(limit, objective).solve(problem)
    except InfeasibleError:
        return None


def wide(attributes: int, records: int) -> Problem:
    """A table whose lattice is too large to walk."""
    random = np.random.default_rng(7)
    table = tuple(Column(hierarchy(int(random.integers(4, 30)), 2, 4)) for _ in range(attributes))
    cells = [random.integers(len(column.rows), size=records) for column in table]
    return problem_of(
        RawTable(table, tuple(tuple(f"v{one}" for one in row) for row in np.stack(cells, axis=1).tolist())),
        KAnonymity(3),
    )


# ── Run to the end ───────────────────────────────────────────────────────────────────────────────


@given(problems, limits)
def test_run_to_the_end_it_is_exhaustive_search(problem: Problem, limit: SuppressionLimit) -> None:
    """By every metric the same node, proven, its cost the bound; or no node at all."""
    for objective in OBJECTIVES:
        best = truth(problem, limit, objective)
        if best is None:
            with pytest.raises(InfeasibleError):
                BestEffort(limit, objective).solve(problem)
            continue
        found = BestEffort(limit, objective).solve(problem)
        assert found.candidates[0].node == best.candidates[0].node
        assert (found.proven, found.bound) == (True, best.bound)


@given(problems, limits, objectives)
def test_every_node_is_accounted_for(problem: Problem, limit: SuppressionLimit, objective: str) -> None:
    """At the end nodes were judged, tagged or bounded: none is counted as left out twice, none is forgotten."""
    if truth(problem, limit, objective) is None:
        return
    trace = BestEffort(limit, objective).solve(problem).trace
    left_out = trace["tagged_by_monotone_suppression"] + trace["bounded_by_monotone_metric"]
    assert left_out <= trace["lattice"] <= left_out + trace["evaluated"]


def test_without_properties_every_node_is_judged() -> None:
    """Where neither the model nor the metric allows an inference, none is made."""
    table = RawTable(
        (Column(hierarchy(6, 2, 3)),) * 3, tuple((f"v{a}", f"v{b}", "v1") for a, b in product(range(4), repeat=2))
    )
    trace = BestEffort(SuppressionLimit(4), "c_avg").solve(problem_of(table, EVEN)).trace
    assert trace["evaluated"] == trace["lattice"] == 64
    assert trace["tagged_by_monotone_suppression"] == trace["bounded_by_monotone_metric"] == 0


def test_forgetting_nodes_and_boxes_is_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    """With little memory the answer is as good; what was dropped is not claimed to be proven, but bounded."""
    problem = wide(4, 60)
    best = Exhaustive(LIMITS[2], "entropy").solve(problem)
    assert best.bound is not None
    monkeypatch.setattr(greedy, "MOST_SEEN", 12)
    forgetful = BestEffort(LIMITS[2], "entropy").solve(problem)
    assert (forgetful.proven, forgetful.bound) == (True, best.bound)
    monkeypatch.setattr(best_effort, "MOST_BOXES", 3)
    dropping = BestEffort(LIMITS[2], "entropy").solve(problem)
    assert not dropping.proven
    assert dropping.bound is not None
    assert dropping.bound < best.bound


# ── Stopped ──────────────────────────────────────────────────────────────────────────────────────


@given(problems, limits, objectives, st.integers(0, 60))
def test_stopped_it_has_an_answer_and_a_bound(
    problem: Problem, limit: SuppressionLimit, objective: str, asked: int
) -> None:
    """Whenever it stops: a releasable node, and a bound that the optimum does not pass under."""
    best = truth(problem, limit, objective)
    if best is None:
        return
    try:
        found = BestEffort(limit, objective).solve(replace(problem, should_stop=after(asked)))
    except LimitError:
        judge = NodeEvaluator.asked(problem, limit, objective)
        assert not problem.models[0].declared.monotone_suppression
        assert not judge.judge(judge.lattice.top).releasable
        return
    assert best.bound is not None
    outcome = found.candidates[0].outcome
    assert outcome.suppressed <= limit.among(problem.frequency.records)
    assert OBJECTIVES[objective].cost(outcome) >= best.bound
    assert found.bound is None or found.bound <= best.bound
    assert not found.proven or found.bound == best.bound


@pytest.mark.parametrize("objective", ["lm", "c_dm"])
def test_more_time_never_gives_a_worse_answer(objective: str) -> None:
    """On 14 attributes, a lattice of millions of nodes, the answer falls and the bound rises, and they do not cross."""
    problem, costs, bounds = wide(14, 500), list[float](), list[float]()
    for asked in (0, 50, 200, 800):
        found = BestEffort(LIMITS[0], objective).solve(replace(problem, should_stop=after(asked)))
        assert found.trace["evaluated"] <= asked + 1
        assert found.bound is not None
        costs.append(OBJECTIVES[objective].cost(found.candidates[0].outcome))
        bounds.append(found.bound)
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert costs[0] > costs[-1] > bounds[-1] > 0


def test_no_exchange_is_left() -> None:
    """Of a node that exchanges ended at, no attribute up and another down is releasable and costs less."""
    judge = NodeEvaluator.asked(wide(9, 200), LIMITS[2], "lm")
    greedy = Greedy(judge)
    lowered = greedy.descend(greedy.judged(judge.lattice.top))
    greedy.exchange(lowered)
    assert greedy.best is not None
    assert greedy.best.cost < lowered.cost  # here one was
    for up, down in permutations(range(len(lowered.node)), 2):
        node = moved(moved(greedy.best.node, up, 1), down, -1)
        if node[up] <= judge.lattice.top[up] and node[down] >= 0:
            assert judge.judge(node).cost >= greedy.best.cost


@pytest.mark.parametrize("records", [40, 100])
def test_beginning_again_comes_near_the_best(records: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thousands of nodes one within a hundredth of the optimum is found before any box is opened."""
    problem, before = wide(7, records), list[float]()

    def open_no_box(search: _Search, _: object) -> None:
        assert search.greedy.best is not None
        before.append(search.greedy.best.cost)
        raise EnoughError

    optimum = BestEffort(LIMITS[2], "lm").solve(problem)
    assert optimum.proven
    monkeypatch.setattr(_Search, "open", open_no_box)
    BestEffort(LIMITS[2], "lm").solve(problem)
    assert before == [pytest.approx(OBJECTIVES["lm"].cost(optimum.candidates[0].outcome), rel=0.01)]


# ── No answer ────────────────────────────────────────────────────────────────────────────────────


def test_a_failing_top_is_enough_to_know_that_there_is_no_answer() -> None:
    """Where models are monotone and the greatest levels do not suffice, one node is judged; the error names it."""
    table = RawTable((Column(hierarchy(6, 2, 3), max_level=1),), (("v0",), ("v1",), ("v4",)))
    with pytest.raises(InfeasibleError, match="the closest: q0=1 suppresses 1") as raised:
        BestEffort().solve(problem_of(table, KAnonymity(2)))
    assert "allow a higher level of q0" in raised.value.hint


def test_out_of_time_without_an_answer_says_so() -> None:
    """A model that the top fails but nodes below may meet: no claim is made about the nodes not judged."""
    table = RawTable((Column(hierarchy(4, 2, 2)),), (("v0",), ("v0",), ("v3",)))
    problem = problem_of(table, EVEN)
    assert BestEffort(SuppressionLimit(1)).solve(problem).candidates[0].node == (0,)
    with pytest.raises(LimitError, match="none of the 1 combinations of levels tried"):
        BestEffort(SuppressionLimit(1)).solve(replace(problem, should_stop=after(0)))


def test_out_of_room_without_an_answer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where boxes were dropped and no releasable node was found, it is not claimed that there is none."""
    monkeypatch.setattr(best_effort, "MOST_BOXES", 1)
    rows = product(("v0", "v1", "v2"), repeat=2)
    problem = problem_of(RawTable((Column(hierarchy(3, 2, 2)),) * 2, tuple(rows)), EVEN)
    with pytest.raises(LimitError, match="others remain untried"):
        BestEffort().solve(problem)


# ── Floors and tags ──────────────────────────────────────────────────────────────────────────────


def surveyed(problem: Problem, limit: SuppressionLimit, objective: str) -> tuple[NodeEvaluator, list[CheckedNode]]:
    """Every node of the lattice, judged."""
    judge = NodeEvaluator.of(problem, limit.among(problem.frequency.records), OBJECTIVES[objective])
    return judge, [one for (one,) in survey([judge])]


@given(problems, objectives, st.data())
def test_no_node_of_a_box_costs_less_than_its_floor(problem: Problem, objective: str, data: st.DataObject) -> None:
    """Whatever suppressed records of the greatest node the floor counts, in sums over attributes and over classes."""
    judge, nodes = surveyed(problem, LIMITS[3], objective)
    low = data.draw(st.sampled_from(nodes))
    high = data.draw(st.sampled_from([one for one in nodes if is_above(one.node, low.node)]))
    gone = high.suppressed if judge.monotone else 0
    floor = node_floor(judge, low.node)
    if judge.bounded_by_levels:
        nothing = np.empty((0, len(low.node)), np.int64)
        floor = max(floor, levels_floor(judge, np.array(low.node), gone, nothing, np.array(high.node)))
    elif judge.bounded_by_classes:
        floor = max(floor, classes_floor(judge, low.node, gone))
    for one in nodes:
        if is_above(one.node, low.node) and is_above(high.node, one.node):
            assert floor <= one.cost


@given(problems, limits, objectives)
def test_failing_nodes_add_up_to_no_more_than_the_best_costs(
    problem: Problem, limit: SuppressionLimit, objective: str
) -> None:
    """Each releasable node exceeds all failing ones, and lies where they leave it."""
    judge, nodes = surveyed(problem, limit, objective)
    releasable = [one for one in nodes if one.releasable]
    if not judge.monotone or not releasable:
        return
    failing, top = Failing(len(judge.lattice.top)), np.array(judge.lattice.top)
    for one in nodes:
        if not one.releasable:
            failing.learn(one.node)
    low = failing.lifted(np.array(judge.lattice.bottom), top)
    assert low is not None
    assert all(is_above(one.node, tuple(low)) for one in releasable)
    best = min(releasable, key=rank)
    if judge.bounded_by_levels:
        assert levels_floor(judge, low, 0, failing.above(low), top) <= best.cost


@given(problems, objectives)
def test_a_raised_attribute_costs_what_the_node_does_that_it_makes(problem: Problem, objective: str) -> None:
    """Suppressed records are counted there, too: a lower floor would be right, but leave more nodes to look at."""
    judge = NodeEvaluator.of(problem, 1, OBJECTIVES[objective])
    if not judge.bounded_by_levels:
        return
    low, top = tuple(judge.lattice.bottom), judge.lattice.top
    raised = raised_floors(judge, np.array(low), 1)
    for place, height in enumerate(top):
        due = [judge.floor_of(moved(low, place, level), 1) for level in range(height + 1)]
        assert raised[place, : height + 1].tolist() == due


def test_of_failing_nodes_those_that_cost_most_add_up() -> None:
    """Of each the cheapest way; none that shares an attribute with one taken before, and none that costs nothing."""
    raised = np.array([[0.0, 0.1], [0.0, 0.5], [0.0, 0.4], [0.0, 0.9], [0.0, 0.0]])
    above = np.array([[0, 0, 1, 1, 1], [1, 0, 0, 1, 1], [1, 1, 1, 0, 1], [1, 1, 1, 1, 0]])
    attributes, levels = packed(raised, above, np.ones(5, np.int64), 0.0)
    assert (attributes.tolist(), levels.tolist()) == ([3, 2], [1, 1])


def test_classes_bound_what_can_be_made_of_them() -> None:
    """Large classes stay, small ones become classes of k; records known to be suppressed are of the small ones."""
    column = chain("a*", "b*", "c*", "d*", "e*")
    problem = problem_of(RawTable((column,), tuple((leaf,) for leaf in "aaaaabbbccdde")), KAnonymity(3))
    judges = {name: NodeEvaluator.of(problem, 9, OBJECTIVES[name]) for name in ("c_dm", "c_avg")}
    assert classes_floor(judges["c_dm"], (0,), 0) == pytest.approx(5 * 5 + 3 * 3 + 3 * 3)
    assert classes_floor(judges["c_dm"], (0,), 5) == pytest.approx(5 * 5 + 3 * 3 + 5 * 13)
    assert classes_floor(judges["c_avg"], (0,), 0) == pytest.approx((5 + 3 + 3) / 3 / 3)
    assert classes_floor(judges["c_avg"], (0,), 5) == pytest.approx((5 + 3) / 2 / 3)


def test_failing_nodes_add_up_only_where_the_metric_joins_attributes() -> None:
    """By the greatest loss of all, say, raising one attribute costs what it does only while no other is higher."""
    column = chain("a*", "b*")
    problem = problem_of(RawTable((column, column), (("a", "a"), ("b", "b"))), KAnonymity(2))
    said = Specification(key="greatest", title="Greatest", sentence="The greatest loss.")
    greatest = Metric(said, lambda outcome: outcome.losses.max(axis=-1))
    low, above, high = np.zeros(2, np.int64), np.array([[0, 1], [1, 0]]), np.ones(2, np.int64)
    judges = [NodeEvaluator.of(problem, 0, metric) for metric in (greatest, replace(greatest, join=added))]
    assert [levels_floor(one, low, 0, above, high) for one in judges] == pytest.approx([0, 2])


def test_a_box_below_a_failing_node_is_left_out() -> None:
    """No releasable node lies in it; one that reaches further in one attribute starts there."""
    failing = Failing(2)
    failing.learn((1, 2))
    assert failing.lifted(np.array([0, 0]), np.array([1, 2])) is None
    low = failing.lifted(np.array([0, 0]), np.array([3, 2]))
    assert low is not None
    assert low.tolist() == [2, 0]


def test_boxes_are_left_out_by_what_was_learned_since() -> None:
    """On a table with many maximal failing nodes some box is found to lie below one that another box taught."""
    problem = wide(4, 40)
    best = Exhaustive(LIMITS[1], "c_dm").solve(problem)
    found = BestEffort(LIMITS[1], "c_dm").solve(problem)
    assert (found.candidates[0].node, found.bound) == (best.candidates[0].node, best.bound)
    assert found.trace["evaluated"] < best.trace["evaluated"] / 2


def test_of_many_failing_nodes_the_latest_are_remembered() -> None:
    """The oldest gives way."""
    failing = Failing(2)
    for level in range(MOST_FAILING + 1):
        failing.learn((level, MOST_FAILING - level))
    assert not failing.covers((0, MOST_FAILING))
    assert failing.covers((MOST_FAILING, 0))


def test_what_came_closest_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many nodes were judged since and forgotten: an error names the closest of all."""
    column = chain("aax*", "bby*", "ccy*")
    cells = "aaabbbbcc"
    problem = problem_of(RawTable((column, column), tuple(zip(cells, cells, strict=True))), NotByThree())
    searches = (Exhaustive(SuppressionLimit(0)), BestEffort(SuppressionLimit(0)))
    monkeypatch.setattr(greedy, "MOST_SEEN", 3)
    monkeypatch.setattr(greedy, "LISTED", 3)
    said = list[str]()
    for search in searches:
        with pytest.raises(InfeasibleError) as refused:
            search.solve(problem)
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_it_says_what_it_is() -> None:
    """As on the command line; it needs hierarchies, not distinct tuples."""
    search = BestEffort()
    assert (search.name, search.distinct, search.full_domain) == ("best-effort", False, True)


def test_a_child_has_levels_of_two_nodes_or_the_next_ones() -> None:
    """Down to the bottom and up to the top, and never beyond."""
    child: Callable[..., tuple[int, ...]] = vars(greedy)["_child"]
    random, one, other, top = Random(7), (0, 3), (1, 2), (2, 3)  # noqa: S311  nobody is to be surprised
    children = {child(one, other, top, random) for _ in range(400)}
    assert {node[0] for node in children} == {0, 1, 2}
    assert {node[1] for node in children} == {1, 2, 3}
