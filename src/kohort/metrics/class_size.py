"""Average class size metric: how far the classes are from the size that was asked for.

LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity (ICDE 2006), section 2.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kohort.metrics.base import Outcome


def average_class_size(outcome: Outcome) -> float:
    """C_AVG: released records / classes / k; at least 1 for every k-anonymous release, 0 where nothing is released."""
    return float(outcome.sizes.sum()) / max(outcome.sizes.size, 1) / outcome.k
