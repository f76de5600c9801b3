"""Small tables to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from kohort.assessment.comparison import compare, lines_of
from kohort.io import ReadOptions, read
from kohort.schema import Attribute, Role, Schema
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.assessment.comparison import AttributeComparison, Comparison
    from kohort.assessment.comparison.line import ColumnLine
    from kohort.tables.table import Table

#: Two regions below the root, cities below them.
REGIONS = Hierarchy.from_rows([["Milano", "Nord"], ["Torino", "Nord"], ["Bari", "Sud"], ["Lecce", "Sud"]], root="*")


def table(cells: Mapping[str, Sequence[str | None]]) -> Table:
    """A table of text."""
    frame = pl.DataFrame({name: list(column) for name, column in cells.items()}, schema=dict.fromkeys(cells, pl.String))
    return read(frame, ReadOptions(allow_empty=True))


def schema_of(*attributes: Attribute) -> Schema:
    """A schema of these attributes; all else is unknown."""
    return Schema(attributes)


def quasi(name: str, hierarchy: Hierarchy | str | None = None) -> Attribute:
    """A quasi-identifier."""
    return Attribute(name, Role.QUASI, hierarchy=hierarchy)


def compared(
    before: Sequence[str | None], after: Sequence[str | None], attribute: Attribute | None = None
) -> AttributeComparison:
    """The comparison of a table of one column, `x`."""
    schema = None if attribute is None else schema_of(attribute)
    return compare(table({"x": before}), table({"x": after}), schema=schema).attributes[0]


def line_of(
    before: Sequence[str | None], after: Sequence[str | None], attribute: Attribute | None = None
) -> ColumnLine:
    """The line of such a table."""
    schema = None if attribute is None else schema_of(attribute)
    return lines_of(table({"x": before}), table({"x": after}), schema=schema)[0]


def both(
    before: Mapping[str, Sequence[str | None]],
    after: Mapping[str, Sequence[str | None]],
    *attributes: Attribute,
    k: int | None = None,
) -> Comparison:
    """The comparison of two tables."""
    schema = schema_of(*attributes) if attributes else None
    return compare(table(before), table(after), schema=schema, k=k)
