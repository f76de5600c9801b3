"""Samarati's search: the least height and all k-minimal nodes, as defined, and what it says of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.lattice.exhaustive import Exhaustive
from kohort.algorithms.lattice.samarati import Samarati
from kohort.core.recoding import FullDomain
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError, LimitError
from kohort.metrics.known import OBJECTIVES
from kohort.models.k_anonymity import KAnonymity
from tests.reference.lattice import NotByThree, RawTable, every_node, k_minimal, optima, problem_of
from tests.unit.algorithms.lattices import accepts, chain, random_table

#: A column of 12 values that pair up, then four together, then all.
TWELVE = chain(*(f"{leaf}{'pqrstu'[at // 2]}{'xyz'[at // 4]}*" for at, leaf in enumerate("abcdefghijkl")))


def table(*records: str, columns: tuple[str, ...] | None = None) -> RawTable:
    """Records written as one letter a cell; every column's hierarchy has the values it holds, and a root."""
    used = columns or tuple("".join(dict.fromkeys(cells)) for cells in zip(*records, strict=True))
    return RawTable(tuple(chain(*(f"{leaf}*" for leaf in leaves)) for leaves in used), tuple(map(tuple, records)))


# ── By definition ────────────────────────────────────────────────────────────────────────────────


@given(
    st.integers(0, 2**32),
    st.integers(2, 6),
    st.integers(0, 8),
    st.sampled_from([None, *OBJECTIVES]),
    st.booleans(),
)
def test_all_minimal_nodes_are_found(seed: int, k: int, limit: int, objective: str | None, monotone: bool) -> None:  # noqa: FBT001  Hypothesis passes it
    """The candidates are exactly the releasable nodes of least height, the best by the objective first."""
    models = (KAnonymity(k),) if monotone else (KAnonymity(k), NotByThree())
    raw = random_table(seed)
    nodes = every_node(raw, accepts(models), limit, k)
    minimal = k_minimal(nodes)
    search = Samarati(SuppressionLimit(limit), objective)
    if not minimal:
        least = min(plain.suppressed for plain in nodes.values())
        closest = rf"the closest: [q0-9=,]+ suppresses {least}\b"
        with pytest.raises(
            InfeasibleError, match=closest if least < len(raw.records) else "needs at least|leaves any record"
        ):
            search.solve(problem_of(raw, *models))
        return
    solution = search.solve(problem_of(raw, *models))
    found = [candidate.node for candidate in solution.candidates]
    assert isinstance(solution.recoding, FullDomain)
    assert solution.recoding.levels == found[0]
    if objective is None:
        assert found == minimal
    else:
        assert sorted(found) == minimal
        assert found[0] in optima({node: nodes[node] for node in minimal}, objective)
    trace = solution.trace
    assert (trace["minimal_height"], trace["minimal_nodes"]) == (sum(minimal[0]), len(minimal))
    assert trace["monotone_suppression"] == monotone
    assert trace["evaluated"] + trace["tagged"] <= trace["lattice"] == len(nodes)
    assert [candidate.outcome.suppressed for candidate in solution.candidates] == [
        nodes[node].suppressed for node in found
    ]


@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(0, 8), st.booleans())
def test_least_height_is_the_optimum_of_height(seed: int, k: int, limit: int, monotone: bool) -> None:  # noqa: FBT001  the same
    """With height as the objective the answer is the exhaustive one, and it is proven with the same bound."""
    problem = problem_of(random_table(seed), *((KAnonymity(k),) if monotone else (KAnonymity(k), NotByThree())))
    said = SuppressionLimit(limit)
    try:
        best = Exhaustive(said, "height").solve(problem)
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            Samarati(said, "height").solve(problem)
        return
    solution = Samarati(said, "height").solve(problem)
    assert solution.candidates[0].node == best.candidates[0].node
    assert (solution.proven, solution.bound) == (True, best.bound)


# ── What it relies on ────────────────────────────────────────────────────────────────────────────


def test_bisection_goes_on_below_a_mixed_height() -> None:
    """A height on which some nodes fail and others pass does pass; what lies below the failing ones is not judged."""
    raw = RawTable((TWELVE, TWELVE), tuple((leaf, "a") for leaf in "abcdefghijkl"))
    solution = Samarati().solve(problem_of(raw, KAnonymity(2)))
    assert solution.candidates[0].node == (1, 0)
    trace = {name: solution.trace[name] for name in ("evaluated", "tagged", "heights", "monotone_suppression")}
    # height 3: 0,3 fails, 1,2 passes; height 1: 0,1 is tagged, 1,0 passes; height 0: 0,0 is tagged
    assert trace == {"evaluated": 3, "tagged": 2, "heights": 3, "monotone_suppression": 1}


def test_a_judged_node_is_not_counted_again() -> None:
    """0,1 fails and 1,0 passes, so 0,0 is tagged; to list the nodes of height 1 then judges and tags nothing more."""
    raw = RawTable((chain("a*", "b*"), chain("a*", "b*")), (("a", "a"), ("b", "a")))
    trace = Samarati().solve(problem_of(raw, KAnonymity(2))).trace
    assert (trace["evaluated"], trace["tagged"], trace["heights"]) == (2, 1, 2)


def test_without_the_property_heights_are_walked_upward() -> None:
    """Where a model is not monotone, a low node passes below a middle that fails, and bisection would miss it."""
    raw = RawTable((TWELVE,), tuple((leaf,) for leaf in "abcef"))  # classes: 1 each; 2, 1 and 2; 3 and 2; 5
    problem = problem_of(raw, KAnonymity(2), NotByThree())
    passing = [plain.node for plain in every_node(raw, accepts(problem.models), 1, 2).values() if plain.releasable]
    assert passing == [(1,), (3,)]
    solution = Samarati(SuppressionLimit(1)).solve(problem)
    assert [candidate.node for candidate in solution.candidates] == [(1,)]
    assert (solution.trace["evaluated"], solution.trace["tagged"], solution.trace["monotone_suppression"]) == (2, 0, 0)


# ── What is listed and chosen ────────────────────────────────────────────────────────────────────


def test_all_minimal_nodes_are_listed_however_many() -> None:
    """64 records of six bits, k = 8: all 20 nodes with three columns generalized, tied, in lexicographic order."""
    raw = table(*map("".join, product("ab", repeat=6)))
    solution = Samarati().solve(problem_of(raw, KAnonymity(8)))
    found = [candidate.node for candidate in solution.candidates]
    assert found == sorted(node for node in product((0, 1), repeat=6) if sum(node) == 3)


def test_the_metric_chooses_and_without_one_the_order_does() -> None:
    """Two nodes of least height: the second loses less and is preferred; without an objective the first is."""
    raw = RawTable((chain("a*", "b*"), chain("apx*", "bpx*", "cqx*")), tuple(map(tuple, ("aa", "ab", "ba", "bb"))))
    problem = problem_of(raw, KAnonymity(2))
    preferred, original = Samarati().solve(problem), Samarati(objective=None).solve(problem)
    assert [candidate.node for candidate in preferred.candidates] == [(0, 1), (1, 0)]
    assert [candidate.node for candidate in original.candidates] == [(0, 1), (1, 0)]
    turned = problem_of(RawTable(raw.columns[::-1], tuple(record[::-1] for record in raw.records)), KAnonymity(2))
    assert [candidate.node for candidate in Samarati().solve(turned).candidates] == [(1, 0), (0, 1)]
    assert [candidate.node for candidate in Samarati(objective=None).solve(turned).candidates] == [(0, 1), (1, 0)]


@pytest.mark.parametrize(("objective", "proven"), [(None, True), ("height", True), ("lm", False), ("c_dm", False)])
def test_only_the_height_is_proven(objective: str | None, proven: bool) -> None:  # noqa: FBT001  a parameter
    """Least height says nothing of loss: the answer is proven for no other objective."""
    solution = Samarati(objective=objective).solve(problem_of(table("aa", "ab"), KAnonymity(2)))
    assert solution.proven is proven
    assert solution.bound == (1.0 if objective == "height" else None)


def test_a_weighted_height_is_not_proven() -> None:
    """Where levels weigh differently, two cheap steps may cost less than one dear: least height is no proof."""
    cheap = replace(chain("apx*", "bpx*", "cqx*", "dqx*"), weight=Fraction(1, 4))
    raw = RawTable((chain("a*", "b*"), cheap), (("a", "a"), ("b", "a"), ("a", "c"), ("b", "c")))
    problem = problem_of(raw, KAnonymity(2))
    solution, best = Samarati(objective="height").solve(problem), Exhaustive(objective="height").solve(problem)
    assert solution.candidates[0].node == (1, 0)
    assert best.candidates[0].node == (0, 2)
    assert (solution.proven, solution.bound, best.bound) == (False, None, 0.5)


# ── Edges ────────────────────────────────────────────────────────────────────────────────────────


def test_a_node_that_releases_nothing_does_not_count() -> None:
    """With every record allowed to go, the bottom still is no release where no class of it satisfies."""
    solution = Samarati(SuppressionLimit.of("100%")).solve(problem_of(table("a", "b"), KAnonymity(2)))
    assert [candidate.node for candidate in solution.candidates] == [(1,)]


def test_one_record_cannot_be_released() -> None:
    """A single record fails on the top too; to allow more suppressed records would not help, and is not advised."""
    with pytest.raises(InfeasibleError, match=r"2-anonymity needs at least 2 records in a class, but") as caught:
        Samarati(SuppressionLimit.of("100%")).solve(problem_of(table("a"), KAnonymity(2)))
    assert caught.value.hint == "bring more records, or lower the requirement"


def test_the_greatest_level_is_kept_to() -> None:
    """Where the greatest levels forbid the only releases, the error names the columns and the closest node."""
    raw = RawTable((chain("ap*", "bp*", "cq*", max_level=1), chain("a*", "b*")), (("a", "a"), ("b", "b"), ("c", "a")))
    problem = problem_of(raw, KAnonymity(2))
    with pytest.raises(InfeasibleError, match="the closest: q0=1,q1=1 suppresses 1") as caught:
        Samarati().solve(problem)
    assert caught.value.hint == "allow 1 record to be suppressed, allow a higher level of q0, or lower the requirement"
    assert Samarati(SuppressionLimit(1)).solve(problem).candidates[0].node == (1, 1)


def test_a_lattice_with_too_many_nodes_is_refused() -> None:
    """23 columns of two levels make 2^23 nodes: refused before any is judged."""
    with pytest.raises(LimitError, match="8,388,608 combinations of levels; samarati handles"):
        Samarati().solve(problem_of(table("a" * 23, "b" * 23), KAnonymity(2)))


def test_more_quasi_identifiers_than_dimensions_are_refused() -> None:
    """65 columns that may not be generalized make a lattice of one node, for which there is no array all the same."""
    raw = RawTable((chain("a*", max_level=0),) * 65, (("a",) * 65,) * 2)
    with pytest.raises(LimitError, match="there are 65 quasi-identifiers; samarati takes at most 64"):
        Samarati().solve(problem_of(raw, KAnonymity(2)))
    fewer = RawTable(raw.columns[1:], (("a",) * 64,) * 2)
    assert Samarati().solve(problem_of(fewer, KAnonymity(2))).trace["minimal_height"] == 0


def test_what_it_needs() -> None:
    """It gives one level for each quasi-identifier, and takes tuples however they are parted."""
    search = Samarati(SuppressionLimit(8))
    raw = random_table(7)
    parted, whole = problem_of(raw, KAnonymity(2), apart=True), problem_of(raw, KAnonymity(2))
    assert (search.full_domain, search.distinct) == (True, False)
    found = [[candidate.node for candidate in search.solve(problem).candidates] for problem in (parted, whole)]
    assert found[0] == found[1]
