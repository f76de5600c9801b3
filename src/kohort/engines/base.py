"""What an engine is: the few duties that touch records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index, Shares
    from kohort.core.frequency import FrequencySet
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.engines.table import Table
    from kohort.schema import Schema
    from kohort.schema.domain import Domain


@dataclass(frozen=True, slots=True, eq=False)
class Recoded:
    """The records of a release, without the suppressed ones, in the order of their own content.

    Attributes:
        table: m released records: quasi-identifiers as labels, the other columns unchanged, identifying ones gone.
        lineage: (m,) the input record that each released record was. Never released: verification checks it.
        lost: (c,) the mean loss of a record's quasi-identifiers in each class, in the order of the classes.
    """

    table: Table
    lineage: Index
    lost: Shares


class Engine(Protocol):
    """Holds a table; counts its tuples and recodes its records."""

    @property
    def records(self) -> int:
        """How many records the table has."""
        ...

    @property
    def schema(self) -> Schema:
        """The schema over the table's columns; round grids are steps, since the values are known."""
        ...

    @property
    def domains(self) -> tuple[Domain, ...]:
        """(d,) the domain of each quasi-identifier, in schema order."""
        ...

    @property
    def suppressed(self) -> int:
        """Records that the schema suppresses before any search, for their missing values."""
        ...

    @property
    def population(self) -> FrequencySet | None:
        """The tuples of the population table in the codes of the domains; `None` without one."""
        ...

    def count(self, sensitive: Sequence[str] = (), *, distinct: bool = False) -> FrequencySet:
        """The frequency set over the quasi-identifiers and the `sensitive` attributes; one group-by.

        With a person key no tuple is of two people.

        `distinct` asks for tuples that really are distinct, also where grouping saves nothing.
        """
        ...

    def recode(self, recoding: Recoding, classes: RegionClasses) -> Recoded:
        """Apply `recoding`, whose classes are `classes`, to the records that the last `count` counted.

        Records that it puts in no region are suppressed: nothing of them is left in the table, no value either.
        """
        ...
