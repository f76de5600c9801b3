"""Random choices that are a function of a seed and a row number, by declared integer odds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import lcm
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Index

#: Random bits, one word per attribute of a row.
Words: TypeAlias = "NDArray[np.uint64]"

#: Rows made at once unless told otherwise: 4 MiB of random words.
BATCH = 1 << 16

#: Words a row takes, and the steps of the generator's counter that give them: one step gives four.
_WORDS, _STEPS = 8, 2

#: Bits of a word that decide a draw; the bits above them hold its condition.
_BITS = 48


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """A choice among outcomes whose odds depend on a condition, made by one search in a sorted table.

    The table lists, condition after condition, the upper bound of each possible outcome's share of 48 bits.

    >>> coin = Draw.of([(1, 1), (0, 1)])  # fair under condition 0, always outcome 1 under condition 1
    >>> words = np.array([0, 1 << 63, 5], dtype=np.uint64)
    >>> coin(words, given=np.array([0, 0, 1])).tolist()
    [0, 1, 1]
    """

    bounds: Words
    outcomes: Index

    @classmethod
    def of(cls, odds: Sequence[Sequence[int]]) -> Draw:
        """A draw with relative `odds[condition][outcome]`; outcomes of odds 0 never occur."""
        bounds: list[int] = []
        outcomes: list[int] = []
        for condition, row in enumerate(odds):
            total = sum(row)
            possible = [(o, upto) for o, (weight, upto) in enumerate(zip(row, accumulate(row), strict=True)) if weight]
            bounds += [(condition << _BITS) + (upto << _BITS) // total for _, upto in possible]
            outcomes += [outcome for outcome, _ in possible]
        return cls(np.array(bounds, dtype=np.uint64), np.array(outcomes, dtype=np.int64))

    def __call__(self, words: Words, *, given: Index | None = None) -> Index:
        """(n,) outcomes for (n,) random words under (n,) conditions; condition 0 where none is given."""
        share = words >> np.uint64(64 - _BITS)
        if given is not None:
            share |= given.astype(np.uint64) << np.uint64(_BITS)
        return self.outcomes[np.searchsorted(self.bounds, share, side="right")]


def evenly(groups: Sequence[tuple[range, int]]) -> list[int]:
    """The odds of each number of consecutive ranges, a range's odds being shared evenly by the numbers in it.

    >>> evenly([(range(3), 1), (range(3, 5), 2)])
    [2, 2, 2, 6, 6]
    """
    shares = lcm(*(len(numbers) for numbers, _ in groups))
    return [weight * shares // len(numbers) for numbers, weight in groups for _ in numbers]


def below(words: Words, limits: Index) -> Index:
    """(n,) whole numbers from 0 to less than (n,) `limits`, each as likely as the others; limits are at most 2^32.

    >>> below(np.array([0, 1 << 63, (1 << 64) - 1], dtype=np.uint64), np.array([10, 10, 10])).tolist()
    [0, 5, 9]
    """
    return ((words >> np.uint64(32)) * limits.astype(np.uint64) >> np.uint64(32)).astype(np.int64)


def key_of(seed: int) -> Words:
    """(2,) the key of the counter-based generator Philox that a seed of any size stands for."""
    return np.random.SeedSequence(seed).generate_state(2, np.uint64).astype(np.uint64)


def words_of(key: Words, first: int, rows: int, *, stream: int = 0) -> Words:
    """(8, rows) random words of the rows from `first` on, one line per attribute; streams are independent."""
    source = np.random.Philox(key=key, counter=[_STEPS * first, 0, 0, stream])
    return np.ascontiguousarray(source.random_raw(rows * _WORDS).reshape(rows, _WORDS).T)


def stretches(records: int, *, seed: int, batch: int) -> Iterator[tuple[int, int]]:
    """The first row and the number of rows of each batch; a single empty one for no records.

    Raises:
        UsageError: A negative number of records or seed, or a batch of no rows: at the call, not at the first batch.

    >>> list(stretches(25, seed=7, batch=10))
    [(0, 10), (10, 10), (20, 5)]
    """
    for name, value, least in (("records", records, 0), ("seed", seed, 0), ("batch", batch, 1)):
        if value < least:
            raise UsageError(f"{name} must be at least {least}, not {value}")
    return ((first, min(batch, records - first)) for first in range(0, max(records, 1), batch))
