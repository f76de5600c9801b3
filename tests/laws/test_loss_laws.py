"""Laws of cuts by loss: they are those of the plain reference, on tables of columns of every kind."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort.algorithms.mondrian import by_loss, costs
from kohort.algorithms.mondrian.costs import Groups, Priced
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.models.k_anonymity import KAnonymity
from tests.reference import loss as plain
from tests.reference.loss import KINDS, Group, Mixed
from tests.reference.mondrian import Record
from tests.reference.mondrian_tables import VALUES, DistinctLDiversity, SmallTable, leaves_of

if TYPE_CHECKING:
    from random import Random

    from kohort.algorithms.problem import Problem

KS = st.integers(2, 5)


@st.composite
def tables(draw: st.DrawFn, *, most: int = 30, columns: int = 3) -> Mixed:
    """Tables of up to `most` records and one to `columns` columns of any kind, some with missing values."""
    kinds = tuple(draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=columns)))
    gaps = draw(st.booleans())
    cells = [st.sampled_from([*KINDS[kind][0], *[""] * gaps]) for kind in kinds]
    rows = draw(st.lists(st.tuples(*cells, st.integers(0, VALUES)), min_size=2, max_size=most))
    for place in range(len(kinds)):
        assume(any(row[place] for row in rows))
    return Mixed(kinds, tuple(rows))


def diverse(rows: Group, k: int, l: int) -> bool:  # noqa: E741  the paper's letter
    """Whether there are k records and l different sensitive values."""
    return len(rows) >= k and len({row[-1] for row in rows} - {VALUES}) >= l


def unit_cost(problem: Problem, chosen: list[int]) -> tuple[int, Fraction]:
    """What a group of tuples costs, and what a unit is worth."""
    priced = Priced.of(problem.frequency.quasi, problem.domains, problem.frequency.records)
    room = Groups.empty(1, priced.costs)
    room.add(priced.places, chosen, priced.costs)
    return int(room.cost(priced.costs)[0]), priced.unit


@given(tables(), st.data())
def test_costs_are_the_losses_of_the_labels(table: Mixed, data: st.DataObject) -> None:
    """A group costs the weighted sum of the losses that its labels have, exactly."""
    problem, distinct = table.problem(KAnonymity(2)), sorted(set(table.rows), key=str)
    chosen = data.draw(st.lists(st.integers(0, len(distinct) - 1), min_size=1, max_size=9))
    found, unit = unit_cost(problem, chosen)
    assert found == unit * plain.cost([distinct[one] for one in chosen], table.columns())


def vast(*_: int) -> int:
    """A common denominator that is too large."""
    return 1 << 62


@given(tables(), st.data())
def test_costs_that_no_integer_holds_are_rounded_once(table: Mixed, data: st.DataObject) -> None:
    """Where the common denominator is too large, a cost is off by less than a unit for each table entry."""
    problem, distinct = table.problem(KAnonymity(2)), sorted(set(table.rows), key=str)
    chosen = data.draw(st.lists(st.integers(0, len(distinct) - 1), min_size=1, max_size=9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(costs, "LARGEST", 1 << 30)
        patch.setattr("math.lcm", vast)
        found, unit = unit_cost(problem, chosen)
    expected = plain.cost([distinct[one] for one in chosen], table.columns())
    assert unit <= 1 << 30
    assert abs(found - unit * expected) <= 2 * len(table.kinds)


@given(st.lists(st.integers(0, 99), min_size=2, max_size=9, unique=True), st.booleans())
def test_a_range_costs_the_same_wherever_its_numbers_begin(numbers: list[int], rounded: bool) -> None:  # noqa: FBT001
    """Of moments, say, counted from long ago: also where costs are rounded, not a unit is lost."""
    found: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        if rounded:
            patch.setattr(costs, "LARGEST", 1 << 30)
            patch.setattr("math.lcm", vast)
        for begin in (100, 10**15):
            table = Mixed(("range",), tuple((str(begin + number), 0) for number in sorted(numbers)))
            found.append(unit_cost(table.problem(KAnonymity(2)), [0, len(numbers) // 2])[0])
    assert found[0] == found[1]


@given(tables(), KS)
def test_reference_agrees(table: Mixed, k: int) -> None:
    """The leaves are those of the plain reference, left before right."""
    assume(len(table.rows) >= k)
    expected = plain.by_loss(list(table.rows), table.columns(), lambda rows: len(rows) >= k)
    assert table.leaves_of(Mondrian("loss").solve(table.problem(KAnonymity(k)))) == expected


@given(tables(most=40, columns=2), KS, st.integers(2, 3), st.sampled_from([1, by_loss.RANKED]))
def test_reference_agrees_on_diversity(table: Mixed, k: int, l: int, room: int) -> None:  # noqa: E741
    """With distinct l-diversity the leaves are those of the plain reference, also where few partitions find room."""
    assume(diverse(list(table.rows), k, l))
    expected = plain.by_loss(list(table.rows), table.columns(), lambda rows: diverse(rows, k, l))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_loss, "RANKED", room)
        found = Mondrian("loss").solve(table.problem(KAnonymity(k), DistinctLDiversity(l)))
    assert table.leaves_of(found) == expected


@given(tables(), KS, st.randoms(use_true_random=False))
def test_order_of_tuples_does_not_matter(table: Mixed, k: int, random: Random) -> None:
    """Tuples in another order make the same leaves."""
    assume(len(table.rows) >= k)
    problem = table.problem(KAnonymity(k))
    order = list(range(problem.frequency.counts.size))
    random.shuffle(order)
    turned = replace(problem, frequency=problem.frequency.take(np.array(order), problem.frequency.counts[order]))
    found, other = (Mondrian("loss").solve(one).recoding for one in (problem, turned))
    np.testing.assert_array_equal(found.regions[order], other.regions)  # type: ignore[union-attr]
    np.testing.assert_array_equal(found.low, other.low)  # type: ignore[union-attr]


@st.composite
def clustered(draw: st.DrawFn) -> SmallTable:
    """Tables whose values lie close together in two places far apart: more are spanned than are told apart at once."""
    dimensions = draw(st.integers(1, 2))
    code = st.sampled_from([*range(5), *range(1000, 1005)])
    record = st.builds(Record, st.tuples(*[code] * dimensions), st.tuples(st.integers(0, VALUES)), st.just(0))
    tuples = draw(st.lists(st.tuples(record, st.integers(1, 2)), min_size=10, max_size=40))
    return SmallTable(tuple(tuples), (tuple(range(1005)),) * dimensions, (Fraction(1),) * dimensions)


def allows_a_cut(leaf: list[Record], k: int, l: int) -> bool:  # noqa: E741  the paper's letter
    """Whether any value of any dimension parts the records so that both sides have k, and l sensitive values."""

    def fits(rows: list[Record]) -> bool:
        return len(rows) >= k and len({row.sensitive[0] for row in rows} - {VALUES}) >= l

    sides = (
        [[row for row in leaf if (row.quasi[one] <= value.quasi[one]) == left] for left in (True, False)]
        for one in range(len(leaf[0].quasi))
        for value in leaf
    )
    return any(fits(left) and fits(right) for left, right in sides)


@given(clustered(), KS, st.sampled_from([0, 2]))
def test_no_allowable_cut_is_overlooked(table: SmallTable, k: int, l: int) -> None:  # noqa: E741
    """Though values are taken together where there are many, no value of any dimension parts a leaf."""
    records = table.records()
    assume(len({row.sensitive[0] for row in records} - {VALUES}) >= l)
    models = [KAnonymity(k), DistinctLDiversity(l)] if l else [KAnonymity(k)]
    leaves = leaves_of(Mondrian("loss").solve(table.problem(*models)), table)
    assert sorted(row for leaf in leaves for row in leaf) == sorted(records)
    assert not any(allows_a_cut(leaf, k, l) for leaf in leaves)


@given(clustered(), KS)
def test_relaxed_leaves_of_differing_tuples_are_below_2k(table: SmallTable, k: int) -> None:
    """What no cut between values parts is dealt: leaves have k records, and below 2k where their tuples differ."""
    for leaf in leaves_of(Mondrian("loss", relaxed=True).solve(table.problem(KAnonymity(k))), table):
        assert len(leaf) >= k
        assert len(leaf) < 2 * k or len({record.quasi for record in leaf}) == 1


@given(tables(most=24, columns=2), KS)
def test_people_are_counted(table: Mixed, k: int) -> None:
    """Where records say whose they are, a side needs k people: the leaves are those of the plain reference."""

    def people(rows: Group) -> int:
        return len({row[-1] for row in rows})

    assume(people(list(table.rows)) >= k)
    problem = table.problem(KAnonymity(k))
    whose = problem.frequency.sensitive[:, 0].astype(np.int64)
    expected = plain.by_loss(list(table.rows), table.columns(), lambda rows: people(rows) >= k)
    found = Mondrian("loss").solve(replace(problem, frequency=replace(problem.frequency, people=whose)))
    assert table.leaves_of(found) == expected
