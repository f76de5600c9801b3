"""Order leakage: what the order of records reveals where a release keeps the order of its input.

An attacker who knows the order of the input, a register's or that of admission, takes the first record of a class for
the first person in it, and so on. Records in the order of their own content reveal nothing: they stand so whatever the
order of the input. For others the attack counts how many such claims are right, and how many would be if the records of
each class stood in random order: permutations, from a seed. An input that is itself ordered by the sensitive value
agrees with many orders, and reveals by that what no release can hide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from kohort.assessment.risk.attacks.base import Attack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index, Mask

#: Records in the order of their table: (n,) the class of each, below 0 where it is not known; (n,) its sensitive value.
Records: TypeAlias = "tuple[Index, Index]"

#: Permutations that the order is compared with.
PERMUTATIONS: Final = 199


def order(released: Records, source: Records, *, by_content: bool, seed: int = 0, of: str = "") -> Attack:
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
    people, classes = released[0].size, int(max(of.max(initial=-1) for of, _ in (released, source))) + 1
    counts = [np.bincount(of[of >= 0], minlength=classes) for of, _ in (released, source)]
    comparable = np.append(counts[0] == counts[1], False)  # the last is for classes below 0
    guessed, true = (_by_class(*rows, comparable) for rows in (released, source))
    if by_content or not true[1].size:
        return Attack.scored("order", people, 0, 0.0, 0.0, of=of)
    right = int((guessed[1] == true[1]).sum())
    random = np.random.default_rng(seed)
    chance = np.array([_shuffled_agreement(*guessed, true[1], random) for _ in range(PERMUTATIONS)])
    likely = (1 + int((chance >= right).sum())) / (1 + PERMUTATIONS)
    baseline = float(chance.mean()) / people
    return Attack.scored("order", people, true[1].size, float(right), baseline, of=of, likely=likely)


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


def _by_class(classes: Index, values: Index, comparable: Mask) -> Records:
    """The records of comparable classes, class by class, otherwise in their order."""
    kept = np.flatnonzero(comparable[classes])
    kept = kept[np.argsort(classes[kept], kind="stable")]
    return classes[kept], values[kept]


def _shuffled_agreement(classes: Index, guessed: Index, true: Index, random: np.random.Generator) -> int:
    shuffled = np.lexsort((random.random(guessed.size), classes))
    return int((guessed[shuffled] == true).sum())
