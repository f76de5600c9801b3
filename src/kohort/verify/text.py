"""Delimited text, taken apart a block at a time, every byte of it accounted for."""

from __future__ import annotations

import codecs
import csv
import io
import zlib
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import polars as pl

from kohort.engines.table import Column, Table
from kohort.verify.columns import check_columns, plain
from kohort.verify.verdict import Check, Claim, fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

#: Text that has to stand in quotes, besides the separator and line ends, though a reader might take it without; a byte
#: order mark would vanish at the start of a file.
_FRAGILE: Final = ('"', "\r", "\ufeff")

#: The physical code that stands for a null while a column is put together.
_NULL: Final = (1 << 32) - 1


def delimited(blocks: Iterable[bytes], claim: Claim) -> Table:
    """The table in CSV or TSV, perhaps in a gzip stream; an empty cell is the empty text.

    Raises:
        VerificationError: the bytes are not the plainest form of a table with the claimed columns: UTF-8, LF line
            ends, quotes only where they must be.
    """
    names = [attribute.name for attribute in claim.schema.released]
    separator = "\t" if claim.format.startswith("tsv") else claim.separator
    records = _records(_inflated(blocks) if claim.format.endswith(".gz") else blocks)
    encoders = [Encoder(name, pl.String(), separator) for name in names]
    for text in _body(records, claim, separator):
        frame = _parsed(text, names, separator)
        due = frame.width * frame.height + sum(map(Encoder.take, encoders, frame))
        # Where no cell is fragile, each takes its due of bytes at least, and more only if it is not plain.
        countable = frame.width > 1 and not any(encoder.fragile for encoder in encoders)
        if b"\0" in text or not (due == len(text) if countable else _written(frame, separator) == text):
            what = "the bytes are not the plain form of their cells: "
            raise fault(
                Check.BYTES, what + "other line ends, needless quotes, NUL, or lines that are blank or too short"
            )
    columns = tuple(encoder.column("") for encoder in encoders)
    return Table(columns, len(columns[0].codes))


def _inflated(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The content of one gzip member that has neither name nor time nor comment, and that nothing follows."""
    inflate = zlib.decompressobj(wbits=31)
    for place, block in enumerate(blocks):
        if place == 0 and any(block[3:8]):  # flags and time
            raise fault(Check.BYTES, "the gzip header holds a name, a time or a comment")
        try:
            yield inflate.decompress(block)
        except zlib.error:
            raise fault(Check.BYTES, "the gzip stream is damaged") from None
    if not inflate.eof or inflate.unused_data:
        raise fault(Check.BYTES, "the gzip stream is cut short, or goes on after its end")


def _records(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, cut between records: at line ends that an even number of quotes precedes."""
    rest = b""
    for block in blocks:
        quotes = rest.count(b'"')
        end = block.rfind(b"\n") + 1
        while end and (quotes + block.count(b'"', 0, end)) % 2:
            end = block.rfind(b"\n", 0, end - 1) + 1
        if end:
            yield b"".join((rest, memoryview(block)[:end]))  # one copy: blocks are large
        rest = block[end:] if end else rest + block
    if rest:
        raise fault(Check.BYTES, "the text does not end with a complete line")


def _body(records: Iterator[bytes], claim: Claim, separator: str) -> Iterator[bytes]:
    """The text of the records, after the header that is due."""
    first = next(records, b"")
    if first.startswith(codecs.BOM_UTF8):
        raise fault(Check.BYTES, "the text starts with a byte order mark")
    header, end, rest = first.partition(b"\n")
    try:
        names = [name for line in csv.reader([header.decode(errors="replace")], delimiter=separator) for name in line]
    except csv.Error:
        raise fault(Check.BYTES, "the header is not well formed") from None
    check_columns(plain(pl.Series(names, dtype=pl.String), excel_safe=claim.excel_safe).to_list(), claim.schema)
    cells = pl.DataFrame([pl.Series(str(place), [name]) for place, name in enumerate(names)])
    if _written(cells, separator) != header + end:
        raise fault(Check.BYTES, "the header has needless quotes or another line end")
    if rest:
        yield rest
    yield from records


def _parsed(text: bytes, names: Sequence[str], separator: str) -> pl.DataFrame:
    """The cells of whole records, as polars understands them."""
    try:
        return pl.read_csv(text, has_header=False, schema=dict.fromkeys(names, pl.String), separator=separator)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:  # whose message may quote cells
        raise fault(Check.BYTES, f"the text is not well formed ({type(error).__name__})") from None


def _written(frame: pl.DataFrame, separator: str) -> bytes:
    """The cells as text, quoted where they must be, and where a lone empty cell would be a blank line."""
    cell = pl.all() if frame.width > 1 else pl.all().fill_null("")
    quoted = cell.str.contains_any([separator, "\n", *_FRAGILE]) | ((cell == "") & (frame.width == 1))
    shown = pl.lit('"') + cell.str.replace_all('"', '""', literal=True) + pl.lit('"')
    file = io.BytesIO()
    rows = frame.select(pl.when(quoted).then(shown).otherwise(cell).name.keep())
    rows.write_csv(file, include_header=False, separator=separator, quote_style="never")
    return file.getvalue()


class Encoder:
    """One column, put together from blocks by a dictionary of its own.

    Attributes:
        fragile: Whether some value is one that could be read from other bytes than it is written as.
    """

    def __init__(self, name: str, dtype: pl.DataType, separator: str = ",") -> None:
        """An empty column, of text with this separator."""
        self._name = name
        self._dtype = dtype
        self._separator = separator
        self._physical = pl.Categorical(pl.Categories.random())
        self._alive = pl.Series(dtype=self._physical)  # polars forgets categories that no series uses
        self._codes: list[NDArray[np.uint32]] = []
        self._values = pl.Series(name, dtype=pl.String)
        self._sizes = np.empty(0, np.int64)  # bytes that each value takes
        self.fragile = False

    def take(self, texts: pl.Series) -> int:
        """Add the cells of a block; how many bytes they take as plain text."""
        physical = texts.cast(self._physical).to_physical()
        largest = cast("int | None", physical.max())
        if largest is not None and largest >= len(self._values):
            self._learn(np.arange(len(self._values), largest + 1, dtype=np.uint32))
        self._codes.append(physical.fill_null(_NULL).to_numpy())
        return int(self._sizes.take(physical.drop_nulls().to_numpy()).sum())

    def _learn(self, codes: NDArray[np.uint32]) -> None:
        values = pl.Series(codes).cat.to(self._physical).cast(pl.String)
        quoted = values.str.contains_any([self._separator, "\n", *_FRAGILE])
        self._values = self._values.append(values)
        self._sizes = np.append(self._sizes, values.str.len_bytes().to_numpy() + 2 * quoted.to_numpy())
        self.fragile |= values.filter(quoted).str.contains_any(list(_FRAGILE)).any()

    def column(self, gap: str | None) -> Column:
        """The column of all blocks, with `gap` where a cell was null."""
        values, codes = self._values, np.concatenate([np.empty(0, np.uint32), *self._codes])
        self._codes.clear()
        absent = codes == _NULL
        if absent.any():
            codes[absent] = len(values)
            values = values.append(pl.Series([gap], dtype=pl.String))
        return Column(self._name, values, codes, self._dtype)
