"""Codes of several columns side by side in whole numbers.

A row of Spark takes eight bytes for each column, however small its codes are, wherever it is moved, grouped or kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Bits of a number that are used: it is never negative.
_BITS: Final = 63


class Place(NamedTuple):
    """Where the codes of a column are: in which number, and after and in how many of its bits."""

    word: int
    after: int
    bits: int


@dataclass(frozen=True, slots=True)
class Packing:
    """Where the codes of some columns are.

    Attributes:
        places: (columns,) of each.
    """

    places: tuple[Place, ...]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Packing:
        """Room for so many codes of each column, from 0, in their order.

        >>> Packing.of([1000, 1, 1 << 30, 1 << 30]).places
        (Place(word=0, after=0, bits=10), Place(word=0, after=10, bits=0), Place(word=0, after=10, bits=30), Place(word=1, after=0, bits=30))
        """  # noqa: E501  an answer
        places: list[Place] = []
        word = after = 0
        for size in sizes:
            bits = (size - 1).bit_length()
            if after + bits > _BITS:
                word, after = word + 1, 0
            places.append(Place(word, after, bits))
            after += bits
        return cls(tuple(places))

    def packed(self, cells: Sequence[str]) -> list[str]:
        """Asks for the numbers that hold the codes in some cells.

        >>> Packing.of([4, 4]).packed(["a", "b"])
        ['(CAST(a AS BIGINT) << 0) + (CAST(b AS BIGINT) << 2)']
        """
        words: list[list[str]] = [[] for _ in range(self.places[-1].word + 1)]
        for cell, place in zip(cells, self.places, strict=True):
            words[place.word].append(f"(CAST({cell} AS BIGINT) << {place.after})")
        return [" + ".join(one) for one in words]

    def unpacked(self, words: Sequence[str]) -> list[str]:
        """Asks for the codes that some numbers hold.

        >>> Packing.of([4, 4]).unpacked(["w"])
        ['CAST((w >> 0) & 3 AS INT)', 'CAST((w >> 2) & 3 AS INT)']
        """
        return [f"CAST(({words[one.word]} >> {one.after}) & {(1 << one.bits) - 1} AS INT)" for one in self.places]
