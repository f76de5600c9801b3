"""The one node that a steward chose: released as it is, or refused with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.lattice.exhaustive import Exhaustive
from kohort.algorithms.lattice.given import GivenNode
from kohort.core.recoding import FullDomain
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError, UsageError
from kohort.errors.display import many
from kohort.models.k_anonymity import KAnonymity
from tests.reference.lattice import NotByThree, RawTable, every_node, problem_of
from tests.unit.algorithms.lattices import accepts, chain, random_table

if TYPE_CHECKING:
    from kohort.core.lattice import Node

#: Two columns, of heights 1 and 2, the second of which may be generalized one level only.
SMALL = problem_of(
    RawTable(
        (chain("a*", "b*"), chain("ap*", "bp*", "cq*", max_level=1)),
        (("a", "a"), ("a", "b"), ("b", "a"), ("b", "b"), ("b", "c")),
    ),
    KAnonymity(2),
)


@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(0, 8), st.booleans())
def test_every_node_is_released_or_refused_as_defined(seed: int, k: int, limit: int, monotone: bool) -> None:  # noqa: FBT001  Hypothesis passes it
    """A releasable node is released, alone and unproven; of every other the error says what it would suppress."""
    models = (KAnonymity(k),) if monotone else (KAnonymity(k), NotByThree())
    raw = random_table(seed)
    problem = problem_of(raw, *models)
    for node, plain in every_node(raw, accepts(models), limit, k).items():
        method = GivenNode(node, SuppressionLimit(limit))
        if not plain.releasable:
            with pytest.raises(InfeasibleError, match=rf"suppresses {plain.suppressed} of|leaves no record") as caught:
                method.solve(problem)
            assert ("leaves no record" in caught.value.what) == (plain.suppressed == len(raw.records))
            continue
        solution = method.solve(problem)
        assert isinstance(solution.recoding, FullDomain)
        assert solution.recoding.levels == node
        assert [candidate.node for candidate in solution.candidates] == [node]
        assert solution.candidates[0].outcome.suppressed == plain.suppressed
        assert (solution.trace["evaluated"], solution.proven, solution.bound) == (1, False, None)


def test_the_same_release_as_the_search_that_lists_it() -> None:
    """Choosing the exhaustive search's answer by its node gives the same regions."""
    limit = SuppressionLimit(1)
    found = Exhaustive(limit).solve(SMALL)
    given_node = GivenNode(found.candidates[0].node, limit).solve(SMALL)
    assert isinstance(found.recoding, FullDomain)
    assert isinstance(given_node.recoding, FullDomain)
    assert given_node.recoding.of.tolist() == found.recoding.of.tolist()
    assert given_node.recoding.nodes.tolist() == found.recoding.nodes.tolist()


@pytest.mark.parametrize(
    ("node", "what"),
    [
        ((0,), "the node 0 has 1 level, but there are 2 quasi-identifiers"),
        ((0, 1, 0), "the node 0,1,0 has 3 levels, but there are 2 quasi-identifiers"),
        ((0, 2), "the node 0,2 is not in the lattice: q1 has levels 0 to 1, not 2"),
        (cast("Node", (0, 0.5)), "the node 0,0.5 is not in the lattice: q1 has levels 0 to 1, not 0.5"),
        ((-1, 5), "the node -1,5 is not in the lattice: q0 has levels 0 to 1, not -1; q1 has levels 0 to 1, not 5"),
    ],
)
def test_what_is_no_node_is_refused(node: tuple[int, ...], what: str) -> None:
    """A node of another length, or with a level that its attribute has not or may not have, cannot be meant."""
    with pytest.raises(UsageError) as caught:
        GivenNode(node).solve(SMALL)
    assert caught.value.what == what


def test_classes_are_rolled_up_once_from_the_bottom() -> None:
    """What is looked at are the five classes of the bottom, or nothing where they are asked for themselves."""
    limit = SuppressionLimit(1)
    assert GivenNode((1, 0), limit).solve(SMALL).trace == {"lattice": 4, "classes_walked": 5, "evaluated": 1}
    pairs = problem_of(RawTable((chain("a*", "b*"),), (("a",), ("a",), ("b",), ("b",))), KAnonymity(2))
    assert GivenNode((0,)).solve(pairs).trace == {"lattice": 2, "classes_walked": 0, "evaluated": 1}


def test_levels_are_put_in_schema_order_by_their_names() -> None:
    """Levels that come with their columns' names may come in any order."""
    named = GivenNode((1, 0), SuppressionLimit(1), names=("q1", "q0")).solve(SMALL)
    assert named.candidates[0].node == (0, 1)


@pytest.mark.parametrize(("node", "names"), [((1,), ("q1",)), ((1, 0), ("q1", "q7")), ((1,), ("q0", "q1"))])
def test_names_must_be_those_of_the_quasi_identifiers(node: tuple[int, ...], names: tuple[str, ...]) -> None:
    """A level too few or a name that no quasi-identifier has is refused, with the names that there are."""
    with pytest.raises(UsageError, match=f"the node has {many(len(node), 'level')}, for {', '.join(names)}") as caught:
        GivenNode(node, names=names).solve(SMALL)
    assert caught.value.hint == "give one level for each quasi-identifier: q0, q1"


def test_the_error_says_what_would_make_it_releasable() -> None:
    """Where one record more than allowed would be suppressed, the hint is to allow it."""
    with pytest.raises(InfeasibleError) as caught:
        GivenNode((1, 0)).solve(SMALL)
    assert caught.value.what == "the node 1,0 suppresses 1 of 5 records to meet 2-anonymity, more than the 0 allowed"
    assert caught.value.hint == "allow 1 record to be suppressed, or choose another node"
    assert GivenNode((1, 0), SuppressionLimit(1)).solve(SMALL).candidates[0].outcome.suppressed == 1


def test_what_it_needs() -> None:
    """It gives one level for each quasi-identifier, and takes tuples however they are parted."""
    method = GivenNode((0, 0))
    assert (method.name, method.full_domain, method.distinct) == ("given", True, False)
