"""Laws of transaction databases: moles, suppressions and losses are as defined, whatever is mined or packed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import InfeasibleError
from kohort.transactions.cells import LocalSuppression
from kohort.transactions.database import Transactions
from kohort.transactions.moles import mine
from kohort.transactions.optimum import Optimum
from kohort.transactions.problem import distortion, is_feasible, item_losses, lost
from kohort.transactions.suppression import Greedy, Score
from tests.reference import transactions as plain
from tests.reference.transactions import RawDatabase, items_of, problem_of, raw_databases, told, told_plainly
from tests.unit.transactions.sets import ENGINES, mine_by

if TYPE_CHECKING:
    from random import Random

SCORES = (Score.MMIL, Score.MM, Score.ONE_IL)


# ── Moles ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("engine", ENGINES)
@given(raw=raw_databases())
def test_minimal_moles_are_those_of_the_definition(engine: type | None, raw: RawDatabase) -> None:
    """Either engine finds the sets that are moles and have no mole as a part, in order, and says which are rare."""
    assert told(mine_by(engine, problem_of(raw))) == told_plainly(raw)


@given(raw_databases())
def test_no_minimal_mole_is_part_of_another(raw: RawDatabase) -> None:
    """Minimal moles are an antichain, and every mole contains one of them."""
    found = [frozenset(mole) for mole, _ in told(mine(problem_of(raw)))]
    assert not any(one < other for one in found for other in found)
    assert all(any(part <= frozenset(mole) for part in found) for mole in plain.all_moles(raw))


@given(raw_databases())
def test_being_rare_is_inherited(raw: RawDatabase) -> None:
    """Whatever an attacker knows beyond a rare mole is rare too, where it occurs; so it is a mole."""
    rare = [frozenset(mole) for mole, kind in told(mine(problem_of(raw))) if kind]
    for known in plain.known_sets(raw):
        if any(mole <= known for mole in rare) and raw.support(known):
            assert plain.is_rare(raw, known)


@given(raw_databases(), st.randoms(use_true_random=False))
def test_the_order_of_transactions_does_not_matter(raw: RawDatabase, random: Random) -> None:
    """The same transactions in another order have the same moles, and the same items are dropped in the same order."""
    rows = list(raw.rows)
    random.shuffle(rows)
    one, other = problem_of(raw), problem_of(replace(raw, rows=tuple(rows)))
    assert told(mine(one)) == told(mine(other))
    assert items_of(Greedy().solve(one)) == items_of(Greedy().solve(other))


@given(raw_databases(), st.sampled_from(["item {:02}", "1{:02}", "{:02}"]))
def test_names_do_not_matter(raw: RawDatabase, pattern: str) -> None:
    """Names that keep their order leave moles and order of suppression as they are, item by item."""
    names = [pattern.format(item) for item in range(len(raw.weights))]
    renamed = Transactions.of([names[item] for item in row] for row in raw.rows)
    problem = problem_of(raw)
    occur = np.flatnonzero(problem.database.supports)
    assert renamed.names == tuple(names[item] for item in occur.tolist())
    roles = replace(problem.roles, public=problem.roles.public[occur], private=problem.roles.private[occur])
    other = replace(problem, database=renamed, roles=roles, losses=problem.losses[occur])
    again = [(tuple(occur[list(mole)].tolist()), rare) for mole, rare in told(mine(other))]
    assert again == told(mine(problem))
    assert occur[items_of(Greedy().solve(other))].tolist() == items_of(Greedy().solve(problem))


@given(raw_databases(), st.integers(0, 90))
def test_nobody_can_know_more_than_a_transaction_has(raw: RawDatabase, more: int) -> None:
    """Beyond the longest transaction p changes nothing: no larger set occurs."""
    longest = max(1, *(len(row & raw.public) for row in raw.rows))
    enough = mine(problem_of(replace(raw, p=longest)))
    assert told(mine(problem_of(replace(raw, p=longest + more)))) == told(enough)


@given(raw_databases(), st.integers(2, 3))
def test_copies_of_all_transactions(raw: RawDatabase, times: int) -> None:
    """All transactions twice, with twice the k, have the moles and the greedy order that they have once."""
    one, other = problem_of(raw), problem_of(replace(raw, rows=raw.rows * times, k=raw.k * times))
    assert told(mine(one)) == told(mine(other))
    assert items_of(Greedy().solve(one)) == items_of(Greedy().solve(other))


@given(raw_databases(), st.integers(1, 3), st.integers(1, 3), st.fractions(0, 1, max_denominator=9))
def test_who_is_safe_is_safe_from_less(raw: RawDatabase, fewer: int, k: int, h: Fraction) -> None:
    """A mole of a weaker promise, of fewer items known, a smaller k, a greater h, contains one of the stronger one."""
    weaker = replace(raw, p=max(raw.p - fewer, 1), k=max(raw.k - k, 2), h=max(raw.h, h))
    strong = [frozenset(mole) for mole, _ in told(mine(problem_of(replace(raw, k=max(raw.k, 2)))))]
    for mole, _ in told(mine(problem_of(weaker))):
        assert any(part <= frozenset(mole) for part in strong)


# ── Dropping items ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("score", SCORES)
@given(raw=raw_databases())
def test_the_greedy_order_is_that_of_the_definition(score: Score, raw: RawDatabase) -> None:
    """Items that are moles alone come first, then step by step the highest score, all counted anew after each."""
    solution = Greedy(score=score).solve(problem_of(raw))
    steps = plain.greedy(raw, str(score))
    assert [(step.item, step.moles, step.left) for step in solution.steps] == [
        (step.item, step.moles, step.left) for step in steps
    ]
    assert items_of(solution) == plain.singles(raw) + [step.item for step in steps]
    assert told(solution.moles) == told_plainly(raw)


@given(raw_databases())
def test_all_public_items_are_dropped(raw: RawDatabase) -> None:
    """The baseline drops every public item: moles alone first, the others in item order, with what each hits."""
    solution = Greedy(score=Score.ALL).solve(problem_of(raw))
    alone = plain.singles(raw)
    assert items_of(solution) == alone + sorted(raw.public.difference(alone))
    moles = [frozenset(mole) for mole in plain.minimal_moles(raw) if len(mole) > 1]
    for step in solution.steps:
        rest = [mole for mole in moles if step.item not in mole]
        assert (step.moles, step.left) == (len(moles) - len(rest), len(rest))
        moles = rest
    assert not moles


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("score", Score)
@given(raw=raw_databases())
def test_what_is_left_is_coherent(score: Score, *, back: bool, raw: RawDatabase) -> None:
    """Once the items are dropped no mole is left; only public items are dropped, none twice; the loss is theirs."""
    problem = problem_of(raw)
    solution = Greedy(score=score, give_back=back).solve(problem)
    dropped = items_of(solution)
    assert plain.is_coherent(raw.less(dropped))
    assert len(set(dropped)) == len(dropped)
    assert raw.public.issuperset(dropped)
    assert lost(problem, solution.suppression) == plain.loss(raw, dropped)
    assert distortion(problem, solution.suppression) == plain.distortion(raw, dropped)


@pytest.mark.parametrize("score", Score)
@given(raw=raw_databases())
def test_what_is_given_back_was_dispensable(score: Score, raw: RawDatabase) -> None:
    """Items are tried from the greatest loss on; in the end none can be given back, and no more is lost than before."""
    problem = problem_of(raw)
    solution, before = Greedy(score=score, give_back=True).solve(problem), items_of(Greedy(score=score).solve(problem))
    dropped, returned = list(before), list[int]()
    for item in sorted(before, key=lambda one: (-raw.loss(one), one)):
        rest = [one for one in dropped if one != item]
        if plain.is_coherent(raw.less(rest)):
            dropped = rest
            returned.append(item)
    assert solution.returned is not None
    assert (items_of(solution), solution.returned.tolist()) == (dropped, returned)
    assert plain.is_least(raw, frozenset(dropped))
    assert plain.loss(raw, dropped) <= plain.loss(raw, before)


@given(raw_databases())
def test_the_optimum_is_that_of_all_ways(raw: RawDatabase) -> None:
    """No set of public items that makes the database coherent loses less; that is proven, and the bound is the loss."""
    pytest.importorskip("highspy", reason="the extra `optimal` is not installed")
    problem = problem_of(raw)
    solution = Optimum().solve(problem)
    assert plain.is_coherent(raw.less(items_of(solution)))
    least = plain.optimum(raw)
    assert plain.loss(raw, items_of(solution)) == least
    assert (solution.proven, solution.bound) == (True, least)
    assert told(solution.moles) == told_plainly(raw)


@given(raw_databases(feasible=False))
def test_what_cannot_be_released_is_refused(raw: RawDatabase) -> None:
    """Where the empty set is a mole, and only there, no algorithm has an answer."""
    problem = problem_of(raw)
    assert is_feasible(problem) is plain.is_feasible(raw)
    if not plain.is_feasible(raw):
        with pytest.raises(InfeasibleError):
            Greedy().solve(problem)
    else:
        assert plain.is_coherent(raw.less(items_of(Greedy(score=Score.ALL).solve(problem))))


@given(raw_databases())
def test_cells_go_where_they_do_harm(raw: RawDatabase) -> None:
    """No set that occurs in the release is a mole of it; only public cells go, no more than with whole items."""
    problem = problem_of(raw)
    solution, items = LocalSuppression().solve(problem), Greedy(give_back=True).solve(problem)
    suppression = solution.suppression
    rest = plain.released(raw, suppression)
    assert plain.is_coherent(rest)
    gone = [sorted(row - left) for row, left in zip(raw.rows, rest.rows, strict=True)]
    assert raw.public.issuperset(chain.from_iterable(gone))
    loss = sum(raw.weights[item] for item in chain.from_iterable(gone))
    assert lost(problem, suppression) == loss <= plain.loss(raw, items_of(items))
    assert distortion(problem, suppression) == Fraction(loss, max(plain.loss(raw, range(len(raw.weights))), 1))


@given(raw_databases(), st.randoms(use_true_random=False))
def test_no_cell_could_stay_where_nothing_is_private(raw: RawDatabase, random: Random) -> None:
    """Without private items, an item that is no mole alone cannot come back, in one transaction or in several."""
    raw = replace(raw, private=frozenset(), k=max(raw.k, 2))
    rest = plain.released(raw, LocalSuppression().solve(problem_of(raw)).suppression)
    for item in sorted(raw.public.difference(plain.singles(raw))):
        lacking = [at for at, row in enumerate(raw.rows) if item in row - rest.rows[at]]
        some = random.sample(lacking, random.randint(min(1, len(lacking)), len(lacking)))
        rows = tuple(row | {item} if at in some else row for at, row in enumerate(rest.rows))
        assert not some or not plain.is_coherent(replace(rest, rows=rows))


@given(raw_databases(), st.integers(1, 9))
def test_weights_are_proportions(raw: RawDatabase, denominator: int) -> None:
    """Losses are support times weight, in whole numbers; weights of any denominator give the same order and share."""
    problem = problem_of(raw)
    occur = [item for item in range(len(raw.weights)) if raw.support(frozenset({item}))]
    said = [(str(item), Fraction(raw.weights[item], denominator)) for item in occur]
    losses = item_losses(problem.database, said)
    whole = [raw.loss(item) for item in range(len(raw.weights))]
    assert all(one * sum(whole) == other * int(losses.sum()) for one, other in zip(losses.tolist(), whole, strict=True))
    other = replace(problem, losses=losses)
    solution = Greedy().solve(other)
    assert items_of(solution) == items_of(Greedy().solve(problem))
    assert distortion(other, solution.suppression) == plain.distortion(raw, items_of(solution))
