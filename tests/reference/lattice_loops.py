# ruff: noqa: PLR0917  loops take what the core takes, in its order
"""The loops of the lattice once more, plainly: what the compiled core must write, array by array.

Each takes what the function of the core takes, in its order. `PLAIN` has them by the core's names.
"""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index, Mask, Shares
    from kohort.core.frequency import Words

#: Fields, room for those that are looked at, then what entries say, and room: as `kohort.algorithms.lattice` has it.
Table: TypeAlias = "Sequence[NDArray[Any]]"

#: A field: its word, where its entries begin, its shift and mask.
Field: TypeAlias = tuple[int, int, int, int]

WORD: Final = (1 << 64) - 1


# ── Keys ─────────────────────────────────────────────────────────────────────────────────────────


def fields_of(table: Table, starts: Index, entries: int) -> list[Field]:
    """The fields that have a start; they are written to their room."""
    word, shift, mask, room = table[:4]
    chosen = [place for place, start in enumerate(starts.tolist()) if start >= 0]
    found = [(int(word[one]), int(starts[one]), int(shift[one]), int(mask[one])) for one in chosen]
    room[: 5 * len(found)] = [value for one in found for value in (*one, entries - one[1])]
    return found


def hash_of(key: list[int]) -> int:
    """A number of 64 bits that few other keys have."""
    found = 0
    for word in key:
        found = (found ^ word) * 0x9E37_79B9_7F4A_7C15 & WORD
        found ^= found >> 32
    return found


def roll(table: Table, keys: Words, sizes: Counts, starts: Index, is_told: int) -> int:
    """Generalize every key and merge the equal ones, numbered as they appear; how many there are."""
    stands, new_keys, new_sizes, merged, slots = table[4:]
    words, used = keys.shape[1], 1 << (2 * sizes.size).bit_length()
    changed = fields_of(table, starts, stands.size)
    into = new_keys.reshape(-1, words)
    slots[:used] = -1
    numbers: dict[tuple[int, ...], int] = {}
    for row, old in enumerate(keys.tolist()):
        key = list(old)
        for word, start, shift, mask in changed:
            value = key[word] >> shift & mask
            key[word] = key[word] & ~(mask << shift) | int(stands[start + value])
        slot = hash_of(key) % used
        while slots[slot] >= 0 and tuple(key) != tuple(into[slots[slot]].tolist()):
            slot = (slot + 1) % used
        if words > 1 or slots[slot] < 0:
            into[len(numbers)] = key
        if slots[slot] < 0:
            slots[slot] = numbers[tuple(key)] = len(numbers)
            new_sizes[slots[slot]] = 0
        assert slots[slot] == numbers[tuple(key)]
        new_sizes[slots[slot]] += sizes[row]
        if is_told:
            merged[row] = slots[slot]
    return len(numbers)


# ── What is counted in classes ───────────────────────────────────────────────────────────────────


def add_rows(rows: NDArray[Any], into: NDArray[np.int32], once: int, out: NDArray[Any]) -> None:
    """Add every row to the one it goes into; in the first columns as one, if there is any."""
    for row, of in zip(rows, into.tolist(), strict=True):
        out[of] += [*(row[:once] > 0), *row[once:]]


def total(sizes: Counts, chosen: Mask) -> int:
    """The records of the chosen classes."""
    return int(sizes[chosen].sum())


def weigh(table: Table, keys: Words, sizes: Counts, chosen: Mask, starts: Index, sums: Shares) -> None:
    """Add up what is said of the values of the chosen classes, and what the rounding of the second sum left out."""
    fields = fields_of(table, starts, len(table[4]))
    for row in np.flatnonzero(chosen).tolist():
        for place, (word, start, shift, mask) in enumerate(fields):
            width, bits = table[4][start + (int(keys[row, word]) >> shift & mask)]
            sums[place, 0] += sizes[row] * width
            told = sizes[row] * bits - sums[place, 2]
            whole = sums[place, 1] + told
            sums[place, 2] = (whole - sums[place, 1]) - told
            sums[place, 1] = whole


# ── Nodes that may be parted from a class ────────────────────────────────────────────────────────


def hull(leaves: NDArray[Any]) -> NDArray[np.uint32]:
    """The least and the greatest leaf of some tuples in each attribute."""
    return np.stack([leaves.min(axis=0, initial=WORD >> 32), leaves.max(axis=0, initial=0)], axis=1).astype(np.uint32)


def propose_nodes(
    places: Codes,
    counts: Counts,
    order: Index,
    looked: Index,
    nodes: Index,
    above: Index,
    trees: Index,
    hulls: NDArray[np.uint32],
    least: int,
    at: Index,
    gains: Counts,
) -> int:
    """Find the nodes below and outside of which there are enough records, and what it saves to part these."""
    found, tuples, leaves = 0, counts.size, places[:, looked].astype(np.int64)

    def level(start: int, size: int, low: int, high: int) -> int:
        return next(one for one in range(start, nodes.size, size) if nodes[one + low] == nodes[one + high])

    def cost(some: Mask) -> int:
        ends: list[list[int]] = hull(leaves[some]).tolist() if some.any() else []
        spans = [(*trees[one].tolist(), *end) for one, end in zip(looked.tolist(), ends, strict=False)]
        return sum(int(above[level(*span) + span[2]]) for span in spans if span[2] < span[3])

    whole = np.ones(tuples, np.bool_)
    for attribute in looked.tolist():
        rows, (start, size), is_known = order[:, attribute].tolist(), trees[attribute].tolist(), False
        sorted_ = places[rows, attribute].astype(np.int64)
        for one in range(start, level(start, size, int(sorted_[0]), int(sorted_[-1])), size):
            of = nodes[one + sorted_]
            ends = [0, *(np.flatnonzero(np.diff(of)) + 1).tolist(), tuples]
            for first, last in pairwise(ends):
                records = int(counts[rows[first:last]].sum())
                children = nodes[one - size + sorted_[[first, last - 1]]] if one > start else [0, 1]
                if min(records, int(counts.sum()) - records) < least or children[0] == children[1]:
                    continue
                if not is_known:
                    hulls[: tuples + 1] = [hull(leaves[rows[:row]]) for row in range(tuples + 1)]
                    hulls[tuples + 1 : -1] = [hull(leaves[rows[row:]]) for row in range(tuples + 1)]
                    is_known = True
                hulls[-1] = hull(leaves[rows[first:last]])
                below = np.zeros(tuples, np.bool_)
                below[rows[first:last]] = True
                sides = records * cost(below) + (int(counts.sum()) - records) * cost(~below)
                gain = int(counts.sum()) * cost(whole) - sides
                if gain > 0:
                    at[found], gains[found] = (attribute, first, last), gain
                    found += 1
    return found


#: The loops by the names that they have in `kohort.native.library`.
PLAIN: Final[MappingProxyType[str, Callable[..., int | None]]] = MappingProxyType(
    {one.__name__: one for one in (roll, add_rows, total, weigh, propose_nodes)}
)
