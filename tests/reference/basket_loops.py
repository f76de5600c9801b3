# ruff: noqa: PLR0917  loops take what the core takes, in its order
"""The loops of reading transactions once more, plainly: what the compiled core must write, array by array.

Each takes what the function of the core takes, in its order. `PLAIN` has them by the core's names.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.io.records import line_end_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.arrays import Index, Items
    from kohort.io.records import Lengths, Starts
    from kohort.io.source import Bytes
    from kohort.transactions.io.cells import Keys

NONE, FAULT, OVERLONG = range(3)


def split(
    data: Bytes,
    at: int,
    separator: int,
    line_end: int,
    longest: int,
    starts: Starts,
    lengths: Lengths,
    ends: Index,
    told: Index,
) -> int:
    """Find names and line ends from a place on, until there is no room, the text ends or is at fault."""
    names = lines = 0
    kind, blanks = NONE, b" \t" if separator == ord(" ") else b""
    while at < data.size and names < starts.size and lines < ends.size:
        end = at
        while end < data.size and data[end] >= ord(" ") and data[end] != separator:
            end += 1
        if end - at > longest:
            kind = OVERLONG
            break
        if end > at:
            starts[names], lengths[names] = at, end - at
            names += 1
            at = end + int(end < data.size and data[end] == separator)
        elif data[at] in blanks:
            at += 1
        else:
            ended = line_end_at(data, at, line_end)
            if not ended or (not blanks and at > 0 and data[at - 1] == separator):
                kind = FAULT
                break
            ends[lines] = names
            lines += 1
            at += ended
    told[:] = names, lines, kind
    return at


def renumber(keys: Keys, numbers: Index) -> None:
    """Replace keys by numbers in the order in which they occur, in place; of no key there is a number before."""
    used = 0
    for at in range(keys.size):
        if numbers[keys[at]] < 0:
            numbers[keys[at]] = used
            used += 1
        keys[at] = numbers[keys[at]]


def scatter(keys: Keys, items: Items, ends: Index, cells: Items) -> None:
    """Put each item where its transaction's cells end so far."""
    for at in range(keys.size):
        cells[ends[keys[at]]] = items[at]
        ends[keys[at]] += 1


def settle(starts: Index, cells: Items, ranks: Items) -> int:
    """Replace items by their ranks, sort each transaction's and drop repeated ones, in place; the cells left."""
    bounds, left = starts.tolist(), 0
    for row in range(starts.size - 1):
        items = sorted(ranks[cells[bounds[row] : bounds[row + 1]]].tolist())
        cells[bounds[row] : bounds[row + 1]] = items
        for place, item in enumerate(items):
            if place == 0 or items[place - 1] != item:
                cells[left] = item
                left += 1
        starts[row + 1] = left
    return left


#: The loops by the names that they have in `kohort.native.library`.
PLAIN: Final[Mapping[str, Callable[..., int | None]]] = MappingProxyType(
    {one.__name__: one for one in (split, renumber, scatter, settle)}
)
