"""Many labels of a release at once, as texts: their order, the ends of ranges, the members of sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index


class Parts(NamedTuple):
    """What some of l labels consist of.

    Attributes:
        labels: (s,) which labels these are, ascending.
        of: (p,) which of them each part belongs to, ascending.
        part: (p,) its text, as a place among `texts`.
        texts: The different texts.
    """

    labels: Index
    of: Index
    part: Index
    texts: Sequence[str]


def ranks(texts: Sequence[str]) -> Index:
    """(l,) the place of each text among the different ones, in their order.

    >>> ranks(["b", "a", "b"]).tolist()
    [1, 0, 1]
    """
    return pl.Series(texts, dtype=pl.String).rank("dense").to_numpy().astype(np.int64) - 1


def range_ends(labels: Sequence[str]) -> Parts:
    """Both ends of each label that is written `[a-b]`; it is split at the first hyphen.

    >>> found = range_ends(["*", "[3-10]", "[5-3]"])
    >>> found.labels.tolist(), [found.texts[at] for at in found.part.tolist()]
    ([1, 2], ['3', '10', '5', '3'])
    """
    texts = pl.Series(labels, dtype=pl.String)
    closed = (texts.str.starts_with("[") & texts.str.ends_with("]")).arg_true()
    ends = texts.gather(closed).str.strip_prefix("[").str.strip_suffix("]").str.splitn("-", 2).struct.unnest()
    part, named = _coded(pl.concat(ends.fill_null("").get_columns(), rechunk=True))
    return Parts(_index(closed), np.repeat(np.arange(closed.len()), 2), part.reshape(2, -1).T.ravel(), named)


def set_members(labels: Sequence[str]) -> Parts:
    """The members of each set that is written without quotes.

    >>> found = set_members(["a", "{b, c}", '{"d, e", f}'])
    >>> found.labels.tolist(), [found.texts[at] for at in found.part.tolist()]
    ([1], ['b', 'c'])
    """
    texts = pl.Series(labels, dtype=pl.String)
    sets = texts.str.contains(r'^\{[^{},"]+(?:, [^{},"]+)*\}$').arg_true()
    members = texts.gather(sets).str.strip_prefix("{").str.strip_suffix("}").str.split(", ")
    part, named = _coded(members.explode())
    return Parts(_index(sets), np.repeat(np.arange(sets.len()), members.list.len().to_numpy()), part, named)


def _coded(texts: pl.Series) -> tuple[Index, list[str]]:
    """(n,) the place of each text among the different ones, and these."""
    named = texts.unique(maintain_order=True)
    places = pl.Series(np.arange(named.len()), dtype=pl.Int64)
    return _index(texts.replace_strict(named, places, return_dtype=pl.Int64)), named.to_list()


def _index(numbers: pl.Series) -> Index:
    """Whole numbers as an array, also none."""
    return numbers.cast(pl.Int64).to_numpy()
