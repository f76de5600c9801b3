"""Does a file meet its privacy models as it stands?"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import SchemaError
from kohort.frequency import ClassProfile, group
from kohort.spelling import even_spelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index
    from kohort.engines.table import Column, Table
    from kohort.models.base import PrivacyModel


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """How one model fares on a table.

    Attributes:
        model: The model's name.
        failing_classes: Classes that do not satisfy it.
        failing_records: Records in those classes.
    """

    model: str
    failing_classes: int
    failing_records: int

    @property
    def met(self) -> bool:
        """Whether every class satisfies the model."""
        return self.failing_classes == 0


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A table's classes as they stand, and how each model fares on them.

    Attributes:
        records: Records of the table.
        sizes: (c,) records of each class by exact text.
        merged: Classes by normalised text (NFKC, case, blanks): fewer where spellings differ.
        findings: One per model.
    """

    records: int
    sizes: Counts
    merged: int
    findings: tuple[Finding, ...]

    @property
    def met(self) -> bool:
        """Whether the table meets every model."""
        return all(finding.met for finding in self.findings)


def check(table: Table, quasi: Sequence[str], models: Sequence[PrivacyModel]) -> Check:
    """Judge the classes of equal `quasi` cells in `table`; a missing value is a value like any other.

    Raises:
        SchemaError: no column is named, or one that the table does not have.
    """
    columns = [named_column(table, name) for name in quasi]
    if not columns:
        raise SchemaError("no quasi-identifying column is named", hint="name at least one with --quasi")
    exact = group(np.stack([column.codes.astype(np.uint32) for column in columns], axis=1))
    profile = ClassProfile(exact.counts)
    findings = tuple(_finding(model, profile) for model in models)
    return Check(table.records, profile.sizes, _merged(columns, exact.first), findings)


def named_column(table: Table, name: str) -> Column:
    """The column called `name`.

    Raises:
        SchemaError: there is none; the message names the nearest.
    """
    if name not in table.names:
        near = " or ".join(get_close_matches(name, table.names))
        raise SchemaError(f"no column is called {name}", hint=near and f"did you mean {near}?")
    return table[name]


def _finding(model: PrivacyModel, profile: ClassProfile) -> Finding:
    fails = ~model.satisfied(profile)
    return Finding(model.name, int(fails.sum()), int(profile.sizes[fails].sum()))


def _merged(columns: Sequence[Column], first: Index) -> int:
    """How many classes there are when spellings of one value count as one."""
    codes = [_spellings(column)[column.codes[first]] for column in columns]
    return group(np.stack(codes, axis=1)).first.size


def _spellings(column: Column) -> NDArray[np.uint32]:
    """(v,) a number for each value; the same for those that are spelled alike."""
    place: dict[str, int] = {}
    texts = [even_spelling(text or "") for text in column.values.to_list()]
    return np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.uint32)
