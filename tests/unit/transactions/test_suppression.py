"""Greedy suppression: the loop against a plain one, its steps, and large numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import InfeasibleError
from kohort.native.library import DROP
from kohort.transactions._rows import Incidence
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.problem import ItemSuppression, Step, SuppressionProblem
from kohort.transactions.roles import Listed
from kohort.transactions.suppression import Greedy, Score, items_of, steps
from kohort.transactions.sweep import METHODS
from tests.unit.transactions.sets import Family, families, incidence_of

if TYPE_CHECKING:
    from kohort.transactions.problem import SuppressionSolution

#: Costs whose products with counts leave 64 bits.
HUGE = 2**62


def worth(score: Score, inside: int, loss: int) -> Fraction:
    """The score of an item that is in so many moles."""
    if score is Score.MMIL:
        return Fraction(inside, loss)
    return Fraction(min(inside, 1), loss) if score is Score.ONE_IL else Fraction(inside if score is Score.MM else 1)


def plainly(family: Family, losses: list[int], score: Score, others: set[int]) -> list[Step]:
    """The greedy search as its definition says."""
    left, found, dropped = list(family), list[Step](), set[int]()
    while True:
        inside = {item: sum(item in one for one in left) for item in range(len(losses))}
        open_ = [item for item, moles in inside.items() if (moles or item in others) and item not in dropped]
        if score is Score.ALL:
            open_ = sorted(({*others}.union(*family)) - dropped)
        if not open_:
            return found
        item = max(open_, key=lambda one: (worth(score, inside[one], losses[one]), -one))
        left = [one for one in left if item not in one]
        dropped.add(item)
        found.append(Step(item, inside[item], len(left)))


@given(
    family=families(),
    losses=st.lists(st.integers(1, 3) | st.integers(HUGE - 2, HUGE), min_size=9, max_size=9),
    score=st.sampled_from(Score),
)
def test_steps_are_those_of_the_definition(family: Family, losses: list[int], score: Score) -> None:
    """Items, their moles and the moles left are those of the plain search, also where products leave 64 bits."""
    others = {0, 4, 8} if score is Score.ALL else set[int]()
    mask = np.isin(np.arange(9), list(others))
    found = steps(incidence_of(family, 9), np.array(losses, np.int64), score, mask)
    assert list(found) == plainly(family, losses, score, others)


@given(*[st.integers(0, 2**62) | st.integers(0, 20), st.integers(1, 2**62) | st.integers(1, 20)] * 2)
def test_fractions_are_compared_exactly(gain: int, cost: int, other_gain: int, other_cost: int) -> None:
    """Of two items the one with the greater fraction goes first, whatever their products; of equal ones the first."""
    none, fractions = np.zeros(0, np.int32), [Fraction(gain, cost), Fraction(other_gain, other_cost)]
    heap, out = np.arange(2, dtype=np.int32), np.zeros((2, 3), np.int64)
    counts, costs = np.array([gain, other_gain]), np.array([cost, other_cost])
    sides = np.zeros(1, np.int64), none, np.zeros(3, np.int64), none
    done = np.zeros(0, np.bool_)
    size = DROP(*sides, costs, 0, 2**62, heap, counts, np.zeros(2, np.int64), done, out)
    expected = sorted((item for item in (0, 1) if fractions[item] > 0), key=lambda item: (-fractions[item], item))
    assert out[:size, 0].tolist() == expected


def test_no_moles_no_steps() -> None:
    """Where no mole is to be hit, nothing is dropped."""
    assert steps(Incidence.of([], 3), np.ones(3, np.int64)) == ()
    assert items_of(()).dtype == np.int32


def solved(rows: list[str], greedy: Greedy, *, private: str = "", k: int = 2) -> tuple[str, SuppressionSolution]:
    """The dropped items of transactions of one-letter items, in their order, and the solution."""
    database, model = Transactions.of(rows), Coherence.of(h=1, k=k, p=2)
    roles = Listed(private=tuple(private)).over(database, model.h)
    solution = greedy.solve(SuppressionProblem(database, roles, model, database.supports))
    assert isinstance(solution.suppression, ItemSuppression)
    items: list[int] = solution.suppression.items.tolist()
    return "".join(database.names[item] for item in items), solution


def test_items_that_are_moles_alone_come_first() -> None:
    """They are dropped in item order and are no steps; then come the greedy search's."""
    dropped, solution = solved(["zab", "ac", "bc", "bc", "ya"], Greedy())
    assert dropped == "yza"
    assert solution.steps == (Step(0, 2, 0),)
    assert solution.returned is None
    assert not solution.proven


def test_all_drops_public_items_alone() -> None:
    """Every public item goes, in item order, those alone a mole first; private ones stay."""
    dropped, solution = solved(["zab", "ac", "bc", "bc", "ya"], Greedy(score=Score.ALL), private="c")
    assert dropped == "yzab"
    assert [(step.item, step.moles) for step in solution.steps] == [(0, 1), (1, 0)]


def test_what_is_given_back_is_told() -> None:
    """Reverse deletion after dropping everything keeps what is needed, and says what is not."""
    dropped, solution = solved(["zab", "ac", "bc", "bc", "ya"], Greedy(score=Score.ALL, give_back=True))
    assert dropped == "yzbc"
    assert solution.returned is not None
    assert solution.returned.tolist() == [0]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_refuses_what_cannot_be_released(name: str) -> None:
    """Where the empty set is a mole, there is no suppression."""
    database, model = Transactions.of(["a"]), Coherence.of(h=1, k=2, p=2)
    problem = SuppressionProblem(database, Listed().over(database, model.h), model, database.supports)
    with pytest.raises(InfeasibleError):
        METHODS[name].solve(problem)


def test_methods_are_named() -> None:
    """A method has the name that it goes by; only giving back is a variant of another."""
    assert {name: method.name for name, method in METHODS.items() if name != method.name} == {"give-back": "mmil"}
