"""The order of transactions by content: Python's own order of lists is what it must be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.transactions.database import Transactions
from kohort.transactions.recode import arranged, content_order


def numbered(rows: list[list[int]], items: int) -> Transactions:
    """The database of these transactions over so many items."""
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    cells = np.array([item for row in rows for item in row], np.int32)
    return Transactions(tuple(map(str, range(items))), starts, cells)


def check(rows: list[list[int]], items: int) -> None:
    """The order is that of lists, and equal ones keep theirs; so is what is arranged by it."""
    found = numbered(rows, items)
    order = content_order(found)
    assert order.dtype == np.int64
    assert order.tolist() == sorted(range(len(rows)), key=lambda row: rows[row])
    new = arranged(found, order)
    assert new.names == found.names
    assert new.starts.dtype == np.dtype(np.int64)
    assert new.cells.dtype == np.dtype(np.int32)
    assert [row.tolist() for row in np.split(new.cells, new.starts[1:-1])][: len(rows)] == sorted(rows)


def drawn(seed: int, n: int, items: int, length: int) -> list[list[int]]:
    """Transactions of which many start alike."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, items, (n, length)).tolist()
    return [sorted(set(row))[: int(most)] for row, most in zip(rows, rng.integers(0, length + 1, n), strict=True)]


@given(st.lists(st.sets(st.integers(0, 9)).map(sorted), max_size=30))
def test_order_is_that_of_lists(rows: list[list[int]]) -> None:
    """Transactions stand in the order of their lists of items, a shorter one before its continuations."""
    check(rows, 10)


@pytest.mark.parametrize(
    ("n", "items", "length"),
    [(3000, 3, 3), (3000, 12, 30), (2000, 2000, 8), (300, 70_000, 5), (513, 2, 2), (5000, 129, 60)],
    ids=["few kinds", "long shared starts", "many items", "items past 16 bits", "one more than few", "dense"],
)
def test_large_groups(n: int, items: int, length: int) -> None:
    """Groups too large to be sorted where they are, and those that need many rounds, come out in order as well."""
    check(drawn(n, n, items, length), items)


@pytest.mark.parametrize("rows", [[], [[]], [[], [], []], [[0]], [[0]] * 200, [[0], [], [0], []]])
def test_hardly_anything(rows: list[list[int]]) -> None:
    """No transactions, empty ones and equal ones have an order, too."""
    check(rows, 1)


def test_long_equal_transactions() -> None:
    """Transactions of very many items, told apart by the last one only, are looked at to their ends."""
    long = list(range(100_000))
    check([[*long, 100_002], long, [*long, 100_001], [*long, 100_002], long], 100_003)


def test_some_transactions_may_be_arranged() -> None:
    """An order may leave transactions out, and name one twice."""
    database = Transactions.of([["a"], ["b", "c"], []])
    assert arranged(database, np.array([1, 1, 2])).sets() == [["b", "c"], ["b", "c"], []]
