"""Local suppression."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

from kohort.transactions.cells import LocalSuppression
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.moles import mine
from kohort.transactions.problem import CellSuppression, SuppressionProblem, distortion, item_losses, lost
from kohort.transactions.roles import Listed
from kohort.transactions.suppression import Greedy
from tests.reference import transactions as plain
from tests.reference.transactions import RawDatabase, problem_of, raw_databases

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.arrays import Mask


def kept(problem: SuppressionProblem) -> Mask:
    """The cells that stay."""
    solution = LocalSuppression().solve(problem)
    assert isinstance(solution.suppression, CellSuppression)
    return solution.suppression.keep


def released(rows: list[str], *private: str, h: str = "1", k: int = 2, p: int = 2) -> list[str]:
    """What is left of transactions of one-letter items, in the order in which they are given."""
    database, model = Transactions.of(rows), Coherence.of(h=h, k=k, p=p)
    roles = Listed(private=private).over(database, model.h)
    problem = SuppressionProblem(database, roles, model, item_losses(database))
    return ["".join(one) for one in database.kept(kept(problem)).sets()]


def test_an_item_stays_where_it_does_no_harm() -> None:
    """Of a pair that occurs once, one item goes there and stays elsewhere."""
    assert released(["ab", "ac", "ac", "bc", "bc"]) == ["b", "ac", "ac", "bc", "bc"]


def test_the_rounds_are_told() -> None:
    """The first finds where the item does harm, the second that it does none elsewhere; none if nothing is a mole."""
    for rows, rounds in ((["ab", "ac", "ac", "bc", "bc"], 2), (["ab", "ab"], 0)):
        database, model = Transactions.of(rows), Coherence.of(h="1", k=2, p=2)
        roles = Listed(private=()).over(database, model.h)
        solution = LocalSuppression().solve(SuppressionProblem(database, roles, model, item_losses(database)))
        assert solution.trace == {"rounds": rounds}


def test_what_becomes_rare_goes_too() -> None:
    """Where taking an item from one transaction leaves too few with another set, it goes from those too."""
    rows = ["mwx", "wx", "mw", "vx", "vx", "m", "m", "m"]
    assert released(rows) == ["mw", "w", "mw", "vx", "vx", "m", "m", "m"]


def test_a_breach_takes_the_item_from_the_whole_cohort() -> None:
    """It goes from the transactions without the private item too, so that its absence says nothing of that."""
    rows = ["abx", "abx", "ab", "a", "a", "b", "b"]
    assert released(rows, "x", h="0.5") == ["bx", "bx", "b", "a", "a", "b", "b"]


def test_items_that_are_moles_alone_go_everywhere() -> None:
    """A rare item is nowhere, and neither is one whose cohort has a private item too often."""
    assert released(["za", "a", "ax", "yx", "yx", "a", "a"], "x", h="0.5") == ["a", "a", "ax", "x", "x", "a", "a"]


def test_nothing_stays_where_no_transaction_can_have_it() -> None:
    """Where every transaction with an item is harmed, it is suppressed altogether; with p = 1 there are no pairs."""
    assert released(["ab", "ac", "bc", "b", "c", "b", "c"]) == ["b", "c", "c", "b", "c", "b", "c"]
    assert released(["ab", "ac", "bc", "b", "c"], p=1) == ["ab", "ac", "bc", "b", "c"]


def test_items_that_lose_most_come_first() -> None:
    """Of two that cannot both come back the one of the larger loss does, and of equal ones the first in item order."""
    rows = ["yz", "y", "wz", "xz", "wxy", "z", "wx", "z"]
    assert released(rows) == ["z", "", "w", "x", "wx", "z", "wx", "z"]
    assert released(["wz", "x", "w", "yz", "wx", "xyz"]) == ["z", "", "w", "yz", "w", "yz"]


@given(raw_databases())
def test_cells_lose_no_more_than_items(raw: RawDatabase) -> None:
    """What is left is coherent by the definition, with every private cell, at no more loss than whole items."""
    problem = problem_of(raw)
    solution = LocalSuppression().solve(problem)
    assert plain.is_coherent(plain.released(raw, solution.suppression))
    greedy = Greedy(give_back=True).solve(problem)
    assert lost(problem, solution.suppression) <= lost(problem, greedy.suppression)
    assert isinstance(solution.suppression, CellSuppression)
    assert isinstance(problem.database, Transactions)
    assert problem.roles.public[problem.database.cells[~solution.suppression.keep]].all()
    assert solution.steps == greedy.steps


@pytest.mark.parametrize(("h", "k", "p"), [("0.4", 10, 3), ("0.9", 5, 4)])
def test_groceries(data_folder: Path, h: str, k: int, p: int) -> None:
    """On real baskets the release is coherent when mined anew, and far less is lost than by whole items."""
    path = data_folder / "transactions" / "groceries.dat"
    if not path.is_file():
        pytest.skip("the folder KOHORT_DATA holds no transactions/groceries.dat")
    database, model = Transactions.of(map(str.split, path.read_text().splitlines())), Coherence.of(h=h, k=k, p=p)
    roles = Listed(private=("1", "2", "3")).over(database, model.h)
    problem = SuppressionProblem(database, roles, model, item_losses(database))
    keep = kept(problem)
    assert not any(sets.size for sets in mine(replace(problem, database=database.kept(keep))).sets)
    whole = distortion(problem, Greedy(give_back=True).solve(problem).suppression)
    assert distortion(problem, CellSuppression(keep)) < Fraction(9, 10) * whole
    assert np.count_nonzero(~keep)
