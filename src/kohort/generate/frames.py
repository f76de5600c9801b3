"""Columns of a generated table, and the table as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kohort.arrays import Index


def pick(values: Sequence[str], index: Index) -> pl.Series:
    """The values at these places."""
    return pl.Series(values).gather(index)


def numbered(prefix: str, numbers: Index | pl.Series) -> pl.Series:
    """Identifiers: a prefix and nine digits with leading zeros.

    >>> numbered("IT", pl.Series([0, 41])).to_list()
    ['IT000000001', 'IT000000042']
    """
    return prefix + pl.Series(numbers + 1).cast(pl.String).str.zfill(9)


def dated(days: Index) -> pl.Series:
    """Dates from days counted from 1 January 1970."""
    return pl.Series(days).cast(pl.Int32).cast(pl.Date)


def csv_of(frames: Iterator[pl.DataFrame], progress: Callable[[int], object] | None) -> Iterator[bytes]:
    """The CSV text of frames, piece by piece, telling `progress` how many records each held."""
    for number, frame in enumerate(frames):
        yield frame.write_csv(include_header=number == 0).encode()
        if progress:
            progress(len(frame))
