"""The domain of names: their order gives the codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.schema import Attribute, Order, Scale
from kohort.schema.domain.base import Domain, hierarchy_over

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.arrays import Counts, Index


def of_names(attribute: Attribute, present: Sequence[str], counts: Counts, gaps: int) -> tuple[Domain, Index]:
    """The domain over the `present` values, and the code of each; `gaps` records have no value, which is one too."""
    order = attribute.order or (Order.FREQUENCY if attribute.hierarchy is None else Order.HIERARCHY)
    texts = (*present, "") if gaps else tuple(present)
    records = np.append(counts, gaps) if gaps else counts
    hierarchy, leaves = hierarchy_over(attribute, texts, records)
    ranked = np.array(sorted(range(len(texts)), key=_key(order, texts, records, leaves)), dtype=np.int64)
    code = np.empty_like(ranked)
    code[ranked] = np.arange(ranked.size)
    values = len(texts) if hierarchy is None else len(hierarchy.leaves)
    domain = Domain(
        attribute,
        Scale.CATEGORICAL,
        tuple(map(texts.__getitem__, ranked.tolist())),
        leaves[ranked] if order is Order.HIERARCHY else np.arange(ranked.size),
        ends=(0, max(values - 1, 0)),
        missing=int(code[-1]) if gaps else -1,
        hierarchy=hierarchy,
        leaves=leaves if hierarchy is None else leaves[ranked],
    )
    return domain, code[: len(present)]


def _key(order: Order, texts: Sequence[str], counts: Counts, leaves: Index) -> Callable[[int], tuple[int, str]]:
    """What to sort the values by: their number; ties by text."""
    if order is Order.SORTED:
        return lambda place: (0, texts[place])
    first = -counts if order is Order.FREQUENCY else leaves
    return lambda place: (int(first[place]), texts[place])
