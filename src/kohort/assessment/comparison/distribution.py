"""Distributions before and after, in few bins: how many records are expected in each.

Numbers fall in at most 20 intervals of one round width. Names are shown one by one while the release has such; where
only nodes of the hierarchy are left, by these; and by higher ones where there would be too many. What is still too much
is put together as others.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from kohort.assessment.comparison.line import summed
from kohort.schema.domain import decimal, interval

if TYPE_CHECKING:
    from kohort.arrays import Shares
    from kohort.assessment.comparison.groups import Groups
    from kohort.assessment.comparison.line import Line, Places, Side

#: What a bin is: a value of the column, a node of its hierarchy, an interval of numbers, the rest, or no value.
BinKind: TypeAlias = Literal["value", "node", "interval", "others", "missing"]

#: Bins of a distribution; those of others and of the missing value come besides.
BINS: Final = 20


@dataclass(frozen=True, slots=True)
class Bin:
    """A bar of a distribution.

    Attributes:
        label: What it is called.
        kind: What it is.
        before: Records in it before.
        after: Records expected in it after; a generalized cell counts in parts.
    """

    label: str
    kind: BinKind
    before: int
    after: float


def distribution(line: Line, groups: Groups | None) -> tuple[Bin, ...]:
    """The bins of a line; `groups` are those of its names, `None` of numbers. Bins that nobody is in are left out.

    But not between numbers, where a gap is told by its bars.
    """
    if groups is None:
        return (*_intervals(line), *_missing(line))
    old, new = (summed(groups.of, line.expected(side), len(groups.labels)) for side in line.sides)
    rows = zip(groups.labels, groups.kinds, old.tolist(), new.tolist(), strict=True)
    return tuple(Bin(label, kind, round(a), b) for label, kind, a, b in rows if a or b)


def _intervals(line: Line) -> list[Bin]:
    """Intervals of one round width, from the least to the greatest number of both tables."""
    held = [side.means for side in line.sides if side.means.of.size]
    low, high = min(float(one.low.min()) for one in held), max(float(one.high.max()) for one in held)
    edges = _edges(low, high)
    step = Fraction(1, 10**line.digits)
    texts = [(Fraction(edge) * step) for edge in edges]
    single = edges[1] - edges[0] == 1 and all((one.low == np.floor(one.low)).all() for one in held)
    labels = [decimal(a) if single else interval(a, b) for a, b in pairwise(texts)]
    old, new = (_counted(side, np.array(edges, dtype=np.float64)) for side in line.sides)
    kind: BinKind = "value" if single else "interval"
    return [Bin(label, kind, round(a), b) for label, a, b in zip(labels, old.tolist(), new.tolist(), strict=True)]


def _edges(low: float, high: float) -> list[int]:
    """Where at most 20 intervals end that are 1, 2 or 5 times a power of ten wide; the last lies above `high`.

    >>> _edges(18, 90)
    [15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95]
    """
    widths = (factor * 10**power for power in range(400) for factor in (1, 2, 5))
    width = next(one for one in widths if floor(high) // one - floor(low) // one < BINS)
    first, last = floor(low) // width, floor(high) // width
    return [width * at for at in range(first, last + 2)]


def _counted(side: Side, edges: Places) -> Shares:
    """(b,) records expected between each two neighbouring edges, the upper one not included."""
    means, weights = side.means, side.means.weights(side.records)
    single = means.low == means.high
    at = np.searchsorted(edges, means.low[single], side="right") - 1
    found = summed(at, weights[single], edges.size - 1)
    low, width = means.low[~single, np.newaxis], means.width[~single, np.newaxis]
    below = np.clip(edges - low, 0.0, width) / width
    return np.asarray(found + weights[~single] @ np.diff(below, axis=1))


def _missing(line: Line) -> list[Bin]:
    """The bin of records without a number, where there are any."""
    old, new = (side.total - side.present for side in line.sides)
    return [Bin("", "missing", old, float(new))] if old or new else []
