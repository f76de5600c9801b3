"""The failing classes to look at first: the smallest, for whoever is in them is known best."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.checking.profile import Seen


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
    cells: tuple[str | None, ...]
    counts: tuple[tuple[str, int], ...]


def first_failing(seen: Seen, sensitive: str | None, fails: Mask, most: int) -> tuple[FailingClass, ...]:
    """The smallest of the classes that fail, by their size and then by their cells."""
    profile = seen.profile
    failing = np.flatnonzero(fails)
    limit = np.sort(profile.sizes[failing])[: max(most, 0)].max(initial=-1)
    near = failing[profile.sizes[failing] <= limit]
    made = [_class(seen, one, sensitive) for one in near.tolist()]
    return tuple(sorted(made, key=lambda one: (one.size, [cell or "" for cell in one.cells])))[:most]


def _class(seen: Seen, one: int, sensitive: str | None) -> FailingClass:
    profile = seen.profile
    counts = () if sensitive is None else _counts(seen, one, sensitive)
    together = sum(count for _, count in counts)
    return FailingClass(
        int(profile.sizes[one]),
        int(seen.classes.sizes[one]),
        None if profile.population is None else int(profile.population[one]),
        None if sensitive is None else len(counts),
        Fraction(counts[0][1], together) if counts else None,
        seen.classes.cells(one),
        counts,
    )


def _counts(seen: Seen, one: int, sensitive: str) -> tuple[tuple[str, int], ...]:
    """The values of a sensitive attribute in a class, and who has them, most frequent first."""
    row: list[int] = seen.profile.of(sensitive).counts[one].tolist()
    held = [(text, count) for text, count in zip(seen.texts[sensitive], row, strict=True) if count]
    return tuple(sorted(held, key=lambda pair: (-pair[1], pair[0])))
