"""Candidates are the sets of which every part is at hand, with the bounds that their parts give."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest

from kohort.transactions import _levels
from kohort.transactions._levels import Level, candidates

ITEMS = 9


def pairs_of(seed: int) -> Level:
    """Some pairs of a few items, with supports and tops that are drawn."""
    draw = Random(seed)  # noqa: S311  nothing is hidden by it
    pairs = [pair for pair in combinations(range(ITEMS), 2) if draw.random() < 0.7]
    first = [one for one, _ in pairs]
    return Level(
        np.array(pairs, np.int32),
        np.array(draw.choices(range(20, 40), k=len(pairs)), np.int64),
        np.array(draw.choices(range(20), k=len(pairs)), np.int64),
        np.array([(other, one) for one, other in pairs], np.int64),
        np.searchsorted(first, np.arange(ITEMS + 1)),
        np.array(draw.choices(range(40, 50), k=ITEMS), np.int64),
    )


@pytest.mark.parametrize("chunk", [1, 1 << 18])
@pytest.mark.parametrize("seed", range(5))
def test_candidates_are_as_defined(seed: int, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each set of three items whose pairs are all there is one, once, in order, with its bounds.

    No private item is in more of its transactions than of any of its pairs'. Of the transactions that have one of its
    items, those that lack neither of the two others have all three.
    """
    monkeypatch.setattr(_levels, "_CHUNK", chunk)
    level = pairs_of(seed)
    place = {(one, other): at for at, (one, other) in enumerate(level.items.tolist())}
    expected: list[tuple[int, int, int, int, list[int]]] = []
    for one, two, three in combinations(range(ITEMS), 3):
        if {(one, two), (one, three), (two, three)} <= place.keys():
            parts = [place[two, three], place[one, three], place[one, two]]
            without = dict(zip((one, two, three), level.supports[parts].tolist(), strict=True))
            floor = max(
                without[a] + without[b] - int(level.below[({one, two, three} - {a, b}).pop()])
                for a, b in combinations((one, two, three), 2)
            )
            expected.append((parts[-1], three, int(level.tops[parts].min()), max(floor, 0), parts))
    found = [
        (base, item, top, floor, parts)
        for stretch in candidates(level, ITEMS, floors=True)
        for base, item, top, floor, parts in zip(
            stretch.base.tolist(),
            stretch.item.tolist(),
            stretch.tops.tolist(),
            stretch.floors.tolist(),
            stretch.parts.tolist(),
            strict=True,
        )
    ]
    assert len(expected) > 10
    assert found == expected
