"""Bad transaction databases (bad-inputs A, B, C, 95): exact sets, or an error that names the place and no item."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kohort.errors import FileError, InfeasibleError, InputError, KohortError, LimitError, SchemaError, UsageError
from kohort.io import ReadOptions
from kohort.transactions.io import read_content, read_transactions
from kohort.transactions.io.options import BasketOptions, Form

if TYPE_CHECKING:
    from collections.abc import Callable

#: An item that no message may repeat.
CANARY = "Zanzottera"

BASKET = BasketOptions()
COMMAS = BasketOptions(separator=",")
LONG = BasketOptions(form=Form.LONG)
MATRIX = BasketOptions(form=Form.MATRIX)
HEADED = BasketOptions(form=Form.MATRIX_HEADER)
LISTS = BasketOptions(form=Form.LISTS)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write bytes or text to a file of the given name and give its path."""

    def written(content: bytes | str, name: str = "baskets.dat") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def refused(
    source: object,
    kind: type[KohortError],
    *parts: str,
    options: BasketOptions = BASKET,
    limits: ReadOptions | None = None,
) -> None:
    """Reading `source` ends in an error of this kind that has these parts and names no item; the file stays."""
    regular = isinstance(source, Path) and source.is_file()
    before = hashlib.sha256(source.read_bytes()).digest() if regular and isinstance(source, Path) else b""
    with pytest.raises(kind) as caught:
        read_transactions(source, options, limits=limits or ReadOptions())
    error = caught.value
    assert type(error) is kind
    where = str(source) if isinstance(source, Path) else "standard input" if isinstance(source, str) else ""
    for part in (*parts, where):
        assert part in str(error)
    assert CANARY not in str(error).replace(where, "")
    if regular and isinstance(source, Path):
        assert hashlib.sha256(source.read_bytes()).digest() == before
        assert list(source.parent.iterdir()) == [source]


# ── A. file and container ────────────────────────────────────────────────────────────────────────


def test_files_that_are_none(tmp_path: Path) -> None:
    """Cases 1, 2: what is not there, and what is no regular file."""
    refused(tmp_path / "absent.dat", InputError, "no such file")
    refused(tmp_path, InputError, "a directory")
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    refused(fifo, InputError, "not a regular file")
    refused(Path("/dev/zero"), InputError, "not a regular file")


@pytest.mark.parametrize("options", [BASKET, COMMAS, LONG, MATRIX, HEADED])
@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
def test_empty_file(write: Callable[..., Path], content: bytes, options: BasketOptions) -> None:
    """Case 4: a file without a byte of text holds no transactions, not even empty ones."""
    refused(write(content), InputError, "the file is empty", options=options)


@pytest.mark.parametrize(("content", "options"), [("key,item\n", LONG), ("tea,milk\n", HEADED)])
def test_header_only(write: Callable[..., Path], content: str, options: BasketOptions) -> None:
    """Case 4: a header and nothing below it is status 4."""
    refused(write(content), InfeasibleError, "0 transactions", options=options)


def test_unreadable_file(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that the system does not let us open is status 6."""
    path = write("a\n")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", denied)
    with pytest.raises(FileError, match="Permission denied"):
        read_transactions(path)


def test_file_that_changes_meanwhile(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A file written to while it is read is neither its old nor its new content."""
    path = write("a b\n")
    states = iter([(1, 4, 0), (1, 5, 0)])

    def state(_: str) -> tuple[int, int, int]:
        return next(states)

    monkeypatch.setattr("kohort.io.source.state", state)
    refused(path, InputError, "changed while it was read")


def test_other_formats(tmp_path: Path, write: Callable[..., Path]) -> None:
    """Cases 16, 17, 22, 25, 26: damaged, bombed, lying and foreign files."""
    for name, content, kind, said in (
        ("a.pkl", pickle.dumps([CANARY]), InputError, "pickle"),
        ("b.dat", b"PK\x03\x04" + CANARY.encode(), InputError, "zip"),
        ("c.dat.gz", gzip.compress(CANARY.encode())[:-3], InputError, "damaged or cut short"),
        ("d.dat.gz", gzip.compress(b"a " * 10_000_000), LimitError, "200 bytes for one packed byte"),
        ("e.csv", gzip.compress(CANARY.encode()), InputError, "the name says text, the bytes say gzip"),
        ("f.parquet", b"PAR1" + CANARY.encode(), InputError, "cut short"),
    ):
        path = write(content, name)
        refused(path, kind, said, options=LISTS if name == "f.parquet" else BASKET)
        path.unlink()
    pl.DataFrame({"items": [[CANARY]]}).write_parquet(tmp_path / "g.parquet")
    whole = (tmp_path / "g.parquet").read_bytes()
    refused(tmp_path / "g.parquet", UsageError, "cannot hold basket lines", "lists")
    pl.DataFrame({"a": [1, 0]}).write_parquet(tmp_path / "h.parquet")
    for options, content in ((LISTS, whole), (HEADED, (tmp_path / "h.parquet").read_bytes())):
        with pytest.raises(InputError, match="damaged"):
            read_content("g.parquet", content[:4] + bytes(len(content) - 40) + content[-36:], options)


def test_standard_input_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 17: what is piped lies in memory, and that is bounded."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(CANARY.encode())))
    refused("-", LimitError, "9 bytes", limits=ReadOptions(max_memory=9))


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (f"a b\n{CANARY} caf\xe9\n".encode("latin-1"), ["not UTF-8", "line 2", "--encoding"]),
        (b"a b\n" * 70_000 + b"\xff" + CANARY.encode(), ["not UTF-8", "line 70001"]),
        (f"{CANARY} a\n".encode("utf-16"), ["UTF-16"]),
        (f"{CANARY} a\n".encode("utf-16-le"), ["NUL byte", "line 1"]),
        (f"a\r\n{CANARY}\0b c\r\n".encode(), ["NUL byte", "line 2"]),
        (b"a\n\0", ["NUL byte", "line 2"]),
        (b"\0", ["NUL byte", "line 1"]),
        (f"a\n{CANARY}\x1b[31m\n".encode(), ["control character", "line 2"]),
        (f"a\n{CANARY}\x7f\n".encode(), ["control character", "line 2"]),
        (f"a\n{CANARY}\u0085\n".encode(), ["control character", "line 2"]),
        (f"a\n\n{CANARY}\u2028\n".encode(), ["control character", "line 3"]),
        (f"a\n{CANARY}\rb\n".encode(), ["line end", "line 2"]),
        (f"a\r{CANARY}\nb\r".encode(), ["line end", "line 2"]),
        (f"a\r\n{CANARY}\rb\r\n".encode(), ["line end", "line 2"]),
        (f'a\nb "{CANARY} c"\n'.encode(), ["starts with a quote", "line 2", "long form"]),
    ],
)
def test_bad_lines(write: Callable[..., Path], content: bytes, parts: list[str]) -> None:
    """Cases 7, 8, 10, 11, 38, 43: what lines and names cannot hold is an error at its line."""
    refused(write(content), InputError, *parts)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{CANARY},,b", "without a name"),
        (f",{CANARY}", "without a name"),
        (f"{CANARY},", "without a name"),
        (",", "without a name"),
        (f"{CANARY}, b", "starts or ends with a blank"),
        (f"{CANARY} ,b", "starts or ends with a blank"),
        (" ", "starts or ends with a blank"),
        (f'"{CANARY},b"', "starts with a quote"),
        (f"{CANARY},a\tb", "control character"),
        (f"{CANARY},\0", "NUL byte"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", ""])
def test_bad_cells(write: Callable[..., Path], line: str, said: str, end: str) -> None:
    """Cells between separators have a name, are neither trimmed nor quoted, and hold no control characters."""
    first = "a,b c" + (end or "\n")
    refused(write(first + line + end), InputError, said, "line 2", options=COMMAS)


def test_long_names(write: Callable[..., Path]) -> None:
    """Case 47: a name of 2 MB is kept, one over the limit refused at its line."""
    large = "x" * 2_000_000
    assert read_transactions(write(f"a\n{large} a\n")).database.sets() == [["a"], ["a", large]]
    refused(write(f"a\n{CANARY}{'x' * 17_000_000}\n"), LimitError, "16777216", "line 2")
    refused(write(f"abc ab\nb {CANARY[:4]}\n"), LimitError, "3 bytes", "line 2", limits=ReadOptions(max_cell=3))


def test_lists_are_no_text(write: Callable[..., Path]) -> None:
    """A form that the source cannot have is a usage error."""
    refused(write(f"{CANARY}\n"), UsageError, "no lists", options=LISTS)
    refused(pl.DataFrame({"x": [CANARY]}), UsageError, "cannot hold basket lines")
    refused(3, UsageError, "class int")


def test_other_separators(write: Callable[..., Path]) -> None:
    """A separator is one ASCII character, no line end and no quote; an encoding is one that there is."""
    path = write("a\n")
    for separator in ("::", '"', "\n", "é"):
        refused_usage(path, BasketOptions(separator=separator))
    refused_usage(path, BasketOptions(encoding="klingon"))


def refused_usage(path: Path, options: BasketOptions) -> None:
    """Reading with these options is a usage error."""
    with pytest.raises(UsageError):
        read_transactions(path, options)


# ── B, C. tables ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("content", "options", "kind", "parts"),
    [
        (f"a,b,c\n1,2,{CANARY}\n", LONG, UsageError, ["which of 3 columns"]),
        (f"a,b,c\n1,2,{CANARY}\n", replace(LONG, key="b"), UsageError, ["which of 3 columns"]),
        (f"item,b,c\n1,2,{CANARY}\n", replace(LONG, item="itm"), UsageError, ["no column 'itm'", "'item'"]),
        (f"a,b\n1,{CANARY}\n", replace(LONG, key="x"), UsageError, ["no column 'x'"]),
        (f"a,b\n1,{CANARY}\n", replace(LONG, key="b", item="b"), UsageError, ["both"]),
        (f"a\n{CANARY}\n", LONG, InputError, ["only one column"]),
        (f"a,a\n1,{CANARY}\n", LONG, InputError, ["duplicate column names", "line 1"]),
        (f"a,b\n1,{CANARY}\n,{CANARY}\n", LONG, InputError, ["1 record", "record 2, column 'a'"]),
        (f"a,b\n1,{CANARY},3\n", LONG, InputError, ["3 cells", "line 2"]),
        (f"a,b\n1,{CANARY}\x07\n2,b\n", LONG, InputError, ["1 item", "control characters", "column 'b'"]),
        (f'a,b\n1,"{CANARY}\nx"\n', LONG, InputError, ["1 item", "control characters"]),
        (f'a,b\n1,"{CANARY}\n', LONG, InputError, ["never closed", "line 2"]),
        (f"a,b\n1,{CANARY}\n", LONG, LimitError, ["line 2"]),
        ("0,1\n0,1,1\n", MATRIX, InputError, ["3 cells", "line 2"]),
        (f"0,1\n{CANARY},1\n", MATRIX, InputError, ["neither 0 nor 1", "line 2, column 1"]),
        ("tea,pill\n0,1\n", MATRIX, InputError, ["line 1, column 1", "matrix-header"]),
        ("0,1\n1,2\n", MATRIX, InputError, ["neither 0 nor 1", "line 2, column 2"]),
        ("0,1\n1,01\n", MATRIX, InputError, ["neither 0 nor 1", "line 2, column 2"]),
        ("0,1\n1,\n", MATRIX, InputError, ["neither 0 nor 1", "line 2, column 2"]),
        ("0,1\n1,", MATRIX, InputError, ["neither 0 nor 1", "line 2, column 2"]),
        ("0,1\n\n1,1\n", MATRIX, InputError, ["blank line", "line 2"]),
        ("0,1\n true,1\n", MATRIX, InputError, ["neither 0 nor 1"]),
        (f"{CANARY},b\n0,1\n", MATRIX, InputError, ["neither 0 nor 1", "line 1, column 1"]),
        (f"{CANARY},{CANARY}\n0,1\n", HEADED, InputError, ["1 item has the name of another item", "line 1"]),
        (f"{CANARY},\n0,1\n", HEADED, InputError, ["1 item without a name", "line 1"]),
        (f"{CANARY}\x07,b\n0,1\n", HEADED, InputError, ["1 item", "control characters"]),
        (f"{CANARY},b\n0,1,1\n", HEADED, InputError, ["3 cells", "line 2"]),
        (f"{CANARY},b\n0,x\n", HEADED, InputError, ["neither 0 nor 1", "line 2, column 2"]),
        ("0,1\n0,1,1\n", HEADED, InputError, ["3 cells", "line 2"]),
    ],
)
def test_bad_tables(
    write: Callable[..., Path], content: str, options: BasketOptions, kind: type[KohortError], parts: list[str]
) -> None:
    """Cases 29-44, 46: a table that is no long form and no matrix; columns are named, items and cells are not."""
    refused(write(content), kind, *parts, options=options, limits=ReadOptions(max_cell=4 if kind is LimitError else 99))


def test_a_header_that_is_not_text(write: Callable[..., Path]) -> None:
    """Case 8: an item's name in a header is UTF-8."""
    refused(write(CANARY.encode() + b",\xff\n0,1\n"), InputError, "not UTF-8", "line 1", options=HEADED)


@pytest.mark.parametrize(
    ("frame", "options", "kind", "parts"),
    [
        ({"items": [[[CANARY]]]}, LISTS, InputError, ["neither names nor whole numbers"]),
        ({"items": [[1.5]]}, LISTS, InputError, ["neither names nor whole numbers"]),
        ({"items": [[CANARY, None]]}, LISTS, InputError, ["1 item without a name", "'items'"]),
        ({"items": [[CANARY, ""]]}, LISTS, InputError, ["1 item without a name"]),
        ({"items": [[CANARY + "\n"]]}, LISTS, InputError, ["1 item", "control characters"]),
        ({"items": [CANARY]}, LISTS, InputError, ["no column of lists"]),
        ({"items": [CANARY]}, replace(LISTS, item="items"), InputError, ["holds no lists"]),
        ({"a": [[CANARY]], "b": [[CANARY]]}, LISTS, UsageError, ["which of 2 columns"]),
        ({"a": [[CANARY]]}, replace(LISTS, key="who"), UsageError, ["no column 'who'"]),
        ({"a": [[CANARY]] * 3, "who": [1, None, None]}, replace(LISTS, key="who"), InputError, ["2 records"]),
        ({"a": [[CANARY]], "who": [1.5]}, replace(LISTS, key="who"), InputError, ["neither names nor", "'who'"]),
        ({"a": [], "b": []}, LONG, InfeasibleError, ["0 transactions"]),
        ({"a": [None, 1], "b": [CANARY, "x"]}, LONG, InputError, ["1 record", "record 1"]),
        ({"a": [[1]], "b": [CANARY]}, LONG, InputError, ["List: cannot be released", "column 'a'"]),
        ({"a": [0, 1, 2, 7]}, HEADED, InputError, ["2 cells", "column 1, record 3"]),
        ({"a": [0.0, 1.0]}, MATRIX, InputError, ["2 cells"]),
        ({"a": [0, None]}, MATRIX, InputError, ["1 cell", "record 2"]),
        ({CANARY: [[0]]}, HEADED, InputError, ["a column of the matrix"]),
        ({CANARY + "\n": [0]}, HEADED, InputError, ["a column of the matrix"]),
    ],
)
def test_bad_frames(
    frame: dict[str, list[object]], options: BasketOptions, kind: type[KohortError], parts: list[str]
) -> None:
    """Cases 23, 49-53: frames with other types, and cells that say nothing."""
    refused(pl.DataFrame(frame, strict=False), kind, *parts, options=options)


@pytest.mark.parametrize("name", ["my column 1.parquet", "column b.arrow"])
@pytest.mark.parametrize(("kept", "told"), [(slice(-9), "cut short"), (slice(40, None), "")])
def test_a_damaged_matrix_is_no_fault_of_its_columns(tmp_path: Path, name: str, kept: slice, told: str) -> None:
    """Whether columns are at fault says the error, not a word of its text: a file may be called after a column."""
    path, frame = tmp_path / name, pl.DataFrame({CANARY: [0, 1]})
    (frame.write_parquet if path.suffix == ".parquet" else frame.write_ipc)(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:8] + whole[kept])
    refused(path, InputError, told or "nothing tells its columns", options=HEADED)


#: Matrices of which a column cannot be read.
MATRICES: list[dict[str, list[object]]] = [
    {CANARY: [b"0"]},
    {f"{CANARY}\t": [0]},
    {CANARY: [0], CANARY.upper(): [1]},
    {CANARY: [np.inf]},
    {CANARY: [{}]},
]


@pytest.mark.parametrize("frame", MATRICES)
def test_no_name_of_an_item_is_told(frame: dict[str, list[object]]) -> None:
    """A matrix whose names or types cannot be read is refused without the name."""
    refused(pl.DataFrame(frame, strict=False), InputError, "a column of the matrix", options=HEADED)


def test_frames_that_cannot_be_lists() -> None:
    """A pandas frame with an index, or with objects of several kinds, is no frame of lists."""
    frame = pd.DataFrame({"items": [[CANARY]]}, index=pd.Index(["x"], name="who"))
    refused(frame, SchemaError, "index", options=LISTS)
    refused(pd.DataFrame({"items": [[CANARY], 3]}), InputError, "cannot be read", options=LISTS)


# ── sparse matrices ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "wrong",
    [
        {"indptr": [0, 1]},
        {"indptr": [1, 1, 2]},
        {"indptr": [0, 1, 3]},
        {"indptr": [0, 3, 2]},
        {"indices": np.array([0, 2])},
        {"indices": np.array([0, -1])},
        {"data": np.array([1, 2])},
        {"data": np.array([1, np.nan])},
        {"data": np.array([1])},
        {"shape": (0, 2), "indptr": [0], "indices": np.array([], np.int32)},
    ],
)
def test_bad_sparse_matrices(wrong: dict[str, object]) -> None:
    """Rows that do not hold together, entries other than 0 and 1, and no rows are refused."""
    matrix = SimpleNamespace(**{"indptr": [0, 1, 2], "indices": np.array([0, 1]), "shape": (2, 2), **wrong})
    refused(matrix, InfeasibleError if "shape" in wrong else InputError)


def test_names_of_a_sparse_matrix() -> None:
    """There are as many names as columns, all different; nothing else is given names."""
    matrix = SimpleNamespace(indptr=[0, 1], indices=np.array([0]), shape=(1, 2))
    for names, kind in (([CANARY], UsageError), ([CANARY, CANARY], InputError), ([CANARY, ""], InputError)):
        with pytest.raises(kind) as caught:
            read_transactions(matrix, names=names)
        assert CANARY not in str(caught.value)
    with pytest.raises(UsageError, match="sparse matrix"):
        read_transactions(pl.DataFrame({"a": [1]}), MATRIX, names=["a"])
