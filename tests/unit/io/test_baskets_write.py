"""Writing transaction databases: what is written is read back the same, in one way only."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import FileError, UsageError
from kohort.transactions.database import Transactions
from kohort.transactions.io import read_content
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.io.write import write_transactions

if TYPE_CHECKING:
    from collections.abc import Sequence

BOUGHT = Transactions.of([["tea", "a b", "€"], [], ["tea"]])
PLAIN = Transactions.of([["10", "9"], [], ["9"]])

_NAMES = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters='"'), min_size=1, max_size=20)


def written(database: Transactions, options: BasketOptions = BasketOptions()) -> bytes:  # noqa: B008  frozen
    """The bytes of the database."""
    file = io.BytesIO()
    write_transactions(database, file, options)
    return file.getvalue()


@pytest.mark.parametrize(
    ("database", "options", "expected"),
    [
        (PLAIN, BasketOptions(), "9 10\n\n9\n"),
        (PLAIN, BasketOptions(separator="\t"), "9\t10\n\n9\n"),
        (BOUGHT, BasketOptions(separator=","), "a b,tea,€\n\ntea\n"),
        (BOUGHT, BasketOptions(form=Form.LONG), "transaction,item\n1,a b\n1,tea\n1,€\n2,\n3,tea\n"),
        (PLAIN, BasketOptions(form=Form.LONG, separator=";", key="k", item="i"), "k;i\n1;9\n1;10\n2;\n3;9\n"),
        (PLAIN, BasketOptions(form=Form.MATRIX_HEADER), "9,10\n1,1\n0,0\n1,0\n"),
        (BOUGHT, BasketOptions(form=Form.MATRIX_HEADER, separator=" "), '"a b" tea €\n1 1 1\n0 0 0\n0 1 0\n'),
        (Transactions.of([["1"], ["0", "1"]]), BasketOptions(form=Form.MATRIX), "0,1\n1,1\n"),
        (Transactions.of([[], []]), BasketOptions(), "\n\n"),
        (Transactions.of([]), BasketOptions(), ""),
    ],
)
def test_bytes(database: Transactions, options: BasketOptions, expected: str) -> None:
    """Text is plain: one separator between cells, LF line ends, quotes only in tables and only where they must be."""
    assert written(database, options).decode() == expected


@given(st.lists(st.sets(_NAMES, max_size=6), min_size=1, max_size=12), st.data())
def test_what_is_written_is_read_back(rows: list[set[str]], data: st.DataObject) -> None:
    """Names survive in every form, and transactions keep their order."""
    database = Transactions.of(rows)
    forms = [BasketOptions(), BasketOptions(form=Form.LONG), BasketOptions(form=Form.LISTS)]
    forms += [BasketOptions(form=Form.MATRIX_HEADER)] if database.names else []
    options = data.draw(st.sampled_from(forms))
    reading = read_content("the release", written(database, options), options)
    assert (reading.database.names, reading.repeated) == (database.names, 0)
    assert reading.database.sets() == database.sets()


def test_pieces_join() -> None:
    """Lines longer than a piece, names longer than a word, and many records come out whole."""
    rng = np.random.default_rng(5)
    rows = [[f"{'x' * int(size)}{item}" for item, size in enumerate(rng.integers(0, 40, 300))] for _ in range(150)]
    rows += [[]] * 3
    database = Transactions.of(rows)
    expected = "".join(" ".join(one) + "\n" for one in database.sets())
    assert len(expected) > 3 << 18
    assert written(database).decode() == expected
    header, *records = written(database, BasketOptions(form=Form.MATRIX_HEADER)).decode().splitlines()
    assert header.split(",") == list(database.names)
    found = [[name for name, one in zip(database.names, row.split(","), strict=True) if one == "1"] for row in records]
    assert found == database.sets()


def test_lists_are_plain_text() -> None:
    """The Parquet file holds one column of lists of text, under the name given; its bytes are the same each time."""
    content = written(BOUGHT, BasketOptions(form=Form.LISTS))
    frame = pl.read_parquet(io.BytesIO(content))
    assert frame.schema == {"items": pl.List(pl.String)}
    assert frame["items"].to_list() == BOUGHT.sets()
    assert content == written(BOUGHT, BasketOptions(form=Form.LISTS))
    named = pl.read_parquet(io.BytesIO(written(PLAIN, BasketOptions(form=Form.LISTS, item="^goods$"))))
    assert named.columns == ["^goods$"]
    nothing = written(Transactions.of([]), BasketOptions(form=Form.LISTS))
    assert pl.read_parquet(io.BytesIO(nothing)).schema == {"items": pl.List(pl.String)}


@pytest.mark.parametrize(
    ("names", "form", "separator", "count"),
    [
        (["a b", "c", "d\te"], Form.BASKET, None, 2),
        (["a b", "c", "d\te"], Form.BASKET, ",", 1),
        (["a,b", "c"], Form.BASKET, ",", 1),
        ([" a", "b ", "c c"], Form.BASKET, ",", 2),
        (['"a', 'b"', "\ufeffc", ""], Form.BASKET, None, 3),
        (["a\nb", "c\x1b", "", "d e"], Form.LONG, None, 3),
        (["a\u2028"], Form.LISTS, None, 1),
        (["0", "2"], Form.MATRIX, None, 1),
        (["tea"], Form.MATRIX, None, 1),
    ],
)
def test_names_that_cannot_be_written(names: Sequence[str], form: Form, separator: str | None, count: int) -> None:
    """A name that would not be read back is refused; the message says how many there are, and none of them."""
    file = io.BytesIO()
    with pytest.raises(UsageError, match=f"the names of {count} items") as caught:
        write_transactions(Transactions.of([names]), file, BasketOptions(form=form, separator=separator))
    assert not file.getvalue()
    assert form in caught.value.where
    assert not any(len(name) > 1 and name in str(caught.value) for name in names)


def test_headers_are_quoted() -> None:
    """A name with a separator, a quote or a byte order mark stands in quotes in a header."""
    database = Transactions.of([["a,b", 'c"d', "\ufeffe"]])
    options = BasketOptions(form=Form.MATRIX_HEADER)
    assert written(database, options).decode() == '"a,b","c""d","\ufeffe"\n1,1,1\n'
    assert read_content("x", written(database, options), options).database.names == database.names


@pytest.mark.parametrize("form", [Form.MATRIX, Form.MATRIX_HEADER])
def test_a_matrix_has_columns(form: Form) -> None:
    """Transactions without any item make no matrix."""
    with pytest.raises(UsageError, match="no columns"):
        written(Transactions.of([[]]), BasketOptions(form=form))


def test_what_cannot_separate() -> None:
    """A separator is one ASCII character and no quote."""
    for separator in ("::", '"', "\n"):
        with pytest.raises(UsageError, match="separator"):
            written(PLAIN, replace(BasketOptions(), separator=separator))


@pytest.mark.parametrize("form", [Form.BASKET, Form.LONG, Form.MATRIX_HEADER, Form.LISTS])
def test_a_full_disk(form: Form) -> None:
    """Where the system cannot write, that is status 6 and says why."""

    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match="No space left on device"):
        write_transactions(PLAIN, Full(), BasketOptions(form=form))


def test_a_full_disk_for_a_piece() -> None:
    """Likewise of the long form in pieces."""

    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match="No space left on device"):
        write_transactions(PLAIN, Full(), BasketOptions(form=Form.LONG), 3)


@given(
    rows=st.lists(st.lists(st.sampled_from(["10", "9", "tea"]), max_size=3), min_size=1, max_size=9),
    cut=st.integers(1, 9),
    form=st.sampled_from([Form.BASKET, Form.LONG]),
)
def test_pieces_are_the_whole(rows: list[list[str]], cut: int, form: Form) -> None:
    """Transactions that are written in two pieces give the bytes of those that are written at once."""
    whole, pieces, options = Transactions.of(rows), io.BytesIO(), BasketOptions(form=form)
    for start, end in ((0, min(cut, len(rows))), (min(cut, len(rows)), len(rows))):
        begins = whole.starts[start : end + 1]
        part = Transactions(whole.names, begins - begins[0], whole.cells[begins[0] : begins[-1]])
        if len(part):
            write_transactions(part, pieces, options, start)
    assert pieces.getvalue() == written(whole, options)
