"""A transaction database is judged as it stands."""

from __future__ import annotations

import numpy as np
import pytest

from kohort.transactions.check import check_transactions
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.problem import MoleCount
from kohort.transactions.roles import Roles

ROWS = ["1010001", "1010010", "0110000", "1100010", "1110000", "1111110"]

#: Example 1 of semantics 4.
EXAMPLE = Transactions.of([str(item) for item, cell in enumerate(row) if cell == "1"] for row in ROWS)


def roles(database: Transactions, *private: str) -> Roles:
    """The roles where these items are private and all others public."""
    hidden = np.array([name in private for name in database.names], np.bool_)
    return Roles(~hidden, hidden)


def test_minimal_moles_are_counted_by_size_and_kind() -> None:
    """Example 1 has a mole of one item, two of two and one of three; none of them breaches h."""
    finding = check_transactions(EXAMPLE, roles(EXAMPLE, "3", "4"), Coherence.of(h="0.5", k=3, p=3))
    assert finding.moles == (MoleCount(1, 1, 0), MoleCount(2, 2, 0), MoleCount(3, 1, 0))
    assert (finding.met, finding.model, finding.transactions) == (False, "(0.5, 3, 3)-coherence", 6)


def test_a_breach_is_a_mole_of_its_own_kind() -> None:
    """A cohort in which a private item is in more than the share h is counted apart."""
    database = Transactions.of([["tea", "pill"], ["tea", "pill"], ["tea"], ["milk"], ["milk"], ["milk"]])
    finding = check_transactions(database, roles(database, "pill"), Coherence.of(h="0.5", k=2, p=1))
    assert finding.moles == (MoleCount(1, 0, 1),)
    assert not finding.met


def test_a_pair_that_never_occurs_is_no_mole() -> None:
    """The first witness of semantics 4 is coherent."""
    database = Transactions.of([["0"], ["0"], ["1"], ["1"]])
    finding = check_transactions(database, roles(database), Coherence.of(h="1", k=2, p=2))
    assert (finding.met, finding.over, finding.too_few) == (True, 0, False)


@pytest.mark.parametrize(("h", "k", "over", "too_few"), [("0.5", 2, 1, False), ("0.75", 5, 0, True)])
def test_the_empty_set_comes_first(h: str, k: int, over: int, *, too_few: bool) -> None:
    """Too frequent a private item, or too few transactions, and no other mole is minimal: the second witness."""
    database = Transactions.of([["pill", "a"], ["pill"], ["pill"], ["b"]])
    finding = check_transactions(database, roles(database, "pill"), Coherence.of(h=h, k=k, p=2))
    assert (finding.met, finding.over, finding.too_few, finding.moles) == (False, over, too_few, ())


def test_no_transactions() -> None:
    """In a database of no transactions no set occurs, so none is a mole."""
    database = Transactions.of([])
    assert check_transactions(database, roles(database), Coherence.of(h="0.5", k=2, p=2)).met
