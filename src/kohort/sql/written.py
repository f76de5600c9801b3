"""Released records elsewhere on their way into files.

As text they are lines that the database makes and orders; what a cluster wrote of these in pieces is cut into files
with a header each. For Parquet they are fetched some at a time, in their order, and written by kohort's own writer: so
a file is the local engine's, byte for byte. Of Arrow IPC that would not do, as its bytes also say how nulls lay in
memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import polars as pl

from kohort.errors import FileError, KohortError
from kohort.io.cells import from_text, kept_type
from kohort.io.forms import Format
from kohort.io.write import FORMULA, NUMBER, escaped, write_stream
from kohort.sql import queries
from kohort.system.workspace import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from kohort.arrays import Counts, Index
    from kohort.sql.relation import Relation
    from kohort.tables.table import Table

    #: Bytes, and (e,) where records end in them.
    _Block: TypeAlias = tuple[bytes, Index]


#: What released records are called by: the number of their class in the order of the release, from 1.
CLASS: Final = "kohort_class"


@dataclass(slots=True)
class TypedRecords:
    """Released records in their order, to be written to one file or to several.

    Attributes:
        names: The columns.
        types: What their cells are written as.
        answer: The cells as texts, some records at a time.
    """

    names: tuple[str, ...]
    types: tuple[pl.DataType, ...]
    answer: Iterator[pl.DataFrame]
    _held: pl.DataFrame | None = field(default=None, init=False)

    @classmethod
    def of(cls, released: Relation, labels: Table) -> TypedRecords:
        """The records of a release.

        Args:
            released: They, with the place of their class in the release.
            labels: (c,) the labels of each class, in the order of the release.
        """
        others = [name for name in released.names if name not in labels.names]
        cells = released.cells(others)
        cell_of = {name: released.written(name) for name in others}
        texts = {f"l{at}": one.written_cells() for at, one in enumerate(labels.columns)}
        given = released.dialect.give(pl.DataFrame({"class": np.arange(1, labels.records + 1), **texts}))
        cell_of |= {name: f"{given}.l{at}" for at, name in enumerate(labels.names)}
        rank = f"{queries.RECORDS}.{CLASS}"
        shown = ", ".join(f"{cell_of[name]} AS c{at}" for at, name in enumerate(released.names))
        ties = [
            f"CASE WHEN {cell_of[name]} IS NULL THEN 0 ELSE 1 END" for name in others if released.kinds[name].is_text
        ]
        by = (rank, *(f"coalesce({cell}, '')" for cell in cells.of), *ties)
        query = queries.ordered(shown, queries.placed(cells.source, given, rank, "class"), by)
        types = tuple(
            from_text(labels[name].values, labels[name].dtype).dtype if name in labels.names else kept_type(kind.here)
            for name, kind in released.kinds.items()
        )
        return cls(released.names, types, released.dialect.stream(query))

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
                    yield self._typed(self._take(some.stop - some.start))
            except KohortError as error:  # the writer's library passes on no error but its own
                failed.append(error)
                raise

        try:
            write_stream(self.names, self.types, frames, file, Format.PARQUET)
        except KohortError:
            if failed:
                raise failed[0] from None
            raise

    def _take(self, records: int) -> pl.DataFrame:
        held = next(self.answer) if self._held is None else self._held
        while held.height < records:
            held = pl.concat([held, next(self.answer)])
        self._held = held[records:]
        return held[:records]

    def _typed(self, texts: pl.DataFrame) -> pl.DataFrame:
        columns = zip(texts.iter_columns(), self.types, strict=True)
        return pl.DataFrame([from_text(cells, type_) for cells, type_ in columns])


def lines_of(relation: Relation, labels: Table, sizes: Counts, separator: str, *, excel_safe: bool) -> tuple[str, str]:
    """A query for released records as lines of delimited text, in the order of the release, and their header.

    Labels that stand side by side are joined here, once for a class.

    Args:
        relation: The records, with the number of their class.
        labels: (c,) the labels of each class, in the order of the release.
        sizes: (c,) its records.
        separator: What stands between cells.
        excel_safe: Whether an apostrophe keeps spreadsheets from running cells.
    """

    def made(texts: pl.Series) -> pl.Series:
        alone = len(relation.names) == 1
        return escaped(texts.fill_null(""), separator, excel_safe=excel_safe, alone=alone)

    others = [name for name in relation.names if name not in labels.names]
    cells = relation.cells(others)
    texts = [*dict.fromkeys([*cells.of, *map(relation.written, others)])]
    cell_of = {name: f"{queries.RECORDS}.k{texts.index(relation.written(name)) + 1}" for name in others}
    columns, shown = {"class": pl.Series(np.arange(1, labels.records + 1))}, list[str]()
    for is_other, names in groupby(relation.names, cell_of.__contains__):
        if is_other:
            shown += [_escaped(relation.dialect, cell_of[name], separator, excel_safe=excel_safe) for name in names]
            continue
        side_by_side = [made(labels[name].written_cells()) for name in names]
        columns[f"l{len(columns) - 1}"] = pl.select(pl.concat_str(side_by_side, separator=separator)).to_series()
        shown.append(f"l{len(columns) - 2}")
    given = relation.dialect.give(pl.DataFrame(columns))
    line = f" || {relation.dialect.literal(separator)} || ".join(shown)
    keys = (f"{queries.RECORDS}.{CLASS}", *(f"coalesce({cell}, '')" for cell in texts))
    different = int(np.minimum(sizes, relation.most_different(others)).sum())
    query = relation.dialect.in_order(queries.Lines(keys, cells.source, given, line, sizes, different))
    return query, separator.join(made(pl.Series(relation.names)).to_list())


def _escaped(dialect: queries.Dialect, cell: str, separator: str, *, excel_safe: bool) -> str:
    """The cells of a column as they stand in the file, none of them a null; see `kohort.io.write`."""
    text = cell
    if excel_safe:
        runs = f"{dialect.matches(text, FORMULA)} AND NOT {dialect.matches(text, NUMBER)}"
        text = f"CASE WHEN {runs} THEN {dialect.literal(chr(39))} || {text} ELSE {text} END"
    signs = [dialect.literal(sign) for sign in (separator, '"', "\r", "\n", "\ufeff")]
    special = " OR ".join(f"instr({cell}, {sign}) > 0" for sign in signs)
    quoted = f"'\"' || replace({text}, '\"', '\"\"') || '\"'"
    return f"CASE WHEN {special} THEN {quoted} ELSE {text} END"


#: Bytes that are looked at together.
_BLOCK: Final = 1 << 22

#: A block without bytes.
_NOTHING: Final = b"", np.empty(0, np.int64)


def cut(pieces: Sequence[Path], header: str, files: Sequence[tuple[Path, int | None]]) -> None:
    r"""Write the records of all pieces, one after another, to some files.

    A record ends at a line end that is not within quotes. Cost: one pass over the bytes.

    Args:
        pieces: Files of whole records without a header.
        header: The first line of each file.
        files: Where they go, and how many records each gets; the last one all that are left where that is `None`.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     piece, one, two = (Path(folder, name) for name in "abc")
    ...     _ = piece.write_bytes(b'1\n"2\n3"\n4\n')
    ...     cut([piece], "age", [(one, 2), (two, 1)])
    ...     one.read_text(), two.read_text()
    ('age\n1\n"2\n3"\n', 'age\n4\n')
    """
    blocks, left = _blocks(pieces), _NOTHING
    for path, records in files:
        with path.open("wb") as file:
            file.write(f"{header}\n".encode())
            left = _write_some(file, records, left, blocks)
    if left[0] or next(blocks, None):
        raise FileError("the workers wrote more records than there are", hint="nothing was published; run again")


def _write_some(file: BinaryIO, records: int | None, left: _Block, blocks: Iterator[_Block]) -> _Block:
    """Write so many records, all of them for `None`, of what is left of a block and of those after it; what is left."""
    block, ends = left
    while records is None or records > ends.size:
        file.write(block)
        records = None if records is None else records - ends.size
        block, ends = next(blocks, _NOTHING)
        if not block and records:
            what = "the workers wrote too few records, or to a place that this process does not see"
            raise FileError(what, hint="name an output in a folder that every worker shares with this process")
        if not block:
            return _NOTHING
    end = int(ends[records - 1]) if records else 0
    file.write(block[:end])
    return block[end:], ends[records:] - end


def _blocks(pieces: Sequence[Path]) -> Iterator[_Block]:
    """The bytes of pieces, some at a time, and (e,) where records end in them."""
    quoted = False
    for path in pieces:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                found = np.frombuffer(block, np.uint8)
                ends, quotes = found == ord("\n"), found == ord('"')
                if quoted or quotes.any():
                    inside = np.logical_xor.accumulate(quotes) ^ quoted
                    ends &= ~inside
                    quoted = bool(inside[-1])
                yield block, np.flatnonzero(ends) + 1
