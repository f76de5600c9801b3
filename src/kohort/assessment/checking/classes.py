"""The classes of a table as it stands."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from kohort.core.frequency import group
from kohort.errors import SchemaError
from kohort.schema.sensitive import even_spelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index
    from kohort.engines.table import Column, Table


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Records with equal cells.

    Attributes:
        columns: (d,) the quasi-identifying columns.
        of: (n,) the class of each record.
        sizes: (c,) records of each class.
        codes: (c, d) the cells of each class, as codes of the columns.
        merged: How many classes there are when spellings of one value count as one.
    """

    columns: tuple[Column, ...]
    of: Index
    sizes: Counts
    codes: Codes
    merged: int

    def cells(self, one: int) -> tuple[str | None, ...]:
        """The cells of a class."""
        pairs = zip(self.columns, self.codes[one].tolist(), strict=True)
        return tuple(column.values[code] for column, code in pairs)


def classes_of(table: Table, quasi: Sequence[str]) -> Classes:
    """The classes of equal cells in the columns called `quasi`.

    Raises:
        SchemaError: no column is named, or one that the table does not have.
    """
    columns = tuple(named_column(table, name) for name in quasi)
    if not columns:
        raise SchemaError("no quasi-identifying column is named", hint="name at least one with --quasi")
    codes = np.stack([column.codes.astype(np.uint32) for column in columns], axis=1)
    exact = group(codes)
    alike = np.stack([_spellings(column)[column.codes[exact.first]] for column in columns], axis=1)
    return Classes(columns, exact.of, exact.counts, codes[exact.first], group(alike).first.size)


def named_column(table: Table, name: str) -> Column:
    """The column called `name`.

    Raises:
        SchemaError: there is none; the message names the nearest.
    """
    if name not in table.names:
        near = " or ".join(get_close_matches(name, table.names))
        raise SchemaError(f"no column is called {name}", hint=near and f"did you mean {near}?")
    return table[name]


def _spellings(column: Column) -> NDArray[np.uint32]:
    """(v,) a number for each value; the same for those that are spelled alike."""
    place: dict[str, int] = {}
    texts = [even_spelling(text or "") for text in column.values.to_list()]
    return np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.uint32)
