"""What a set of names prints: never a name that one person of the region alone has, without another one in its place.

Where names have a tree, such a name is released as its branch: the least node above that holds another value of the
table, whoever has it. Where they have none, its companions stand beside it: the values that it is in a group with,
whoever has them (`kohort.schema.hierarchies.likeness.companions`). All values of a group stand for one another, so a
set tells of a single person no more than a node of the tree, or a cell of a grid, would. A branch is called by its
leaves where its own label lists these or stands for others too, and by its label otherwise.

The least node that holds two people of the region would hide more, and costs far more: a class mostly holds single
people from all over a tree (Adult, k = 10: 16.5 % lost instead of 12.8; cities of a register 54 instead of 11).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.core.frequency import people_in
from kohort.schema.attribute import Label, Scale
from kohort.schema.hierarchies.likeness import companions, parts_of, table_of
from kohort.schema.hierarchy import SUPPRESSED
from kohort.schema.nesting import set_label
from kohort.system.workspace import HEAP, blocks, distinct, ordinals

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask
    from kohort.core.frequency import FrequencySet
    from kohort.core.recoding import Multidimensional
    from kohort.schema.domain import Domain
    from kohort.schema.hierarchies.likeness import Table
    from kohort.schema.hierarchy import Hierarchy
    from kohort.system.workspace import Workspace

    #: Of two quasi-identifiers, and codes of the first, the codes that records with those have, and how many they are.
    Joint: TypeAlias = Callable[[int, int, Index], tuple[NDArray[np.integer], NDArray[np.integer], Counts]]


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
    cells, alone = _alone(domain, recoding, codes, people)
    regions, held = np.divmod(cells, len(domain))
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


def accompanied(
    domain: Domain, recoding: Multidimensional, codes: NDArray[np.integer], people: Index | None, workspace: Workspace
) -> Index:
    """Ascending: a region times v, plus a code that its set prints, where names have companions.

    Args:
        domain: What the codes mean.
        recoding: The regions.
        codes: (m,) the attribute's code in each piece.
        people: (t,) whose each tuple is; `None` where each record is a person.
        workspace: Where an array as long as the pieces lives.

    Cost: a sort of the pieces, and one of the regions' values.
    """
    cells, alone = _alone(domain, recoding, codes, people, workspace)
    regions, held = np.divmod(cells[alone], len(domain))
    order = np.argsort(domain.companions, kind="stable")
    starts = np.searchsorted(domain.companions[order], np.arange(int(domain.companions.max(initial=-1)) + 2))
    group = domain.companions[held]
    each = np.diff(starts, append=starts[-1:])[group]  # none of who has no companion
    beside = order[np.repeat(starts[group], each) + ordinals(each)]
    return distinct(np.concatenate([cells, np.repeat(regions, each) * len(domain) + beside]))


def _alone(
    domain: Domain,
    recoding: Multidimensional,
    codes: NDArray[np.integer],
    people: Index | None,
    workspace: Workspace = HEAP,
) -> tuple[Index, Mask]:
    """Ascending: a region times v, plus a code that occurs; and which of them one person has, beside others' codes."""
    pieces, values = codes.size, len(domain)
    if people is None:
        keys = workspace.empty(pieces, np.int64)
        for some in blocks(pieces):
            keys[some] = recoding.regions[some].astype(np.int64) * values + codes[some]
            keys[some] = 2 * keys[some] + (recoding.counts[some] > 1)
        keys.sort()
        first = np.append(np.diff(keys // 2, prepend=-1).astype(np.bool_), np.ones(1, np.bool_))
        cells, alone = keys[first[:-1]], (first[:-1] & first[1:])[first[:-1]]
        cells, alone = cells // 2, alone & (cells % 2 == 0)
    else:
        cells, of = np.unique(recoding.regions.astype(np.int64) * values + codes, return_inverse=True)
        alone = people_in(of, cells.size, recoding.counts, people[recoding.tuples]) == 1
    regions, held = np.divmod(cells, values)
    return cells, alone & (held != domain.missing) & (np.bincount(regions)[regions] > 1)


def companions_in(frequency: FrequencySet, domains: Sequence[Domain]) -> tuple[Domain, ...]:
    """The domains of a frequency set, with the companions of their names where a schema asks for them.

    Cost: for each column of such names a pass over the tuples with every other column.
    """
    return with_companions(
        domains,
        lambda column: frequency.records_by_code(column, len(domains[column])),
        lambda column, other, _: (frequency.quasi[:, column], frequency.quasi[:, other], frequency.counts),
    )


def with_companions(domains: Sequence[Domain], counts_of: Callable[[int], Counts], joint: Joint) -> tuple[Domain, ...]:
    """The same from what is counted of one or two of the (d,) quasi-identifiers.

    Args:
        domains: (d,) of the quasi-identifiers.
        counts_of: (v,) how many records have each code of one of them.
        joint: Codes of two of them that records have, and how many: at least those with some codes of the first.
    """
    if not any(map(_has_companions, domains)):
        return tuple(domains)
    counts = [*map(counts_of, range(len(domains)))]
    parts = [*map(_parts, domains, counts)]

    def tables(column: int, kept: Index) -> list[Table]:
        return [
            _table(joint(column, other, kept), len(domains[column]), kept, of)
            for other, of in enumerate(parts)
            if other != column
        ]

    return tuple(
        replace(one, companions=companions(one.texts, held, partial(tables, column))) if _has_companions(one) else one
        for column, (one, held) in enumerate(zip(domains, counts, strict=True))
    )


def _parts(domain: Domain, counts: Counts) -> Index:
    """(v,) which part of another column each code is in."""
    numbers = domain.scale is Scale.NUMERIC
    ranked = np.arange(len(domain)) if numbers else np.argsort(-counts, kind="stable")
    return parts_of(ranked, counts, numbers=numbers)


def _has_companions(domain: Domain) -> bool:
    """Whether its sets print a name that one person alone has beside another one."""
    return domain.attribute.label is Label.COMPANIONS and domain.label is Label.SET and domain.hierarchy is None


def _table(
    joint: tuple[NDArray[np.integer], NDArray[np.integer], Counts], values: int, kept: Index, parts: Index
) -> Table:
    """These values by the parts of another column, from the codes of both."""
    place = np.full(values, -1)
    place[kept] = np.arange(kept.size)
    width = int(parts.max()) + 1
    found = np.zeros((kept.size, width), np.int64)
    codes, others, counts = joint
    for some in blocks(codes.size):
        at = place[codes[some]]
        inside = np.flatnonzero(at >= 0)
        found += table_of(at[inside], kept.size, parts[others[some][inside]], width, counts[some][inside])
    return found


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
    cells = np.unique(regions[repeated] * len(names) + first[starts[repeated] + ordinals(each[of])])
    return Members(names, np.array([stands[name] for name in names]), cells)


def _called(tree: Hierarchy, level: int, node: int, twofold: Collection[str]) -> dict[str, int]:
    """What a node is called in a set, and how many leaves each of these names stands for."""
    label = tree.labels[level][node]
    below = np.flatnonzero(tree.maps[level] == node).tolist()
    leaves = sorted(tree.leaves[at] for at in below)
    if label == set_label(leaves) or label in twofold:
        return dict.fromkeys(leaves, 1)
    return {label: int(tree.covered(level)[node])}
