"""Whether what was drawn fits the odds it was to be drawn by."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl


def fits(observed: Sequence[int], odds: Sequence[float]) -> bool:
    """Whether chi-square lies within seven standard deviations of its mean, and nothing impossible occurred."""
    seen, weights = np.array(observed, dtype=float), np.array(odds, dtype=float)
    expected = weights * (seen.sum() / weights.sum())
    possible = expected > 0
    statistic = float(((seen - expected)[possible] ** 2 / expected[possible]).sum())
    freedom = int(possible.sum()) - 1
    return not seen[~possible].any() and statistic <= freedom + 7 * sqrt(2 * freedom)


def tally(column: pl.Series, values: Sequence[object]) -> list[int]:
    """How often each of `values` occurs in `column`, which must hold no other."""
    counts = cast("Mapping[object, int]", dict(column.value_counts().iter_rows()))
    assert set(counts) <= set(values)
    return [counts.get(value, 0) for value in values]


def uniform(values: pl.Series, size: int) -> bool:
    """Whether values are uniform below `size`: each quarter has as many as the numbers in it let expect."""
    quarter, numbers = values * 4 // size, np.arange(size) * 4 // size
    return fits(tally(quarter, range(4)), np.bincount(numbers, minlength=4).tolist())
