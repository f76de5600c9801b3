"""What a set of names prints where they have a tree: never a name that one person of the region alone has.

Such a name is released as its branch: the least node above that holds another value of the table, whoever has it. So a
set tells of a single person no more than a node of the tree, or a cell of a grid, would. A branch is called by its
leaves where its own label lists these or stands for others too, and by its label otherwise.

The least node that holds two people of the region would hide more, and costs far more: a class mostly holds single
people from all over a tree (Adult, k = 10: 16.5 % lost instead of 12.8; cities of a register 54 instead of 11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.core.frequency import people_in
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
    owners = None if people is None else people[recoding.tuples]
    regions, held = np.divmod(cells, len(domain))
    alone = (people_in(of, cells.size, recoding.counts, owners) == 1) & (held != domain.missing)
    alone &= np.bincount(regions)[regions] > 1
    leaf, levels = domain.leaves[held], np.zeros(cells.size, np.int64)
    values = np.delete(domain.leaves, [domain.missing] if domain.missing >= 0 else [])
    for level in range(1, tree.height + 1):
        if not alone.any():
            break
        above, labels = tree.maps[level], tree.labels[level]
        able = np.bincount(above[values], minlength=len(labels)) > 1
        able &= np.array([label != SUPPRESSED for label in labels])  # which goes with nothing
        able |= level == tree.height
        _, of = np.unique(regions * len(labels) + above[leaf], return_inverse=True)
        joined = able[above[leaf]] & (np.bincount(of, alone)[of] > 0)
        levels[joined], alone = level, alone & ~joined
    return _named(tree, regions, levels, leaf)


def _named(tree: Hierarchy, regions: Index, levels: Index, leaf: Index) -> Members:
    """The names of the nodes on these levels above these leaves."""
    width = len(tree.leaves)
    nodes, of = np.unique(levels * width + np.stack(tree.maps)[levels, leaf], return_inverse=True)
    twofold = {*tree.twofold()}
    called = [_called(tree, node // width, node % width, twofold) for node in nodes.tolist()]
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
