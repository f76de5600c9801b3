"""Datafly: the attribute with the most distinct values first, until few enough records stand out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.exhaustive import Exhaustive
from kohort.core.recoding import FullDomain
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError
from kohort.models.k_anonymity import KAnonymity
from tests.reference.lattice import NotByThree, RawTable, every_node, problem_of
from tests.unit.algorithms.lattices import accepts, chain, random_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.algorithms.problem import Problem
    from kohort.core.lattice import Node
    from tests.reference.lattice import Plain


def plainly(raw: RawTable, nodes: Mapping[Node, Plain]) -> list[Node]:
    """The nodes on Datafly's way, the last one releasable or with nothing left to generalize."""
    way = [(0,) * len(raw.columns)]
    while not nodes[way[-1]].releasable:
        values = [
            len({row[level] for row in column.rows for record in raw.records if record[place] == row[0]})
            if level < column.top
            else 0
            for place, (column, level) in enumerate(zip(raw.columns, way[-1], strict=True))
        ]
        if not any(values):
            break
        most = values.index(max(values))
        way.append(tuple(level + (place == most) for place, level in enumerate(way[-1])))
    return way


def chosen(problem: Problem, limit: int = 0) -> Node:
    """The node that Datafly releases."""
    (candidate,) = Datafly(SuppressionLimit(limit)).solve(problem).candidates
    return candidate.node


@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(0, 8), st.booleans())
def test_the_way_upward_is_as_defined(seed: int, k: int, limit: int, monotone: bool) -> None:  # noqa: FBT001  Hypothesis passes it
    """It releases the first releasable node on its way, alone and unproven, or says that none on it is."""
    models = (KAnonymity(k),) if monotone else (KAnonymity(k), NotByThree())
    raw = random_table(seed)
    nodes = every_node(raw, accepts(models), limit, k)
    way = plainly(raw, nodes)
    if not nodes[way[-1]].releasable:
        least = min(nodes[node].suppressed for node in way)
        which = "combination of levels" if monotone else "level tried"
        closest = rf"no {which} meets .* the closest: [q0-9=,]+ suppresses {least}\b"
        without = rf"needs at least|no {which} leaves any record"
        with pytest.raises(InfeasibleError, match=closest if least < len(raw.records) else without):
            Datafly(SuppressionLimit(limit)).solve(problem_of(raw, *models))
        return
    solution = Datafly(SuppressionLimit(limit)).solve(problem_of(raw, *models))
    assert isinstance(solution.recoding, FullDomain)
    assert solution.recoding.levels == way[-1]
    assert [candidate.node for candidate in solution.candidates] == [way[-1]]
    assert solution.candidates[0].outcome.suppressed == nodes[way[-1]].suppressed
    assert (solution.trace["evaluated"], solution.proven, solution.bound) == (len(way), False, None)


def test_ties_go_to_the_first_attribute() -> None:
    """Two columns with two values each: the first is generalized."""
    raw = RawTable((chain("a*", "b*"), chain("a*", "b*")), (("a", "a"), ("b", "a"), ("a", "b"), ("b", "b")))
    assert chosen(problem_of(raw, KAnonymity(2))) == (1, 0)


def test_values_that_do_not_occur_do_not_count() -> None:
    """A hierarchy of many leaves of which one occurs is generalized after one of two leaves that both occur."""
    raw = RawTable((chain("a*", "b*", "c*", "d*"), chain("a*", "b*")), (("a", "a"), ("a", "b")))
    assert chosen(problem_of(raw, KAnonymity(2))) == (0, 1)


def test_the_greatest_level_is_kept_to() -> None:
    """An attribute at its greatest level is left alone, however many values it still has."""
    raw = RawTable(
        (chain("a*", "b*", "c*", max_level=0), chain("a*", "b*")), tuple(map(tuple, ("aa", "ab", "ba", "cb")))
    )
    assert chosen(problem_of(raw, KAnonymity(2)), 2) == (0, 1)


def test_what_is_left_over_is_suppressed() -> None:
    """As soon as no more than the limit fail they are suppressed, and nothing is generalized for them."""
    raw = RawTable((chain("a*", "b*"),), (("a",), ("a",), ("b",)))
    solution = Datafly(SuppressionLimit(1)).solve(problem_of(raw, KAnonymity(2)))
    assert (solution.candidates[0].node, solution.candidates[0].outcome.suppressed) == ((0,), 1)


def test_a_node_that_releases_nothing_does_not_count() -> None:
    """With every record allowed to go it still generalizes until some are released."""
    raw = RawTable((chain("a*", "b*"),), (("a",), ("b",)))
    assert chosen(problem_of(raw, KAnonymity(2)), 2) == (1,)


def test_it_may_miss_where_the_model_is_not_monotone() -> None:
    """Only 0,1 is releasable, and the first column has more values: Datafly misses it, and does not deny it."""
    raw = RawTable(
        (chain("a*", "b*", "c*"), chain("a*", "b*")), tuple(map(tuple, ("aa", "ab", "ba", "bb", "ca", "cb")))
    )
    problem = problem_of(raw, KAnonymity(2), NotByThree())
    assert Exhaustive().solve(problem).candidates[0].node == (0, 1)
    with pytest.raises(
        InfeasibleError, match="no level tried leaves any record in a class that meets 2-anonymity and not by three"
    ):
        Datafly().solve(problem)


def test_what_it_needs() -> None:
    """It gives one level for each quasi-identifier, and takes tuples however they are parted."""
    raw = random_table(7)
    parted, whole = problem_of(raw, KAnonymity(2), apart=True), problem_of(raw, KAnonymity(2))
    assert (Datafly().name, Datafly().full_domain, Datafly().distinct) == ("datafly", True, False)
    assert chosen(parted, 8) == chosen(whole, 8)
