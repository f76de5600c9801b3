"""Delimited text, taken apart a block at a time, every byte of it accounted for."""

from __future__ import annotations

import codecs
import csv
import io
import zlib
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.engines.table import Column, Table
from kohort.verify.columns import check_columns, plain
from kohort.verify.verdict import Check, Claim, fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

#: Text that has to stand in quotes, besides the separator; a byte order mark would vanish at the start of a file.
_SPECIAL: Final = ('"', "\r", "\n", "\ufeff")

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
    encoders = [Encoder(name, pl.String()) for name in names]
    for text in _body(records, claim, separator):
        frame = _parsed(text, names, separator)
        for encoder, series in zip(encoders, frame, strict=True):
            encoder.take(series)
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
        text = rest + block
        end = text.rfind(b"\n") + 1
        while text.count(b'"', 0, end) % 2:
            end = text.rfind(b"\n", 0, end - 1) + 1
        if end:
            yield text[:end]
        rest = text[end:]
    if rest:
        raise fault(Check.BYTES, "the text does not end with a complete line")


def _body(records: Iterator[bytes], claim: Claim, separator: str) -> Iterator[bytes]:
    """The text of the records, after the header that is due."""
    first = next(records, b"")
    if first.startswith(codecs.BOM_UTF8):
        raise fault(Check.BYTES, "the text starts with a byte order mark")
    header, end, rest = first.partition(b"\n")
    names = [name for line in csv.reader([header.decode(errors="replace")], delimiter=separator) for name in line]
    check_columns(plain(pl.Series(names, dtype=pl.String), excel_safe=claim.excel_safe).to_list(), claim.schema)
    cells = pl.DataFrame([pl.Series(str(place), [name]) for place, name in enumerate(names)])
    if _written(cells, separator) != header + end:
        raise fault(Check.BYTES, "the header has needless quotes or another line end")
    if rest:
        yield rest
    yield from records


def _parsed(text: bytes, names: Sequence[str], separator: str) -> pl.DataFrame:
    """The cells of whole records, from which every byte of the text follows."""
    try:
        frame = pl.read_csv(text, has_header=False, schema=dict.fromkeys(names, pl.String), separator=separator)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:  # whose message may quote cells
        raise fault(Check.BYTES, f"the text is not well formed ({type(error).__name__})") from None
    if b"\0" in text or not _is_plain(text, frame, separator):
        what = "the bytes are not the plain form of their cells: "
        raise fault(Check.BYTES, what + "carriage returns, needless quotes, NUL, or lines that are blank or too short")
    return frame


def _is_plain(text: bytes, frame: pl.DataFrame, separator: str) -> bool:
    """Whether the text is what its cells give when written with no more quotes than needed.

    Text without any quote needs no writing: its cells are what lies between separators and line ends, so that the
    number of bytes tells whether all separators are there.
    """
    if b'"' in text or frame.width == 1:
        return _written(frame, separator) == text
    if b"\r" in text or codecs.BOM_UTF8 in text:
        return False
    letters = frame.select(pl.sum_horizontal(pl.all().str.len_bytes().cast(pl.Int64).sum())).item()
    return int(letters) + frame.width * frame.height == len(text)


def _written(frame: pl.DataFrame, separator: str) -> bytes:
    """The cells as text, quoted where they must be, and where a lone empty cell would be a blank line."""
    cell = pl.all()
    special = cell.str.contains_any([separator, *_SPECIAL])
    if frame.width == 1:
        cell = cell.fill_null("")
        special = cell.str.contains_any([separator, *_SPECIAL]) | (cell == "")
    quoted = pl.lit('"') + cell.str.replace_all('"', '""', literal=True) + pl.lit('"')
    file = io.BytesIO()
    shown = frame.select(pl.when(special).then(quoted).otherwise(cell).name.keep())
    shown.write_csv(file, include_header=False, separator=separator, quote_style="never")
    return file.getvalue()


class Encoder:
    """One column, put together from blocks by a dictionary of its own."""

    def __init__(self, name: str, dtype: pl.DataType) -> None:
        """An empty column."""
        self._name = name
        self._dtype = dtype
        self._categories = pl.Categories.random()
        self._physical = pl.Categorical(self._categories)
        self._alive = pl.Series(dtype=self._physical)  # polars forgets categories that no series uses
        self._codes: list[NDArray[np.uint32]] = []

    def take(self, texts: pl.Series) -> None:
        """Add the cells of a block."""
        physical = texts.cast(self._physical).to_physical().fill_null(_NULL)
        self._codes.append(physical.to_numpy())

    def column(self, gap: str | None) -> Column:
        """The column of all blocks, with `gap` where a cell was null."""
        values = self._categories.to_series()
        codes = np.concatenate([np.empty(0, np.uint32), *self._codes])
        self._codes.clear()
        absent = codes == _NULL
        if absent.any():
            codes[absent] = len(values)
            values = values.append(pl.Series([gap], dtype=pl.String))
        return Column(self._name, values.alias(self._name), codes, self._dtype)
