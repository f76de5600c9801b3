"""Distributions before and after, in few bins: how many records are expected in each.

Numbers fall in at most 20 intervals of one round width. Names are shown one by one while the release has any; where
only nodes of the hierarchy are left, by these; and by higher ones where there would be too many. If there are still too
many, the most frequent are shown and the others put together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from kohort.assessment.comparison.line import summed
from kohort.errors.display import Number  # noqa: TC001  pydantic reads what fields are
from kohort.schema.dates import between, round_period, starts
from kohort.schema.domain import decimal, interval
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index, Mask, Shares
    from kohort.assessment.comparison.line import ColumnLine, Places, Side, Stretches
    from kohort.schema.hierarchy import Hierarchy

#: What a bin is: a value of the column, a node of its hierarchy, an interval of numbers, the rest, or no value.
BinKind: TypeAlias = Literal["value", "node", "interval", "others", "missing"]

#: Bins of a distribution; those of others and of the missing value come besides.
BINS: Final = 20


@dataclass(frozen=True, slots=True)
class Bin:
    """A bar of a distribution.

    Attributes:
        label: Its name; empty of others and of the missing value.
        kind: What it is.
        before: Records in it before, or their share; `None` where only the release is looked at.
        after: Records expected in it after, or their share; a generalized cell counts in parts.
    """

    label: str
    kind: BinKind
    before: Number | None
    after: Number | None


def written(bins: Sequence[Bin]) -> tuple[Bin, ...]:
    """The bins as they are written: expected records to four digits after the point."""
    return tuple(replace(one, after=round(float(one.after or 0), 4)) for one in bins)


def distribution(line: ColumnLine, groups: NameGroups | None) -> tuple[Bin, ...]:
    """The bins of a line; `groups` are those of its names, `None` of numbers. Bins that nobody is in are left out.

    Empty intervals between numbers are kept, to show the gaps.
    """
    if groups is None:
        return (*_intervals(line), *_missing(line))
    old, new = (summed(groups.of, line.expected(side), len(groups.labels)) for side in line.sides)
    rows = zip(groups.labels, groups.kinds, old.tolist(), new.tolist(), strict=True)
    return tuple(Bin(label, kind, round(a), b) for label, kind, a, b in rows if a or b)


def _intervals(line: ColumnLine) -> list[Bin]:
    """Intervals of one round width, or periods of dates, from the least to the greatest number of both tables."""
    means = [side.means for side in line.sides if side.means.of.size]
    low, high = min(float(one.low.min()) for one in means), max(float(one.high.max()) for one in means)
    edges = starts(round_period(int(low), int(high)), int(low), int(high)) if line.of_dates else _edges(low, high)
    step = Fraction(1, 10**line.digits)
    texts = [(Fraction(edge) * step) for edge in edges]
    single = edges[1] - edges[0] == 1 and all((one.low == np.floor(one.low)).all() for one in means)
    written = between if line.of_dates else interval
    labels = [decimal(a) if single else written(a, b) for a, b in pairwise(texts)]
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


def _missing(line: ColumnLine) -> list[Bin]:
    old, new = (side.total - side.present for side in line.sides)
    return [Bin("", "missing", old, float(new))] if old or new else []


@dataclass(frozen=True, slots=True, eq=False)
class NameGroups:
    """The names of a line put together.

    Attributes:
        labels: (g,) what each group is called.
        kinds: (g,) what each is.
        of: (v,) the group of each name.
    """

    labels: Sequence[str]
    kinds: Sequence[BinKind]
    of: Index

    def parts(self, means: Stretches) -> tuple[Index, Shares]:
        """Which share of each label's names is in each group: (l,) a row for each label, and (r, g) the rows.

        The first g rows are the groups themselves, for labels that lie in one; labels with the same shares share a row.
        """
        low, high = means.low.astype(np.int64), means.high.astype(np.int64)
        changes = np.append(0, np.cumsum(np.diff(self.of) != 0))
        first, rows = self.of[low], np.zeros(means.labels, np.int64)
        rows[means.of] = first
        mixed = np.zeros(means.labels, np.bool_)
        mixed[means.of[(changes[low] != changes[high]) | (first != rows[means.of])]] = True
        shares, of = np.unique(self._shares(means, mixed), axis=0, return_inverse=True)
        rows[mixed] = len(self.labels) + of.ravel()
        return rows, np.vstack([np.eye(len(self.labels)), shares])

    def _shares(self, means: Stretches, labels: Mask) -> Shares:
        """(m, g) which share of the names of some labels is in each group."""
        chosen = labels[means.of]
        of, width = (np.cumsum(labels) - 1)[means.of[chosen]], means.width[chosen]
        low, after = means.low[chosen].astype(np.int64), means.high[chosen].astype(np.int64) + 1
        found = np.zeros((int(labels.sum()), len(self.labels)))
        for group in range(len(self.labels)):
            upto = np.append(0, np.cumsum(self.of == group))
            found[:, group] = summed(of, (upto[after] - upto[low]) / width * means.share[chosen], len(found))
        return found


def groups_of(line: ColumnLine) -> NameGroups:
    """The groups of a line of names: in the order of the line, then others, then the missing value."""
    hierarchy, leaves = line.known.hierarchy, line.leaves
    level = 0 if hierarchy is None else _level(line, hierarchy)
    nodes = () if hierarchy is None else hierarchy.labels[level]
    labels = [*nodes, *line.places[leaves:]]
    of = np.arange(len(labels) - len(line.places), len(labels))
    of[:leaves] = np.arange(0) if hierarchy is None else hierarchy.maps[level]
    old, new = (summed(of, line.expected(side), len(labels)) for side in line.sides)
    missing = np.array([not label for label in labels])
    shown = np.flatnonzero((old + new > 0) & ~missing)
    if shown.size > BINS:
        shown = np.sort(shown[np.argsort(-old[shown], kind="stable")[: BINS - 1]])
    place = shown.size + missing
    place[shown] = np.arange(shown.size)
    kinds: list[BinKind] = ["node" if level and at < len(nodes) else "value" for at in shown.tolist()]
    return NameGroups([*(labels[at] for at in shown.tolist()), "", ""], [*kinds, "others", "missing"], place[of])


def _level(line: ColumnLine, hierarchy: Hierarchy) -> int:
    """The lowest level that some label of the release is a node of, or a higher one that has few nodes."""
    top = hierarchy.height - 1
    named = set(line.after.texts) - {"", SUPPRESSED, *hierarchy.labels[-1]}
    used = [level for level in range(top) if not named.isdisjoint(hierarchy.labels[level])]
    nodes = named <= set(hierarchy.labels[top])
    lowest = used[0] if used else top if nodes else 0
    few = [level for level in range(lowest, top) if len(hierarchy.labels[level]) <= BINS]
    return few[0] if few else top
