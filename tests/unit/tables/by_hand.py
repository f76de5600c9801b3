"""Small tables, and what becomes of them by hand, record by record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from kohort.schema import Attribute, Label, Missing, Role, Schema
from kohort.schema.hierarchies import from_tree
from kohort.schema.hierarchies.spelling import even_spelling
from kohort.tables.table import Column, Table, narrow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kohort.core.frequency import FrequencySet
    from kohort.core.recoding import RegionClasses
    from kohort.schema.domain import Domain
    from kohort.tables.coded import CodedTable

#: One record's cells, by column.
Record: TypeAlias = "Mapping[str, str | None]"

REGIONS = from_tree({"Nord": ["Torino", "Milano"], "Sud": ["Bari", "Lecce"]}, root="*")

#: Columns in the order of the file; released quasi-identifiers come in the schema's order, which is the same.
SCHEMA = Schema(
    (
        Attribute("illness", Role.SENSITIVE),
        Attribute("name", Role.IDENTIFYING),
        Attribute("age", Role.QUASI),
        Attribute("city", Role.QUASI, hierarchy=REGIONS),
        Attribute("note", Role.INSENSITIVE),
        Attribute("job", Role.QUASI, label=Label.SET),
    ),
    missing=frozenset({"", "n/a"}),
)

#: The same columns, each quasi-identifier with a hierarchy: given, or built over what is observed.
LEVELS = Schema(
    (
        *SCHEMA.attributes[:2],
        Attribute("age", Role.QUASI, hierarchy="intervals:10,20", label=Label.ANCESTOR),
        Attribute("city", Role.QUASI, hierarchy=REGIONS, label=Label.ANCESTOR),
        SCHEMA.attributes[4],
        Attribute("job", Role.QUASI, hierarchy="frequency:1", label=Label.ANCESTOR),
    ),
    missing=SCHEMA.missing,
)

POOLS: Mapping[str, Sequence[str | None]] = {
    "illness": ("flu", "gout", None, "Flu ", "flu", ""),
    "name": tuple(f"person {number}" for number in range(99)),
    "age": ("9", "10", "31", "31.0", "", None, "n/a"),
    "city": ("Bari", "Lecce", "Torino", "", None),
    "note": ("x", "é", "Z", ""),
    "job": ("clerk", "cook, chef", "pilot", "n/a"),
}


def encoded(records: Sequence[Record], schema: Schema = SCHEMA) -> Table:
    """The records as a table; values in the order in which they are first met, as a reader leaves them."""
    columns: list[Column] = []
    for attribute in schema.attributes:
        place: dict[str | None, int] = {}
        codes = np.array([place.setdefault(record[attribute.name], len(place)) for record in records], dtype=np.int64)
        values = pl.Series(attribute.name, list(place), dtype=pl.String)
        columns.append(Column(attribute.name, values, narrow(codes, len(place)), pl.String()))
    return Table(tuple(columns), len(records))


def cells(column: Column) -> list[str | None]:
    """The cells of a column, record by record."""
    values: list[str | None] = column.values.to_list()
    return [values[int(code)] for code in column.codes]


def rows(table: Table) -> list[tuple[str | None, ...]]:
    """The cells of a table, record by record."""
    return list(zip(*(cells(column) for column in table.columns), strict=True))


def drawn(seed: int, records: int) -> list[Record]:
    """Some records, many of them alike."""
    draw = np.random.default_rng([seed, records])
    sizes = {name: int(draw.integers(1, len(pool) + 1)) for name, pool in POOLS.items()}
    return [{name: pool[int(draw.integers(sizes[name]))] for name, pool in POOLS.items()} for _ in range(records)]


def suppressing(schema: Schema, *names: str) -> Schema:
    """The schema, where a missing value in one of these columns suppresses the record."""
    attributes = [replace(one, missing=Missing.SUPPRESS) if one.name in names else one for one in schema.attributes]
    return Schema(tuple(attributes), schema.missing)


# ── By hand ──────────────────────────────────────────────────────────────────────────────────────


def code_of(domain: Domain, cell: str | None) -> int:
    """The code of a cell, looked up in the domain's texts; numbers by what they are worth."""
    if cell is None or cell in SCHEMA.missing:
        return domain.missing
    if domain.scale == "numeric":
        return next(at for at, text in enumerate(domain.texts) if text and Fraction(text) == Fraction(cell))
    return domain.texts.index(cell)


@dataclass(frozen=True)
class ByHand:
    """What an engine holds, record by record.

    Attributes:
        records: All records.
        kept: Which of them are released, if no column says that a missing value suppresses them.
        tuples: The quasi-identifying and sensitive codes of each kept record.
    """

    records: Sequence[Record]
    kept: Sequence[int]
    tuples: Sequence[tuple[int, ...]]

    @classmethod
    def of(cls, records: Sequence[Record], schema: Schema, engine: CodedTable, sensitive: Sequence[str] = ()) -> ByHand:
        """Look at every record."""
        strict = [one.name for one in schema.released if one.missing is Missing.SUPPRESS]
        gone = {None, *schema.missing}
        kept = [at for at, record in enumerate(records) if not any(record[name] in gone for name in strict)]
        values = {one.name: values_of(records, one.name) for one in schema.attributes if one.name in sensitive}
        tuples = [
            (
                *(code_of(domain, records[at][domain.attribute.name]) for domain in engine.domains),
                *(value_code(records[at][name], known) for name, known in values.items()),
            )
            for at in kept
        ]
        return cls(records, kept, tuples)

    def expected(self, regions: Sequence[int], classes: RegionClasses, schema: Schema) -> list[tuple[str | None, ...]]:
        """The rows of the release, in its order, where `regions` has the region of each kept record; -1 for none."""
        quasi = [attribute.name for attribute in schema.quasi]
        others = [attribute.name for attribute in schema.released if attribute.name not in quasi]
        released: list[dict[str, str | None]] = []
        for at, region in zip(self.kept, regions, strict=True):
            if region < 0:
                continue
            row = {name: self.records[at][name] for name in others}
            for name, labels in zip(quasi, classes.labels, strict=True):
                text = labels.texts[int(labels.of[region])]
                has_null = any(record[name] is None for record in self.records)
                row[name] = text or (None if has_null else "")
            released.append(row)
        released.sort(key=lambda row: by_content([row[name] for name in (*quasi, *others)]))
        return [tuple(row[attribute.name] for attribute in schema.released) for row in released]


def by_content(cells: Sequence[str | None]) -> tuple[list[bytes], list[bool]]:
    """What a record is ordered by: the bytes of its cells, a null as the empty text; then nulls first."""
    return [(cell or "").encode() for cell in cells], [cell is not None for cell in cells]


def values_of(records: Iterable[Record], name: str) -> list[str]:
    """The different sensitive values in order, none missing and each in one spelling."""
    texts = {record[name] or "" for record in records} - SCHEMA.missing
    return sorted(set(map(even_spelling, texts)))


def value_code(text: str | None, known: Sequence[str]) -> int:
    """The code of a sensitive value; after all others if it is missing."""
    return len(known) if text is None or text in SCHEMA.missing else known.index(even_spelling(text))


def tuples_of(frequency: FrequencySet) -> list[tuple[int, ...]]:
    """The codes of each tuple."""
    return [tuple(row) for row in np.concatenate([frequency.quasi, frequency.sensitive], axis=1).tolist()]
