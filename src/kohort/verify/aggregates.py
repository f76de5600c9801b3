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
from math import prod
from typing import TYPE_CHECKING, Protocol

import numpy as np
import polars as pl

from kohort.io.cells import encode
from kohort.native.library import HASH
from kohort.system.workspace import blocks
from kohort.tables.dataset import Dataset
from kohort.tables.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts


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


def first_halves(texts: pl.Series) -> NDArray[np.uint64]:
    """(n,) the first 16 hexadecimal digits of the MD5 of each text in UTF-8, as numbers.

    >>> import polars as pl
    >>> [f"{number:016x}" for number in first_halves(pl.Series(["", "abc"])).tolist()]
    ['d41d8cd98f00b204', '900150983cd24fb0']
    """
    ends = texts.str.len_bytes().to_numpy().astype(np.int64).cumsum()
    whole: str = texts.str.join("").item()
    found = np.empty(len(texts), np.uint64)
    HASH(np.frombuffer(whole.encode(), np.uint8), ends, found)
    return found
