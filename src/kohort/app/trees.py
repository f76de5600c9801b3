"""Edits of a hierarchy, each of which makes another one: what is no hierarchy is refused in the words of the schema."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from kohort.errors import UsageError
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.numbers import exact, is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

#: A leaf and its ancestors, up to the root.
Row = tuple[str, ...]


class Move(NamedTuple):
    """Nodes of a level, to be put below another node of the next level.

    Attributes:
        level: The level of the nodes.
        nodes: Which of them.
        to: The label of the node on the next level; one that is not there yet is made where the first of them stands.
    """

    level: int
    nodes: tuple[int, ...]
    to: str

    def of(self, tree: Hierarchy) -> Hierarchy:
        """The hierarchy with the nodes there; nodes that lose all below them go.

        Where the next level is the root, a level is added between.

        >>> cities = Hierarchy.from_rows([["Bari", "*"], ["Milano", "*"], ["Torino", "*"]])
        >>> Move(0, (1, 2), "Nord").of(cities).labels
        (('Bari', 'Milano', 'Torino'), ('Bari', 'Nord'), ('*',))
        """
        if not self.to:
            raise UsageError("it is not said where the ticked ones go", hint="choose a group, or name a new one")
        if self.level + 1 == tree.height:
            tree = Insert(self.level).of(tree)
        chosen = frozenset(self.nodes)
        moved = [leaf for leaf, node in enumerate(tree.maps[self.level].tolist()) if node in chosen]
        if not moved:
            raise UsageError("nothing is ticked", hint="tick what belongs together")
        rows, above = list(tree.rows()), self.level + 1
        there = next((row for row in rows if row[above] == self.to), rows[moved[0]])
        for leaf in moved:
            rows[leaf] = (*rows[leaf][:above], self.to, *there[above + 1 :])
        return _nested(rows, tree)


class Rename(NamedTuple):
    """Other labels for nodes of a level."""

    level: int
    labels: tuple[str, ...]

    def of(self, tree: Hierarchy) -> Hierarchy:
        """The hierarchy with these labels.

        >>> cities = Hierarchy.from_rows([["Bari", "Sud", "*"], ["Milano", "Nord", "*"]])
        >>> Rename(1, ("South", "North")).of(cities).labels[1]
        ('South', 'North')
        """
        labels = (*tree.labels[: self.level], self.labels, *tree.labels[self.level + 1 :])
        return Hierarchy(labels, tree.parents, name=tree.name)


class Insert(NamedTuple):
    """A level to be added: above this one, each node of which becomes a group of its own."""

    level: int

    def of(self, tree: Hierarchy) -> Hierarchy:
        """The hierarchy with that level.

        >>> Insert(0).of(Hierarchy.from_rows([["Bari", "*"], ["Milano", "*"]])).labels
        (('Bari', 'Milano'), ('Bari', 'Milano'), ('*',))
        """
        after = self.level + 1
        return _nested((((*row[:after], row[self.level], *row[after:])) for row in tree.rows()), tree)


class Remove(NamedTuple):
    """A level to be taken out.

    Attributes:
        level: The level, between the leaves and the root.
    """

    level: int

    def of(self, tree: Hierarchy) -> Hierarchy:
        """The hierarchy without that level.

        >>> Remove(1).of(Hierarchy.from_rows([["Bari", "Sud", "*"], ["Milano", "Nord", "*"]])).labels
        (('Bari', 'Milano'), ('*',))
        """
        return _nested((((*row[: self.level], *row[self.level + 1 :])) for row in tree.rows()), tree)


class Complete(NamedTuple):
    """Values to be added that the hierarchy lacks, each on its own below the root."""

    def over(self, tree: Hierarchy, values: Iterable[str]) -> Hierarchy:
        """The hierarchy with a leaf for each value.

        >>> Complete().over(Hierarchy.from_rows([["Bari", "Sud", "*"]]), ["Bari", "Roma"]).labels[1]
        ('Sud', 'Roma')
        """
        added = ((*[one] * tree.height, tree.labels[-1][0]) for one in lacking(tree, values))
        return _nested([*tree.rows(), *added], tree)


Edit = Move | Rename | Insert | Remove


def lacking(tree: Hierarchy, values: Iterable[str]) -> list[str]:
    """The values that are no leaf; numbers that are spelled in another way than a leaf are.

    >>> lacking(Hierarchy.from_rows([["1.50", "*"], ["2", "*"]]), ["1.5", "3"])
    ['3']
    """
    known = _numbers(tree.leaves)
    return [one for one in values if one not in tree.index and not _numbers([one]) & known]


def _numbers(texts: Collection[str]) -> set[object]:
    return {exact(one) for one in texts if is_numeric_text((one,))}


def _nested(rows: Iterable[Row], tree: Hierarchy) -> Hierarchy:
    return Hierarchy.from_rows(rows, name=tree.name)


class Group(NamedTuple):
    """A node with what lies directly below it."""

    label: str
    nodes: tuple[tuple[int, str], ...]


def groups_of(labels: Sequence[Row], parents: Sequence[Sequence[int]], level: int) -> tuple[Group, ...]:
    """The nodes above a level, each with its nodes of that level.

    >>> groups_of([("Bari", "Milano"), ("Sud", "Nord"), ("*",)], [(0, 1), (0, 0)], 1)
    (Group(label='*', nodes=((0, 'Sud'), (1, 'Nord'))),)
    """
    starts = [parents[level].index(node) for node in range(len(labels[level + 1]))]
    return tuple(
        Group(label, tuple((node, labels[level][node]) for node in range(first, after)))
        for label, (first, after) in zip(labels[level + 1], pairwise([*starts, len(labels[level])]), strict=True)
    )
