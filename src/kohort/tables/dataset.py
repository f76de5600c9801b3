"""What everything outside an engine knows of records, and of those that it releases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kohort.errors.display import OPEN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import polars as pl

    from kohort.arrays import Counts, Index, Numbers, Shares
    from kohort.core.uniques import Singling
    from kohort.perturbation.effect import Effect
    from kohort.tables.table import Column, Table


class Values(NamedTuple):
    """The distinct values of a column.

    Attributes:
        texts: (v,) String series, in no promised order; at most one is null.
        counts: (v,) records with each.
    """

    texts: pl.Series
    counts: Counts


class Dataset(Protocol):
    """Records that an engine holds, in memory or elsewhere.

    An engine makes datasets and takes only its own. `kohort.tables.table.Table` is that of the local engine.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        ...

    @property
    def records(self) -> int:
        """How many records there are."""
        ...

    def distinct(self, name: str) -> Values:
        """The distinct values of a column; `KeyError` when there is none of that name."""
        ...

    def collect(self) -> Table:
        """The records in this process's memory: of a table itself, at no cost; of others all of them are fetched."""
        ...


class CellsByClass(NamedTuple):
    """The cells of a column in each class of a release.

    Attributes:
        classes: (g,) the class of each group.
        column: (g,) its cell.
        counts: (g,) its records.
    """

    classes: Index
    column: Column
    counts: Counts


class ReleasedGroups(Protocol):
    """What figures ask of released records that are in nobody's memory."""

    @property
    def people(self) -> Index | None:
        """(g,) whose each group that the others answer with is; `None` without a person key."""
        ...

    def cells(self, name: str) -> Iterator[CellsByClass]:
        """The cells of a column that released records had, of some whole classes at a time.

        They have the same values, whatever the classes.
        """
        ...

    def singled_out(self, names: Sequence[str]) -> tuple[Singling, ...]:
        """Whom columns that are not generalized single out, and pairs of them."""
        ...

    def together(self, sets: Sequence[Sequence[str]]) -> tuple[Singling, ...]:
        """Whom each of some sets of columns singles out, of which only the second has generalized ones."""
        ...

    def witnesses(self, names: Sequence[str], most: int) -> tuple[Index, Table]:
        """Some of the released records, so many at most: (w,) the class of each, and cells as they were read."""
        ...

    @property
    def labels(self) -> Table:
        """(c,) the labels of each class."""
        ...


@dataclass(frozen=True, slots=True)
class Linked:
    """What the pseudonyms of a column tell without the key.

    Attributes:
        column: Its name.
        records: Records that have a pseudonym.
        linked: Of those, how many share it with another one: they are known to be of one person.
    """

    column: str = field(metadata=OPEN)
    records: int = field(metadata={"public": "records"})
    linked: int


def linked_by(table: Table, columns: Collection[str], *, missing: Collection[str]) -> tuple[Linked, ...]:
    """How far the columns link records of a table."""
    held = (table[name] for name in table.names if name in columns)
    counts = ((one.name, one.counts()[~one.absent(missing)]) for one in held)
    return tuple(Linked(name, int(each.sum()), int(each[each > 1].sum())) for name, each in counts)


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedRecords:
    """Released records, and the witness for verification of where they come from.

    Attributes:
        data: m records in the order of their own content: quasi-identifiers as labels, identifying columns gone.
        source: The records that entered.
        whole: All records, as read.
        lineage: (m,) the record of `source` that each released one was. Never published.
        entered: (n,) where each record of `source` stands in `whole`; `None` where all entered.
        coarsened: The columns that were changed before the search; `None` where there are none.
        lost: (c,) the mean loss of a record's quasi-identifiers in each class, in the order of `data`.
        effects: What perturbations did.
        linked: How far pseudonyms link records.
        groups: Of records that are in nobody's memory, what figures ask; else `None`.
    """

    data: Dataset
    source: Dataset
    whole: Dataset
    lineage: Numbers
    entered: Index | None
    coarsened: Dataset | None
    lost: Shares
    effects: tuple[Effect, ...] = ()
    linked: tuple[Linked, ...] = ()
    groups: ReleasedGroups | None = None
