"""The earth mover's distance of classes with few of many values, against sums over all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohort.models.t_closeness import added_up, people_below
from kohort.native.library import MOVE_BY_NODE, MOVE_IN_ORDER


@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.integers(0, 12))
def test_few_of_many_values(seed: int, values: int, held: int) -> None:
    """What lies between a class's values is added up at once, and comes to what each place alone does."""
    random = np.random.default_rng(seed)
    reference = random.integers(1, random.choice([2, 1000]), values, endpoint=True)
    used = np.sort([random.choice(values, min(held, values), replace=False) for _ in range(3)])
    counts = random.integers(0, 3, used.shape) * random.integers(0, 2, used.shape)
    full = np.zeros((3, values), np.int64)
    np.put_along_axis(full, used, counts, axis=1)
    people = int(reference.sum())
    apart = full * people - reference * full.sum(axis=1, keepdims=True)
    total, moved = np.empty(3, np.int64), np.empty(3)
    MOVE_IN_ORDER(counts, used.shape[1], used, added_up(reference), total, moved)
    assert moved.tolist() == np.abs(apart.cumsum(axis=1)).sum(axis=1).tolist()
    assert total.tolist() == full.sum(axis=1).tolist()
    nodes = np.sort(random.integers(0, values, values))
    levels = np.stack([np.arange(values), np.unique(nodes, return_inverse=True)[1]])
    above = np.stack([np.bincount(levels[1], weights=row) for row in apart])
    MOVE_BY_NODE(counts, used.shape[1], used, levels, people_below(levels, reference), values, people, total, moved)
    assert moved.tolist() == (np.abs(apart).sum(axis=1) + np.abs(above).sum(axis=1)).tolist()
    assert total.tolist() == full.sum(axis=1).tolist()
