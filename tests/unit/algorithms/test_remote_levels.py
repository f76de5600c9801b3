"""Searches that judge nodes, of tuples that are given away only as classes: they go the way of the search over all."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from kohort.algorithms.lattice.best_effort import BestEffort
from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.judge import NodeEvaluator, lattice_of
from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.remote import finest_levels, refused_remotely
from kohort.algorithms.lattice.samarati import Samarati
from kohort.core.recoding import FullDomain, classes_of
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError, LimitError
from kohort.metrics.known import OBJECTIVES
from kohort.models.average_risk import AverageRisk
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.models.t_closeness import TCloseness
from tests.laws.test_lattice_laws import tables
from tests.reference.lattice import RawTable, problem_of
from tests.reference.tuples import LevelsInMemory
from tests.unit.algorithms.lattices import chain

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm, Problem, Solution
    from kohort.core.frequency import FrequencySet
    from kohort.models.base import PrivacyModel

MODELS: dict[str, tuple[PrivacyModel, ...]] = {
    "k": (),
    "l": (DistinctLDiversity("disease", 2),),
    "t": (TCloseness("disease", Fraction(1, 2)),),
}


def elsewhere(problem: Problem, most: int) -> tuple[Problem, LevelsInMemory]:
    """The problem, with so many classes at once; its frequency set tells nothing of the quasi-identifiers together."""
    there = LevelsInMemory(problem.frequency, problem.domains, most)
    return replace(problem, frequency=there.marginals[0], there=there), there


def figures(solution: Solution, frequency: FrequencySet, problem: Problem) -> tuple[object, ...]:
    """What is told of a release, and to which nodes how many records go."""
    recoding = solution.recoding
    assert isinstance(recoding, FullDomain)
    classes = classes_of(recoding, frequency, problem.domains)
    nodes: list[list[int]] = recoding.nodes.tolist()
    regions = {tuple(node): records for node, records in zip(nodes, classes.regions.tolist(), strict=True)}
    others = [(one.node, one.outcome.suppressed, sorted(one.outcome.sizes)) for one in solution.candidates]
    return recoding.levels, regions, classes.suppressed, others[0], solution.proven, solution.bound, others


def too_large(problem: Problem, limit: int, most: int) -> bool:
    """Whether some releasable node has more classes, each as often as it has sensitive values."""
    judge, there = (
        NodeEvaluator.of(problem, limit, OBJECTIVES["lm"]),
        LevelsInMemory(problem.frequency, problem.domains, most),
    )
    for node in judge.lattice.nodes():
        with there.on(node) as classes:
            if judge.judge(node).releasable and classes.fetched() is None:
                return True
    return False


@st.composite
def algorithms(draw: st.DrawFn, problem: Problem) -> Algorithm:
    """Every one that judges nodes."""
    limit = SuppressionLimit(draw(st.sampled_from([0, 1, 3, problem.frequency.records // 2])))
    objective = draw(st.sampled_from(["lm", "c_dm", "entropy", "height"]))
    node = tuple(draw(st.integers(0, top)) for top in lattice_of(problem).top)
    choices: list[Algorithm] = [
        Samarati(limit, objective),
        Samarati(limit, None),
        Optimal(limit, objective),
        Datafly(limit),
        GivenNode(node, limit),
    ]
    return draw(st.sampled_from(choices))


@given(
    table=tables(sensitive=True),
    k=st.integers(2, 4),
    models=st.sampled_from(sorted(MODELS)),
    most=st.sampled_from([12, 20, 5, 30]),
    data=st.data(),
)
def test_the_search_is_that_over_all_tuples(
    table: RawTable, k: int, models: str, most: int, data: st.DataObject
) -> None:
    """The same release, candidates, proof and counters, or the same reason why there is none."""
    problem = problem_of(table, KAnonymity(k), *MODELS[models])
    algorithm = data.draw(algorithms(problem))
    blind, there = elsewhere(problem, most)
    try:
        found = algorithm.solve(blind)
    except LimitError:
        event("refused")
        assert algorithm.limit is not None
        assert too_large(problem, algorithm.limit.among(problem.frequency.records), most)
        return
    except InfeasibleError as error:
        event("infeasible")
        if models == "k":
            with pytest.raises(InfeasibleError, match=f"^{re.escape(str(error))}$"):
                algorithm.solve(problem)
        else:
            with pytest.raises(InfeasibleError):
                algorithm.solve(problem)
        return
    due = algorithm.solve(problem)
    assert isinstance(found.recoding, FullDomain)
    made = figures(found, there.released(found.recoding.levels), problem)
    expected = figures(due, problem.frequency, problem)
    bounded = isinstance(algorithm, Optimal) and (models != "k" or algorithm.objective == "c_dm")
    if bounded:  # what is not known of nodes with too many classes makes others be judged
        made, expected = made[:-1], expected[:-1]
    else:
        trace = {**due.trace, "classes_walked": found.trace["classes_walked"]}
        assert found.trace == trace
    assert made == expected


#: Four towns in two provinces, and ages in two generations; every record is alone on the lowest levels.
TOWNS = chain("aN*", "bN*", "cS*", "dS*")
AGES = chain("1y*", "2y*", "3o*", "4o*")
TABLE = RawTable((TOWNS, AGES), tuple(zip("aabbccddaabb", "121234341212", strict=True)))


def test_no_node_below_the_finest_levels_is_asked_of_one_column_alone() -> None:
    """A level is too fine if too many records have a value of fewer than k; the greatest is never left out."""
    problem = problem_of(TABLE, KAnonymity(3))
    marginals = LevelsInMemory(problem.frequency, problem.domains, 0).marginals
    assert [finest_levels(problem, marginals, limit, (2, 2)) for limit in (0, 3, 4, 99)] == [(1, 1)] * 2 + [(0, 0)] * 2
    assert finest_levels(replace(problem, models=(KAnonymity(99),)), marginals, 5, (2, 1)) == (2, 1)


def test_nodes_above_one_that_fits_are_rolled_up_here() -> None:
    """The finest levels are fetched once, and no node above them is asked for again."""
    blind, there = elsewhere(problem_of(TABLE, KAnonymity(3)), 4)
    judge = NodeEvaluator.of(blind, 0, OBJECTIVES["lm"])
    assert [judge.judge(node).releasable for node in ((1, 1), (1, 2), (2, 1), (2, 2))] == [True] * 4
    assert there.asked == [(1, 1)]


def test_what_was_fetched_is_forgotten_where_there_is_no_room() -> None:
    """Classes that are kept together are no more than fit; what was looked at is still counted."""
    blind, there = elsewhere(problem_of(TABLE, KAnonymity(2)), 4)
    judge = NodeEvaluator.of(blind, 0, OBJECTIVES["lm"])
    assert [judge.judge(node).suppressed for node in ((0, 2), (2, 0), (0, 2))] == [0, 0, 0]
    assert there.asked == [(0, 2), (2, 0), (0, 2)]
    assert judge.rollup.walked == 12


def test_what_needs_all_tuples_is_named() -> None:
    """A method that looks at more than nodes, and models that look at all classes or at others than are released."""
    k = KAnonymity(2)
    assert refused_remotely(Samarati(), (k, DistinctLDiversity("disease", 2))) == ""
    assert "best-effort" in refused_remotely(BestEffort(), (k,))
    assert "samarati-local" in refused_remotely(LocalRecoding(Samarati()), (k,))
    for model in (AverageRisk(Fraction(1, 2)), KMap(2)):
        assert "judges classes together" in refused_remotely(Optimal(), (k, model))


def test_the_closest_node_may_be_too_large() -> None:
    """Where no level is high enough, it is still said how many records the best suppresses, and which k it meets."""
    towns = chain("aN*", "bN*", "cS*", "dS*", max_level=0)
    problem = problem_of(RawTable((towns,), tuple(zip("aaaaabbbcccdd", strict=True))), KAnonymity(4))
    due = "suppresses 8.*hint: allow 8 records to be suppressed, .* or ask for 3-anonymity at most"
    for asked in (problem, elsewhere(problem, 2)[0]):
        with pytest.raises(InfeasibleError, match=f"(?s){due}"):
            Samarati(SuppressionLimit(2)).solve(asked)


def test_models_of_values_may_tell_that_a_node_fails() -> None:
    """No class is too small, and they are looked at some at a time; a node that passes is refused, as too large."""
    table = replace(TABLE, records=TABLE.records * 2, sensitive=("A", "A", "B", "B") * 6)
    blind, _ = elsewhere(problem_of(table, KAnonymity(2), DistinctLDiversity("disease", 2)), 3)
    judged = NodeEvaluator.of(blind, 0, OBJECTIVES["lm"]).judge((0, 0))
    assert (judged.suppressed, judged.releasable) == (24, False)
    blind, _ = elsewhere(problem_of(table, KAnonymity(2)), 3)
    with pytest.raises(LimitError):
        NodeEvaluator.of(blind, 0, OBJECTIVES["lm"]).judge((0, 0))
