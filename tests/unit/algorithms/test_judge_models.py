"""Models beyond sizes, by hand: what is suppressed, what is judged together, and which searches may trust what."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.algorithms.lattice import classes
from kohort.algorithms.lattice.answer import infeasible
from kohort.algorithms.lattice.best_effort import BestEffort
from kohort.algorithms.lattice.boxes import classes_floor
from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.exhaustive import Exhaustive
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.judge import NodeEvaluator, full_domain
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.rollup import RollUp
from kohort.algorithms.lattice.samarati import Samarati
from kohort.core.recoding import FullDomain
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InfeasibleError, LimitError, UsageError
from kohort.metrics.known import OBJECTIVES
from kohort.models.average_risk import AverageRisk
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.t_closeness import TCloseness
from kohort.schema.sensitive import SensitiveDomain
from tests.reference.lattice import RawTable, problem_of
from tests.unit.algorithms.lattices import chain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.algorithms.problem import Algorithm, Problem
    from kohort.models.base import Declaration, PrivacyModel

#: 6 records of one town and 2 of each of two others, in one province and another.
TOWNS = chain("aN*", "bN*", "cS*")
CELLS = (("a",),) * 6 + (("b",),) * 2 + (("c",),) * 2
VALUES = ("x",) * 6 + ("x", "y") * 2
TABLE = RawTable((TOWNS,), CELLS, VALUES)

#: The records of the first town are of two people; of the others each is of one, who is in no other.
OWNED = replace(TABLE, people=("p", "p", "p", "p", "p", "q", "r", "s", "t", "u"))

#: People of the first two towns, and one of the third.
KNOWN = replace(TABLE, population=(("a",),) * 4 + (("b",),) * 3 + (("c",),))


def judge(table: RawTable, limit: int, *models: PrivacyModel, objective: str = "lm") -> NodeEvaluator:
    """The judge of a table."""
    return NodeEvaluator.of(problem_of(table, *models), limit, OBJECTIVES[objective])


def suppressed(table: RawTable, *models: PrivacyModel) -> list[int]:
    """What each level suppresses."""
    one = judge(table, 10, *models)
    return [one.judge((level,)).suppressed for level in range(3)]


# ── People ───────────────────────────────────────────────────────────────────────────────────────


def test_k_counts_people() -> None:
    """The town of six records is of two people: by records it has six, by people it is too small for three."""
    assert suppressed(TABLE, KAnonymity(3)) == [4, 2, 0]
    assert suppressed(OWNED, KAnonymity(3)) == [10, 2, 0]
    assert suppressed(OWNED, KAnonymity(2)) == [0, 0, 0]


def test_somebody_counts_once_in_a_merged_class() -> None:
    """One person with records in two towns is one in their province."""
    nomad = replace(TABLE, people=("p", "p", "p", "p", "p", "q", "p", "q", "t", "u"))
    assert suppressed(nomad, KAnonymity(3)) == [10, 10, 0]
    classes = judge(nomad, 10, KAnonymity(3)).classes((1,))
    assert sorted(zip(classes.people.tolist(), classes.rolled.sizes.tolist(), strict=True)) == [(2, 2), (2, 8)]


def test_somebody_counts_once_for_each_value() -> None:
    """Histograms count people: who has a value in several records has it once."""
    classes = judge(OWNED, 10, DistinctLDiversity("disease", 2)).classes((2,))
    profile = classes.profile(np.array([0]))
    assert profile.sizes.tolist() == [6]
    assert profile.of("disease").counts.tolist() == [[4, 2]]


def test_metrics_count_records() -> None:
    """Costs, suppressed records and class sizes are in records, whoever they are of."""
    outcome = judge(OWNED, 10, KAnonymity(2)).candidate((0,)).outcome
    assert (outcome.suppressed, sorted(outcome.sizes.tolist())) == (0, [2, 2, 6])
    assert judge(OWNED, 10, KAnonymity(3)).candidate((1,)).outcome.sizes.tolist() == [8]


def test_few_people_may_have_many_records() -> None:
    """What holds where it is small classes that go holds no more: no surcharge, no floor of C_AVG."""
    by_records, by_people = (judge(one, 10, KAnonymity(3), objective="c_dm") for one in (TABLE, OWNED))
    assert (by_records.size_only, by_records.by_records, by_records.surcharge) == (True, True, 8)
    assert (by_people.size_only, by_people.by_records, by_people.surcharge) == (True, False, 0)
    assert not judge(OWNED, 10, KAnonymity(3), objective="c_avg").bounded
    alone = judge(replace(TABLE, people=("p",) * 6 + ("q", "r", "s", "t")), 10, KAnonymity(2), objective="c_dm")
    least = alone.judge((0,))
    assert (least.suppressed, least.cost) == (6, 6 * 10 + 2 * 2**2)
    assert classes_floor(alone, (0,), least.suppressed) <= least.cost


def test_less_to_ask_for_is_in_people() -> None:
    """The hint's k is of people, at the node that comes closest; and so is what there is in all."""
    capped = RawTable((replace(TOWNS, max_level=1),), (("a",),) * 6 + (("c",),) * 4)
    for people, said in (("pppqqqrstu", "or ask for 2-anonymity at most"), ("pppppprstu", "or lower the requirement")):
        with pytest.raises(InfeasibleError) as raised:
            Exhaustive().solve(problem_of(replace(capped, people=tuple(people)), KAnonymity(3)))
        assert raised.value.hint == f"allow 6 records to be suppressed, allow a higher level of q0, {said}"
    with pytest.raises(InfeasibleError, match="needs at least 7 people in a class, but there are only 6") as raised:
        Exhaustive().solve(problem_of(OWNED, KAnonymity(7)))
    assert raised.value.hint == "bring more people, or ask for k = 6 at most"


# ── Population ───────────────────────────────────────────────────────────────────────────────────


def test_people_of_the_population_are_counted_by_the_node() -> None:
    """A class fits those of the population whose values fall on the same nodes; it may fit nobody."""
    one = judge(KNOWN, 10, KMap(2))
    for level, expected in enumerate(([4, 3, 1], [7, 1], [8])):
        classes = one.classes((level,))
        population = classes.profile(np.arange(classes.people.size)).population
        assert population is not None
        assert sorted(population.tolist()) == sorted(expected)
    assert suppressed(KNOWN, KMap(2)) == [2, 2, 0]
    assert suppressed(replace(TABLE, population=(("a",),)), KMap(2)) == [10, 10, 10]


def test_classes_of_the_population_alone_are_none() -> None:
    """Where only the population has a value there is no class, no cost and nothing to suppress."""
    fewer = replace(KNOWN, records=CELLS[:8], sensitive=VALUES[:8])
    one = judge(fewer, 8, KMap(2), objective="c_avg")
    judged = one.judge((0,))
    assert (judged.suppressed, judged.releasable) == (0, True)
    assert judged.cost == 8 / 2
    assert one.classes((0,)).people.size == 2


def test_a_model_of_the_population_needs_one() -> None:
    """Without a population table it is a usage error, not an answer."""
    with pytest.raises(UsageError, match="population"):
        Exhaustive().solve(problem_of(TABLE, KMap(2)))


def test_people_and_a_population_at_once() -> None:
    """The people of the population are nobody of the table, whoever is first in it."""
    both = replace(OWNED, population=KNOWN.population)
    classes = judge(both, 10, KAnonymity(2), KMap(2)).classes((1,))
    profile = classes.profile(np.arange(classes.people.size))
    assert profile.population is not None
    assert sorted(zip(profile.sizes.tolist(), profile.population.tolist(), strict=True)) == [(2, 1), (4, 7)]


# ── All classes together ─────────────────────────────────────────────────────────────────────────


def test_what_is_left_is_judged_together() -> None:
    """Three classes of ten people are an average risk of 0.3; what k-anonymity suppresses does not count."""
    one = judge(TABLE, 10, AverageRisk(Fraction(1, 4)))
    assert [one.judge((level,)).releasable for level in range(3)] == [False, True, True]
    assert [one.judge((level,)).suppressed for level in range(3)] == [0, 0, 0]
    assert judge(TABLE, 10, AverageRisk(Fraction(1, 4)), KAnonymity(3)).judge((0,)).releasable


def test_nothing_is_suppressed_for_a_model_of_all_classes() -> None:
    """The recoding keeps classes that would fail it alone."""
    recoding = full_domain(problem_of(TABLE, AverageRisk(Fraction(1, 4))), (1,))
    assert recoding.of.min() >= 0
    assert isinstance(recoding, FullDomain)


def test_models_of_all_classes_are_never_relied_on() -> None:
    """A search may not infer anything from one node to another, whatever such a model declares of itself."""
    one = judge(TABLE, 10, KAnonymity(2), AverageRisk(Fraction(1, 4)))
    assert (one.monotone, one.size_only, one.k) == (False, False, 2)
    assert judge(TABLE, 0, AverageRisk(Fraction(1, 4))).k == 1
    assert judge(TABLE, 10, MaximumRisk(Fraction(1, 3))).monotone


def test_whom_no_kept_class_fits_is_outside() -> None:
    """Where the third town is suppressed its person is known to be absent; where it is not, nobody is."""
    whole = DeltaPresence(Fraction(1, 9), Fraction(1))
    everybody = replace(TABLE, population=CELLS)
    assert judge(everybody, 10, whole).judge((0,)).releasable
    assert not judge(everybody, 10, whole, DistinctLDiversity("disease", 2)).judge((0,)).releasable
    assert judge(everybody, 10, whole, DistinctLDiversity("disease", 2)).judge((1,)).releasable


def test_an_error_says_what_failed_together() -> None:
    """No hint to suppress more where that would not do; where it would, only nodes that it is true of are named."""
    every = problem_of(replace(TABLE, columns=(replace(TOWNS, max_level=0),)), AverageRisk(Fraction(1, 4)))
    with pytest.raises(
        InfeasibleError, match=r"no combination of levels leaves classes that together meet average risk 0\.25"
    ):
        Exhaustive().solve(every)
    with pytest.raises(
        InfeasibleError, match=r"the node 0 leaves classes that together do not meet average risk 0\.25"
    ):
        GivenNode((0,)).solve(every)
    enough = replace(every, models=(KAnonymity(3), AverageRisk(Fraction(1, 4))))
    with pytest.raises(InfeasibleError, match="suppresses 4") as raised:
        Exhaustive().solve(enough)
    assert raised.value.hint == "allow 4 records to be suppressed, allow a higher level of q0, or lower the requirement"


def test_nobody_left_meets_nothing_together() -> None:
    """Where all is suppressed no model of all classes is asked."""
    one = judge(TABLE, 10, KAnonymity(11), AverageRisk(Fraction(1, 4)))
    assert not one.judge((2,)).together
    assert "needs at least 11 records" in infeasible(one, [one.judge((2,))]).what


# ── The counter-example ──────────────────────────────────────────────────────────────────────────

#: Towns, and how many of their records have A and how many B: in a and c as many as in the table.
TWO_BY_TWO = chain("ap*", "bp*", "cq*", "dq*")
PARTS: Mapping[str, tuple[int, int]] = {"a": (10, 10), "b": (9, 1), "c": (5, 5), "d": (1, 9)}

#: The records of b and d.
ODD = 20


def closeness() -> Problem:
    """0.1-closeness over these towns."""
    rows = [(leaf, value) for leaf, (a, b) in PARTS.items() for value in "A" * a + "B" * b]
    table = RawTable((TWO_BY_TWO,), tuple((leaf,) for leaf, _ in rows), tuple(value for _, value in rows))
    return problem_of(table, TCloseness("disease", Fraction(1, 10), "equal"))


def trusting(problem: Problem) -> Problem:
    """The same for a search that believes the model monotone under suppression."""
    (asked,) = problem.models
    trusted = replace(asked.declared, monotone_suppression=True)

    class Trusted(TCloseness):
        @property
        def declared(self) -> Declaration:
            return trusted

    assert isinstance(asked, TCloseness)
    return replace(problem, models=(Trusted(asked.sensitive, asked.t, asked.distance),))


@pytest.mark.parametrize("search", [Exhaustive, Optimal, BestEffort, Samarati, Datafly])
def test_generalizing_may_suppress_more_for_t_closeness(search: Callable[[SuppressionLimit], Algorithm]) -> None:
    """The towns suppress the 20 records of b and d, the provinces all 50, the whole country none.

    Of 50 records 25 have A. In p, which is a and b, 19 of 30 have it, in q 6 of 20: both are further off than 0.1,
    while a and c were as the table is. So the towns are the answer, though the provinces above them fail.
    """
    problem = closeness()
    one = NodeEvaluator.of(problem, ODD, OBJECTIVES["lm"])
    assert [one.judge((level,)).suppressed for level in range(3)] == [ODD, 50, 0]
    solution = search(SuppressionLimit(ODD)).solve(problem)
    assert solution.candidates[0].node == (0,)
    assert solution.candidates[0].outcome.suppressed == ODD


@pytest.mark.parametrize("search", [Optimal, Samarati])
def test_to_trust_it_would_give_a_worse_release(search: Callable[[SuppressionLimit], Algorithm]) -> None:
    """A search that believes the model monotone infers from the provinces that the towns fail: it bisects past them."""
    solution = search(SuppressionLimit(ODD)).solve(trusting(closeness()))
    assert solution.candidates[0].node == (2,)


# ── Memory ───────────────────────────────────────────────────────────────────────────────────────


def test_too_many_sensitive_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would not fit is refused before it is made, by the column that has most values."""
    problem = problem_of(replace(TABLE, income=("1", "2", "3", "4", "5") * 2), KAnonymity(2))
    rows = 2 * 3 * (2 + 5) * 4
    monkeypatch.setattr(classes, "MOST_BYTES", rows)
    RollUp.of(problem.frequency, problem.domains)
    monkeypatch.setattr(classes, "MOST_BYTES", rows - 1)
    with pytest.raises(LimitError, match="3 classes and 7 sensitive values") as raised:
        RollUp.of(problem.frequency, problem.domains)
    assert (raised.value.where, raised.value.exit_status) == ("column income", 8)
    assert raised.value.hint
    population = problem_of(replace(KNOWN, sensitive=()), KMap(2))
    monkeypatch.setattr(classes, "MOST_BYTES", 0)
    with pytest.raises(LimitError) as raised:
        RollUp.of(population.frequency, population.domains, population.population)
    assert raised.value.where == "population"


def test_ten_thousand_values_of_thirty_thousand_classes_are_refused() -> None:
    """Some gigabytes are not asked for to find out that they are not there."""
    frequency = problem_of(TABLE, KAnonymity(2)).frequency
    domain = SensitiveDomain("code", np.ones(10_000, np.int64))
    layout = classes.Layout.of((domain,), population=False)
    with pytest.raises(LimitError, match="30,000 classes"):
        layout.tallied(frequency, None, np.arange(30_000))


@pytest.mark.parametrize("narrow", [1, 1 << 31])
def test_tallies_are_as_wide_as_they_must_be(narrow: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts that 32 bits cannot hold get 64, and nodes are judged alike."""
    monkeypatch.setattr(classes, "NARROW", narrow)
    one = judge(KNOWN, 10, DistinctLDiversity("disease", 2), KMap(2))
    assert isinstance(one.rollup, RollUp)
    assert one.rollup.bottom.tallies.dtype == (np.int64 if narrow == 1 else np.int32)
    assert [one.judge((level,)).suppressed for level in range(3)] == [8, 2, 0]
