"""The optimum is found without judging most nodes, and the search says what spared them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kohort.algorithms.lattice.exhaustive import survey
from kohort.algorithms.lattice.judge import NodeEvaluator
from kohort.algorithms.lattice.optimal import Optimal, Search
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError
from kohort.metrics.known import OBJECTIVES
from kohort.models.k_anonymity import KAnonymity
from tests.reference.lattice import Column, NotByThree, RawTable, is_above, problem_of
from tests.unit.algorithms.lattices import random_table

ALL = SuppressionLimit.of("100%")


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(6))
def test_every_node_is_judged_tagged_or_bounded(seed: int, objective: str) -> None:
    """The three add up to the lattice; tagged is what lies below a failing node, where the models are monotone."""
    table = random_table(seed)
    for models in ((KAnonymity(2),), (KAnonymity(2), NotByThree())):
        for limit in (1, 10):
            search = Search.of(NodeEvaluator.of(problem_of(table, *models), limit, OBJECTIVES[objective]))
            assert search.run()
            judged, tagged, bounded = search.trace().values()
            assert judged == len(search.seen)
            assert judged + tagged + bounded == search.judge.lattice.size
            failing = [node for node, one in search.seen.items() if search.judge.monotone and not one.releasable]
            others = [node for node in search.judge.lattice.nodes() if node not in search.seen]
            assert tagged == sum(any(is_above(fails, node) for fails in failing) for node in others)


def test_without_properties_every_node_is_judged() -> None:
    """A metric that is monotone only where sizes decide, and a model that is not monotone, leave nothing to infer."""
    trace = Optimal(ALL, "c_avg").solve(problem_of(random_table(3), KAnonymity(2), NotByThree())).trace
    assert trace["evaluated"] == trace["lattice"] > 1


def test_a_bottom_that_is_releasable_is_the_only_node_judged() -> None:
    """By a metric without classes nothing above it costs less: whatever the models declare, its floors tell."""
    problem = problem_of(random_table(3), NotByThree())
    for objective in ("lm", "entropy", "arx_loss", "height", "precision"):
        solution = Optimal(objective=objective).solve(problem)
        assert (solution.candidates[0].node, solution.trace["evaluated"]) == ((0, 0, 0, 0), 1)


def test_what_suppressed_records_add_to_a_floor_spares_nodes() -> None:
    """C_DM's surcharge closes nodes that their classes alone leave open; the answer is the same."""
    judged = [0, 0]
    for seed in range(20):
        table = random_table(seed)
        answers = set[object]()
        for place, metric in enumerate((OBJECTIVES["c_dm"], replace(OBJECTIVES["c_dm"], surcharge=None))):
            search = Search.of(NodeEvaluator.of(problem_of(table, KAnonymity(3)), len(table.records), metric))
            search.run()
            answers.add(search.best and search.best.node)
            judged[place] += len(search.seen)
        assert len(answers) == 1
    assert judged[0] < judged[1]


@pytest.mark.parametrize("seed", range(20))
def test_the_limit_falls_with_the_best_cost(seed: int) -> None:
    """No node that suppresses more than the search still allows costs as little as the best."""
    table = random_table(seed)
    judge = NodeEvaluator.of(problem_of(table, KAnonymity(3)), len(table.records), OBJECTIVES["lm"])
    search = Search.of(judge)
    search.run()
    assert search.best is not None or judge.judge(judge.lattice.top).cost == np.inf
    if search.best is not None:
        more = [one.cost for (one,) in survey([judge]) if one.releasable and one.suppressed > search.limit]
        assert all(cost > search.best.cost for cost in more)
        assert search.best.suppressed <= search.limit <= judge.allowed


def test_the_limit_falls_to_what_is_worth_it() -> None:
    """So many records may still be suppressed as cost no more than the best even if nothing is generalized."""
    table = random_table(3)
    judge = NodeEvaluator.of(problem_of(table, KAnonymity(2)), len(table.records), OBJECTIVES["lm"])
    search = Search.of(judge)
    search.run()
    assert search.best is not None
    floors = [judge.floor_of(judge.lattice.bottom, count) for count in range(judge.allowed + 1)]
    assert search.limit == max(sum(floor <= search.best.cost for floor in floors) - 1, search.best.suppressed)


def test_a_search_that_has_enough_says_so() -> None:
    """It stops before the next node, and does not claim to have closed all."""
    judge = NodeEvaluator.of(problem_of(random_table(3), KAnonymity(2)), 0, OBJECTIVES["lm"])
    search = Search.of(judge)
    assert not search.run(lambda: True)
    assert not search.seen


def test_what_would_help_is_what_can_be_allowed() -> None:
    """Higher levels only where the schema keeps some back."""
    top, capped = (Column((("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")), max_level=level) for level in (None, 1))
    for column, helps in ((top, False), (capped, True)):
        with pytest.raises(InfeasibleError) as refused:
            Optimal().solve(problem_of(RawTable((column,), (("a",), ("b",), ("c",))), KAnonymity(2), NotByThree()))
        assert ("a higher level of q0" in str(refused.value.hint)) == helps


def test_it_says_what_it_is() -> None:
    """As on the command line; it needs hierarchies, not distinct tuples."""
    search = Optimal()
    assert (search.name, search.distinct, search.full_domain) == ("optimal", False, True)
