"""The lattice of full-domain generalizations: one level for each quasi-identifier, and what lies above what.

Samarati (TKDE 2001), section 3. A node is a tuple of levels; one node lies above another where no level is lower. Pure
combinatorics: nothing here knows a record, and nothing walks more of the lattice than it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

#: One level for each quasi-identifier, in schema order. Nodes compare as tuples: lexicographically.
Node: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lattice:
    """All nodes from the bottom, where nothing is generalized, to `top`.

    Attributes:
        top: The greatest level of each quasi-identifier.

    >>> lattice = Lattice((1, 2))
    >>> lattice.size, lattice.height, list(lattice.at(2))
    (6, 3, [(0, 2), (1, 1)])
    """

    top: Node

    @property
    def bottom(self) -> Node:
        """The node that generalizes nothing."""
        return (0,) * len(self.top)

    @property
    def shape(self) -> tuple[int, ...]:
        """(d,) levels of each quasi-identifier: the shape of an array with a place for every node."""
        return tuple(level + 1 for level in self.top)

    @property
    def size(self) -> int:
        """The number of nodes."""
        return prod(self.shape)

    @property
    def height(self) -> int:
        """The height of the top: nodes have heights 0 to this."""
        return sum(self.top)

    def nodes(self) -> Iterator[Node]:
        """Every node, in lexicographic order."""
        return product(*map(range, self.shape))

    def at(self, height: int) -> Iterator[Node]:
        """The nodes of one height, in lexicographic order; no other node is visited.

        >>> list(Lattice((1, 1, 3)).at(1))
        [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
        """
        return _summing(self.top, height)

    def successors(self, node: Node) -> Iterator[Node]:
        """The nodes that generalize one attribute one level further."""
        for place, (level, highest) in enumerate(zip(node, self.top, strict=True)):
            if level < highest:
                yield (*node[:place], level + 1, *node[place + 1 :])


def _summing(top: Node, height: int) -> Iterator[Node]:
    """The nodes below `top` whose levels sum to `height`."""
    if not top:
        yield from ((),) if height == 0 else ()
        return
    above = sum(top[1:])
    for level in range(max(0, height - above), min(top[0], height) + 1):
        for rest in _summing(top[1:], height - level):
            yield (level, *rest)


def node_at(place: int, lattice: Lattice) -> Node:
    """The node that has this place in lexicographic order.

    >>> node_at(4, Lattice((1, 2)))
    (1, 1)
    """
    levels: list[int] = []
    for size in reversed(lattice.shape):
        place, level = divmod(place, size)
        levels.append(level)
    return tuple(reversed(levels))


def upset(node: Node) -> tuple[slice, ...]:
    """Where `node` and all nodes above it lie in an array of the lattice's shape."""
    return tuple(slice(level, None) for level in node)


def downset(node: Node) -> tuple[slice, ...]:
    """Where `node` and all nodes below it lie in an array of the lattice's shape."""
    return tuple(slice(level + 1) for level in node)
