"""Reverse deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohort.transactions._rows import Incidence
from kohort.transactions.suppression import by_loss, give_back
from tests.unit.transactions.sets import Family, families, hits, incidence_of

if TYPE_CHECKING:
    from random import Random

LOSSES = st.lists(st.integers(1, 4), min_size=9, max_size=9)


def plainly(family: Family, losses: list[int], dropped: list[int]) -> list[int]:
    """The items given back, each tried by the definition: whether the rest still hits every set."""
    stays, returned = set(dropped), list[int]()
    for item in sorted(dropped, key=lambda one: (-losses[one], one)):
        if hits(family, stays - {item}):
            stays.remove(item)
            returned.append(item)
    return returned


@given(family=families(), losses=LOSSES, more=st.frozensets(st.integers(0, 8)), random=st.randoms())
def test_what_can_be_spared_is_given_back(
    family: Family, losses: list[int], more: frozenset[int], random: Random
) -> None:
    """The largest losses come back first, what stays keeps its order, hits every set and has no item to spare."""
    dropped = sorted({one[0] for one in family} | more)
    random.shuffle(dropped)
    needed, returned = give_back(incidence_of(family, 9), np.array(losses, np.int64), np.array(dropped, np.int32))
    assert returned.tolist() == plainly(family, losses, dropped)
    stays = needed.tolist()
    assert stays == [item for item in dropped if item not in returned.tolist()]
    assert hits(family, stays)
    assert not any(hits(family, set(stays) - {item}) for item in stays)


def test_without_moles_everything_comes_back() -> None:
    """Items that hit nothing are all given back, by loss and then in item order."""
    needed, returned = give_back(
        Incidence.of([], 4), np.array([1, 5, 5, 2], np.int64), np.array([3, 2, 1, 0], np.int32)
    )
    assert needed.size == 0
    assert returned.tolist() == [1, 2, 3, 0]


def test_the_order_of_losses() -> None:
    """The largest loss first; of equal ones the first item."""
    assert by_loss(np.array([2, 9, 9, 1], np.int64), np.array([3, 2, 0, 1], np.int32)).tolist() == [1, 2, 0, 3]
