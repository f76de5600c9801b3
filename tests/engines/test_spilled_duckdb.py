"""What DuckDB puts to disk: nobody else's, no cell in plain, and gone in the end."""

from __future__ import annotations

import gc
import os
import signal
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
import pytest

from kohort import system
from kohort.errors import FileError
from kohort.sql.duckdb import DuckDB

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

#: What is in every record.
CANARY = "canary-7f3a"

#: More than a database of few megabytes holds.
LARGE = f"SELECT '{CANARY}-' || md5(range::VARCHAR) AS line FROM range(1200000) ORDER BY line"  # noqa: S608  ours


def contents(folder: Path) -> bytes:
    """All bytes of all files below a folder, and their names."""
    return b"".join(str(path).encode() + (path.read_bytes() if path.is_file() else b"") for path in folder.rglob("*"))


@pytest.mark.slow
def test_what_is_spilled_is_private_and_goes(tmp_path: Path) -> None:
    """While it lives only its owner may look, and another run leaves it; then it is gone."""
    base = DuckDB.opened(120_000_000, tmp_path)
    rows = cast("Generator[pl.DataFrame]", base.stream(LARGE))
    first = next(rows)["line"][0]
    (spill,) = tmp_path.iterdir()
    assert system.TEMPORARY.fullmatch(spill.name)
    assert stat.S_IMODE(spill.stat().st_mode) == 0o700
    assert sum(path.stat().st_size for path in spill.iterdir()) > 1_000_000
    assert CANARY.encode() not in contents(spill)
    assert first.startswith(CANARY)
    other = DuckDB.opened(None, tmp_path)
    assert spill.is_dir()
    rows.close()
    del base, rows, other
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_what_a_dead_run_left_is_removed(tmp_path: Path) -> None:
    """By the next run in that folder; other files, and those that nobody can tell, stay."""
    dead = tmp_path / system.temporary_name()
    dead.mkdir()
    (dead / "duckdb_temp_storage-0.tmp").touch()
    (tmp_path / "note.txt").touch()
    base = DuckDB.opened(None, tmp_path)
    assert not dead.exists()
    assert len(list(tmp_path.iterdir())) == 2
    del base


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    """With the reason."""
    with pytest.raises(FileError, match="creating a folder failed: No such file"):
        DuckDB.opened(None, tmp_path / "gone")


def test_without_folders_that_open_nothing_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: the folder goes all the same."""

    def closed(_: Path) -> None:
        """No folder can be opened."""

    monkeypatch.setattr(system, "open_folder", closed)
    base = DuckDB.opened(None, tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    del base
    gc.collect()
    assert not list(tmp_path.iterdir())


#: Makes a release again and again.
AGAIN = """
import sys
from kohort import anonymize
source, folder = sys.argv[1:]
while True:
    anonymize(source, target=source + ".out.csv", overwrite=True, engine="duckdb", memory_limit="240MB",
              spill_folder=folder, quasi=["age", "street"], identifying=["name"], sensitive=["ill"], no_model=["ill"],
              rest="insensitive", allow_singling=["note"], k=5)
    print("again", flush=True)
"""


@pytest.mark.slow
def test_a_run_that_is_killed_leaves_no_cell(tmp_path: Path) -> None:
    """Nor says one; what it spilled cannot be read, and the next run removes it."""
    source, folder = tmp_path / "people.csv", tmp_path / "spilled"
    folder.mkdir()
    number = pl.arange(300_000, eager=True)
    people: dict[str, Any] = {
        "name": pl.Series([CANARY]).gather(number * 0) + number.cast(pl.String),
        "age": 20 + number % 50,
        "street": number % 7,
        "ill": pl.Series([f"{CANARY}-flu", f"{CANARY}-gout"]).gather(number % 2),
        "note": pl.Series([CANARY]).gather(number * 0) + (number * 7919 % 300_000).cast(pl.String),
    }
    pl.DataFrame(people).write_csv(source)
    for delay in np.random.default_rng(os.getpid()).uniform(0.2, 2.5, 2).tolist():
        command = [sys.executable, "-c", AGAIN, str(source), str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            assert run.stdout is not None
            assert run.stderr is not None
            assert run.stdout.readline() == b"again\n"
            time.sleep(delay)
            run.send_signal(signal.SIGKILL)
            assert CANARY.encode() not in run.stderr.read(), delay
        assert CANARY.encode() not in contents(folder), delay
        assert all(stat.S_IMODE(one.stat().st_mode) == 0o700 for one in folder.iterdir())
    base = DuckDB.opened(None, folder)
    assert len(list(folder.iterdir())) == 1
    del base
