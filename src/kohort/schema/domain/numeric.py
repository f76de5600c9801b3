"""The domain of numbers: whole multiples of a power of ten, or the cells of a grid over them.

The public grid of a numeric attribute: its cut points, and the cells that hold values.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.errors import HierarchyError, InputError, SchemaError
from kohort.errors.display import many
from kohort.schema import Attribute, Scale
from kohort.schema.domain.base import NOTHING, Domain, hierarchy_over, numeric_leaves
from kohort.schema.numbers import (
    LARGEST,
    PLAIN_NUMBER,
    all_times_ten,
    at_least,
    below,
    decimal,
    digits_of,
    exact,
    interval,
    most_digits,
    round_step,
)
from kohort.schema.open_ends import CLOSED, SENTINELS, OpenEnds, inner

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from kohort.arrays import Counts, Index, Positions
    from kohort.schema.hierarchy import Hierarchy


#: Where a cell begins and ends.
_Cell: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class NumericValues:
    """The distinct numbers of a column.

    Attributes:
        whole: (v,) the numbers times ten to the power of `digits`, ascending.
        digits: Decimals of the number that has most.
        texts: (v,) each number as it is written.
        records: (v,) records with each.
        of: (u,) which of them each observed text is.
    """

    whole: tuple[int, ...]
    digits: int
    texts: tuple[str, ...]
    records: Counts
    of: Index

    @classmethod
    def read(cls, observed: Sequence[str], counts: Counts, places: Mapping[str, str]) -> NumericValues:
        """The numbers that the observed texts write, labels at their `places`; texts of equal numbers are one."""
        plain = [places.get(text, text) for text in observed] if places else observed
        digits = most_digits(plain)
        whole, of = np.unique(all_times_ten(plain, digits), return_inverse=True)
        records = np.bincount(of, weights=counts).astype(np.int64)
        return cls(tuple(whole.tolist()), digits, _written(observed, of, whole.size), records, of)

    def near(self, labels: Collection[str], sentinels: Sequence[int] = SENTINELS) -> tuple[Fraction, Fraction]:
        """The least and the greatest number that is not far from the others, `labels` of open ends apart."""
        exact = [at for at, text in enumerate(self.texts) if text not in labels] if labels else slice(None)
        whole = [self.whole[at] for at in exact] if isinstance(exact, list) else self.whole
        return inner(whole, self.digits, self.records[exact], sentinels)


def _written(observed: Sequence[str], of: Index, numbers: int) -> tuple[str, ...]:
    """One text for each number: of `1.5` and `1.50` the shorter, and `0` for a negative zero."""
    plain = ["0" if text[0] == "-" and not text.strip("-0.") else text for text in observed]
    chosen = np.empty(numbers, np.object_)
    if len(observed) > numbers:  # the longer ones first: the last one written stays
        order = sorted(range(len(plain)), key=lambda place: (len(plain[place]), plain[place]), reverse=True)
        plain, of = [plain[place] for place in order], of[order]
    chosen[of] = plain
    return tuple(chosen.tolist())


def of_numbers(
    attribute: Attribute, present: Sequence[str], counts: Counts, gaps: int, ends_open: OpenEnds = CLOSED
) -> tuple[Domain, Index]:
    """The domain over the `present` values, and the code of each.

    `gaps` records have no value, which then is a value too: its code is 0, its place one step before the least.
    With the labels `ends_open`, the scale has open ends; so it has where a grid with a step leaves out far values.
    """
    numbers = NumericValues.read(present, counts, ends_open.places)
    gap = ("",) if gaps else ()
    texts = gap + numbers.texts
    hierarchy, leaves = hierarchy_over(attribute, texts, np.append(np.full(len(gap), gaps), numbers.records))
    _check_spelling(attribute, hierarchy)
    ends = _ends(attribute, hierarchy, numbers)
    near = ends if attribute.bounds else numbers.near(ends_open.places)
    if attribute.grid == "round":
        found = (round_step(*span, whole=not numbers.digits) for span in (near, ends))
        attribute = replace(attribute, grid=next(filter(None, found), None))
    edges: tuple[tuple[str, str], ...] = ()
    open_ends = (ends_open.stop is not None, ends_open.start is not None)
    if attribute.grid is None:
        of, (unit, positions) = numbers.of, placed(numbers.whole, numbers.digits)
        upper, step = NOTHING, Fraction(1)
    else:
        if isinstance(attribute.grid, Fraction):
            first, last = (end // attribute.grid * attribute.grid for end in near)
            ends_open = ends_open.around(ends, first, last + attribute.grid)
        grid = cells(attribute, hierarchy, numbers, ends_open)
        texts, of, open_ends = gap + grid.texts, grid.of[numbers.of], grid.open_ends
        unit, both = placed((*grid.lower, *grid.upper), grid.digits)
        positions, upper = both[: len(grid.lower)], _behind(gap, both[len(grid.lower) :])
        edges, step = _edges(gap, grid), Fraction(1, 10 ** max(numbers.digits, grid.digits)) / unit
        ends = ends if attribute.bounds else grid.within(ends, step * unit)
        hierarchy, leaves = None, NOTHING
    domain = Domain(
        attribute,
        Scale.NUMERIC,
        texts,
        _behind(gap, positions),
        ends=(ends[0] / unit, ends[1] / unit),
        unit=unit,
        missing=len(gap) - 1,
        hierarchy=hierarchy,
        leaves=leaves,
        upper=upper,
        edges=edges,
        step=step,
        open_ends=open_ends,
    )
    return domain, of + len(gap)


def _edges(gap: tuple[str, ...], grid: Cells) -> tuple[tuple[str, str], ...]:
    """Where each cell begins and ends, exactly, as text; the gap nowhere."""
    ends = ([decimal(Fraction(end, 10**grid.digits)) for end in side] for side in (grid.lower, grid.upper))
    return (*((text, text) for text in gap), *zip(*ends, strict=True))


def _check_spelling(attribute: Attribute, hierarchy: Hierarchy | None) -> None:
    """Refuse leaves that are one number: a record with it would have two places."""
    leaves = [] if hierarchy is None else list(numeric_leaves(hierarchy).values())
    again = len(leaves) - len(set(leaves))
    if again:
        raise HierarchyError(
            f"{many(again, 'leaf is', 'leaves are')} the same number as another leaf, spelled differently",
            where=f"column {attribute.name}",
            hint="keep one spelling of each number, or make the column categorical",
        )


def _ends(attribute: Attribute, hierarchy: Hierarchy | None, numbers: NumericValues) -> tuple[Fraction, Fraction]:
    """The least and the greatest number of the domain: declared by bounds or by the leaves, else observed."""
    if attribute.bounds is not None:
        low, high = (end * 10**numbers.digits for end in attribute.bounds)
        outside = np.array([not low <= number <= high for number in numbers.whole])
        if outside.any():
            some = many(int(numbers.records[outside].sum()), "record lies", "records lie")
            raise InputError(
                f"{some} outside the declared bounds",
                where=f"column {attribute.name}",
                hint="widen the bounds, or correct the data",
            )
        return attribute.bounds
    if hierarchy is not None:
        leaves = numeric_leaves(hierarchy).values()
        return min(leaves), max(leaves)
    unit = Fraction(1, 10**numbers.digits)
    return numbers.whole[0] * unit, numbers.whole[-1] * unit


def placed(whole: Sequence[int], digits: int) -> tuple[Fraction, Positions]:
    """A power of ten, and the numbers `whole` / 10^digits as multiples of it: exact where 62 bits hold them all.

    >>> placed([15, -20], 1)
    (Fraction(1, 10), array([ 15, -20]))
    >>> unit, positions = placed([10**20, 10**20 + 17], 0)
    >>> int(unit), positions.tolist()
    (100, [1000000000000000000, 1000000000000000000])
    """
    widest, dropped = max(map(abs, whole)), 0
    while widest // 10**dropped >= LARGEST:
        dropped += 1
    rounded: Iterable[int] = (round(Fraction(number, 10**dropped)) for number in whole) if dropped else whole
    return Fraction(10**dropped, 10**digits), np.fromiter(rounded, np.int64, len(whole))


def _behind(gap: tuple[str, ...], positions: Positions) -> Positions:
    """The positions; where there is a gap, its own is one step before them, so that a cut can part it from them."""
    return np.append(positions[: len(gap)] - 1, positions)


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
        open_ends: Whether the first cell has no lower end, and the last no upper one: they are then a cell wide.
    """

    texts: tuple[str, ...]
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    digits: int
    of: Index
    open_ends: tuple[bool, bool]

    def within(self, ends: tuple[Fraction, Fraction], step: Fraction) -> tuple[Fraction, Fraction]:
        """The ends of a domain, those that are open no farther away than their cells are wide."""
        first, last = Fraction(self.lower[0], 10**self.digits), Fraction(self.upper[-1], 10**self.digits) - step
        is_below, is_above = self.open_ends
        return max(ends[0], first) if is_below else ends[0], min(ends[1], last) if is_above else ends[1]


def cells(
    attribute: Attribute, hierarchy: Hierarchy | None, numbers: NumericValues, ends_open: OpenEnds = CLOSED
) -> Cells:
    """The cells of the attribute's grid that hold `numbers`.

    An open end begins at the nearest cut. Where it holds nothing else, it keeps a label such as `90+`.

    Raises:
        InputError: Some numbers lie outside a grid whose cut points are listed, or it has no cut between open ends.
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
    limits = [None if end is None else int(end * 10**finest) for end in (ends_open.stop, ends_open.start)]
    ends = _cells_of(attribute, [int(cut * 10**finest) for cut in cuts], numbers, finest, limits)
    finer = 10 ** (finest - digits)
    lower, upper = zip(*((low // finer, high // finer) for low, high in dict.fromkeys(ends)), strict=True)
    of = np.cumsum([True, *(one != other for one, other in pairwise(ends))]) - 1
    spans = [(Fraction(a, 10**digits), Fraction(b, 10**digits)) for a, b in zip(lower, upper, strict=True)]
    texts, sizes = [interval(*span) for span in spans], np.bincount(of)
    for at, end, text in ((0, limits[0], below(spans[0][1])), (-1, limits[1], at_least(spans[-1][0]))):
        if end is not None:
            label = numbers.texts[at]
            texts[at] = label if sizes[at] == 1 and label in ends_open.places and label[0] not in "<>" else text
    return Cells(tuple(texts), lower, upper, digits, of, (limits[0] is not None, limits[1] is not None))


def _cells_of(
    attribute: Attribute, cuts: Sequence[int], numbers: NumericValues, digits: int, limits: Sequence[int | None]
) -> list[_Cell]:
    """Where the cell of each number begins and ends; of those in an open end, that of its first number or its last."""
    cell = _of_step(cuts[0]) if isinstance(attribute.grid, Fraction) else _between(cuts)
    stop, start = limits
    first, last = None if stop is None else cell(stop - 1), None if start is None else cell(start)
    whole = (number * 10 ** (digits - numbers.digits) for number in numbers.whole)
    ends = [
        first if first and number < first[1] else last if last and number >= last[0] else cell(number)
        for number in whole
    ]
    outside = np.array([end is None for end in ends])
    if outside.any() or (first and last and first[1] > last[0]):
        few = many(int(numbers.records[outside].sum()), "record lies", "records lie")
        raise InputError(
            f"{few} outside the grid" if outside.any() else "the grid has no cut between the open ends",
            where=f"column {attribute.name}",
            hint="the first cut must be at or below every value, the last cut above every value",
        )
    return [end for end in ends if end is not None]


def _of_step(step: int) -> Callable[[int], _Cell]:
    """The cell of a number between the multiples of a step."""
    return lambda number: (number // step * step, number // step * step + step)


def _between(cuts: Sequence[int]) -> Callable[[int], _Cell | None]:
    """The cell of a number between listed cuts; `None` outside them."""

    def cell(number: int) -> _Cell | None:
        above = bisect_right(cuts, number)
        return (cuts[above - 1], cuts[above]) if 0 < above < len(cuts) else None

    return cell


#: A node that is called by its range, such as `[20-25)`.
_range = re.compile(rf"\[({PLAIN_NUMBER})-({PLAIN_NUMBER})\)").fullmatch


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
            "the first level of the hierarchy is not a grid",
            where=f"column {attribute.name}",
            hint="the nodes must be fixed ranges of numbers, such as intervals:0..120:5; or set grid = 5",
        )
    return cuts
