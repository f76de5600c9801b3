"""Distinct cells as bytes, one after another, for the compiled core to write or to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Index


class Spelled(NamedTuple):
    """Cells one after another.

    Attributes:
        text: (b,) their bytes.
        ends: (v + 1,) where each begins, and the last one ends.
    """

    text: NDArray[np.uint8]
    ends: Index


def spelled(cells: pl.Series, after: str) -> Spelled:
    r"""The bytes of `cells`, no null among them, and `after` each of them the separator or line end that follows it.

    >>> text, ends = spelled(pl.Series(["a", "", "é"]), ";")
    >>> text.tobytes(), ends.tolist()
    (b'a;;\xc3\xa9;', [0, 2, 3, 6])
    """
    sizes = cells.str.len_bytes().to_numpy().astype(np.int64) + len(after)
    ended = pl.concat([cells, pl.Series(cells.name, [""] if len(cells) else [], pl.String)])
    text: bytes = ended.str.join(after).cast(pl.Binary).item()
    return Spelled(np.frombuffer(text, np.uint8), np.append(0, sizes.cumsum()))
