"""What the verifier asks of records that are in nobody's memory: groups, their sizes, and sums of hashes.

A relation has columns, the distinct values of each, and the distinct tuples of some with a keyed sum of hashes of
others. `tuples_in` answers for a table in memory; an engine answers where the records lie. Every cell is the text
that `kohort.io.cells` makes of it, and a null is a null.

The hash of a record's cells c1, c2, … is the number that the first 16 hexadecimal digits of

    md5(key + told(c1) + told(c2) + …)    with told(c) = its length in characters, a colon and its text, or - for a null

say, all of it UTF-8; characters are Unicode code points. In SQL, with the key as a literal:

    md5('key' || coalesce(length(c1) || ':' || c1, '-') || coalesce(length(c2) || ':' || c2, '-'))

The key is 32 fresh hexadecimal digits that nobody who made the records knows, so md5 serves as a keyed hash: what
collides with an unknown prefix cannot be looked for. Sums are taken modulo 2^64.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from math import floor, prod, sin
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
import polars as pl

from kohort.io.cells import encode
from kohort.kernels import kernel
from kohort.tables.dataset import Dataset
from kohort.tables.table import Column, Table
from kohort.workspace import blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index


@dataclass(frozen=True, slots=True)
class Hashed:
    """Columns whose cells are hashed, record by record, and how.

    Attributes:
        columns: Their names, in the order in which the hash takes them.
        key: What is hashed before them; drawn anew where none is given.
        nulls: Whether a null differs from the empty text; it is the empty text in a release that has no nulls (CSV).
    """

    columns: tuple[str, ...]
    key: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    nulls: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Tuples:
    """Distinct tuples of some columns.

    Attributes:
        table: The columns, in the order in which they were asked for; one record for each of t tuples.
        counts: (t,) records with each tuple.
        sums: (t,) the sum of these records' hashes; zeros where no columns were hashed.
    """

    table: Table
    counts: Counts
    sums: NDArray[np.uint64]


class Relation(Dataset, Protocol):
    """Records that lie anywhere, and the groups of them that a verifier asks for.

    Answers are texts, in no promised order. An answer that this process's memory cannot hold is a `LimitError`, by an
    estimate made before it is fetched; so is `collect`, where the records do not fit.
    """

    def tuples(self, columns: Sequence[str], hashed: Hashed | None = None) -> Tuples:
        """The distinct tuples of some columns, at least one; a null equals a null."""
        ...


def hashes(columns: Sequence[pl.Series], hashed: Hashed) -> NDArray[np.uint64]:
    """(n,) the hash of each record's cells, given as texts; the definition is that of this module.

    >>> from hashlib import md5
    >>> some = Hashed(("a", "b"), key="k")
    >>> int(hashes([pl.Series(["x"]), pl.Series([None], dtype=pl.String)], some)[0]) == int(
    ...     md5(b"k1:x-").hexdigest()[:16], 16
    ... )
    True
    """
    frame = pl.DataFrame({str(place): column for place, column in enumerate(columns)})
    if not hashed.nulls:
        frame = frame.fill_null("")
    told = [pl.concat_str(pl.col(name).str.len_chars(), pl.lit(":"), name).fill_null("-") for name in frame.columns]
    return first_halves(frame.select(pl.concat_str(pl.lit(hashed.key), *told)).to_series())


def summed(keys: pl.DataFrame, records: NDArray[np.int64], sums: NDArray[np.uint64]) -> pl.DataFrame:
    """The different rows of `keys`, with the sums of their `records` and, modulo 2^64, of their `sum`.

    >>> summed(pl.DataFrame({"0": ["a", "a"]}), np.array([1, 2]), np.array([1, 2**64 - 1], np.uint64)).rows()
    [('a', 3, 0)]
    """
    half = np.uint64(32)
    parts = {"records": records, "high": sums >> half, "low": sums & np.uint64((1 << 32) - 1)}
    found = keys.with_columns(pl.Series(name, part) for name, part in parts.items())
    found = found.group_by(keys.columns).agg(pl.col(*parts).sum())
    whole = (found["high"].to_numpy() << half) + found["low"].to_numpy()
    return found.drop("high", "low").with_columns(pl.Series("sum", whole))


def as_texts(table: Table) -> pl.DataFrame:
    """The cells of a table, its columns called by their places: two of them may have any name."""
    return pl.DataFrame({str(place): one.cells() for place, one in enumerate(table.columns)})


def tuples_of(found: pl.DataFrame, columns: Sequence[Column]) -> Tuples:
    """Tuples that were summed: of the columns' codes, or of texts."""
    made: list[Column] = []
    for place, column in enumerate(columns):
        key = found[str(place)]
        if key.dtype == pl.String:
            made.append(encode(column.name, key, column.dtype))
        else:
            made.append(replace(column, codes=key.to_numpy()))
    return Tuples(Table(tuple(made), len(found)), found["records"].to_numpy(), found["sum"].to_numpy())


def tuples_in(table: Table, columns: Sequence[str], hashed: Hashed | None = None) -> Tuples:
    """The distinct tuples of some columns of a table in memory: the plain way, that others are held against.

    >>> from kohort.io.typed import from_frame
    >>> people = from_frame(pl.DataFrame({"age": ["31", "31", "45"], "sex": ["f", "m", "f"]}))
    >>> found = tuples_in(people, ["age"], Hashed(("sex",)))
    >>> sorted(zip(found.table["age"].cells(), found.counts.tolist()))
    [('31', 2), ('45', 1)]
    """
    taken = [table[name] for name in columns]
    frame = pl.DataFrame({str(place): column.codes for place, column in enumerate(taken)})
    sums = np.zeros(table.records, np.uint64) if hashed is None else _hashes_in(table, hashed)
    return tuples_of(summed(frame, np.ones(table.records, np.int64), sums), taken)


def _hashes_in(table: Table, hashed: Hashed) -> NDArray[np.uint64]:
    """(n,) the hash of each record; of few possible records once for each of these."""
    columns = [table[name] for name in hashed.columns]
    of_record = np.empty(table.records, np.uint64)
    sizes = tuple(max(len(column.values), 1) for column in columns)
    if prod(sizes) <= table.records:
        every = np.unravel_index(np.arange(prod(sizes)), sizes)
        found = hashes([one.values.gather(codes) for one, codes in zip(columns, every, strict=True)], hashed)
        for some in blocks(table.records):
            of_record[some] = found.take(np.ravel_multi_index(tuple(one.codes[some] for one in columns), sizes))
        return of_record
    for some in blocks(table.records):
        of_record[some] = hashes([one.values.gather(one.codes[some]) for one in columns], hashed)
    return of_record


#: The constant of each of the 64 steps.
_SINES: Final = np.array([floor(2**32 * abs(sin(step + 1))) for step in range(64)], np.uint64)

#: By how many bits each step rotates: four steps after one another, again and again, in each of four rounds.
_BITS: Final = np.array(
    [(7, 12, 17, 22)[at % 4] for at in range(16)]
    + [(5, 9, 14, 20)[at % 4] for at in range(16)]
    + [(4, 11, 16, 23)[at % 4] for at in range(16)]
    + [(6, 10, 15, 21)[at % 4] for at in range(16)],
    np.uint64,
)

#: What is left of a sum.
_MASK: Final = np.uint64(0xFFFFFFFF)

#: What the digest of every text begins with.
_FIRST: Final = np.array([0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476], np.uint64)


def first_halves(texts: pl.Series) -> NDArray[np.uint64]:
    """(n,) the first 16 hexadecimal digits of the MD5 of each text in UTF-8, as numbers.

    >>> import polars as pl
    >>> [f"{number:016x}" for number in first_halves(pl.Series(["", "abc"])).tolist()]
    ['d41d8cd98f00b204', '900150983cd24fb0']
    """
    ends = texts.str.len_bytes().to_numpy().astype(np.int64).cumsum()
    whole: str = texts.str.join("").item()
    found = np.tile(_FIRST, (len(texts), 1))
    _digest(np.frombuffer(whole.encode(), np.uint8), ends, np.empty(16, np.uint64), found)
    words: NDArray[np.uint32] = found[:, :2].astype("<u4")
    return np.ascontiguousarray(words).view(">u8").astype(np.uint64).ravel()


@kernel
def _digest(text: NDArray[np.uint8], ends: Index, words: NDArray[np.uint64], found: NDArray[np.uint64]) -> None:
    """Mix each text into the four words that its digest begins with; `words` is room for a block of 64 bytes."""
    start = 0
    for place in range(ends.size):
        end, digest = ends[place], found[place]
        last = (end - start + 8) // 64  # a byte 0x80 and the length follow the text
        for block in range(last + 1):
            _fill(text, start + 64 * block, end, words)
            if block == last:
                bits = np.uint64(8 * (end - start))
                words[14], words[15] = bits & _MASK, bits >> np.uint64(32)
            _mix(words, digest)
        start = end


@kernel
def _fill(text: NDArray[np.uint8], start: int, end: int, words: NDArray[np.uint64]) -> None:
    """The 16 words of a block of a text, and what stands behind its end."""
    for word in range(16):
        held = np.uint64(0)
        for byte in range(4):
            at = start + 4 * word + byte
            if at < end:
                held |= np.uint64(text[at]) << np.uint64(8 * byte)
            elif at == end:
                held |= np.uint64(0x80) << np.uint64(8 * byte)
        words[word] = held


@kernel
def _mix(words: NDArray[np.uint64], digest: NDArray[np.uint64]) -> None:
    a, b, c, d = digest[0], digest[1], digest[2], digest[3]
    for step in range(16):
        mixed = a + ((b & c) | (~b & d)) + _SINES[step] + words[step]
        a, b, c, d = d, _turned(b, mixed, _BITS[step]), b, c
    for step in range(16):
        mixed = a + ((d & b) | (~d & c)) + _SINES[16 + step] + words[(5 * step + 1) % 16]
        a, b, c, d = d, _turned(b, mixed, _BITS[16 + step]), b, c
    for step in range(16):
        mixed = a + (b ^ c ^ d) + _SINES[32 + step] + words[(3 * step + 5) % 16]
        a, b, c, d = d, _turned(b, mixed, _BITS[32 + step]), b, c
    for step in range(16):
        mixed = a + (c ^ (b | (~d & _MASK))) + _SINES[48 + step] + words[7 * step % 16]
        a, b, c, d = d, _turned(b, mixed, _BITS[48 + step]), b, c
    digest[0], digest[1] = (digest[0] + a) & _MASK, (digest[1] + b) & _MASK
    digest[2], digest[3] = (digest[2] + c) & _MASK, (digest[3] + d) & _MASK


@kernel
def _turned(word: np.uint64, mixed: np.uint64, bits: np.uint64) -> np.uint64:
    """The word, and what was mixed, rotated by so many bits."""
    mixed &= _MASK
    return (word + ((mixed << bits) | (mixed >> (np.uint64(32) - bits)))) & _MASK
