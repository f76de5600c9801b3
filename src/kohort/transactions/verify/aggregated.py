"""Judge a released transaction database that no memory holds: what was written against what lies elsewhere.

The written file is read again, some transactions at a time, and the keyed hash of each is added up (see
`kohort.verify.aggregates`). Where the source lies, each transaction's hash is made of its items less the suppressed
ones. As many transactions with the same sum are the same transactions, so what is counted there of the source less
these items is true of the file: in how many transactions each set of at most p public items is, and how many of them
have each private item. All such sets are listed, with none of the bounds by which a search passes some over.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, BinaryIO, Protocol

import numpy as np
import polars as pl

from kohort.native.library import DESCENTS
from kohort.transactions.database import places_of
from kohort.transactions.io import pieces_of
from kohort.transactions.io.write import UNIT, spelled
from kohort.transactions.verify import (
    CoherenceCheck,
    check_bytes,
    check_items,
    check_number,
    check_suppressed,
    read_released,
    refuse_moles,
    verdict_of,
)
from kohort.transactions.verify.cohorts import Cohorts
from kohort.verify.aggregates import first_halves
from kohort.verify.reading import Digest
from kohort.verify.verdict import BY_AGGREGATION, fault, reading_release

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.arrays import Counts
    from kohort.transactions.database import Transactions
    from kohort.transactions.verify import CoherenceClaim, CoherenceVerdict


class BasketSource(Protocol):
    """Transactions elsewhere, as verification asks for them: of their records, again."""

    @property
    def title(self) -> str:
        """What answers, with its version."""
        ...

    def hashes(self, items: Sequence[str], key: str) -> tuple[int, int]:
        """How many transactions there are, and the sum of the hashes of what they have of some items, modulo 2^64.

        A hash is the number that the first 16 hexadecimal digits of the MD5 say of the key and the names of a
        transaction's items, in the order in which they are given here, with U+001F between them.
        """
        ...

    def sets(self, public: Sequence[str], private: Sequence[str], most: int) -> Iterator[tuple[Counts, Counts, Counts]]:
        """All sets of public items that occur, by how many these are: from 1 up to `most`.

        Of each size (s,) the different numbers of transactions that sets are in; the most transactions of such a set
        that have one private item; and how many sets there are of each.
        """
        ...


def verify_by_aggregation(file: BinaryIO, claim: CoherenceClaim, source: BasketSource) -> CoherenceVerdict:
    """What is true of the transaction database in `file`, an open file at its start.

    Args:
        file: Basket lines or the long form.
        claim: What the release says of itself; its lineage is not looked at.
        source: The input.
    """
    written = _Written(claim)
    with reading_release():
        for header, content in pieces_of(file, claim.writing):
            written.take(header, content)
    gone = claim.removed | claim.dropped
    left = [name for name in claim.source.names if name not in gone]
    transactions, total = source.hashes(left, written.key)
    check_number(written.transactions, claim)
    check_number(transactions, claim)
    if written.total != total:
        what = "the transactions are not the input's less what was suppressed"
        raise fault(CoherenceCheck.LINEAGE, what)
    check_suppressed(claim)
    if written.disordered:
        what = f"{written.disordered:,} transactions stand before one that their content comes after"
        raise fault(CoherenceCheck.ORDER, what)
    cohorts = _cohorts(claim, source, left, written)
    refuse_moles(cohorts, claim.coherence)
    supports = zip(claim.source.names, written.supports.tolist(), strict=True)
    items = {name: support for name, support in supports if support}
    sha256, size = written.digest.sha256, written.size
    found = verdict_of(written.transactions, items, claim, cohorts, sha256=sha256, size=size)
    return replace(found, way=BY_AGGREGATION, engine=source.title)


@dataclass(slots=True)
class _Written:
    """What was found in the written file so far."""

    claim: CoherenceClaim
    key: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    transactions: int = 0
    total: int = 0
    disordered: int = 0
    size: int = 0
    supports: Counts = field(init=False)
    _last: list[int] = field(default_factory=list[int])
    digest: Digest = field(default_factory=Digest)

    def __post_init__(self) -> None:
        self.supports = np.zeros(len(self.claim.source.names), np.int64)

    def take(self, header: bytes, content: bytes) -> None:
        """Look at some transactions; the header has to stand before them.

        Raises:
            VerificationError: they are not written plainly, or have items that they may not have.
        """
        self.size += len(content)
        self.digest.write(content)
        read = read_released(header + content, self.claim.writing)
        database = check_items(read, self.claim)
        check_bytes(content, database, self.claim.writing, self.transactions)
        places = np.array(places_of(database.names, self.claim.source.names)[0], np.int32)
        cells = places[database.cells]
        self.supports += np.bincount(cells, minlength=self.supports.size)
        first: list[int] = cells[: database.starts[1]].tolist()
        self.disordered += int(self._last > first) + DESCENTS(database.starts, cells)
        self._last = cells[database.starts[-2] :].tolist()
        self.transactions += len(database)
        self.total = (self.total + _hashed(database, self.key)) % (1 << 64)


def _hashed(database: Transactions, key: str) -> int:
    lines = b"".join(piece.tobytes() for piece in spelled(database, UNIT)).decode()
    texts = pl.Series([lines[:-1]]).str.split("\n").explode()
    hashes = first_halves(pl.select(pl.concat_str(pl.lit(key), texts)).to_series())
    return int(hashes.sum(dtype=np.uint64))


def _cohorts(claim: CoherenceClaim, source: BasketSource, left: Sequence[str], written: _Written) -> Cohorts:
    n = written.transactions
    private = [name for name in left if name in claim.private]
    public = [name for name in left if name in claim.public]
    named = zip(claim.source.names, written.supports.tolist(), strict=True)
    together = max((support for name, support in named if name in claim.private), default=0)
    sets, smallest, greatest = 1, n, (Fraction(together, n), together, n)
    for supports, tops, counts in source.sets(public, private, claim.coherence.p) if public else ():
        if not counts.size:
            break
        sets += int(counts.sum())
        smallest = min(smallest, int(supports.min()))
        shares = zip(tops.tolist(), supports.tolist(), strict=True)
        greatest = max(greatest, *((Fraction(*share), *share) for share in shares))
    return Cohorts(sets, smallest, *greatest[1:])
