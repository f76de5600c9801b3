"""Where arrays as long as a table live: in memory, or in files without a name that the system may put to disk.

Everything that makes such arrays (reader, engine, search, verifier) asks a workspace for them, and nothing else about
them changes: what is mapped is an array like any other. The system keeps of it in memory what there is room for.
"""

from __future__ import annotations

import errno
import os
import re
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numpy as np

from kohort import system
from kohort.errors import FileError, LimitError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)
A = TypeVar("A", bound="NDArray[Any]")
G = TypeVar("G")
M = TypeVar("M")

#: Smaller arrays always live in memory: each file costs some microseconds and a descriptor.
LEAST: Final = 1 << 20

#: Records at a time: what is made for so many stays in the cache until it is used. A multiple of eight.
BLOCK: Final = 1 << 15

#: Numbers that are counted at a time: the counts of each time are added up.
TALLIED: Final = 1 << 20

_amount = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?) ?(|k|M|G|T)(i?)B").fullmatch

_POWERS: Final = {"": 0, "k": 1, "M": 2, "G": 3, "T": 4}


@dataclass(frozen=True, slots=True)
class Workspace:
    """Makes long arrays.

    Attributes:
        folder: Where the files are; `None` for memory alone.
        limit: The bytes of memory that may be used besides; `None` for any number.
        least: Smaller arrays live in memory.

    >>> HEAP.zeros(3, np.uint8).tolist()
    [0, 0, 0]
    """

    folder: Path | None = None
    limit: int | None = None
    least: int = LEAST

    def __post_init__(self) -> None:
        """Refuse a folder that is not there."""
        if self.folder is not None and not os.path.isdir(self.folder):  # noqa: PTH112  it does not raise where the system refuses to look
            raise FileError("the folder for spilled arrays does not exist", where=str(self.folder), hint=_ELSEWHERE)

    def empty(self, shape: int | tuple[int, ...], dtype: type[T] | np.dtype[T]) -> NDArray[T]:
        """An array with anything in it."""
        kind = np.dtype(dtype)
        size = int(np.prod(shape)) * kind.itemsize
        if self.folder is None or size < max(self.least, 1):
            return np.empty(shape, kind)
        try:
            return np.frombuffer(system.spilled(self.folder, size), kind).reshape(shape)
        except OSError as error:
            raise _unspilled(error, self.folder) from error

    def zeros(self, shape: int | tuple[int, ...], dtype: type[T] | np.dtype[T]) -> NDArray[T]:
        """An array of zeros."""
        if self.folder is None:
            return np.zeros(shape, dtype)
        made = self.empty(shape, dtype)
        made[...] = 0
        return made

    def like(self, array: A, shape: int | tuple[int, ...]) -> A:
        """An array of the same kind, with anything in it."""
        return cast("A", self.empty(shape, array.dtype))

    def side_by_side(self, make: Callable[[G], M], given: Iterable[G]) -> Iterator[M]:
        """What `make` gives for each, in their order, on as many threads as there are; the first fault is raised.

        No more are begun than the threads have to do. Where memory is limited it is one after another: what is made
        side by side is there at the same time. It pays where compiled code does the work, which holds no lock.

        >>> [*HEAP.side_by_side(abs, [-1, 2, -3])]
        [1, 2, 3]
        """
        threads = 1 if self.limit is not None else system.threads()
        if threads == 1:
            yield from map(make, given)
            return
        with ThreadPoolExecutor(threads) as pool:
            begun: deque[Future[M]] = deque()
            for one in given:
                begun.append(pool.submit(make, one))
                if len(begun) > threads:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()

    def copied(self, array: A) -> A:
        """A copy, in rows."""
        made = self.empty(array.shape, array.dtype)
        made[...] = array
        return cast("A", made)

    def numbers(self, size: int) -> NDArray[np.uint32]:
        """Room for so many numbers of records, tuples or classes, which 32 bits hold."""
        if size >= 1 << 32:
            raise LimitError(f"{size:,} records are more than 4,294,967,295", hint="release the table in parts")
        return self.empty(size, np.uint32)

    def ascending(self, size: int) -> NDArray[np.uint32]:
        """The numbers from 0 on."""
        made = self.numbers(size)
        for some in blocks(size):
            made[some] = np.arange(some.start, some.stop)
        return made

    def taken(self, values: A, places: NDArray[np.integer[Any]]) -> A:
        """`values[places]`, or rows, some at a time: NumPy widens places of 32 bits, which takes 8 bytes each."""
        made = self.empty((places.size, *values.shape[1:]), values.dtype)
        for some in blocks(places.size):
            made[some] = values.take(places[some], axis=0)  # several times as fast as an index
        return cast("A", made)

    def counted_up(self, first: NDArray[np.integer[Any]], sizes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """So many numbers from each of the first ones on, one after another.

        >>> HEAP.counted_up(np.array([7, 0]), np.array([2, 3])).tolist()
        [7, 8, 0, 1, 2]
        """
        ends = np.cumsum(sizes)
        made = self.empty(int(ends[-1]) if ends.size else 0, np.int64)
        for some in blocks(sizes.size):
            whole = sizes[some]
            before = ends[some] - whole
            part = np.repeat(first[some] - before, whole)
            made[int(before[0]) : int(ends[some.stop - 1])] = part + np.arange(int(before[0]), int(ends[some.stop - 1]))
        return made


#: Where arrays live if nothing is said.
HEAP: Final = Workspace()

_ELSEWHERE: Final = "name another folder (--spill-folder)"


def blocks(records: int, size: int = 0) -> Iterator[slice]:
    """The records, some at a time: so many, or else `BLOCK`."""
    step = size or BLOCK
    return (slice(start, min(start + step, records)) for start in range(0, records, step))


def distinct(numbers: NDArray[np.int64], *, merged: bool = False) -> NDArray[np.int64]:
    """The distinct ones of numbers from 0 on, ascending: at the beginning of their own array, which is sorted.

    Numbers that nearly ascend, or do so in a few long runs, are `merged` in a tenth of the time; others are not.

    >>> distinct(np.array([3, 1, 3, 0])).tolist()
    [0, 1, 3]
    >>> distinct(np.array([1, 3, 0, 1]), merged=True).tolist()
    [0, 1, 3]
    """
    numbers.sort(kind="stable" if merged else "quicksort")
    found, last = 0, -1
    for some in blocks(numbers.size):
        part = numbers[some]
        fresh = part[np.diff(part, prepend=last) != 0]
        last = int(part[-1])
        numbers[found : found + fresh.size] = fresh
        found += fresh.size
    return numbers[:found]


def ordinals(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """0 to c - 1 for each of the counts c, one after another.

    >>> ordinals(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def tallied(
    numbers: NDArray[np.integer[Any]], size: int, weights: NDArray[np.int64] | None = None, workspace: Workspace = HEAP
) -> NDArray[np.int64]:
    """(size,) how many there are of each number below `size`, without a widened copy; quick where they ascend.

    With weights each counts as so many, as long as the sum stays below 2^53.

    >>> tallied(np.array([1, 1, 3], np.uint8), 5).tolist()
    [0, 2, 0, 1, 0]
    >>> tallied(np.array([1, 1, 3], np.uint8), 5, np.array([4, 2, 9])).tolist()
    [0, 6, 0, 9, 0]
    """
    counts = workspace.zeros(size, np.int64)
    for some in blocks(numbers.size, TALLIED):
        part = numbers[some]
        low = int(part.min())
        found = np.bincount(part - low, None if weights is None else weights[some]).astype(np.int64)
        counts[low : low + found.size] += found
    return counts


def bytes_of(text: str) -> int:
    """An amount of memory: a number and B, kB, MB, GB, TB, or KiB, MiB, GiB, TiB by powers of 1,024.

    Raises:
        UsageError: the text is none, or nothing.

    >>> bytes_of("4GiB"), bytes_of("1.5 GB")
    (4294967296, 1500000000)
    """
    found = _amount(text.strip().replace("K", "k"))
    amount = int(Fraction(found[1]) * (1024 if found[3] else 1000) ** _POWERS[found[2]]) if found else 0
    if not amount:
        raise UsageError("the memory limit is not an amount", hint="write an amount such as 4GiB or 500MB")
    return amount


def _unspilled(error: OSError, folder: Path) -> FileError:
    hint = _ELSEWHERE
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        hint = f"make room, or {hint}"
    elif error.errno in {errno.EMFILE, errno.ENFILE}:
        hint = "the system limits the number of open files: see ulimit -n"
    elif error.errno == errno.EFBIG:
        hint = "the system limits the size of a file: see ulimit -f"
    what = os.strerror(error.errno) if error.errno else "no reason was given"
    return FileError(f"an array cannot be written to disk: {what}", where=str(folder), hint=hint)
