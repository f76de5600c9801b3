"""Defects seeded into a release of transactions in an engine: each is caught by the check whose business it is.

The source answers by definition, from sets and `hashlib`: what a database has to answer, too.
"""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from hashlib import md5
from itertools import combinations
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kohort.errors import FileError, VerificationError
from kohort.sql.duckdb import DuckDB
from kohort.transactions import io as baskets
from kohort.transactions.coherence import Coherence
from kohort.transactions.duckdb import baskets_of
from kohort.transactions.io import pieces_of
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.verify import verify_transactions
from kohort.transactions.verify.aggregated import verify_by_aggregation
from kohort.verify.verdict import BY_AGGREGATION
from tests.engines.test_baskets import frame_of
from tests.unit.transactions.drafts import BOUGHT, DROPPED, LINES, PRIVATE, PUBLIC, Draft, draft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kohort.arrays import Counts
    from kohort.transactions.verify import CoherenceClaim, CoherenceVerdict

GOOD = draft()
LONG = BasketOptions(form=Form.LONG)
BREAD_MILK = GOOD.rows.index(("bread", "milk"))
CARD_TEST = GOOD.rows.index(("card", "test"))


@dataclass(frozen=True)
class Plain:
    """Transactions that answer by definition."""

    rows: Sequence[Sequence[str]]
    title: str = "a plain source"

    def hashes(self, items: Sequence[str], key: str) -> tuple[int, int]:
        """The sum of hashes."""
        left = ["\x1f".join(item for item in items if item in row) for row in self.rows]
        total = sum(int(md5((key + one).encode()).hexdigest()[:16], 16) for one in left)  # noqa: S324  keyed
        return len(left), total % 2**64

    def sets(self, public: Sequence[str], private: Sequence[str], most: int) -> Iterator[tuple[Counts, Counts, Counts]]:
        """Every set, counted."""
        for size in range(1, most + 1):
            rows: dict[int, list[int]] = {}
            for one in combinations(public, size):
                cohort = [set(row) for row in self.rows if set(one) <= set(row)]
                if cohort:
                    rows.setdefault(len(cohort), []).append(
                        max((sum(e in row for row in cohort) for e in private), default=0)
                    )
            told = [(support, max(tops), len(tops)) for support, tops in rows.items()]
            supports, tops, sets = np.array(told, np.int64).reshape(-1, 3).T
            yield supports, tops, sets


def verdict(wrong: Draft, data: bytes | None = None) -> CoherenceVerdict:
    """The verdict on a draft."""
    written = wrong.written if data is None else data
    return verify_by_aggregation(io.BytesIO(written), wrong.claim, Plain(wrong.source))


def refused(wrong: Draft, data: bytes | None = None) -> str:
    """The check that refuses it; no item may be told with it."""
    with pytest.raises(VerificationError) as caught:
        verdict(wrong, data)
    assert not any(name in str(caught.value).split() for row in BOUGHT for name in row)
    return caught.value.where.removeprefix("check ")


def unordered(rows: Sequence[Sequence[str]]) -> bytes:
    """Basket lines as they stand."""
    return "".join(" ".join(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize("writing", [LINES, BasketOptions(separator=";"), LONG, replace(LONG, separator="\t")])
@pytest.mark.parametrize("size", [1, 9, 1 << 20])
def test_a_correct_release_gets_the_same_verdict(
    writing: BasketOptions, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many bytes are looked at together: what is found is what is found in memory."""
    monkeypatch.setattr(baskets, "_PIECE", size)
    right = replace(GOOD, writing=writing)
    found = verdict(right)
    assert (found.way, found.engine) == (BY_AGGREGATION, "a plain source")
    assert replace(found, way=right.verdict(right.written).way, engine="local") == right.verdict(right.written)


@given(
    rows=st.lists(st.frozensets(st.sampled_from(["a", "b", "c", "10", "x", "y"])), min_size=1, max_size=12),
    writing=st.sampled_from([LINES, LONG]),
    p=st.integers(1, 4),
)
@example(rows=[frozenset(one) for one in ("ax", "ax", "a", "b", "b", "b")], writing=LINES, p=1)  # most know x of an a
@example(
    rows=[frozenset("a"), frozenset("a"), frozenset("b"), frozenset("b")], writing=LINES, p=1
)  # nobody has a secret
def test_any_release_gets_the_same_verdict(rows: list[frozenset[str]], writing: BasketOptions, p: int) -> None:
    """Or is refused for its moles by all; a database answers what the definition does, as if all were in memory."""
    source = tuple(tuple(one) for one in rows)
    made = Draft(tuple(tuple(sorted(one)) for one in rows), tuple(range(len(rows)))).ordered()
    model = Coherence.of(h="0.7", k=2, p=p)
    asked = replace(made, source=source, dropped=frozenset(), coherence=model, writing=writing)
    known, hidden = frozenset({"a", "b", "c", "10"}), frozenset({"x", "y"})
    claim = replace(asked.claim, public=known, private=hidden, removed=frozenset())
    found: list[Any] = []
    sources = Plain(source), baskets_of(DUCKDB, frame_of(source, numbered=True), LONG, None, even_small=True)
    judges: list[Callable[[BinaryIO, CoherenceClaim], CoherenceVerdict]] = [verify_transactions]
    judges += [partial(verify_by_aggregation, source=one) for one in sources]
    for judge in judges:
        try:
            found.append(replace(judge(io.BytesIO(asked.written), claim), engine="", way=""))
        except VerificationError as error:
            found.append(str(error))
    assert found[1] == found[2]
    assert found[0] == found[1] or {*map(type, found)} == {str}  # of several moles another may be told


#: One for all examples.
DUCKDB = DuckDB.opened(None, None)


@pytest.mark.parametrize(
    "data",
    [
        GOOD.text.replace(b"\n", b"\r\n"),
        GOOD.text.replace(b" ", b"  ", 1),
        GOOD.text[:-1],
        GOOD.text.replace(b"bread milk\n", b"milk bread\n", 1),
        GOOD.text.replace(b"bread milk\n", b"bread milk milk\n", 1),
    ],
)
def test_bytes_that_are_not_plain(data: bytes) -> None:
    """Other line ends or blanks, items in another order or named twice."""
    assert data != GOOD.text
    assert refused(GOOD, data) == "bytes"


def test_numbers_that_do_not_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the long form, also between pieces."""
    long = replace(GOOD, writing=LONG)
    assert refused(long, long.written.replace(b"\n4,", b"\n9,")) == "bytes"
    monkeypatch.setattr(baskets, "_PIECE", 4)
    assert refused(long, long.written.replace(b"\n4,", b"\n9,")) == "bytes"


def test_names_that_nobody_would_write() -> None:
    """A mark that would vanish."""
    source = (("tea",), ("\ufeffjam",))
    odd = replace(GOOD, source=source, rows=source, lineage=(0, 1), dropped=frozenset())
    assert refused(odd, "tea\n\ufeffjam\n".encode()) == "bytes"


def test_transactions_too_few_and_too_many() -> None:
    """One is missing, one is twice."""
    assert refused(GOOD, unordered(GOOD.rows[1:])) == "transactions"
    assert refused(GOOD, unordered((GOOD.rows[0], *GOOD.rows))) == "transactions"


def test_items_that_may_not_be_there() -> None:
    """One from nowhere, and a dropped one."""
    assert refused(GOOD.at(BREAD_MILK, ("bread", "milk", "zebra"))) == "items"
    assert refused(GOOD.at(BREAD_MILK, ("bread", "milk", "tea"))) == "items"


@pytest.mark.parametrize(
    ("place", "row"), [(BREAD_MILK, ("bread",)), (CARD_TEST, ("card",)), (BREAD_MILK, ("bread", "milk", "pill"))]
)
def test_cells_that_are_missing_or_added(place: int, row: tuple[str, ...]) -> None:
    """A public one, a private one; and one that was moved."""
    assert refused(GOOD.at(place, row).ordered()) == "lineage"


def test_cells_that_change_places() -> None:
    """Every support is right, and the transactions are not."""
    other = GOOD.at(CARD_TEST, ("card", "pill")).at(GOOD.rows.index(("pill",)), ("test",))
    assert refused(other.ordered()) == "lineage"


def test_private_items_that_are_suppressed() -> None:
    """The release is the input less these, and may not be."""
    kept = [tuple(name for name in row if name != "test") for row in GOOD.rows]
    less = replace(GOOD, rows=tuple(kept), dropped=DROPPED | {"test"})
    assert {"test"} <= PRIVATE
    assert refused(less.ordered()) == "private"


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_an_order_that_tells_something(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two transactions that changed places, in one piece or in two."""
    monkeypatch.setattr(baskets, "_PIECE", size)
    rows = list(GOOD.rows)
    rows[CARD_TEST], rows[BREAD_MILK] = rows[BREAD_MILK], rows[CARD_TEST]
    assert refused(GOOD, unordered(rows)) == "order"


def test_moles_that_are_left() -> None:
    """Too small a cohort, and too large a share of a private item."""
    assert refused(replace(GOOD, coherence=Coherence.of(h="0.5", k=5, p=2))) == "coherence"
    assert refused(replace(GOOD, coherence=Coherence.of(h="0.2", k=3, p=2))) == "coherence"
    assert refused(replace(draft(lambda name: name not in {"rice", "jam"}), dropped=frozenset({"jam"}))) == "coherence"


def test_no_public_item_is_left() -> None:
    """Then only what is true of everybody is counted."""
    none = draft(lambda name: name not in PUBLIC | {"rice"})
    found = verdict(replace(none, dropped=PUBLIC))
    assert (found.cohorts, found.smallest) == (1, len(BOUGHT))


class Broken(io.BytesIO):
    """A file that the system fails to read."""

    def read(self, *_: object) -> bytes:
        """Fail."""
        raise OSError(5, "Input/output error")


def test_a_file_that_cannot_be_read() -> None:
    """The system's words, not a traceback."""
    with pytest.raises(FileError, match="Input/output error"):
        verify_by_aggregation(Broken(), GOOD.claim, Plain(GOOD.source))


@given(
    rows=st.lists(st.lists(st.sampled_from("abc"), max_size=3, unique=True), max_size=9),
    writing=st.sampled_from([LINES, LONG]),
    size=st.integers(1, 30),
)
def test_pieces_are_whole_transactions(rows: list[list[str]], writing: BasketOptions, size: int) -> None:
    """One after the other they are the file; each but the last ends where a transaction does."""
    made = Draft(tuple(map(tuple, rows)), (), writing=writing)
    found = [content for _, content in pieces_of(io.BytesIO(made.written), writing, size)]
    assert b"".join(found) == made.written
    numbers = [{line.split(b",")[0] for line in piece.splitlines()} for piece in found]
    if writing is LONG:
        assert max(Counter(number for one in numbers for number in one).values(), default=1) == 1
    assert all(piece.endswith(b"\n") for piece in found)
