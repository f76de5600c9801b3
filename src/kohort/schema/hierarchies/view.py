"""Hierarchies as a reader sees them: a tree with counts, its levels in figures, and what looks wrong in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import readable
from kohort.errors.display import Share  # noqa: TC001  pydantic reads what fields are
from kohort.schema.nesting import told_twofold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Counts
    from kohort.schema.hierarchy import Hierarchy


def findings(hierarchy: Hierarchy) -> tuple[str, ...]:
    """What is allowed in a hierarchy but seldom meant, one sentence each.

    >>> from kohort.schema.hierarchy import Hierarchy
    >>> findings(Hierarchy.from_rows([["39", "[39-39]", "*"], ["40", "[40-42)", "*"], ["41", "[40-42)", "*"]]))
    ('level 1 hides nothing for 1 of 3 values, alone in their nodes',)
    """
    return (*_revealing(hierarchy), *_idle(hierarchy), *_ambiguous(hierarchy))


def _revealing(hierarchy: Hierarchy) -> Iterator[str]:
    """Nodes above the leaves that cover a single one: whoever sees the label knows the value."""
    for level in range(1, hierarchy.height + 1):
        first, last = hierarchy.spans(level)
        alone = first[np.flatnonzero(first == last)]
        if count := len(alone) - int(hierarchy.index.get("") in alone):  # a missing value is kept apart on purpose
            yield f"level {level} hides nothing for {count:,} of {len(hierarchy.leaves):,} values, alone in their nodes"


def _idle(hierarchy: Hierarchy) -> Iterator[str]:
    """Levels that join no nodes of the level below."""
    for level, parent in enumerate(hierarchy.parents, start=1):
        if len(parent) == len(hierarchy.labels[level]) and len(parent) > 1:
            yield f"level {level} groups nothing that level {level - 1} does not"


def _ambiguous(hierarchy: Hierarchy) -> Iterator[str]:
    """What a job refuses: a column whose labels could be read in two ways."""
    if labels := hierarchy.twofold():
        yield f"{told_twofold(labels)}: anonymization refuses them"


def show(hierarchy: Hierarchy, *, limit: int = 60) -> str:
    """The hierarchy as an indented tree, each node with the number of leaves it covers.

    Shows the upper levels as far down as they fit whole, and below them the first children of each node.

    Args:
        hierarchy: What to show.
        limit: About how many lines to fill.

    >>> from kohort.schema.hierarchies import from_tree
    >>> print(show(from_tree({"Italia": {"Lazio": ["Roma", "Rieti"], "Puglia": ["Bari"]}})))
    Italia (3)
      Lazio (2)
        Roma
        Rieti
      Puglia (1)
        Bari
    """
    floor, shown = hierarchy.height, 1
    while floor and shown + len(hierarchy.labels[floor - 1]) <= limit:
        floor -= 1
        shown += len(hierarchy.labels[floor])
    room = max(0, (limit - shown) // len(hierarchy.labels[floor]) - 1)
    return "\n".join(_lines(hierarchy, floor, room))


def _lines(hierarchy: Hierarchy, floor: int, room: int) -> Iterator[str]:
    """A line for each node down to the floor, and for up to `room` children below each node on it."""
    covered = [hierarchy.covered(level) for level in range(hierarchy.height + 1)]

    def line(level: int, node: int) -> str:
        count = f" ({covered[level][node]:,})" if level else ""
        return "  " * (hierarchy.height - level) + _printable(hierarchy.labels[level][node]) + count

    pending = [(hierarchy.height, 0)]
    while pending:
        level, node = pending.pop()
        yield line(level, node)
        if level == 0:
            continue
        first, after = np.searchsorted(hierarchy.parents[level - 1], (node, node + 1)).tolist()
        if level > floor:
            pending.extend((level - 1, child) for child in reversed(range(first, after)))
        elif room:
            yield from (line(level - 1, child) for child in range(first, min(after, first + room)))
            if more := max(0, after - first - room):
                yield "  " * (hierarchy.height - level + 1) + f"… {more:,} more"
    if floor:
        yield f"(not shown in full: {'level 0' if floor == 1 else f'levels 0 to {floor - 1}'})"


def _printable(label: str) -> str:
    """The label without what could steer a terminal; an empty one made visible."""
    return readable(label, ends="") or '""'


@dataclass(frozen=True, slots=True)
class Level:
    """A level.

    Attributes:
        nodes: Its nodes.
        fewest: Leaves of the smallest of them.
        most: Leaves of the largest.
        loss: The mean of (M - 1)/(|A| - 1), M being the leaves of a record's node: what the attribute adds to LM if all
            records are released on this level.
    """

    nodes: int
    fewest: int
    most: int
    loss: Share


def levels(hierarchy: Hierarchy, records: Counts | None = None) -> tuple[Level, ...]:
    """The levels, from the leaves to the root.

    Args:
        hierarchy: The hierarchy.
        records: (leaves,) how many records have each leaf; one each if not given.

    >>> from kohort.schema.hierarchies import from_tree
    >>> [level.loss for level in levels(from_tree({"Italia": {"Lazio": ["Roma", "Rieti"], "Puglia": ["Bari"]}}))]
    [0.0, 0.3333333333333333, 1.0]
    """
    leaves = len(hierarchy.leaves)
    weights = np.ones(leaves, np.int64) if records is None else records
    found: list[Level] = []
    for level, of in enumerate(hierarchy.maps):
        covered = hierarchy.covered(level)
        lost = int(weights @ (covered[of] - 1))
        whole = (leaves - 1) * int(weights.sum())
        found.append(Level(covered.size, int(covered.min()), int(covered.max()), lost / whole if whole else 0.0))
    return tuple(found)
