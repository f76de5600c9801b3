"""Where the tuples of an input went, read off a lineage, and a release cut into parts: what an engine would say."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.io.cells import encode
from kohort.io.forms import Format
from kohort.io.write import write
from kohort.sql.verify.aggregated import Destinations
from kohort.tables.table import Table
from kohort.verify.records import complete_records, without_value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kohort.verify import Claim

#: A cell as text; a missing one may be null.
Cells = tuple[str | None, ...]


def texts(table: Table, names: Sequence[str]) -> list[Cells]:
    """The cells of some columns, record by record."""
    columns = [table[name].values.gather(table[name].codes).to_list() for name in names]
    return [*zip(*columns, strict=True)]


def table_of(rows: Sequence[Cells], names: Sequence[str]) -> Table:
    """A table of text."""
    columns = [pl.Series([row[place] for row in rows], dtype=pl.String) for place in range(len(names))]
    return Table(tuple(encode(name, one, pl.String()) for name, one in zip(names, columns, strict=True)), len(rows))


def destinations_of(claim: Claim, table: Table) -> Destinations:
    """Where the lineage of a claim says that tuples went: by quasi-identifiers, or by all columns where that is needed.

    Args:
        claim: What a release says of itself, with a lineage.
        table: The release.
    """
    names = [one.name for one in claim.schema.quasi]
    found = _listed(claim, table, names)
    if found is not None:
        rows = [*found]
        labels = [next(iter(found[row])) for row in rows]
        return Destinations(table_of(rows, names), table_of(labels, names))
    person = claim.schema.person
    every = [*(one.name for one in claim.schema.released), *([person] if person else [])]
    pairs = Counter(zip(_sources(claim, every), texts(table, names), strict=True))
    rows, labels = [row for row, _ in pairs], [label for _, label in pairs]
    return Destinations(table_of(rows, every), table_of(labels, names), np.array([*pairs.values()], np.int64))


def _sources(claim: Claim, names: Sequence[str]) -> list[Cells]:
    """The input's cells of each released record."""
    cells = texts(claim.original, names)
    return [cells[row] for row in claim.lineage.tolist()]


def _listed(claim: Claim, table: Table, names: Sequence[str]) -> dict[Cells, set[Cells]] | None:
    """The labels of each tuple; `None` where one has several, or is released in part."""
    found: dict[Cells, set[Cells]] = {}
    for row, label in zip(_sources(claim, names), texts(table, names), strict=True):
        found.setdefault(row, set()).add(label)
    entering = complete_records(claim)
    cells = texts(entering.original, names)
    gone = ~without_value(entering)
    gone[entering.lineage] = False
    left = {cells[row] for row in np.flatnonzero(gone).tolist()}
    parted = left & found.keys() or any(len(labels) > 1 for labels in found.values())
    return None if parted else found


def write_parts(
    folder: Path, table: Table, sizes: Sequence[int], format_: Format = Format.CSV, *, excel_safe: bool = False
) -> list[Path]:
    """The release in parts of so many records; the last has the rest."""
    folder.mkdir(parents=True, exist_ok=True)
    ends = [*np.cumsum(sizes).clip(0, table.records).tolist(), table.records]
    paths: list[Path] = []
    for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        path = folder / f"part-{number:05}.{format_.value}"
        with path.open("wb") as file:
            write(table.take(np.arange(start, end)), file, format_, excel_safe=excel_safe)
        paths.append(path)
    return paths
