"""What a perturbation did to a column, measured on the cells as they are written."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np

from kohort.errors.display import OPEN, Number, Share, ToldAs
from kohort.perturbation.moments import centred, total

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.perturbation.base import Amounts


def drift(moment: tuple[Number, Number]) -> float | None:
    """The share by which a figure moved; `None` where it was 0 and is not now.

    >>> drift((200.0, 201.0)), drift((0.0, 0.0)), drift((0.0, 1.0))
    (0.005, 0.0, None)
    """
    before, after = moment
    return 0.0 if before == after else abs(after - before) / abs(before) if before else None


def _moved(moment: tuple[Number, Number]) -> dict[str, Number | None]:
    return {"before": moment[0], "after": moment[1], "drift": drift(moment)}


def _named(change: tuple[Number, str]) -> dict[str, Number | str]:
    return {"with": change[1], "change": change[0]}


#: A moment before and after, with its drift in JSON.
Moved: TypeAlias = Annotated[tuple[Number, Number], ToldAs(_moved)]


@dataclass(frozen=True, slots=True)
class Effect:
    """A column before and after, over the records that have a value.

    Means, variances and correlations are those of the written cells: rounded, within their bounds. For a column of
    names, only the counts and `linked` apply; the others are `None`.

    Attributes:
        column: Its name.
        method: The perturbation's name.
        records: Records that have a value.
        unchanged: The number of these whose value did not change.
        decimals: The greatest number of digits after the decimal point of the written cells.
        bounds: The smallest and greatest allowed cell; `None` on a side without a bound.
        mean: Before and after.
        variance: Before and after, with n - 1 below; `None` of a single record.
        correlation: The largest change of its correlation with another numeric column that is released, and that
            column's name; `None` where there is none.
        linked: Share of the records whose nearest neighbour among the perturbed cells is their own: the success of an
            attacker who knows the original cells. Ties count in shares.
        reproducible: Whether the random numbers came from a seed: anyone who knows or guesses it can remove the noise.
    """

    column: str = field(metadata=OPEN)
    method: str = field(metadata=OPEN)
    records: int = field(metadata={"public": "records"})
    unchanged: int
    decimals: int | None = None
    bounds: tuple[Number | None, Number | None] = (None, None)
    mean: Moved | None = None
    variance: Moved | None = None
    correlation: Annotated[tuple[Number, str], ToldAs(_named)] | None = None
    linked: Share | None = None
    reproducible: bool = field(default=False, metadata=OPEN)


def correlation(one: Amounts, other: Amounts) -> float:
    """Pearson's; 0 where one of them is constant, or there is no record.

    >>> round(correlation(np.array([1.0, 2.0, 3.0]), np.array([5.0, 7.0, 9.0])), 12)
    1.0
    """
    if not one.size:
        return 0.0
    first, second = _unit(one), _unit(other)
    return float(np.clip(total(first * second), -1, 1))


def _unit(numbers: Amounts) -> Amounts:
    """Distances from the mean, of which the squares sum up to 1; all 0 where they are."""
    _, around = centred(numbers)
    largest = float(np.abs(around).max())
    if not largest:
        return around
    around = around / largest
    made: Amounts = around / math.sqrt(total(around * around))
    return made


def linked_numbers(before: Amounts, after: Amounts) -> float:
    """The share of records whose nearest neighbour among the perturbed numbers is their own; ties count in shares.

    Sorting the perturbed numbers leaves two candidates for each: the next below and the next above.

    >>> linked_numbers(np.array([1.0, 5.0, 9.0, 3.0]), np.array([2.0, 6.0, 6.0, 7.0]))
    0.375
    """
    if not before.size:
        return 0.0
    cells, counts = np.unique(after, return_counts=True)
    above = np.minimum(np.searchsorted(cells, before), cells.size - 1)
    below = np.maximum(above - 1, 0)
    up, down = np.abs(cells[above] - before), np.abs(cells[below] - before)
    nearest = np.minimum(up, down)
    ties = np.where(up == nearest, counts[above], 0)
    ties += np.where((down == nearest) & (below != above), counts[below], 0)
    return total((np.abs(after - before) == nearest) / ties) / before.size


def linked_names(before: Index, after: Index, values: int) -> float:
    """The same of names, which are equal or not: where no perturbed cell is the name, all are equally near.

    >>> linked_names(np.array([0, 0, 1]), np.array([0, 2, 2]), 3)
    0.4444444444444444
    """
    if not before.size:
        return 0.0
    counts = np.bincount(after, minlength=values)[before]
    own = (before == after) / np.maximum(counts, 1)
    return total(np.where(counts > 0, own, 1 / before.size)) / before.size
