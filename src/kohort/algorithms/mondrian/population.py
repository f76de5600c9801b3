"""Who of a population fits the label that a region is released under."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, assert_never

import numpy as np

from kohort.schema import Label, Scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Codes, Mask
    from kohort.core.frequency import FrequencySet
    from kohort.schema.domain import Domain


def covered(population: FrequencySet, quasi: Codes, domains: tuple[Domain, ...]) -> Mask:
    """(t,) which tuples of the population fit the label of the region that holds the tuples `quasi`."""
    fits = (
        _codes_covered(domain, quasi[:, column])[population.quasi[:, column]] for column, domain in enumerate(domains)
    )
    return reduce(np.logical_and, fits)


def _codes_covered(domain: Domain, codes: NDArray[np.integer]) -> Mask:
    """(v,) which codes the label of a region with these codes may stand for."""
    every, low, high = np.arange(len(domain)), int(codes.min()), int(codes.max())
    kind = domain.label
    match kind:
        case Label.RANGE | Label.GRID | Label.MEAN:
            hides = domain.scale is Scale.NUMERIC and low == domain.missing < high  # no range can say so: it is `*`
            return (every >= 0) if hides else (low <= every) & (every <= high)
        case Label.SET | Label.NAMES | Label.COMPANIONS | Label.OWN:  # a domain of names asks for sets
            present = np.zeros(len(domain), np.bool_)
            present[codes] = True
            return present
        case Label.ANCESTOR:
            hierarchy = domain.hierarchy
            assert hierarchy is not None  # noqa: S101  the schema refuses ancestor labels without one
            leaves = domain.leaves[codes]
            level, node = hierarchy.ancestor(leaves.min(keepdims=True), leaves.max(keepdims=True))
            below: Mask = hierarchy.maps[int(level[0])][domain.leaves] == node[0]
            return below
        case _:
            assert_never(kind)
