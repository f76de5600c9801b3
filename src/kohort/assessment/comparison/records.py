"""The records of some columns in an order that depends on nothing but their cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index
    from kohort.assessment.comparison.line import Side

#: Keys stay below this, so that they fit 64 bits.
_LARGEST: Final = 1 << 62


def keys_of(sides: Sequence[Side]) -> Index:
    """(n,) a number for each record: the same for equal cells, and in the order of their texts, column by column.

    Cost: some passes over the records; a sort of them where the columns have very many values together.
    """
    keys = np.zeros(sides[0].codes.size, np.int64)
    largest = 1
    for side in sides:
        place = {text: rank for rank, text in enumerate(sorted(set(side.texts)))}
        ranks = np.array([place[text] for text in side.texts], dtype=np.int64)
        if largest * len(place) > _LARGEST:
            kept, keys = np.unique(keys, return_inverse=True)
            largest = kept.size
        keys = keys * len(place) + ranks[side.codes]
        largest *= len(place)
    return keys
