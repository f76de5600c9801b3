"""Attacks on a released transaction database by somebody who knows some public items of a person.

Xu, Wang, Fu, Yu: Anonymizing Transaction Databases for Publication (KDD 2008). The attacker looks up the transactions
that have all known items, the person's cohort, and claims that one of them is the person's (singling out where there is
one, linking else), or that the person has the private item that most of them have. Items that the release lacks
altogether help nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.assessment.risk.attacks.base import Attack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from kohort.arrays import Counts, Index, Items, Mask
    from kohort.transactions.database import Transactions

#: People who are attacked where there are more: enough for intervals of some percent.
TARGETS: Final = 1_000

#: The seed of who is attacked, and by which items: the same evidence for the same release.
_SEED: Final = 20_08


class Tried(NamedTuple):
    """What somebody tried who knows so many items.

    Attributes:
        known: How many public items of a person; `None` for all.
        attack: What came of it.
        positive: The same against the input itself, where everything is open.
        negative: The same by somebody who knows another person's items instead: nothing.
    """

    known: int | None
    attack: Attack
    positive: Attack
    negative: Attack


def cohort_attacks(  # noqa: PLR0917  transactions, what is released of them, and who knows what
    source: Transactions,
    released: Transactions,
    lineage: Index,
    public: AbstractSet[str],
    private: AbstractSet[str],
    p: int,
    *,
    on_progress: Callable[[str], None] = lambda _: None,
) -> tuple[Tried, ...]:
    """What attackers find who know one, p, p + 1 and all public items of a person.

    Args:
        source: The transactions as they were.
        released: Those that are released.
        lineage: (n,) the source's transaction that each released one was.
        public: The names of public items.
        private: Those of private items.
        p: Public items that the model protects against.
        on_progress: Hears of each round of attacks.

    >>> from kohort.transactions.database import Transactions
    >>> shop = Transactions.of([["tea", "pill"], ["tea"], ["jam"]])
    >>> found = cohort_attacks(shop, shop, np.arange(3), {"tea", "jam"}, {"pill"}, 1)
    >>> [(one.attack.attack, one.attack.claims, one.attack.right) for one in found][:3]
    [('singling out', 1, 1.0), ('linking', 3, 2.0), ('inference', 2, 1.0)]
    """
    random = np.random.default_rng(_SEED)
    n = len(source)
    targets = np.sort(random.choice(n, min(n, TARGETS), replace=False))
    order = {row: random.permutation(_public(source, row, public)) for row in targets.tolist()}
    others = np.roll(targets, 1).tolist()
    release = _Lookup.of(released, lineage, source, private)
    input_ = _Lookup.of(source, np.arange(n), source, private)
    found: list[Tried] = []
    rounds = (*dict.fromkeys((1, p, p + 1)), None)
    for number, known in enumerate(rounds, 1):
        on_progress(f"attack {number} of {len(rounds)}")
        own = {row: _names(source, order[row][:known]) for row in targets.tolist()}
        strange = {row: own[other] for row, other in zip(targets.tolist(), others, strict=True)}
        attacks = (release.attacks(own), input_.attacks(own), release.attacks(strange))
        found += [Tried(known, *three) for three in zip(*attacks, strict=True)]
    return tuple(found)


def _public(source: Transactions, row: int, public: AbstractSet[str]) -> Items:
    items = _cells(source, row)
    return items[[source.names[item] in public for item in items.tolist()]]


def _cells(database: Transactions, row: int) -> Items:
    return database.cells[database.starts[row] : database.starts[row + 1]]


def _names(database: Transactions, items: Items) -> tuple[str, ...]:
    places: list[int] = items.tolist()
    return tuple(database.names[item] for item in places)


@dataclass(frozen=True, slots=True, eq=False)
class _Lookup:
    """Finds cohorts in a database.

    Attributes:
        source: The transactions as they were.
        place: The item of each name that some transaction has.
        rows: (c,) the transactions that have each item, ascending, item by item.
        ends: (m + 1,) where those of each item start.
        own: (n,) where the transaction of each of the source is now.
        starts: (n + 1,) where each transaction's private items start.
        cells: The private items of each transaction.
        names: What items are called.
    """

    source: Transactions
    place: Mapping[str, int]
    rows: Index
    ends: Index
    own: Index
    starts: Index
    cells: Items
    names: tuple[str, ...]

    @classmethod
    def of(cls, database: Transactions, lineage: Index, source: Transactions, private: AbstractSet[str]) -> _Lookup:
        rows = np.repeat(np.arange(len(database)), database.lengths)[np.argsort(database.cells, kind="stable")]
        supports = database.supports
        place = {name: item for item, name in enumerate(database.names) if supports[item]}
        is_private: Mask = np.array([name in private for name in database.names], np.bool_)
        kept = database.kept(is_private[database.cells])
        ends = np.concatenate(([0], np.cumsum(supports)))
        return cls(source, place, rows, ends, np.argsort(lineage), kept.starts, kept.cells, database.names)

    def cohort(self, known: Iterable[str]) -> Index:
        """The transactions that have these items, as far as anybody has them."""
        places = [self.place[name] for name in known if name in self.place]
        columns = sorted((self.rows[self.ends[one] : self.ends[one + 1]] for one in places), key=len)
        found = columns[0] if columns else np.arange(self.own.size)
        for column in columns[1:]:
            near = np.minimum(np.searchsorted(column, found), column.size - 1)
            found = found[column[near] == found]
        return found

    def likeliest(self, cohort: Index) -> str:
        """The private item that most of these transactions have; no name where none has any."""
        lengths = np.diff(self.starts)[cohort]
        first = np.repeat(self.starts[cohort] - np.cumsum(lengths) + lengths, lengths)
        counts: Counts = np.bincount(self.cells[first + np.arange(first.size)], minlength=1)
        best = int(counts.argmax())
        return self.names[best] if counts[best] else ""

    def attacks(self, known: Mapping[int, Sequence[str]]) -> tuple[Attack, Attack, Attack]:
        """What comes of it where these items of each target are known: singling out, linking, inference."""
        source, n = self.source, self.own.size
        single, linked, inferred = list[tuple[bool, float]](), list[tuple[bool, float]](), list[tuple[bool, float]]()
        for row, names in known.items():
            cohort = self.cohort(names)
            mine = float(self.own[row] in cohort) / max(cohort.size, 1)
            single.append((cohort.size == 1, mine))
            linked.append((cohort.size > 0, mine))
            claim = self.likeliest(cohort)
            inferred.append((claim != "", float(claim in _names(source, _cells(source, row)))))
        usual = self.likeliest(np.arange(n))
        having = sum(usual in _names(source, _cells(source, row)) for row in known) / len(known)
        return (
            _scored("singling out", single, 1 / n),
            _scored("linking", linked, 1 / n),
            _scored("inference", inferred, having),
        )


def _scored(name: str, found: Sequence[tuple[bool, float]], baseline: float) -> Attack:
    """An attack, by whether the attacker makes a claim about each target, and how far that would be right."""
    right = sum((right for claimed, right in found if claimed), 0.0)
    claims = sum(claimed for claimed, _ in found)
    return Attack.scored(name, len(found), claims, right, baseline, unit="transactions")
