"""The loops of roll-up: look up who stands for each field that changes, and merge the keys that become equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index
    from kohort.core.frequency import Words

    #: What becomes of a class: the class above that it is merged into, (c,).
    Merged: TypeAlias = NDArray[np.int32]

    #: What is counted in each class besides its records, (c, v); narrow wherever the table allows it.
    Tallies: TypeAlias = NDArray[np.int32 | np.int64]

    #: Keys of one word, (c,).
    Word: TypeAlias = NDArray[np.uint64]

    #: Word, shift and mask of each field that changes, where its level begins in the last array, who stands for whom.
    Change: TypeAlias = tuple[Index, Word, Word, Index, Word]

#: An odd number without pattern: a product's upper bits depend on all lower bits of its factors.
MIX = np.uint64(0x9E37_79B9_7F4A_7C15)

HALF = np.uint64(32)
ONE = np.uint64(1)


@kernel
def same(words: Words, one: int, other: int) -> bool:
    """Whether two rows are equal."""
    for word in range(words.shape[1]):  # noqa: SIM110  Numba compiles no generator
        if words[one, word] != words[other, word]:
            return False
    return True


@kernel
def add_rows(rows: Tallies, of: Merged, out: Tallies) -> None:
    """Add every row to the one it is merged into."""
    columns = rows.shape[1]
    for row in range(rows.shape[0]):
        into = np.int64(of[row])
        for column in range(columns):
            out[into, column] += rows[row, column]


@kernel
def roll_word(
    classes: tuple[Word, Counts], change: Change, slots: NDArray[np.int32], out: tuple[Word, Counts, Merged]
) -> int:
    """Generalize every key and merge the equal ones, numbered as they appear; how many there are.

    For keys of one word, which stay in a register. A slot holds a class of the result, or -1.
    """
    keys, sizes = classes
    _, shift, mask, starts, stands = change
    new_keys, new_sizes, merged = out
    last, found = np.uint64(slots.size - 1), 0
    for row in range(keys.size):
        key = keys[row]
        for place in range(starts.size):
            value = (key >> shift[place]) & mask[place]
            key = (key & ~(mask[place] << shift[place])) | stands[starts[place] + np.int64(value)]
        slot = key * MIX
        slot = (slot ^ (slot >> HALF)) & last
        while slots[slot] >= 0 and new_keys[slots[slot]] != key:
            slot = (slot + ONE) & last
        if slots[slot] < 0:
            slots[slot] = found
            new_keys[found] = key
            new_sizes[found] = sizes[row]
            found += 1
        else:
            new_sizes[slots[slot]] += sizes[row]
        if merged.size:
            merged[row] = slots[slot]
    return found


@kernel
def roll_words(
    classes: tuple[Words, Counts], change: Change, slots: NDArray[np.int32], out: tuple[Words, Counts, Merged]
) -> int:
    """The same for keys of several words. A key is made where it will stand if it is new."""
    keys, sizes = classes
    word, shift, mask, starts, stands = change
    new_keys, new_sizes, merged = out
    last, found, words = np.uint64(slots.size - 1), 0, keys.shape[1]
    for row in range(keys.shape[0]):
        for place in range(words):
            new_keys[found, place] = keys[row, place]
        for place in range(starts.size):
            cell = new_keys[found, word[place]]
            value = (cell >> shift[place]) & mask[place]
            cell = (cell & ~(mask[place] << shift[place])) | stands[starts[place] + np.int64(value)]
            new_keys[found, word[place]] = cell
        slot = np.uint64(0)
        for place in range(words):
            slot = (slot ^ new_keys[found, place]) * MIX
            slot ^= slot >> HALF
        slot &= last
        while slots[slot] >= 0 and not same(new_keys, int(slots[slot]), found):
            slot = (slot + ONE) & last
        if slots[slot] < 0:
            slots[slot] = found
            new_sizes[found] = 0
            found += 1
        new_sizes[slots[slot]] += sizes[row]
        if merged.size:
            merged[row] = slots[slot]
    return found


@kernel
def tally(of: Index, codes: Index, counts: Counts, place: tuple[int, int], out: Tallies) -> None:
    """Count the records of each class with each code; who has none, a code of at least `size`, is not counted.

    Args:
        of: The class of each tuple.
        codes: Its code.
        counts: Its records.
        place: The column of the first code, and how many codes there are.
        out: Where to add them.
    """
    start, size = place
    for row in range(of.size):
        if codes[row] < size:
            out[of[row], start + codes[row]] += counts[row]


@kernel
def count_people(parts: tuple[Counts, Tallies, Merged], values: int, people: Counts, out: Tallies) -> None:
    """Count the people of each class, and those with each value: a part of a class is all records of one person in it.

    Args:
        parts: Records and tallies of each part, and its class; a part without records is nobody's.
        values: Columns of the tallies in which somebody counts once; the others are added up.
        people: Where to add the people.
        out: Where to add those with each value.
    """
    sizes, tallies, merged = parts
    for row in range(sizes.size):
        into = np.int64(merged[row])
        people[into] += sizes[row] > 0
        for column in range(values):
            out[into, column] += tallies[row, column] > 0
        for column in range(values, tallies.shape[1]):
            out[into, column] += tallies[row, column]


@kernel
def gather(tallies: Tallies, rows: Index, start: int, out: Counts) -> None:
    """Copy some rows of the columns from `start` on."""
    for row in range(rows.size):
        for column in range(out.shape[1]):
            out[row, column] = tallies[rows[row], start + column]
