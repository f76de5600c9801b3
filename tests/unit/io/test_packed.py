"""Parquet and Arrow files of few bytes that stand for much, and honest ones that look like them."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import polars as pl
import pytest

from bench import hostile_files
from kohort import io
from kohort.engines.base import engine_of
from kohort.errors import InputError, KohortError, LimitError
from kohort.io import packed
from kohort.transactions.io import read_transactions
from kohort.transactions.io.options import BasketOptions, Form

if TYPE_CHECKING:
    from pathlib import Path

#: Cases whose lies a reader may find out, or not believe: nothing is asked of it.
HARMLESS = ("-1 records in arrow", "1 records in arrow", "bytes of a buffer in arrow", "zeros that tells 0")

CASES = {
    case.name: case
    for case in hostile_files.cases("typed:")
    if any(
        word in case.name
        for word in (
            " deep ",
            "that tells",
            " of a buffer",
            "records in arrow",
            "0,000 records,",
            "that count",
        )
    )
}


def made(tmp_path: Path, name: str) -> Path:
    """The file of a hostile case."""
    CASES[name].make(tmp_path)
    return next(tmp_path.glob("in.*"))


@pytest.mark.parametrize("name", CASES)
def test_a_bomb_is_refused(name: str, tmp_path: Path) -> None:
    """Records, texts, pages and depth that no such file holds are refused before they take time or memory."""
    path = made(tmp_path, name)
    if name.endswith(HARMLESS):
        with suppress(InputError, LimitError):
            assert io.read(path).records <= 10_000
        return
    with pytest.raises((InputError, LimitError)):
        io.read(path)


@pytest.mark.parametrize("word", ["that count", "that tells 1,000,000,000", "20,000 deep in parquet (1)"])
def test_a_folder_and_the_engine_refuse_it_too(word: str, tmp_path: Path) -> None:
    """A part of a folder is looked at as a file is, and so is what DuckDB reads."""
    path = made(tmp_path, next(one for one in CASES if word in one))
    engine: Any = engine_of("duckdb")
    for source in (tmp_path, path):
        with pytest.raises(LimitError):
            io.read(source)
        with pytest.raises(LimitError):
            engine.read(source, io.ReadOptions())


@pytest.mark.slow("takes hundreds of MB")
def test_parts_of_a_folder_count_together(tmp_path: Path) -> None:
    """Many parts that are each allowed are together as much as they are."""
    for at in range(3):
        pl.DataFrame({"age": pl.repeat(30, 8_000_000, dtype=pl.Int8, eager=True)}).write_parquet(
            tmp_path / f"{at}.parquet"
        )
    assert io.read(tmp_path / "0.parquet").records == 8_000_000
    with pytest.raises(LimitError, match="MiB of memory"):
        io.read(tmp_path)


@pytest.mark.slow("takes hundreds of MB")
@pytest.mark.parametrize("form", ["Parquet", "Arrow"])
def test_a_sorted_release_is_read(form: str, tmp_path: Path) -> None:
    """Ten times a million sorted records of eight columns, whose files are the smallest, are still read."""
    codes = pl.select(pl.int_range(1_000_000)).to_series()
    frame = pl.DataFrame({f"c{at}": (codes // (1_000 + 99 * at)).cast(pl.String) + "-label" for at in range(8)})
    path = tmp_path / f"in.{form.lower()}"
    if form == "Parquet":
        frame.write_parquet(path)
    else:
        frame.write_ipc(path, compression="zstd")
    with path.open("rb") as file:
        due, size = packed.described(file, form, "x"), file.seek(0, 2)
    packed.refuse_bytes(10 * due, size, "x")
    assert due >= 36_000_000
    assert len(io.read(path)["c7"].values) == 591


@pytest.mark.slow("takes hundreds of MB")
@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_list_of_20_million_items_is_refused(form: str, tmp_path: Path) -> None:
    """Of a column of lists the items count, not the records; a usual one is read."""
    lists = pl.DataFrame({"items": [["bread", "milk"], ["tea"]] * 20})
    path = tmp_path / f"in.{form}"
    lists.write_parquet(path) if form == "parquet" else lists.write_ipc(path)
    options = BasketOptions(form=Form.LISTS)
    assert read_transactions(path, options).database.names == ("bread", "milk", "tea")
    hostile_files._lists(tmp_path, 20_000_000, form)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(LimitError):
        read_transactions(path, options)


def test_long_heads_of_pages_are_read(tmp_path: Path) -> None:
    """A page whose head holds long texts is one as any other."""
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    frame = pl.DataFrame({"note": ["a" * 3_000, "b" * 3_000], "age": [1.5, None]})
    parquet.write_table(frame.to_arrow(), tmp_path / "in.parquet", use_dictionary=False)
    assert io.read(tmp_path / "in.parquet").records == 2


@pytest.mark.parametrize("place", range(0, 400, 7))
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_any_change_of_a_description_ends_in_a_table_or_a_message(place: int, ending: str, tmp_path: Path) -> None:
    """Whatever byte is changed, the file is read, or refused in words."""
    frame = pl.DataFrame({"age": [30, 31] * 20, "city": ["Roma", None] * 20})
    path = tmp_path / f"in.{ending}"
    getattr(frame, {"parquet": "write_parquet", "arrow": "write_ipc"}[ending])(path)
    data = bytearray(path.read_bytes())
    at = len(data) - 9 - place
    for byte in (0, 0x19, 0x7F, 0xFF):
        path.write_bytes(data[:at] + bytes([byte]) + data[at + 1 :])
        try:
            io.read(path)
        except KohortError as error:
            told = str(error)
        else:
            told = ""
        assert "Roma" not in told


def test_a_long_description_is_refused(tmp_path: Path) -> None:
    """What describes the columns is no most of a large file."""
    path = tmp_path / "in.parquet"
    with path.open("wb") as file:
        file.truncate(40 << 20)
        file.write(b"PAR1")
        file.seek((40 << 20) - 8)
        file.write(struct.pack("<I", 20 << 20) + b"PAR1")
    with pytest.raises(LimitError, match="20,971,520 bytes describe"):
        io.read(path)


def test_texts_of_categories_count_as_texts(tmp_path: Path) -> None:
    """A category's name counts for each record that has it, in a file with more records than bytes."""
    frame = pl.DataFrame({"note": ["x" * 500_000] * 3}).select(pl.col("note").cast(pl.Categorical))
    frame = frame.select(pl.col("note").repeat_by(1_000).explode())
    frame.write_parquet(tmp_path / "in.parquet")
    assert (tmp_path / "in.parquet").stat().st_size < 3_000
    with pytest.raises(LimitError):
        io.read(tmp_path / "in.parquet")


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_wide_tables_of_nothing_are_refused(form: str, tmp_path: Path) -> None:
    """Each column costs more than its cells: of many that are all zeros, 84 million cells are not read."""
    path = tmp_path / f"in.{form}"
    zeros = pl.zeros(70_000, pl.Int8, eager=True)
    frame = pl.DataFrame({f"c{place}": zeros for place in range(1_200)})
    frame.write_parquet(path) if form == "parquet" else frame.write_ipc(path, compression="zstd")
    with pytest.raises(LimitError, match="84,000,000 cells"):
        io.read(path)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_columns_are_read_together(form: str, tmp_path: Path) -> None:
    """Otherwise each reading goes through the types of all; columns that cannot be read are left out of it."""
    path = tmp_path / f"in.{form}"
    columns: dict[str, pl.Series] = {
        f"c{place}": pl.Series([f"{place}-{row}" for row in range(3)] if place % 2 else [place, 1, 2])
        for place in range(50)
    }
    frame = pl.DataFrame(columns | {"c7": pl.Series([[1], [2], [3]]), "c8": pl.Series([b"a", b"b", b"c"])})
    frame.write_parquet(path) if form == "parquet" else frame.write_ipc(path)
    with patch.object(pl.LazyFrame, "collect", autospec=True, side_effect=pl.LazyFrame.collect) as collect:
        table = io.read(path)
    assert collect.call_count < 10
    assert [one.name for one in table.columns] == frame.columns
    assert [one.name for one in table.columns if one.fault] == ["c7", "c8"]
    for name, cells in (("c9", ["9-0", "9-1", "9-2"]), ("c48", ["48", "1", "2"])):
        assert table[name].values.gather(table[name].codes).to_list() == cells
