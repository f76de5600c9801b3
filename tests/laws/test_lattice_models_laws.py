"""Laws of lattice search for every model: with people, a population and models of all classes, as by definition.

The reference spells out every node and class, and judges them by the plain definitions of the papers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from kohort.algorithms.lattice import best_effort
from kohort.algorithms.lattice.best_effort import BestEffort
from kohort.algorithms.lattice.boxes import classes_floor
from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.exhaustive import Exhaustive, landscape, survey
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.judge import NodeEvaluator, full_domain
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.samarati import Samarati
from kohort.core.recoding import FullDomain, classes_of
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError
from kohort.metrics.known import OBJECTIVES
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.models.t_closeness import Distance, TCloseness
from tests.laws.test_lattice_laws import answer_of, check_candidates, tables
from tests.reference import models as plainly
from tests.reference.lattice import KINDS, Group, Plain, RawTable, every_node, is_above, k_minimal, optima, problem_of

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm, Problem
    from kohort.core.lattice import Node
    from kohort.models.base import PrivacyModel

#: Whether a class meets a model.
Satisfied: TypeAlias = Callable[[Group], bool]

#: Whether all released classes, and so many people whom none of them fits, do.
Together: TypeAlias = Callable[[Sequence[Group], int], bool]


@dataclass(frozen=True)
class Asked:
    """A model and its definition: of one class, or of all that are released."""

    model: PrivacyModel
    satisfied: Satisfied | None = None
    together: Together | None = None


@dataclass(frozen=True)
class Values:
    """A sensitive attribute of a table: the number of each value, in their order, and the people with each."""

    name: str
    number: Mapping[str, int]
    table: Mapping[int, int]

    @classmethod
    def of(cls, table: RawTable, name: str) -> Values:
        """Those of a table."""
        cells = table.sensitive if name == "disease" else table.income
        whose = table.people or tuple(map(str, range(len(cells))))
        ordered = sorted(set(cells) - {""}, key=str if name == "disease" else int)
        number = {value: place for place, value in enumerate(ordered)}
        held = Counter(value for value, _ in set(zip(cells, whose, strict=True)) if value)
        return cls(name, number, {number[value]: people for value, people in held.items()})

    def held(self, group: Group) -> dict[int, int]:
        """The people of a class with each value."""
        return {self.number[value]: people for value, people in group.held(self.name).items()}

    def paths(self) -> list[tuple[str, ...]]:
        """The row of each value in the hierarchy of diseases."""
        return [(value, KINDS[value], "*") for value in self.number]


# ── Models ───────────────────────────────────────────────────────────────────────────────────────


def of_values(draw: st.DrawFn, table: RawTable) -> Asked:
    """A model that looks at a sensitive attribute."""
    values = Values.of(table, draw(st.sampled_from(["disease", "income"])))
    s, held = values.name, values.held
    l, share = draw(st.integers(2, 3)), draw(st.sampled_from([Fraction(1, 2), Fraction(3, 5), Fraction(9, 10)]))  # noqa: E741
    c, beta = draw(st.sampled_from([Fraction(1), Fraction(3)])), draw(st.sampled_from([Fraction(1, 2), Fraction(2)]))
    return draw(
        st.sampled_from(
            [
                Asked(DistinctLDiversity(s, l), lambda one: plainly.is_distinct_diverse(held(one), l)),
                Asked(
                    EntropyLDiversity(s, Fraction(3, 2)),
                    lambda one: plainly.is_entropy_diverse(held(one), Fraction(3, 2)),
                ),
                Asked(RecursiveLDiversity(s, c, 2), lambda one: plainly.is_recursively_diverse(held(one), c, 2)),
                Asked(
                    AlphaKAnonymity(s, share, l),
                    lambda one: plainly.is_alpha_k_anonymous(held(one), len(one.people), share, l),
                ),
                Asked(
                    DeltaDisclosure(s, 1),  # type: ignore[arg-type]
                    lambda one: plainly.is_delta_disclosing(held(one), values.table, Fraction(1)),
                ),
                Asked(
                    BasicBetaLikeness(s, beta), lambda one: plainly.is_basic_beta_like(held(one), values.table, beta)
                ),
                Asked(
                    EnhancedBetaLikeness(s, beta),
                    lambda one: plainly.is_enhanced_beta_like(held(one), values.table, beta),
                ),
                closeness(draw, values),
            ]
        )
    )


def closeness(draw: st.DrawFn, values: Values) -> Asked:
    """t-closeness by one of its distances; diseases have a hierarchy, incomes an order."""
    t = draw(st.sampled_from([Fraction(1, 5), Fraction(2, 5), Fraction(0)]))
    ordered = plainly.ordered(len(values.number))
    default = plainly.hierarchical(values.paths()) if values.name == "disease" and values.number else ordered
    grounds: list[tuple[Distance | None, plainly.Ground]] = [
        (None, default),
        ("equal", plainly.equal),
        ("ordered", ordered),
    ]
    distance, ground = draw(st.sampled_from(grounds))
    return Asked(
        TCloseness(values.name, t, distance), lambda one: plainly.is_close(values.held(one), values.table, t, ground)
    )


def of_size(k: int) -> Asked:
    """k-anonymity."""
    return Asked(KAnonymity(k), lambda one: len(one.people) >= k)


def of_people(draw: st.DrawFn, table: RawTable) -> Asked:
    """A model that looks at how many people there are, in the class or in the population."""
    k, risk = draw(st.integers(2, 4)), draw(st.sampled_from([Fraction(1, 2), Fraction(2, 5), Fraction(1, 4)]))
    low, high = (
        draw(st.sampled_from([Fraction(0), Fraction(1, 3)])),
        draw(st.sampled_from([Fraction(1, 2), Fraction(3, 4)])),
    )

    def present(one: Group) -> bool:
        return plainly.is_present(len(one.people), one.population, low, high)

    asked = [
        Asked(MaximumRisk(risk), lambda one: plainly.highest_risk([len(one.people)]) <= risk),
        Asked(AverageRisk(risk), together=lambda kept, _: plainly.mean_risk([len(one.people) for one in kept]) <= risk),
    ]
    if table.population is not None:
        presence = DeltaPresence(low, high)
        asked += [
            Asked(KMap(k), lambda one: plainly.is_k_map(one.population, k)),
            Asked(presence, together=lambda kept, outside: outside == 0 and all(map(present, kept)))
            if low
            else Asked(presence, present),
        ]
    return draw(st.sampled_from(asked))


# ── Cases ────────────────────────────────────────────────────────────────────────────────────────


@st.composite
def peopled(draw: st.DrawFn) -> RawTable:
    """Tables with two sensitive attributes that some records lack; of few people each, or not; with a population."""
    table = draw(tables(sensitive=True))
    random, records = Random(draw(st.integers(0, 999))), len(table.records)  # noqa: S311  nothing is secret
    people = tuple(str(random.randrange(max(records // 2, 1))) for _ in range(records)) if draw(st.booleans()) else ()
    known = None
    if draw(st.booleans()):
        seen = [*zip(*table.records, strict=True)]
        strangers = [
            tuple(
                random.choice([*column.leaves, cells[0], ""]) for column, cells in zip(table.columns, seen, strict=True)
            )
            for _ in range(draw(st.sampled_from([0, 9, 25])))
        ]
        known = tuple(random.sample([*table.records, *strangers], k=random.randint(1, records + len(strangers))))
    return replace(
        table,
        sensitive=tuple(random.choices(["A", "A", "B", "C", "D", ""], k=records)),
        income=tuple(random.choices(["10", "9", "9", "200", ""], k=records)),
        people=people,
        population=known,
    )


@dataclass(frozen=True)
class Case:
    """A table and what is asked of its release.

    Attributes:
        table: the records.
        limit: how many may be suppressed.
        asked: models and their definitions.
        apart: whether every record is a tuple of its own.
    """

    table: RawTable
    limit: int
    asked: tuple[Asked, ...]
    apart: bool

    @property
    def models(self) -> tuple[PrivacyModel, ...]:
        """The models alone."""
        return tuple(one.model for one in self.asked)

    @property
    def problem(self) -> Problem:
        """As algorithms see it."""
        return problem_of(self.table, *self.models, apart=self.apart)

    @property
    def said(self) -> SuppressionLimit:
        """The limit as algorithms see it."""
        return SuppressionLimit(self.limit)

    def satisfied(self, group: Group) -> bool:
        """Whether no model that judges each class alone objects."""
        return all(one.satisfied is None or one.satisfied(group) for one in self.asked)

    def together(self, kept: Sequence[Group], outside: int) -> bool:
        """Whether no model of all classes objects."""
        return all(one.together is None or one.together(kept, outside) for one in self.asked)

    def nodes(self) -> dict[Node, Plain]:
        """Every node by definition."""
        k = max(model.declared.smallest_class for model in self.models)
        limit = min(self.limit, len(self.table.records))
        return every_node(self.table, self.satisfied, limit, k, self.together)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """One to three models, of values, of people, or k-anonymity; some records may be suppressed, or many, or none."""
    table = draw(peopled())
    limit = draw(st.sampled_from([len(table.records) // 2, 99, 3, 0, 1]))
    asked: list[Asked] = []
    for _ in range(draw(st.sampled_from([2, 1, 3]))):
        kind = draw(st.sampled_from(["values", "people", "k"]))
        if kind == "k":
            asked.append(of_size(draw(st.sampled_from([2, 3]))))
        else:
            asked.append((of_values if kind == "values" else of_people)(draw, table))
    return Case(table, limit, tuple(asked), draw(st.booleans()))


# ── Every node ───────────────────────────────────────────────────────────────────────────────────


@given(cases(), st.randoms(use_true_random=False))
def test_every_node_is_judged_and_released_as_defined(case: Case, random: Random) -> None:
    """Suppressed records, whether the node may be released, its cost by every metric, and its classes."""
    nodes, problem = case.nodes(), case.problem
    event(f"releasable: {any(plain.releasable for plain in nodes.values())}")
    judges = [NodeEvaluator.of(problem, case.limit, metric) for metric in OBJECTIVES.values()]
    seen = set[tuple[int, ...]]()
    for judged in survey(judges):
        plain = nodes[judged[0].node]
        seen.add(plain.node)
        for one, name in zip(judged, OBJECTIVES, strict=True):
            assert (one.node, one.suppressed, one.releasable) == (plain.node, plain.suppressed, plain.releasable)
            assert one.cost == (pytest.approx(plain.cost(name), abs=1e-9) if plain.releasable else math.inf)
    assert seen == set(nodes)
    node = random.choice(sorted(nodes))
    classes = classes_of(full_domain(problem, node), problem.frequency, problem.domains)
    labels = Counter(
        {
            tuple(of.texts[of.of[region]] for of in classes.labels): int(classes.sizes[number])
            for number, region in enumerate(classes.first)
        }
    )
    assert labels == nodes[node].released
    assert classes.suppressed == nodes[node].suppressed


@given(cases(), st.randoms(use_true_random=False))
def test_floors_are_floors(case: Case, random: Random) -> None:
    """No releasable node costs less than what it, or a node below it, says that it will cost at least."""
    problem = case.problem
    for metric in OBJECTIVES.values():
        judge = NodeEvaluator.of(problem, case.limit, metric)
        judged = {one.node: one for (one,) in survey([judge])}
        for one in judged.values():
            below = tuple(random.randint(0, level) for level in one.node)
            told = [
                judged[below].floor + judge.surcharge * one.suppressed,
                judge.floor_of(below, one.suppressed),
                *([classes_floor(judge, below, one.suppressed)] if judge.bounded_by_classes and one.releasable else []),
            ]
            assert all(floor <= one.cost or math.isclose(floor, one.cost, abs_tol=1e-9) for floor in told)


# ── Every answer ─────────────────────────────────────────────────────────────────────────────────

#: The searches that prove their answer.
PROVING: Sequence[Callable[[SuppressionLimit, str], Algorithm]] = [Exhaustive, Optimal, BestEffort]


@pytest.mark.parametrize("search", PROVING)
@given(case=cases(), metric=st.sampled_from([*OBJECTIVES]))
def test_same_answer_as_the_definition(
    search: Callable[[SuppressionLimit, str], Algorithm], case: Case, metric: str
) -> None:
    """The answer is the optimum, it is proven, and there is none only where no node is releasable."""
    nodes, problem = case.nodes(), case.problem
    optimum = optima(nodes, metric)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_effort, "PARTS", (0, 4, 16))
        if not optimum:
            with pytest.raises(InfeasibleError) as raised:
                search(case.said, metric).solve(problem)
            assert raised.value.hint
            return
        solution = search(case.said, metric).solve(problem)
    assert answer_of(solution) in optimum
    assert solution.proven
    assert solution.bound == pytest.approx(nodes[answer_of(solution)].cost(metric), abs=1e-9)
    check_candidates(solution, nodes, metric)
    check_recoding(solution.recoding, problem, nodes)


@given(case=cases(), objective=st.sampled_from([None, "lm", "c_avg"]))
def test_samarati_finds_all_k_minimal_nodes(case: Case, objective: str | None) -> None:
    """All releasable nodes of least height, and no others, also where no bisection can be trusted."""
    nodes, problem = case.nodes(), case.problem
    minimal, search = k_minimal(nodes), Samarati(case.said, objective)
    if minimal:
        solution = search.solve(problem)
        assert sorted(candidate.node for candidate in solution.candidates) == minimal
        check_candidates(solution, nodes, objective)
        check_recoding(solution.recoding, problem, nodes)
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
        assert not (all(model.declared.monotone_suppression for model in case.models) and k_minimal(nodes))
    else:
        check_candidates(solution, nodes, "lm")
        check_recoding(solution.recoding, problem, nodes)


@given(cases(), st.randoms(use_true_random=False))
def test_a_given_node_is_released_if_it_may_be(case: Case, random: Random) -> None:
    """Exactly the releasable nodes are released; an error says what to do instead."""
    nodes, problem = case.nodes(), case.problem
    node = random.choice(sorted(nodes))
    if nodes[node].releasable:
        check_candidates(GivenNode(node, case.said).solve(problem), nodes, "lm")
    else:
        with pytest.raises(InfeasibleError) as raised:
            GivenNode(node, case.said).solve(problem)
        assert raised.value.hint


@given(cases())
def test_a_landscape_is_as_defined(case: Case) -> None:
    """Which nodes are releasable, and which of them have none below."""
    nodes = case.nodes()
    seen = landscape(case.problem, case.said, "lm")
    releasable = {node for node, plain in nodes.items() if plain.releasable}
    assert {node for node in nodes if seen.releasable[node]} == releasable
    minimal = {node for node in releasable if not any(is_above(node, one) for one in releasable - {node})}
    assert {node for node in nodes if seen.minimal[node]} == minimal


def check_recoding(recoding: object, problem: Problem, nodes: Mapping[Node, Plain]) -> None:
    """The recoding suppresses what it should."""
    assert isinstance(recoding, FullDomain)
    classes = classes_of(recoding, problem.frequency, problem.domains)
    assert classes.suppressed == nodes[recoding.levels].suppressed
    assert sorted(classes.sizes.tolist()) == nodes[recoding.levels].sizes
