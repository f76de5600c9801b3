"""Effects, measured against plain counting."""

from __future__ import annotations

import numpy as np
import pytest

from kohort.perturbation.effect import correlation, linked_names, linked_numbers


def plainly_linked(before: np.ndarray, after: np.ndarray) -> float:
    """For every record the share of it among the nearest cells."""
    total = 0.0
    for place, number in enumerate(before):
        distances = np.abs(after - number)
        nearest = np.flatnonzero(distances == distances.min())
        total += (place in nearest) / nearest.size
    return total / before.size


@pytest.mark.parametrize("seed", range(20))
def test_linkage_is_counted(seed: int) -> None:
    """Sorting finds whom looking at every pair finds, with ties in shares."""
    stream = np.random.default_rng(seed)
    before = stream.integers(0, 20, 40).astype(np.float64)
    after = before + stream.integers(-3, 4, 40) / 2
    assert linked_numbers(before, after) == pytest.approx(plainly_linked(before, after), abs=1e-12)
    order = stream.permutation(before.size)
    assert linked_numbers(before[order], after[order]) == linked_numbers(before, after)


def test_nothing_changed_links_all() -> None:
    """Distinct cells that stay are all found; equal ones in shares."""
    assert linked_numbers(np.arange(5.0), np.arange(5.0)) == 1
    assert linked_numbers(np.zeros(4), np.zeros(4)) == 0.25
    assert linked_names(np.array([0, 0, 1]), np.array([0, 0, 1]), 2) == pytest.approx(2 / 3)


def test_nobody_is_linked() -> None:
    """Without records there is nobody to be found, and no correlation."""
    none = np.empty(0)
    assert linked_numbers(none, none) == 0
    assert linked_names(np.empty(0, np.int64), np.empty(0, np.int64), 0) == 0
    assert correlation(none, none) == 0


def test_correlations() -> None:
    """Pearson's, at any scale; none with a constant."""
    stream = np.random.default_rng(1)
    one = stream.normal(size=500)
    other = one + stream.normal(size=500)
    expected = float(np.corrcoef(one, other)[0, 1])
    for scale, offset in ((1.0, 0.0), (1e-200, 0.0), (1e150, 0.0), (1.0, 1e9)):
        assert correlation(one * scale + offset, other) == pytest.approx(expected, rel=1e-6)
    assert correlation(one, np.ones(500)) == 0
