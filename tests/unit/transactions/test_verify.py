"""What verification says of transactions in memory and in files, and every cohort counted anew."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import FileError, VerificationError
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions, in_item_order
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.verify import CoherenceClaim, verify_database, verify_transactions
from kohort.transactions.verify.cohorts import Cohorts, count_cohorts
from tests.unit.transactions.drafts import draft

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path


GOOD = draft()


def test_in_memory_there_are_no_bytes() -> None:
    """The same is found as in the file, but for what concerns its bytes."""
    found, read = verify_database(GOOD.database, GOOD.claim), GOOD.verdict()
    checks = {check: number for check, number in read.checks.items() if check != "bytes"}
    assert found == replace(read, sha256="", checks=checks)


def test_every_check_tells_how_much_it_compared() -> None:
    """Of thirteen cells five are of items that are not public; the cohorts are of bread, milk, both, and neither."""
    counts = {"transactions": 8, "items": 5, "lineage": 13, "private": 5, "coherence": 4, "order": 8}
    assert GOOD.verdict().checks == {"bytes": len(GOOD.text), **counts}


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


def plainly(database: Transactions, public: list[int], private: list[int], p: int) -> Cohorts:
    """The same by looking at every transaction for every set."""
    rows = [frozenset(one) for one in database.sets()]
    names = [database.names[item] for item in public]
    sizes = range(min(p, len(names)) + 1)
    found: list[tuple[int, int]] = []
    for known in (frozenset(one) for size in sizes for one in combinations(names, size)):
        cohort = [row for row in rows if known <= row]
        most = max((sum(database.names[item] in row for row in cohort) for item in private), default=0)
        if cohort:
            found.append((len(cohort), most))
    support, most = max(found, key=lambda one: one[1] / one[0])
    return Cohorts(len(found), min(size for size, _ in found), most, support)


@st.composite
def databases(draw: st.DrawFn) -> tuple[Transactions, list[int], list[int]]:
    """A database with at least one transaction, its public items and its private ones."""
    names = [str(number) for number in range(draw(st.integers(1, 8)))]
    rows = draw(st.lists(st.sets(st.sampled_from(names)), min_size=1, max_size=24))
    database = Transactions.of(rows)
    kinds = draw(st.lists(st.sampled_from("PPPSSN"), min_size=8, max_size=8))
    public, private = ([item for item in range(len(database.names)) if kinds[item] == kind] for kind in "PS")
    return database, public, private


def counted(database: Transactions, public: list[int], private: list[int], p: int, least: int = 1) -> Cohorts:
    """What verification counts."""
    items = np.arange(len(database.names))
    return count_cohorts(database, np.isin(items, public), np.isin(items, private), p=p, least=least)


@given(databases(), st.integers(1, 9))
def test_every_set_is_counted(drawn: tuple[Transactions, list[int], list[int]], p: int) -> None:
    """Sets, smallest cohort and greatest share are those that looking at every transaction gives."""
    sets, smallest, together, support = counted(*drawn, p)
    plain = plainly(*drawn, p)
    assert (sets, smallest) == (plain.sets, plain.smallest)
    assert together * plain.support == plain.together * support


@pytest.mark.parametrize("together", list(permutations((1, 2, 3))))
def test_the_commonest_private_item_counts(together: tuple[int, ...]) -> None:
    """Of several in a cohort the one in most transactions, whichever is met first or last."""
    rows = [["tea", secret] for secret, times in zip("xyz", together, strict=True) for _ in range(times)]
    database = Transactions.of([*rows, *([["jam"]] * 6)])
    assert counted(database, [0, 1], [2, 3, 4], 1) == Cohorts(3, 6, 3, 6)


@given(databases(), st.integers(1, 4), st.integers(2, 6))
def test_it_stops_at_a_cohort_that_is_too_small(
    drawn: tuple[Transactions, list[int], list[int]], p: int, least: int
) -> None:
    """A smallest cohort below the least is found exactly where there is one."""
    assert (counted(*drawn, p, least).smallest < least) is (plainly(*drawn, p).smallest < least)


def test_no_transactions() -> None:
    """Without a transaction not even the empty set occurs, and nothing can be inferred."""
    assert counted(Transactions.of([]), [], [], 3) == Cohorts(0, 0, 0, 1)


@pytest.mark.parametrize("rows", [[[], []], [["0"], []]])
def test_no_public_item(rows: list[list[str]]) -> None:
    """Where no public item occurs only the empty set does."""
    database = Transactions.of(rows)
    assert counted(database, [], list(range(len(database.names))), 3).sets == 1


def test_transactions_alike_in_many_ways() -> None:
    """Groups that fall on one another in the hash table are told apart: 300 different ones are 300 cohorts and more."""
    rows = [[str(first), str(300 + first % 7), "700"] for first in range(300)]
    database = Transactions.of(rows)
    items = [item for item, name in enumerate(database.names) if name != "700"]
    assert counted(database, items, [len(database.names) - 1], 2) == Cohorts(1 + 300 + 7 + 300, 1, 300, 300)
