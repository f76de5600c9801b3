"""The names of a column in few groups, the same before and after: the bars of its distribution.

Names stand alone while the release has such; where only nodes of the hierarchy are left, these do; and higher ones
where there would be too many. Of what is still too much the most frequent stand, and the rest is put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.comparison.distribution import BINS
from kohort.assessment.comparison.line import summed
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index, Mask, Shares
    from kohort.assessment.comparison.distribution import BinKind
    from kohort.assessment.comparison.line import Line, Stretches
    from kohort.schema.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
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


def groups_of(line: Line) -> Groups:
    """The groups of a line of names: in the order of the line, then others, then the missing value."""
    hierarchy, leaves = line.known.hierarchy, line.leaves
    level = 0 if hierarchy is None else _level(line, hierarchy)
    nodes = () if hierarchy is None else hierarchy.labels[level]
    labels = [*nodes, *line.places[leaves:]]
    of = np.arange(len(labels) - len(line.places), len(labels))
    of[:leaves] = np.arange(0) if hierarchy is None else hierarchy.maps[level]
    old, new = (summed(of, line.expected(side), len(labels)) for side in line.sides)
    absent = np.array([not label for label in labels])
    shown = np.flatnonzero((old + new > 0) & ~absent)
    if shown.size > BINS:
        shown = np.sort(shown[np.argsort(-old[shown], kind="stable")[: BINS - 1]])
    place = shown.size + absent
    place[shown] = np.arange(shown.size)
    kinds: list[BinKind] = ["node" if level and at < len(nodes) else "value" for at in shown.tolist()]
    return Groups([*(labels[at] for at in shown.tolist()), "", ""], [*kinds, "others", "missing"], place[of])


def _level(line: Line, hierarchy: Hierarchy) -> int:
    """The lowest level that some label of the release is a node of, or a higher one that has few nodes."""
    top = hierarchy.height - 1
    named = set(line.after.texts) - {"", SUPPRESSED, *hierarchy.labels[-1]}
    told = [level for level in range(top) if not named.isdisjoint(hierarchy.labels[level])]
    nodes = named <= set(hierarchy.labels[top])
    lowest = told[0] if told else top if nodes else 0
    few = [level for level in range(lowest, top) if len(hierarchy.labels[level]) <= BINS]
    return few[0] if few else top
