"""Names in an order as numbers: the codes 1, 2, … along the hierarchy's top level.

All that lies below a node of the level under the root has its code; where there is no level between, each value has one
of its own. A generalized value counts as the mean code of its leaves: nothing is left out because it was generalized.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.comparison.line import summed
from kohort.assessment.comparison.numeric import moments

if TYPE_CHECKING:
    from kohort.assessment.comparison.line import Line, Places, Side
    from kohort.assessment.comparison.numeric import Moments


def ordinal_codes(line: Line) -> Places:
    """(v,) the code of each place of a line of names with a hierarchy; not a number of what is no leaf, or missing."""
    hierarchy = line.known.hierarchy
    codes = np.full(len(line.places), np.nan)
    if hierarchy is not None:
        codes[: line.leaves] = hierarchy.maps[hierarchy.height - 1] + 1
        if "" in hierarchy.index:
            codes[hierarchy.index[""]] = np.nan
    return codes


def ordinal_moments(line: Line, side: Side) -> Moments | None:
    """Mean and variance of the codes of one side; `None` without a hierarchy, or where no record has one.

    A record counts if its label stands for some value that has a code, with the mean code of these.
    """
    codes = ordinal_codes(line)
    coded = ~np.isnan(codes)
    held = np.concatenate([[0.0], np.cumsum(coded)])
    sums = np.concatenate([[0.0], np.cumsum(np.where(coded, codes, 0.0))])
    first, after = side.means.low.astype(np.int64), side.means.high.astype(np.int64) + 1
    places = summed(side.means.of, held[after] - held[first], side.means.labels)
    total = summed(side.means.of, sums[after] - sums[first], side.means.labels)
    told = np.flatnonzero(places)
    means = total[told] / places[told]
    order = np.argsort(means, kind="stable")
    return moments(means[order], side.records[told[order]])
