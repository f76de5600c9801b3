"""Records to learn from, and what the people who were put aside left in a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.comparison.records import keys_of
from kohort.assessment.population import matches
from kohort.core.frequency import group
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.arrays import Codes, Index
    from kohort.assessment.comparison.line import Line, Places, Side


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """The records of a table that have an answer.

    Attributes:
        sides: (d,) the features.
        answers: (n,) the answer of each record; -1 where it has none.
        rows: The records that have one, in the order of their cells.
    """

    sides: Sequence[Side]
    answers: Index
    rows: Index

    @classmethod
    def of(cls, sides: Sequence[Side], target: Side, answers: Index) -> Examples:
        """The examples of one table."""
        order = np.argsort(keys_of([*sides, target]), kind="stable")
        held = answers[target.codes]
        return cls(sides, held, order[held[order] >= 0])

    def codes(self, rows: Index) -> Codes:
        """(r, d) the labels of some records."""
        return np.stack([side.codes[rows].astype(np.uint32) for side in self.sides], axis=1)

    def matrix(self, features: Sequence[Places], rows: Index) -> Places:
        """(r, f) the features of some records."""
        return np.hstack([one[side.codes[rows]] for one, side in zip(features, self.sides, strict=True)])


def left_of(lines: Sequence[Line], old: Examples, new: Examples, judged: Index) -> Index:
    """The released records less one for each record put aside that may be its own, in the order of their cells."""
    classes, people = group(new.codes(new.rows)), group(old.codes(judged))
    answers = int(max(old.answers.max(), new.answers.max())) + 1
    cells = classes.of * answers + new.answers[new.rows]
    held = dict(zip(*(one.tolist() for one in np.unique(cells, return_counts=True)), strict=True))
    kept = dict(held)
    wanted = _wanted(people.of, old.answers[judged])
    covered = [covered_places(line) for line in lines]
    tuples = old.codes(judged[people.first])
    for where, whom in matches(new.codes(new.rows[classes.first]), tuples, covered):
        for one in map(int, whom):
            _take(kept, int(where[0]) * answers, wanted[one])
    order = np.argsort(cells, kind="stable")
    ordered = cells[order]
    rank = np.arange(ordered.size) - np.searchsorted(ordered, ordered)
    return new.rows[np.sort(order[rank >= [held[cell] - kept[cell] for cell in ordered.tolist()]])]


def _wanted(of: Index, answers: Index) -> list[dict[int, int]]:
    """For each tuple, how many of its records have which answer."""
    found = [dict[int, int]() for _ in range(int(of.max(initial=-1)) + 1)]
    pairs: Iterator[tuple[int, int]] = zip(of.tolist(), answers.tolist(), strict=True)
    for one, answer in pairs:
        found[one][answer] = found[one].get(answer, 0) + 1
    return found


def _take(kept: dict[int, int], start: int, wanted: dict[int, int]) -> None:
    """Take from a class, whose cells begin at `start`, as many records of each answer as are wanted and there."""
    for answer, records in wanted.items():
        taken = min(records, kept.get(start + answer, 0))
        if taken:
            kept[start + answer] -= taken
            wanted[answer] -= taken


def covered_places(line: Line) -> list[Index]:
    """For each label after, the labels before whose value it covers; what may be any number may be missing, too."""
    centres, means = line.before.means.centres(), line.after.means
    order = np.argsort(centres, kind="stable")  # what is not a number comes last
    ordered = centres[order]
    told = int(line.before.told.sum())
    first, after = np.searchsorted(ordered[:told], means.low), np.searchsorted(ordered[:told], means.high, side="right")
    none: list[Index] = []
    found = [none.copy() for _ in range(means.labels)]
    places: Iterator[tuple[int, int, int]] = zip(means.of.tolist(), first.tolist(), after.tolist(), strict=True)
    for label, low, high in places:
        found[label].append(order[low:high])
    for label, text in enumerate(line.after.texts):
        if not found[label] or text == SUPPRESSED:
            found[label].append(order[told:])
    return [np.concatenate(parts) for parts in found]
