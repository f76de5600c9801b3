"""Families of sets of items for these tests, and the hitting sets that they have."""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
from hypothesis import strategies as st

from kohort.transactions._bitmaps import Bitmaps
from kohort.transactions._engines import Engines, Tids
from kohort.transactions._rows import Incidence
from kohort.transactions.moles import mine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kohort.arrays import Mask, Shares
    from kohort.transactions.problem import Moles, SuppressionProblem

#: Sets of items, none of them a part of another, by size and then lexicographically.
Family: TypeAlias = "tuple[tuple[int, ...], ...]"

#: What counts alone: either engine, or none where each counts what it is quicker for.
ENGINES = (None, Bitmaps, Tids)


def families(*, items: int = 9, most: int = 12) -> st.SearchStrategy[Family]:
    """Families of sets of two to four of so many items."""
    one = st.frozensets(st.integers(0, items - 1), min_size=2, max_size=4)
    return st.frozensets(one, max_size=most).map(antichain)


def antichain(sets: Iterable[frozenset[int]]) -> Family:
    """The minimal ones of these sets."""
    sets = list(sets)
    least = (one for one in sets if not any(other < one for other in sets))
    return tuple(sorted((tuple(sorted(one)) for one in least), key=lambda one: (len(one), one)))


def incidence_of(family: Family, items: int) -> Incidence:
    """The family as algorithms see it."""
    sizes = sorted({len(one) for one in family})
    return Incidence.of([np.array([one for one in family if len(one) == size], np.int32) for size in sizes], items)


def family_of(sets: Incidence) -> list[tuple[int, ...]]:
    """The sets, as they stand."""
    return [tuple(one.tolist()) for one in np.split(sets.items, sets.starts[1:-1]) if len(sets)]


def hits(family: Iterable[Sequence[int]], items: Iterable[int]) -> bool:
    """Whether every set has one of the items."""
    chosen = set(items)
    return all(not chosen.isdisjoint(one) for one in family)


def hitting(family: Sequence[Sequence[int]], items: int) -> Iterator[tuple[int, ...]]:
    """Every set of items that hits the whole family."""
    ways = chain.from_iterable(combinations(range(items), size) for size in range(items + 1))
    return (way for way in ways if hits(family, way))


def _never(*_: object) -> bool:
    return False


def _always(_: object, gains: Shares) -> Mask:
    return np.full(gains.size, fill_value=True)


def mine_by(engine: type | None, problem: SuppressionProblem) -> Moles:
    """The minimal moles, by one engine alone or by what is quicker."""
    with pytest.MonkeyPatch.context() as patch:
        if engine is Tids:
            patch.setattr(Bitmaps, "fit", _never)
        elif engine is Bitmaps:
            patch.setattr(Engines, "_dense", _always)
        return mine(problem)
