"""Mondrian's laws: what holds of its leaves on every table."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.mondrian.dimension import AtRandom, MostValues
from kohort.algorithms.mondrian.mondrian import Cut, Mondrian
from kohort.core.recoding import Multidimensional
from kohort.models.k_anonymity import KAnonymity
from tests.reference.mondrian import Record, mondrian
from tests.reference.mondrian_tables import Leaves, SmallTable, in_order, leaves_of

if TYPE_CHECKING:
    from random import Random

CUTS: st.SearchStrategy[Cut] = st.sampled_from(["nearest", "median"])
DIMENSIONS = st.none() | st.just(MostValues()) | st.builds(AtRandom, st.integers(0, 10**18 - 1))
MODES = st.builds(Mondrian, CUTS, st.booleans(), DIMENSIONS)
KS = st.integers(2, 5)


@st.composite
def tables(draw: st.DrawFn, *, most: int = 8) -> SmallTable:
    """Tables of 10 to 40 weighted tuples in one to three dimensions, every step on a scale at least 1."""
    dimensions = draw(st.integers(1, 3))
    largest = draw(st.integers(1, 9))
    scale = st.lists(st.integers(1, 5), min_size=largest, max_size=largest)
    positions = tuple((0, *np.cumsum(draw(scale)).tolist()) for _ in range(dimensions))
    weights = tuple(Fraction(draw(st.integers(1, 3)), draw(st.integers(1, 3))) for _ in range(dimensions))
    code = st.integers(0, largest)
    record = st.builds(Record, st.tuples(*[code] * dimensions), st.tuples(st.integers(0, 2)), st.just(0))
    tuples = draw(st.lists(st.tuples(record, st.integers(1, most)), min_size=10, max_size=40))
    return SmallTable(tuple(tuples), positions, weights, wide=draw(st.booleans()))


def cut_by(table: SmallTable, k: int, how: Mondrian) -> Leaves:
    """The leaves for k-anonymity."""
    return leaves_of(how.solve(table.problem(KAnonymity(k))), table)


def allows_a_cut(leaf: list[Record], k: int) -> bool:
    """Whether any value of any dimension parts the records so that both sides have k."""
    sides = (
        [sum(record.quasi[one] <= value.quasi[one] for record in leaf) for value in leaf]
        for one in range(len(leaf[0].quasi))
    )
    return any(k <= left <= len(leaf) - k for of_dimension in sides for left in of_dimension)


@given(tables(), KS, MODES)
def test_reference_agrees(table: SmallTable, k: int, how: Mondrian) -> None:
    """The leaves are those of the plain reference, left before right."""
    rules = table.rules(lambda records: len(records) >= k, how.cut, relaxed=how.relaxed, dimension=how.dimension)
    assert cut_by(table, k, how) == in_order(mondrian(table.records(), rules))


@given(tables(), KS, MODES, st.randoms(use_true_random=False))
def test_order_of_tuples_does_not_matter(table: SmallTable, k: int, how: Mondrian, random: Random) -> None:
    """Tuples in another order, or spelled out record by record, make the same leaves."""
    shuffled = [(record, 1) for record in table.records()]
    random.shuffle(shuffled)
    apart = replace(table, tuples=tuple(shuffled))
    assert cut_by(apart, k, how) == cut_by(table, k, how)


@given(tables(most=3), KS)
def test_strict_leaf_iff_no_allowable_cut(table: SmallTable, k: int) -> None:
    """Every strict leaf has k records, and no value of any dimension parts it into two sides that have."""
    for leaf in cut_by(table, k, Mondrian()):
        assert len(leaf) >= k
        assert not allows_a_cut(leaf, k)


@given(tables(), KS)
def test_lefevre_bound(table: SmallTable, k: int) -> None:
    """No strict leaf has more than 2d(k-1) + m records, m of them its most frequent tuple (theorem 2)."""
    for leaf in cut_by(table, k, Mondrian()):
        tuples = [record.quasi for record in leaf]
        assert len(leaf) <= 2 * len(table.positions) * (k - 1) + max(map(tuples.count, tuples))


@given(tables(), KS, CUTS)
def test_relaxed_leaves_of_differing_tuples_are_below_2k(table: SmallTable, k: int, cut: Cut) -> None:
    """Every relaxed leaf has k records, and below 2k where its tuples differ."""
    for leaf in cut_by(table, k, Mondrian(cut, relaxed=True)):
        assert len(leaf) >= k
        assert len(leaf) < 2 * k or len({record.quasi for record in leaf}) == 1


@given(tables(), KS, MODES)
def test_regions_cover_every_record_once(table: SmallTable, k: int, how: Mondrian) -> None:
    """The pieces of a tuple add up to its count, stand in ascending order, and lie between their region's corners."""
    problem = table.problem(KAnonymity(k))
    recoding = how.solve(problem).recoding
    assert isinstance(recoding, Multidimensional)
    quasi = problem.frequency.quasi[recoding.tuples]
    assert (np.diff(recoding.tuples) >= 0).all()
    assert (recoding.counts > 0).all()
    np.testing.assert_array_equal(np.bincount(recoding.tuples, recoding.counts), problem.frequency.counts)
    for region in range(len(recoding.low)):
        inside = quasi[recoding.regions == region]
        np.testing.assert_array_equal(inside.min(axis=0), recoding.low[region])
        np.testing.assert_array_equal(inside.max(axis=0), recoding.high[region])
