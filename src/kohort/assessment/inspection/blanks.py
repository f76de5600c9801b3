"""Cells that hold nothing: texts that seem to mean "no value", and blanks around values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.engines.table import Column, narrow
from kohort.schema.numbers import PLAIN_NUMBER

if TYPE_CHECKING:
    from kohort.arrays import Counts, Mask
    from kohort.engines.table import Texts

#: What people write where they have no value, in small letters.
_NOTHING: Final = (
    *("?", "na", "n/a", "#n/a", "n.a.", "nan", "null", "-", "--", "---", ".", "..", "missing"),
    *("k.a.", "n.d.", "s.o.", "s/d"),
)

#: The same, but only among numbers: elsewhere it may say that there is no pain, no treatment, no card.
_NONE: Final = "none"

#: Nines that stand for no number: 999, 9999 … or -9, -99 …
_NINES: Final = r"\A(?:-9+|9{2,})(?:\.0+)?\z"

#: A text of `_NOTHING` between names, or nines among numbers, mean nothing from this share of records on.
_FREQUENT: Final = 0.01

#: How many times as large as any other number nines must be; negative ones must be the only ones below zero.
_BEYOND: Final = 2

#: Share of cells with blanks around them from which on these belong to no value: the first of a line may lack them.
_BLANKS: Final = 0.95


def nothing_texts(values: Texts, counts: Counts, absent: Mask) -> tuple[str, ...]:
    """The texts among `values` that seem to mean "no value", in alphabetical order.

    A word for nothing is one where all other values are numbers, or where it is frequent. A number of nines is one
    where all values are numbers, and it is frequent and far beyond them.

    Args:
        values: (v,) distinct values of a column.
        counts: (v,) records with each.
        absent: (v,) which are known to mean that there is no value.
    """
    frequent = counts >= max(_FREQUENT * counts.sum(), 2)
    lower = values.str.to_lowercase()
    words = lower.is_in(_NOTHING).fill_null(value=False).to_numpy() & ~absent
    none = (lower == _NONE).fill_null(value=False).to_numpy() & ~absent
    numbers = values.str.contains(rf"\A(?:{PLAIN_NUMBER})\z").fill_null(value=False).to_numpy()
    rest = ~(absent | words | none)
    if rest.any() and numbers[rest].all():
        tokens = words | none | _nines(values, rest, frequent)
    else:
        tokens = words & frequent & (rest | none).any()
    return tuple(sorted(values.filter(tokens).to_list()))


def _nines(values: Texts, numbers: Mask, frequent: Mask) -> Mask:
    """Which of the numbers are nines that no other number comes near to."""
    nines = values.str.contains(_NINES).fill_null(value=False).to_numpy() & numbers & frequent
    others = values.filter(numbers & ~nines).cast(float).to_numpy()
    if nines.any() and others.size:
        places = np.flatnonzero(nines)
        found = values.gather(places).cast(float).to_numpy()
        nines[places] = np.where(found < 0, others.min() >= 0, found > _BEYOND * others.max())
    return nines if others.size else np.zeros_like(nines)


def trimmed(column: Column) -> tuple[Column, bool]:
    """The column without blanks around its values, and whether nearly all cells have some; else as it is."""
    values = column.values
    blank = values.str.contains(r"\A\s+\S|\S\s+\z").fill_null(value=False).to_numpy()
    if not blank.any():
        return column, False
    counts = column.counts()
    if counts[blank].sum() < _BLANKS * counts[~column.absent(())].sum():
        return column, False
    texts = values.str.strip_chars()
    distinct = texts.unique(maintain_order=True)
    place = {text: code for code, text in enumerate(distinct.to_list())}
    codes = np.array([place[text] for text in texts.to_list()], dtype=np.uint32)[column.codes]
    return Column(column.name, distinct, narrow(codes, len(distinct)), column.dtype), True
