"""Many texts, some thousands in one: as objects of Python each would take 50 bytes besides its letters."""

from __future__ import annotations

from itertools import chain, islice, pairwise
from operator import index
from typing import TYPE_CHECKING, SupportsIndex, cast

import numpy as np

from kohort.workspace import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray


class Texts:
    """Texts in an order, kept joined; each is made when it is asked for.

    >>> texts = Texts(["[20-29]", "", "[30-39]"])
    >>> len(texts), texts[2], list(texts), texts == ("[20-29]", "", "[30-39]")
    (3, '[30-39]', ['[20-29]', '', '[30-39]'], True)
    """

    __slots__ = ("_ends", "_joined", "_size")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Join the texts as they come, so many at a time that few are there as objects."""
        self._joined: list[str] = []
        self._ends: list[NDArray[np.uint32]] = []
        self._size = 0
        coming = iter(texts)
        while some := list(islice(coming, BLOCK)):
            self._joined.append("".join(some))
            self._ends.append(np.cumsum([0, *map(len, some)]).astype(np.uint32))
            self._size += len(some)

    def __len__(self) -> int:
        """How many there are."""
        return self._size

    def __iter__(self) -> Iterator[str]:
        """Each of them, in their order."""
        return chain.from_iterable(self.parts())

    def __getitem__(self, place: SupportsIndex) -> str:
        """The text at a place, from 0 on."""
        part, inside = divmod(index(place), BLOCK)
        ends = self._ends[part]
        return self._joined[part][ends[inside] : ends[inside + 1]]

    def __eq__(self, other: object) -> bool:
        """Whether the texts are those of another sequence."""
        return isinstance(other, Texts | tuple | list) and tuple(self) == tuple(cast("Iterable[object]", other))

    def __hash__(self) -> int:
        """That of the texts as a tuple."""
        return hash(tuple(self))

    def parts(self) -> Iterator[list[str]]:
        """Some of them at a time."""
        for joined, ends in zip(self._joined, self._ends, strict=True):
            yield [joined[start:end] for start, end in pairwise(ends.tolist())]
