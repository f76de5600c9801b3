"""The share of the people whom some two of their quasi-identifying values single out.

Sweeney: Simple Demographics Often Identify People Uniquely (Data Privacy Working Paper 3, 2000), for every two columns.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.classes import classes_of, sizes_of
from kohort.assessment.risk.figures import RiskFigure

if TYPE_CHECKING:
    from kohort.assessment.classes import FileClasses


def unique_by_two(file: FileClasses) -> float | None:
    """The share of the people with a pair of values of their own; `None` of fewer than two columns.

    Whom two values single out all values do: a file whose classes all have several people is not looked at any further.
    Cost: else one grouping of the tuples for each two columns, until all who are unique are known to be.

    >>> from kohort.assessment.classes import file_classes, records_of
    >>> unique_by_two(file_classes(records_of(np.array([[0, 0, 1, 1], [0, 1, 1, 1], [2, 2, 2, 2]]))))
    0.5
    """
    frequency, classes, people = file
    width = frequency.quasi.shape[1]
    if width < 2:  # noqa: PLR2004  two columns
        return None
    least = np.full_like(frequency.counts, 2)
    left = classes.sizes[classes.of] == 1
    for pair in combinations(range(width), 2):
        if not left.any():
            break
        found = classes_of(frequency, pair)
        least[alone := found.sizes[found.of] == 1] = 1
        left &= ~alone
    among = sizes_of(frequency, np.arange(least.size), least)
    return int(among.people[among.sizes == 1].sum()) / people.total


UNIQUE_BY_TWO = RiskFigure(
    caption="Unique by two columns",
    sentence="The share of the people whom some two of their quasi-identifying values single out.",
    source="Sweeney (2000), for every two columns",
    unit="share",
    of=unique_by_two,
    public="part_of",
)
