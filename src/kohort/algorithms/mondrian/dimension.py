"""Which dimension of a partition Mondrian tries first: the widest, that of most distinct values, or one at random.

LeFevre et al. leave the choice open. Each choice gives every dimension of a partition a measure; the greatest is tried
first, ties go to the attribute that comes first in the schema, and a dimension of width 0 is never tried.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from kohort.errors import UsageError

if TYPE_CHECKING:
    from kohort.arrays import Codes


@dataclass(frozen=True, slots=True)
class Widest:
    """That of the greatest width in the partition over the width in the whole table, times the attribute's weight."""


@dataclass(frozen=True, slots=True)
class MostValues:
    """That of most distinct values in the partition, times the attribute's weight."""

    def __str__(self) -> str:
        """As `dimension_of` reads it."""
        return "most-values"


@dataclass(frozen=True, slots=True)
class AtRandom:
    """One drawn by a seed and by the partition's ranges alone: neither rows nor threads decide.

    Attributes:
        seed: The same seed draws the same dimensions.

    Raises:
        UsageError: it is negative or has more than 18 digits.
    """

    seed: int

    def __post_init__(self) -> None:
        """Validate the seed."""
        if type(self.seed) is not int or not 0 <= self.seed < LARGEST:
            raise UsageError("a seed is a whole number of at least 0, with 18 digits at most", where="dimension")

    def __str__(self) -> str:
        """As `dimension_of` reads it."""
        return f"random:{self.seed}"


#: The bits of a word.
WORD: Final = (1 << 64) - 1

#: Seeds stay below this.
LARGEST: Final = 10**18

#: The choices there are.
Dimension: TypeAlias = Widest | MostValues | AtRandom

#: The choice where nothing is said.
WIDEST: Final = Widest()

_random = re.compile(r"random:([0-9]{1,18})").fullmatch


def dimension_of(text: str) -> Dimension:
    """The choice that a text says: `widest`, `most-values`, or `random:7` with a seed.

    Raises:
        UsageError: it says none.

    >>> dimension_of("most-values"), dimension_of("random:7")
    (MostValues(), AtRandom(seed=7))
    """
    if found := _random(text):
        return AtRandom(int(found[1]))
    if text not in _WORDS:
        hint = "widest, most-values, or random:SEED, such as random:7"
        raise UsageError("dimension does not name the column to cut first", where="dimension", hint=hint)
    return _WORDS[text]


_WORDS: Final[dict[str, Dimension]] = {"widest": WIDEST, "most-values": MostValues()}


def drawn(seed: int, low: Codes, high: Codes) -> list[int]:
    """(d,) a number from 1 to 2**31 for each dimension of a partition: splitmix64 over the seed and its ranges."""
    state = seed
    for least, most in zip(low.tolist(), high.tolist(), strict=True):
        state = _mixed(_mixed(state ^ least) ^ most)
    return [(_mixed(state ^ dimension) >> 33) + 1 for dimension in range(low.size)]


def _mixed(state: int) -> int:
    """The next state: every bit of it depends on every bit of the last."""
    state = (state + 0x9E3779B97F4A7C15) & WORD
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & WORD
    return state ^ (state >> 31)
