"""How a column's hierarchy is to be made, as the forms of the desk ask for it; and what is shown of the one made."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from kohort.desk.answers import Fault, faults_in
from kohort.errors import KohortError, UsageError
from kohort.schema import Attribute, Label, Role, Scale
from kohort.schema.domain import leaf_records
from kohort.schema.domain.readings import check_readings
from kohort.schema.hierarchies import (
    HeldFile,
    cuts,
    findings,
    from_spec,
    held_file,
    is_builder,
    levels,
    mask,
    read_held,
    read_hierarchy,
    suppress,
)
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.numbers import exact, is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from kohort.schema.hierarchies import Level
    from kohort.schema.nesting import Keep, Pad
    from kohort.tables.table import Column


#: Leaves of the largest hierarchy that is edited by hand.
MOST_EDITED: Final = 500

#: Whole numbers that become leaves where cut points name a domain: as many as people list.
MOST_LISTED: Final = 2_000


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a column that a hierarchy is to have.

    Attributes:
        column: The column.
        missing: The texts that mean "no value".
        folder: What paths are relative to.
        held: Files that are still to be written there.
        counts: How many records have each value; a missing one is none.
    """

    column: Column
    missing: frozenset[str]
    folder: Path
    held: Sequence[HeldFile] = ()
    counts: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Count the values."""
        counted = zip(self.column.values.to_list(), self.column.counts().tolist(), strict=True)
        counts = {value: count for value, count in counted if value and value not in self.missing}
        object.__setattr__(self, "counts", counts)


class JobHierarchy(NamedTuple):
    """What a job file says: a builder, or a file; where it says nothing, all values or nothing."""

    text: str

    def over(self, values: Values) -> Hierarchy:
        """The hierarchy over these values."""
        name, counts = values.column.name, values.counts
        if not self.text:
            return suppress(counts, name=name)
        if is_builder(self.text, name=name, folder=values.folder):
            return from_spec(self.text, list(counts), name=name, counts=counts)
        held = next((one for one in values.held if one.name == self.text), None)
        return read_hierarchy(values.folder / self.text, name=name) if held is None else read_held(held, name=name)


class Cuts(NamedTuple):
    """Ranges between cut points, which no builder can say.

    Attributes:
        levels: The cut points of each level, as they are written.
        open_ends: Whether values outside have ranges of their own.
    """

    levels: tuple[tuple[str, ...], ...]
    open_ends: bool

    def over(self, values: Values) -> Hierarchy:
        """The hierarchy over these values; of a domain that people could list, over all its whole numbers."""
        leaves = [*values.counts]
        ends = [one for level in self.levels[:1] for one in (level[:1] + level[-1:])]
        if not self.open_ends and is_numeric_text([*leaves, *ends]) and ends:
            low, high = (exact(one) for one in ends)
            whole = all(one.denominator == 1 for one in map(exact, [*leaves, *ends]))
            listed = range(int(low), int(high)) if whole and high - low <= MOST_LISTED else range(0)
            spelled = {exact(one) for one in leaves}
            leaves += [str(one) for one in listed if one not in spelled]
        return cuts(leaves, self.levels, open_ends=self.open_ends, name=values.column.name)


class Prefixes(NamedTuple):
    """Codes of which some characters are masked on each level, which no builder can say."""

    side: Literal["left", "right"]
    steps: tuple[int, ...]
    fill: str

    def over(self, values: Values) -> Hierarchy:
        """The hierarchy over these values."""
        return mask(values.counts, side=self.side, steps=self.steps, fill=self.fill, name=values.column.name)


class UploadedFile(NamedTuple):
    """A file that somebody sent."""

    file: HeldFile
    pad: Pad
    keep: Keep
    root: str
    complete: bool

    def over(self, values: Values) -> Hierarchy:
        """The hierarchy in the file."""
        made = read_held(self.file, name=values.column.name, pad=self.pad, keep=self.keep, root=self.root)
        return Complete().over(made, values.counts) if self.complete else made


class Edited(NamedTuple):
    """What becomes of a hierarchy."""

    base: JobHierarchy
    edits: tuple[Edit | Complete, ...]

    def over(self, values: Values) -> Hierarchy:
        """The hierarchy afterwards."""
        made = self.base.over(values)
        for one in self.edits:
            made = one.over(made, values.counts) if isinstance(one, Complete) else one.of(made)
        return made


Making = JobHierarchy | Cuts | Prefixes | UploadedFile | Edited


class HierarchyView(NamedTuple):
    """A hierarchy as it is shown.

    Attributes:
        levels: In figures, from the leaves to the root; losses are means over the records.
        example: The most frequent value, and what it is generalized to on each level.
        notes: What its reader changed, and what looks wrong in it.
        file: What a file has that holds it.
        numeric: Whether the column holds numbers.
        lacking: How many values of the column are no leaf.
        labels: Its nodes, level by level; empty of one that is too large to edit.
        parents: The parent of each node.
        faults: Why a job cannot have it.
    """

    levels: tuple[Level, ...]
    example: tuple[str, ...]
    notes: tuple[str, ...]
    file: HeldFile
    numeric: bool
    lacking: int
    labels: tuple[tuple[str, ...], ...] = ()
    parents: tuple[tuple[int, ...], ...] = ()
    faults: tuple[Fault, ...] = ()


def made_over(making: Making, values: Values, scale: str) -> HierarchyView:
    """Make a hierarchy, and judge it as a run would.

    Args:
        making: How.
        values: Of what.
        scale: What the job says of the column's scale; empty for nothing.
    """
    column, made = values.column, making.over(values)
    kind = Scale.CATEGORICAL if scale == Scale.CATEGORICAL else None
    attribute = Attribute(column.name, Role.QUASI, kind, made, label=Label.ANCESTOR)
    faults: tuple[Fault, ...] = ()
    records = np.array([values.counts.get(leaf, 0) for leaf in made.leaves], np.int64)
    try:
        domain, _ = leaf_records(attribute, column.values.to_list(), column.counts(), values.missing)
        check_readings(domain, values.missing)
    except KohortError as error:
        faults = faults_in(error)
    small = len(made.leaves) <= MOST_EDITED
    leaf = int(records.argmax())
    return HierarchyView(
        levels(made, records if records.any() else None),
        next(islice(made.rows(), leaf, None)),
        (*made.changes, *findings(made)),
        held_file(made, column.name),
        kind is None and is_numeric_text(list(values.counts)),
        len(lacking(made, values.counts)),
        made.labels if small else (),
        tuple(tuple(one.tolist()) for one in made.parents) if small else (),
        faults,
    )


# --- edits of a hierarchy, each of which makes another one ------------------------------------------------------------


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
            raise UsageError("no group is chosen for the ticked values", hint="choose a group, or name a new one")
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
