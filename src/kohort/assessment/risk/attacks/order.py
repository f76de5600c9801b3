"""Order leakage: what the order of records reveals where a release keeps the order of its input.

An attacker who knows the order of the input, a register's or that of admission, takes the first record of a class for
the first person in it, and so on. Records in the order of their own content reveal nothing: they stand so whatever the
order of the input. For others the attack counts how many such claims are right, and how many would be if the records of
each class stood in random order: permutations, from a seed. An input that is itself ordered by the sensitive value
agrees with many orders, and reveals by that what no release can hide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.assessment.risk.attacks.base import Attack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index, Mask

#: Permutations that the order is compared with.
PERMUTATIONS: Final = 199


@dataclass(frozen=True, slots=True, eq=False)
class RecordOrder:
    """Records in the order of their table.

    Attributes:
        classes: (n,) the class of each record; below 0 where that of an input's record is not known.
        values: (n,) its sensitive value.
    """

    classes: Index
    values: Index


def order(released: RecordOrder, source: RecordOrder, *, by_content: bool, seed: int = 0, of: str = "") -> Attack:
    """The claims that the records of a class stand in the order of the input.

    Classes of which the input does not have as many people as the release are left alone. The baseline is the mean of
    the permutations.

    Args:
        released: The release.
        source: The input.
        by_content: Whether the release is ordered by its own content: then there is nothing to claim.
        seed: Of the permutations.
        of: The sensitive attribute.
    """
    classes = int(max(released.classes.max(initial=-1), source.classes.max(initial=-1))) + 1
    counts = [np.bincount(rows.classes[rows.classes >= 0], minlength=classes) for rows in (released, source)]
    comparable = np.append(counts[0] == counts[1], False)  # the last is for classes below 0
    guessed, true = (_by_class(rows, comparable) for rows in (released, source))
    if by_content or not guessed.values.size:
        return Attack.scored("order", released.classes.size, 0, 0.0, 0.0, of=of)
    right = int((guessed.values == true.values).sum())
    random = np.random.default_rng(seed)
    chance = np.array([_shuffled_agreement(guessed, true, random) for _ in range(PERMUTATIONS)])
    likely = (1 + int((chance >= right).sum())) / (1 + PERMUTATIONS)
    people = released.classes.size
    baseline = float(chance.mean()) / people
    return Attack.scored("order", people, guessed.values.size, float(right), baseline, of=of, likely=likely)


def order_of_classes(released: Index, source: Index) -> Attack:
    """The claims that of two classes, one behind the other, the first has the earlier first person in the input.

    A guess is right for one half of them.

    Args:
        released: (n,) the class of each record of the release, in its order.
        source: (p,) the class of each person of the input, in its order; below 0 where it is not known.
    """
    known, first = np.unique(source, return_index=True)
    place = dict(zip(known.tolist(), first.tolist(), strict=True))
    standing: list[int] = list(dict.fromkeys(released.tolist()))
    starts = np.array([place[one] for one in standing if one in place], dtype=np.int64)
    right, pairs = int((np.diff(starts) > 0).sum()), max(starts.size - 1, 0)
    return Attack.scored("order of classes", pairs, pairs, float(right), 0.5, unit="pairs of classes")


def in_content_order(columns: Sequence[Index]) -> bool:
    """Whether records stand in the order of the ranks of their cells, first column first.

    >>> in_content_order([np.array([0, 0, 1]), np.array([3, 4, 1])]), in_content_order([np.array([1, 0])])
    (True, False)
    """
    undecided: Mask = np.ones(max(columns[0].size - 1, 0), np.bool_)
    for ranks in columns:
        steps = np.diff(ranks)
        if (steps[undecided] < 0).any():
            return False
        undecided = undecided & (steps == 0)
    return True


def _by_class(rows: RecordOrder, comparable: Mask) -> RecordOrder:
    """The records of comparable classes, class by class, otherwise in their order."""
    kept = np.flatnonzero(comparable[rows.classes])
    kept = kept[np.argsort(rows.classes[kept], kind="stable")]
    return RecordOrder(rows.classes[kept], rows.values[kept])


def _shuffled_agreement(guessed: RecordOrder, true: RecordOrder, random: np.random.Generator) -> int:
    """Right claims where the records of each class are shuffled."""
    shuffled = np.lexsort((random.random(guessed.values.size), guessed.classes))
    return int((guessed.values[shuffled] == true.values).sum())
