# ruff: noqa: PLR0917  loops take what the core takes, in its order
"""The loops of the verifier once more, plainly: what the compiled core must write, array by array.

Each takes what the function of the core takes, in its order; what is only room for the core (`ROOM`) is left alone.
`PLAIN` has the loops by the core's names.
"""

from __future__ import annotations

from hashlib import md5
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Items


def hash_(text: NDArray[np.uint8], ends: Index, halves: NDArray[np.uint64]) -> None:
    """By the standard library."""
    for at, (start, end) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)):
        halves[at] = int(md5(text[start:end].tobytes(), usedforsecurity=False).hexdigest()[:16], 16)


def rows_of(starts: Index, items: Items) -> list[list[int]]:
    """The items of each transaction."""
    return [[int(item) for item in items[start:end]] for start, end in pairwise(starts)]


def descents(starts: Index, items: Items) -> int:
    """As lists compare."""
    rows = rows_of(starts, items)
    return sum(before > row for before, row in pairwise(rows))


def hold(
    starts: Index,
    items: Items,
    source_starts: Index,
    source_items: Items,
    lineage: Index,
    codes: Items,
    missing: Items,
    found: Index,
) -> None:
    """Each transaction and its origin, side by side."""
    source = rows_of(source_starts, source_items)
    changed = lost = 0
    origins: list[int] = lineage.tolist()
    for row, origin in zip(rows_of(starts, items), origins, strict=True):
        left, wrong = row[:], False
        for item in source[origin]:
            if left and left[0] == codes[item]:
                left.pop(0)
            elif missing[item] == 1:
                lost += 1
            else:
                wrong |= missing[item] == 0
        changed += wrong or bool(left)
    found[:] = changed, lost


def group_cohorts(
    starts: Index,
    items: Items,
    codes: Items,
    public: int,
    _table: Items,
    _sets: Items,
    ends: Index,
    _latest: Items,
    _earlier: Items,
    _had: Items,
    begins: Index,
    found: Items,
    times: Items,
    behind: Counts,
) -> int:
    """Groups in the order of their first transactions; private items from the last transaction of each to its first."""
    groups: dict[tuple[int, ...], list[list[int]]] = {}
    for row in rows_of(starts, items):
        numbers = [int(codes[item]) for item in row]
        if shown := tuple(number for number in numbers if 0 <= number < public):
            groups.setdefault(shown, []).append([number for number in numbers if number >= public])
    behind[:] = ends[0] = begins[0] = 0
    for group, (shown, hidden) in enumerate(groups.items()):
        counts: dict[int, int] = {}
        for row in reversed(hidden):
            for item in row:
                counts[item] = counts.get(item, 0) + 1
        end = int(begins[group]) + len(shown) + len(counts) + 1
        found[begins[group] : end] = [*shown, *counts, behind.size]
        times[begins[group] : end] = [*[len(hidden)] * len(shown), *counts.values(), 0]
        behind[list(shown)] += np.arange(len(shown))[::-1]
        ends[group + 1], begins[group + 1] = ends[group] + len(shown), end
    return len(groups)


def count_cohorts(  # noqa: C901  it stays in one piece, as the definition of the order in which sets have their turn
    items: Items,
    times: Items,
    places: Index,
    waiting: Index,
    often: Counts,
    supports: Counts,
    _ends: Index,
    _seen: Index,
    public: int,
    p: int,
    least: int,
    found: Index,
) -> None:
    """Every set in turn, the last that was met first; those of one item more as its occurrences have them."""
    often[:] = supports[:] = 0
    _, low, high, n, together = waiting[0].tolist()
    sets, smallest, of = 1, n, n
    stack = [(0, places[low:high].tolist(), n, together)]
    while stack and smallest >= least:
        depth, occurrences, support, most = stack.pop()
        behind: dict[int, list[int]] = {}
        counted: dict[int, int] = {}
        matters = most * of > together * support
        for place in occurrences:
            weight, at = int(times[place]), place
            while items[at] < public:
                item = int(items[at])
                at += 1
                behind.setdefault(item, []).append(at)
                counted[item] = counted.get(item, 0) + weight
            if depth + 1 >= p:  # no public item may be added to what these are in
                for item in items[place:at].tolist():
                    behind[item][-1] = at
            while matters and items[at] < supports.size:
                counted[int(items[at])] = counted.get(int(items[at]), 0) + int(times[at])
                at += 1
        if matters:
            most = max((count for item, count in counted.items() if item >= public), default=0)
            if most * of > together * support:
                together, of = most, support
        for item, after in behind.items():
            sets += 1
            smallest = min(smallest, counted[item])
            if depth + 1 < p or most * of > together * counted[item]:
                stack.append((depth + 1, after, counted[item], most))
    found[:] = sets, smallest, together, of


#: Arguments that are nothing but room, by their places: nobody reads what the core leaves in them.
ROOM: Final = MappingProxyType({"group_cohorts": {4, 5, 7, 8, 9}, "count_cohorts": {2, 3, 6, 7}})

#: The loops, as the core calls its own.
PLAIN: Final[MappingProxyType[str, Callable[..., Any]]] = MappingProxyType(
    {
        "hash": hash_,
        "descents": descents,
        "hold": hold,
        "group_cohorts": group_cohorts,
        "count_cohorts": count_cohorts,
    }
)
