"""What parts of the quasi-identifiers say that a release costs at least, it does cost."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.lattice import best_effort, boxes
from kohort.algorithms.lattice.best_effort import BestEffort
from kohort.algorithms.lattice.boxes import least_of_parts
from kohort.algorithms.lattice.judge import NodeEvaluator
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.problem import Problem, never_stop
from kohort.errors import InfeasibleError
from kohort.metrics.known import OBJECTIVES
from kohort.models.k_anonymity import KAnonymity
from tests.laws.test_lattice_laws import Case, cases
from tests.reference.lattice import Column, RawTable, problem_of

if TYPE_CHECKING:
    from kohort.core.suppression import SuppressionLimit

#: The problem of some attributes.
PART: Any = vars(boxes)["_part"]

#: The metrics that join parts.
JOINING = [metric for metric in OBJECTIVES.values() if metric.join is not None]


def optimum(problem: Problem, limit: SuppressionLimit, objective: str) -> float:
    """The least cost of all; infinite where no node is releasable."""
    try:
        bound = Optimal(limit, objective).solve(problem).bound
    except InfeasibleError:
        return inf
    assert bound is not None
    return bound


@given(case=cases(), most=st.integers(1, 30), seed=st.integers(0, 9))
def test_parts_cost_no_more_than_the_whole(case: Case, most: int, seed: int) -> None:
    """However the attributes are parted, their optima join to no more than the optimum; a single part has it."""
    problem = case.problem
    if not all(model.declared.monotone_suppression for model in problem.models):
        return
    told = np.random.default_rng(seed).random(len(problem.domains))
    for metric in JOINING:
        best = optimum(problem, case.said, metric.name)
        judge = NodeEvaluator.of(problem, case.most, metric)
        assert least_of_parts(judge, told, most, never_stop) <= best
        whole = least_of_parts(judge, told, judge.lattice.size, never_stop)
        assert whole == best == inf or whole == pytest.approx(best, rel=1e-9, abs=1e-9)


@given(case=cases(), stop=st.integers(0, 40))
def test_bounds_by_parts_are_bounds_whenever_it_stops(case: Case, stop: int) -> None:
    """Bounded by parts of every size, best effort stays right: run to its end, or stopped anywhere."""
    problem = case.problem
    asked = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_effort, "PARTS", (0, 4, 16))
        for metric in JOINING:
            best = optimum(problem, case.said, metric.name)
            if best == inf or not all(model.declared.monotone_suppression for model in problem.models):
                continue
            ended = BestEffort(case.said, metric.name).solve(problem)
            assert (ended.proven, ended.bound) == (True, best)
            hurried = replace(problem, should_stop=lambda: next(asked) > stop)
            stopped = BestEffort(case.said, metric.name).solve(hurried)
            assert stopped.bound is not None
            assert stopped.bound <= best


def test_nothing_is_known_where_it_is_enough() -> None:
    """Stopped before the first part is searched to its end, parts say nothing."""
    column = Column((("a", "*"), ("b", "*")))
    problem = problem_of(RawTable((column, column), (("a", "a"), ("b", "b"))), KAnonymity(2))
    judge = NodeEvaluator.of(problem, 0, OBJECTIVES["lm"])
    assert least_of_parts(judge, np.ones(2), 2, lambda: True) == -inf
    assert least_of_parts(judge, np.ones(2), 2, never_stop) == pytest.approx(2)


def test_parts_have_their_columns_of_a_population() -> None:
    """A model that counts people elsewhere counts them by the same attributes."""
    column = Column((("a", "*"), ("b", "*")))
    problem = problem_of(RawTable((column, column), (("a", "a"), ("b", "b"))), KAnonymity(2))
    known = replace(problem.frequency, quasi=np.array([[0, 1], [1, 1]], np.uint16))
    part = PART(replace(problem, population=known), np.array([1])).population
    assert part.quasi.tolist() == [[1], [1]]
    assert PART(problem, np.array([1])).population is None
