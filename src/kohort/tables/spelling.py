"""Texts of a column with their spelling evened out; see `kohort.schema.hierarchies.spelling.even_spelling`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.schema.hierarchies.spelling import EVEN, LATIN, even_spelling
from kohort.workspace import blocks

if TYPE_CHECKING:
    from kohort.arrays import Mask

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
    """The texts with their spelling evened out."""
    latin = texts.str.replace_many(LATIN)
    if latin.str.contains(_EVEN).all():
        return latin
    unseen = ~latin.str.contains(_SEEN)
    plain = latin.str.to_lowercase().str.replace_all(" +", " ").str.strip_chars(" ")
    rest = texts.filter(unseen)
    parts = [pl.Series(map(even_spelling, rest[some].to_list()), dtype=pl.String) for some in blocks(len(rest))]
    return _placed(plain, pl.concat(parts), unseen.to_numpy()) if parts else plain


def _even_numbers(texts: pl.Series) -> pl.Series:
    """The texts, with numbers among them written as most people would."""
    uneven = texts.str.contains(UNEVEN_NUMBER)
    numbers = texts.filter(uneven)
    for pattern, instead in _NUMBERS:
        numbers = numbers.str.replace(pattern, instead)
    return _placed(texts, numbers, uneven.to_numpy())
