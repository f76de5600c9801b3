"""Mining finds the minimal moles of larger databases too, by either engine, in stretches, and stops where it must."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

from kohort.errors import LimitError
from kohort.transactions import _bitmaps, _engines, _levels
from kohort.transactions._bitmaps import Bitmaps
from kohort.transactions._engines import Tids
from kohort.transactions._rows import Rows
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.moles import mine
from kohort.transactions.problem import SuppressionProblem
from kohort.transactions.roles import Listed, Roles
from tests.reference.transactions import (
    RawDatabase,
    problem_of,
    raw_databases,
    told,
    told_plainly,
)
from tests.unit.transactions.sets import ENGINES, mine_by

if TYPE_CHECKING:
    from tests.reference.transactions import Ordered


@dataclass(frozen=True)
class Size:
    """What a larger database is like.

    Attributes:
        seed: what is drawn.
        rows: transactions.
        public: public items.
        private: private items.
        dense: the share of the transactions that the commonest public items are in.
        common: that of the commonest private items.
        p: items that an attacker knows.
        k: transactions of a cohort.
    """

    seed: int
    rows: int
    public: int
    private: int
    dense: float
    common: float
    p: int
    k: int


#: Transactions few and many, private items few and many: so each engine takes each of its ways.
SIZES = (
    Size(3, 90, 12, 3, 0.6, 0.3, 5, 3),
    Size(4, 700, 14, 4, 0.9, 0.3, 4, 8),
    Size(5, 500, 10, 60, 0.6, 0.3, 3, 20),
    Size(6, 1000, 12, 40, 0.8, 0.3, 3, 40),
    Size(7, 2000, 18, 9, 0.95, 0.3, 4, 60),
    Size(27, 1000, 16, 20, 0.95, 0.3, 4, 30),
    Size(51, 700, 14, 4, 0.9, 0.3, 5, 20),
    Size(8, 1000, 12, 150, 0.4, 0.05, 4, 5),
    Size(9, 90, 30, 60, 0.2, 0.05, 3, 2),
)


def larger(place: int) -> RawDatabase:
    """A database in which transactions differ in length and items in support; private items are in under half."""
    size, some = SIZES[place], Random(SIZES[place].seed)  # noqa: S311  a database, not a secret
    shares = [some.uniform(0.3, 1) * size.dense for _ in range(size.public)]
    shares += [some.uniform(0.02, size.common) for _ in range(size.private)]
    moods = [some.uniform(0.6, 1.3) for _ in range(size.rows)]
    rows = tuple(frozenset(item for item, share in enumerate(shares) if some.random() < share * mood) for mood in moods)
    hidden = frozenset(range(size.public, len(shares)))
    return RawDatabase(rows, frozenset(range(size.public)), hidden, Fraction(2, 5), size.k, size.p, (1,) * len(shares))


def quickly(raw: RawDatabase) -> list[tuple[Ordered, bool]]:
    """What mining has to find, by the definition, cohorts being Python's integers: a bit for each transaction."""
    cohorts = [sum((item in row) << at for at, row in enumerate(raw.rows)) for item in range(len(raw.weights))]
    found: dict[Ordered, bool] = {}
    for size in range(1, raw.p + 1):
        for known in combinations(sorted(raw.public), size):
            cohort = (1 << len(raw.rows)) - 1
            for item in known:
                cohort &= cohorts[item]
            support = cohort.bit_count()
            rare = support < raw.k
            breached = any((cohort & cohorts[item]).bit_count() > raw.h * support for item in raw.private)
            inside = any(part in found for less in range(1, size) for part in combinations(known, less))
            if support and (rare or breached) and not inside:
                found[known] = rare
    return list(found.items())


@pytest.mark.parametrize("place", range(len(SIZES)))
def test_larger_databases(place: int) -> None:
    """With hundreds of transactions, too, the moles are those of the definition: rare ones and breaches."""
    raw = larger(place)
    expected = quickly(raw)
    assert {rare for _, rare in expected} == {False, True}
    for engine in ENGINES:
        assert told(mine_by(engine, problem_of(raw))) == expected


@given(raw_databases())
def test_the_quick_plain_version_is_the_plain_one(raw: RawDatabase) -> None:
    """What larger databases are compared with is the definition."""
    assert quickly(raw) == told_plainly(raw)


def test_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates are listed some at a time; how many does not matter."""
    raw = larger(1)
    whole = told(mine(problem_of(raw)))
    for room in (1, 17, 100):
        monkeypatch.setattr(_levels, "_CHUNK", room)
        assert told(mine(problem_of(raw))) == whole


@pytest.mark.parametrize("place", range(len(SIZES)))
def test_both_engines_at_once(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each base goes to the engine that is quicker for it, however little that gains, the moles are the same."""
    monkeypatch.setattr(_engines, "_WORTH", -np.inf)
    raw = larger(place)
    assert told(mine(problem_of(raw))) == quickly(raw)


@pytest.mark.parametrize("place", range(4))
def test_what_is_a_mole_alone_changes_no_bound_of_the_others(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An item that only occurs beside a private one is found at once, and the others are still counted rightly."""
    monkeypatch.setattr(_engines, "_WORTH", -np.inf)
    raw = larger(place)
    secret, beside = max(raw.private, key=lambda item: sum(item in row for row in raw.rows)), len(raw.weights)
    rows = tuple(row | {beside} if secret in row else row for row in raw.rows)
    raw = replace(raw, rows=rows, public=raw.public | {beside}, weights=(*raw.weights, 1))
    expected = quickly(raw)
    assert ((beside,), False) in expected
    assert told(mine(problem_of(raw))) == expected


def test_bitmaps_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where bitmaps would take too much memory only lists are used."""
    raw = larger(4)
    whole = told(mine(problem_of(raw)))
    monkeypatch.setattr(_bitmaps, "_ROOM", 1000)
    monkeypatch.setattr(Bitmaps, "__init__", None)  # they cannot be made any more
    assert told(mine(problem_of(raw))) == whole


@pytest.mark.parametrize(("engine", "other"), [(Bitmaps, Tids), (Tids, Bitmaps)])
def test_one_engine_alone_suffices(engine: type, other: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the other one cannot even be made, the moles are the same."""
    raw = larger(4)
    whole = told(mine(problem_of(raw)))
    monkeypatch.setattr(other, "__init__", None)
    assert told(mine_by(engine, problem_of(raw))) == whole


def test_bitmaps_fit_that_take_no_more_memory_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compared is what they take: a bitmap of each item, and a number of each pair."""
    raw = larger(8)
    database = Transactions.of([map(str, row) for row in raw.rows])
    rows = Rows(database.starts, database.cells, len(database.names))
    public, private = (rows.only(np.arange(kind, len(database.names), 3)) for kind in (0, 1))
    bitmaps = Bitmaps(public, private)
    taken = sum(_bitmaps.bits_of(one, np.arange(len(rows), dtype=np.int32)).nbytes for one in (public, private))
    for room, fits in ((0, True), (-1, False)):
        monkeypatch.setattr(_bitmaps, "_ROOM", taken + bitmaps.pairs.nbytes + room)
        assert Bitmaps.fit(public, private) is fits


# ── Edges ────────────────────────────────────────────────────────────────────────────────────────


ROWS = ("1010001", "1010010", "0110000", "1100010", "1110000", "1111110")

#: Example 1 of semantics 4.
EXAMPLE = RawDatabase(
    tuple(frozenset(item for item, cell in enumerate(row) if cell == "1") for row in ROWS),
    frozenset({0, 1, 2, 5, 6}),
    frozenset({3, 4}),
    Fraction(1, 2),
    3,
    3,
    (1,) * 7,
)

NOTHING: frozenset[int] = frozenset()


@pytest.mark.parametrize("engine", ENGINES)
def test_types_and_order(engine: type | None) -> None:
    """Each size has an array as wide, of codes, in lexicographic order, and a yes or no for each set."""
    moles = mine_by(engine, problem_of(EXAMPLE))
    assert [sets.tolist() for sets in moles.sets] == [[[6]], [[1, 5], [2, 5]], [[0, 1, 2]]]
    assert [rare.tolist() for rare in moles.rare] == [[True], [True, True], [True]]
    assert {(sets.dtype.name, rare.dtype.name) for sets, rare in zip(moles.sets, moles.rare, strict=True)} == {
        ("int32", "bool")
    }
    assert moles.singles.tolist() == [6]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_attacker_who_knows_more_than_anybody_has(engine: type | None) -> None:
    """A p beyond all bounds is answered at once: sizes end with the longest transaction, each as wide as it says."""
    moles = mine_by(engine, problem_of(replace(EXAMPLE, p=10**9)))
    assert [sets.shape for sets in moles.sets] == [(1, 1), (2, 2), (1, 3), (0, 4), (0, 5), (0, 6)]
    assert told(moles) == told(mine(problem_of(EXAMPLE)))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rows", [(), (NOTHING,) * 4, (frozenset({0}),) * 4])
def test_hardly_anything(engine: type | None, rows: tuple[frozenset[int], ...]) -> None:
    """Without transactions, without cells, with one item: size 1 is always there, and no mole is found."""
    for public in (frozenset({0}), NOTHING):
        moles = mine_by(engine, problem_of(replace(EXAMPLE, rows=rows, public=public, private=frozenset({3}))))
        assert moles.sets[0].shape == (0, 1)
        assert told(moles) == []
        assert moles.singles.size == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_private(engine: type | None) -> None:
    """Without private items every mole is rare."""
    found = told(mine_by(engine, problem_of(replace(EXAMPLE, private=NOTHING))))
    assert found == [((6,), True), ((1, 5), True), ((2, 5), True), ((0, 1, 2), True)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("most", [1, 5])
def test_sets_in_memory_are_bounded(engine: type | None, most: int) -> None:
    """Where more sets would have to be held than allowed the search stops, says so, and what would help."""
    with pytest.raises(LimitError, match=rf"more than {most} item sets") as caught:
        mine_by(engine, replace(problem_of(replace(EXAMPLE, k=1, h=Fraction(99, 100))), most=most))
    assert caught.value.where.startswith("sets of ")
    assert "lower p, raise k" in caught.value.hint


def test_many_items() -> None:
    """Sets are in lexicographic order also where they are too many to be numbered in 64 bits."""
    few = problem_of(replace(EXAMPLE, p=5))
    assert isinstance(few.database, Transactions)
    names = tuple(map(str, range(10_000)))
    more = len(names) - few.losses.size
    roles = Roles(np.pad(few.roles.public, (0, more)), np.pad(few.roles.private, (0, more)))
    many = replace(few, database=replace(few.database, names=names), roles=roles, losses=np.pad(few.losses, (0, more)))
    assert told(mine(many)) == told(mine(few))


def test_moles_are_in_order_however_many_items_there_are() -> None:
    """Of so many items that sets of five are no longer numbered in 64 bits, too."""
    fives = list(combinations((4, 3, 0, 6998, 6999, 17, 16), 5))
    rows = [*map(sorted, fives), *([item] for item in (4, 4, 0, 6999))]  # whose supports differ
    names = tuple(map(str, range(7000)))
    starts = np.cumsum([0, *map(len, rows)])
    database = Transactions(names, starts, np.array([item for row in rows for item in row], np.int32))
    roles = Roles(np.ones(7000, np.bool_), np.zeros(7000, np.bool_))
    problem = SuppressionProblem(database, roles, Coherence(Fraction(1), 3, 5), database.supports)
    assert [tuple(mole) for mole in mine(problem).sets[4].tolist()] == sorted(map(tuple, map(sorted, fives)))


def test_as_many_sets_are_held_as_are_allowed() -> None:
    """One item is one set; two are one too many where one is allowed."""
    one, two = (Transactions.of([items] * 2) for items in ("a", "ab"))
    model = Coherence(Fraction(1), 2, 1)
    all_public = Listed()
    problem = SuppressionProblem(one, all_public.over(one, model.h), model, one.supports, most=1)
    assert [len(sets) for sets in mine(problem).sets] == [0]
    with pytest.raises(LimitError, match="1 item sets"):
        mine(replace(problem, database=two, roles=all_public.over(two, model.h), losses=two.supports))
