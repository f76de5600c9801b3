"""Ranges of numbers and of dates, `[low-high]`, read all at once: cut where their ends stand, which are looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.tables.spelled import spelled

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from kohort.arrays import Index
    from kohort.io.dictionary import Known


def ends_of(labels: pl.Series, known: Known, dash: str) -> tuple[Index, Index]:
    """(L,) which of the known texts each label has before its dash, and which behind it; -1 where it has none there.

    In no known text may a dash stand behind the first letter, where it is a sign. So there is one way to read a label.

    >>> import polars as pl
    >>> from kohort.io.dictionary import Known
    >>> known = Known(pl.Series(["-5", "-1", "20"]))
    >>> low, high = ends_of(pl.Series(["[-5--1]", "[20-29]", "20", "[-1]", ""]), known, "-")
    >>> low.tolist(), high.tolist()
    ([0, 2, -1, -1, -1], [1, -1, -1, -1, -1])
    """
    text, ends = spelled(labels, "\0")
    start, stop = ends[:-1], ends[1:] - 1
    dashes = np.append(_found(text, dash.encode()), text.size)
    at = dashes[np.searchsorted(dashes[:-1], start + 2)]
    after = at + len(dash.encode())
    ranged = (text[start] == ord("[")) & (text[stop - 1] == ord("]")) & (after < stop)
    first, last = (np.stack(both, axis=1)[ranged].ravel() for both in ((start + 1, after), (at, stop - 1)))
    low, high = np.full((2, len(labels)), -1)
    found = known.places(text, first, last - first)
    low[ranged], high[ranged] = found[::2], found[1::2]
    return low, high


def _found(text: NDArray[np.uint8], letters: bytes) -> Index:
    """Where these letters begin."""
    found = np.ones(max(text.size - len(letters) + 1, 0), np.bool_)
    for place, byte in enumerate(letters):
        found &= text[place : place + found.size] == byte
    return np.flatnonzero(found)
