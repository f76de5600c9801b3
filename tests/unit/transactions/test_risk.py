"""Attacks on released transactions, held against what they are by definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.transactions import risk
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.moles import mine
from kohort.transactions.problem import CellSuppression, ItemSuppression, SuppressionProblem
from kohort.transactions.recode import recode
from kohort.transactions.risk import Tried, cohort_attacks
from kohort.transactions.roles import Roles

PUBLIC, PRIVATE = frozenset("abcd"), frozenset("xy")

ROWS = st.lists(st.sets(st.sampled_from("abcdxyn")), min_size=1, max_size=12)


def attacks_on(rows: list[set[str]], drop: set[str], p: int) -> tuple[Tried, ...]:
    """Those on a release of these transactions without some items."""
    source = Transactions.of(rows)
    items = np.array([place for place, name in enumerate(source.names) if name in drop], np.int32)
    made = recode(source, ItemSuppression(items))
    return cohort_attacks(source, made.database, made.lineage, PUBLIC, PRIVATE, p)


@given(ROWS, st.sets(st.sampled_from("abcd")))
def test_who_knows_all_public_items_is_right_as_often_as_by_definition(rows: list[set[str]], drop: set[str]) -> None:
    """Of each target one of the transactions that have what is left of the known items; and their commonest item."""
    alone, linked, inferred = (one.attack for one in attacks_on(rows, drop, 2)[-3:])
    kept = PUBLIC - drop
    cohorts_of = [[other for other in rows if (row & kept) <= other] for row in rows]
    sizes = [len(one) for one in cohorts_of]
    assert alone.targets == linked.targets == inferred.targets == len(rows)
    assert alone.claims == alone.right == sizes.count(1)
    assert linked.claims == len(rows)
    assert linked.right == pytest.approx(sum(1 / size for size in sizes))
    assert linked.baseline == pytest.approx(1 / len(rows))
    claims = 0
    right = 0
    for row, cohort in zip(rows, cohorts_of, strict=True):
        most = max(PRIVATE, key=lambda name: (sum(name in one for one in cohort), -ord(name)))
        if any(most in one for one in cohort):
            claims += 1
            right += most in row
    assert (inferred.claims, inferred.right) == (claims, right)


@given(ROWS)
def test_the_positive_control_is_the_attack_on_the_input(rows: list[set[str]]) -> None:
    """Where nothing is suppressed, both are the same; whoever knows more is right at least as often."""
    tried = attacks_on(rows, set(), 1)
    assert [one.known for one in tried[::3]] == [1, 2, None]
    for one in tried:
        assert one.attack.claims == one.positive.claims
        assert one.attack.right == pytest.approx(one.positive.right)
    linked = [one.attack.right for one in tried if one.attack.attack == "linking"]
    assert linked == sorted(linked)


@given(ROWS, st.integers(2, 3), st.integers(1, 2))
def test_nobody_is_singled_out_of_a_coherent_release(rows: list[set[str]], k: int, p: int) -> None:
    """By up to p items: the figures of attacks keep what the model promises."""
    source = Transactions.of(rows)
    public = np.array([name in PUBLIC for name in source.names], np.bool_)
    roles = Roles(public, np.zeros_like(public))
    problem = SuppressionProblem(source, roles, Coherence.of(h=1, k=k, p=p), source.supports)
    if len(rows) < k:
        return
    drop = {source.names[item] for sets in mine(problem).sets for item in sets.ravel().tolist()}
    for one in attacks_on(rows, drop, p):
        if one.attack.attack == "singling out" and one.known is not None and one.known <= p:
            assert one.attack.claims == 0


def test_suppressed_cells_mislead_the_attacker() -> None:
    """A claim is wrong where the person's own transaction has lost what is known of it; no claim where none has it."""
    source = Transactions.of([["a", "b"], ["a", "b"], ["b"]])
    made = recode(source, CellSuppression(np.array([False, True, True, True, True])))
    tried = cohort_attacks(source, made.database, made.lineage, PUBLIC, PRIVATE, 1)
    alone, linked, _ = (one.attack for one in tried[-3:])
    assert (alone.claims, alone.right) == (2, 1.0)
    assert linked.right == pytest.approx(1 + 1 / 3)
    gone = recode(source, CellSuppression(np.array([False, True, True, False, True])))
    tried = cohort_attacks(source, gone.database, gone.lineage, PUBLIC, PRIVATE, 2)
    assert (tried[-2].attack.claims, tried[-2].attack.right) == (1, 0.5)


def test_only_some_people_are_attacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many; the same ones every time."""
    monkeypatch.setattr(risk, "TARGETS", 5)
    first, second = (attacks_on([{"a", "x"}, {"b"}] * 20, set(), 2) for _ in range(2))
    assert {one.attack.targets for one in first} == {5}
    assert first == second
