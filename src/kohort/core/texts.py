"""Many texts without an object of Python for each, which would take 50 bytes besides its letters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import chain, islice, pairwise
from operator import add, index
from typing import TYPE_CHECKING, SupportsIndex, cast

import numpy as np

from kohort.system.workspace import BLOCK, blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Index


class Texts(ABC):
    """Texts in an order; each is made when it is asked for."""

    __slots__ = ()

    @abstractmethod
    def __len__(self) -> int:
        """How many there are."""

    @abstractmethod
    def __getitem__(self, place: SupportsIndex) -> str:
        """The text at a place, from 0 on."""

    @abstractmethod
    def parts(self) -> Iterator[list[str]]:
        """Some of them at a time."""

    def __iter__(self) -> Iterator[str]:
        """Each of them, in their order."""
        return chain.from_iterable(self.parts())

    def __eq__(self, other: object) -> bool:
        """Whether the texts are those of another sequence."""
        return isinstance(other, Texts | tuple | list) and tuple(self) == tuple(cast("Iterable[object]", other))

    def __hash__(self) -> int:
        """That of the texts as a tuple."""
        return hash(tuple(self))


class Joined(Texts):
    """Texts that are kept joined, some thousands in one.

    >>> texts = Joined(["[20-29]", "", "[30-39]"])
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

    def __getitem__(self, place: SupportsIndex) -> str:
        """The text at a place, from 0 on."""
        part, inside = divmod(index(place), BLOCK)
        ends = self._ends[part]
        return self._joined[part][ends[inside] : ends[inside + 1]]

    def parts(self) -> Iterator[list[str]]:
        """Some of them at a time."""
        for joined, ends in zip(self._joined, self._ends, strict=True):
            yield [joined[start:end] for start, end in pairwise(ends.tolist())]


class Halves(Texts):
    """Texts of two halves each, of which there are few.

    Attributes:
        first: The first halves that there are.
        second: The second ones.
        first_of: (n,) the first half of each text.
        second_of: (n,) its second half.

    >>> texts = Halves(["[20-", "[30-"], ["29]", "39]"], np.array([0, 0, 1]), np.array([0, 1, 1]))
    >>> len(texts), texts[1], list(texts)
    (3, '[20-39]', ['[20-29]', '[20-39]', '[30-39]'])
    """

    __slots__ = ("first", "first_of", "second", "second_of")

    def __init__(self, first: Sequence[str], second: Sequence[str], first_of: Index, second_of: Index) -> None:
        """Join them when they are asked for."""
        self.first, self.second = first, second
        self.first_of, self.second_of = first_of.astype(np.uint32), second_of.astype(np.uint32)

    def __len__(self) -> int:
        """How many there are."""
        return self.first_of.size

    def __getitem__(self, place: SupportsIndex) -> str:
        """The text at a place, from 0 on."""
        return self.first[int(self.first_of[place])] + self.second[int(self.second_of[place])]

    def parts(self) -> Iterator[list[str]]:
        """Some of them at a time."""
        for some in blocks(len(self)):
            first = map(self.first.__getitem__, self.first_of[some].tolist())
            yield list(map(add, first, map(self.second.__getitem__, self.second_of[some].tolist())))


class Sets(Texts):
    """Sets of names as texts, `{a, b}`: a set of one is the name itself.

    Attributes:
        names: The names that there are, as they stand alone.
        quoted: As they stand among others.
        members: (n, m) the names of the sets of m, one after another by m.

    >>> texts = Sets(["a", "b", "c"], ["a", "b", "c"], [np.array([[2]]), np.array([[0, 1], [1, 2]])])
    >>> len(texts), texts[1], list(texts)
    (3, '{a, b}', ['c', '{a, b}', '{b, c}'])
    """

    __slots__ = ("members", "names", "quoted")

    def __init__(self, names: Sequence[str], quoted: Sequence[str], members: Sequence[NDArray[np.integer]]) -> None:
        """Write them when they are asked for."""
        self.names, self.quoted, self.members = names, quoted, members

    def __len__(self) -> int:
        """How many there are."""
        return sum(map(len, self.members))

    def __getitem__(self, place: SupportsIndex) -> str:
        """The text at a place, from 0 on."""
        inside = index(place)
        for some in self.members:
            if inside < len(some):
                return self.text(some[inside].tolist())
            inside -= len(some)
        raise IndexError(place)

    def parts(self) -> Iterator[list[str]]:
        """Some of them at a time."""
        for of_size in self.members:
            for some in blocks(len(of_size)):
                yield list(map(self.text, of_size[some].tolist()))

    def text(self, members: Sequence[int]) -> str:
        """The set of these."""
        return self.names[members[0]] if len(members) == 1 else braced(map(self.quoted.__getitem__, members))


def braced(members: Iterable[str]) -> str:
    """A set of several, each as it stands among others."""
    return "{" + ", ".join(members) + "}"
