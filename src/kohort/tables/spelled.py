"""Distinct cells as bytes, one after another, for the compiled core to write or to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from kohort.arrays import Index


#: Bytes that the core moves in one step.
_STEP: Final = 16


class Spelled(NamedTuple):
    """Cells one after another.

    Attributes:
        text: (b,) their bytes, and some more, so that the last ones too can be moved in whole steps.
        ends: (v + 1,) where each begins, and the last one ends.
    """

    text: NDArray[np.uint8]
    ends: Index


def spelled(cells: pl.Series, after: str) -> Spelled:
    r"""The bytes of `cells`, no null among them, and `after` each of them the separator or line end that follows it.

    >>> import polars as pl
    >>> text, ends = spelled(pl.Series(["a", "", "é"]), ";")
    >>> text[: ends[-1]].tobytes(), ends.tolist()
    (b'a;;\xc3\xa9;', [0, 2, 3, 6])
    """
    sizes = cells.str.len_bytes().to_numpy().astype(np.int64) + len(after)
    text = (cells + after).str.join("").item() if len(cells) else ""
    return Spelled(
        np.frombuffer(text.encode() + bytes(_STEP), np.uint8), np.concatenate([np.zeros(1, np.int64), sizes.cumsum()])
    )
