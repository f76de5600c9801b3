"""What verification says of transactions in memory and in files."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import FileError, VerificationError
from kohort.io.baskets.options import BasketOptions, Form
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions, in_item_order
from kohort.verify.transactions import CoherenceClaim, verify_database, verify_transactions
from tests.unit.verify.baskets import draft

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

GOOD = draft()


def test_in_memory_there_are_no_bytes() -> None:
    """The same is found as in the file, but for what concerns its bytes."""
    found, read = verify_database(GOOD.database, GOOD.claim), GOOD.verdict()
    checks = {check: number for check, number in read.checks.items() if check != "bytes"}
    assert found == replace(read, sha256="", checks=checks)


def test_in_memory_the_form_of_the_file_is_no_matter() -> None:
    """A release that is to be written as a matrix without a header is judged by its names while it is in memory."""
    claim = replace(GOOD, writing=BasketOptions(form=Form.MATRIX)).claim
    assert verify_database(GOOD.database, claim).items == 5


def test_items_in_another_order() -> None:
    """Where numbers are left of names of all sorts, they still stand in the order that the input has."""
    rows = [["10", "9"], ["10", "9"], ["10"], ["tea"]]
    released = Transactions(("9", "10"), np.array([0, 0, 1, 3, 5]), np.array([1, 0, 1, 0, 1], np.int32))
    claim = CoherenceClaim(
        Transactions.of(rows),
        Coherence.of(h="1", k=2, p=2),
        public=frozenset({"9", "10", "tea"}),
        private=frozenset(),
        dropped=frozenset({"tea"}),
        lineage=np.array([3, 2, 0, 1]),
    )
    assert verify_database(released, claim).confidence == (0, 1)
    assert verify_transactions(_file(b"\n10\n10 9\n10 9\n"), claim).cells == 5
    with pytest.raises(VerificationError):
        verify_transactions(_file(b"\n10\n9 10\n9 10\n"), claim)


def test_nothing() -> None:
    """In a database of no transactions no set occurs; a file that is to hold one has no byte, so it is no release."""
    claim = CoherenceClaim(
        Transactions.of([]), Coherence.of(h="0.5", k=2, p=2), frozenset(), frozenset(), frozenset(), np.arange(0)
    )
    verdict = verify_database(Transactions.of([]), claim)
    assert (verdict.cohorts, verdict.smallest, verdict.confidence, dict(verdict.checks)) == (0, 0, (0, 1), {})
    with pytest.raises(VerificationError, match="check bytes"):
        verify_transactions(_file(b""), claim)


def test_a_matrix_without_a_header_keeps_its_columns() -> None:
    """Items are called by their places: a suppressed one leaves a column of zeros, and one column less is missed."""
    source = Transactions.of([["0", "1"], ["0", "2"], ["0"]])
    claim = CoherenceClaim(
        source,
        Coherence.of(h="0.5", k=2, p=2),
        public=frozenset({"0", "2"}),
        private=frozenset({"1"}),
        dropped=frozenset({"2"}),
        lineage=np.array([1, 2, 0]),
        writing=BasketOptions(form=Form.MATRIX, separator=" "),
    )
    verdict = verify_transactions(_file(b"1 0 0\n1 0 0\n1 1 0\n"), claim)
    assert (verdict.items, verdict.cells, verdict.checks["items"]) == (2, 4, 3)
    for wrong in (b"1 0\n1 0\n1 1\n", b"1 0 1\n1 0 0\n1 1 0\n", b"1 0 0 0\n1 0 0 0\n1 1 0 0\n"):
        with pytest.raises(VerificationError) as caught:
            verify_transactions(_file(wrong), claim)
        assert caught.value.where == "check items"


def test_a_name_that_nobody_would_write() -> None:
    """Bytes that hold a name which cannot be written in their form are not the plain ones of their transactions."""
    source = Transactions.of([["tea"], ["\ufeffjam"]])
    claim = CoherenceClaim(
        source, Coherence.of(h="0.5", k=1, p=1), frozenset(source.names), frozenset(), frozenset(), np.arange(2)
    )
    with pytest.raises(VerificationError, match="bytes"):
        verify_transactions(_file("tea\n\ufeffjam\n".encode()), claim)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """The system's own failure is told as such."""
    path = tmp_path / "safe.dat"
    path.write_bytes(GOOD.text)
    with path.open("ab") as file, pytest.raises(FileError):
        verify_transactions(file, GOOD.claim)


@given(
    st.lists(st.sets(st.sampled_from("abcdxy")), max_size=12),
    st.integers(1, 3),
    st.fractions(0, 1, max_denominator=5),
)
def test_accepted_exactly_where_no_set_is_a_mole(rows: list[set[str]], p: int, h: Fraction) -> None:
    """A database with nothing suppressed is accepted exactly if the definition finds no mole in it."""
    model, public, private = Coherence(h, 2, p), frozenset("abcd"), frozenset("xy")
    ordered = sorted(tuple(sorted(row)) for row in rows)
    database = Transactions.of(ordered)
    claim = CoherenceClaim(database, model, public, private, frozenset(), np.arange(len(rows)))
    moles = 0
    for known in _sets(in_item_order(public), p):
        cohort = [row for row in rows if known <= row]
        most = max(sum(item in row for row in cohort) for item in private)
        moles += bool(cohort) and (model.is_rare(len(cohort)) or model.is_breached(len(cohort), most))
    if moles:
        with pytest.raises(VerificationError, match="check coherence"):
            verify_database(database, claim)
    else:
        assert verify_database(database, claim).transactions == len(rows)


def _sets(names: tuple[str, ...], p: int) -> list[frozenset[str]]:
    """Every set of at most p names."""
    found = [frozenset[str]()]
    for name in names:
        found += [one | {name} for one in found if len(one) < p]
    return found


def _file(data: bytes) -> io.BytesIO:
    return io.BytesIO(data)


def test_every_byte_of_a_long_file_counts() -> None:
    """Of a file that is written in many pieces the first is compared as the last is."""
    many = Transactions.of([["milk", "tea"]] * 40_000)
    claim = CoherenceClaim(
        many,
        Coherence.of(h="1", k=2, p=1),
        public=frozenset(many.names),
        private=frozenset(),
        dropped=frozenset(),
        lineage=np.arange(len(many)),
    )
    text = b"milk tea\n" * len(many)
    assert verify_transactions(_file(text), claim).transactions == len(many)
    with pytest.raises(VerificationError) as caught:
        verify_transactions(_file(text.replace(b"milk tea", b"tea milk", 1)), claim)
    assert caught.value.where == "check bytes"
