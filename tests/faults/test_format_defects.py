"""Defects seeded into written files of every format: each is caught before anything is published."""

from __future__ import annotations

import io
import re
import sqlite3
import zipfile
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import kohort
from kohort import Job, KAnonymity, Schema
from kohort.engines.pipeline import claim_of
from kohort.errors import MissingExtraError, VerificationError
from kohort.io.databases import TABLE
from kohort.io.foreign import pack
from kohort.io.forms import FORMATS, Format
from kohort.io.write import write
from kohort.verify import verify
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.release import Release

PEOPLE = pl.DataFrame(
    {
        "age": [31, 33, 38, 45, 47, 52],
        "zip": ["00118", "00118", "00125", "20121", "20121", "20122"],
        "paid": [0.5, 1.0, None, 1e6, 2.5, 1.0],
        "illness": ["flu", "gout", "NA", "flu", "gout", "flu"],
    }
)
KEYS = [pytest.param(key, id=key) for key, form in FORMATS.items() if form.module and form.written]


@cache
def release() -> Release:
    """The release that defects are seeded into."""
    job = Job.of(Schema.of(quasi=["age", "zip"], sensitive=["illness"], insensitive=["paid"]), KAnonymity(3))
    return kohort.anonymize(PEOPLE, freely(job))


def caught(key: str, content: bytes) -> str:
    """The message with which a written file is refused."""
    with pytest.raises(VerificationError) as raised:
        verify(io.BytesIO(content), claim_of(release(), key))
    return str(raised.value)


def changed(key: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> bytes:
    """A file of the release with a change, written by the format's own library."""
    form = FORMATS[key]
    frame = form.unpack(pack(release().table, key, release().source))
    return form.pack(change(frame), {})


@pytest.mark.parametrize("key", KEYS)
def test_a_sound_release_is_verified(key: str, tmp_path: Path) -> None:
    """Saved in the format, the release is verified on its bytes, published, and the same a second time."""
    path = tmp_path / f"release.{key}"
    saved = release().save(path)
    assert saved.verdict is not None
    assert saved.verdict.checks["bytes"] == path.stat().st_size
    if FORMATS[key].exact:
        assert pack(release().table, key, release().source) == path.read_bytes()


@pytest.mark.parametrize("key", KEYS)
def test_a_changed_cell(key: str) -> None:
    """Another illness in one record is seen."""
    other = changed(key, lambda frame: frame.with_columns(illness=pl.Series(["cold", *frame["illness"][1:]])))
    caught(key, other)


def test_a_library_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads the file back may not be there: then no fault is found in the bytes."""
    content = pack(release().table, "xlsx", release().source)

    def missing(*_: object) -> None:
        raise MissingExtraError("fastexcel is not installed")

    monkeypatch.setattr("kohort.io.foreign.unpack", missing)
    with pytest.raises(MissingExtraError):
        verify(io.BytesIO(content), claim_of(release(), "xlsx"))


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_record(key: str) -> None:
    """A record that is not there is seen."""
    assert "5 records instead of 6" in caught(key, changed(key, lambda frame: frame.head(5))) or FORMATS[key].exact


@pytest.mark.parametrize("key", KEYS)
def test_one_more_column(key: str) -> None:
    """A column that nobody promised is seen."""
    caught(key, changed(key, lambda frame: frame.with_columns(name=pl.Series(["Ada"] * 6))))


def _workbook(content: bytes) -> bytes:
    """A workbook whose properties name somebody."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            new.writestr(part, old.read(part).replace(b"<dc:creator>", b"<dc:creator>Ada"))
    return file.getvalue()


def _sqlite(content: bytes) -> bytes:
    """A database in whose free pages lies what was deleted."""
    with closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(content)
        base.execute("CREATE TABLE leftover AS SELECT 'Ada' AS name")
        base.execute("DROP TABLE leftover")
        base.commit()
        return base.serialize()


def _duckdb(content: bytes) -> bytes:
    """A database with one more table."""
    return _in_duckdb(content, "CREATE VIEW others AS SELECT 'Ada' AS name")


def _in_duckdb(content: bytes, statement: str) -> bytes:
    duckdb = FORMATS["duckdb"].library("duckdb")
    with kohort_folder() as folder:
        path = Path(folder, "a.duckdb")
        path.write_bytes(content)
        with closing(duckdb.connect(str(path))) as base:
            base.execute(statement)
        return path.read_bytes()


def kohort_folder() -> TemporaryDirectory[str]:
    """A folder for a file."""
    return TemporaryDirectory()


def _made(content: bytes) -> bytes:
    """A file of a statistics program that says when it was made."""
    return re.sub(rb"01 Jan 00(00:00:00)|01 Jan 2000|01JAN00", lambda found: found[0].replace(b"01", b"02"), content)


HIDDEN: dict[str, Callable[[bytes], bytes]] = {
    "jsonl": lambda content: content.replace(b'{"', b'{ "', 1),
    "xlsx": _workbook,
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    **dict.fromkeys(("sav", "zsav", "dta", "xpt"), _made),
}


@pytest.mark.parametrize("key", KEYS)
def test_what_nobody_sees(key: str) -> None:
    """What a file holds besides its cells is seen: an author, a date, deleted records, another table."""
    content = pack(release().table, key, release().source)
    hidden = HIDDEN[key](content)
    assert hidden != content
    caught(key, hidden)


@pytest.mark.parametrize("key", KEYS)
def test_damage(key: str) -> None:
    """A file that is cut short is refused, and quotes nothing."""
    content = pack(release().table, key, release().source)
    for kept in (0, 10, len(content) // 2):
        assert "gout" not in caught(key, content[:kept])


def test_a_comment_in_duckdb() -> None:
    """A comment on a column is seen, where no bytes can be compared."""
    content = pack(release().table, "duckdb", release().source)
    caught("duckdb", _in_duckdb(content, f"COMMENT ON COLUMN {TABLE}.age IS 'Ada'"))


def zstandard(frames: int = 1) -> bytes:
    """The release as packed text, and empty frames behind it."""
    file = io.BytesIO()
    write(release().table, file, Format.CSV_ZST)
    empty = b"\x50\x2a\x4d\x18\x03\x00\x00\x00Ada"
    return file.getvalue() + empty * (frames - 1)


def test_packed_text() -> None:
    """A frame that was packed otherwise, is cut short or is followed by another is refused."""
    sound = zstandard()
    assert verify(io.BytesIO(sound), claim_of(release(), "csv.zst")).records == 6
    assert "another follows" in caught("csv.zst", zstandard(2))
    assert "cut short" in caught("csv.zst", sound[:-1])
    assert "damaged" in caught("csv.zst", sound[:8] + bytes([sound[8] ^ 255]) + sound[9:])
    packer = pytest.importorskip("zstandard")
    text = packer.ZstdDecompressor().decompressobj().decompress(sound)
    assert "not the plain form" in caught("csv.zst", packer.ZstdCompressor(level=19).compress(text))
    assert np.array_equal(release().sizes, [3, 3])
