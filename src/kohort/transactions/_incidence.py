"""Which items a minimal mole has, and which minimal moles an item is in: suppressed items have to hit every mole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.transactions._rows import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Index, Items


@dataclass(frozen=True, slots=True, eq=False)
class Incidence:
    """Sets of items, looked at from both sides.

    Attributes:
        starts: (s + 1,) where each set's items start.
        items: (c,) the items of each set.
        firsts: (m + 1,) where each item's sets start.
        sets: (c,) int32, the sets that contain each item, ascending.
    """

    starts: Index
    items: Items
    firsts: Index
    sets: Items

    @classmethod
    def of(cls, moles: Sequence[Items], m: int) -> Incidence:
        """The sets of each size, (s, i) items of m, one size after the other."""
        sizes = np.repeat([one.shape[1] for one in moles], [one.shape[0] for one in moles])
        return cls.over(sizes, np.concatenate([np.zeros(0, np.int32), *(one.ravel() for one in moles)]), m)

    @classmethod
    def over(cls, sizes: Index, items: Items, m: int) -> Incidence:
        """Sets of these sizes, their items one after the other."""
        starts = np.zeros(sizes.size + 1, np.int64)
        np.cumsum(sizes, out=starts[1:])
        return cls(starts, items, *Rows(starts, items, m).inverted())

    def __len__(self) -> int:
        """The number of sets."""
        return self.starts.size - 1

    @property
    def degrees(self) -> Counts:
        """(m,) the sets that contain each item."""
        return np.diff(self.firsts)
