"""Bad delimited text (bad-inputs A, B, C): exact values, or an error that names the place and repeats no cell."""

from __future__ import annotations

import gzip
import os
import pickle
import signal
import socket
import subprocess
import sys
import tracemalloc
import zipfile
import zlib
from dataclasses import replace
from io import BytesIO
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from kohort import system
from kohort.errors import FileError, InfeasibleError, InputError, KohortError, LimitError, UsageError
from kohort.io import ReadOptions, read
from kohort.io.source import PIECE, Content, form
from kohort.system.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

#: A cell that no message may repeat.
CANARY = "Zanzottera"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write bytes or text to a file of the given name and give its path."""

    def written(content: bytes | str, name: str = "people.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def rows(path: Path | str, options: ReadOptions | None = None) -> list[tuple[str, ...]]:
    """The table's names and records as plain text."""
    table = read(path, replace(options or ReadOptions(), decimal="."))
    columns: list[list[str]] = [column.values.gather(column.codes).to_list() for column in table.columns]
    return [table.names, *zip(*columns, strict=True)]


def refused(
    source: Path | str,
    kind: type[KohortError],
    status: int,
    *parts: str,
    options: ReadOptions | None = None,
) -> KohortError:
    """The error of reading `source`: of this kind and status, naming these parts and no cell."""
    with pytest.raises(kind) as caught:
        read(source, options or ReadOptions())
    error = caught.value
    assert type(error) is kind
    assert error.exit_status == status
    for part in (*parts, "standard input" if source == "-" else str(source)):
        assert part in str(error)
    assert CANARY not in str(error).replace(str(source), "")
    return error


# ── A. file and container ────────────────────────────────────────────────────────────────────────


def test_missing_file_is_named(tmp_path: Path) -> None:
    """Case 1: a path that does not exist, or leads through a file, is named."""
    refused(tmp_path / "absent.csv", InputError, 3, "no such file")
    (tmp_path / "file").touch()
    refused(tmp_path / "file" / "x.csv", InputError, 3, "no such file")


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    """Case 2: directories, FIFOs, devices and sockets are refused before anything is read from them."""
    refused(tmp_path, InputError, 3, "a directory")
    fifo = tmp_path / "fifo.csv"
    os.mkfifo(fifo)
    refused(fifo, InputError, 3, "not a regular file")
    refused("/dev/zero", InputError, 3, "not a regular file")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        refused(tmp_path / "s", InputError, 3, "not a regular file")


def test_unreadable_file_is_a_system_fault(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that the system does not let us look at or open is status 6, not a fault of the data."""
    path = write("a,b\n1,2\n")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", denied)
    refused(path, FileError, 6, "Permission denied")
    monkeypatch.setattr("pathlib.Path.stat", denied)
    refused(path, FileError, 6, "Permission denied")


def test_file_that_changes_meanwhile_is_refused(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A file written to while it is read could be neither its old nor its new content."""
    path = write("a,b\n1,2\n")
    states = iter([(1, 8, 0), (1, 9, 0)])

    def state(_: str) -> tuple[int, int, int]:
        return next(states)

    monkeypatch.setattr("kohort.io.source.state", state)
    refused(path, InputError, 3, "changed while it was read")


@pytest.mark.parametrize("left", [0, 4_000, 9_000])
def test_file_that_is_cut_short_meanwhile_is_refused(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    """Its pages are gone when they are looked at: an error as any other, and the system does not end the process."""
    path = write("a,b\n" + "1,2\n" * 200_000)

    def cut(name: str, content: Content) -> str:
        os.truncate(name, left)
        return form(name, content)

    monkeypatch.setattr("kohort.io.source.form", cut)
    refused(path, InputError, 3, "changed while it was read")
    assert signal.getsignal(signal.SIGBUS) is signal.SIG_DFL


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere such an access ends the process")
def test_only_places_beyond_the_end_of_a_file_read_as_zeros() -> None:
    """Two readers at a time, and afterwards the signal is again for whoever had it before: here, for nobody."""
    script = """
import mmap, os, tempfile
from kohort.system import zeros_beyond_the_end
file = tempfile.TemporaryFile()
file.write(b"a" * 20_000)
file.flush()
data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
os.ftruncate(file.fileno(), 10)
with zeros_beyond_the_end():
    with zeros_beyond_the_end():
        print(data[10_000:10_003], flush=True)
    print(data[9:11], flush=True)
os.kill(os.getpid(), 7) if SENT else data[15_000]
"""
    for sent in (True, False):
        code = f"SENT = {sent}\n{script}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
        assert done.stdout.splitlines() == [r"b'\x00\x00\x00'", r"b'a\x00'"]
        assert done.returncode == -signal.SIGBUS


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"], ids=["no byte", "only a mark"])
def test_empty_file(write: Callable[..., Path], content: bytes) -> None:
    """A file without any text has no header either: it is no table of no records."""
    refused(write(content), InputError, 3, "empty", options=ReadOptions(allow_empty=True))


@pytest.mark.parametrize("content", ["name,age", "name,age\n", "name,age\r\n", '"name","age"\r'])
def test_header_only(write: Callable[..., Path], content: str) -> None:
    """Case 4: no records is an error of status 4, unless it is allowed."""
    path = write(content)
    refused(path, InfeasibleError, 4, "0 records")
    table = read(path, ReadOptions(allow_empty=True))
    assert (table.names, table.records) == (("name", "age"), 0)
    for column in table.columns:
        assert column.values.equals(pl.Series(dtype=pl.String))
        assert column.codes.dtype == np.dtype(np.uint8)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_utf16_needs_its_name(write: Callable[..., Path], encoding: str, mark: str) -> None:
    """Case 7: text in UTF-16 or UTF-32 is refused without its name, and exact with it."""
    path = write(f"{mark}name,age\n{CANARY}è,7\n".encode(encoding))
    refused(path, InputError, 3, "name the encoding" if mark else "line 1")
    expected = [("name", "age"), (f"{CANARY}è", "7")]
    assert rows(path, ReadOptions(encoding=encoding)) == expected
    if mark:
        assert rows(path, ReadOptions(encoding=encoding[:6])) == expected


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (f"name,age\n{CANARY},7\nRen\xe9,8\n".encode("latin-1"), "line 3, column 'name'"),
        (b"name,age\n" + b"a,7\n" * 100_000 + f"b,{CANARY}\xff\n".encode("latin-1"), "line 100002, column 'age'"),
        (b'name,age\na,"x\n\ny' + CANARY.encode() + b'\n\xe9z"\n', "line 5, column 'age'"),
        (b"name,age\r" + CANARY.encode() + b"\xc3,7\r", "line 2, column 'name'"),
        (b"name,\xff" + CANARY.encode() + b"\na,7\n", "line 1, column 2"),
        (b"name,age\na,\xed\xa0\x80" + CANARY.encode() + b"\n", "line 2, column 'age'"),
    ],
    ids=["latin-1", "late", "in a quoted cell", "cut character", "in the header", "surrogate"],
)
def test_byte_that_is_not_utf8(write: Callable[..., Path], content: bytes, where: str) -> None:
    """Case 8: a byte that is not UTF-8 is an error at its line, never a replacement character."""
    refused(write(content), InputError, 3, "not UTF-8", where, "--encoding")


def test_latin1_is_read_when_named(write: Callable[..., Path]) -> None:
    """Case 8: with the encoding named the same bytes are exact text."""
    path = write("name,età\nRené,7\n".encode("latin-1"))
    assert rows(path, ReadOptions(encoding="latin-1")) == [("name", "età"), ("René", "7")]


@pytest.mark.parametrize(
    ("encoding", "content", "line"),
    [
        ("cp1252", b"name,age\n" + CANARY.encode() + b",7\n\x81,8\n", 3),
        ("utf-16-le", f"name,age\r\n{CANARY},7\r\n".encode("utf-16-le") + b"\x00\xd8a\x00", 3),
        ("utf-16-le", f"name,age\n{CANARY}".encode("utf-16-le") + b"x", 2),
        ("utf-7", b"name,age\n" + CANARY.encode() + b",+2AA-\n", 2),
        ("ascii", b"name,age\n" + b"a,7\n" * 600_000 + b"\xe9,8\n", 600_002),
    ],
    ids=["cp1252", "half a pair", "odd byte", "lone surrogate", "in a later piece"],
)
def test_byte_that_the_encoding_lacks(write: Callable[..., Path], encoding: str, content: bytes, line: int) -> None:
    """Case 8: other encodings are as strict as UTF-8."""
    refused(write(content), InputError, 3, f"line {line}\n", options=ReadOptions(encoding=encoding))


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (f"name,age\nx,1\n{CANARY}\0,7\n", "line 3, column 'name'"),
        (f'name,age\nx,1\ny,"2\n\0{CANARY}"\n', "line 4, column 'age'"),
        (f"name,age\n\0,{CANARY}\n", "line 2, column 'name'"),
    ],
)
def test_nul_byte(write: Callable[..., Path], content: str, where: str) -> None:
    """Case 10: a NUL byte is refused wherever it stands."""
    refused(write(content), InputError, 3, "NUL", where)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("last", ["end", ""], ids=["final line end", "no final line end"])
def test_line_ends(write: Callable[..., Path], end: str, last: str) -> None:
    """Cases 11, 13: each kind of line end is accepted, with or without the last one, and kept inside quotes."""
    lines = ["name,age", "Anna,7", '"a\r\nb\rc\nd",', ",8"]
    path = write(end.join(lines) + last.replace("end", end))
    assert rows(path) == [("name", "age"), ("Anna", "7"), ("a\r\nb\rc\nd", ""), ("", "8")]


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (f"name,age\nAnna,7\n{CANARY}\r,8\n", "line 3, column 'name'"),
        (f"name,age\r\n{CANARY},7\rBeppe,8\r\n", "line 2, column 'age'"),
        (f"name,age\r{CANARY},7\nBeppe,8\r", "line 2, column 'age'"),
        (f"name,age\r{CANARY},7\r\nBeppe,8\r", "line 2, column 'name'"),
        (f"name,age\n{CANARY},7\n\rBeppe,8\n", "line 3, column 'name'"),
        (f"name\n{CANARY}\rBeppe\n", "line 2, column 'name'"),
    ],
)
def test_bare_carriage_return_among_others(write: Callable[..., Path], content: str, where: str) -> None:
    """Like case 11: a line end of another kind could be part of a cell or of the table: nobody guesses."""
    refused(write(content), InputError, 3, "line end", where)


def test_line_feeds_with_and_without_carriage_returns(write: Callable[..., Path]) -> None:
    """LF and CRLF mean the same to every reader and may be mixed; a CR before the very end counts as half of one."""
    assert rows(write("a,b\r\n1,2\n3,4\r\n5,6\r")) == [("a", "b"), ("1", "2"), ("3", "4"), ("5", "6")]


@pytest.mark.parametrize("content", [f"name,age,city\nA,7,Rome\n{CANARY},8", f"name,age,city\r\nA,7,Rome\r\n{CANARY}"])
def test_last_row_cut(write: Callable[..., Path], content: str) -> None:
    """Case 14: a last record with too few cells says that the text ends there."""
    refused(write(content), InputError, 3, "where the first line has 3", "line 3", "cut short")


def test_gzip(write: Callable[..., Path]) -> None:
    """Packed text is the same table, also in several members."""
    whole = gzip.compress(b"name,age\nAnna,7\n") + gzip.compress(b"Beppe,8\n")
    assert rows(write(whole, "people.csv.gz")) == [("name", "age"), ("Anna", "7"), ("Beppe", "8")]


@pytest.mark.parametrize("harm", ["cut", "checksum", "length", "stream", "trailing bytes"])
def test_damaged_gzip(write: Callable[..., Path], harm: str) -> None:
    """Case 16: a packed file that is cut short, altered or followed by something else is refused whole."""
    packed = bytearray(gzip.compress(f"name,age\n{CANARY},7\n".encode() * 1000))
    if harm == "cut":
        del packed[-20:]
    elif harm == "trailing bytes":
        packed += b"more"
    else:
        packed[{"checksum": -8, "length": -4, "stream": 10}[harm]] ^= 0xFF
    refused(write(bytes(packed), "people.csv.gz"), InputError, 3, "damaged or cut short")


def test_gzip_bomb(write: Callable[..., Path]) -> None:
    """Case 17: unpacking stops at the ratio or the size allowed."""
    bomb = write(gzip.compress(b"name,age\n" + b"a" * 20_000_000), "people.csv.gz")
    assert bomb.stat().st_size * 200 < 20_000_000
    refused(bomb, LimitError, 8, "200 bytes for one packed byte")
    large = write(gzip.compress(os.urandom(3_000_000).hex().encode()), "x.csv.gz")
    refused(large, LimitError, 8, options=ReadOptions(max_memory=4_000_000))


def test_repetitive_small_gzip_is_no_bomb(write: Callable[..., Path]) -> None:
    """Below a mebibyte even a high ratio does no harm."""
    path = write(gzip.compress(b"name,age\n" + b"Anna,7\n" * 100_000), "people.csv.gz")
    assert path.stat().st_size * 200 < 700_000
    assert read(path).records == 100_000


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_decoded_text_has_a_limit(write: Callable[..., Path], encoding: str) -> None:
    """Like case 17: text of another encoding lies in memory, and that is bounded."""
    path = write(("name,age\n" + f"{CANARY},7\n" * 1000).encode(encoding))
    refused(path, LimitError, 8, "5000 bytes", options=ReadOptions(encoding=encoding, max_memory=5000))


def zipped() -> bytes:
    """A zip archive, which is what every workbook is."""
    with BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("xl/workbook.xml", CANARY)
        return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("people.pkl", pickle.dumps([CANARY]), "pickle"),
        ("people.csv", pickle.dumps([CANARY], protocol=2), "pickle"),
        ("people.joblib", zlib.compress(pickle.dumps([CANARY])), "pickle"),
        ("people.feather", b"FEA1\0\0\0\0" + CANARY.encode(), "Feather 1"),
        ("people.zip", zipped(), "zip"),
        ("people.csv", zipped(), "zip"),
        ("people.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + CANARY.encode(), "Excel 97"),
        ("people.json", f'[{{"name": "{CANARY}"}}]'.encode(), "JSON"),
    ],
)
def test_other_formats_are_refused(write: Callable[..., Path], name: str, content: bytes, said: str) -> None:
    """Case 25: nothing is unpickled, unzipped or guessed."""
    refused(write(content, name), InputError, 3, f"a {said} file is not read")


def test_name_that_lies(tmp_path: Path, write: Callable[..., Path]) -> None:
    """Case 26: a name that says another format than the bytes is refused."""
    frame = pl.DataFrame({"name": [CANARY], "age": [7]})
    frame.write_parquet(tmp_path / "people.csv")
    refused(tmp_path / "people.csv", InputError, 3, "the name says text, the bytes say Parquet")
    frame.write_ipc(tmp_path / "people.parquet")
    refused(tmp_path / "people.parquet", InputError, 3, "the name says Parquet, the bytes say Arrow")
    refused(write(f"name\n{CANARY}\n", "p.parquet"), InputError, 3, "the bytes say text")
    refused(write(gzip.compress(CANARY.encode()), "p.csv"), InputError, 3, "the bytes say gzip")
    refused(write(f"name\n{CANARY}\n", "p.csv.gz"), InputError, 3, "the bytes say text")
    packed = gzip.compress((tmp_path / "people.csv").read_bytes())
    refused(write(packed, "p.gz"), InputError, 3, "holds a Parquet file")


def test_other_sources_go_to_their_reader(tmp_path: Path, write: Callable[..., Path]) -> None:
    """Parquet, Arrow and frames give the same table as text; a cut Parquet file is the Parquet reader's to refuse."""
    frame = pl.DataFrame({"name": ["Anna"], "age": ["7"]})
    frame.write_parquet(tmp_path / "people.parquet")
    frame.write_ipc(tmp_path / "people.arrow")
    expected = [("name", "age"), ("Anna", "7")]
    assert rows(tmp_path / "people.parquet") == rows(tmp_path / "people.arrow") == expected
    assert read(frame).records == 1
    with pytest.raises(InfeasibleError, match="0 records"):
        read(frame.clear())
    refused(write((tmp_path / "people.parquet").read_bytes()[:-9], "cut.parquet"), InputError, 3)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 2: `-` is standard input, plain or packed, and nothing else than text."""

    def pipe(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=BytesIO(content)))

    for content in (b"name,age\nAnna,7\n", gzip.compress(b"name,age\nAnna,7\n")):
        pipe(content)
        assert rows("-") == [("name", "age"), ("Anna", "7")]
    pipe(b"ARROW1\0\0" + CANARY.encode())
    refused("-", InputError, 3, "not read from standard input")
    pipe(b"name,age\n" + CANARY.encode())
    refused("-", LimitError, 8, "10 bytes", options=ReadOptions(max_memory=10))
    pipe(b"name,age\n" + CANARY.encode())
    refused("-", InputError, 3, "standard input, line 2")


class Endless:
    """A pipe without end, which counts what is read of it."""

    read_ = 0

    def read(self, size: int) -> bytes:
        """More of the same."""
        self.read_ += size
        return b"y\n" * (size // 2)


@pytest.mark.parametrize(("left", "limit"), [(8 << 20, None), (1 << 40, 6 << 20), (1 << 40, 1)])
def test_standard_input_without_end(left: int, limit: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read up to half of the memory that there is, or that a limit allows, in pieces; then it is refused."""
    endless = Endless()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=endless))
    monkeypatch.setattr("kohort.io.source.memory", lambda: left)
    with pytest.raises(LimitError, match=r"exceeds .* bytes of memory") as refused:
        read("-", ReadOptions(), Workspace(limit=limit))
    assert refused.value.hint.startswith("save the text as a plain UTF-8 file")
    assert endless.read_ <= max(min(left, limit or left) // 2, PIECE) + PIECE


def test_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is the machine's, unless a container or a limit of addresses allows less, or nothing says what there is."""
    monkeypatch.setattr("kohort.system._CONTAINER", tmp_path / "max")
    monkeypatch.setattr("kohort.system.address_space", lambda: None)
    whole = system.memory()
    (tmp_path / "max").write_text("max\n")
    assert system.memory() == whole
    (tmp_path / "max").write_text("77\n")
    assert system.memory() == 77
    monkeypatch.setattr("kohort.system.address_space", lambda: 70)
    assert system.memory() == 70
    monkeypatch.setattr("kohort.system.address_space", lambda: None)
    monkeypatch.setattr("kohort.system._CONTAINER", tmp_path / "none")
    monkeypatch.delattr("os.sysconf", raising=False)
    assert system.memory() == 16 << 30


# ── B. header ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("header", "parts"),
    [
        ("age,name,age", ["duplicate", "'age'", "line 1"]),
        ("age, AGE ,city", ["duplicate", "'age' (column 1), ' AGE ' (column 2)", "line 1"]),
        ("age,city,\N{FULLWIDTH LATIN SMALL LETTER A}ge", ["duplicate", "(column 1)", "(column 3)", "line 1"]),
        (",city,column_1", ["duplicate", "'column_1' (column 1), 'column_1' (column 3)"]),
        ('age,"na\nme",city', ["control characters", "line 1, column 2"]),
        ("age,na\tme,city", ["control characters", "line 1, column 2"]),
        ("age,na\x1b[31mme,city", ["control characters", "line 1, column 2"]),
        ("age,na\0me,city", ["control characters", "line 1, column 2"]),
        ('age,na"me,city', ["quote inside", "line 1, column 'column_2'"]),
        ('age,"name"x,city', ["after the closing quote", "line 1, column 'column_2'"]),
        ('age,"name,city', ["never closed", "line 1, column 'column_2'"]),
        ("", ["a record of 3 cells where the first line has 1", "line 2"]),
    ],
)
def test_bad_header(write: Callable[..., Path], header: str, parts: Sequence[str]) -> None:
    """Cases 29, 31, 32, 38: names that do not tell columns apart, or cannot be shown, are refused."""
    path = write(f"{header}\n{CANARY},2,3\n")
    error = refused(path, InputError, 3, *parts, options=ReadOptions(separator=","))
    assert "\x1b" not in str(error)


@pytest.mark.parametrize("blank", ["", '""', "  "])
def test_a_column_without_a_name_is_called_by_its_position(write: Callable[..., Path], blank: str) -> None:
    """Case 31: one or several empty cells of the header are no fault, where others have names."""
    path = write(f"{blank},age,{blank},sex\nx,2,y,m\n")
    assert rows(path)[0] == ("column_1", "age", "column_3", "sex")


#: First records that look like data, the records below them, and the column that shows it.
DATA = (
    (f"{CANARY},39", "x,50", "line 1, column 2"),
    (f"{CANARY}, 39 ", "x, 50", "line 1, column 2"),
    (f"{CANARY},2024-02-29", "x,y", "line 1, column 2"),
    (f"{CANARY},ada@example.org", "x,y", "line 1, column 2"),
    (f"{CANARY},RSS-85", "x,ABC-12\ny,DEF-34", "line 1, column 2"),
    (f"{CANARY},M,single", "x,F,single\ny,M,married", "line 1"),
    ("1,2.5,-3", "4,5,6", "line 1, column 1"),
)


@pytest.mark.parametrize(("first", "others", "where"), DATA)
def test_a_first_record_that_looks_like_data(write: Callable[..., Path], first: str, others: str, where: str) -> None:
    """Case 32: it is neither taken for a header in silence nor repeated in the message; both answers are accepted."""
    path = write(f"{first}\n{others}\n")
    refused(path, InputError, 3, "looks like data", "--no-header", "--header", where)
    assert rows(path, ReadOptions(header=True))[0] == tuple(first.split(","))
    assert rows(path, ReadOptions(header=False))[1] == tuple(first.split(","))


@pytest.mark.parametrize("text", ["q1,q2\n1,2\n", "a1\nb2\nlong 3\n", "M,F\nM,x\n", "x1,b\n"])
def test_a_header_is_not_asked_about(write: Callable[..., Path], text: str) -> None:
    """Names with digits, and a name that is also a value, are names."""
    assert rows(write(text), ReadOptions(separator=",", allow_empty=True))[0] == tuple(
        text.partition("\n")[0].split(",")
    )


def test_records_at_fault_are_told_as_such(write: Callable[..., Path]) -> None:
    """Whether a header looks like the records below is not asked where these are not well formed."""
    refused(write(f"h1,b\n\n{CANARY},2\n"), InputError, 3, "a blank line", "line 2")


def test_given_names(write: Callable[..., Path]) -> None:
    """Case 32: names can be given for a text without a header: one for each column, and not beside a header."""
    path = write("39,Rome\n50,Bari\n")
    assert rows(path, ReadOptions(names=("age", "city"))) == [("age", "city"), ("39", "Rome"), ("50", "Bari")]
    refused(
        path,
        InputError,
        3,
        "3 names are given, but the first record has 2 cells",
        options=ReadOptions(names=("a",) * 3),
    )
    with pytest.raises(InputError, match="duplicate column names"):
        read(path, ReadOptions(names=("age", "Age")))
    with pytest.raises(UsageError, match="names are given for a text with a header"):
        ReadOptions(names=("age",), header=True)


@pytest.mark.parametrize(("header", "cells"), [("a,b,c", 2), ("a,b,c", 4), ("a", 2)])
def test_header_of_another_width(write: Callable[..., Path], header: str, cells: int) -> None:
    """Case 34: a header longer or shorter than the records is refused."""
    path = write(f"{header}\n" + ",".join([CANARY] * cells) + "\n")
    wide = len(header.split(","))
    refused(path, InputError, 3, f"a record of {cells} cells where the first line has {wide}", "line 2")


def test_no_header(write: Callable[..., Path]) -> None:
    """Case 32: without a header the first line is data, and columns have plain names."""
    path = write("1,2\n3,4\n")
    assert rows(path, ReadOptions(header=False)) == [("column_1", "column_2"), ("1", "2"), ("3", "4")]
    refused(write(f"1,2\n3,4,{CANARY}\n"), InputError, 3, "line 2", options=ReadOptions(header=False))


def test_odd_names_are_names(write: Callable[..., Path]) -> None:
    """Cases 35, 37, 40: any printable name is kept as it is."""
    names = ("index", "count", "__index_level_0__", "level_0", "<img src=x onerror=alert(1)>", "=1+1", "@x", " à ", "1")
    path = write(",".join(names) + "\n" + ",".join("abcdefghi") + "\n")
    assert rows(path, ReadOptions(header=True)) == [names, tuple("abcdefghi")]


# ── C. cells ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        (f"A,7,Rome\n{CANARY},8\nC,9,Bari\n", ["2 cells", "line 3, column 'age'"]),
        (f"A,7,Rome\n{CANARY},8,Pisa,9\nC,9,Bari\n", ["4 cells", "line 3, column 'city'", "separator"]),
        (f'A,7,Rome\nB,"{CANARY},8\nC,9,Bari\n' + "D,9,Bari\n" * 9, ["never closed", "line 3, column 'age'"]),
        (f'A,7,Rome\n"{CANARY}"y,8,Pisa\n', ["after the closing quote", "line 3, column 'name'"]),
        (f'A,7,Rome\n"{CANARY}" ,8,Pisa\n', ["after the closing quote", "line 3, column 'name'"]),
        (f'A,7,Rome\nB,8,"{CANARY}"y\n', ["after the closing quote", "line 3, column 'city'"]),
        (f'A,7,Rome\n{CANARY}"y,8,Pisa\n', ["quote inside", "line 3, column 'name'"]),
        (f'A,7,Rome\n "{CANARY}",8,Pisa\n', ["quote inside", "line 3, column 'name'"]),
        (f"A,7,Rome\n\n{CANARY},8,Pisa\n", ["blank line", "line 3\n", "--skip-blank"]),
        (f"A,7,Rome\r\n\r\n{CANARY},8,Pisa", ["blank line", "line 3\n"]),
        (f"A,7,Rome\n \n{CANARY},8,Pisa\n", ["1 cell where", "line 3"]),
        (f'A,7,"Ro\n\nme"\n{CANARY},8\n', ["2 cells", "line 5, column 'age'"]),
    ],
)
def test_bad_record(write: Callable[..., Path], body: str, parts: Sequence[str]) -> None:
    """Cases 41, 43, 44, 46: a record that is not well formed is an error at its line."""
    refused(write("name,age,city\n" + body), InputError, 3, *parts)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines(write: Callable[..., Path], end: str) -> None:
    """Case 46: a blank line is a value of a single column, and is skipped only when told so."""
    one = write(end.join(["name", "a", "", '""', "b", "", ""]))
    assert rows(one) == [("name",), ("a",), ("",), ("",), ("b",), ("",)]
    skip = ReadOptions(skip_blank=True)
    assert rows(one, skip) == [("name",), ("a",), ("",), ("b",)]
    assert rows(write(end.join(["", "", "a,b", "", "1,2", "", ""])), skip) == [("a", "b"), ("1", "2")]
    refused(write(end * 3), InputError, 3, "every line is blank", options=skip)
    assert rows(write(end * 3), ReadOptions(header=False)) == [("column_1",), ("",), ("",), ("",)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [1, 2, 3])
def test_blank_lines_at_the_end(write: Callable[..., Path], end: str, last: int) -> None:
    """Case 46: after the last record of a table of several columns they are no records, and no fault."""
    assert rows(write(end.join(["a,b", "x,y"]) + end * last)) == [("a", "b"), ("x", "y")]
    with pytest.raises(InfeasibleError, match="0 records"):
        read(write("a,b" + end * (last + 1)))


def test_trim(write: Callable[..., Path], tmp_path: Path) -> None:
    """Blanks around cells and names are removed, of text and of typed sources; values that become equal are one."""
    trim = ReadOptions(trim=True)
    assert rows(write("age , city\n 39,Rome \n39, \n"), trim) == [("age", "city"), ("39", "Rome"), ("39", "")]
    frame = pl.DataFrame({" age": [39, 40], "city ": [" Rome\N{NO-BREAK SPACE}", None], "x": ["a b", "a b"]})
    frame.write_parquet(tmp_path / "people.parquet")
    for source in (frame, tmp_path / "people.parquet"):
        table = read(source, trim)
        assert table.names == ("age", "city", "x")
        assert [column.values.to_list() for column in table.columns[1:]] == [["Rome", None], ["a b"]]
        assert table["age"].dtype == pl.Int64()


def test_typed_sources_have_names_of_their_own(tmp_path: Path) -> None:
    """Given names would rename columns that have one."""
    frame = pl.DataFrame({"a": [1]})
    frame.write_parquet(tmp_path / "a.parquet")
    for source, what in ((frame, "a frame"), (tmp_path / "a.parquet", "the Parquet file")):
        with pytest.raises(UsageError, match=f"{what} has column names of its own"):
            read(source, ReadOptions(names=("b",)))


def test_large_cell(write: Callable[..., Path]) -> None:
    """Case 47: 2 MB of text in a cell are kept exactly, 100 MB are over the limit."""
    large = "x" * 2_000_000
    assert rows(write(f'a,b\n1,"{large}\n"\n')) == [("a", "b"), ("1", f"{large}\n")]
    refused(write(f"a,b\n1,2\n3,{CANARY}" + "x" * 100_000_000), LimitError, 8, "16777216", "line 3, column 'b'")
    refused(write(f"a,b\n1,{CANARY}\n"), LimitError, 8, "line 2, column 'b'", options=ReadOptions(max_cell=3))
    assert rows(write("a,b\n1,222\n"), ReadOptions(max_cell=3))[1:] == [("1", "222")]


#: Cells that readers take for something else than text: cases 49, 50, 52, 53, 58, 59, 65, 67, 70.
KEPT = (
    *("9007199254740993", "9007199254740995", "9223372036854775808", "18446744073709551617", "00118", "-0", "-0.0"),
    *("1e5", "0x1F", "1_000", "+49151", "1.", ".5", "1e-320", "1.234,5", "1 234", "∞"),
    *("NA", "Null", "None", "nan", "NULL", "N/A", "-", "?", "#N/A", "inf", "NaN"),
    *("true", "yes", "t", "1", "True", "false", "0", "n"),
    *(" lead", "trail ", "  ", "\t", "=cmd|' /C calc'!A0", "@x", "# note", "#", "//", "\\", "\\n", "'", "`"),
    *('"', '""', 'a "b"', '"a"', "a,b", "a\nb", "a\r\nb", "a\rb", "\n", "\r", ",", ""),
    *("é", "e\u0301", "\u00a0", "\u200b", "\u202e", "😀", "名前", "\ufeff", "\u2028", "\x1a", "\x7f", "\ufffd"),
    *("1234567", "12345678", "123456789", "x" * 15, "x" * 16, "x" * 17),
)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_cells_are_text(write: Callable[..., Path], separator: str) -> None:
    """Cases 49, 50, 52, 53, 67, 70: no cell is typed, trimmed, replaced or dropped."""
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in KEPT]
    lines = [separator.join(["value", "other"]), *(f"{cell}{separator}x" for cell in quoted)]
    assert rows(write("\n".join(lines)), ReadOptions(separator=separator))[1:] == [(cell, "x") for cell in KEPT]
    bare = [cell for cell in KEPT if not set(cell) & set('",;\t|\r\n')]
    plain = "\n".join([separator.join(["value", "other"]), *(f"{cell}{separator}{cell}" for cell in bare)])
    assert rows(write(plain))[1:] == [(cell, cell) for cell in bare]


def test_type_of_a_late_cell_changes_nothing(write: Callable[..., Path]) -> None:
    """Case 62: what row 200,001 holds does not change how the others are read."""
    body = "".join(f"{place},{place % 7}\n" for place in range(200_000))
    table = read(write(f"id,digit\n{body}x,y\n"))
    ids, digits = table.columns
    assert table.records == 200_001
    assert ids.values.gather(ids.codes).to_list() == [*map(str, range(200_000)), "x"]
    assert digits.values.to_list() == [*"0123456", "y"]
    assert digits.codes.dtype == np.dtype(np.uint8)


def test_million_values_in_one_column(write: Callable[..., Path]) -> None:
    """Case 71: a column of a million values is read like any other."""
    numbers = pl.int_range(1_000_000, eager=True).cast(pl.String)
    (column,) = read(write("id\n" + "\n".join(numbers) + "\n")).columns
    assert column.values.to_list() == numbers.to_list()
    assert np.array_equal(column.codes, np.arange(1_000_000))
    assert column.codes.dtype == np.uint32


@pytest.mark.parametrize("columns", [200, 5_000])
def test_many_columns(write: Callable[..., Path], columns: int) -> None:
    """Case 73: thousands of columns are read like nine."""
    lines = [tuple(f"c{place}" for place in range(columns))]
    lines += [tuple(str((place * row) % 11) for place in range(columns)) for row in range(50)]
    assert rows(write("\n".join(map(",".join, lines)))) == lines


def test_many_columns_of_few_records_take_little_memory(write: Callable[..., Path]) -> None:
    """Case 73: what is kept for a column grows with its records; 65,536 columns took 1.5 GB."""
    path = write(",".join(f"c{place}" for place in range(2_000)) + "\n" + ("1" + ",1" * 1_999 + "\n") * 2)
    tracemalloc.start()
    try:
        assert read(path).records == 2
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2_000 * 6_000


# ── separators and quotes ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a;b\n1,5;2,5\n", [("a", "b"), ("1,5", "2,5")]),
        ("a\tb c\n1\t2,3\n", [("a", "b c"), ("1", "2,3")]),
        ("name\nAnna\n", [("name",), ("Anna",)]),
        ("name\nRossi; Anna\n", [("name",), ("Rossi; Anna",)]),
        ('"a,b";c\n"1,2";3\n', [("a,b", "c"), ("1,2", "3")]),
        ("\n\na;b\n\n1;2\n", [("a", "b"), ("1", "2")]),
        ("a,b\n" + "1,2\n" * 40_000 + "3,4;5", [("a", "b"), *[("1", "2")] * 40_000, ("3", "4;5")]),
        ("a" * 2_000 + ";b\n1;2\n", [("a" * 2_000, "b"), ("1", "2")]),
        ("a;b\n" + "x" * 65_000 + ";" + "x" * 1000 + ",\n", [("a", "b"), ("x" * 65_000, "x" * 1000 + ",")]),
    ],
)
def test_separator_is_sniffed(write: Callable[..., Path], content: str, expected: list[tuple[str, ...]]) -> None:
    """The separator that divides the first records evenly is taken; a comma where there is none."""
    assert rows(write(content), ReadOptions(skip_blank=True)) == expected


def test_uneven_separator_is_told_by_the_header(write: Callable[..., Path]) -> None:
    """Where no separator divides the records evenly, the header's is taken, so that the error is about the record."""
    refused(write(f"a;b\n1;2\n{CANARY}\n"), InputError, 3, "1 cell where the first line has 2", "line 3")


def test_two_separators_are_not_guessed_between(write: Callable[..., Path]) -> None:
    """Where two separators divide the records evenly, the caller has to say which it is."""
    path = write("a,b;c\n1,2;3\n")
    refused(path, InputError, 3, "two separators", "--separator")
    assert rows(path, ReadOptions(separator=";")) == [("a,b", "c"), ("1,2", "3")]


def test_other_quotes(write: Callable[..., Path]) -> None:
    """Another quote character, or none, leaves double quotes as they are; a quote is no separator to sniff."""
    assert rows(write("a,b\n5\" pipe,'x,''y'\n"), ReadOptions(quote="'"))[1:] == [('5" pipe', "x,'y")]
    assert rows(write('a,b\n5" pipe,"""x\n'), ReadOptions(quote=None))[1:] == [('5" pipe', '"""x')]
    assert rows(write("a,b\n|1,2|,3\n"), ReadOptions(quote="|"))[1:] == [("1,2", "3")]
    assert rows(write("a,b\n,\n"), ReadOptions(quote=None))[1:] == [("", "")]
