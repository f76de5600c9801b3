"""The source's side of a quasi-identifier: its values, how they are printed, and in which order they stand."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.hierarchies import from_spec
from kohort.schema import Attribute, Label, Missing, Order, Scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.arrays import Index, Mask, Shares
    from kohort.engines.table import Column
    from kohort.hierarchy import Hierarchy

#: A plain decimal number; a leading zero makes an id, an exponent or a sign a code (design decision 1).
_NUMERIC: Final = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$"

#: Numbers that need more than 62 bits count with the 52 bits that a float64 has for the widest of them.
_WIDEST: Final = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The distinct values of one quasi-identifier in the source.

    Attributes:
        attribute: What the schema says.
        printed: (u,) how each value stands in a release: of numbers that are equal, the shortest; missing as "".
        absent: (u,) which values are missing.
        ranks: (u,) place in the attribute's order; equal for values that are printed alike, -1 for a missing number.
        names: (r,) the printed value of each rank.
        numbers: (r,) for numbers, the value of each rank in multiples of `unit`, ascending; else empty.
        unit: What one such multiple is worth.
        decimals: Most digits after a number's point.
        hierarchy: The attribute's, built where it was given as a text.
    """

    attribute: Attribute
    printed: tuple[str, ...]
    absent: Mask
    ranks: Index
    names: tuple[str, ...]
    numbers: tuple[int, ...] = ()
    unit: Fraction = Fraction(1)
    decimals: int = 0
    hierarchy: Hierarchy | None = None

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return bool(self.numbers)

    @property
    def label(self) -> Label:
        """What regions are released as: what the schema asks for, or the scale's own way."""
        if self.attribute.grid is not None:
            return Label.GRID
        asked = self.attribute.label
        if asked is not None and (self.numeric or asked is not Label.MEAN):
            return asked
        if self.numeric:
            return Label.RANGE
        return Label.SET if self.hierarchy is None else Label.ANCESTOR

    @property
    def released(self) -> Mask:
        """(u,) which values may be in a release at all: a missing one only where it counts as a value."""
        return ~self.absent if self.attribute.missing is not Missing.VALUE else np.ones_like(self.absent)

    def amounts(self) -> Shares:
        """(u,) what each number is; nothing in particular where it is missing."""
        of_rank = np.array([float(number * self.unit) for number in self.numbers])
        return of_rank[self.ranks]


def values_of(attribute: Attribute, column: Column, missing: frozenset[str], texts: pl.Series) -> Values:
    """The values of `column`, whose distinct values are `texts` as they would be released.

    Cost: a few steps of Python per distinct value.
    """
    plain = ["" if text is None or text in missing else text for text in texts.to_list()]
    counts: dict[str, int] = {}
    for text, count in zip(plain, np.bincount(column.codes, minlength=len(plain)).tolist(), strict=True):
        counts[text] = counts.get(text, 0) + count
    present = [text for text in counts if text]
    if attribute.scale is not Scale.CATEGORICAL and present and pl.Series(present).str.contains(_NUMERIC).all():
        return _numbers(attribute, plain, {text: counts[text] for text in present})
    return _names(attribute, plain, counts)


def _numbers(attribute: Attribute, plain: Sequence[str], counts: Mapping[str, int]) -> Values:
    decimals = max(len(text.partition(".")[2]) for text in counts)
    of_text, unit = _scaled(counts, decimals)
    shortest: dict[int, str] = {}
    for text, number in of_text.items():
        shortest[number] = min(shortest.get(number, text), text, key=lambda one: (len(one), one))
    numbers = tuple(sorted(shortest))
    names = tuple("0" if shortest[number] in {"-0", "-0.0"} else shortest[number] for number in numbers)
    rank_of = {number: rank for rank, number in enumerate(numbers)}
    ranks = np.array([rank_of[of_text[text]] if text else -1 for text in plain], dtype=np.int64)
    return Values(
        attribute,
        tuple(names[rank_of[of_text[text]]] if text else "" for text in plain),
        ranks < 0,
        ranks,
        names,
        numbers,
        unit,
        decimals,
        _hierarchy(attribute, names, counts),
    )


def _scaled(texts: Mapping[str, int], decimals: int) -> tuple[dict[str, int], Fraction]:
    """Each number as a multiple of one unit, and that unit."""
    split = {text: text.partition(".") for text in texts}
    exact = {text: int(whole + digits.ljust(decimals, "0")) for text, (whole, _, digits) in split.items()}
    unit = Fraction(1, 10**decimals)
    widest = max(map(abs, exact.values()))
    if widest < _WIDEST:
        return exact, unit
    step = Fraction(widest, 1 << 52)
    return {text: round(number / step) for text, number in exact.items()}, unit * step


def _names(attribute: Attribute, plain: Sequence[str], counts: Mapping[str, int]) -> Values:
    present = [text for text in counts if text]
    hierarchy = _hierarchy(attribute, present, counts)
    order = attribute.order or (Order.FREQUENCY if hierarchy is None else Order.HIERARCHY)
    leaf: Mapping[str, int] = {} if hierarchy is None else hierarchy.index
    first = {text: leaf.get(text, len(leaf)) if order is Order.HIERARCHY else -counts[text] for text in counts}
    names = tuple(sorted(counts, key=lambda text: (0 if order is Order.SORTED else first[text], text)))
    rank_of = {text: rank for rank, text in enumerate(names)}
    ranks = np.array([rank_of[text] for text in plain], dtype=np.int64)
    absent = np.array([not text for text in plain], dtype=np.bool_)
    return Values(attribute, tuple(plain), absent, ranks, names, hierarchy=hierarchy)


def _hierarchy(attribute: Attribute, present: Sequence[str], counts: Mapping[str, int]) -> Hierarchy | None:
    if not isinstance(attribute.hierarchy, str):
        return attribute.hierarchy
    known = {text: counts.get(text, 0) for text in present}
    return from_spec(attribute.hierarchy, list(known), name=attribute.name, counts=known)
