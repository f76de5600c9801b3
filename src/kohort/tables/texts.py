"""Many labels of a release at once, as texts: their order, the ends of ranges, the members of sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl

from kohort.core.order import SortKey
from kohort.schema.hierarchies.spelling import EVEN, LATIN, even_spelling
from kohort.system.workspace import blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Index, Mask


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
    named = texts.unique(maintain_order=True)
    places = pl.Series(np.arange(named.len()), dtype=pl.Int64)
    return _index(texts.replace_strict(named, places, return_dtype=pl.Int64)), named.to_list()


def _index(numbers: pl.Series) -> Index:
    return numbers.cast(pl.Int64).to_numpy()


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


#: All of a text that is evened out already.
_EVEN: Final = f"^{EVEN}$"

#: ASCII that can be seen: text that capitals and blanks alone make uneven.
_SEEN: Final = r"^[ -~]*$"

#: Numbers that are written otherwise than most people would: +1, 01, 1.0, .5, -0; no exponents, which codes have, too.
UNEVEN_NUMBER: Final = r"^(?:\+(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)|-?0[0-9]+(?:\.[0-9]*)?|-?[0-9]+\.[0-9]*|-?\.[0-9]+|-0)$"

#: What makes them alike, one after another.
_NUMBERS: Final = (
    (r"^\+", ""),
    (r"^(-?[0-9]*\.[0-9]*?)0+$", "${1}"),
    (r"\.$", ""),
    (r"^(-?)0*([0-9])", "${1}${2}"),
    (r"^(-?)\.", "${1}0."),
    (r"^-?0*$", "0"),
)


def evened(texts: pl.Series, *, numbers: bool = False) -> pl.Series | None:
    """(v,) the texts with their spelling evened out; `None` where no two become alike.

    Args:
        texts: (v,) distinct texts.
        numbers: Whether texts are alike, too, that write one number: 01, 1 and 1.0.

    >>> evened(pl.Series(["01", "HIV", "1.0", "hiv "]), numbers=True).to_list()
    ['1', 'hiv', '1', 'hiv']
    >>> evened(pl.Series(["01", "1.0", "b", "B\N{COMBINING ACUTE ACCENT}"]))
    """
    uneven = ~texts.str.contains(_EVEN)
    if numbers:
        uneven |= texts.str.contains(UNEVEN_NUMBER)
    several = _evened(texts.filter(uneven))
    if numbers:
        several = _even_numbers(several)
    if several.is_empty() or not (
        several.n_unique() < len(several) or several.is_in(texts.filter(~uneven).implode()).any()
    ):
        return None
    return _placed(texts, several, uneven.to_numpy())


def even_keys(texts: pl.Series) -> pl.Series:
    """(v,) any texts with their spelling evened out, numbers too."""
    return _even_numbers(_evened(texts))


def _placed(texts: pl.Series, some: pl.Series, where: Mask) -> pl.Series:
    """The texts, with some others in the places where they belong."""
    places = np.where(where, len(texts) + np.cumsum(where) - 1, np.arange(len(texts)))
    return pl.concat([texts.alias(""), some.alias("")]).gather(places)


def _evened(texts: pl.Series) -> pl.Series:
    latin = texts.str.replace_many(LATIN)
    if latin.str.contains(_EVEN).all():
        return latin
    unseen = ~latin.str.contains(_SEEN)
    plain = latin.str.to_lowercase().str.replace_all(" +", " ").str.strip_chars(" ")
    rest = texts.filter(unseen)
    parts = [pl.Series(map(even_spelling, rest[some].to_list()), dtype=pl.String) for some in blocks(len(rest))]
    return _placed(plain, pl.concat(parts), unseen.to_numpy()) if parts else plain


def _even_numbers(texts: pl.Series) -> pl.Series:
    uneven = texts.str.contains(UNEVEN_NUMBER)
    numbers = texts.filter(uneven)
    for pattern, instead in _NUMBERS:
        numbers = numbers.str.replace(pattern, instead)
    return _placed(texts, numbers, uneven.to_numpy())
