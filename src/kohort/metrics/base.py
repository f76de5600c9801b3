"""What a quality metric is, and what it is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kohort.arrays import Counts, Shares


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A release as a metric sees it.

    Attributes:
        records: n, the records of the input; at least 1.
        suppressed: S, how many of them are not released.
        k: the size that every class was asked to have.
        sizes: (c,) records of each class.
        losses: (d,) loss of each quasi-identifier summed over the released records.
    """

    records: int
    suppressed: int
    k: int
    sizes: Counts
    losses: Shares


class Metric(Protocol):
    """The cost of a release; less is better."""

    def __call__(self, outcome: Outcome) -> float:
        """Return the cost of a release; what counts as good or bad is in the metric's own docstring."""
        ...
