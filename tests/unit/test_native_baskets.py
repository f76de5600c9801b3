"""Transactions in the compiled core: each loop writes what its plain twin does, and no wrong number leads elsewhere."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import KohortError
from kohort.io.options import ReadOptions
from kohort.transactions.io import read_content
from kohort.transactions.io.cells import by_first, by_key
from kohort.transactions.io.options import BasketOptions, Form
from tests.reference.basket_loops import PLAIN
from tests.unit.test_native_mondrian import heard, spoil

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Texts of what names end with and of names that are short, of about a word, and too long.
TEXTS = st.lists(
    st.sampled_from(
        [b" ", b",", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"a", b"b", b"1234567", b"12345678", b"\xc3\xa8" * 9]
    ),
    max_size=30,
).map(b"".join)

SEPARATORS = st.sampled_from([None, ",", "\t"])

#: For some transactions, by a number for each, which item a cell names.
CELLS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=60)


def work(text: bytes, separator: str | None, cells: Sequence[tuple[int, int]]) -> None:
    """Read basket lines, which may be at fault, and bring cells together."""
    options, limits = BasketOptions(form=Form.BASKET, separator=separator), ReadOptions(max_cell=17)
    with suppress(KohortError):
        read_content("baskets", text, options, limits=limits)
    keys, items = np.array(cells, np.int32).reshape(-1, 2).T.copy()
    by_key(tuple("9876543210"), by_first(keys.astype(np.uint8), 6), items, 6).settled()


@given(TEXTS, SEPARATORS, CELLS)
def test_loops_write_what_plain_ones_do(text: bytes, separator: str | None, cells: list[tuple[int, int]]) -> None:
    """Every array is the same afterwards, whatever the text and the cells are."""
    with heard(PLAIN, twins=True):
        work(text, separator, cells)


def test_every_loop_is_compared() -> None:
    """Many names are found some at a time, and a long transaction is sorted by strides."""
    random = np.random.default_rng(1)
    with heard(PLAIN, twins=True) as calls:
        work(b"a b\n" * 10_000 + b" ".join(b"%d" % item for item in random.permutation(300)), None, [(0, 1)])
    assert calls.keys() == PLAIN.keys()
    assert len(calls["split"]) > 1


@given(TEXTS.filter(bool), SEPARATORS, CELLS, st.data())
@pytest.mark.filterwarnings("ignore:overflow")
def test_no_number_leads_the_reading_of_transactions_beyond_an_array(
    text: bytes, separator: str | None, cells: list[tuple[int, int]], data: st.DataObject
) -> None:
    """Wherever a number is wrong in a call of each loop, nothing outside of the arrays is changed."""
    with heard(PLAIN, twins=False) as calls:
        work(text, separator, cells)
    spoil([data.draw(st.sampled_from(of_one)) for of_one in calls.values()], data)
