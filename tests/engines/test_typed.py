"""Typed releases of records that stay in DuckDB: the local engine's files, byte for byte."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from kohort.engines.local import LOCAL
from kohort.engines.pipeline import anonymize
from kohort.errors import FileError, LimitError, UsageError
from kohort.io.write import GROUP
from kohort.job.keywords import job_from
from kohort.job.request import Request
from kohort.release import Writing
from kohort.sql.duckdb import DuckDB
from kohort.sql.remote import RemoteEngine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kohort.release import Job

ENGINE = RemoteEngine(DuckDB.opened(None, None))


def asked(writing: Writing | None = None, **options: Any) -> Job:  # noqa: ANN401  the options of a job
    """A job over the column age."""
    made = job_from(None, {"quasi": ["age"], "k": 2, "rest": "insensitive", "allow_singling": ["seen"], **options})
    assert isinstance(made, Request)
    return replace(made.job, writing=writing or Writing())


def people(records: int) -> pl.DataFrame:
    """Some records with a column of each kind."""
    number = pl.arange(records, eager=True)
    return pl.DataFrame(
        {
            "age": number % 40,
            "note": pl.Series(["", None, "\u00e9", "e\u0301"]).gather(number % 4),
            "seen": (number % 9_000).cast(pl.Int32).cast(pl.Date),
            "pay": pl.Series([1.5, None, -0.0, 0.1]).gather(number % 4),
        }
    )


def both(source: object, job: Job, target: str, folder: Path) -> list[Path]:
    """Where each engine has put the release."""
    found = [folder / name / target.removesuffix("/") for name in ("local", "there")]
    for path, engine in zip(found, (LOCAL, ENGINE), strict=True):
        path.parent.mkdir()
        anonymize(source, job, target=f"{path}{'/' * target.endswith('/')}", engine=engine)
    return found


@pytest.mark.parametrize("size", [None, 25])
def test_a_folder_of_parquet_is_the_local_one(size: int | None, tmp_path: Path) -> None:
    """Each part of it, and the manifest; also the folder of one part that other programs read by its name."""
    job = asked(Writing(records_per_part=size))
    here, there = both(people(60), job, "out/", tmp_path)
    names = sorted(path.name for path in here.iterdir() if path.name != "certificate.json")
    assert len(names) == (1 if size is None else 4)
    assert [(there / name).read_bytes() for name in names] == [(here / name).read_bytes() for name in names]


@pytest.mark.slow
def test_row_groups_are_the_local_ones(tmp_path: Path) -> None:
    """However many records the database answers with at once."""
    here, there = both(people(2 * GROUP + 5), asked(), "out.parquet", tmp_path)
    assert here.read_bytes() == there.read_bytes()


def test_a_table_of_a_database_is_filled(tmp_path: Path) -> None:
    """On its way there a release is Parquet; what was stored is read again, and verified by groups."""
    with sqlite3.connect(tmp_path / "a.sqlite") as base:
        base.execute("CREATE TABLE others (name)")
    made = anonymize(people(60), asked(), target=f"{tmp_path}/a.sqlite#release", engine=ENGINE)
    with sqlite3.connect(tmp_path / "a.sqlite") as base:
        assert base.execute("SELECT count(*), max(seen) FROM release").fetchone() == (60, "1970-03-01")
    assert made.verdict is not None
    assert (made.verdict.records, made.verdict.way) == (60, "by aggregation")


def test_what_no_spreadsheet_runs_is_not_made_safe(tmp_path: Path) -> None:
    """As locally."""
    said: list[str] = []
    for engine in (LOCAL, ENGINE):
        with pytest.raises(UsageError) as caught:
            anonymize(people(60), asked(Writing(excel_safe=True)), target=tmp_path / "out.parquet", engine=engine)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_a_failure_of_the_database_keeps_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the library that writes has errors of its own alone; those of writing stay errors of files."""

    def stream(_: object, __: str) -> Iterator[pl.DataFrame]:
        yield pl.DataFrame({f"c{place}": [""] for place in range(4)})
        raise LimitError("DuckDB has too little memory")

    for place, found, kind in ((DuckDB, stream, LimitError), (pl.LazyFrame, sink_parquet, FileError)):
        with monkeypatch.context() as patch:
            patch.setattr(place, found.__name__, found)
            with pytest.raises(kind):
                anonymize(people(60), asked(), target=tmp_path / "out.parquet", engine=ENGINE)
    assert not list(tmp_path.iterdir())


def sink_parquet(*_: object, **__: object) -> None:
    """Find the disk full."""
    raise OSError(28, "No space left on device")
