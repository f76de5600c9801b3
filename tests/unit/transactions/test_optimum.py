"""The optimum: reductions, what the solver says and how it is doubted, the end of the time, interruption."""

from __future__ import annotations

import sys
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING

import highspy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import MissingExtraError, UsageError
from kohort.transactions import optimum
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.optimum import Optimum, reduced
from kohort.transactions.problem import ItemSuppression, SuppressionProblem, lost
from kohort.transactions.roles import Listed
from kohort.transactions.suppression import Greedy
from tests.unit.transactions.sets import Family, families, family_of, hits, hitting, incidence_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.arrays import Items
    from kohort.transactions._rows import Incidence
    from kohort.transactions.problem import SuppressionSolution

LOSSES = st.lists(st.integers(1, 4), min_size=9, max_size=9)


def least(family: list[tuple[int, ...]] | Family, losses: list[int]) -> int:
    """The least loss of any hitting set."""
    return min(sum(losses[item] for item in way) for way in hitting(family, len(losses)))


@given(family=families(), losses=LOSSES)
def test_reductions_lose_no_optimum(family: Family, losses: list[int]) -> None:
    """The forced items and an optimum of what is left are an optimum of the whole."""
    dropped, core = reduced(incidence_of(family, 9), np.array(losses, np.int64))
    left = family_of(core)
    forced: list[int] = dropped.tolist()
    assert sum(losses[item] for item in forced) + least(left, losses) == least(family, losses)
    for way in hitting(left, 9):
        assert hits(family, {*forced, *way})


@given(family=families(), losses=LOSSES)
def test_nothing_is_left_to_reduce(family: Family, losses: list[int]) -> None:
    """What is left has sets of two or more items, no two alike, and no item that another one can stand for."""
    left = family_of(reduced(incidence_of(family, 9), np.array(losses, np.int64))[1])
    assert len(set(left)) == len(left)
    assert all(len(one) > 1 for one in left)
    of = {item: {place for place, one in enumerate(left) if item in one} for item in range(9)}
    for item, other in ((item, other) for item in range(9) for other in range(9) if item != other):
        assert not of[item] or not (of[item] <= of[other] and losses[other] <= losses[item])


def test_a_chain_is_reduced_to_nothing() -> None:
    """Sets ab, bc, cd of equal items need b and c alone, or their like: no search is needed."""
    dropped, core = reduced(incidence_of(((0, 1), (1, 2), (2, 3)), 4), np.ones(4, np.int64))
    assert dropped.tolist() == [1, 2]
    assert len(core) == 0


@given(family=families(most=30), losses=st.lists(st.integers(1, 9).map((6).__mul__), min_size=9, max_size=9))
def test_the_solver_finds_and_proves_the_least(family: Family, losses: list[int]) -> None:
    """HiGHS's items hit every set at the least loss, which is its bound; a start does not hold it up."""
    items, bound, _ = optimum.solved(
        incidence_of(family, 9), np.array(losses, np.int64), np.arange(9, dtype=np.int32), None
    )
    assert hits(family, items.tolist())
    chosen: list[int] = items.tolist()
    assert sum(losses[item] for item in chosen) == bound == least(family, losses)


# ── The whole ────────────────────────────────────────────────────────────────────────────────────

#: A ring of five pairs that two people bought and one bought, at k = 2: three of the five items have to go.
RING = ["ab", "bc", "cd", "de", "ae", *"abcde", "z"]


def asked(rows: list[str], k: int = 2) -> SuppressionProblem:
    """Transactions of one-letter items, all of them public."""
    database, model = Transactions.of(rows), Coherence.of(h=1, k=k, p=2)
    return SuppressionProblem(database, Listed().over(database, model.h), model, database.supports)


def test_a_ring_needs_branching() -> None:
    """Three of five are proven to be needed where halves of all five would do; the item alone a mole comes first."""
    problem = asked(RING)
    solution = Optimum().solve(problem)
    assert isinstance(solution.suppression, ItemSuppression)
    assert solution.suppression.items.tolist()[0] == 5
    assert solution.suppression.items.size == 4
    assert (solution.proven, solution.bound, lost(problem, solution.suppression)) == (True, 10, 10)
    assert (solution.trace["open_items"], solution.trace["open_moles"]) == (5, 5)
    assert (solution.steps, solution.returned) == ((), None)


def many(seed: int = 5, items: int = 60, pairs: int = 700) -> SuppressionProblem:
    """A database of random pairs: too hard for a moment."""
    random = Random(seed)  # noqa: S311  any numbers do
    letters = [chr(ord("a") + place) for place in range(items)]
    rows = ["".join(random.sample(letters, 2)) for _ in range(pairs)]
    return asked([*rows, *(letter for letter in letters for _ in range(random.randrange(5, 20)))], k=2)


def test_the_end_of_the_time_leaves_a_gap() -> None:
    """A search that is ended early gives what it has, coherent, with a bound below it, and calls nothing proven."""
    problem = many()
    solution = Optimum(time_limit=0.001).solve(problem)
    greedy = lost(problem, Greedy(give_back=True).solve(problem).suppression)
    assert solution.bound is not None
    assert not solution.proven
    assert 0 <= solution.bound < lost(problem, solution.suppression) <= greedy


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("inf"), float("nan")])
def test_times_that_are_none(seconds: float) -> None:
    """A limit that is no time above 0 is refused."""
    with pytest.raises(UsageError, match="time limit"):
        Optimum(time_limit=seconds)


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without HiGHS the extra is named, before anything is searched."""
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'kohort\[optimal\]'") as caught:
        Optimum().solve(asked([]))
    assert caught.value.exit_status == 10


def doubted(
    monkeypatch: pytest.MonkeyPatch, answer: tuple[Items, int, int]
) -> tuple[SuppressionProblem, SuppressionSolution]:
    """What comes of the ring when the solver says this."""

    def said(_sets: Incidence, _losses: object, _start: object, _limit: float | None) -> tuple[Items, int, int]:
        return answer

    monkeypatch.setattr(optimum, "solved", said)
    problem = asked(RING)
    return problem, Optimum().solve(problem)


def test_items_that_miss_a_mole_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the solver's items leave a mole, the greedy answer is given; a bound below it proves nothing."""
    problem, solution = doubted(monkeypatch, (np.array([0, 1], np.int32), 6, 0))
    assert (lost(problem, solution.suppression), solution.bound, solution.proven) == (10, 7, False)


def test_a_bound_above_what_is_known_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the solver claims that more is lost than is, it has said nothing."""
    problem, solution = doubted(monkeypatch, (np.arange(5, dtype=np.int32), 12, 0))
    assert (lost(problem, solution.suppression), solution.bound, solution.proven) == (10, None, False)


@pytest.mark.parametrize("first", range(5))
def test_of_equal_optima_the_greedy_one_is_given(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    """Whichever of the ring's five optima the solver comes upon, the answer is the same."""
    items = np.sort(np.array([first, (first + 1) % 5, (first + 3) % 5], np.int32))
    problem, solution = doubted(monkeypatch, (items, 9, 0))
    greedy = Greedy(give_back=True).solve(problem).suppression
    assert isinstance(solution.suppression, ItemSuppression)
    assert isinstance(greedy, ItemSuppression)
    assert (sorted(solution.suppression.items.tolist()), solution.proven) == (sorted(greedy.items.tolist()), True)


def test_a_bound_is_lowered_by_what_it_may_err_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound a billionth above the optimum is the optimum, and does not claim that more must be lost."""

    def said(_: highspy.Highs) -> SimpleNamespace:
        return SimpleNamespace(mip_dual_bound=3 + 1e-9, mip_node_count=1)

    monkeypatch.setattr(highspy.Highs, "getInfo", said)
    solution = Optimum().solve(asked(RING))
    assert (solution.bound, solution.proven) == (10, True)


def replaced(monkeypatch: pytest.MonkeyPatch, *, interrupted: bool) -> list[str]:
    """HiGHS that finds nothing, or is interrupted the first time that it is waited for; what happens to it."""
    events: list[str] = []

    def waited(_: highspy.Highs) -> None:
        events.append("wait")
        if interrupted and events == ["start", "wait"]:
            raise KeyboardInterrupt

    def noted(event: str) -> Callable[[highspy.Highs], None]:
        return lambda _: events.append(event)

    monkeypatch.setattr(highspy.Highs, "startSolve", noted("start"))
    monkeypatch.setattr(highspy.Highs, "cancelSolve", noted("cancel"))
    monkeypatch.setattr(highspy.Highs, "wait", waited)
    return events


def test_a_search_that_is_interrupted_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes while HiGHS runs, such as Ctrl-C, stops it and is passed on."""
    events = replaced(monkeypatch, interrupted=True)
    with pytest.raises(KeyboardInterrupt):
        Optimum().solve(asked(RING))
    assert events == ["start", "wait", "cancel", "wait"]


def test_a_solver_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where HiGHS finds no better items and no bound, the greedy answer stands, and only what must go is known."""
    events = replaced(monkeypatch, interrupted=False)
    problem = asked(RING)
    solution = Optimum().solve(problem)
    assert (lost(problem, solution.suppression), solution.bound, solution.proven) == (10, 1, False)
    assert events == ["start", "wait"]


def test_the_same_answer_again() -> None:
    """Two runs of one problem drop the same items, whatever else used the solver in between."""
    problem = many(items=20, pairs=60)
    one = Optimum().solve(problem)
    other = Optimum().solve(problem)
    assert isinstance(one.suppression, ItemSuppression)
    assert isinstance(other.suppression, ItemSuppression)
    assert one.suppression.items.tolist() == other.suppression.items.tolist()
