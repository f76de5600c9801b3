"""The order of texts, and of records by the texts of their cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.core.order import SortKey

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from kohort.arrays import Index


def ranks_of(values: pl.Series) -> Index:
    """(v,) the rank of each value as text, by its UTF-8 bytes, missing first."""
    ranks = np.empty(len(values), np.int64)
    order = pl.arg_sort_by("text", nulls_last=False, multithreaded=False)  # by several threads it takes twice the CPU
    ranks[values.alias("text").to_frame().select(order).to_series().to_numpy()] = np.arange(len(values))
    return ranks


def content_keys(cells: Iterable[tuple[pl.Series, NDArray[np.integer]]]) -> list[SortKey]:
    """Keys that put records in the order of a release: by the text of their cells, a missing one as the empty text.

    CSV writes both alike. Where that is all by which records differ, the missing cell comes first.

    Args:
        cells: Of each column the distinct values, and which of them each record has.
    """
    texts: list[SortKey] = []
    ties: list[SortKey] = []
    for values, codes in cells:
        ranks, empty = ranks_of(values), (values == "").fill_null(value=False).to_numpy()
        if values.has_nulls() and empty.any():
            ties.append(SortKey(empty.astype(np.int64), codes))
            ranks[empty] = ranks[values.is_null().to_numpy()]
        texts.append(SortKey(ranks, codes))
    return [*texts, *ties]
