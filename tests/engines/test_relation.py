"""Records that stay in DuckDB, where something is wrong: it is told, and no cell is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl
import pytest

from kohort import Attribute, Job, KAnonymity, Role, Schema
from kohort.engines.local import LOCAL
from kohort.engines.pipeline import anonymize
from kohort.errors import (
    FileError,
    InfeasibleError,
    InputError,
    KohortError,
    LimitError,
    SourceNote,
    UnsupportedError,
)
from kohort.io.options import ReadOptions
from kohort.io.text import records_in as scan
from kohort.job.keywords import job_from
from kohort.job.request import Request
from kohort.perturbation.pseudonyms import Key
from kohort.release import Writing
from kohort.sql.duckdb import DuckDB
from kohort.sql.remote import RemoteEngine

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.sql.relation import Relation

BASE = DuckDB.opened(None, None)

ENGINE = RemoteEngine(BASE)


def read(source: object, limit: int | None = None) -> Relation:
    """A source as a relation."""
    return BASE.relation(source, ReadOptions(), limit)


def asked(**options: Any) -> Job:  # noqa: ANN401  the options of a job
    """A job over the column age."""
    made = job_from(None, {"quasi": ["age"], "k": 2, **options})
    assert isinstance(made, Request)
    return made.job


def test_half_of_the_limit_is_duckdbs() -> None:
    """The rest is for the search."""
    base = DuckDB.opened(64 << 20, None)
    assert base.run("SELECT current_setting('memory_limit') AS told")["told"].item() == "32.0 MiB"
    assert base.run("SELECT current_setting('threads') AS told")["told"].item() == 1


@pytest.mark.parametrize(("limit", "threads"), [(None, 3), (499_000_000, 1), (500_000_000, 2), (9_000_000_000, 3)])
def test_a_thread_has_enough_memory(limit: int | None, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the database's half of the limit; there are no more than cores."""
    monkeypatch.setattr("kohort.sql.duckdb._THREADS", 3)
    base = DuckDB.opened(limit, None)
    assert base.run("SELECT current_setting('threads') AS told")["told"].item() == threads


def test_nothing_is_printed() -> None:
    """Standard output is for what was asked for, however long a query takes."""
    assert not BASE.run("SELECT current_setting('enable_progress_bar') AS told")["told"].item()


def test_too_little_memory_is_a_limit() -> None:
    """What helps is said."""
    base = DuckDB.opened(4_000_000, None)
    with pytest.raises(LimitError, match="too little memory") as caught:
        base.run("SELECT max(length(l)) AS n FROM (SELECT string_agg(range::VARCHAR, '') AS l FROM range(9000000)) x")
    assert caught.value.where == "memory-limit"


def test_a_failure_of_the_system_is_one_of_a_file(tmp_path: Path) -> None:
    """A folder that is gone."""
    with pytest.raises(FileError, match=r"DuckDB cannot read or write \((IOException|FileNotFoundError)\)"):
        BASE.write("SELECT 'a' AS line", "age", [(tmp_path / "gone" / "out.csv", None)])


def test_no_cell_is_told_by_an_error_of_duckdb() -> None:
    """DuckDB quotes the cell that it cannot convert; kohort does not, and hides the error that does."""
    with pytest.raises(InputError, match="ConversionException") as caught:
        BASE.run("SELECT CAST('Ada Lovelace' AS INTEGER) AS n")
    assert "Ada" not in f"{caught.value} {caught.value.__cause__}"
    assert caught.value.__suppress_context__


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kohort's own scanner has counted the records before DuckDB does."""
    path = tmp_path / "in.csv"
    path.write_text("age,ill\n1,a\n2,b\n", encoding="utf-8")

    def records_in(*given: Any) -> tuple[int, tuple[str, ...]]:  # noqa: ANN401  passed on
        found = scan(*given)
        with path.open("a", encoding="utf-8") as file:
            file.write("3,c\n")
        return found

    monkeypatch.setattr("kohort.sql.duckdb.records_in", records_in)
    with pytest.raises(InputError, match=r"DuckDB .* reads 3 records, but kohort's own reader 2"):
        read(path)


def test_a_text_without_a_header_is_read_from_its_first_line(tmp_path: Path) -> None:
    """As locally."""
    path = tmp_path / "in.csv"
    path.write_text("1,a\n1,b\n2,a\n2,b\n", encoding="utf-8")
    options = ReadOptions(names=("age", "ill"))
    for name, engine in (("local", LOCAL), ("there", ENGINE)):
        job = replace(asked(rest="insensitive"), reading=options)
        anonymize(path, job, target=tmp_path / f"{name}.csv", engine=engine)
    made = (tmp_path / "there.csv").read_text(encoding="utf-8")
    assert made == (tmp_path / "local.csv").read_text(encoding="utf-8") == "age,ill\n1,a\n1,b\n2,a\n2,b\n"


@pytest.mark.parametrize("text", ["\n\nage,ill\n1,a\n1,b\n", '"age\nand",ill\n1,a\n', '"age\rand",ill\n1,a\n'])
def test_no_header_is_longer_than_a_line(tmp_path: Path, text: str) -> None:
    """DuckDB is told to pass over one line: blank lines before it, and line ends in a name, are refused as locally."""
    path = tmp_path / "in.csv"
    path.write_text(text, encoding="utf-8", newline="")
    said: list[str] = []
    for engine in (LOCAL, ENGINE):
        with pytest.raises(InputError) as caught:
            engine.read(path, ReadOptions())
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_other_tables_of_a_database_are_noted(tmp_path: Path) -> None:
    """One is read, by its name or as the first."""
    path = tmp_path / "in.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute("CREATE TABLE people AS SELECT 1 AS age")
        base.execute("CREATE TABLE visits AS SELECT 2 AS day")
    with pytest.warns(SourceNote, match="the other tables are not read: visits"):
        found = read(path)
    assert found.names == ("age",)


def test_a_nul_in_a_typed_column_is_refused() -> None:
    """Where the column is no text there, the text of each value is looked at."""
    with duckdb.connect() as base:
        base.execute("CREATE TYPE kind AS ENUM (SELECT 'b' || chr(0))")
        base.execute("CREATE TABLE people AS SELECT ('b' || chr(0))::kind AS age")
        found = DuckDB(base).relation("people", ReadOptions(), None)
        assert not found.kinds["age"].is_text
        with pytest.raises(InputError, match="cells hold a NUL") as caught:
            found.distinct("age")
    assert caught.value.where == "people, column 'age'"


def test_a_relation_shows_no_record() -> None:
    """Only how many there are, and the columns."""
    shown = repr(read(pl.DataFrame({"age": ["Ada"], "ill": ["flu"]})))
    assert "age, ill" in shown
    assert "Ada" not in shown


def test_a_table_is_fetched_once() -> None:
    """Then it is held, and can be collected."""
    found = read(pl.DataFrame({"age": [1, 2]}))
    with pytest.raises(UnsupportedError, match="which stay in DuckDB"):
        found.collect()
    held = found.hold()
    assert found.hold() is held is found.collect()


def test_an_answer_within_the_limit_is_fetched() -> None:
    """An estimate of two tuples of one column is far below it; of two columns it is twice that."""
    found = read(pl.DataFrame({"age": [1, 2, 2], "ill": ["a", "b", "b"]}), limit=150)
    assert found.tuples(["age"]).counts.sum() == 3
    with pytest.raises(LimitError, match="the limit is 150"):
        found.tuples(["age", "ill"])


NOTHING = pl.DataFrame({"age": pl.Series([None, None, None], dtype=pl.Int64()), "ill": ["a", "b", "a"]})


@pytest.mark.parametrize(
    ("frame", "options", "kind", "told"),
    [
        (NOTHING, {"missing": {"age": "suppress"}}, InfeasibleError, "every record lacks a value"),
        (NOTHING, {"complete_records": ["age"]}, InfeasibleError, "no record is complete"),
    ],
    ids=["suppressed", "incomplete"],
)
def test_both_engines_refuse_alike(
    tmp_path: Path, frame: pl.DataFrame, options: dict[str, Any], kind: type[KohortError], told: str
) -> None:
    """The same error, at the same place, with the same advice."""
    job = replace(asked(**{"rest": "drop", **options}), writing=Writing(excel_safe=True))
    said: list[str] = []
    for engine in (LOCAL, ENGINE):
        with pytest.raises(kind, match=told) as caught:
            anonymize(frame, job, target=tmp_path / "out.csv", engine=engine)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert not (tmp_path / "out.csv").exists()


def test_awkward_cells_are_those_of_the_local_engine(tmp_path: Path) -> None:
    """Instants in a zone with summer time, and cells that a spreadsheet would run, one of them with its apostrophe."""
    instants = [datetime(2024, month, 1, 12, tzinfo=UTC) for month in (1, 7)]
    frame = pl.DataFrame(
        {
            "age": [1, 1, 2, 2] * 4,
            "seen": pl.Series(instants * 8, dtype=pl.Datetime("us", "Europe/Rome")),
            "note": ["=1+1", "'=1+1", "-5", "'-x"] * 4,
            "=a": ["x"] * 16,
            "'=a": ["y"] * 16,
        }
    )
    job = replace(asked(rest="insensitive", allow_singling=["note", "seen"]), writing=Writing(excel_safe=True))
    source = tmp_path / "in.parquet"
    frame.write_parquet(source)
    for name, engine in (("local", LOCAL), ("there", ENGINE)):
        anonymize(source, job, target=tmp_path / f"{name}.csv", engine=engine)
    made = (tmp_path / "there.csv").read_text(encoding="utf-8")
    assert made == (tmp_path / "local.csv").read_text(encoding="utf-8")
    assert "2024-07-01T14:00:00" in made.replace(" ", "T")
    assert made.startswith("age,seen,note,'=a,''=a\n")
    assert {"'=1+1", "''=1+1", "-5", "''-x"} == {line.split(",")[2] for line in made.splitlines()[1:]}


def test_pseudonyms_need_the_records(tmp_path: Path) -> None:
    """They are refused by name, before anything is written."""
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "name": ["a", "b", "c", "d"]})
    attributes = (Attribute("name", Role.IDENTIFYING, pseudonym=True), Attribute("age", Role.QUASI))
    job = Job.of(Schema(attributes), KAnonymity(2), key=Key(bytes(range(32))))
    with pytest.raises(UnsupportedError, match="a column of pseudonyms needs the records"):
        anonymize(frame, job, target=tmp_path / "out.csv", engine=ENGINE)
    assert not (tmp_path / "out.csv").exists()


def statements_of(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What DuckDB is asked from now on."""
    statements: list[str] = []
    run = DuckDB.run

    def counted(self: DuckDB, query: str) -> pl.DataFrame:
        statements.append(query)
        return run(self, query)

    monkeypatch.setattr(DuckDB, "run", counted)
    return statements


def test_values_of_several_columns_are_asked_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of one type in one statement, missing ones told from those of other columns; as each by itself."""
    frame = pl.DataFrame({"a": ["x", None, "x"], "b": [None, "", "y"], "n": [1, 2, None], "m": [None, 5, 5]})
    alone, together = read(frame), read(frame)
    statements = statements_of(monkeypatch)
    together.look(["a", "b", "n", "m"])
    assert len(statements) == 2
    for name in frame.columns:
        one, other = together.distinct(name), alone.distinct(name)
        assert {*zip(one.texts, one.counts.tolist(), strict=True)} == {
            *zip(other.texts, other.counts.tolist(), strict=True)
        }
    assert len(statements) == 2 + len(frame.columns)
    together.look(["a", "b"])
    alone.look(["a"])
    assert len(statements) == 2 + len(frame.columns)


def test_values_that_may_not_fit_are_asked_for_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that they are refused by name, and the others are not; all are estimated by one statement."""
    frame = pl.DataFrame({"few": ["x", "y"] * 500, "many": [f"{at}" for at in range(1000)]})
    found = read(frame, 1000)
    statements = statements_of(monkeypatch)
    found.look(["few", "many"])
    assert ["GROUP BY" in one for one in statements] == [False, True]
    assert found.distinct("few").counts.tolist() == [500, 500]
    with pytest.raises(LimitError, match="different tuples"):
        found.distinct("many")
