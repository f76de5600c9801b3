"""(h,k,p)-coherence once more, plainly: every set of items spelled out, straight from the definitions.

It is the oracle of mining and suppression. An item is a number, a transaction a set of them, a share a fraction;
nothing is mined level by level, packed or pruned, and after each item dropped all is counted anew. `problem_of` gives
the package's view of the same database.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from hypothesis import strategies as st

from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.problem import CellSuppression, ItemSuppression, SuppressionProblem
from kohort.transactions.roles import Roles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kohort.arrays import Mask
    from kohort.transactions.problem import Moles, Suppression, SuppressionSolution

#: Some items: a transaction, or what an attacker knows.
Items: TypeAlias = "frozenset[int]"

#: The same in item order, so that it can be told and compared.
Ordered: TypeAlias = "tuple[int, ...]"


@dataclass(frozen=True)
class RawDatabase:
    """Transactions, roles and the promise.

    Attributes:
        rows: the items of each transaction.
        public: what an attacker may know.
        private: what must not be inferred.
        h: the share that a private item may have of a cohort.
        k: the transactions of a cohort, at least.
        p: the public items that an attacker knows, at most.
        weights: of each item; there are as many items as weights, and one may be in no transaction.
    """

    rows: tuple[Items, ...]
    public: Items
    private: Items
    h: Fraction
    k: int
    p: int
    weights: tuple[int, ...]

    def support(self, known: Items) -> int:
        """The transactions that contain all of `known`."""
        return sum(known <= row for row in self.rows)

    def loss(self, item: int) -> int:
        """What dropping the item loses."""
        return self.support(frozenset({item})) * self.weights[item]

    def less(self, dropped: Iterable[int]) -> RawDatabase:
        """The database without these items; nobody can know them any more."""
        gone = frozenset(dropped)
        return replace(self, rows=tuple(row - gone for row in self.rows), public=self.public - gone)


# ── By definition ────────────────────────────────────────────────────────────────────────────────


def is_rare(raw: RawDatabase, known: Items) -> bool:
    """Whether the cohort is too small."""
    return raw.support(known) < raw.k


def is_breached(raw: RawDatabase, known: Items) -> bool:
    """Whether a private item is in more than the share h of the cohort."""
    cohort = raw.support(known)
    return any(Fraction(raw.support(known | {item}), cohort) > raw.h for item in raw.private)


def is_mole(raw: RawDatabase, known: Items) -> bool:
    """Whether a set of public items is in some transaction, and tells too much."""
    return raw.support(known) > 0 and (is_rare(raw, known) or is_breached(raw, known))


def is_feasible(raw: RawDatabase) -> bool:
    """Whether an attacker who knows nothing learns nothing; of no transaction there is no release."""
    return bool(raw.rows) and not is_mole(raw, frozenset())


def known_sets(raw: RawDatabase) -> Iterator[Items]:
    """All sets of 1 to p public items, the smaller ones first, each size in lexicographic order."""
    for size in range(1, min(raw.p, len(raw.public)) + 1):
        yield from map(frozenset, combinations(sorted(raw.public), size))


def all_moles(raw: RawDatabase) -> list[Ordered]:
    """The moles, minimal or not, less the empty set."""
    return [tuple(sorted(known)) for known in known_sets(raw) if is_mole(raw, known)]


def minimal_moles(raw: RawDatabase) -> list[Ordered]:
    """The moles of which no part but the empty set is a mole."""
    moles = all_moles(raw)
    every = set(moles)
    return [mole for mole in moles if not any(part in every for part in parts(mole))]


def parts(mole: Ordered) -> Iterator[Ordered]:
    """All parts of a set but itself and the empty set."""
    return chain.from_iterable(combinations(mole, size) for size in range(1, len(mole)))


def is_coherent(raw: RawDatabase) -> bool:
    """Whether no set of at most p public items is a mole."""
    return is_feasible(raw) and not all_moles(raw)


# ── What is dropped ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Dropped:
    """An item that the greedy search drops.

    Attributes:
        item: the item.
        moles: the minimal moles of two or more items that contain it.
        left: the minimal moles after it.
        score: its score.
    """

    item: int
    moles: int
    left: int
    score: Fraction


def scores(raw: RawDatabase, score: str) -> dict[int, Fraction]:
    """The score of every item that is in a minimal mole: MM/IL, MM or 1/IL."""
    moles = minimal_moles(raw)
    inside = {item: sum(item in mole for mole in moles) for item in sorted(frozenset(chain.from_iterable(moles)))}
    above = inside if score != "1il" else dict.fromkeys(inside, 1)
    below = {item: raw.loss(item) if score != "mm" else 1 for item in inside}
    return {item: Fraction(above[item], below[item]) for item in inside}


def singles(raw: RawDatabase) -> list[int]:
    """The items that are moles alone, in item order."""
    return [item for item in sorted(raw.public) if is_mole(raw, frozenset({item}))]


def greedy(raw: RawDatabase, score: str) -> list[Dropped]:
    """After the items that are moles alone, always the item of the highest score, of equal ones the first."""
    found: list[Dropped] = []
    rest = raw.less(singles(raw))
    while moles := minimal_moles(rest):
        of = scores(rest, score)
        item = max(of, key=lambda one: (of[one], -one))
        rest = rest.less({item})
        found.append(Dropped(item, sum(item in mole for mole in moles), len(minimal_moles(rest)), of[item]))
    return found


def loss(raw: RawDatabase, dropped: Iterable[int]) -> int:
    """What these items lose together."""
    return sum(map(raw.loss, dropped))


def distortion(raw: RawDatabase, dropped: Iterable[int]) -> Fraction:
    """The share of the (weighted) cells of all items, public and private, that these items hold."""
    return Fraction(loss(raw, dropped), max(loss(raw, range(len(raw.weights))), 1))


def is_least(raw: RawDatabase, dropped: Items) -> bool:
    """Whether the database is coherent without these items, and with any one of them given back is not."""
    return is_coherent(raw.less(dropped)) and not any(is_coherent(raw.less(dropped - {item})) for item in dropped)


def optimum(raw: RawDatabase) -> int:
    """The least loss of any set of public items without which the database is coherent."""
    ways = chain.from_iterable(combinations(sorted(raw.public), size) for size in range(len(raw.public) + 1))
    return min(loss(raw, way) for way in ways if is_coherent(raw.less(way)))


# ── The package's view ───────────────────────────────────────────────────────────────────────────


def database_of(raw: RawDatabase) -> Transactions:
    """The transactions as the package holds them; an item's code is its number, whether it occurs or not."""
    return Transactions(
        tuple(map(str, range(len(raw.weights)))),
        np.cumsum([0, *map(len, raw.rows)], dtype=np.int64),
        np.array([item for row in raw.rows for item in sorted(row)], np.int32),
    )


def problem_of(raw: RawDatabase) -> SuppressionProblem:
    """The database as algorithms see it."""
    return SuppressionProblem(
        database_of(raw),
        Roles(_mask(raw, raw.public), _mask(raw, raw.private)),
        Coherence(raw.h, raw.k, raw.p),
        np.array([raw.loss(item) for item in range(len(raw.weights))], np.int64),
    )


def _mask(raw: RawDatabase, items: Items) -> Mask:
    """(m,) which items these are."""
    return np.array([item in items for item in range(len(raw.weights))], np.bool_)


def told(moles: Moles) -> list[tuple[Ordered, bool]]:
    """Mined moles as the oracle tells them, the smaller ones first, and whether each is rare."""
    return [
        (tuple(mole), rare)
        for sets, kinds in zip(moles.sets, moles.rare, strict=True)
        for mole, rare in zip(sets.tolist(), kinds.tolist(), strict=True)
    ]


def told_plainly(raw: RawDatabase) -> list[tuple[Ordered, bool]]:
    """What mining has to find."""
    return [(mole, is_rare(raw, frozenset(mole))) for mole in minimal_moles(raw)]


def items_of(solution: SuppressionSolution) -> list[int]:
    """The items that a solution drops, in order."""
    assert isinstance(solution.suppression, ItemSuppression)
    dropped: list[int] = solution.suppression.items.tolist()
    return dropped


def released(raw: RawDatabase, suppression: Suppression) -> RawDatabase:
    """What is left of the database, cell by cell."""
    if isinstance(suppression, ItemSuppression):
        return raw.less(suppression.items.tolist())
    assert isinstance(suppression, CellSuppression)
    keep = iter(suppression.keep.tolist())
    return replace(raw, rows=tuple(frozenset(item for item in sorted(row) if next(keep)) for row in raw.rows))


# ── Databases drawn at random ────────────────────────────────────────────────────────────────────

#: What failing examples shrink to comes first; what is drawn more often is there more often.
#: Items, different transactions, how often each is there (cohorts of more transactions than bits in a machine word).
ITEMS, ROWS, TIMES = (
    (8, 7, 9, 8, 6, 8, 7, 4, 2),
    (20, 12, 30, 16, 40, 6, 2),
    ((1, 1, 2), (1, 1, 1), (1, 2, 5), (1, 1, 40)),
)

#: The share of the transactions that have an item, how far items differ in it, private ones from others too.
DENSITIES, SKEW, RARER = (0.7, 0.85, 0.6, 0.95, 0.4), (1, 1, 1, 0.7), 0.4

#: Roles; what an attacker knows; cohorts.
ROLES = ("public", "public", "public", "public", "private", "private", "neither")
KNOWN, COHORTS = (4, 5, 3, 2, 5, 1, 9), (2, 3, 2, 4, 5, 1, 3, 2, 8, 65)

#: Shares that cohorts of few transactions meet exactly, and some that no decimal is.
SHARES = tuple(map(Fraction, ("1/2", "2/5", "0", "1/3", "1/2", "2/3", "3/4", "99/100", "1/7", "1")))


@st.composite
def raw_databases(draw: st.DrawFn, *, feasible: bool = True) -> RawDatabase:
    """Databases of a few items: sparse or dense, any roles, any promise, weights.

    Args:
        draw: by Hypothesis.
        feasible: whether there are at least k transactions, and h is not below the share of a private item.
    """
    m, n = draw(st.sampled_from(ITEMS)), draw(st.sampled_from(ROWS))
    density, times = draw(st.sampled_from(DENSITIES)), draw(st.sampled_from(TIMES))
    some = draw(st.randoms(use_true_random=True))
    roles = some.choices(ROLES, k=m)
    shares = [density * some.choice(SKEW) * (RARER if role == "private" else 1) for role in roles]
    distinct = [frozenset(item for item in range(m) if some.random() < shares[item]) for _ in range(n)]
    rows = [row for row in distinct for _ in range(some.choice(times))]
    some.shuffle(rows)
    named = {role: frozenset(item for item in range(m) if roles[item] == role) for role in ROLES}
    h, p, k = draw(st.sampled_from(SHARES)), draw(st.sampled_from(KNOWN)), draw(st.sampled_from(COHORTS))
    weights = tuple(some.randint(1, 5) for _ in range(m)) if draw(st.booleans()) else (1,) * m
    raw = RawDatabase(tuple(rows), named["public"], named["private"], h, max(k, 1 + (h == 1)), p, weights)
    return _made_feasible(raw) if feasible else raw


def _made_feasible(raw: RawDatabase) -> RawDatabase:
    """The same with at least k transactions, two or more, and with no private item in more than h of them."""
    enough = replace(raw, rows=raw.rows + raw.rows[:1] * (max(raw.k, 2) - len(raw.rows)))
    supports = [enough.support(frozenset({item})) for item in raw.private]
    h = max(raw.h, Fraction(max(supports, default=0), len(enough.rows)))
    return replace(enough, h=h, k=max(raw.k, 1 + (h == 1)))
