"""Whether a release exists: what is refused, who is responsible, and what would help."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kohort.errors import InfeasibleError
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.problem import SuppressionProblem, is_feasible, refuse_infeasible, responsible
from kohort.transactions.roles import Listed


def asked(rows: list[str], *private: str, h: str = "0.5", k: int = 1) -> SuppressionProblem:
    """Transactions of one-letter items, some of them private."""
    database, model = Transactions.of(rows), Coherence.of(h=h, k=k, p=2)
    roles = Listed(private=private, absent=True).over(database, model.h)
    return SuppressionProblem(database, roles, model, database.supports)


def test_a_private_item_in_too_many_transactions() -> None:
    """A private item in more than h of all transactions is refused by count, with the least h that would do."""
    problem = asked(["ax", "bx", "x", "yz"], "x", "y")
    assert not is_feasible(problem)
    assert [problem.database.names[item] for item in responsible(problem)] == ["x"]
    with pytest.raises(InfeasibleError) as caught:
        refuse_infeasible(problem)
    assert caught.value.what == "1 private item is in more than h = 0.5 of all transactions, whatever is suppressed"
    assert (caught.value.where, caught.value.exit_status) == ("h", 4)
    assert caught.value.hint == "an h of at least 0.75, or leave such items out of the database"


def test_the_least_h_is_said_exactly() -> None:
    """An h that is no short decimal is said as a fraction and as a decimal above it, and it does."""
    rows = ["x", "x", "a", "xy", "xy", "xy", "y", "y", "y", "y", "a"]
    with pytest.raises(InfeasibleError) as caught:
        refuse_infeasible(asked(rows, "x", "y", h="1/3"))
    assert caught.value.what.startswith("2 private items are in more than h = 1/3 of all")
    assert caught.value.hint.startswith("an h of at least 7/11 (that is, 0.6364), or")
    assert Fraction("0.6364") > Fraction(7, 11)
    assert is_feasible(asked(rows, "x", "y", h="7/11"))
    assert is_feasible(asked(rows, "x", "y", h="0.6364"))


def test_as_much_as_h_is_allowed() -> None:
    """A private item in just the share h of all transactions is no obstacle, and neither is a public one in all."""
    refuse_infeasible(asked(["ax", "bx", "a", "ay"], "x", "y"))
    assert responsible(asked(["ax", "a"], "x")).dtype == np.int32


@pytest.mark.parametrize(("h", "said"), [("0", "h = 0 of"), ("0.25", "h = 0.25 of"), ("2/3", "h = 2/3 of")])
def test_h_is_said_as_it_was_asked(h: str, said: str) -> None:
    """The h that was asked for is said exactly: what is rounded up is the h that is recommended."""
    with pytest.raises(InfeasibleError, match=said):
        refuse_infeasible(asked(["x", "x", "ax", "b"], "x", h=h))


def test_one_transaction_is_told_in_the_singular() -> None:
    """A count agrees with its noun."""
    with pytest.raises(InfeasibleError, match="there is only 1 transaction, fewer than k = 3"):
        refuse_infeasible(asked(["ax"], "x", k=3))


def test_too_few_transactions() -> None:
    """Fewer than k transactions are refused, with the k that they would meet, whatever the private items."""
    problem = asked(["ax", "ax"], "x", k=3)
    with pytest.raises(InfeasibleError, match="only 2 transactions, fewer than k = 3") as caught:
        refuse_infeasible(problem)
    assert (caught.value.where, caught.value.hint) == ("k", "a k of at most 2, or more transactions")
    assert is_feasible(asked(["a", "a"], k=2))


def test_no_transaction() -> None:
    """No transaction at all cannot be released."""
    with pytest.raises(InfeasibleError, match="no transactions"):
        refuse_infeasible(asked([]))


def test_transactions_without_items() -> None:
    """Empty transactions are transactions: enough of them can be released."""
    refuse_infeasible(asked(["", ""], k=2))
