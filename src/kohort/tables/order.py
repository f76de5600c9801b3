"""The order of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

    from kohort.arrays import Index


def ranks_of(values: pl.Series) -> Index:
    """(v,) the rank of each value as text, by its UTF-8 bytes, missing first."""
    ranks = np.empty(len(values), np.int64)
    ranks[values.arg_sort(nulls_last=False).to_numpy()] = np.arange(len(values))
    return ranks
