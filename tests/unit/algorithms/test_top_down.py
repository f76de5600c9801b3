"""Top-down greedy search: what its docstring says, case by case."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort.algorithms.method import METHODS, Choices
from kohort.algorithms.mondrian import top_down
from kohort.algorithms.mondrian.top_down import TopDown
from kohort.core.recoding import Multidimensional
from kohort.errors import InfeasibleError, UsageError
from kohort.models.k_anonymity import KAnonymity
from tests.reference.mondrian import Record
from tests.reference.mondrian_tables import (
    DistinctLDiversity,
    SmallTable,
    in_order,
    leaves_of,
    line,
    random_table,
)
from tests.reference.top_down import top_down as top_down_plainly


def groups(*values: int, k: int = 2) -> list[list[int]]:
    """The classes of a table of one attribute."""
    table = line(*values)
    leaves = leaves_of(TopDown().solve(table.problem(KAnonymity(k))), table)
    return sorted(sorted(record.quasi[0] for record in leaf) for leaf in leaves)


def test_groups_grow_around_the_records_that_are_farthest_apart() -> None:
    """Two heaps are two classes, though a median would cut the larger one."""
    assert groups(1, 2, 2, 3, 3, 3, 90, 91, k=2) == [[1, 2, 2], [3, 3, 3], [90, 91]]
    assert groups(1, 2, 90, 91, k=2) == [[1, 2], [90, 91]]


def test_a_group_that_is_too_small_takes_the_nearest_of_the_other() -> None:
    """One record far from the others is not suppressed: its nearest neighbours join it."""
    assert groups(1, 2, 3, 4, 5, 90, k=3) == [[1, 2, 3], [4, 5, 90]]
    assert groups(1, 2, 3, 90, k=3) == [[1, 2, 3, 90]]


def test_equal_records_stay_together() -> None:
    """No label is broader than it must be for the sake of equal sizes."""
    assert groups(5, 5, 5, 5, 5) == [[5] * 5]


@st.composite
def tables(draw: st.DrawFn) -> SmallTable:
    """Tables of one to three dimensions whose penalties floating point adds up exactly; some codes share a place."""
    random, dimensions = np.random.default_rng(draw(st.integers(0, 1 << 32))), draw(st.integers(1, 3))
    positions = [sorted([0, *random.integers(0, 33, 12), 32]) for _ in range(dimensions)]
    weights = random.choice([1, 2, 4], dimensions).tolist()
    codes = np.concatenate([[[0] * dimensions, [13] * dimensions], random.integers(0, 14, (40, dimensions))])
    values, counts = random.integers(0, 3, len(codes)), random.integers(1, 4, len(codes))
    rows = zip(codes.tolist(), values.tolist(), counts.tolist(), strict=True)
    tuples = tuple((Record(tuple(row), (value,)), count) for row, value, count in rows)
    scales = tuple(tuple(map(int, scale)) for scale in positions)
    return SmallTable(tuples[: draw(st.integers(2, len(tuples)))], scales, tuple(map(Fraction, weights)))


@given(tables(), st.integers(2, 8), st.integers(1, 3))
def test_reference_agrees(table: SmallTable, k: int, l: int) -> None:  # noqa: E741  the paper's letter
    """The leaves are those of the plain reference, first group before second."""

    def diverse(rows: list[Record]) -> bool:
        return len(rows) >= k and len({row.sensitive for row in rows}) >= l

    records = table.records()
    assume(diverse(records))
    expected = top_down_plainly(records, table.rules(diverse, "nearest", relaxed=False), max(k, l))
    found = TopDown().solve(table.problem(KAnonymity(k), DistinctLDiversity(l)))
    assert leaves_of(found, table) == in_order(expected)
    assert (found.trace["splits"], found.trace["leaves"]) == (len(expected) - 1, len(expected))
    assert math.log2(len(expected)) <= found.trace["depth"] <= len(expected) - 1


@pytest.mark.parametrize("seed", range(6))
def test_classes_satisfy_whatever_the_order_of_records(seed: int) -> None:
    """Every leaf has k records and l values, every record is in one, and shuffled tuples give the same leaves."""
    table = random_table(seed, least=12)
    problem = table.problem(KAnonymity(2), DistinctLDiversity(2))
    try:
        found = TopDown().solve(problem)
    except InfeasibleError:
        assert len({record.sensitive for record in table.records()}) < 2
        return
    leaves = leaves_of(found, table)
    assert sum(map(len, leaves)) == len(table.records())
    assert all(len(leaf) >= 2 and len({record.sensitive for record in leaf}) >= 2 for leaf in leaves)
    turned = replace(table, tuples=table.tuples[::-1])
    again = leaves_of(TopDown().solve(turned.problem(KAnonymity(2), DistinctLDiversity(2))), turned)
    assert in_order(again) == in_order(leaves)


def test_what_no_table_can_meet_is_refused() -> None:
    """A table of fewer than k records has no release."""
    with pytest.raises(InfeasibleError, match="the whole table"):
        TopDown().solve(line(1, 2).problem(KAnonymity(3)))


def test_it_takes_no_choices() -> None:
    """Neither a cut nor anything of a lattice."""
    with pytest.raises(UsageError, match="chooses its cuts itself"):
        METHODS["top-down"](Choices(cut="median"))
    with pytest.raises(UsageError, match="has no levels"):
        METHODS["top-down"](Choices(objective="lm"))
    made = METHODS["top-down"](Choices())
    assert (made.name, made.distinct, made.full_domain, made.limit, made.objective) == (
        "top-down",
        False,
        False,
        None,
        None,
    )


def test_the_recoding_is_multidimensional() -> None:
    """Each region's corners are those of its tuples; boxes of different regions may overlap."""
    table = random_table(1, least=30)
    recoding = TopDown().solve(table.problem(KAnonymity(2))).recoding
    assert isinstance(recoding, Multidimensional)
    assert (recoding.low <= recoding.high).all()
    assert top_down.ROUNDS == 3
