"""What a suppression loses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import UsageError
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.problem import (
    CellSuppression,
    ItemSuppression,
    SuppressionProblem,
    distortion,
    item_losses,
    lost,
)
from kohort.transactions.roles import Listed

BASKETS = Transactions.of(["abx", "ab", "a", "cx", ""])


def weighed(*weights: tuple[str, str]) -> SuppressionProblem:
    """The baskets, x private, with weights."""
    model = Coherence.of(h=1, k=2, p=2)
    losses = item_losses(BASKETS, [(name, Fraction(weight)) for name, weight in weights])
    return SuppressionProblem(BASKETS, Listed(private=("x",)).over(BASKETS, model.h), model, losses)


def test_losses_are_supports() -> None:
    """Where nothing is weighted, dropping an item loses its support, a private one's too."""
    assert weighed().losses.tolist() == [3, 2, 1, 2]
    assert weighed().losses.dtype == np.int64


def test_weights_are_brought_to_a_common_denominator() -> None:
    """Losses stay in proportion to supports times weights, and are whole."""
    assert weighed(("a", "1/2"), ("x", "2/3")).losses.tolist() == [9, 12, 6, 8]


def test_the_distortion_is_over_all_items() -> None:
    """What is dropped is compared with all cells, private ones included."""
    assert distortion(weighed(), ItemSuppression(np.array([1, 2], np.int32))) == Fraction(3, 8)
    assert distortion(weighed(("c", "3")), ItemSuppression(np.array([1, 2], np.int32))) == Fraction(5, 10)


def test_cells_weigh_what_their_items_weigh() -> None:
    """A suppressed cell loses its item's weight, and all cells of an item what the item loses."""
    problem = weighed(("a", "1/2"), ("x", "2/3"))
    assert lost(problem, CellSuppression(np.array([0, 1, 1, 1, 0, 1, 1, 1], np.bool_))) == 3 + 6
    for item, loss in enumerate(problem.losses.tolist()):
        assert lost(problem, CellSuppression(BASKETS.cells != item)) == loss


def test_the_largest_losses_are_exact() -> None:
    """Up to the last number of 64 bits: all items together lose that, and so do all their cells."""
    problem = weighed(("a", f"{2**60 - 1}"), ("b", f"{2**61 - 1}"), ("c", f"{2**60 + 2}"))
    assert problem.losses.tolist() == [3 * (2**60 - 1), 2 * (2**61 - 1), 2**60 + 2, 2]
    assert lost(problem, CellSuppression(np.zeros(8, np.bool_))) == problem.losses.sum()


def test_nothing_to_lose() -> None:
    """Where there is no cell, nothing is lost and nothing distorted."""
    empty = Transactions.of(["", ""])
    model = Coherence.of(h=1, k=2, p=1)
    problem = SuppressionProblem(empty, Listed().over(empty, model.h), model, item_losses(empty))
    assert distortion(problem, ItemSuppression(np.zeros(0, np.int32))) == 0
    assert distortion(problem, CellSuppression(np.zeros(0, np.bool_))) == 0


def test_an_item_that_occurs_nowhere_loses_nothing() -> None:
    """An item in no transaction has no loss, whatever is suppressed."""
    none = Transactions(("a", "b"), np.array([0, 1], np.int64), np.array([1], np.int32))
    model = Coherence.of(h=1, k=2, p=1)
    problem = SuppressionProblem(none, Listed().over(none, model.h), model, item_losses(none))
    assert problem.losses.tolist() == [0, 1]
    assert lost(problem, CellSuppression(np.zeros(1, np.bool_))) == 1


@pytest.mark.parametrize(
    ("weights", "what"),
    [
        ([("a", 1), ("tea", 2), ("jam", 2)], "2 of the 3 weighted items are in no transaction"),
        ([("tea", 2)], "1 of the 1 weighted items is in no transaction"),
        ([("a", 1), ("a", 2)], "an item has two weights"),
        ([("a", 0)], "a weight must be above 0"),
        ([("a", Fraction(-1, 2))], "a weight must be above 0"),
        ([("a", 2**62)], "the weights are too large or have too many digits"),
        ([("a", Fraction(2**63 - 5, 3))], "the weights are too large or have too many digits"),
        ([("a", Fraction(1, 3**40))], "the weights are too large or have too many digits"),
    ],
)
def test_weights_that_cannot_be(weights: list[tuple[str, Fraction]], what: str) -> None:
    """Weights of no item, of one item twice, of nothing, or beyond 64 bits are refused, by count."""
    with pytest.raises(UsageError) as caught:
        item_losses(BASKETS, [(name, Fraction(weight)) for name, weight in weights])
    assert (caught.value.what, caught.value.where) == (what, "weight")


@given(st.lists(st.fractions(Fraction(1, 100), 100, max_denominator=100), min_size=4, max_size=4))
def test_losses_are_in_proportion(weights: list[Fraction]) -> None:
    """Any weights give losses in exactly the proportion of supports times weights."""
    losses = item_losses(BASKETS, list(zip(BASKETS.names, weights, strict=True))).tolist()
    exact = [support * weight for support, weight in zip(BASKETS.supports.tolist(), weights, strict=True)]
    assert all(loss * exact[0] == losses[0] * one for loss, one in zip(losses, exact, strict=True))
