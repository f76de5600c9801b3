"""A transaction database holds for each transaction the set of its items, by codes in item order."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import numpy as np
import pytest

from kohort.errors import UsageError
from kohort.transactions.database import Transactions, in_item_order, places_of

BASKETS = Transactions.of([["milk", "bread", "milk"], [], ["tea"], ["tea", "bread", "milk"]])


def test_a_transaction_is_a_set() -> None:
    """An item named twice counts once, codes ascend in each transaction, and one without items stays."""
    assert BASKETS.names == ("bread", "milk", "tea")
    assert BASKETS.starts.tolist() == [0, 2, 2, 3, 6]
    assert BASKETS.cells.tolist() == [0, 1, 2, 0, 1, 2]
    assert BASKETS.sets() == [["bread", "milk"], [], ["tea"], ["bread", "milk", "tea"]]


@pytest.mark.parametrize("item", [7, None, 1.0, b"tea"])
def test_items_are_text(item: object) -> None:
    """What is no text is refused, and not named."""
    with pytest.raises(UsageError, match=r"^an item is not text\n") as fault:
        Transactions.of([["milk"], cast("list[str]", ["tea", item])])
    assert "tea" not in str(fault.value)


def test_supports_and_lengths() -> None:
    """Transactions of each item, items of each transaction."""
    assert len(BASKETS) == 4
    assert BASKETS.supports.tolist() == [2, 2, 2]
    assert BASKETS.lengths.tolist() == [2, 0, 1, 3]
    assert BASKETS.supports is BASKETS.supports  # counted once


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_no_items(rows: int) -> None:
    """There may be no transaction, and none with an item."""
    database = Transactions.of(() for _ in range(rows))
    assert (len(database), database.names, database.sets()) == (rows, (), [[]] * rows)
    assert database.supports.size == 0
    assert database.lengths.tolist() == [0] * rows


def test_types() -> None:
    """Codes take four bytes, places and counts eight, however a database came about."""
    less = BASKETS.only(np.array([True, False, True])).kept(np.zeros(4, np.bool_))
    for database in (BASKETS, Transactions.of([]), less):
        types = database.cells.dtype, database.starts.dtype, database.supports.dtype, database.lengths.dtype
        assert [one.name for one in types] == ["int32", "int64", "int64", "int64"]


def test_an_item_may_be_in_no_transaction() -> None:
    """Columns of a matrix are items even where no row has a 1."""
    database = Transactions(("0", "1", "2"), np.array([0, 1]), np.array([1], np.int32))
    assert database.supports.tolist() == [0, 1, 0]


def test_fewer_cells() -> None:
    """The cells that are marked stay; items keep their codes, transactions their places."""
    kept = BASKETS.kept(np.array([False, True, False, True, True, True]))
    assert kept.names == BASKETS.names
    assert kept.sets() == [["milk"], [], [], ["bread", "milk", "tea"]]
    assert BASKETS.kept(np.zeros(6, np.bool_)).sets() == [[], [], [], []]


def test_fewer_items() -> None:
    """The items that are marked stay, under codes of their own."""
    only = BASKETS.only(np.array([False, True, True]))
    assert only.names == ("milk", "tea")
    assert only.cells.tolist() == [0, 1, 0, 1]
    assert only.sets() == [["milk"], [], ["tea"], ["milk", "tea"]]
    none = BASKETS.only(np.zeros(3, np.bool_))
    assert (none.names, len(none), none.cells.size) == ((), 4, 0)


def test_common_items_are_in_the_share_itself_too() -> None:
    """Of four transactions two are half; an item of one alone is rarer."""
    rows = Transactions.of([["milk", "bread"], [], ["tea"], ["tea", "bread"]])
    for share, stay in ((Fraction(1, 4), (True, True, True)), (Fraction(1, 2), (True, False, True))):
        assert tuple(rows.common(share)) == stay
    assert not rows.common(Fraction(51, 100)).any()


@pytest.mark.parametrize(
    ("names", "order"),
    [
        (["10", "9", "0"], ["0", "9", "10"]),
        (["10", "9", "007"], ["007", "10", "9"]),
        (["10", "9", "-1"], ["-1", "10", "9"]),
        (["10", "9", "+1"], ["+1", "10", "9"]),
        (["10", "9", "1.5"], ["1.5", "10", "9"]),
        (["10", "9", "\u0663"], ["10", "9", "\u0663"]),
        (["10", "9", ""], ["", "10", "9"]),
        (["10", "9", " 3"], [" 3", "10", "9"]),
        (["10", "9", "00"], ["00", "10", "9"]),
        (["b", "B", "\u00e4", "a"], ["B", "a", "b", "\u00e4"]),
        ([], []),
    ],
    ids=repr,
)
def test_item_order(names: list[str], order: list[str]) -> None:
    """By value where every name is an integer as Python writes it, from 0; else by code point."""
    assert in_item_order(names) == tuple(order)
    assert in_item_order(reversed(names)) == tuple(order)


def test_names_that_look_alike_are_different_items() -> None:
    """007 and 7 are two items."""
    assert Transactions.of([["007", "7"]]).names == ("007", "7")


def test_places() -> None:
    """Each name's place once, in the order of the names, and the names that are nowhere, once each."""
    assert places_of(["tea", "jam", "milk", "tea", "jam"], BASKETS.names) == ([2, 1], ["jam"])
    assert places_of([], BASKETS.names) == ([], [])
