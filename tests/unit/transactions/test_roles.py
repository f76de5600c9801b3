"""Roles are listed by name or drawn with a seed; what is drawn depends on nothing but items and supports."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import InfeasibleError, UsageError
from kohort.transactions.database import Transactions
from kohort.transactions.roles import Draw, Drawn, Listed, Roles
from tests.reference.transactions import RawDatabase, database_of, raw_databases

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kohort.arrays import Mask
    from kohort.transactions.roles import RoleChoice

BASKETS = Transactions.of([["bread", "milk", "pill"], ["milk", "test"], ["bread"], ["tea"]])

HALF = Fraction(1, 2)


def named(database: Transactions, mask: Mask) -> list[str]:
    """The names of the marked items."""
    return [name for name, marked in zip(database.names, mask.tolist(), strict=True) if marked]


def roles_of(choice: RoleChoice, database: Transactions = BASKETS) -> tuple[list[str], list[str]]:
    """The public and the private items' names."""
    roles = choice.over(database, HALF)
    return named(database, roles.public), named(database, roles.private)


# ── Listed ───────────────────────────────────────────────────────────────────────────────────────


def test_private_items_alone() -> None:
    """Where only private items are listed every other item is public."""
    assert roles_of(Listed(private=("test", "pill"))) == (["bread", "milk", "tea"], ["pill", "test"])
    assert roles_of(Listed()) == (list(BASKETS.names), [])


def test_one_absent_name_is_told_in_the_singular() -> None:
    """A count agrees with its verb, and the hint thinks of a file that was read in the wrong form."""
    with pytest.raises(UsageError, match="1 of the 2 private items is in no transaction") as caught:
        Listed(private=("pill", "cough")).over(BASKETS, HALF)
    assert "separator" in caught.value.hint


@pytest.mark.parametrize("role", ["private", "public"])
def test_a_text_is_no_list_of_names(role: str) -> None:
    """A lone text would be taken for its letters, and the item it names would not be protected."""
    with pytest.raises(UsageError, match="a text is not a list of names") as caught:
        Listed(**{role: cast("tuple[str, ...]", "pill")}, absent=True)
    assert caught.value.where == role


def test_public_and_private_items() -> None:
    """Where both are listed the rest is neither."""
    assert roles_of(Listed(private=("pill",), public=("milk", "milk"))) == (["milk"], ["pill"])
    assert roles_of(Listed(private=("pill",), public=())) == ([], ["pill"])


def test_an_item_has_one_role() -> None:
    """An item that is listed twice over is refused, by number and not by name."""
    with pytest.raises(UsageError, match="items that are both public and private: 1") as caught:
        Listed(private=("pill", "test"), public=("pill", "milk"))
    assert "pill" not in str(caught.value)


@pytest.mark.parametrize("role", ["private", "public"])
def test_names_of_no_item(role: str) -> None:
    """A name of no item is refused, by number; where absent items are allowed it has no effect."""
    names = ("pill", "cough", "beer")
    listed = Listed(private=names) if role == "private" else Listed(public=names)
    with pytest.raises(UsageError, match=f"2 of the 3 {role} items are in no transaction") as caught:
        listed.over(BASKETS, HALF)
    assert caught.value.where == role
    assert "cough" not in str(caught.value)
    allowed = Listed(private=names, absent=True) if role == "private" else Listed(public=names, absent=True)
    assert "pill" in roles_of(allowed)[role == "private"]


# ── Drawn ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("delta", "public"), [("0.1", 1), ("0.4", 2), ("0.5", 3), ("0.49", 2), ("3/5", 3), ("7/10", 4), ("1", 5)]
)
@pytest.mark.parametrize("draw", Draw)
def test_the_share_of_public_items_is_rounded_half_up(delta: str, public: int, draw: Draw) -> None:
    """Of five items so many are public; of the others none is anything but private or, by the paper's rule, neither."""
    roles = Drawn(delta=Fraction(delta), draw=draw).over(BASKETS, HALF)
    assert roles.public.sum() == public
    assert not (roles.public & roles.private).any()
    assert draw is Draw.PAPER or roles.private.sum() == 5 - public


def test_a_share_that_is_not_exact_is_refused() -> None:
    """In floating point, another number of items might be drawn."""
    with pytest.raises(UsageError, match="delta must be exact"):
        Drawn(delta=cast("Fraction", 0.4))


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(-1, 2), Fraction(11, 10)])
def test_what_is_no_share_is_refused(delta: Fraction) -> None:
    """Delta is above 0 and at most 1."""
    with pytest.raises(UsageError, match="delta is the share of public items") as caught:
        Drawn(delta=delta)
    assert caught.value.where == "delta"


def test_a_negative_seed_is_refused() -> None:
    """Seeds start at 0."""
    with pytest.raises(UsageError, match="a seed is a whole number of at least 0"):
        Drawn(delta=HALF, seed=-1)
    assert Drawn(delta=HALF, seed=0).seed == 0


def test_seeds_differ() -> None:
    """Some two of ten seeds draw different items, and each draws the same again."""
    drawn = [roles_of(Drawn(delta=HALF, seed=seed)) for seed in range(10)]
    assert drawn == [roles_of(Drawn(delta=HALF, seed=seed)) for seed in range(10)]
    assert any(one != drawn[0] for one in drawn)


def test_too_few_items_can_be_protected() -> None:
    """Where fewer items are in at most h of all transactions than are to be private, none are drawn."""
    with pytest.raises(InfeasibleError, match="4 items must be private, but only 3 are in at most h") as caught:
        Drawn(delta=Fraction(1, 5)).over(BASKETS, Fraction(1, 4))
    assert caught.value.hint == "raise h or delta"
    assert roles_of(Drawn(delta=Fraction(2, 5), seed=7)) == roles_of(Drawn(delta=Fraction(2, 5), seed=7))
    assert named(BASKETS, Drawn(delta=Fraction(2, 5)).over(BASKETS, Fraction(1, 4)).private) == ["pill", "tea", "test"]


def drawn_from(raw: RawDatabase, draw: Draw, seed: int) -> Roles | None:
    """The roles of a random database's items, half of them public; `None` where too few can be private."""
    try:
        return Drawn(delta=HALF, draw=draw, seed=seed).over(database_of(raw), raw.h)
    except InfeasibleError:
        return None


@given(raw_databases(), st.integers(0, 5))
def test_feasible_draws_are_feasible(raw: RawDatabase, seed: int) -> None:
    """No item drawn as private is in more than h of all transactions."""
    roles = drawn_from(raw, Draw.FEASIBLE, seed)
    within = [item for item in range(len(raw.weights)) if raw.support(frozenset({item})) <= raw.h * len(raw.rows)]
    hidden = len(raw.weights) // 2
    assert (roles is None) == (len(within) < hidden)
    if roles is not None:
        assert set(within).issuperset(roles.private.nonzero()[0].tolist())
        assert roles.private.sum() == hidden


@given(raw_databases(), st.integers(0, 5))
def test_the_rule_of_the_paper(raw: RawDatabase, seed: int) -> None:
    """Of the items that are not public those are private that no other in some transaction exceeds in support."""
    roles, uniform = drawn_from(raw, Draw.PAPER, seed), drawn_from(raw, Draw.UNIFORM, seed)
    assert roles is not None
    assert uniform is not None
    assert roles.public.tolist() == uniform.public.tolist()
    others = frozenset(uniform.private.nonzero()[0].tolist())
    expected = {item for row in raw.rows for item in foremost(raw, row & others)}
    assert expected == set(roles.private.nonzero()[0].tolist())


def foremost(raw: RawDatabase, items: Iterable[int]) -> list[int]:
    """Those of the items that have the highest support."""
    supports = {item: raw.support(frozenset({item})) for item in items}
    return [item for item, support in supports.items() if support == max(supports.values())]


@pytest.mark.parametrize("draw", Draw)
@given(raw=raw_databases(), seed=st.integers(0, 5))
def test_the_order_of_transactions_does_not_matter(draw: Draw, raw: RawDatabase, seed: int) -> None:
    """The transactions the other way round have the same roles."""
    turned = RawDatabase(raw.rows[::-1], raw.public, raw.private, raw.h, raw.k, raw.p, raw.weights)
    one, other = drawn_from(raw, draw, seed), drawn_from(turned, draw, seed)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one.public.tolist() == other.public.tolist()
        assert one.private.tolist() == other.private.tolist()


def test_roles_are_counted_and_not_named() -> None:
    """How many items have each role is shown in one line."""
    roles = Roles(np.array([True, False, False, True]), np.array([False, True, False, False]))
    assert repr(roles) == "<Roles; public: 2; private: 1; neither: 1>"
