"""The public grid of a numeric attribute: its cut points, and the cells that hold values."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import InputError, SchemaError
from kohort.schema.domain.base import numeric_leaves
from kohort.schema.domain.decimals import digits_of, interval
from kohort.schema.numbers import exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index
    from kohort.schema import Attribute
    from kohort.schema.domain.numeric import Numbers
    from kohort.schema.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of a grid that hold numbers: from `lower`, included, to `upper`, not included.

    Attributes:
        texts: (c,) the label of each cell.
        lower: (c,) where each begins, times ten to the power of `digits`, ascending.
        upper: (c,) where each ends, likewise.
        digits: Decimals of the grid's cuts. Those of the numbers are not among them: they are the data's, and where
            Mondrian cuts may depend on nothing but the cells.
        of: (v,) the cell of each number.
    """

    texts: tuple[str, ...]
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    digits: int
    of: Index


def cells(attribute: Attribute, hierarchy: Hierarchy | None, numbers: Numbers) -> Cells:
    """The cells of the attribute's grid that hold `numbers`.

    Raises:
        InputError: Some numbers lie outside a grid whose cut points are listed.
        SchemaError: The hierarchy's first level has no public boundaries.
    """
    grid = attribute.grid
    cuts = (
        grid
        if isinstance(grid, tuple)
        else (grid,)
        if isinstance(grid, Fraction)
        else _boundaries(attribute, hierarchy)
    )
    digits = max(map(digits_of, cuts))
    finest = max(numbers.digits, digits)
    scaled = [int(cut * 10**finest) for cut in cuts]
    whole = [number * 10 ** (finest - numbers.digits) for number in numbers.whole]
    if isinstance(grid, Fraction):
        step = scaled[0]
        ends = [(number // step * step, number // step * step + step) for number in whole]
    else:
        _check_inside(attribute, scaled, whole, numbers)
        above = [bisect_right(scaled, number) for number in whole]
        ends = [(scaled[place - 1], scaled[place]) for place in above]
    occupied, finer = dict.fromkeys(ends), 10 ** (finest - digits)
    lower, upper = zip(*((low // finer, high // finer) for low, high in occupied), strict=True)
    texts = tuple(interval(Fraction(a, 10**digits), Fraction(b, 10**digits)) for a, b in zip(lower, upper, strict=True))
    starts = np.array([True, *(one != other for one, other in pairwise(ends))])
    return Cells(texts, lower, upper, digits, np.cumsum(starts) - 1)


def _check_inside(attribute: Attribute, cuts: Sequence[int], whole: Sequence[int], numbers: Numbers) -> None:
    outside = np.array([not cuts[0] <= number < cuts[-1] for number in whole])
    if outside.any():
        raise InputError(
            f"{int(numbers.records[outside].sum()):,} records lie outside the grid",
            where=f"column {attribute.name}",
            hint="its first cut must be at or below every value, its last cut above every value",
        )


#: A node that is called by its range, such as `[20-25)`.
_range = re.compile(r"\[(-?[0-9]+(?:\.[0-9]+)?)-(-?[0-9]+(?:\.[0-9]+)?)\)").fullmatch


def _boundaries(attribute: Attribute, hierarchy: Hierarchy | None) -> tuple[Fraction, ...]:
    """Where the ranges of the first level begin and end.

    Nodes called by their ranges say it themselves, whatever values were observed. Of nodes with other names, such as
    `young`, the leaves say it: each node begins with its least leaf, the last ends one above its greatest. That holds
    for leaves that somebody listed; those of a builder's text are values of the table.
    """
    assert hierarchy is not None  # noqa: S101  the schema refuses this grid without one
    inside: dict[int, list[Fraction]] = {}
    for leaf, number in numeric_leaves(hierarchy).items():
        inside.setdefault(int(hierarchy.maps[1][leaf]), []).append(number)
    said = [(exact(found[1]), exact(found[2])) for node in inside if (found := _range(hierarchy.labels[1][node]))]
    if len(said) == len(inside):
        true = all(low <= min(one) and max(one) < high for (low, high), one in zip(said, inside.values(), strict=True))
        apart = true and all(before[1] <= after[0] for before, after in pairwise(sorted(said)))
        cuts = tuple(sorted({end for span in said for end in span}))
    else:
        spans = sorted((min(one), max(one)) for one in inside.values())
        apart = not isinstance(attribute.hierarchy, str) and all(a[1] < b[0] for a, b in pairwise(spans))
        cuts = (*(low for low, _ in spans), spans[-1][1] + 1)
    if not apart or hierarchy.data_dependent:
        raise SchemaError(
            "the first level of the hierarchy is no grid",
            where=f"column {attribute.name}",
            hint="its nodes must be ranges of numbers that no record decides: intervals:0..120:5, say; or grid = 5",
        )
    return cuts
