"""What a quality metric is, and what it is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.arrays import Counts, Index, Shares


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """What only a full-domain release has: one level for each quasi-identifier.

    Attributes:
        levels: (..., d) the level of each quasi-identifier.
        heights: (d,) height of its hierarchy.
        bits: (..., d) bits lost in each quasi-identifier, summed over all n records: -log2 of the share of the input's
            records with the record's own value among those whose value the released one may stand for; a suppressed
            record counts as if it were generalized to a value that may stand for any.
    """

    levels: Index
    heights: Index
    bits: Shares


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A release as a metric sees it; or many of the same table at once, where no metric looks at classes.

    Attributes:
        records: n, the records of the input; at least 1.
        suppressed: S, how many of them are not released.
        k: the size that every class was asked to have.
        sizes: (c,) records of each class.
        losses: (..., d) loss of each quasi-identifier summed over the released records.
        weights: (d,) how much each quasi-identifier counts; 1 in every report.
        full_domain: its levels, where the release has them.
    """

    records: int
    suppressed: int
    k: int
    sizes: Counts
    losses: Shares
    weights: Shares
    full_domain: Levels | None = None


def rounded(cost: float) -> float:
    """The cost to 12 significant digits: what is left after them is the noise of floating point."""
    return float(f"{cost:.12g}")


#: The figure of a release; of many at once, an array of figures.
Measure: TypeAlias = "Callable[[Outcome], Shares]"


@dataclass(frozen=True, slots=True)
class Metric:
    """A quality metric, and what a search may rely on.

    Attributes:
        name: As on the command line and in reports.
        measure: What is reported, written once for search and report alike.
        less_is_better: Whether the best release has the least.
        full_domain: Whether it is defined only where every quasi-identifier has one level.
        classes: Whether it looks at class sizes; else levels, suppressed records and what these hide decide.
        monotone: Whether the cost of a node, taken as if it released every record, is exceeded by the cost of every
            node above it, whatever that one suppresses. This is what lets a search leave out all nodes above.
        size_only: Whether that holds only where the models look at nothing but the size of a class.
        surcharge: Of n and k: what each suppressed record, in a class of fewer than k, adds at least to the cost of a
            node as if it released every record; `None` where that depends on more.
    """

    name: str
    measure: Measure
    less_is_better: bool = True
    full_domain: bool = False
    classes: bool = False
    monotone: bool = True
    size_only: bool = False
    surcharge: Callable[[int, int], float] | None = None

    def __call__(self, outcome: Outcome) -> float:
        """The figure that is reported."""
        return float(self.measure(outcome))

    def cost(self, outcome: Outcome) -> float:
        """The figure turned so that less is better, rounded: releases that differ in less are tied."""
        return rounded(float(self.costs(outcome)))

    def costs(self, outcome: Outcome) -> Shares:
        """(...) the figures of many releases at once, turned so that less is better."""
        figures = self.measure(outcome)
        return figures if self.less_is_better else -figures
