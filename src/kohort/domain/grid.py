"""The public grid of a numeric attribute: its cut points, and the cells that hold values."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kohort.domain.base import numeric_leaves
from kohort.domain.decimals import digits_of, interval
from kohort.errors import InputError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index
    from kohort.domain.numeric import Numbers
    from kohort.hierarchy import Hierarchy
    from kohort.schema import Attribute


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of a grid that hold numbers: from `lower`, included, to `upper`, not included.

    Attributes:
        texts: (c,) the label of each cell.
        lower: (c,) where each begins, times ten to the power of `digits`, ascending.
        upper: (c,) where each ends, likewise.
        digits: Decimals of the numbers and of the grid.
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
        SchemaError: The hierarchy's first level has no boundaries.
    """
    grid = attribute.grid
    cuts = (
        grid
        if isinstance(grid, tuple)
        else (grid,)
        if isinstance(grid, Fraction)
        else _boundaries(attribute, hierarchy)
    )
    digits = max(numbers.digits, *map(digits_of, cuts))
    scaled = [int(cut * 10**digits) for cut in cuts]
    whole = [number * 10 ** (digits - numbers.digits) for number in numbers.whole]
    if isinstance(grid, Fraction):
        step = scaled[0]
        ends = [(number // step * step, number // step * step + step) for number in whole]
    else:
        _check_inside(attribute, scaled, whole, numbers)
        above = [bisect_right(scaled, number) for number in whole]
        ends = [(scaled[place - 1], scaled[place]) for place in above]
    lower, upper = zip(*dict.fromkeys(ends), strict=True)
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


def _boundaries(attribute: Attribute, hierarchy: Hierarchy | None) -> tuple[Fraction, ...]:
    """Where the nodes of the first level begin, and one above the last leaf.

    Over observed values a builder's nodes begin wherever the least observed value lies: no public cut points, unless
    the node's own label says that it begins there.
    """
    assert hierarchy is not None  # noqa: S101  the schema refuses this grid without one
    numbers = numeric_leaves(hierarchy)
    inside: dict[int, list[Fraction]] = {}
    for leaf, number in numbers.items():
        inside.setdefault(int(hierarchy.maps[1][leaf]), []).append(number)
    spans = sorted((min(one), max(one), node) for node, one in inside.items())
    apart = all(before[1] < after[0] for before, after in pairwise(spans))
    declared = not isinstance(attribute.hierarchy, str) or all(
        hierarchy.labels[1][node].startswith(f"[{low}-") for low, _, node in spans
    )
    if not apart or not declared:
        raise SchemaError(
            "the first level of the hierarchy is no grid",
            where=f"column {attribute.name}",
            hint="its nodes must be ranges of numbers of a declared domain: intervals:0..120:5, say; or grid = 5",
        )
    return (*(low for low, _, _ in spans), spans[-1][1] + 1)
