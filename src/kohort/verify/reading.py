"""A release read back from its bytes, as text; whatever the bytes hold beside their cells is a fault.

A format can spell one table in many ways, and each freedom can carry what nobody looked for: a needless quote, a
dictionary's unused value, a note in a footer. So the bytes must be those of the plainest spelling. Of text that is
proved by adding them up; Parquet and IPC are written again, and the bytes must be the same.
"""

from __future__ import annotations

import hashlib
import mmap
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast

import polars as pl

from kohort.engines.table import Table
from kohort.verify.columns import check_columns, unmarked
from kohort.verify.text import Trail, conventional, delimited, inflated
from kohort.verify.verdict import Check, Claim, fault

if TYPE_CHECKING:
    from kohort.io.source import Content


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What a file holds.

    Attributes:
        table: Its cells.
        sha256: The digest of its bytes.
        size: How many they are.
    """

    table: Table
    sha256: str
    size: int


class Digest:
    """A file that keeps nothing of what is written to it but its digest."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self._sha256 = hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Take note of the bytes."""
        self._sha256.update(data)
        return len(data)

    @property
    def sha256(self) -> str:
        """The digest of what was written so far."""
        return self._sha256.hexdigest()


def read(file: BinaryIO, claim: Claim) -> Reading:
    """The release in `file`, an open file at its start, in the format that the claim names.

    Memory: the codes, 1 to 4 bytes a cell, and the distinct values; what is packed by gzip also unpacked.

    Raises:
        VerificationError: the bytes are not exactly the plain form of a table with the claimed columns.
    """
    content = content_of(file)
    if claim.is_text:
        packed = claim.format.endswith(".gz")
        trail = Trail(inflated(content) if packed else content)
        table = delimited(trail, claim)
        sha256 = digest(content) if packed else trail.sha256
    else:
        table, sha256 = _typed(file, claim), digest(content)
    if not claim.is_text or conventional(table):
        _check_canonical(table, claim, sha256)
    return Reading(unmarked(table) if claim.excel_safe else table, sha256, len(content))


def content_of(file: BinaryIO) -> Content:
    """The bytes of a file, left on disk until they are looked at where that can be."""
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # no file of the system, or one without a byte
        return file.read()


def digest(content: Content) -> str:
    """The sha256 of the bytes."""
    return hashlib.sha256(content).hexdigest()


def _typed(file: BinaryIO, claim: Claim) -> Table:
    """The table in Parquet or Arrow IPC, one column in memory at a time."""
    from kohort.io.cells import as_text, encode  # noqa: PLC0415  what a typed cell is as text, as the input was read

    file.seek(0)
    try:
        lazy = pl.scan_parquet(file) if claim.format == "parquet" else pl.scan_ipc(file)
        schema = lazy.collect_schema()
        check_columns(schema.names(), claim.schema)
        for name, dtype in schema.items():
            if isinstance(dtype, pl.Categorical | pl.Enum) or dtype.is_nested() or dtype.is_object():
                raise fault(Check.BYTES, "a dictionary or nested column may hold values of no record", column=name)
        columns = tuple(
            encode(name, as_text(lazy.select(pl.nth(place)).collect().to_series()), dtype)
            for place, (name, dtype) in enumerate(schema.items())
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:  # whose message may quote cells
        raise fault(Check.BYTES, f"the {claim.format} file cannot be read ({type(error).__name__})") from None
    return Table(columns, len(columns[0].codes))


def _check_canonical(table: Table, claim: Claim, sha256: str) -> None:
    """The bytes are those that the cells give when they are written again."""
    from kohort.io.write import Format, write  # noqa: PLC0415  the writer defines the form, not what is in it

    again = Digest()
    write(table, cast("BinaryIO", again), Format(claim.format), separator=claim.separator)
    if again.sha256 != sha256:
        what = "the bytes are not the plain form of their cells: a leftover value, a note, statistics, another encoding"
        raise fault(Check.BYTES, what)
