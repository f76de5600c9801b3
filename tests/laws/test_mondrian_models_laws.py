"""Mondrian's laws for models beyond sizes: whatever is asked of a class, and whoever is counted."""

# pyright: reportIncompatibleMethodOverride=false
#   a field of a frozen test model is as good as the property that it overrides

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort.algorithms.mondrian import blocks, waves
from kohort.algorithms.mondrian.dimension import AtRandom, MostValues
from kohort.algorithms.mondrian.mondrian import Cut, Mondrian
from kohort.core.frequency import FrequencySet
from kohort.core.recoding import Multidimensional
from kohort.errors import InfeasibleError
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.base import Declaration, PrivacyModel
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.k_anonymity import KAnonymity
from kohort.models.t_closeness import TCloseness
from kohort.schema import Label, Scale
from kohort.schema.sensitive import SensitiveDomain
from tests.reference.lattice import Column, RawTable, problem_of
from tests.reference.mondrian import Record, mondrian
from tests.reference.mondrian_tables import VALUES, DistinctLDiversity, SmallTable, in_order, leaves_of
from tests.toy_models import ToyModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile
    from tests.reference.mondrian_tables import Leaves

CUTS: st.SearchStrategy[Cut] = st.sampled_from(["nearest", "median"])
DIMENSIONS = st.none() | st.just(MostValues()) | st.builds(AtRandom, st.integers(0, 10**18 - 1))
MODES = st.builds(Mondrian, CUTS, st.booleans(), DIMENSIONS)


@dataclass(frozen=True)
class Whimsical(ToyModel):
    """A model without any rule to rely on: of two attributes, people and population together."""

    divisor: int
    name: str = "whimsical"

    @property
    def declared(self) -> Declaration:
        """What it declares."""
        return Declaration(sensitive="disease", monotone_generalization=False, monotone_suppression=False)

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes' counts, weighed, are no multiple of the divisor."""
        weighed = classes.sizes + classes.of("disease").counts @ np.array([1, 3, 7])
        weighed = weighed + classes.of("income").counts @ np.array([2, 5, 11])
        return np.asarray(weighed % self.divisor != 0)


@dataclass(frozen=True)
class Known(ToyModel):
    """At least so many people of the population fit the class's label."""

    k: int
    name: str = "known"

    @property
    def declared(self) -> Declaration:
        """What it declares."""
        return Declaration(population=True, monotone_generalization=True, monotone_suppression=True)

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes have so many."""
        assert classes.population is not None
        return classes.population >= self.k


@st.composite
def tables(draw: st.DrawFn) -> SmallTable:
    """Tables of 10 to 40 tuples in one to three dimensions, two sensitive attributes with gaps, and few people."""
    dimensions, largest = draw(st.integers(1, 3)), draw(st.sampled_from([1, 4, 9, 60]))
    code, value, people = st.integers(0, largest), st.integers(0, VALUES), draw(st.booleans())
    whose = st.integers(0, 12 * people)
    record = st.builds(Record, st.tuples(*[code] * dimensions), st.tuples(value, value), whose)
    tuples = draw(st.lists(st.tuples(record, st.integers(1, 3)), min_size=10, max_size=40))
    scale, ones = tuple(range(largest + 1)), (Fraction(1),) * dimensions
    return SmallTable(tuple(tuples), (scale,) * dimensions, ones, wide=draw(st.booleans()), people=people)


def counted(table: SmallTable, records: list[Record], column: int) -> list[int]:
    """How many people, or records, have each value."""
    if table.people:
        values = Counter(value for value, _ in {(record.sensitive[column], record.person) for record in records})
    else:
        values = Counter(record.sensitive[column] for record in records)
    return [values[value] for value in range(VALUES)]


def size(table: SmallTable, records: list[Record]) -> int:
    """How many people, or records, there are."""
    return len({record.person for record in records}) if table.people else len(records)


def whimsy(table: SmallTable, divisor: int) -> Callable[[list[Record]], bool]:
    """The whimsical model and 2-anonymity, said plainly."""

    def satisfied(records: list[Record]) -> bool:
        weighed = size(table, records)
        for column, weights in enumerate(((1, 3, 7), (2, 5, 11))):
            weighed += sum(map(int.__mul__, counted(table, records, column), weights))
        return size(table, records) >= 2 and weighed % divisor != 0

    return satisfied


def diverse(table: SmallTable, k: int, l: int) -> Callable[[list[Record]], bool]:  # noqa: E741  the paper's letter
    """k-anonymity and distinct l-diversity, said plainly."""
    return lambda records: size(table, records) >= k and sum(count > 0 for count in counted(table, records, 0)) >= l


def released(leaves: Leaves) -> list[list[Record]]:
    """The classes that leaves become: those of the same ranges are one."""
    classes: dict[tuple[tuple[int, int], ...], list[Record]] = {}
    for leaf in leaves:
        columns = zip(*(record.quasi for record in leaf), strict=True)
        classes.setdefault(tuple((min(codes), max(codes)) for codes in columns), []).extend(leaf)
    return [*classes.values()]


@given(tables(), st.integers(2, 4), MODES)
def test_reference_agrees_on_any_model(table: SmallTable, divisor: int, how: Mondrian) -> None:
    """With a model that follows no rule the leaves are those of the plain reference, if they satisfy as released."""
    satisfied = whimsy(table, divisor)
    assume(satisfied(table.records()))
    problem = table.problem(KAnonymity(2), Whimsical(divisor))
    rules = table.rules(satisfied, how.cut, relaxed=how.relaxed, dimension=how.dimension)
    leaves = in_order(mondrian(table.records(), rules))
    if all(map(satisfied, released(leaves))):
        assert leaves_of(how.solve(problem), table) == leaves
    else:
        with pytest.raises(InfeasibleError, match="but all together do not"):
            how.solve(problem)


@given(tables(), st.integers(2, 4), st.integers(2, 3), MODES)
def test_reference_agrees_on_diversity(table: SmallTable, k: int, l: int, how: Mondrian) -> None:  # noqa: E741
    """With distinct l-diversity the leaves are those of the plain reference, in people and in records."""
    satisfied = diverse(table, k, l)
    assume(satisfied(table.records()))
    found = how.solve(table.problem(KAnonymity(k), DistinctLDiversity(l)))
    rules = table.rules(satisfied, how.cut, relaxed=how.relaxed, dimension=how.dimension)
    assert leaves_of(found, table) == in_order(mondrian(table.records(), rules))


@given(tables(), st.integers(2, 4), st.booleans())
def test_reference_agrees_on_a_population(table: SmallTable, k: int, sets: bool) -> None:  # noqa: FBT001
    """With people of a population to hide among, those are counted whom the printed ranges or sets fit."""
    problem = table.problem(KAnonymity(2), Known(k))
    known = [record.quasi for record in table.records() for _ in range(2)][::3]
    if sets:
        problem = replace(problem, domains=tuple(replace(one, scale=Scale.CATEGORICAL) for one in problem.domains))
        assert {one.label for one in problem.domains} == {Label.SET}
    none = np.empty((len(known), 0), np.uint16)
    population = FrequencySet(np.array(known, dtype=np.uint32), none, np.ones(len(known), np.int64))

    def fits(place: int, code: int, records: list[Record]) -> bool:
        codes = {record.quasi[place] for record in records}
        return code in codes if sets else min(codes) <= code <= max(codes)

    def satisfied(records: list[Record]) -> bool:
        fitting = [one for one in known if all(fits(place, code, records) for place, code in enumerate(one))]
        return size(table, records) >= 2 and len(fitting) >= k

    assume(satisfied(table.records()))
    found = Mondrian().solve(replace(problem, population=population))
    rules = table.rules(satisfied, "nearest", relaxed=False)
    assert leaves_of(found, table) == in_order(mondrian(table.records(), rules))


@given(tables(), st.integers(2, 4))
def test_little_room_and_many_threads_change_nothing(table: SmallTable, divisor: int) -> None:
    """The leaves are the same if few cuts are judged at once, and if partitions are dealt to threads."""
    problem = table.problem(KAnonymity(2), Whimsical(divisor))
    assume(whimsy(table, divisor)(table.records()))
    expected = leaves_of(Mondrian().solve(problem), table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waves, "CELLS", 1)
        patch.setattr(waves, "LEAST_CUTS", 5)
        patch.setattr(waves, "LEAST_SHARE", 4)
        assert leaves_of(Mondrian().solve(replace(problem, threads=2)), table) == expected


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize(
    ("model", "leaves"),
    [
        (DistinctLDiversity(3), 100),
        (TCloseness("disease", Fraction(99, 100), "equal"), 60),
        (TCloseness("disease", Fraction(1, 3), "ordered"), 60),
        (BasicBetaLikeness("disease", Fraction(80)), 60),
    ],
    ids=["distinct", "equal", "ordered", "basic"],
)
def test_places_for_few_values_change_nothing(model: PrivacyModel, leaves: int, seed: int, people: bool) -> None:  # noqa: FBT001
    """Where there are many values, the leaves are those of cutting with a place for each, in people too."""
    draw = np.random.default_rng(seed)
    values = (draw.integers(0, 700, (900, 2)) * draw.random((900, 2))).astype(np.int64)  # 700 and more are missing
    rows = zip(draw.integers(0, 30, (900, 2)).tolist(), values.tolist(), draw.integers(0, 400, 900), strict=True)
    records = tuple((Record(tuple(quasi), tuple(held), int(whose) * people), 1) for quasi, held, whose in rows)
    table = SmallTable(records, (tuple(range(30)),) * 2, (Fraction(1),) * 2, wide=people, people=people)
    problem = table.problem(KAnonymity(3), model)
    domains = tuple(SensitiveDomain(name, np.ones(600, np.int64)) for name in ("disease", "income"))
    sensitive = np.minimum(problem.frequency.sensitive, np.array(600, problem.frequency.sensitive.dtype))
    frequency = replace(problem.frequency, sensitive_domains=domains, sensitive=sensitive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "MANY_VALUES", 10_000)
        expected = Mondrian().solve(replace(problem, frequency=frequency))
        patch.setattr(blocks, "MANY_VALUES", 1)
        patch.setattr(blocks, "ALIKE", 2)
        found = Mondrian().solve(replace(problem, frequency=frequency))
    assert leaves_of(found, table) == leaves_of(expected, table)
    assert found.trace["leaves"] > leaves


def test_a_value_that_somebody_has_again_counts_once() -> None:
    """Also where another one stands between: each third of the values of both sides is of one kind, and no more."""
    held = [(0, 0, 0), (0, 1, 0), (0, 0, 0), (0, 2, 1), (1, 0, 2), (1, 1, 3), (1, 2, 4)]
    records = tuple((Record((code,), (value,), person), 1) for code, value, person in held)
    table = SmallTable(records, ((0, 1),), (Fraction(1),), people=True)
    problem = table.problem(AlphaKAnonymity("disease", Fraction(1, 3), 2))
    assert [len(leaf) for leaf in leaves_of(Mondrian().solve(problem), table)] == [4, 3]


@given(st.lists(st.integers(2, 9) | st.integers(2, 5_000), min_size=1, max_size=40))
def test_partitions_are_counted_together_that_are_about_as_large(sizes: list[int]) -> None:
    """Each once, none with another that has several times as many rows; and their rows are theirs."""
    ends = np.cumsum(sizes)
    open_ = np.column_stack([ends - sizes, ends]).astype(np.int64)
    together = list(blocks.alike(open_))
    assert sorted(np.concatenate(together).tolist()) == open_.tolist()
    for some in together:
        rows = np.diff(some).ravel()
        assert rows.max() <= blocks.ALIKE * rows.min()
        every, of = blocks.rows_of(some)
        assert every.tolist() == [row for first, last in some.tolist() for row in range(first, last)]
        assert np.bincount(of).tolist() == rows.tolist()


def test_people_may_be_in_several_leaves_that_are_released_alike() -> None:
    """In either of two leaves called * half of the people have A; in both together more, as some have B in both."""
    rows = (
        *(("a", "C", "s"), ("a", "B", "t")),
        *(("b", "A", "p"), ("b", "A", "q"), ("c", "B", "u"), ("c", "B", "v")),
        *(("d", "A", "x"), ("d", "A", "y"), ("d", "A", "z"), ("e", "B", "u"), ("e", "B", "v"), ("e", "B", "w")),
    )
    cells, values, people = zip(*rows, strict=True)
    table = RawTable((Column(tuple((cell, "*") for cell in "abcde")),), tuple(zip(cells, strict=True)), values)
    model = AlphaKAnonymity("disease", Fraction(1, 2), 2)
    solution = Mondrian().solve(problem_of(table, model, apart=True))
    assert isinstance(solution.recoding, Multidimensional)
    assert np.bincount(solution.recoding.regions).tolist() == [2, 4, 6]
    with pytest.raises(InfeasibleError, match="but all together do not"):
        Mondrian().solve(problem_of(replace(table, people=people), model))


def test_nobody_may_be_known_to_be_absent() -> None:
    """Leaves that satisfy a joint model one by one are refused where they do not together."""

    @dataclass(frozen=True)
    class Everybody(Known):
        @property
        def declared(self) -> Declaration:
            return replace(Known(self.k).declared, joint=self.everybody)

        def everybody(self, classes: ClassProfile) -> bool:
            return classes.outside == 0

    rows = tuple((Record((value,)), 2) for value in (0, 1, 7, 8))
    table = SmallTable(rows, (tuple(range(9)),), (Fraction(1),))
    problem = table.problem(KAnonymity(2), Everybody(1))

    def known(*codes: int) -> FrequencySet:
        tuples, ones = np.array(codes, dtype=np.uint16)[:, np.newaxis], np.ones(len(codes), np.int64)
        return FrequencySet(tuples, np.empty((len(codes), 0), np.uint16), ones)

    assert len(leaves_of(Mondrian().solve(replace(problem, population=known(0, 8))), table)) == 2
    with pytest.raises(InfeasibleError, match="but all together do not"):
        Mondrian().solve(replace(problem, population=known(0, 4, 8)))
