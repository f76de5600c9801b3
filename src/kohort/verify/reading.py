"""A release read back from its bytes, as text; whatever the bytes hold beside their cells is a fault.

A format can spell one table in many ways, and each freedom can carry what nobody looked for: a needless quote, a
dictionary's unused value, a note in a footer. So the cells are written again, as plainly as can be, and the bytes must
be the same.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import polars as pl

from kohort.engines.table import Column, Table
from kohort.verify.columns import check_columns, ordered
from kohort.verify.text import Encoder, delimited
from kohort.verify.verdict import Check, Claim, fault

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Bytes taken at a time: enough for polars to use its threads, few enough for memory to be used again and again.
BLOCK: Final = 1 << 23


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What a file holds.

    Attributes:
        table: Its cells; the values of each column ascend by their bytes, null first.
        sha256: The digest of its bytes.
        size: How many they are.
    """

    table: Table
    sha256: str
    size: int


class _Digest:
    """A file that keeps nothing of what is written to it but digest and size."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        """Take note of the bytes."""
        self._sha256.update(data)
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is kept back."""

    @property
    def sha256(self) -> str:
        """The digest of what was written so far."""
        return self._sha256.hexdigest()


def read(file: BinaryIO, claim: Claim) -> Reading:
    """The release in `file`, read from where it stands, in the format that the claim names.

    Memory: the codes, 1 to 4 bytes a cell, and the distinct values; a few blocks of text on the way.

    Raises:
        VerificationError: the bytes are not exactly the plain form of a table with the claimed columns.
    """
    digest = _Digest()
    blocks = _blocks(file, digest)
    if claim.is_text:
        table = ordered(delimited(blocks, claim), excel_safe=claim.excel_safe)
    else:
        for _ in blocks:
            pass
        table = ordered(_typed(file, claim))
        _check_canonical(table, claim.format, digest)
    return Reading(table, digest.sha256, digest.size)


def _blocks(file: BinaryIO, digest: _Digest) -> Iterator[bytes]:
    for block in iter(lambda: file.read(BLOCK), b""):
        digest.write(block)
        yield block


def _typed(file: BinaryIO, claim: Claim) -> Table:
    """The table in Parquet or Arrow IPC, one column in memory at a time."""
    from kohort.io.cells import as_text  # noqa: PLC0415  what a typed cell is as text, as the input was read

    file.seek(0)
    try:
        lazy = pl.scan_parquet(file) if claim.format == "parquet" else pl.scan_ipc(file)
        schema = lazy.collect_schema()
        check_columns(schema.names(), claim.schema)
        for name, dtype in schema.items():
            if isinstance(dtype, pl.Categorical | pl.Enum) or dtype.is_nested() or dtype.is_object():
                raise fault(Check.BYTES, "a dictionary or nested column may hold values of no record", column=name)
        columns = tuple(
            _encoded(name, as_text(lazy.select(pl.nth(place)).collect().to_series()), dtype)
            for place, (name, dtype) in enumerate(schema.items())
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:  # whose message may quote cells
        raise fault(Check.BYTES, f"the {claim.format} file cannot be read ({type(error).__name__})") from None
    return Table(columns, len(columns[0].codes))


def _encoded(name: str, texts: pl.Series, dtype: pl.DataType) -> Column:
    encoder = Encoder(name, dtype)
    encoder.take(texts)
    return encoder.column(None)


def _check_canonical(table: Table, format_: str, found: _Digest) -> None:
    """The bytes are those that the plain columns give when they are written again."""
    from kohort.io.write import Format, write  # noqa: PLC0415  the writer defines the form, not what is in it

    again = _Digest()
    write(table, cast("BinaryIO", again), Format(format_))
    if again.sha256 != found.sha256:
        what = "the bytes are not the plain form of their cells: a leftover value, a note, statistics, another encoding"
        raise fault(Check.BYTES, what)
