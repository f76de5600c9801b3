"""Generalization hierarchies: how far the values of an attribute may be generalized, level by level.

Level 0 holds the leaves, which are the values themselves; each node of a level has one parent on the
next; the last level holds the root alone. Leaves are kept depth-first, so that every node covers a
contiguous range of them, and a hierarchy is no more than labels and, per level, an array of parents.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from kohort.errors import CallError
from kohort.errors.display import NONCHARACTER, Summary, many
from kohort.schema.nesting import CHUNK, SUPPRESSED, Keep, Pad, counted_leaves, fault, nest
from kohort.schema.numbers import exact, is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from kohort.arrays import Counts, Index
    from kohort.errors.display import Rows

#: What to do about a node or a value that is called like the root and is not below a root of this name.
_ONLY_ROOT = (
    f"{SUPPRESSED} means fully generalized: from such a label on, all labels of a row are {SUPPRESSED}, and none is a "
    f"leaf. If {SUPPRESSED} means a missing value in the table, declare it: --missing-token '{SUPPRESSED}'"
)

#: What a UTF-8 text file cannot hold, or no text: NUL, half of a surrogate pair, and what is no character.
_unwritable = re.compile("[\0\ud800-\udfff" + NONCHARACTER.pattern[1:]).search
_REMOVED = "remove NUL characters, halves of surrogate pairs and what is no character, such as U+FFFE"


__all__ = ["SUPPRESSED", "Hierarchy", "fault"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hierarchy(Summary):
    """A tree over the values of one attribute, all of whose leaves lie at the same depth.

    A hierarchy that does not nest cannot be built: a node has one parent, labels are distinct on each level, and
    siblings are neighbours. Two hierarchies are equal if their labels and parents are.

    Args:
        labels: `labels[level][node]`, the text of each node; `labels[0]` are the leaves.
        parents: `parents[level][node]`, index of the node's parent on the next level; never decreasing.
        name: The attribute, for messages.
        data_dependent: Whether the nodes were chosen by looking at records, as frequencies do.
        changes: The changes that made a file nest, one sentence each; they are in the certificate.

    Attributes:
        maps: `maps[level][leaf]`, index of the leaf's ancestor on the level; `maps[0]` counts up.
        index: The leaf index of each leaf's text.

    Raises:
        HierarchyError: the parts do not make a hierarchy.

    >>> cities = Hierarchy.from_rows([["Milano", "Nord", "*"], ["Bari", "Sud", "*"], ["Torino", "Nord", "*"]])
    >>> cities.leaves
    ('Milano', 'Torino', 'Bari')
    >>> cities.labels[1], cities.maps[1].tolist()
    (('Nord', 'Sud'), [0, 0, 1])
    """

    labels: tuple[tuple[str, ...], ...]
    parents: tuple[Index, ...]
    name: str = field(default="", kw_only=True)
    data_dependent: bool = field(default=False, kw_only=True)
    changes: tuple[str, ...] = field(default=(), kw_only=True)
    maps: tuple[Index, ...] = field(init=False)
    index: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Copy the parents, refuse what is no hierarchy, derive the maps."""
        try:
            parents = tuple(np.array(parent, dtype=np.int64) for parent in self.parents)
        except (TypeError, ValueError):
            what, hint = "the parents are not lists of numbers", 'write Hierarchy.from_rows([["Bari", "Sud", "*"], …])'
            raise CallError(what, where="Hierarchy", hint=hint) from None
        _check_shape(self.labels, parents, self.name)
        maps = [np.arange(len(self.labels[0]), dtype=np.int64)]
        for parent in parents:
            maps.append(parent[maps[-1]])
        for array in (*parents, *maps):
            array.setflags(write=False)
        object.__setattr__(self, "parents", parents)
        object.__setattr__(self, "maps", tuple(maps))
        object.__setattr__(self, "index", {leaf: at for at, leaf in enumerate(self.labels[0])})
        for level in range(self.height + 1):
            _check_labels(self, level)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Sequence[str]],
        *,
        name: str = "",
        root: str = "",
        pad: Pad = False,
        keep: Keep = "",
        data_dependent: bool = False,
    ) -> Hierarchy:
        """The hierarchy whose rows name each leaf and then its ancestors, from level 1 to the root.

        Siblings keep the order in which they first appear. Reads the rows once, in time proportional
        to their cells.

        Args:
            rows: One row for each leaf.
            name: The attribute, for messages.
            root: Label of a root to add where the rows do not end in a common one.
            pad: Whether a row may be short. `up` (or `True`) then repeats its last label upward, or the one
                before it where the last is the root of all rows; `down` repeats the leaf.
            keep: Which parent a label keeps that has several: `first` or `last`; else it is an error.
            data_dependent: Whether the nodes were chosen by looking at records.

        Raises:
            HierarchyError: rows of different length, a leaf listed twice or below two parents, a node
                below two parents, no common root, or a label that is empty or `*` where it must not be.

        >>> Hierarchy.from_rows([["Milano", "Nord"], ["Bari", "Sud"]], root="*").labels
        (('Milano', 'Bari'), ('Nord', 'Sud'), ('*',))
        """
        labels, parents, changes = nest(rows, name, root=root, pad=pad, keep=keep)
        return cls(labels, parents, name=name, data_dependent=data_dependent, changes=changes)

    def _shown(self) -> tuple[str, Rows]:
        title = f"Hierarchy of {self.name}" if self.name else "Hierarchy"
        rows = [("Leaves", f"{len(self.leaves):,}"), ("Levels", f"{self.height + 1}")]
        return title, rows + ([("Nodes", "data-dependent")] if self.data_dependent else [])

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values of the domain, depth-first."""
        return self.labels[0]

    @property
    def height(self) -> int:
        """The number of levels above the leaves."""
        return len(self.parents)

    def covered(self, level: int) -> Counts:
        """How many leaves the label of each node of the level stands for: `*` for all, also below the root.

        >>> Hierarchy.from_rows([["a", "1-5", "*"], ["b", "1-5", "*"], ["c", "*", "*"]]).covered(1).tolist()
        [2, 3]
        """
        anything = [label == SUPPRESSED for label in self.labels[level]]
        return np.where(anything, len(self.leaves), np.bincount(self.maps[level]))

    def spans(self, level: int) -> tuple[Index, Index]:
        """The first and the last leaf below each node of the level.

        >>> first, last = Hierarchy.from_rows([["a", "x"], ["b", "y"], ["c", "x"]], root="*").spans(1)
        >>> first.tolist(), last.tolist()
        ([0, 2], [1, 2])
        """
        below = np.bincount(self.maps[level])
        after = np.cumsum(below)
        return after - below, after - 1

    def ancestor(self, low: Index, high: Index) -> tuple[Index, Index]:
        """The lowest node that covers the leaves `low..high`: its level and its index there.

        Works on arrays of equal shape, one pair of leaves at each place.

        >>> ages = Hierarchy.from_rows([["1", "1-2", "*"], ["2", "1-2", "*"], ["3", "3-4", "*"]])
        >>> level, node = ages.ancestor(np.array([0, 0, 1]), np.array([0, 1, 2]))
        >>> level.tolist(), node.tolist()
        ([0, 1, 2], [0, 0, 0])
        """
        level, node, other = np.zeros(low.shape, np.int64), low.astype(np.int64), high.astype(np.int64)
        for parent in self.parents:
            apart = node != other
            level += apart
            node[apart] = parent[node[apart]]
            other[apart] = parent[other[apart]]
        return level, node

    def twofold(self, highest: int | None = None) -> tuple[str, ...]:
        """The labels, up to a level, that stand for several sets of leaves.

        The label of two nodes, one below the other, means the upper one, as where short rows are padded. Not so that of
        a leaf: a city is not the province that is called alike.

        >>> Hierarchy.from_rows([["30", "31", "*"], ["31", "y", "*"]]).twofold()
        ('31',)
        """
        met: dict[str, tuple[int, int]] = {}
        twofold: dict[str, None] = {}
        for level, labels in enumerate(self.labels[: None if highest is None else highest + 1]):
            first, last = self.spans(level)
            for label, low, high in zip(labels, first.tolist(), last.tolist(), strict=True):
                below = met.get(label, (low, high))
                if below != (low, high) and (label in self.index or not low <= below[0] <= below[1] <= high):
                    twofold[label] = None
                met[label] = low, high
        return tuple(twofold)

    def spelled_as(self, values: Collection[str]) -> Hierarchy:
        """The same tree, each leaf that is a number written as these values write it: `20` as `20.0`.

        >>> ages = Hierarchy.from_rows([["20", "20-29"], ["25", "20-29"], ["old", "30-39"]], root="*")
        >>> ages.spelled_as(["20.0", "old", "40.0"]).leaves
        ('20.0', '25', 'old')
        """
        texts = {exact(text): text for text in sorted(values, key=len, reverse=True) if is_numeric_text((text,))}
        absent = {number for number, text in texts.items() if text not in self.index}
        if not absent:
            return self
        of = {leaf: exact(leaf) for leaf in self.leaves if is_numeric_text((leaf,))}
        leaves = tuple(texts[of[leaf]] if of.get(leaf) in absent else leaf for leaf in self.leaves)
        return replace(self, labels=(leaves, *self.labels[1:])) if len({*leaves}) == len(leaves) else self

    def check(self, values: Collection[str]) -> int:
        """How many of the values are no leaf."""
        leaves = self.spelled_as(values).index
        return sum(value not in leaves for value in values)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The rows that `from_rows` reads, in leaf order."""
        for start in range(0, len(self.leaves), CHUNK):
            columns = [
                map(labels.__getitem__, of[start : start + CHUNK].tolist())
                for labels, of in zip(self.labels, self.maps, strict=True)
            ]
            yield from zip(*columns, strict=True)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same labels and parents."""
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self.labels == other.labels and all(map(np.array_equal, self.parents, other.parents))

    def __hash__(self) -> int:
        """Agrees with equality."""
        return hash(self.labels)


# ── Invariants ───────────────────────────────────────────────────────────────────────────────────


def _check_shape(labels: Sequence[Sequence[str]], parents: Sequence[Index], name: str) -> None:
    """Refuse parents that do not lead every node to a single root, siblings side by side."""
    if len(labels) < 2 or len(parents) != len(labels) - 1:  # noqa: PLR2004  leaves and a root
        raise fault("a hierarchy needs leaves and at least one level above them", name)
    if not labels[0]:
        raise fault("a hierarchy needs at least one leaf", name)
    if len(labels[-1]) != 1:
        raise fault(f"{many(len(labels[-1]), 'node')} at the top, but one root is needed", name, len(parents))
    for level, parent in enumerate(parents):
        steps = np.diff(parent)
        ends = parent.shape == (len(labels[level]),) and parent[0] == 0 and parent[-1] == len(labels[level + 1]) - 1
        if not ends or not np.isin(steps, (0, 1)).all():
            raise fault("parents must number the next level's nodes in order, skipping none", name, level)


def _check_labels(hierarchy: Hierarchy, level: int) -> None:
    """Refuse the first kind of fault that labels of the level have, counting the leaves concerned."""
    for what, nodes, hint in _label_faults(hierarchy, level):
        if nodes:
            count = int(np.isin(hierarchy.maps[level], nodes).sum())
            raise fault(f"{counted_leaves(count)} with {what}", hierarchy.name, level, hint=hint)


def _label_faults(hierarchy: Hierarchy, level: int) -> Iterator[tuple[str, list[int], str]]:
    """What may be wrong with labels, the nodes where it is, and what to do about it."""
    labels = hierarchy.labels[level]
    other = cast("Sequence[object]", labels)  # what a caller without a type checker may have passed
    yield "a label that is not text", [at for at, label in enumerate(other) if not isinstance(label, str)], "quote it"
    unwritable = [at for at, label in enumerate(labels) if _unwritable(label)]
    yield "a label that no text file can hold", unwritable, _REMOVED
    counts = Counter(labels) if len(set(labels)) < len(labels) else Counter[str]()
    shared = [at for at, label in enumerate(labels) if counts[label] > 1]
    yield "a label that another node of the level has", shared, "labels must differ on each level"
    if level < hierarchy.height:
        parents: list[int] = hierarchy.parents[level].tolist() if level else []
        above = [hierarchy.labels[level + 1][at] for at in parents]
        marked = [at for at, label in enumerate(labels) if label == SUPPRESSED and above[at : at + 1] != [SUPPRESSED]]
        yield f"the label {SUPPRESSED}", marked, _ONLY_ROOT
    empty = [at for at, label in enumerate(labels) if not label]
    if level > 0 and empty and (level == hierarchy.height or not _is_missing(hierarchy, level, empty[0])):
        yield "an empty label", empty, "only a missing value's own labels below the root may be empty"


def _is_missing(hierarchy: Hierarchy, level: int, node: int) -> bool:
    """Whether the node covers just the leaf that stands for a missing value."""
    return np.flatnonzero(hierarchy.maps[level] == node).tolist() == [hierarchy.index.get("")]
