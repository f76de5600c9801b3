"""Released records elsewhere as Parquet: fetched some at a time in their order, and written by kohort's own writer.

So a file is the local engine's, byte for byte: the same writer is given the same cells, as many at a time. Of Arrow IPC
that would not do, as its bytes also say how nulls lay in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.engines import sql
from kohort.engines.relation import unused
from kohort.errors import KohortError
from kohort.io.cells import from_text, kept_type
from kohort.io.forms import Format
from kohort.io.write import write_stream
from kohort.workspace import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from kohort.engines.relation import Relation
    from kohort.tables.table import Table


@dataclass(slots=True)
class TypedRecords:
    """Released records in their order, to be written to one file or to several.

    Attributes:
        names: The columns.
        types: What their cells are written as.
        rows: The cells as texts, from the first record that is not written yet.
    """

    names: tuple[str, ...]
    types: tuple[pl.DataType, ...]
    rows: Rows

    @classmethod
    def of(cls, released: Relation, labels: Table, place: str) -> TypedRecords:
        """The records of a release.

        Args:
            released: They, with the place of their class in the release.
            labels: (c,) the labels of each class, in the order of the release.
            place: The column that has the place, from 1.
        """
        others = [name for name in released.names if name not in labels.names]
        cells = released.cells(others)
        cell_of = {name: released.written(name) for name in others}
        texts = {f"l{at}": one.written_cells() for at, one in enumerate(labels.columns)}
        released.dialect.give(given := unused(), pl.DataFrame({"class": np.arange(1, labels.records + 1), **texts}))
        cell_of |= {name: f"{given}.l{at}" for at, name in enumerate(labels.names)}
        rank = f"{sql.RECORDS}.{place}"
        shown = ", ".join(f"{cell_of[name]} AS c{at}" for at, name in enumerate(released.names))
        ties = [
            f"CASE WHEN {cell_of[name]} IS NULL THEN 0 ELSE 1 END" for name in others if released.kinds[name].is_text
        ]
        by = (rank, *(f"coalesce({cell}, '')" for cell in cells.of), *ties)
        query = sql.ordered(shown, sql.placed(cells.source, given, rank, "class"), by)
        types = tuple(
            from_text(labels[name].values, labels[name].dtype).dtype if name in labels.names else kept_type(kind.here)
            for name, kind in released.kinds.items()
        )
        return cls(released.names, types, Rows(released.dialect.stream(query)))

    def write(self, records: int, file: BinaryIO) -> None:
        """Write the next so many records as Parquet.

        Raises:
            FileError: the system failed to write.
            KohortError: the database failed; see `Dialect.run`.
        """
        failed: list[KohortError] = []

        def frames() -> Iterator[pl.DataFrame]:
            try:
                for some in blocks(records):
                    yield self._typed(self.rows.take(some.stop - some.start))
            except KohortError as error:  # the writer's library passes on no error but its own
                failed.append(error)
                raise

        try:
            write_stream(self.names, self.types, frames, file, Format.PARQUET)
        except KohortError:
            if failed:
                raise failed[0] from None
            raise

    def _typed(self, texts: pl.DataFrame) -> pl.DataFrame:
        """Cells of their types, which their texts were made of."""
        columns = zip(texts.iter_columns(), self.types, strict=True)
        return pl.DataFrame([from_text(cells, type_) for cells, type_ in columns])


@dataclass(slots=True)
class Rows:
    """The rows of an answer, as many at a time as are taken."""

    answer: Iterator[pl.DataFrame]
    _held: pl.DataFrame | None = field(default=None, init=False)

    def take(self, records: int) -> pl.DataFrame:
        """The next so many rows, of which there are enough."""
        held = next(self.answer) if self._held is None else self._held
        while held.height < records:
            held = pl.concat([held, next(self.answer)])
        self._held = held[records:]
        return held[:records]
