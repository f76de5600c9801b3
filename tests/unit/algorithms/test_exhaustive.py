"""Exhaustive search visits every node once, judges it for every goal, and says why there is no answer."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.algorithms.lattice import answer
from kohort.algorithms.lattice.answer import LISTED, NEAREST, WIDE, refuse_large
from kohort.algorithms.lattice.exhaustive import Exhaustive, survey
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.judge import NodeEvaluator
from kohort.algorithms.lattice.rollup import RollUp
from kohort.core.lattice import Lattice
from kohort.core.recoding import FullDomain
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError, LimitError
from kohort.metrics.known import OBJECTIVES
from kohort.models.k_anonymity import KAnonymity
from tests.reference.lattice import Column, RawTable, problem_of
from tests.reference.mondrian_tables import DistinctLDiversity

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm, Solution

CHAIN = (("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*"))


def table(max_level: int | None = None) -> RawTable:
    """Two attributes of the same kind, 9 records with three of each pair on the diagonal but the last."""
    cells = [("a", "a"), ("a", "a"), ("a", "a"), ("b", "b"), ("b", "b"), ("b", "b"), ("c", "c"), ("c", "c"), ("a", "c")]
    return RawTable((Column(CHAIN, max_level=max_level), Column(CHAIN)), tuple(cells), tuple("xyxyxyxyx"))


def levels(solution: Solution) -> tuple[int, ...]:
    """The node of the answer."""
    assert isinstance(solution.recoding, FullDomain)
    return solution.recoding.levels


def test_every_node_is_visited_once() -> None:
    """As many nodes as the lattice has, none twice, each rolled up from the one it was reached from."""
    problem = problem_of(table(), KAnonymity(2))
    judge = NodeEvaluator.of(problem, 0, OBJECTIVES["lm"])
    nodes = [judged.node for (judged,) in survey([judge])]
    assert sorted(nodes) == list(judge.lattice.nodes())
    assert isinstance(judge.rollup, RollUp)
    assert judge.rollup.rolled == judge.lattice.size - 1


def test_several_goals_are_judged_at_once() -> None:
    """For several k, limits, models and objectives classes are made once; each judge says the same alone."""
    problems = [problem_of(table(), *models) for models in ((KAnonymity(2),), (KAnonymity(3), DistinctLDiversity(2)))]
    goals = [(problem, limit, OBJECTIVES[name]) for problem in problems for limit in (0, 3) for name in ("lm", "c_dm")]
    judges = [NodeEvaluator.of(*goal) for goal in goals]
    for several in survey(judges):
        for judged, goal in zip(several, goals, strict=True):
            alone = NodeEvaluator.of(*goal).judge(judged.node)
            assert (judged.suppressed, judged.releasable, judged.cost) == (
                alone.suppressed,
                alone.releasable,
                alone.cost,
            )
    rolled = [judge.rollup.rolled for judge in judges if isinstance(judge.rollup, RollUp)]
    assert rolled == [8, *[0] * 7]


def test_the_answer_is_the_best_with_its_proof() -> None:
    """The answer, its bound and the trace; the next best are listed, not all."""
    solution = Exhaustive(SuppressionLimit(1)).solve(problem_of(table(), KAnonymity(2)))
    assert levels(solution) == (0, 0)
    assert solution.proven
    assert solution.bound == pytest.approx(2 / 9)
    assert (solution.trace["lattice"], solution.trace["evaluated"]) == (9, 9)
    assert len(solution.candidates) == 9 < LISTED


def test_no_more_candidates_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many releasable nodes the first are listed."""
    monkeypatch.setattr(answer, "LISTED", 4)
    solution = Exhaustive(SuppressionLimit(1)).solve(problem_of(table(), KAnonymity(2)))
    assert len(solution.candidates) == 4


@pytest.mark.parametrize(("weights", "answer"), [((1, 1), (0, 1)), ((1, 3), (1, 0)), ((3, 1), (0, 1))])
def test_ties_go_to_the_lexicographically_first_node(weights: tuple[int, int], answer: tuple[int, int]) -> None:
    """Of two attributes that are the same the first stays as it is, unless it weighs less."""
    columns = tuple(Column(CHAIN, Fraction(weight)) for weight in weights)
    problem = problem_of(RawTable(columns, tuple(product("ab", repeat=2))), KAnonymity(2))
    assert levels(Exhaustive().solve(problem)) == answer


def test_ties_go_to_the_lower_node() -> None:
    """A level that changes nothing costs nothing, and is not taken."""
    flat = Column((("a", "A", "*"),))
    solution = Exhaustive().solve(problem_of(RawTable((flat, flat), (("a", "a"),) * 3), KAnonymity(2)))
    nodes = [candidate.node for candidate in solution.candidates]
    assert nodes == [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (2, 0), (1, 2), (2, 1), (2, 2)]


def test_what_is_not_proven_feasible_is_explained() -> None:
    """The message counts what the closest nodes suppress, and names the attributes whose levels are capped."""
    problem = problem_of(table(max_level=0), KAnonymity(4))
    with pytest.raises(InfeasibleError) as error:
        Exhaustive(SuppressionLimit(2)).solve(problem)
    message, hint = str(error.value), str(error.value.hint)
    assert "4-anonymity" in message
    assert "at most 2 records suppressed" in message
    assert "q0=0,q1=2 suppresses 5" in message
    assert "allow 5 records to be suppressed" in hint
    assert "a higher level of q0" in hint
    assert "q1" not in hint


def test_no_hint_to_suppress_everything() -> None:
    """Where every node suppresses all, none is the closest, and to allow that would help nobody."""
    problem = problem_of(table(max_level=0), KAnonymity(9))
    with pytest.raises(InfeasibleError) as error:
        Exhaustive(SuppressionLimit.of("100%")).solve(problem)
    assert error.value.what == "no combination of levels leaves any record in a class that meets 9-anonymity"
    assert error.value.hint == "allow a higher level of q0, or lower the requirement"


@pytest.mark.parametrize("search", [Exhaustive(), GivenNode((0, 2))])
def test_all_models_that_are_asked_for_are_named(search: Algorithm) -> None:
    """Where no class is left, and where some are but too few records, the reader cannot know which model it is."""
    for k in (9, 4):
        with pytest.raises(InfeasibleError, match=f"{k}-anonymity and distinct l-diversity"):
            search.solve(problem_of(table(max_level=0), KAnonymity(k), DistinctLDiversity(2)))


def test_nothing_but_records_helps_where_there_are_fewer_than_k() -> None:
    """No level is advised where even one class of all records would be too small."""
    with pytest.raises(InfeasibleError) as error:
        Exhaustive(SuppressionLimit(3)).solve(problem_of(table(max_level=0), KAnonymity(10)))
    assert error.value.what == "10-anonymity needs at least 10 records in a class, but there are only 9"
    assert error.value.hint == "bring more records, or ask for k = 9 at most"


def test_of_wide_lattices_one_node_is_named() -> None:
    """The levels of many columns fill lines: only those of the very closest are told."""
    rare, common = Column((("a", "*"), ("b", "*")), max_level=0), Column((("a", "*"),))
    for width, named in ((WIDE, NEAREST), (WIDE + 1, 1)):
        records = tuple((*"a" * (width - 1), value) for value in "aaab")
        wide = RawTable((*(common,) * (width - 1), rare), records)
        with pytest.raises(InfeasibleError) as error:
            Exhaustive().solve(problem_of(wide, KAnonymity(2)))
        assert error.value.what.count("suppresses 1") == named


def test_lattices_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any node is judged, with what to do instead; the largest allowed is taken."""
    refuse_large(Lattice((1,) * 22), "a search")
    for top in ((1,) * 23, (3,) * 12, (0,) * 65):
        with pytest.raises(LimitError) as error:
            refuse_large(Lattice(top), "a search")
        assert "a search" in str(error.value)
        assert "best-effort" in str(error.value.hint)
    monkeypatch.setattr(answer, "MOST_NODES", 8)
    with pytest.raises(LimitError, match="9 combinations of levels"):
        Exhaustive().solve(problem_of(table(), KAnonymity(2)))


def test_what_it_is_called() -> None:
    """Its name, and what it needs: hierarchies, and no distinct tuples."""
    algorithm = Exhaustive()
    assert (algorithm.name, algorithm.distinct, algorithm.full_domain) == ("exhaustive", False, True)
    assert (algorithm.limit, algorithm.objective) == (SuppressionLimit(0), "lm")


def test_order_of_records_does_not_matter() -> None:
    """The same records in another order, or each a tuple of its own, have the same answer and costs."""
    raw, search = table(), Exhaustive(SuppressionLimit(1), "entropy")
    expected = search.solve(problem_of(raw, KAnonymity(3)))
    for seed in range(5):
        order: list[int] = np.random.default_rng(seed).permutation(len(raw.records)).tolist()
        other = replace(raw, records=tuple(raw.records[place] for place in order), sensitive=())
        for apart in (False, True):
            solution = search.solve(problem_of(other, KAnonymity(3), apart=apart))
            assert (levels(solution), solution.bound) == (levels(expected), expected.bound)


def test_the_k_that_would_do_is_named() -> None:
    """Where only sizes count, the error says which k the closest node meets; that k works, the next does not."""
    column = Column((("a", "*"), ("b", "*"), ("c", "*")), max_level=0)
    table = RawTable((column,), (("a",),) * 3 + (("b",),) * 5 + (("c",),) * 9)
    with pytest.raises(InfeasibleError) as error:
        Exhaustive(SuppressionLimit(3)).solve(problem_of(table, KAnonymity(7)))
    assert error.value.hint.endswith("or ask for 5-anonymity at most")
    Exhaustive(SuppressionLimit(3)).solve(problem_of(table, KAnonymity(5)))
    with pytest.raises(InfeasibleError):
        Exhaustive(SuppressionLimit(3)).solve(problem_of(table, KAnonymity(6)))
