"""Reading transaction databases: each form gives the same database, and what it does not say is not made up."""

from __future__ import annotations

import gzip
import io
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.io import ReadOptions
from kohort.transactions.database import Transactions
from kohort.transactions.io import Reading, read_content, read_transactions
from kohort.transactions.io.options import BasketOptions, Form

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LONG = BasketOptions(form=Form.LONG)
MATRIX = BasketOptions(form=Form.MATRIX)
HEADED = BasketOptions(form=Form.MATRIX_HEADER)
LISTS = BasketOptions(form=Form.LISTS)
COMMAS = BasketOptions(separator=",")

#: Letters of names: of one to four bytes, and more than a few so that names get long.
_LETTERS = st.sampled_from("abz09-_.#/éß€😀名 ")
_NAMES = st.text(_LETTERS, min_size=1, max_size=20).map(str.strip).filter(bool)


def read(
    content: str | bytes,
    options: BasketOptions = BasketOptions(),  # noqa: B008  frozen
    limits: ReadOptions = ReadOptions(),  # noqa: B008  frozen
) -> Reading:
    """The database in a file of this content."""
    return read_content("baskets", content.encode() if isinstance(content, str) else content, options, limits=limits)


def sets(content: str | bytes, options: BasketOptions = BasketOptions()) -> list[list[str]]:  # noqa: B008  frozen
    """Its transactions."""
    return read(content, options).database.sets()


def same(found: Transactions, expected: Transactions) -> None:
    """Two databases are the same one, to the types of their arrays."""
    assert found.names == expected.names
    assert found.starts.dtype == np.dtype(np.int64)
    assert found.cells.dtype == np.dtype(np.int32)
    assert found.starts.tolist() == expected.starts.tolist()
    assert found.cells.tolist() == expected.cells.tolist()


# ── basket lines ─────────────────────────────────────────────────────────────────────────────────


@given(
    st.lists(
        st.lists(_NAMES.map(lambda name: name.replace(" ", "")).filter(bool), max_size=9), min_size=1, max_size=20
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([" ", "\t", "  ", " \t "]),
    st.sampled_from(["", " ", "\t \t"]),
    st.booleans(),
)
def test_lines_are_split_at_blanks(rows: list[list[str]], end: str, between: str, around: str, last: bool) -> None:  # noqa: FBT001
    """Runs of blanks and tabs separate names, and mean nothing at the ends of a line."""
    lines = [around + between.join(row) + around for row in rows]
    reading = read(end.join(lines) + (end if last or not lines[-1] else ""))
    same(reading.database, Transactions.of(rows))
    assert reading.repeated == sum(len(row) - len(set(row)) for row in rows)
    assert reading.like == "file"


@given(st.lists(st.lists(_NAMES, max_size=9), min_size=1, max_size=20), st.sampled_from(",;|\t"))
def test_lines_are_split_at_separators(rows: list[list[str]], separator: str) -> None:
    """With a separator names hold blanks, and are kept as they are written."""
    options = BasketOptions(separator=separator)
    same(read("".join(separator.join(row) + "\n" for row in rows), options).database, Transactions.of(rows))


@given(st.lists(st.sampled_from(["a" * n for n in (6, 7, 8, 9, 15, 16, 17, 24)] + ["a" * 7 + "b", "b" + "a" * 8])))
def test_names_of_all_lengths(row: list[str]) -> None:
    """Names are told apart by all of their bytes, wherever these end in a word and wherever the text ends."""
    same(read(" ".join(["x", *row])).database, Transactions.of([["x", *row]]))


def test_there_is_room_for_more_than_was_thought() -> None:
    """Thousands of names, transactions of no bytes and names of one letter overflow what was set aside for them."""
    rows = [[str(place), f"a long name {place // 2}"] for place in range(5000)]
    same(read("\n".join(",".join(row) for row in rows), COMMAS).database, Transactions.of(rows))
    assert len(read("\n" * 1000 + "a").database) == 1001
    assert sets("a b " * 1000 + "\n" + "c\n" * 1000) == [["a", "b"], *[["c"]] * 1000]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a", [["a"]]),
        ("a\n", [["a"]]),
        ("a\r\nb\nc\r", [["a"], ["b"], ["c"]]),
        ("\ufeffb a\n", [["a", "b"]]),
        ("10 9 10\n", [["9", "10"]]),
        ("010 10 9\n", [["010", "10", "9"]]),
        ("-1 +1 1e5 0x1F\n", [["+1", "-1", "0x1F", "1e5"]]),
        ("NA null nan\n", [["NA", "nan", "null"]]),
        ("é e\u0301\n", [["e\u0301", "é"]]),
        ("1000000 0\n", [["0", "1000000"]]),
        ("9007199254740993 9007199254740992 18446744073709551617\n", None),
    ],
)
def test_small_files(content: str, expected: list[list[str]] | None) -> None:
    """Cases 11, 13, 49-53, 65, 95: line ends of each kind, none at the end, a mark; names are text and stay it."""
    assert sets(content) == (expected or [["9007199254740992", "9007199254740993", "18446744073709551617"]])


@pytest.mark.parametrize("content", ["\n", " ", "\r", "\t\r\n"])
def test_a_line_without_names(content: str) -> None:
    """Cases 46, 95: a line that holds no name is a transaction of no items."""
    assert sets(content) == [[]]
    assert sets("a" + content[-1].replace(" ", "\n") + content) == [["a"], []]


def test_a_long_unsorted_transaction_is_sorted() -> None:
    """Transactions of thousands of items, in any order and some twice, come out in item order."""
    items = np.random.default_rng(1).permutation(3000).tolist()
    reading = read(" ".join(map(str, items + items[:50])))
    assert reading.database.sets() == [list(map(str, range(3000)))]
    assert reading.repeated == 50


def test_files_of_all_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain and packed files and standard input hold the same transactions."""
    content = b"b a\n\nb\n"
    (tmp_path / "baskets.dat").write_bytes(content)
    (tmp_path / "baskets.dat.gz").write_bytes(gzip.compress(content))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    for source in (tmp_path / "baskets.dat", str(tmp_path / "baskets.dat.gz"), "-"):
        same(read_transactions(source).database, Transactions.of([["a", "b"], [], ["b"]]))


def test_another_encoding() -> None:
    """Case 7: lines of another encoding are read where it is named."""
    assert sets("caffè tè\n".encode("utf-16"), BasketOptions(encoding="utf-16")) == [["caffè", "tè"]]


# ── long form ────────────────────────────────────────────────────────────────────────────────────


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["", "a", "b", "c c"])), min_size=1), st.randoms())
def test_records_are_merged_by_key(records: list[tuple[int, str]], random: Any) -> None:  # noqa: ANN401
    """The records of a key make one transaction, wherever they stand."""
    random.shuffle(records)
    rows = {key: [item for other, item in records if other == key and item] for key, _ in records}
    reading = read("key,item\n" + "".join(f"{key},{item}\n" for key, item in records), LONG)
    same(reading.database, Transactions.of(rows.values()))
    assert reading.repeated == sum(len(row) - len(set(row)) for row in rows.values())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (replace(LONG, key="who", item="what"), [["x", "y"], ["x"]]),
        (replace(LONG, key="trip", item="what"), [["x"], ["y"], ["x"]]),
        (replace(LONG, item="what"), [["x"], ["y"], ["x"]]),
    ],
)
def test_columns_are_named(options: BasketOptions, expected: list[list[str]]) -> None:
    """Naming a person's column makes all transactions of one person one; the first column is the key otherwise."""
    assert sets("trip,who,what\n1,A,x\n2,A,y\n3,B,x\n", options) == expected


def test_the_other_of_two_columns() -> None:
    """Of two columns naming one tells the other."""
    content = "what;who\nx;A\ny;A\nx;B\n"
    for options in (replace(LONG, key="who"), replace(LONG, item="what"), replace(LONG, key="who", item="what")):
        assert sets(content, options) == [["x", "y"], ["x"]]
    assert sets(content, LONG) == [["A", "B"], ["A"]]


# ── matrices ─────────────────────────────────────────────────────────────────────────────────────


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1))
def test_matrices(rows: list[list[bool]]) -> None:
    """A matrix's columns are the items, in their order, also those that no transaction has."""
    body = "".join(",".join("01"[cell] for cell in row) + "\n" for row in rows)
    for content, options, names in ((body, MATRIX, "012"), ('"10",9,"b ""x"""\n' + body, HEADED, ("10", "9", 'b "x"'))):
        found = read(content, options).database
        assert found.names == tuple(names)
        assert found.sets() == [[name for name, cell in zip(names, row, strict=True) if cell] for row in rows]


def test_a_wide_matrix_is_read_in_pieces() -> None:
    """Records of many cells are read some at a time."""
    ones = np.random.default_rng(3).random((90, 2000)) < 0.1
    body = "\r\n".join("\t".join("01"[int(cell)] for cell in row) for row in ones)
    found = read(body, replace(MATRIX, separator="\t")).database
    assert np.array_equal(np.repeat(np.arange(90), found.lengths), np.nonzero(ones)[0])
    assert np.array_equal(found.cells, np.nonzero(ones)[1])


def test_a_quoted_matrix_of_one_column() -> None:
    """Cells may be quoted, and there may be one column."""
    assert sets('"1"\n0\n1\n', MATRIX) == [["0"], [], ["0"]]
    assert sets("tea\n1\n0", HEADED) == [["tea"], []]


# ── Parquet, Arrow and frames ────────────────────────────────────────────────────────────────────

FRAMES: dict[str, Callable[[pl.DataFrame], object]] = {
    "polars": lambda frame: frame,
    "lazy": lambda frame: frame.lazy(),
    "pandas": lambda frame: cast("Any", frame).to_arrow().to_pandas(),
    "pyarrow": lambda frame: cast("Any", frame).to_arrow(),
    "batch": lambda frame: cast("Any", frame).to_arrow().combine_chunks().to_batches()[0],
}

#: The same three transactions in each form of a table.
TABLES = {
    LONG: pl.DataFrame({"key": [7, 7, 3, 9], "item": ["b", "a", None, "b"]}),
    HEADED: pl.DataFrame({"a": [1, 0, 0], "b": [1, 0, 1]}),
    LISTS: pl.DataFrame({"who": [7, 3, 9], "items": [["b", "a"], [], ["b"]]}),
    replace(LISTS, key="who"): pl.DataFrame({"who": ["x", "y", "x", "z"], "items": [["b"], [], ["a"], ["b"]]}),
}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("options", TABLES, ids=["long", "matrix", "lists", "lists of persons"])
def test_frames(kind: str, options: BasketOptions) -> None:
    """Frames of each library hold the same transactions as files."""
    reading = read_transactions(FRAMES[kind](TABLES[options]), options)
    same(reading.database, Transactions.of([["a", "b"], [], ["b"]]))
    assert reading.like == {"lazy": "polars", "batch": "pyarrow"}.get(kind, kind)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("options", TABLES, ids=["long", "matrix", "lists", "lists of persons"])
def test_typed_files(tmp_path: Path, form: str, options: BasketOptions) -> None:
    """Parquet and Arrow files hold the same transactions as text."""
    path = tmp_path / f"baskets.{form}"
    TABLES[options].write_parquet(path) if form == "parquet" else TABLES[options].write_ipc(path)
    same(read_transactions(path, options).database, Transactions.of([["a", "b"], [], ["b"]]))


@pytest.mark.parametrize(
    "items",
    [
        pl.Series([[10, 9], None, [9]], dtype=pl.List(pl.Int64)),
        pl.Series([["10", "9"], [], ["9"]], dtype=pl.List(pl.Categorical)),
        pl.Series([["10", "9"], [], ["9"]], dtype=pl.List(pl.Enum(["9", "10", "11"]))),
    ],
    ids=["numbers", "categories", "enumeration"],
)
def test_lists_of_other_types(items: pl.Series) -> None:
    """Whole numbers are their digits, categories their names; a missing list is one of no items."""
    found = read_transactions(pl.DataFrame({"items": items}), LISTS).database
    same(found, Transactions.of([["10", "9"], [], ["9"]]))


def test_lists_of_one_size_and_of_nothing() -> None:
    """Lists of a fixed size are lists, and so are those that are all empty; the item column may be named."""
    frame = pl.DataFrame({"items": pl.Series([[1, 2], [3, 2]], dtype=pl.Array(pl.Int8, 2)), "other": [[1], [1]]})
    assert read_transactions(frame, replace(LISTS, item="items")).database.sets() == [["1", "2"], ["2", "3"]]
    empty: list[list[str]] = [[], []]
    nothing = read_transactions(pl.DataFrame({"^a$": empty}), LISTS).database
    assert (nothing.names, len(nothing)) == ((), 2)


def test_matrix_of_a_frame_by_place() -> None:
    """Without their names items are the places of columns; false and true are 0 and 1."""
    frame = pl.DataFrame({"x": [True, False], "y": ["1", "1"]})
    assert read_transactions(frame, MATRIX).database.sets() == [["0", "1"], ["1"]]


# ── sparse matrices ──────────────────────────────────────────────────────────────────────────────


def rows(**more: object) -> SimpleNamespace:
    """A matrix of compressed rows: the second column; nothing; the third, the first and the third again."""
    given = {"indptr": [0, 1, 1, 4], "indices": np.array([1, 2, 0, 2]), "shape": (3, 3)}
    return SimpleNamespace(**{**given, **more})


def test_sparse_matrices() -> None:
    """Compressed rows are transactions, whatever library they are of; other sparse matrices say their rows."""
    for source in (rows(), SimpleNamespace(tocsr=rows)):
        reading = read_transactions(source)
        assert reading.database.names == ("0", "1", "2")
        assert reading.database.sets() == [["1"], [], ["0", "2"]]
        assert (reading.repeated, reading.like) == (1, "types")
    named = read_transactions(rows(data=np.array([1, 0, True, 1.0])), names=["b", "a", "c"])
    assert named.database.names == ("b", "a", "c")
    assert named.database.sets() == [["a"], [], ["b", "c"]]
    assert named.repeated == 0


def test_the_matrix_given_is_not_changed() -> None:
    """What is read is copied: the caller's arrays stay as they are."""
    indptr, indices = np.array([0, 2], np.int64), np.array([1, 0], np.int32)
    read_transactions(SimpleNamespace(indptr=indptr, indices=indices, shape=(1, 2)))
    assert (indptr.tolist(), indices.tolist()) == ([0, 2], [1, 0])


def test_no_transactions_may_be_allowed() -> None:
    """Where the limits allow it, a database of no transactions is one."""
    allowed = ReadOptions(allow_empty=True)
    assert len(read("key,item\n", LONG, limits=allowed).database) == 0
    assert len(read("tea,milk\n", HEADED, limits=allowed).database) == 0
    assert (
        len(
            read_transactions(
                pl.DataFrame({"x": pl.Series([], dtype=pl.List(pl.String))}), LISTS, limits=allowed
            ).database
        )
        == 0
    )


def test_arrow_text_of_pandas() -> None:
    """A pandas frame may have columns beside that of lists, of types that are not read."""
    frame = pd.DataFrame({"items": [["b"], ["a"]], "when": pd.to_timedelta([1, 2])})
    assert read_transactions(frame, LISTS).database.sets() == [["b"], ["a"]]
    assert read_transactions(cast("Any", pa).table({"items": [["b"], ["a"]]}), LISTS).like == "pyarrow"
