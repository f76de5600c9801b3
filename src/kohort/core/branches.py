"""What a set of names prints where they have a tree: never a name that one person of the region alone has.

Such a name is released as its branch: the least node above that holds the values of two people of the region, together
with every other value below it. So nobody reads in a set what a single person has, even who knows how it was made. A
branch is called by its leaves where its own label lists these or stands for others too, and by its label otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.schema.hierarchies.sets import set_label
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index
    from kohort.core.recoding import Multidimensional
    from kohort.schema.domain import Domain
    from kohort.schema.hierarchy import Hierarchy


class Members(NamedTuple):
    """What the sets of regions print.

    Attributes:
        names: (v,) in text order: values, and labels of branches.
        leaves: (v,) how many leaves each stands for.
        cells: Ascending: a region times v, plus a name of its set.
    """

    names: Sequence[str]
    leaves: Counts
    cells: Index


def printed(domain: Domain, recoding: Multidimensional, codes: NDArray[np.integer], people: Index | None) -> Members:
    """What sets print of an attribute that has a hierarchy.

    Args:
        domain: What the codes mean.
        recoding: The regions.
        codes: (m,) the attribute's code in each piece.
        people: (t,) whose each tuple is; `None` where each record is a person.

    Cost: a sort of the pieces, and one of the regions' values for each level up to which a name is printed.
    """
    tree = domain.hierarchy
    assert tree is not None  # noqa: S101  else sets print the values themselves
    cells, of = np.unique(recoding.regions.astype(np.int64) * len(domain) + codes, return_inverse=True)
    some = 2 * np.arange(of.size) if people is None else people[recoding.tuples]
    other = some + (recoding.counts > 1) if people is None else some  # several records are two people at least
    least, most = _ends(of, cells.size, some, other)
    regions, held = np.divmod(cells, len(domain))
    leaf, levels = domain.leaves[held], np.zeros(cells.size, np.int64)
    alone = (least == most) & (held != domain.missing) & (np.bincount(regions)[regions] > 1)
    for level in range(1, tree.height + 1):
        if not alone.any():
            break
        node = tree.maps[level][leaf]
        _, of = np.unique(regions * len(tree.labels[level]) + node, return_inverse=True)
        low, high = _ends(of, cells.size, least, most)
        joined = ((low < high) & (np.bincount(of, alone, cells.size) > 0))[of]
        if level < tree.height:  # what stands for anything goes with nothing
            joined &= np.array([label != SUPPRESSED for label in tree.labels[level]])[node]
        levels[joined], alone = level, alone & ~joined
    return _named(tree, regions, levels, leaf)


def _ends(of: Index, size: int, some: Index, other: Index) -> tuple[Index, Index]:
    """(size,) the least and the greatest person in each group."""
    low, high = np.full(size, np.iinfo(np.int64).max), np.full(size, -1)
    np.minimum.at(low, of, some)
    np.maximum.at(high, of, other)
    return low, high


def _named(tree: Hierarchy, regions: Index, levels: Index, leaf: Index) -> Members:
    """The names of the nodes on these levels above these leaves."""
    width = len(tree.leaves)
    nodes, of = np.unique(levels * width + np.stack(tree.maps)[levels, leaf], return_inverse=True)
    twofold = {*tree.twofold()}
    called = [_called(tree, *divmod(node, width), twofold) for node in nodes.tolist()]
    stands = {name: many for names in called for name, many in names.items()}
    names = sorted(stands)
    place = {name: at for at, name in enumerate(names)}
    each, first = np.array([len(one) for one in called]), np.array([place[name] for one in called for name in one])
    starts, repeated = (np.cumsum(each) - each)[of], np.repeat(np.arange(of.size), each[of])
    within = np.arange(repeated.size) - np.repeat(np.cumsum(each[of]) - each[of], each[of])
    cells = np.unique(regions[repeated] * len(names) + first[starts[repeated] + within])
    return Members(names, np.array([stands[name] for name in names]), cells)


def _called(tree: Hierarchy, level: int, node: int, twofold: Collection[str]) -> dict[str, int]:
    """What a node is called in a set, and how many leaves each of these names stands for."""
    label = tree.labels[level][node]
    below = np.flatnonzero(tree.maps[level] == node).tolist()
    leaves = sorted(tree.leaves[at] for at in below)
    if label == set_label(leaves) or label in twofold:
        return dict.fromkeys(leaves, 1)
    return {label: int(tree.covered(level)[node])}
