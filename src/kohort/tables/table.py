"""A table held as dictionary-encoded text columns: what `io` reads and the local engine counts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kohort.errors import HierarchyError, InputError
from kohort.errors.display import Summary, many
from kohort.system.workspace import tallied
from kohort.tables.dataset import Values

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import polars as pl

    from kohort.arrays import Counts, Mask, Numbers
    from kohort.errors.display import Rows
    from kohort.system.workspace import Workspace
    from kohort.tables.notation import Notation

#: For each cell of a column, which of the distinct values it holds: (n,).
CellCodes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]

#: Distinct values of a column, as text: (v,).
Texts: TypeAlias = "pl.Series"


@dataclass(frozen=True, slots=True)
class Labels:
    """What a statistics file says of a column, to say it again in another one.

    Attributes:
        title: The label of the variable; empty where it has none.
        codes: The number, or in SPSS the text, that stands for each value label. A column with codes holds the labels.
    """

    title: str = ""
    codes: Mapping[str, float | str] = field(default_factory=dict[str, "float | str"])

    @property
    def of_texts(self) -> bool:
        """Whether the codes are texts."""
        return any(isinstance(code, str) for code in self.codes.values())


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class Column(Summary):
    """One column: its distinct values as text, and for every record which of them it holds.

    Attributes:
        name: The column's name.
        values: (v,) String series of distinct values, in no promised order; at most one is null, which
            only a typed source (Parquet, Arrow, a frame) can hold. Every value occurs in some record.
        codes: (n,) index into `values`, the smallest of uint8, uint16, uint32 that fits.
        dtype: The source's type when it was typed (`pl.Int64` of a Parquet column), to give the same type
            back for cells that stay as they are; `pl.String` for text sources.
        labels: Of a column read from a statistics file, what it says of it; `None` where it says nothing.
        fault: Why its cells were not read, so that it has none, or cannot be used; `None` where they can.
        notation: How its numbers, which are plain here, are written in the source; `None` where they are plain there.
    """

    name: str
    values: pl.Series
    codes: CellCodes
    dtype: pl.DataType
    labels: Labels | None = None
    fault: InputError | None = None
    notation: Notation | None = None

    def _shown(self) -> tuple[str, Rows]:
        return f"Column {self.name}", [("Records", f"{self.codes.size:,}"), ("Values", f"{len(self.values):,}")]

    @property
    def written(self) -> pl.Series:
        """(v,) the values as a release has them, in a series without a name, which polars would take for a pattern."""
        return (self.values if self.notation is None else self.notation.write(self.values)).alias("")

    def counts(self) -> Counts:
        """(v,) records with each value."""
        return tallied(self.codes, len(self.values))

    def cells(self) -> pl.Series:
        """(n,) the text of each cell."""
        return self.values.gather(self.codes)

    def written_cells(self) -> pl.Series:
        """(n,) the text of each cell as a release has it."""
        return self.written.gather(self.codes)

    def take(self, rows: Numbers) -> Column:
        """The cells of some records."""
        codes = self.codes.take(rows)
        held = np.bincount(codes, minlength=len(self.values)).astype(np.bool_)
        places = np.cumsum(held) - 1
        values = self.values.filter(held)
        return replace(self, values=values, codes=narrow(places.take(codes), len(values)))

    def absent(self, missing: Collection[str]) -> Mask:
        """(v,) which values mean that there is none: null, the empty text and these."""
        return self.values.fill_null("").is_in(["", *missing]).to_numpy()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(Summary):
    """Columns of equal length, in the source's order.

    Attributes:
        columns: The columns.
        records: Their length.
        notes: What its reader noticed of the text that it was read from.
        separator: What stood between cells there; empty where nothing did.
    """

    columns: tuple[Column, ...]
    records: int
    notes: tuple[str, ...] = ()
    separator: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def notations(self) -> dict[str, Notation]:
        """How numbers of the source are written, by column, where they are not plain."""
        return {column.name: column.notation for column in self.columns if column.notation is not None}

    def _shown(self) -> tuple[str, Rows]:
        return "Table", [("Records", f"{self.records:,}"), ("Columns", ", ".join(self.names))]

    def distinct(self, name: str) -> Values:
        """The distinct values of a column, and the records with each."""
        return Values(self[name].values, self[name].counts())

    def head(self) -> Table:
        """The columns, with all their values and without a record."""
        return self.part(slice(0, 0))

    def block(self, some: slice) -> list[CellCodes]:
        """The cells of some records, by column."""
        return [column.codes[some] for column in self.columns]

    def part(self, some: slice) -> Table:
        """Some records, one after another, of columns with all their values; nothing is copied."""
        columns = tuple(replace(one, codes=one.codes[some]) for one in self.columns)
        return Table(columns, some.stop - some.start)

    def collect(self) -> Table:
        """The table itself: it is in memory."""
        return self

    def needing(self, names: Collection[str]) -> Table:
        """The table, once these columns are known to be readable; the cells of others are missing where they are not.

        Raises:
            InputError: some of them cannot be read; all of these are named.
        """
        faults = [one.fault for one in self.columns if one.fault is not None and one.name in names]
        if faults:
            raise all_of(faults)
        return replace(self, columns=tuple(replace(one, fault=None) for one in self.columns))

    def take(self, rows: Numbers) -> Table:
        """Some of the records, in this order."""
        return Table(tuple(column.take(rows) for column in self.columns), rows.size)

    def __getitem__(self, name: str) -> Column:
        """The column called `name`; `KeyError` when there is none, `InputError` when it cannot be read."""
        for column in self.columns:
            if column.name == name:
                if column.fault is not None:
                    raise all_of([column.fault])
                return column
        raise KeyError(name)


def room_for(records: int, values: int, workspace: Workspace) -> CellCodes:
    """Room for the codes of so many records with so many values, in the smallest unsigned type that holds them."""
    if values <= 1 << 8:
        return workspace.empty(records, np.uint8)
    return workspace.empty(records, np.uint16) if values <= 1 << 16 else workspace.empty(records, np.uint32)


def narrow(codes: NDArray[np.integer], values: int) -> CellCodes:
    """`codes` below `values` in the smallest unsigned type that holds them.

    >>> narrow(np.array([0, 299]), 300).dtype
    dtype('uint16')
    """
    if values <= 1 << 8:
        return codes.astype(np.uint8, copy=False)
    return codes.astype(np.uint16, copy=False) if values <= 1 << 16 else codes.astype(np.uint32, copy=False)


def all_of(faults: Sequence[InputError]) -> InputError:
    """One error that says what each of several says."""
    if len(faults) == 1:
        return type(faults[0])(faults[0].what, where=faults[0].where, hint=faults[0].hint, of_columns=True)
    told = "; ".join(f"{fault.where}: {fault.what}" for fault in faults)
    hints = " / ".join(dict.fromkeys(fault.hint for fault in faults if fault.hint))
    kind = HierarchyError if all(isinstance(fault, HierarchyError) for fault in faults) else InputError
    return kind(told, where=many(len(faults), "column"), hint=hints, of_columns=True)
