"""What is left of a database, and in what order."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.transactions import database as databases
from kohort.transactions.database import Transactions
from kohort.transactions.problem import CellSuppression, ItemSuppression
from kohort.transactions.recode import recode

if TYPE_CHECKING:
    from random import Random

ROWS = st.lists(st.frozensets(st.sampled_from("abcdef"), max_size=5), max_size=12)


@given(rows=ROWS, random=st.randoms(use_true_random=False))
def test_items_leave_every_transaction(rows: list[frozenset[str]], random: Random) -> None:
    """Each transaction is the one its lineage names less the dropped items; the order is that of lists of items."""
    database = Transactions.of(rows)
    dropped = [item for item in range(len(database.names)) if random.random() < 0.4]
    recoded = recode(database, ItemSuppression(np.array(dropped, np.int32)))
    gone = {database.names[item] for item in dropped}
    left = [frozenset(one) for one in recoded.database.sets()]
    assert left == [rows[origin] - gone for origin in recoded.lineage.tolist()]
    assert sorted(recoded.lineage.tolist()) == list(range(len(rows)))
    assert recoded.database.sets() == sorted(recoded.database.sets())
    assert recoded.database.names == tuple(name for name in database.names if name not in gone)
    assert recoded.dropped.tolist() == dropped


@given(rows=ROWS, random=st.randoms(use_true_random=False))
def test_cells_leave_their_transaction(rows: list[frozenset[str]], random: Random) -> None:
    """Of each transaction exactly the kept cells stay; an item that is left nowhere is dropped."""
    database = Transactions.of(rows)
    keep = [random.random() < 0.4 for _ in range(database.cells.size)]
    recoded = recode(database, CellSuppression(np.array(keep, np.bool_)))
    cells = [(row, item) for row, one in enumerate(database.sets()) for item in one]
    kept = {cell for cell, stays in zip(cells, keep, strict=True) if stays}
    found = [
        (row, item) for row, one in zip(recoded.lineage.tolist(), recoded.database.sets(), strict=True) for item in one
    ]
    assert set(found) == kept
    assert len(found) == len(kept)
    assert [database.names[item] for item in list(recoded.dropped)] == [
        name for name in database.names if name not in {item for _, item in kept}
    ]


def test_an_item_that_occurred_nowhere_stays_when_cells_go() -> None:
    """A matrix's column of zeros is not taken for an item that was dropped."""
    database = Transactions(("a", "b"), np.array([0, 1]), np.array([1], np.int32))
    recoded = recode(database, CellSuppression(np.array([False])))
    assert (recoded.dropped.tolist(), recoded.database.names) == ([1], ("a",))


@given(rows=ROWS)
def test_supports_are_counted_in_any_blocks(rows: list[frozenset[str]]) -> None:
    """Counted a few cells at a time, supports are what counting one by one gives."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(databases, "_BLOCK", 2)
        database = Transactions.of(rows)
        counts = Counter(item for one in rows for item in one)
        assert database.supports.tolist() == [counts[name] for name in database.names]
