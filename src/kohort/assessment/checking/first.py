"""The failing classes to look at first: the smallest, for whoever is in them is known best."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from kohort.engines.order import ranks_of

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.assessment.checking.profile import Seen


@dataclass(frozen=True, slots=True)
class FailingClass:
    """A class that fails a model.

    Attributes:
        size: Its people; its records, without a person key.
        records: Its records.
        population: People of the population table whom it fits; `None` without one.
        values: How many different values the sensitive attribute has in it; `None` where the model is about none.
        share: The share of its people who have the most frequent of them, among those who have any.
        cells: Its quasi-identifying cells.
        counts: Its sensitive values and who has them, most frequent first. Like `cells` they are the data's: they
            belong in no report that leaves.
    """

    size: int
    records: int
    population: int | None
    values: int | None
    share: Fraction | None
    cells: tuple[str | None, ...] = field(repr=False)
    counts: tuple[tuple[str, int], ...] = field(repr=False)


def first_failing(seen: Seen, sensitive: str | None, fails: Mask, most: int) -> tuple[FailingClass, ...]:
    """The smallest of the classes that fail, by their size and then by their cells."""
    classes, failing = seen.classes, np.flatnonzero(fails)
    cells = [
        ranks_of(column.values)[codes] for column, codes in zip(classes.columns, classes.codes[failing].T, strict=True)
    ]
    order = np.lexsort([*reversed(cells), seen.whole.sizes[failing]])[:most]
    return tuple(_class(seen, one, sensitive) for one in failing[order].tolist())


def _class(seen: Seen, one: int, sensitive: str | None) -> FailingClass:
    population = seen.whole.population
    held = [] if sensitive is None else seen.counts(sensitive, one)
    counts = tuple(sorted(held, key=lambda pair: (-pair[1], pair[0])))
    return FailingClass(
        int(seen.whole.sizes[one]),
        int(seen.classes.sizes[one]),
        None if population is None else int(population[one]),
        None if sensitive is None else len(counts),
        Fraction(counts[0][1], sum(count for _, count in counts)) if counts else None,
        seen.classes.cells(one),
        counts,
    )
