"""How well a model that learns from the release predicts one column from the released ones.

A third of the records of the table before, drawn by a seed, is the test set: both models are judged on it, with its
own, ungeneralized values. One model learns from the other two thirds. The other learns from the release without the
records of the test set's people: for each of them it leaves out one released record that may be theirs, in a class
whose labels cover their quasi-identifiers and with their value of the target. Records of one class with the same target
are the same to the model, so any will do; people whom no class covers were suppressed and have no record. Where classes
do not overlap and the target was not perturbed, the model learns nothing from the test set, though nobody knows which
record is whose. (That the classes were formed with these people in the table cannot be undone.)

Features are the quasi-identifiers: a number by its midpoint, a name by how much of it lies in each of at most 20 groups
of names (the bars of its distribution), which is one-hot where it is one value: the same features in both tables. The
model is a random forest of 50 trees with at least 5 records in a leaf, seeded. The baseline always predicts the class
that is most frequent where the first model learns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kohort import system
from kohort.assessment.comparison.distribution import groups_of
from kohort.assessment.comparison.line import keys_of
from kohort.assessment.population import matches
from kohort.core.frequency import group
from kohort.errors import InputError, UsageError
from kohort.errors.display import Share, Significant  # noqa: TC001  pydantic reads what fields are
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.arrays import Codes, Counts, Index
    from kohort.assessment.comparison.line import ColumnLine, Places, Side

#: One over the share of the records in the test set.
FOLDS: Final = 3

#: The most records to judge on, and to learn from: seconds, whatever the table.
MOST_JUDGED: Final = 10_000
MOST_LEARNED: Final = 20_000

#: The forest.
TREES: Final = 50
LEAF: Final = 5

#: A number with more values than this is predicted as above its median or not.
FEW: Final = 10


@dataclass(frozen=True, slots=True)
class Prediction:
    """How well a column is predicted.

    Attributes:
        target: The column.
        features: The quasi-identifiers that it is predicted from.
        classes: How many different answers there are.
        split: For a number with many values, their median: predicted is whether it is above.
        seed: What was drawn by.
        judged: Records of the test set.
        learned: Records learned from: of the table before, and of the release.
        withheld: Released records left out, as they may be of the test set.
        baseline: Accuracy of always saying the most frequent class.
        original: Accuracy of the model of the table before.
        released: Accuracy of the model of the release.
    """

    target: str
    features: tuple[str, ...]
    classes: int
    split: Significant | None
    seed: int
    judged: int
    learned: tuple[int, int]
    withheld: int
    baseline: Share
    original: Share
    released: Share


def library() -> Any:  # noqa: ANN401  a module that may be absent
    """The part of scikit-learn that is used."""
    return system.import_optional("sklearn.ensemble", "to train a classifier", "learn", called="scikit-learn")


def prediction(lines: Sequence[ColumnLine], target: ColumnLine, *, seed: int = 0) -> Prediction:
    """Learn to predict the column `target` from the columns of `lines`, before and after.

    Raises:
        UsageError: There is no feature, the target is one or was generalized, or the seed is no whole number.
        InputError: There is too little to learn from.
        MissingExtraError: scikit-learn is not installed.
    """
    _refuse(lines, target, seed)
    library()
    answers, split = answers_of(target)
    old, new = (Examples.of([line.sides[at] for line in lines], target.sides[at], answers[at]) for at in (0, 1))
    random = np.random.Generator(np.random.PCG64(seed))
    judged, rest = np.split(random.permutation(old.rows), [min(old.rows.size // FOLDS, MOST_JUDGED)])
    learned = rest[:MOST_LEARNED]
    left = left_of(lines, old, new, judged)
    taken = random.permutation(left)[: round(left.size * learned.size / max(rest.size, 1))]
    if not judged.size or not taken.size or np.unique(old.answers[learned]).size <= 1:
        hint = "both tables need some records, and the target two values that are not rare"
        raise InputError("there are too few records to learn from", where=f"column {target.name}", hint=hint)
    features = [_feature(line) for line in lines]
    befores, afters = zip(*features, strict=True)
    features_judged, truth = old.matrix(befores, judged), old.answers[judged]
    usual = int(np.bincount(old.answers[learned]).argmax())
    original = _model(old.matrix(befores, learned), old.answers[learned], seed).predict(features_judged)
    released = _model(new.matrix(afters, taken), new.answers[taken], seed).predict(features_judged)
    return Prediction(
        target.name,
        tuple(line.name for line in lines),
        np.unique(np.append(old.answers[old.rows], new.answers[new.rows])).size,
        split,
        seed,
        judged.size,
        (learned.size, taken.size),
        new.rows.size - left.size,
        float((truth == usual).mean()),
        float((truth == original).mean()),
        float((truth == released).mean()),
    )


def _refuse(lines: Sequence[ColumnLine], target: ColumnLine, seed: object) -> None:
    where = f"column {target.name}"
    if not lines:
        raise UsageError("there is no quasi-identifier to predict from", where=where, hint="name one with --quasi")
    if target.name in [line.name for line in lines]:
        raise UsageError(
            "the target is a quasi-identifier", where=where, hint="predict a column that is released as is"
        )
    if target.after.single < target.after.total:
        raise UsageError("the target was generalized", where=where, hint="predict a column that is released as is")
    if type(seed) is not int or not 0 <= seed < 1 << 32:
        raise UsageError("a seed is a whole number from 0 to 2^32 - 1", where="seed")


def _model(features: Places, answers: Index, seed: int) -> Any:  # noqa: ANN401  scikit-learn publishes no types
    forest = library().RandomForestClassifier(n_estimators=TREES, min_samples_leaf=LEAF, random_state=seed)
    return forest.fit(features, answers)


def answers_of(target: ColumnLine) -> tuple[tuple[Index, Index], float | None]:
    """(l,) the answer that each label is, before and after, -1 of no value; and where numbers are split."""
    old, new = (side.means.centres() for side in target.sides)
    there = ~np.isnan(old)
    split: float | None = None
    if target.numeric and np.unique(old[there]).size > FEW:
        split = middle(old[there], target.before.records[there])
        kinds = np.array([0.0, 1.0])
        old, new = (np.where(np.isnan(one), np.nan, one > split) for one in (old, new))
        split /= 10.0**target.digits
    else:
        kinds = np.unique(np.concatenate([old[there], new[~np.isnan(new)]]))
    found = [np.where(np.isnan(one), -1, np.searchsorted(kinds, one)).astype(np.int64) for one in (old, new)]
    return (found[0], found[1]), split


def middle(values: Places, records: Counts) -> float:
    """The median, the lower of two, of values of which each is of so many records.

    >>> middle(np.array([3.0, 1.0, 2.0]), np.array([1, 2, 1]))
    1.0
    """
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(records[order])
    return float(values[order[np.searchsorted(upto, upto[-1] / 2)]])


def _feature(line: ColumnLine) -> tuple[Places, Places]:
    """(l, f) the features of each label, before and after; no number counts as the mean before."""
    if not line.numeric:
        groups = groups_of(line)
        (old_rows, old_parts), (new_rows, new_parts) = (groups.parts(side.means) for side in line.sides)
        return old_parts[old_rows], new_parts[new_rows]
    old, new = (side.means.centres() for side in line.sides)
    there = line.before.valued
    usual = np.average(old[there], weights=line.before.records[there])
    return np.where(np.isnan(old), usual, old)[:, np.newaxis], np.where(np.isnan(new), usual, new)[:, np.newaxis]


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
        each = answers[target.codes]
        return cls(sides, each, order[each[order] >= 0])

    def codes(self, rows: Index) -> Codes:
        """(r, d) the labels of some records."""
        return np.stack([side.codes[rows].astype(np.uint32) for side in self.sides], axis=1)

    def matrix(self, features: Sequence[Places], rows: Index) -> Places:
        """(r, f) the features of some records."""
        return np.hstack([one[side.codes[rows]] for one, side in zip(features, self.sides, strict=True)])


def left_of(lines: Sequence[ColumnLine], old: Examples, new: Examples, judged: Index) -> Index:
    """The released records without one for each of the test set that may be its own, in the order of their cells."""
    classes, people = group(new.codes(new.rows)), group(old.codes(judged))
    answers = int(max(old.answers.max(), new.answers.max())) + 1
    cells = classes.of * answers + new.answers[new.rows]
    records = dict(zip(*(one.tolist() for one in np.unique(cells, return_counts=True)), strict=True))
    kept = dict(records)
    wanted = _wanted(people.of, old.answers[judged])
    covered = [covered_places(line) for line in lines]
    tuples = old.codes(judged[people.first])
    for where, whom in matches(new.codes(new.rows[classes.first]), tuples, covered):
        for one in map(int, whom):
            _take(kept, int(where[0]) * answers, wanted[one])
    order = np.argsort(cells, kind="stable")
    ordered = cells[order]
    rank = np.arange(ordered.size) - np.searchsorted(ordered, ordered)
    return new.rows[np.sort(order[rank >= [records[cell] - kept[cell] for cell in ordered.tolist()]])]


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


def covered_places(line: ColumnLine) -> list[Index]:
    """For each label after, the labels before whose value it covers; one that covers any number covers missing ones."""
    centres, means = line.before.means.centres(), line.after.means
    order = np.argsort(centres, kind="stable")  # what is not a number comes last
    ordered = centres[order]
    valued = int(line.before.valued.sum())
    numbers = ordered[:valued]
    first, after = np.searchsorted(numbers, means.low), np.searchsorted(numbers, means.high, side="right")
    none: list[Index] = []
    found = [none.copy() for _ in range(means.labels)]
    places: Iterator[tuple[int, int, int]] = zip(means.of.tolist(), first.tolist(), after.tolist(), strict=True)
    for label, low, high in places:
        found[label].append(order[low:high])
    for label, text in enumerate(line.after.texts):
        if not found[label] or text == SUPPRESSED:
            found[label].append(order[valued:])
    return [np.concatenate(parts) for parts in found]
