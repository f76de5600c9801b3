"""Laws of the order cut: its orders are those of the plain reference, and no division of them costs less."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort.algorithms.mondrian import ordered
from kohort.algorithms.mondrian.costs import Groups
from kohort.algorithms.mondrian.division import NEVER, Division, Window, divide
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Distinct, Divided, Ordered, again, divided_by, inverse, orders
from kohort.algorithms.mondrian.reordering import BESIDE, reordered
from kohort.core.recoding import Multidimensional
from kohort.errors import InfeasibleError
from kohort.models.k_anonymity import KAnonymity
from tests.laws.test_loss_laws import diverse, tables
from tests.reference import loss as plain
from tests.reference.loss import KINDS, Mixed
from tests.reference.mondrian_tables import VALUES, DistinctLDiversity

if TYPE_CHECKING:
    from random import Random

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Index
    from tests.reference.loss import Row

KS = st.integers(2, 4)


def distinct_rows(table: Mixed, found: Distinct) -> list[Row]:
    """The different tuples as the search numbers them."""
    rows = sorted(set(table.rows), key=str)
    of = dict(zip(found.which.tolist(), rows, strict=True))
    return [of[number][:-1] for number in range(found.counts.size)]


def line_of(table: Mixed, found: Distinct, order: Index) -> list[Row]:
    """The records one after another, as the search lays them out."""
    rows = sorted(set(table.rows), key=str)
    return [rows[one] for one in found.spread(inverse(order), np.ones(order.size, np.bool_)).tolist()]


@given(tables(), st.integers(2, 8), st.integers(1, 3))
def test_orders_are_those_of_the_reference(table: Mixed, k: int, finer: int) -> None:
    """The tuples follow one another in the tree's order, and to and fro, as the plain reference says."""
    found, columns = Distinct.of(table.problem(KAnonymity(k))), table.columns()
    rows = distinct_rows(table, found)
    numbers: list[list[int]] = [order.tolist() for order in orders(found, k, finer)]
    tree, lexicographic = ([rows[one] for one in order] for order in numbers)
    places = [plain.places_of(row, columns) for row in tree]  # texts of equal numbers are one tuple
    assert places == [
        plain.places_of(row, columns) for row in plain.tree_order(unified(table), columns, -(-k // finer))
    ]
    expected = plain.to_and_fro(unified(table), columns)
    assert [plain.places_of(row, columns) for row in lexicographic] == [
        plain.places_of(row, columns) for row in expected
    ]


def unified(table: Mixed) -> list[Row]:
    """The records, numbers that are equal and values of one cell written alike."""
    columns = table.columns()
    first = [{column.places[text]: text for text in sorted(column.places, reverse=True)} for column in columns]
    return [
        (*(first[at][column.places[str(row[at])]] for at, column in enumerate(columns)), row[-1]) for row in table.rows
    ]


@given(tables(most=11, columns=2), KS, st.randoms(use_true_random=False))
def test_no_division_of_an_order_costs_less(table: Mixed, k: int, random: Random) -> None:
    """Of all divisions of any order into classes of k records or more, the one found costs least.

    Of several it is the one whose last class is smallest, then the class before it, and so on.
    """
    assume(len(table.rows) >= k)
    problem, columns = table.problem(KAnonymity(k)), table.columns()
    found = Distinct.of(problem)
    order = list(range(found.counts.size))
    random.shuffle(order)
    divided = divided_by(found, np.array(order), problem, k)
    line = line_of(table, found, np.array(order))
    ways = [
        (plain.total([line[a:b] for a, b in pairwise([0, *ends])], columns), [-end for end in (*ends[::-1], 0)])
        for ends in plain.divisions(len(line), k)
    ]
    least, ends = min(ways)
    assert divided.total == found.priced.unit * least
    classes = [line[a:b] for a, b in pairwise([0, *divided.ends.tolist()])]
    assert divided.total == found.priced.unit * plain.total(classes, columns)
    assert min(map(len, classes)) >= k
    if found.counts.max() < ordered.ENOUGH * k:
        assert [-end for end in (*divided.ends.tolist()[::-1], 0)] == ends


@given(tables(most=40), st.integers(2, 12), st.randoms(use_true_random=False))
def test_a_window_knows_what_every_class_costs(table: Mixed, k: int, random: Random) -> None:
    """After each record, of the classes of up to 2k - 1 records that end with it, each costs what the group costs."""
    found = Distinct.of(table.problem(KAnonymity(k)))
    order = list(range(found.counts.size))
    random.shuffle(order)
    line = found.line(np.array(order), found.counts)
    records = int(line.ends[-1])
    runs = np.repeat(np.arange(len(order)), np.diff(line.ends)).tolist()
    seen, out = Window.of(2 * k - 1, line.costs), Division(*np.zeros((2, records + 1), np.int64))
    for end in range(1, records + 1):
        divide(line, (end, end, k, runs[end - 1]), np.empty((0, k), np.bool_), seen, out)
        room = Groups.empty(1, line.costs)
        for start in range(end - 1, max(end - 2 * k, -1), -1):
            room.add(line.places, [runs[start]], line.costs)
            assert seen.dear[start % seen.dear.size] == room.cost(line.costs)[0]


def test_many_values_are_sorted_as_few_are() -> None:
    """Columns of more than 65,536 values are sorted with columns of fewer, the first column first."""
    keys = np.array([[1, 1 << 16], [0, 70_000], [1, 5], [0, 3]], dtype=np.uint32)
    assert ordered.lexicographic(keys).tolist() == [3, 1, 2, 0]


@st.composite
def crowded(draw: st.DrawFn) -> Mixed:
    """Tables of few different tuples with many records each."""
    kinds = tuple(draw(st.lists(st.sampled_from(["range", "set", "ancestor"]), min_size=1, max_size=2)))
    row = st.tuples(*[st.sampled_from(KINDS[kind][0][:3]) for kind in kinds], st.integers(0, VALUES))
    drawn = draw(st.lists(st.tuples(row, st.sampled_from([1, 2, 3, 9, 14, 25])), min_size=2, max_size=6))
    return Mixed(kinds, tuple(row for row, count in drawn for _ in range(count)))


@given(crowded(), st.integers(2, 3))
def test_equal_records_that_are_not_looked_at_change_nothing(table: Mixed, k: int) -> None:
    """The best division is that of a plain search over all records, though of equal ones some are left out."""
    assume(len(table.rows) >= k)
    problem, columns = table.problem(KAnonymity(k)), table.columns()
    found = Distinct.of(problem)
    for order in orders(found, k, 1):
        line = line_of(table, found, order)
        expected = plain.cheapest_division(line, columns, range(k, len(line) + 1), lambda _: True)
        assert expected is not None
        divided = divided_by(found, order, problem, k)
        assert divided.total == found.priced.unit * expected
        assert found.total(found.recoding(divided)) == divided.total
        sizes = np.diff(divided.ends, prepend=0)
        assert sizes.min() >= k
        assert sizes.sum() == len(line)


@given(st.one_of(tables(most=30), crowded()), KS, st.integers(1, 4), st.randoms(use_true_random=False))
def test_new_orders_are_those_of_the_reference(table: Mixed, k: int, first: int, random: Random) -> None:
    """Blocks follow one another, and tuples lean to either side, as the plain reference says."""
    assume(len(table.rows) >= k)
    problem = table.problem(KAnonymity(k))
    found, columns = Distinct.of(problem), table.columns()
    order = list(range(found.counts.size))
    random.shuffle(order)
    divided = divided_by(found, np.array(order), problem, k)
    expected = plain.reordered(*parted(table, found, divided), columns, (first, BESIDE))
    new = reordered(found.priced, divided.order, np.cumsum(found.counts[order]), divided.ends, first)
    rows = distinct_rows(table, found)
    assert sorted(new.tolist()) == sorted(order)
    assert [rows[one] for one in new.tolist()] == expected


def test_windows_of_neighbours_follow_one_another() -> None:
    """Where there are more blocks than a window holds, none leaves its own."""
    table = Mixed(("range", "set"), tuple((str(7 * at % 97), "abc"[at % 3], 0) for at in range(97)))
    problem = table.problem(KAnonymity(2))
    found = Distinct.of(problem)
    divided = divided_by(found, np.arange(found.counts.size), problem, 2)
    assert divided.ends.size > BESIDE + 3
    expected = plain.reordered(*parted(table, found, divided), table.columns(), (3, BESIDE))
    new = reordered(found.priced, divided.order, np.cumsum(found.counts), divided.ends, 3)
    rows = distinct_rows(table, found)
    assert [rows[one] for one in new.tolist()] == expected


def parted(table: Mixed, found: Distinct, divided: Divided) -> tuple[list[Row], list[int], list[int]]:
    """The tuples of a divided line, the records of each, and where its classes end."""
    rows = distinct_rows(table, found)
    return [rows[one] for one in divided.order], found.counts[divided.order].tolist(), divided.ends.tolist()


@given(st.one_of(tables(most=30), crowded()), KS, st.integers(1, 2), st.randoms(use_true_random=False))
def test_no_round_makes_a_division_dearer(table: Mixed, k: int, l: int, random: Random) -> None:  # noqa: E741
    """Every class is together in the new order, so its best division costs no more, with other models too."""
    models = (KAnonymity(k), DistinctLDiversity(l)) if l > 1 else (KAnonymity(k),)
    assume(diverse(list(table.rows), k, l if l > 1 else 0))
    problem = table.problem(*models)
    found = Distinct.of(problem)
    order = np.array(random.sample(range(found.counts.size), found.counts.size))
    divided = divided_by(found, order, problem, k)
    assume(divided.ends.size > 0)
    new = reordered(found.priced, order, np.cumsum(found.counts[order]), divided.ends, random.randint(1, 4))
    assert divided_by(found, new, problem, k).total <= divided.total


@given(tables(most=40), KS)
def test_the_better_order_is_divided_again(table: Mixed, k: int) -> None:
    """The release is the cheaper of both orders after all rounds, each of which puts anew what the last one left."""
    assume(len(table.rows) >= k)
    problem = table.problem(KAnonymity(k))
    found = Distinct.of(problem)
    best = min((divided_by(found, order, problem, k) for order in orders(found, k, ordered.FINER)), key=total_of)
    for first in (BESIDE, BESIDE // 2):
        order = reordered(found.priced, best.order, np.cumsum(found.counts[best.order]), best.ends, first)
        best = divided_by(found, order, problem, k)
    assert cost_of(Ordered(), problem, found) == found.total(found.recoding(best))
    assert again(found, best, problem, k).total <= best.total


@given(tables(most=30), KS, st.randoms(use_true_random=False))
def test_an_order_that_costs_too_much_is_given_up(table: Mixed, k: int, random: Random) -> None:
    """Where only a division below some cost is wanted, it is the best one, or none is made."""
    assume(len(table.rows) >= k)
    problem = table.problem(KAnonymity(k))
    found = Distinct.of(problem)
    order = np.array(random.sample(range(found.counts.size), found.counts.size))
    divided = divided_by(found, order, problem, k)
    for most in (0, divided.total, divided.total + 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ordered, "AT_A_TIME", random.randint(1, 9))
            below = divided_by(found, order, problem, k, most)
        assert below.total in (divided.total, NEVER)
        assert (below.ends.size == 0) == (below.total == NEVER)
        if divided.total < most:
            np.testing.assert_array_equal(below.ends, divided.ends)
        assert most > 0 or len(table.rows) < 2 * k or below.total == NEVER


def total_of(divided: Divided) -> int:
    """What a division costs."""
    return divided.total


@given(tables(most=40), KS)
def test_with_k_as_the_trees_least_it_never_costs_more_than_cuts_by_loss(table: Mixed, k: int) -> None:
    """The leaves of the cuts by loss are a division of the order, so the best division costs no more."""
    assume(len(table.rows) >= k)
    problem = table.problem(KAnonymity(k))
    found = Distinct.of(problem)
    assert cost_of(Ordered(finer=1), problem, found) <= cost_of(Mondrian("loss"), problem, found)


def cost_of(how: Ordered | Mondrian, problem: Problem, table: Distinct) -> int:
    """Records times cost of a release."""
    recoding = how.solve(problem).recoding
    assert isinstance(recoding, Multidimensional)
    return table.total(recoding)


@given(tables(most=40), st.integers(2, 5), st.randoms(use_true_random=False))
def test_classes_hold_every_record_once_in_any_order(table: Mixed, k: int, random: Random) -> None:
    """Classes have k records and hold every record once; tuples in another order make the same classes."""
    assume(len(table.rows) >= k)
    table = Mixed(table.kinds, tuple(unified(table)))  # the frequency set is distinct, as the method asks
    problem = table.problem(KAnonymity(k))
    leaves = table.leaves_of(Ordered().solve(problem))
    assert min(map(len, leaves)) >= k
    assert Counter(row for leaf in leaves for row in leaf) == Counter(table.rows)
    order = list(range(problem.frequency.counts.size))
    random.shuffle(order)
    turned = replace(problem, frequency=problem.frequency.take(np.array(order), problem.frequency.counts[order]))
    other = Ordered().solve(turned).recoding
    assert isinstance(other, Multidimensional)
    rows = sorted(set(table.rows), key=str)
    again: list[list[Row]] = [[] for _ in other.low]
    for piece, region, count in zip(other.tuples, other.regions, other.counts, strict=True):
        again[int(region)] += [rows[order[int(piece)]]] * int(count)
    assert [sorted(one, key=str) for one in again] == leaves


@given(crowded())
def test_borders_deal_in_proportion(table: Mixed) -> None:
    """However many records of a tuple lie before a border, each sensitive value has its share of them."""
    found = Distinct.of(table.problem(KAnonymity(2)))
    line = line_of(table, found, np.arange(found.counts.size))
    for row in set(line):
        run = [one for one in line if one[:-1] == row[:-1]]
        for taken in range(len(run)):
            assert abs(run[:taken].count(row) - taken * run.count(row) / len(run)) <= len({one[-1] for one in run}) / 2


@given(tables(most=24, columns=2), st.integers(2, 3), st.integers(2, 3))
def test_other_models_judge_every_class(table: Mixed, k: int, l: int) -> None:  # noqa: E741  the paper's letter
    """Only classes that satisfy count, up to WINDOW times k; cuts by loss are taken where they cost no more."""
    assume(diverse(list(table.rows), max(k, l), l))
    problem, columns = table.problem(KAnonymity(k), DistinctLDiversity(l)), table.columns()
    found, k = Distinct.of(problem), max(k, l)
    costs = [cost_of(Mondrian("loss"), problem, found)]
    for order in orders(found, k, ordered.FINER):
        sizes = range(k, ordered.WINDOW * k + 1)
        line = line_of(table, found, order)
        least = plain.cheapest_division(line, columns, sizes, lambda rows: diverse(list(rows), k, l))
        divided = divided_by(found, order, problem, k)
        assert divided.total == (NEVER if least is None else found.priced.unit * least)
        costs.append(divided.total)
    leaves = table.leaves_of(Ordered().solve(problem))
    assert all(diverse(leaf, k, l) for leaf in leaves)
    assert cost_of(Ordered(), problem, found) == min(costs)


@given(tables(), st.integers(2, 3))
def test_what_it_cannot_judge_is_left_to_cuts_by_loss(table: Mixed, k: int) -> None:
    """Where people are counted, or there is too much to judge, the release is that of the cuts by loss."""
    assume(len(table.rows) >= k)
    problem = table.problem(KAnonymity(k), DistinctLDiversity(1))
    assume(diverse(list(table.rows), k, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ordered, "MOST", 1)
        assert table.leaves_of(Ordered().solve(problem)) == table.leaves_of(Mondrian("loss").solve(problem))
        patch.undo()
        patch.setattr(ordered, "AT_ONCE", 1)
        few = table.leaves_of(Ordered().solve(problem))
    assert few == table.leaves_of(Ordered().solve(problem))
    whose = np.arange(problem.frequency.counts.size) // 2
    people = replace(problem, frequency=replace(problem.frequency, people=whose), models=(KAnonymity(2),))
    if whose[-1] > 0:
        assert table.leaves_of(Ordered().solve(people)) == table.leaves_of(Mondrian("loss").solve(people))


def test_too_few_records_are_refused() -> None:
    """A table of fewer than k records has no release."""
    with pytest.raises(InfeasibleError, match="the whole table, 2 records"):
        Ordered().solve(Mixed(("set",), (("a", 0), ("b", 0))).problem(KAnonymity(3)))
