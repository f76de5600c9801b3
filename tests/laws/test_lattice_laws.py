"""Laws of the lattice: every node and every answer is as defined, whatever is rolled up, packed or pruned."""

# A model's field is read as the property that it stands for.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.lattice.best_effort import BestEffort
from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.exhaustive import Exhaustive, survey
from kohort.algorithms.lattice.judge import NodeEvaluator, full_domain
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.samarati import Samarati
from kohort.core.lattice import Node
from kohort.core.recoding import FullDomain, classes_of
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError
from kohort.metrics.known import OBJECTIVES, measured
from kohort.models.base import Declaration, PrivacyModel
from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Order
from tests.reference.lattice import (
    Column,
    Group,
    NotByThree,
    Plain,
    RawTable,
    every_node,
    k_minimal,
    optima,
    problem_of,
)
from tests.reference.mondrian_tables import DistinctLDiversity
from tests.toy_models import ToyModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.algorithms.problem import Algorithm, Problem, Solution
    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile

#: Whether a class is accepted.
Accepts: TypeAlias = "Callable[[Group], bool]"

#: What is drawn first is drawn most, and what failing examples shrink to: neither tiny tables nor slow ones.
RECORDS, COLUMNS, SIZES = (12, 20, 30, 7, 4, 2, 1), (3, 2, 4, 1), (4, 5, 3, 2, 1)

#: Limits, as numbers of records and as shares.
LIMITS: tuple[int | Fraction, ...] = (2, Fraction(1, 5), 0, 1, 5, Fraction(1, 20), Fraction(1, 3), Fraction(1))

#: Heights of the hierarchies, in any order: the reference takes a millisecond for each node of the lattice.
HEIGHTS = ((2, 4, 3, 1), (2, 3, 1), (2, 1), (1,))


# ── Models ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Mixed(ToyModel):
    """No sensitive value has more than half of a class: unions keep it, yet generalizing may suppress more."""

    name: str = "mixed"

    @property
    def declared(self) -> Declaration:
        """What it declares."""
        return Declaration(
            sensitive="disease", smallest_class=2, monotone_generalization=True, monotone_suppression=False
        )

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have no value in more than half of their records."""
        mixed: Mask = 2 * classes.of("disease").counts.max(axis=1) <= classes.sizes
        return mixed


@dataclass(frozen=True)
class Case:
    """A table, and what is asked of its release, both for the package and for the reference.

    Attributes:
        table: the records.
        limit: how many may be suppressed, or which share.
        models: the models.
        satisfied: whether all of them accept a class.
        apart: whether every record is a tuple of its own.
    """

    table: RawTable
    limit: int | Fraction
    models: tuple[PrivacyModel, ...]
    satisfied: Accepts
    apart: bool

    @property
    def problem(self) -> Problem:
        """As algorithms see it."""
        return problem_of(self.table, *self.models, apart=self.apart)

    @property
    def said(self) -> SuppressionLimit:
        """The limit as algorithms see it."""
        return SuppressionLimit(self.limit) if isinstance(self.limit, int) else SuppressionLimit(None, self.limit)

    @property
    def most(self) -> int:
        """The limit in records."""
        return self.limit if isinstance(self.limit, int) else math.floor(self.limit * len(self.table.records))

    def nodes(self) -> dict[Node, Plain]:
        """Every node by definition."""
        return every_node(
            self.table, self.satisfied, self.most, max(model.declared.smallest_class for model in self.models)
        )


# ── Tables ───────────────────────────────────────────────────────────────────────────────────────

#: Names, and numbers in an order that is not that of their leaves.
LEAVES = (("a", "b", "c", "d", "e"), ("10", "9", "2", "31", "4"))


#: No missing cells, or few.
MISSING: st.SearchStrategy[list[str]] = st.sampled_from([[], [], [""]])


@st.composite
def columns(draw: st.DrawFn, height: int) -> Column:
    """A hierarchy of up to five leaves; groups may have one member, levels may change nothing."""
    size = draw(st.sampled_from(SIZES))
    leaves = draw(st.sampled_from(LEAVES))[:size]
    of = list(range(size))
    rows = [[leaf] for leaf in leaves]
    for level in range(1, height):
        steps = draw(st.lists(st.integers(0, 1), min_size=of[-1], max_size=of[-1]))
        of = [sum(steps[:node]) for node in of]
        for row, node in zip(rows, of, strict=True):
            row.append(f"{level}.{node}")
    return Column(
        tuple((*row, "*") for row in draw(st.permutations(rows))),
        Fraction(draw(st.integers(1, 3)), draw(st.integers(1, 2))),
        draw(st.sampled_from([*[None] * 6, *range(height + 2)])),
        draw(st.sampled_from([None, Order.FREQUENCY, Order.SORTED])),
    )


@st.composite
def tables(draw: st.DrawFn, *, sensitive: bool) -> RawTable:
    """1 to 30 records over 1 to 4 quasi-identifiers; some values are frequent, some missing, some leaves rare.

    The cells come from a seed: drawn one by one, they would make most tables tiny.
    """
    heights = [draw(st.sampled_from(heights)) for heights in HEIGHTS[: draw(st.sampled_from(COLUMNS))]]
    used = [draw(columns(height)) for height in draw(st.permutations(heights))]
    records = draw(st.sampled_from(RECORDS))
    random = Random(draw(st.integers(0, 999)))  # noqa: S311  nothing is secret
    cells: list[list[str]] = []
    for column in used:
        pool = [*column.leaves, *[column.leaves[0]] * draw(st.integers(0, 9)), *draw(MISSING)]
        cells.append(random.choices(pool, k=records))
    told = random.choices("AAABBC", k=records) if sensitive else ()
    return RawTable(tuple(used), tuple(zip(*cells, strict=True)), tuple(told))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """k-anonymity alone, with a model that is monotone, and with two that are not."""
    k, different = draw(st.sampled_from([2, 3, 2, 4, 6])), draw(st.integers(2, 3))
    asked: tuple[PrivacyModel | None, Accepts] = draw(
        st.sampled_from(
            [
                (None, lambda _: True),
                (DistinctLDiversity(different), lambda group: len(group.held("disease")) >= different),
                (NotByThree(), lambda group: group.records % 3 != 0),
                (Mixed(), lambda group: 2 * max(group.held("disease").values()) <= group.records),
            ]
        )
    )
    model, accepts = asked
    table = draw(tables(sensitive=model is not None and model.declared.sensitive is not None))
    return Case(
        table,
        draw(st.sampled_from(LIMITS)),
        (KAnonymity(k), model) if model else (KAnonymity(k),),
        lambda group: group.records >= k and accepts(group),
        draw(st.booleans()),
    )


# ── Every node ───────────────────────────────────────────────────────────────────────────────────


@given(cases())
def test_every_node_is_judged_as_defined(case: Case) -> None:
    """Suppressed records, whether the node may be released, and its cost by every metric are as defined."""
    nodes, problem = case.nodes(), case.problem
    judges = [NodeEvaluator.of(problem, case.most, metric) for metric in OBJECTIVES.values()]
    seen = set[Node]()
    for judged in survey(judges):
        plain = nodes[judged[0].node]
        seen.add(plain.node)
        for one, name in zip(judged, OBJECTIVES, strict=True):
            assert (one.node, one.suppressed, one.releasable) == (plain.node, plain.suppressed, plain.releasable)
            assert one.cost == (pytest.approx(plain.cost(name), abs=1e-9) if plain.releasable else math.inf)
    assert seen == set(nodes)


@given(cases(), st.randoms(use_true_random=False))
def test_floors_are_floors(case: Case, random: Random) -> None:
    """No releasable node costs less than what a node that it is, or lies above, says that it will cost at least."""
    problem = case.problem
    for metric in OBJECTIVES.values():
        judge = NodeEvaluator.of(problem, case.most, metric)
        judged = {one.node: one for (one,) in survey([judge])}
        for one in judged.values():
            below = tuple(random.randint(0, level) for level in one.node)
            floors = (
                judged[below].floor + judge.surcharge * one.suppressed,
                judge.floor_of(below),
                judge.floor_of(below, one.suppressed),
            )
            assert all(floor <= one.cost or same(floor, one.cost) for floor in floors)


@given(cases())
def test_floors_of_a_metric_without_classes_are_known_at_once(case: Case) -> None:
    """What every node would cost if it released all its records is one array, the same as node by node."""
    problem = case.problem
    for metric in OBJECTIVES.values():
        judge = NodeEvaluator.of(problem, case.most, metric)
        if not metric.classes and metric.monotone:
            floors = judge.everywhere(metric)
            assert floors.shape == judge.lattice.shape
            assert all(math.isclose(floors[node], judge.floor_of(node)) for node in judge.lattice.nodes())


def same(cost: float, other: float) -> bool:
    """Whether two costs differ by no more than the rounding of floats and of ARX's decimals."""
    return math.isclose(cost, other, rel_tol=1e-9, abs_tol=1e-9)


# ── Every answer ─────────────────────────────────────────────────────────────────────────────────

#: The searches that prove their answer.
OPTIMAL: Sequence[Callable[[SuppressionLimit, str], Algorithm]] = [Exhaustive, Optimal, BestEffort]


@pytest.mark.parametrize("search", OPTIMAL)
@given(case=cases())
def test_same_answer_as_the_definition(search: Callable[[SuppressionLimit, str], Algorithm], case: Case) -> None:
    """The answer is the optimum by every metric, it is proven, and there is none only where no node is releasable."""
    nodes, problem = case.nodes(), case.problem
    for metric in OBJECTIVES:
        optimum = optima(nodes, metric)
        if optimum:
            solution = search(case.said, metric).solve(problem)
            assert answer_of(solution) in optimum
            assert solution.proven
            assert solution.bound == pytest.approx(nodes[answer_of(solution)].cost(metric), abs=1e-9)
            check_candidates(solution, nodes, metric)
        else:
            with pytest.raises(InfeasibleError):
                search(case.said, metric).solve(problem)


@given(case=cases(), objective=st.sampled_from([None, *OBJECTIVES]))
def test_samarati_finds_all_k_minimal_nodes(case: Case, objective: str | None) -> None:
    """All releasable nodes of least height, and no others; the best of them first, or the lexicographically first."""
    nodes, problem = case.nodes(), case.problem
    minimal, search = k_minimal(nodes), Samarati(case.said, objective)
    if minimal:
        solution = search.solve(problem)
        assert sorted(candidate.node for candidate in solution.candidates) == minimal
        check_candidates(solution, nodes, objective)
        first = {minimal[0]} if objective is None else optima({node: nodes[node] for node in minimal}, objective)
        assert answer_of(solution) in first
    else:
        with pytest.raises(InfeasibleError):
            search.solve(problem)


@given(case=cases())
def test_datafly_releases_what_is_allowed(case: Case) -> None:
    """What it finds is releasable; where the models are monotone it finds something wherever there is something."""
    nodes, problem = case.nodes(), case.problem
    try:
        solution = Datafly(case.said).solve(problem)
    except InfeasibleError:
        monotone = all(model.declared.monotone_suppression for model in case.models)
        assert not (monotone and k_minimal(nodes))
    else:
        assert not solution.proven
        check_candidates(solution, nodes, "lm")


def answer_of(solution: Solution) -> Node:
    """The levels that were chosen."""
    assert isinstance(solution.recoding, FullDomain)
    return solution.recoding.levels


def check_candidates(solution: Solution, nodes: Mapping[Node, Plain], metric: str | None) -> None:
    """The candidates are releasable, none twice, the chosen one first, no better one after a worse; and as defined."""
    candidates = [nodes[candidate.node] for candidate in solution.candidates]
    assert candidates[0].node == answer_of(solution)
    assert all(plain.releasable for plain in candidates)
    assert len({plain.node for plain in candidates}) == len(candidates)
    costs = [plain.cost(metric) for plain in candidates] if metric else []
    assert all(one <= other + 1e-9 for one, other in pairwise(costs))
    for candidate, plain in zip(solution.candidates, candidates, strict=True):
        assert measured(candidate.outcome) == pytest.approx(plain.figures, abs=1e-9)
        assert sorted(candidate.outcome.sizes.tolist()) == plain.sizes


# ── The release ──────────────────────────────────────────────────────────────────────────────────


@given(cases(), st.randoms(use_true_random=False))
def test_a_node_is_released_as_defined(case: Case, random: Random) -> None:
    """Any node's recoding keeps the classes that the models accept, under the labels of its levels."""
    nodes, problem = case.nodes(), case.problem
    node = random.choice(sorted(nodes))
    recoding = full_domain(problem, node)
    classes = classes_of(recoding, problem.frequency, problem.domains)
    assert classes.suppressed == nodes[node].suppressed
    labels = Counter(
        {
            tuple(of.texts[of.of[region]] for of in classes.labels): int(classes.sizes[number])
            for number, region in enumerate(classes.first)
        }
    )
    assert labels == nodes[node].released
