"""A table written to a file, or handed back as a frame.

The bytes depend on the table's cells and their order alone: not on the number of threads, not on the order of a
column's `values`, not on what the source's file or frame carried beside its cells. A column is a few distinct values
and a code per record, so what concerns a value (quoting it, prefixing it, parsing it back to its type) is done once
per value; the records become text a batch at a time: delimited text in the compiled core, other formats in polars.
"""

from __future__ import annotations

import gzip
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import add
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias, cast

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from kohort.errors import FileError, UsageError
from kohort.io.cells import from_text
from kohort.io.foreign import pack
from kohort.io.forms import Format
from kohort.io.source import zstandard
from kohort.io.typed import FRAMES, extra, reason_of
from kohort.native.library import WRITE
from kohort.tables.texts import spelled
from kohort.workspace import HEAP, blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from kohort.arrays import Index
    from kohort.tables.recoded import RecodedTable
    from kohort.tables.table import CellCodes, Column, Table

#: Records in a row group or record batch: fixed, because it is visible in the bytes.
GROUP: Final = 1 << 17

#: Bytes that gzip is given at once: fixed likewise.
PIECE: Final = 1 << 20

#: Levels at which gzip and zstd compress: fixed likewise; the usual ones.
GZIP_LEVEL: Final = 6
ZSTD_LEVEL: Final = 3

#: What a spreadsheet takes for the start of a formula, and the numbers among it, which are harmless; or for a date: two
#: numbers, three short ones, a month and a number. What has apostrophes before it already gets one more, so that no two
#: texts become one.
_MONTH: Final = "(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[A-Za-z]{0,6}"
_DATE: Final = (
    "[0-9]{1,4}[-/][0-9]{1,4}|[0-9]{1,2}[-/][0-9]{1,2}[-/][0-9]{1,2}"
    f"|[0-9]{{1,2}}[-/ ]?{_MONTH}|{_MONTH}[-/. ]?[0-9]{{1,4}}"
)
FORMULA: Final = rf"^'*(?:[=+\-@\t\r]|(?:{_DATE})$)"
NUMBER: Final = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def write(
    table: Table | RecodedTable,
    file: BinaryIO,
    format_: Format,
    *,
    separator: str = ",",
    excel_safe: bool = False,
    source: Table | None = None,
) -> None:
    r"""Write `table` to the open `file`, records in the table's order.

    Delimited text is UTF-8 without byte order mark, with a header and LF line ends; a cell is quoted only where it
    must be. A null and the empty text are both the empty cell there; in a table of one column that cell is quoted, so
    that no record becomes a blank line. gzip keeps no name and no time; its bytes are those of Python's zlib. Parquet
    and IPC hold plain columns, never dictionaries; a column has its source's type where every value is one of that
    type, exactly. What other formats hold, see `kohort.io.foreign`.

    Args:
        table: At least one column; records that are yet to be made are made some at a time.
        file: Anything with a `write` method; it stays open.
        format_: What to write.
        separator: Between the cells of CSV: one ASCII character. TSV has the tab.
        excel_safe: Put an apostrophe before text that a spreadsheet would run as a formula, or take for a date that
            it is not, such as `1-5`; delimited text only.
        source: The table that the cells come from: its value labels are those of a statistics file.

    Raises:
        UsageError: `separator` or `excel_safe` does not go with the format.
        UnsupportedError: the format cannot hold the cells exactly.
        MissingExtraError: the format's library is not installed.
        FileError: the system failed to write.

    >>> import io
    >>> from kohort.io.typed import from_frame
    >>> file = io.BytesIO()
    >>> write(from_frame(pl.DataFrame({"age": [40, None], "city": ["Rome", "Bari, old town"]})), file, Format.CSV)
    >>> file.getvalue()
    b'age,city\n40,Rome\n,"Bari, old town"\n'
    """
    refuse_safe(format_, excel_safe=excel_safe)
    form = format_.form
    if form.module:
        packed = pack(table.collect(), format_.value, source)
        with _reporting():
            file.write(packed)
    elif form.is_text:
        separator = form.separator or separator
        escape = partial(escaped, separator=separator, excel_safe=excel_safe, alone=len(table.names) == 1)
        _write_text(table, file, separator, escape, packer=_PACKERS.get(form.packing, nullcontext))
    else:
        _write_typed(table, file, format_)


def refuse_safe(format_: Format, *, excel_safe: bool) -> None:
    """Refuse to make cells of a format safe that no spreadsheet runs.

    Raises:
        UsageError: the format is no delimited text.
    """
    if excel_safe and not format_.form.is_text:
        raise UsageError("excel_safe applies to delimited text only", hint="write CSV, or leave excel_safe out")


def to_frame(table: Table, like: str) -> object:
    """`table` as a frame of the library `like`: `polars`, `pandas` or `pyarrow`.

    A column has its source's type where every value is one of that type, exactly; text otherwise. In pandas, integers
    and booleans with missing values have its nullable types, because its floats would lose digits.

    Raises:
        UsageError: kohort knows no frames of that library.
        MissingExtraError: the library is not installed.

    >>> from kohort.io.typed import from_frame
    >>> to_frame(from_frame(pl.DataFrame({"age": [40, None], "paid": [0.5, 7.0]})), "polars").rows()
    [(40, 0.5), (None, 7.0)]
    """
    if like not in FRAMES:
        raise UsageError(f"there are no frames of {like!r}", hint=f"frames: {', '.join(FRAMES)}")
    frame = pl.DataFrame([_whole(column) for column in table.columns])
    if like == "polars":
        return frame
    extra("pyarrow")
    return _to_pandas(frame) if like == "pandas" else cast("object", frame.to_arrow())


# ── delimited text ───────────────────────────────────────────────────────────────────────────────


def quoted(values: pl.Series) -> pl.Series:
    """Cells in quotes."""
    inside = values.str.replace_all('"', '""', literal=True) if values.str.contains('"', literal=True).any() else values
    return pl.select(pl.format('"{}"', inside)).to_series()


def escaped(values: pl.Series, separator: str, *, excel_safe: bool, alone: bool = False) -> pl.Series:
    """Cells as they stand in delimited text; `alone`: of one column, where an empty cell would be a blank line.

    Raises:
        UsageError: the separator is not one ASCII character, or ends a line or a cell.

    >>> escaped(pl.Series(["a,b", "=1", "c"]), ",", excel_safe=True).to_list()
    ['"a,b"', "'=1", 'c']
    """
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
        raise UsageError("the separator is not one ASCII character, or is a quote or line end")
    if excel_safe:
        formula = values.str.contains(FORMULA) & ~values.str.contains(NUMBER)
        values = _replaced(values, formula, lambda texts: "'" + texts)
    # A byte order mark would vanish where it starts the file.
    special = values.str.contains_any([separator, '"', "\r", "\n", "\ufeff"])
    if alone:
        values = values.fill_null("")
        special |= values == ""
    return _replaced(values, special, quoted)


#: Gives cells as they stand in the file.
Escape: TypeAlias = "Callable[[pl.Series], pl.Series]"

#: Distinct cells as `spelled` has them, and which of them each record has.
Cells: TypeAlias = "tuple[NDArray[np.uint8], Index, CellCodes]"

#: Bytes of text that are made of some records before a file takes them.
_BEGUN: Final = 8 * PIECE

#: More values than these are escaped while they are written: the copy would be as large as they are.
_ESCAPED: Final = 1 << 18


def _cells_of(values: pl.Series, escape: Escape, after: str) -> Callable[[CellCodes], Cells]:
    """Gives the distinct cells of some records, by their codes, and which of them each record has."""
    if len(values) <= _ESCAPED:
        whole = spelled(escape(values).fill_null(""), after)
        return lambda codes: (whole.text, whole.ends, codes)

    def cells(codes: CellCodes) -> Cells:
        first = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))  # those of a class stand together
        of = np.repeat(np.arange(first.size, dtype=np.uint32), np.diff(first, append=codes.size))
        some = spelled(escape(values.gather(codes[first])).fill_null(""), after)
        return some.text, some.ends, of

    return cells


def _replaced(values: pl.Series, where: pl.Series, replace: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """`values` with some replaced; the same series, not a copy, if none is."""
    return replace(values).zip_with(where.fill_null(value=False), values) if where.any() else values


def _write_text(
    table: Table | RecodedTable,
    file: BinaryIO,
    separator: str,
    escape: Escape,
    *,
    packer: Callable[[BinaryIO], AbstractContextManager[BinaryIO]],
) -> None:
    names = escape(pl.Series(table.names, dtype=pl.String)).to_list()
    after = [*separator * (len(names) - 1), "\n"]  # what follows each cell
    held = zip(table.head().columns, after, strict=True)
    columns = [_cells_of(column.written, escape, follows) for column, follows in held]
    with _reporting(), packer(file) as text:
        text.write("".join(map(add, names, after)).encode())
        for write_batch in HEAP.side_by_side(partial(_begun, table, columns), blocks(table.records)):
            write_batch(text)


def _begun(
    table: Table | RecodedTable, columns: Sequence[Callable[[CellCodes], Cells]], some: slice
) -> Callable[[BinaryIO], None]:
    """Make as much text of some records as there is room for in a few pieces, mostly all; gives what writes them."""
    records = some.stop - some.start
    held = list(chain.from_iterable(of(codes) for of, codes in zip(columns, table.block(some), strict=True)))
    text, filled = np.empty(_BEGUN, np.uint8), np.empty(1, np.int64)
    begun = WRITE(held, 0, records, text, filled)
    text = text[: int(filled[0])]

    def write_batch(file: BinaryIO) -> None:
        file.write(text.data)
        out, row = np.empty(_BEGUN, np.uint8), begun
        while row < records:  # the others, as many at once as there is room for
            row = WRITE(held, row, records, out, filled)
            if not filled[0]:
                out = np.empty(2 * out.size, np.uint8)
            file.write(out[: int(filled[0])].data)

    return write_batch


@contextmanager
def _gzipped(file: BinaryIO) -> Generator[BinaryIO]:
    """A file whose bytes reach `file` packed with gzip, without name or time."""
    with gzip.GzipFile(filename="", mode="wb", compresslevel=GZIP_LEVEL, fileobj=file, mtime=0) as packer:
        pieces = Pieces(packer)
        yield cast("BinaryIO", pieces)
        packer.write(pieces.held)


@contextmanager
def _zstandard(file: BinaryIO) -> Generator[BinaryIO]:
    """A file whose bytes reach `file` packed with Zstandard, as one frame that ends with its checksum."""
    compressor = zstandard().ZstdCompressor(level=ZSTD_LEVEL, write_checksum=True, write_content_size=False)
    with compressor.stream_writer(file, closefd=False) as packer:
        pieces = Pieces(packer)
        yield cast("BinaryIO", pieces)
        packer.write(pieces.held)


#: What packs text, by the end of a format's name.
_PACKERS: Final[Mapping[str, Callable[[BinaryIO], AbstractContextManager[BinaryIO]]]] = MappingProxyType(
    {"gz": _gzipped, "zst": _zstandard}
)


@dataclass(frozen=True, slots=True)
class Pieces:
    """A file that passes its bytes on to `file` in pieces of one size, and holds the rest.

    polars writes as much at once as its threads happen to have ready, and where text is cut can show in packed bytes.
    """

    file: gzip.GzipFile | BinaryIO
    held: bytearray = field(default_factory=bytearray)

    def write(self, content: bytes) -> int:
        """Take `content`, and pass on what makes whole pieces."""
        self.held.extend(content)
        whole = len(self.held) // PIECE * PIECE
        for start in range(0, whole, PIECE):
            self.file.write(bytes(self.held[start : start + PIECE]))
        del self.held[:whole]
        return len(content)

    def flush(self) -> None:
        """Keep holding: the next piece is not whole yet."""


# ── Parquet and Arrow IPC ────────────────────────────────────────────────────────────────────────


def _write_typed(table: Table | RecodedTable, file: BinaryIO, format_: Format) -> None:
    values = [from_text(column.written, column.dtype) for column in table.head().columns]
    numbers = [str(place) for place in range(len(values))]
    types = [held.dtype for held in values]
    write_stream(table.names, types, partial(_records, table, numbers, values), file, format_)


def write_stream(
    names: Sequence[str],
    types: Sequence[pl.DataType],
    frames: Callable[[], Iterator[pl.DataFrame]],
    file: BinaryIO,
    format_: Format,
) -> None:
    """Write typed records, which `frames` makes some at a time, to the open `file` as Parquet or Arrow IPC.

    Whatever the frames call the columns, they are `names`; see `write`.

    Raises:
        FileError: the system failed to write, or the records could not be made.
    """
    with _reporting():
        records = _streamed(names, types, frames)
        if format_ is Format.PARQUET:
            records.sink_parquet(file, compression="zstd", compression_level=ZSTD_LEVEL, row_group_size=GROUP)
        else:
            # Newer Arrow text is a view into shared memory, in which values that no record holds could be left over.
            oldest = pl.CompatLevel.oldest()
            records.sink_ipc(file, compression="zstd", record_batch_size=GROUP, compat_level=oldest)


# ── records ──────────────────────────────────────────────────────────────────────────────────────


def _records(table: Table | RecodedTable, names: Sequence[str], values: Sequence[pl.Series]) -> Iterator[pl.DataFrame]:
    """The records, made from codes some at a time; `values` stand for the table's. Nothing else is asked for."""
    for some in blocks(table.records):
        cells = [held.gather(codes) for held, codes in zip(values, table.block(some), strict=True)]
        yield pl.DataFrame([one.alias(name) for name, one in zip(names, cells, strict=True)])


def _streamed(
    names: Sequence[str], types: Sequence[pl.DataType], made: Callable[[], Iterator[pl.DataFrame]]
) -> pl.LazyFrame:
    """The records as a frame that is never there as a whole."""
    # Columns bear numbers until the end: polars would take some names (`*`, `^a$`) for patterns.
    numbers = [str(place) for place in range(len(names))]

    def frames(*_: object) -> Iterator[pl.DataFrame]:  # nothing but all of it is ever asked for
        for some in made():
            some.columns = numbers
            yield some

    scanned = register_io_source(frames, schema=dict(zip(numbers, types, strict=True)), is_pure=True)
    return scanned.select(pl.col(number).alias(name) for number, name in zip(numbers, names, strict=True))


@contextmanager
def _reporting() -> Generator[None]:
    """Turn a failure of the system into a `FileError`; polars passes some on as errors of its own."""
    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        raise FileError(f"writing failed: {reason_of(error) or type(error).__name__}") from None


# ── frames ───────────────────────────────────────────────────────────────────────────────────────


def _whole(column: Column) -> pl.Series:
    cells = from_text(column.written, column.dtype).gather(column.codes)
    # Joining makes a text of its own. Gathered text shares the memory of all `values`, which a caller could write out.
    return (cells + "" if cells.dtype == pl.String else cells).alias(column.name)


def _to_pandas(frame: pl.DataFrame) -> object:
    pandas = extra("pandas")
    return pandas.DataFrame({series.name: _pandas_column(series) for series in frame})


def _pandas_column(series: pl.Series) -> object:
    array = cast("Any", series.to_arrow())
    if series.has_nulls() and (series.dtype.is_integer() or series.dtype == pl.Boolean):
        name = "boolean" if series.dtype == pl.Boolean else str(series.dtype)  # Int64 is Int64 in both libraries
        nullable = {array.type: extra("pandas").api.types.pandas_dtype(name)}
        return array.to_pandas(types_mapper=nullable.get)
    return array.to_pandas()
