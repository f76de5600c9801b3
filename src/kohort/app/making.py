"""How a column's hierarchy is to be made, as the forms of the desk ask for it; and what is shown of the one made."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from kohort.app.answers import Fault, faults_in
from kohort.app.trees import Complete, Edit, lacking
from kohort.errors import KohortError
from kohort.schema import Attribute, Label, Role, Scale
from kohort.schema.domain.readings import check_readings
from kohort.schema.domain.values import leaf_records
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
from kohort.schema.numbers import exact, is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kohort.schema.hierarchies import Level
    from kohort.schema.hierarchy import Hierarchy
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


class Said(NamedTuple):
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


class Sent(NamedTuple):
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

    base: Said
    edits: tuple[Edit | Complete, ...]

    def over(self, values: Values) -> Hierarchy:
        """The hierarchy afterwards."""
        made = self.base.over(values)
        for one in self.edits:
            made = one.over(made, values.counts) if isinstance(one, Complete) else one.of(made)
        return made


Making = Said | Cuts | Prefixes | Sent | Edited


class Made(NamedTuple):
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


def made_over(making: Making, values: Values, scale: str) -> Made:
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
    return Made(
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
