"""Minimal moles, exactly, level by level (Xu, Wang, Fu, Yu, KDD 2008, section 4).

Whoever knows a set knows its parts, so only a mole of which no part is one, a *minimal* mole, says something new. A set
whose parts are all sound (they occur and are no moles) is a candidate; it is counted and judged; the sound candidates
make the next level. Being rare is inherited by every set that contains a rare one, a breach is not: therefore the sound
sets of a size are kept even where no mole comes of them at the next.

Most candidates need no look at private items: in the cohort of a set no private item can be in more transactions than
it is in the cohort of one of its parts, and if that bound is within the share h of the set's own cohort, nothing is
breached. Most candidates of the last size, p, need not even be counted: the supports of their parts bound theirs from
below, and often that is enough.

Two engines count transactions in memory, `Bitmaps` and `Tids`; for each base, a set with the candidates that extend it,
the one that is estimated to be quicker. Of transactions elsewhere a third one asks the database where they lie. All
give the same counts.

Cost: a time proportional to the cohorts' cells, or to candidates times words; memory for the sound sets of a level.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import LimitError
from kohort.transactions._levels import Level, candidates, stacked
from kohort.transactions.problem import Moles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Items, Mask
    from kohort.transactions._engines import Counting
    from kohort.transactions._levels import Candidates
    from kohort.transactions.problem import SuppressionProblem


def mine(problem: SuppressionProblem) -> Moles:
    """The minimal moles of a database in which the empty set is none."""
    return _Search(problem).moles()


class _Search:
    """One search: what was found so far, level by level.

    Relevant public items have codes of their own, 0..f-1, ascending by support: so sets that share a beginning have the
    smallest cohorts. Private items too rare to breach any cohort of k transactions are left out.
    """

    def __init__(self, problem: SuppressionProblem) -> None:
        """Begin with nothing found."""
        self._problem = problem
        self._model = problem.coherence
        self._share = self._model.h.numerator, self._model.h.denominator
        self._sizes = min(problem.coherence.p, problem.database.longest)
        self._sets: list[Items] = []
        self._rare: list[Mask] = []
        self._held = 0
        self._trace: Counter[str] = Counter()

    def moles(self) -> Moles:
        """All minimal moles, sizes 1 to p; no larger set than the longest transaction occurs."""
        level, names, engines = self._first()
        while len(self._sets) < self._sizes:
            level = self._next(level, names, engines)
        return Moles(tuple(self._sets), tuple(self._rare), dict(self._trace))

    def _first(self) -> tuple[Level, Index, Counting]:
        """Judge the items one by one: the sound ones, what their codes stand for, and what counts them."""
        database, roles, model = self._problem.database, self._problem.roles, self._model
        supports = database.supports
        public = roles.public & (supports > 0)
        rare = np.flatnonzero(public & model.is_rare(supports))
        items = _by_support(public & ~model.is_rare(supports), supports)
        secrets = _by_support(roles.private & model.is_breached(np.full_like(supports, model.k), supports), -supports)
        engines = database.counting(items, secrets)
        tops = np.full(items.size, supports[secrets].max(initial=0))
        doubtful = np.flatnonzero(model.is_breached(supports[items], tops))
        tops[doubtful] = engines.singles(doubtful, self._share)
        breached = model.is_breached(supports[items], tops)
        sound = np.flatnonzero(~breached)
        found, kinds = np.append(rare, items[breached]), np.repeat([True, False], [rare.size, int(breached.sum())])
        self._keep([found[:, None]], [kinds])
        self._hold(found.size + sound.size)
        names = items[sound]
        sets = np.arange(names.size, dtype=np.int32)[:, None]
        parts, children = np.zeros((names.size, 1), np.int64), np.array([0, names.size])
        below = np.array([len(database)])
        return Level(sets, supports[names], tops[sound], parts, children, below), names, engines.among(sound)

    def _next(self, level: Level, names: Index, engines: Counting) -> Level:
        """Judge the sets of the next size: the sound ones, where a further size needs them."""
        last = len(self._sets) + 1 == self._sizes
        moles: list[NDArray[np.int64]] = [np.empty((0, len(self._sets) + 1), np.int64)]
        kinds: list[Mask] = [np.empty(0, np.bool_)]
        sound: list[Level] = []
        for listed in candidates(level, names.size, engines.room, floors=last):
            self._trace["candidates"] += listed.base.size
            found = self._uncertain(listed) if last else listed
            supports = engines.supports(level, found)
            rare = (supports > 0) & self._model.is_rare(supports)
            tops, breached = self._breaches(level, found, supports, engines)
            mole = np.flatnonzero(rare | breached)
            rest = np.flatnonzero((supports > 0) & ~rare & ~breached)
            moles.append(names[found.sets(level, mole)])
            kinds.append(rare[mole])
            if not last:
                sets, parts = found.sets(level, rest), found.parts[rest]
                sound.append(Level(sets, supports[rest], tops[rest], parts, level.children, level.below))
                self._hold(rest.size)
            self._hold(mole.size)
        self._hold(-len(level.items))
        self._keep(moles, kinds)
        return stacked(sound, level)

    def _uncertain(self, found: Candidates) -> Candidates:
        """The candidates that their parts' supports do not prove sound: of the last size nothing else is asked."""
        sure = ~self._model.is_rare(found.floors) & ~self._model.is_breached(found.floors, found.tops)
        self._trace["counts spared"] += int(np.count_nonzero(sure))
        return found.only(np.flatnonzero(~sure))

    def _breaches(self, level: Level, found: Candidates, supports: Counts, engines: Counting) -> tuple[Counts, Mask]:
        """What no private item exceeds in each candidate's cohort, and whether some private item breaches it."""
        model, tops = self._model, found.tops
        doubtful = np.flatnonzero(~model.is_rare(supports) & model.is_breached(supports, tops))
        self._trace["breach tests"] += doubtful.size
        self._trace["breach tests spared"] += int(np.count_nonzero(~model.is_rare(supports))) - doubtful.size
        if doubtful.size:
            tops[doubtful] = engines.tops(level, found, doubtful, supports[doubtful], self._share)
        breached = np.zeros(supports.size, np.bool_)
        breached[doubtful] = model.is_breached(supports[doubtful], tops[doubtful])
        return tops, breached

    def _keep(self, moles: Sequence[NDArray[np.int64]], kinds: Sequence[Mask]) -> None:
        """Keep the minimal moles of a size, in lexicographic order."""
        sets = np.sort(np.concatenate(moles), axis=1)
        order = _lexicographic(sets, len(self._problem.database.names))
        self._sets.append(sets[order].astype(np.int32))
        self._rare.append(np.concatenate(kinds)[order])

    def _hold(self, sets: int) -> None:
        """Count sets that come to be in memory, or leave it, and stop where they are too many."""
        self._held += sets
        if self._held > self._problem.most:
            what = f"more than {self._problem.most:,} item sets would be needed in memory"
            hint = (
                "lower p, raise k, make fewer items public, remove rare ones (--min-support) or allow more (--max-sets)"
            )
            raise LimitError(what, where=f"sets of {len(self._sets) + 1} items", hint=hint)


def _by_support(chosen: Mask, supports: Counts) -> Index:
    """The chosen items, ascending by support; ties by item order."""
    items = np.flatnonzero(chosen)
    return items[np.argsort(supports[items], kind="stable")]


def _lexicographic(sets: NDArray[np.int64], items: int) -> Index:
    """The places of sets of items in lexicographic order."""
    if items ** sets.shape[1] >= 1 << 63:
        return np.lexsort(sets.T[::-1])
    keys = np.zeros(len(sets), np.int64)  # one number a set, which sorts many times faster
    for column in sets.T:
        keys = keys * items + column
    return np.argsort(keys)
