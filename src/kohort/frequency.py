"""The frequency set: the distinct tuples of a table and their counts, the waist of the hourglass.

LeFevre, DeWitt, Ramakrishnan: Incognito (SIGMOD 2005), section 1.1. Everything an algorithm, a model or a
metric knows of a table is here, as integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index


@dataclass(frozen=True, slots=True, eq=False)
class FrequencySet:
    """Weighted tuples of quasi-identifying and sensitive codes.

    Grouping is a saving, not a promise: equal tuples may stand more than once (a table of near-unique tuples is not
    grouped at all), and their order means nothing. Every consumer adds up counts and so sees no difference.

    Attributes:
        quasi: (t, d) codes of the quasi-identifiers.
        sensitive: (t, s) codes of the sensitive attributes that the models look at; s may be 0.
        counts: (t,) records with this tuple.
        sensitive_sizes: (s,) number of values of each sensitive attribute.
    """

    quasi: Codes
    sensitive: Codes
    counts: Counts
    sensitive_sizes: tuple[int, ...] = ()

    @property
    def records(self) -> int:
        """The number of records that the tuples stand for."""
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True, eq=False)
class ClassProfile:
    """What a privacy model may know of equivalence classes: how large they are and what is sensitive in them.

    Attributes:
        sizes: (c,) records of each class.
        histograms: one (c, v) array per sensitive attribute: records of each class with each value.
    """

    sizes: Counts
    histograms: tuple[Counts, ...] = ()


def profile(frequency: FrequencySet, class_of: Index, classes: int) -> ClassProfile:
    """The profile of `classes` classes, where tuple i belongs to class `class_of[i]`.

    Cost: one pass over the tuples per sensitive attribute, and classes x values of memory.
    """
    counts = frequency.counts
    sizes = np.bincount(class_of, weights=counts, minlength=classes).astype(np.int64)
    histograms: list[Counts] = []
    for column, size in enumerate(frequency.sensitive_sizes):
        cell = class_of * size + frequency.sensitive[:, column]
        flat = np.bincount(cell, weights=counts, minlength=classes * size)
        histograms.append(flat.astype(np.int64).reshape(classes, size))
    return ClassProfile(sizes, tuple(histograms))


#: Rows that are looked at before grouping is given up: enough to tell, few enough to cost nothing.
PROBE = 1 << 17

#: Share of distinct rows among the probe from which grouping saves less than it costs.
NEAR_UNIQUE = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Equal rows of a code matrix, found by hashing.

    Attributes:
        first: (g,) the first row of each group, ascending: groups are numbered as they appear.
        of: (n,) the group of each row.
    """

    first: Index
    of: Index

    @property
    def counts(self) -> Counts:
        """(g,) rows of each group."""
        return np.bincount(self.of, minlength=self.first.size).astype(np.int64)


def group(codes: Codes, *, give_up: bool = False) -> Grouping:
    """Group the equal rows of `codes`; with `give_up`, leave near-unique rows as groups of one.

    Cost: one hash and, mostly, one comparison per row; 8 bytes per row and 4 to 8 per group.

    >>> grouping = group(np.array([[1, 2], [3, 4], [1, 2]], dtype=np.uint16))
    >>> grouping.first.tolist(), grouping.of.tolist()
    ([0, 1], [0, 1, 0])
    """
    words = _words(codes)
    if give_up and len(words) > PROBE:
        probe, _ = _group_rows(words[:PROBE])
        if probe.size > NEAR_UNIQUE * PROBE:
            every = np.arange(len(words))
            return Grouping(every, every)
    return Grouping(*_group_rows(words))


def _words(codes: Codes) -> NDArray[np.uint64]:
    """The same rows as (n, w) 64-bit words, padded with zeros, so that a row is compared in few steps."""
    per_word = 8 // codes.itemsize
    width = codes.shape[1]
    if width % per_word == 0 and width and codes.flags.c_contiguous:
        return codes.view(np.uint64)
    padded = np.zeros((len(codes), max(-(-width // per_word), 1) * per_word), dtype=codes.dtype)
    padded[:, :width] = codes
    return padded.view(np.uint64)


@kernel
def _group_rows(words: NDArray[np.uint64]) -> tuple[Index, Index]:
    """First row of each group, and the group of each row; open addressing with doubling at half load."""
    rows, width = words.shape
    of = np.empty(rows, np.int64)
    first = np.empty(1024, np.int64)
    table = np.full(2048, -1, np.int64)
    mask = np.uint64(table.size - 1)
    groups = 0
    for row in range(rows):
        hashed = np.uint64(0)
        for word in range(width):
            hashed = (hashed ^ words[row, word]) * np.uint64(0x9E3779B97F4A7C15)
            hashed ^= hashed >> np.uint64(32)
        slot = hashed & mask
        found = table[slot]
        while found >= 0:
            other = first[found]
            same = True
            for word in range(width):
                same &= words[row, word] == words[other, word]
            if same:
                break
            slot = (slot + np.uint64(1)) & mask
            found = table[slot]
        if found < 0:
            if groups == first.size:
                grown = np.empty(2 * groups, np.int64)
                grown[:groups] = first
                first = grown
                table = np.full(4 * groups, -1, np.int64)
                mask = np.uint64(table.size - 1)
                for known in range(groups):
                    again = np.uint64(0)
                    for word in range(width):
                        again = (again ^ words[first[known], word]) * np.uint64(0x9E3779B97F4A7C15)
                        again ^= again >> np.uint64(32)
                    place = again & mask
                    while table[place] >= 0:
                        place = (place + np.uint64(1)) & mask
                    table[place] = known
                slot = hashed & mask
                while table[slot] >= 0:
                    slot = (slot + np.uint64(1)) & mask
            found = groups
            first[groups] = row
            table[slot] = groups
            groups += 1
        of[row] = found
    return first[:groups].copy(), of
