"""Bad typed inputs (cases of the list of bad inputs): a typed error that says where, and never what a cell holds."""

from __future__ import annotations

import datetime as dt
import errno
import hashlib
import io
import os
import pickle
import random
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest

from kohort.errors import FileError, InputError, KohortError
from kohort.io.forms import Format
from kohort.io.typed import from_frame, read_typed
from kohort.io.write import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kohort.tables.table import Table

pa: Any = import_module("pyarrow")  # publishes no types
pq: Any = import_module("pyarrow.parquet")
ipc: Any = import_module("pyarrow.ipc")

#: In every cell of text, and in no message.
CANARY = "CANARY"

PEOPLE = pl.DataFrame({"name": [f"{CANARY} {place}" for place in range(300)], "age": range(300), "paid": [0.5] * 300})


def parquet() -> bytes:
    """A sound Parquet file."""
    file = io.BytesIO()
    PEOPLE.write_parquet(file)
    return file.getvalue()


def arrow() -> bytes:
    """A sound Arrow IPC file."""
    file = io.BytesIO()
    PEOPLE.write_ipc(file, compat_level=pl.CompatLevel.oldest())
    return file.getvalue()


read_parquet, read_ipc = partial(read_typed, form="Parquet"), partial(read_typed, form="Arrow")

KINDS = [pytest.param(read_parquet, parquet, id="parquet"), pytest.param(read_ipc, arrow, id="arrow")]


def refused(read: Callable[[Path], Table], path: Path, error: type[KohortError] = InputError) -> str:
    """The message with which `path` is refused: it names the file, quotes no cell and leaves the file as it is."""
    before = path.read_bytes() if path.is_file() and os.access(path, os.R_OK) else b""
    with pytest.raises(error) as raised:
        read(path)
    assert type(raised.value) is error
    assert str(path) in str(raised.value)
    assert CANARY not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
    assert not before or path.read_bytes() == before
    return str(raised.value)


def refused_frame(frame: object, column: str) -> str:
    """The message with which a frame is refused: it names the column and quotes no cell."""
    with pytest.raises(InputError) as raised:
        from_frame(frame).needing(("age", "salary", column))
    assert repr(column) in str(raised.value)
    assert CANARY not in str(raised.value)
    return str(raised.value)


# ── A. file and container ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("read", [read_parquet, read_ipc])
def test_cases_1_and_2_no_regular_file(read: Callable[[Path], Table], tmp_path: Path) -> None:
    """A path that does not exist, a folder and a pipe are named, and none is waited for."""
    refused(read, tmp_path / "absent.parquet")
    refused(read, tmp_path)
    os.mkfifo(tmp_path / "pipe.parquet")
    refused(read, tmp_path / "pipe.parquet")


def test_a_file_that_the_system_does_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system refuses is told apart from what is wrong with the data, whoever asked it to read."""
    path = tmp_path / "people.parquet"
    path.write_bytes(parquet())

    def fail(*_: object) -> pl.LazyFrame:
        raise OSError("Input/output error (os error 5)")

    monkeypatch.setattr(pl, "scan_parquet", fail)
    assert "Input/output error" in refused(read_parquet, path, FileError)

    def forbid(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(type(path), "open", forbid)
    with pytest.raises(FileError, match="Permission denied"):
        read_parquet(path)


@pytest.mark.parametrize(("read", "sound"), KINDS)
def test_case_22_cut_short(read: Callable[[Path], Table], sound: Callable[[], bytes], tmp_path: Path) -> None:
    """However many bytes are left of a file, it is refused."""
    content = sound()
    path = tmp_path / "people"
    for kept in [*range(13), *range(13, len(content), 97), len(content) - 1]:
        path.write_bytes(content[:kept])
        refused(read, path)


@pytest.mark.parametrize(("read", "sound"), KINDS)
def test_case_22_wrong_footer(read: Callable[[Path], Table], sound: Callable[[], bytes], tmp_path: Path) -> None:
    """A file that starts and ends well and has a wrong length of its footer is refused as damaged."""
    content = bytearray(sound())
    place = len(content) - (8 if read is read_parquet else 10)
    path = tmp_path / "people"
    for length in (0, 1, 7, len(content) + 1, 2**31 - 1, 2**32 - 1):
        content[place : place + 4] = length.to_bytes(4, "little")
        path.write_bytes(content)
        assert "damaged" in refused(read, path)


@pytest.mark.parametrize(("read", "sound"), KINDS)
def test_case_22_changed_bytes(read: Callable[[Path], Table], sound: Callable[[], bytes], tmp_path: Path) -> None:
    """A file with changed bytes is read or refused, whatever polars raises; nothing else happens."""
    content, chance = sound(), random.Random(22)  # noqa: S311  which bytes change is no secret
    path, messages = tmp_path / "people", list[str]()
    for _ in range(150):
        damaged = bytearray(content)
        for place in chance.sample(range(len(content)), 3):
            damaged[place] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            read(path)
        except InputError as error:
            messages.append(str(error))
    assert len(messages) > 20
    assert CANARY not in "".join(messages)


def test_case_22_a_panic_of_polars_is_an_input_error(tmp_path: Path) -> None:
    """A panic, which is no `Exception`, does not escape."""
    path = tmp_path / "people.parquet"
    path.write_bytes(parquet())

    def panic(_: object) -> pl.LazyFrame:
        raise pl.exceptions.PanicException(CANARY)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pl, "scan_parquet", panic)
        assert "PanicException" in refused(read_parquet, path)


ONE = dt.timedelta(1)


@pytest.mark.parametrize(
    "cells",
    [
        pl.Series([[CANARY]]),
        pl.Series([{"a": CANARY}]),
        pl.Series([[1]], dtype=pl.Array(pl.Int64, 1)),
        pl.Series([ONE]),
        pl.Series([CANARY.encode()]),
        pl.Series([object()], dtype=pl.Object),
        pl.Series([[CANARY]], dtype=pl.List(pl.Enum([CANARY]))),
    ],
    ids=lambda cells: type(cells.dtype).__name__,
)
def test_case_23_types_without_exact_text(cells: pl.Series) -> None:
    """A column of any such type is refused by its name and the name of the type, without its categories."""
    message = refused_frame(pl.DataFrame({"age": [1], "salary": cells}), "salary")
    assert type(cells.dtype).__name__ in message
    assert "'age'" not in message


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([[(CANARY, 1)]], "map"),
        (['"CANARY"'], "json"),
        ([b"CANARYCANARYCANA"], "uuid"),
        ([(1, 2, 3)], "interval"),
    ],
    ids=["map", "json", "uuid", "interval"],
)
def test_case_23_arrow_types_without_exact_text(cells: list[Any], kind: str, tmp_path: Path) -> None:
    """Arrow's own nested and extension types are refused by name, from memory and from files."""
    types = {
        "map": lambda: pa.map_(pa.string(), pa.int64()),
        "json": lambda: pa.json_(pa.string()),
        "uuid": pa.uuid,
        "interval": pa.month_day_nano_interval,
    }
    table = pa.table({"salary": pa.array(cells, type=types[kind]())})
    refused_frame(table, "salary")
    path = tmp_path / "people.arrow"
    with path.open("wb") as sink, ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    refused(read_ipc, path)
    if kind != "interval":
        pq.write_table(table, tmp_path / "people.parquet")
        assert "'salary'" in refused(read_parquet, tmp_path / "people.parquet")


class _Trap:
    """An object whose pickle would write a file when read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self.path), "w")


@pytest.mark.parametrize("read", [read_parquet, read_ipc])
def test_case_25_a_pickle_is_never_run(read: Callable[[Path], Table], tmp_path: Path) -> None:
    """A pickle under a data file's name is refused by its first bytes; the program in it does not run."""
    path, sprung = tmp_path / "people.parquet", tmp_path / "sprung"
    path.write_bytes(pickle.dumps(_Trap(sprung)))
    refused(read, path)
    assert not sprung.exists()


@pytest.mark.parametrize(
    ("read", "content"),
    [
        (read_parquet, arrow()),
        (read_ipc, parquet()),
        (read_parquet, f"name\n{CANARY}\n".encode()),
        (read_ipc, b"FEA1" + bytes(20)),
        (read_parquet, b""),
        (read_ipc, b""),
    ],
)
def test_case_26_the_ending_lies(read: Callable[[Path], Table], content: bytes, tmp_path: Path) -> None:
    """A file of another kind is told by its first bytes, and the message says what it is not."""
    path = tmp_path / "people"
    path.write_bytes(content)
    kind = "Parquet" if read is read_parquet else "Arrow IPC"
    assert f"the file is not {kind}" in refused(read, path)


# ── B. header ────────────────────────────────────────────────────────────────────────────────────


def _file_of(names: list[str], read: Callable[[Path], Table], path: Path) -> Path:
    table = pa.table([pa.array([CANARY])] * len(names), names=names)
    if read is read_parquet:
        pq.write_table(table, path)
    else:
        with path.open("wb") as sink, ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    return path


@pytest.mark.parametrize("read", [read_parquet, read_ipc])
@pytest.mark.parametrize("names", [["age", "age"], ["age", " Age"], ["age", "a\nb"], ["age", "\x1b[2Jb"]])
def test_cases_29_31_38_names_of_files(read: Callable[[Path], Table], names: list[str], tmp_path: Path) -> None:
    """Duplicate and unprintable names are refused; the message moves no cursor."""
    message = refused(read, _file_of(names, read, tmp_path / "people"))
    assert "\x1b" not in message
    assert "a\nb" not in message
    if names == ["age", "age"]:
        assert "duplicate column names: \"column with name 'age'" in message or "two of its columns" in message


@pytest.mark.parametrize("names", [["age", "age"], ["age", "AGE\t"], ["age", "a\x9bb"], ["age", "a\u2028b"]])
def test_cases_29_31_38_names_of_frames(names: list[str]) -> None:
    """The same names are refused from memory, where no library is left to rename them."""
    for frame in (pa.table([[1], [2]], names=names), pd.DataFrame([[1, 2]], columns=pd.Index(names))):
        with pytest.raises(InputError) as raised:
            from_frame(frame)
        assert str(raised.value).isascii()


def test_case_31_a_column_without_a_name_is_called_by_its_position(tmp_path: Path) -> None:
    """In files and frames as in text."""
    for read in (read_parquet, read_ipc):
        assert read(_file_of(["age", "", " "], read, tmp_path / "people")).names == ("age", "column_2", "column_3")
    for frame in (pa.table([[1], [2]], names=["", "age"]), pd.DataFrame([[1, 2]], columns=pd.Index(["\t", "age"]))):
        assert from_frame(frame).names == ("column_1", "age")


@pytest.mark.parametrize("name", ["index", "count", "__index_level_0__", "level_0"])
def test_case_35_names_of_an_index_are_data(name: str) -> None:
    """Such a column is data, and no such column is ever made."""
    source = pd.DataFrame({name: [3, 4], "age": [1, 2]})
    for frame in (source, pa.Table.from_pandas(source), pl.DataFrame({name: [3, 4], "age": [1, 2]})):
        file = io.BytesIO()
        write(from_frame(frame), file, Format.CSV)
        assert file.getvalue().decode() == f"{name},age\n3,1\n4,2\n"


# ── C. cells ─────────────────────────────────────────────────────────────────────────────────────


def test_case_10_a_nul_character() -> None:
    """A NUL in a cell is refused by the column's name."""
    refused_frame(pl.DataFrame({"age": [1], "salary": [f"{CANARY}\0"]}), "salary")


@pytest.mark.parametrize("number", [2**53 + 1, -(2**63), 2**64 - 1, 2**64, -(2**100), 10**60])
def test_cases_49_and_50_large_integers(number: int) -> None:
    """No integer loses a digit on its way to text, missing cells beside it or not."""
    frames: list[object] = [pd.DataFrame({"id": pd.Series([number, None], dtype=object)})]
    if abs(number) < 2**127:
        frames.append(pl.DataFrame({"id": pl.Series([number, None], dtype=pl.Int128)}))
    for frame in frames:
        file = io.BytesIO()
        write(from_frame(frame), file, Format.TSV)
        assert file.getvalue().decode() == f'id\n{number}\n""\n'


def test_case_59_small_and_negative_zero() -> None:
    """Negative zero is zero; the smallest numbers keep their value."""
    frame = pl.DataFrame({"a": [-0.0, 0.0, 1e-320]})
    file = io.BytesIO()
    write(from_frame(frame), file, Format.CSV)
    assert [float(line) for line in file.getvalue().split()[1:]] == [0.0, 0.0, 1e-320]
    assert file.getvalue().startswith(b"a\n0.0\n0.0\n")


@pytest.mark.parametrize("number", [float("inf"), float("-inf")])
def test_infinities_are_refused_by_column_and_count(number: float) -> None:
    """No range holds an infinity, so a column with one is named."""
    assert "2 infinite values" in refused_frame(pl.DataFrame({"salary": [number, 1.0, number]}), "salary")


def test_cases_40_and_67_formulas() -> None:
    """Formulas are data; on demand they are kept from running in a spreadsheet, names included."""
    table = from_frame(
        pl.DataFrame({"@a": ["=cmd|x", "+1", "-1", "@x", "\tx"], "b": ["\rx", "1-5", "-x", "+x y", "x=1"]})
    )
    raw, safe = io.BytesIO(), io.BytesIO()
    write(table, raw, Format.CSV)
    write(table, safe, Format.CSV, excel_safe=True)
    assert raw.getvalue() == b'@a,b\n=cmd|x,"\rx"\n+1,1-5\n-1,-x\n@x,+x y\n\tx,x=1\n'
    assert safe.getvalue() == b"'@a,b\n'=cmd|x,\"'\rx\"\n+1,'1-5\n-1,'-x\n'@x,'+x y\n'\tx,x=1\n"


def test_sources_are_not_changed(tmp_path: Path) -> None:
    """Reading leaves the file and the frame as they were."""
    path = tmp_path / "people.parquet"
    path.write_bytes(parquet())
    digest = hashlib.sha256(path.read_bytes()).digest()
    read_parquet(path)
    assert hashlib.sha256(path.read_bytes()).digest() == digest
    frame = pd.DataFrame({"a": [0.5, float("nan")]})
    from_frame(frame)
    assert frame.equals(pd.DataFrame({"a": [0.5, float("nan")]}))
