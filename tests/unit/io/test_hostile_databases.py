"""Databases that somebody else made: what they ask for when they are read, and what they get."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from importlib import import_module
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import kohort
from bench.hostile_databases import SECRET, cases, others
from kohort import io, system
from kohort.cli import main
from kohort.engines.base import engine_of
from kohort.errors import FileError, InputError, KohortError, LimitError, SourceNote
from kohort.io import confined, databases, stored
from kohort.io.databases import opened

duckdb: Any = import_module("duckdb")

HOSTILE = {one.what: one for one in cases()}

TABLE = "CREATE TABLE people AS SELECT 36 AS age"
OLDER = "CREATE VIEW older AS SELECT age + 1 AS age FROM people"


def made(path: Path, *statements: str) -> str:
    """A database file, by statements of its kind."""
    connect: Any = sqlite3.connect if path.suffix == ".sqlite" else duckdb.connect
    with closing(connect(str(path))) as base:
        for statement in statements:
            base.execute(statement)
        base.commit()
    return str(path)


@pytest.fixture(params=["sqlite", "duckdb"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where a database file is to be made."""
    return tmp_path / f"in.{request.param}"


# ── what it reaches ──────────────────────────────────────────────────────────────────────────────

#: What reaches beyond the file, or asks for what is not in it.
REACHING = [
    "DuckDB: read_text",
    "DuckDB: read_blob",
    "DuckDB: read_csv of a pattern",
    "DuckDB: read_parquet",
    "DuckDB: sniff_csv",
    "DuckDB: glob",
    "DuckDB: a path as a table",
    "DuckDB: a path below",
    "DuckDB: a link beside",
    "DuckDB: settings",
    "DuckDB: where it lies",
    "DuckDB: pg_settings",
    "DuckDB: a statement in a text",
    "DuckDB: a table by a text",
    "DuckDB: Python's variable",
    "DuckDB: a macro",
    "DuckDB: a macro of settings",
    "DuckDB: a macro that is a table",
    "DuckDB: a view of a view",
    "DuckDB: of a later version",
    "DuckDB: changes beside it",
    "SQLite: where it lies",
    "SQLite: statements",
    "SQLite: a virtual table without its module",
    "SQLite: a view in the guise of a table",
    "SQLite: pages that lead to themselves",
    "SQLite: changes beside it",
]


@pytest.mark.one_of("what")
@pytest.mark.parametrize("what", REACHING)
def test_nothing_is_reached_beyond_the_file(what: str, tmp_path: Path) -> None:
    """A database that asks for another file, the network or the settings of this machine is refused, by name too."""
    others(tmp_path)
    hostile = HOSTILE[what]
    hostile.make(tmp_path / hostile.file)
    before = {path.name for path in tmp_path.iterdir()}
    for inner in ("", "#people"):
        with pytest.raises(InputError) as raised:
            io.read(f"{tmp_path / hostile.file}{inner}")
        assert SECRET not in str(raised.value)
    assert {path.name for path in tmp_path.iterdir()} == before


#: What takes all there is.
ENDLESS = [
    "DuckDB: range without end",
    "DuckDB: recursion, counted",
    "DuckDB: all with all",
    "DuckDB: a distance",
    "DuckDB: a long text",
    "DuckDB: views of views, doubled",
    "DuckDB: a generated column",
    "SQLite: recursion, counted",
    "SQLite: long texts",
    "SQLite: a long default",
]


@pytest.mark.slow("each counts for two seconds, which is its limit")
@pytest.mark.parametrize("what", ENDLESS)
def test_what_is_computed_has_its_limits(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view that counts for ever or asks for all memory ends in a limit, also in one step that nothing interrupts."""
    monkeypatch.setattr(confined, "SECONDS", 2)
    hostile = HOSTILE[what]
    hostile.make(tmp_path / hostile.file)
    with pytest.raises(LimitError, match="seconds of a processor") as raised:
        io.read(f"{tmp_path / hostile.file}#people")
    assert "copy it into a table" in raised.value.hint
    with pytest.raises(KohortError):  # a table beside it, or the refusal of what nobody named
        io.read(tmp_path / hostile.file, io.ReadOptions(names=("a", "b", "c", "d", "e")))


@pytest.mark.parametrize(
    ("name", "statement", "kind"),
    [
        ("in.duckdb", "CREATE VIEW people AS SELECT 36 AS age", "view"),
        ("in.duckdb", "CREATE TABLE people (a INT, age INT AS (a + 1))", "table with a generated column"),
        ("in.sqlite", "CREATE VIEW people AS SELECT 36 AS age", "view"),
        ("in.sqlite", "CREATE TABLE people (a INT, age INT AS (a + 1))", "table with a generated column"),
        ("in.sqlite", "CREATE VIRTUAL TABLE people USING dbstat(main)", "virtual table"),
        ("in.sqlite", f"CREATE TABLE people (age TEXT DEFAULT '{'x' * 1001}')", "table with long defaults"),
    ],
)
def test_what_is_computed_is_read_by_its_name_alone(
    name: str, statement: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file without any plain table is refused, and the message says what it has and how to name it."""
    path = made(tmp_path / name, statement)
    for words in (["inspect"], ["init"], ["anonymize", "--out", str(tmp_path / "r.csv"), "--quasi", "age"]):
        assert main([words[0], path, *words[1:]]) == 3
        told = capsys.readouterr().err
        assert f"people ({kind})" in told
        assert f"{name}#people" in told


def test_a_view_that_is_named_is_read(place: Path) -> None:
    """It has the records of its tables, with their types, and a view of a view likewise."""
    made(
        place,
        TABLE,
        "CREATE VIEW older AS SELECT age + 1 AS age FROM people",
        "CREATE VIEW oldest AS SELECT * FROM older",
    )
    for name, age in (("people", "36"), ("older", "37"), ("oldest", "37")):
        table = io.read(f"{place}#{name}")
        assert table["age"].values.to_list() == [age]
        assert table["age"].dtype.is_integer()


def test_a_table_is_read_before_any_view(place: Path) -> None:
    """The first table is read whatever views are called, and the note tells views from tables."""
    made(place, "CREATE VIEW anyone AS SELECT 1 AS age", TABLE, "CREATE TABLE zebras AS SELECT 2 AS age")
    with pytest.warns(
        SourceNote, match=r"table 'people'.*anyone \(view\).*zebras|table 'people'.*zebras.*anyone \(view\)"
    ):
        assert io.read(place)["age"].values.to_list() == ["36"]
    with pytest.raises(InputError, match="no table 'nobody'") as raised:
        io.read(f"{place}#nobody")
    assert "anyone (view)" in raised.value.hint


@pytest.mark.parametrize("name", ["people.csv", "a b", 'a"b', "a'b", "a`b", "a[b]", "sélect", "x;y", "--", "*"])
def test_tables_have_any_names(place: Path, name: str) -> None:
    """A name with quotes, or that is a path or a pattern, is a name and nothing else."""
    quoted = '"' + name.replace('"', '""') + '"'
    made(place, f"CREATE TABLE {quoted} AS SELECT 36 AS age")
    assert io.read(f"{place}#{name}")["age"].values.to_list() == ["36"]


def test_tables_of_other_schemas(tmp_path: Path) -> None:
    """A table outside of the schema `main` has its schema in its name; one in it comes first."""
    path = made(tmp_path / "in.duckdb", "CREATE SCHEMA a", "CREATE TABLE a.people AS SELECT 1 AS age")
    assert io.read(path)["age"].values.to_list() == ["1"]
    made(tmp_path / "in.duckdb", TABLE)
    with pytest.warns(SourceNote, match=r"not read: a\.people"):
        assert io.read(path)["age"].values.to_list() == ["36"]
    assert io.read(f"{path}#a.people")["age"].values.to_list() == ["1"]


def test_the_settings_of_an_open_database_are_locked(tmp_path: Path) -> None:
    """No statement can set DuckDB otherwise, load a library, attach or write a file; SQLite attaches none either."""
    path = made(tmp_path / "in.duckdb", TABLE)
    with opened(path, "duckdb") as base:
        for statement in (
            "SET enable_external_access = true",
            "SET threads = 1",
            "INSTALL httpfs",
            "LOAD httpfs",
            f"ATTACH '{tmp_path}/other.duckdb' AS other",
            f"COPY people TO '{tmp_path}/out.csv'",
        ):
            with pytest.raises(duckdb.Error):
                base.connection.execute(statement)
    path = made(tmp_path / "in.sqlite", TABLE)
    with opened(path, "sqlite") as base:
        for statement in (f"ATTACH '{tmp_path}/other.sqlite' AS other", "PRAGMA database_list", "DROP TABLE people"):
            with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
                base.connection.execute(statement)
    assert {one.name for one in tmp_path.iterdir()} == {"in.duckdb", "in.sqlite"}


# ── what lies beside it ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("name", "beside"), [("in.sqlite", "-wal"), ("in.sqlite", "-journal"), ("in.duckdb", ".wal")])
def test_changes_beside_a_database_are_neither_lost_nor_written(name: str, beside: str, tmp_path: Path) -> None:
    """A database with a part of it beside it is refused, through a link too; an empty or cleared part is none."""
    path = made(tmp_path / name, TABLE)
    other = tmp_path / f"{name}{beside}"
    link = tmp_path / f"link{other.suffix if beside == '.wal' else ''}.{name.rpartition('.')[2]}"
    link.symlink_to(path)
    for content in (b"", bytes(512)):
        other.write_bytes(content)
        assert io.read(path).names == ("age",)
    other.write_bytes(b"\xd9\xd5\x05\xf9 changes")
    for one in (path, str(link)):
        with pytest.raises(InputError, match="has unsaved changes"):
            io.read(one)
    assert other.read_bytes() == b"\xd9\xd5\x05\xf9 changes"


def test_nothing_is_made_beside_a_database(tmp_path: Path) -> None:
    """A SQLite file in the mode WAL is read without the two files that SQLite makes for it."""
    path = made(tmp_path / "in.sqlite", "PRAGMA journal_mode = wal", TABLE)
    assert io.read(path)["age"].values.to_list() == ["36"]
    assert [one.name for one in tmp_path.iterdir()] == ["in.sqlite"]


@pytest.mark.parametrize(
    "name", ["md:in.duckdb", "sqlite:in.duckdb", "~/in.duckdb", "file:in.sqlite?mode=rwc", "~/in.sqlite"]
)
def test_a_name_is_a_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No beginning of a file's name makes it a server's, another kind's or one in the home."""
    monkeypatch.chdir(tmp_path)
    Path("~").mkdir()
    made(tmp_path / f"made.{'sqlite' if 'in.sqlite' in name else 'duckdb'}", TABLE)
    next(tmp_path.glob("made.*")).rename(name)
    if "?" in name:
        name = str(Path(name).rename(f"{name}.sqlite"))
    assert io.read(name)["age"].values.to_list() == ["36"]


# ── how large it is ──────────────────────────────────────────────────────────────────────────────


def test_a_small_file_of_a_large_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that takes far more memory than its file has bytes is refused before it is read; a plain one is not."""
    path = made(tmp_path / "in.duckdb", "CREATE TABLE people AS SELECT 1 AS age, 'A' AS city FROM range(1000000)")
    assert io.read(path).records == 1_000_000
    monkeypatch.setattr(databases, "_HARMLESS", 1 << 20)
    monkeypatch.setattr(databases, "_RATIO", 5)
    with pytest.raises(LimitError, match="of memory, more than 5 per byte of the file"):
        io.read(path)
    with pytest.raises(LimitError, match="more than 5"):
        kohort.anonymize(path, target=tmp_path / "r.csv", quasi=["age"], rest="drop", k=2, engine="duckdb")


# ── the engine duckdb ────────────────────────────────────────────────────────────────────────────


def released(source: str, tmp_path: Path) -> str:
    """What the engine releases of a file with the columns age and note."""
    target = tmp_path / "release.csv"
    chosen: dict[str, Any] = {"rest": "insensitive", "no_grid": True, "overwrite": True}
    kohort.anonymize(source, target=target, quasi=["age"], k=2, engine="duckdb", **chosen)
    return target.read_text(encoding="utf-8")


def test_the_engine_takes_no_name_for_a_pattern(tmp_path: Path) -> None:
    """A file or folder whose name is a pattern is read, and none of those that it would match."""
    pl.DataFrame({"age": [1, 1], "note": [SECRET] * 2}).write_parquet(tmp_path / "a1.parquet")
    pl.DataFrame({"age": [1, 1], "note": [SECRET] * 2}).write_csv(tmp_path / "a1.csv")
    frame = pl.DataFrame({"age": [36, 36], "note": ["x", "x"]})
    for name in ("a*.parquet", "a?.parquet", "[a]1.parquet", "a[1].parquet"):
        with (tmp_path / name).open("wb") as file:
            frame.write_parquet(file)
        assert released(str(tmp_path / name), tmp_path) == "age,note\n36,x\n36,x\n"
    with (tmp_path / "a*.csv").open("wb") as file:
        frame.write_csv(file)
    assert released(str(tmp_path / "a*.csv"), tmp_path) == "age,note\n36,x\n36,x\n"


def test_the_engine_reaches_no_file_once_a_database_is_attached(tmp_path: Path) -> None:
    """Further sources are read and releases written through the folder of the run; nothing else can be opened."""
    engine: Any = engine_of("duckdb")
    first = made(tmp_path / "in.duckdb", "CREATE TABLE people AS SELECT 36 AS age FROM range(3)")
    second = made(tmp_path / "more.duckdb", "CREATE TABLE people AS SELECT 41 AS age FROM range(2)")
    (tmp_path / "more.csv").write_text("age\n7\n", encoding="utf-8")
    found = [engine.read(one, io.ReadOptions()) for one in (first, second, str(tmp_path / "more.csv"))]
    assert [one.distinct("age").texts.to_list() for one in found] == [["36"], ["41"], ["7"]]
    for statement in (
        "SET threads = 1",
        f"FROM '{tmp_path}/more.csv'",
        f"ATTACH '{first}' AS again (READ_ONLY, TYPE sqlite)",
    ):
        with pytest.raises(duckdb.Error):
            engine.base.connection.execute(statement)
    engine.base.write("SELECT 'x' AS line", "line", [(tmp_path / "out.csv", None)])
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "line\nx\n"
    assert not [*engine.base.own.glob("kohort_*[0-9]")]


def test_a_source_on_another_disk_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no link can be made, the folder of the run has a copy of a further source."""
    engine: Any = engine_of("duckdb")
    engine.read(made(tmp_path / "in.duckdb", TABLE), io.ReadOptions())

    def refused(*_: object) -> None:
        raise OSError(18, "")

    monkeypatch.setattr(Path, "hardlink_to", refused)
    (tmp_path / "more.csv").write_text("age\n7\n", encoding="utf-8")
    assert engine.read(tmp_path / "more.csv", io.ReadOptions()).distinct("age").texts.to_list() == ["7"]


def test_the_engine_computes_views_with_the_same_limits(tmp_path: Path) -> None:
    """A view is read by its name alone; its records are those that the local engine has."""
    view = "CREATE VIEW older AS SELECT age, 'x' AS note FROM people, range(2)"
    path = made(tmp_path / "in.duckdb", TABLE, view)
    assert released(f"{path}#older", tmp_path) == "age,note\n36,x\n36,x\n"
    alone = made(tmp_path / "alone.duckdb", "CREATE VIEW people AS FROM range(9000000000000000000)")
    with pytest.raises(InputError, match=r"people \(view\)"):
        released(alone, tmp_path)
    with pytest.raises(LimitError, match="seconds of a processor"):
        released(f"{alone}#people", tmp_path)


# ── tables that are written into databases ───────────────────────────────────────────────────────


def test_a_table_of_an_existing_database_is_read_as_any_other(place: Path) -> None:
    """To check one opens the file for reading, and a view in its place has the limits of a view."""
    made(place, TABLE, OLDER)
    before = place.read_bytes()
    for name, text in (("people", b"age\n36\n"), ("older", b"age\n37\n")):
        found = stored.stored(f"{place}#{name}")
        assert found is not None
        assert stored.text_of(found) == text
    assert set(stored.others(place)) == {"people", "older"}
    assert place.read_bytes() == before
    with pytest.raises(FileError, match="no such database"):
        stored.text_of(stored.StoredTable(str(place.with_name("no.sqlite")), "people", "sqlite"))


# ── the process that computes ────────────────────────────────────────────────────────────────────


def unlimited(_seconds: int, _most: int) -> None:
    """Limits would stay with the process of the tests."""


def test_what_the_process_sends(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It sends the records as Arrow, or a sentence and its status."""
    path = made(place, TABLE, OLDER)
    monkeypatch.setattr(confined, "limit", unlimited)
    key, out, err = place.suffix[1:], BytesIO(), BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(out))
    monkeypatch.setattr(sys, "stderr", TextIOWrapper(err, write_through=True))
    confined.main(path, key, "older", "5", "9", "confined")
    assert pl.read_ipc(BytesIO(out.getvalue())).rows() == [(37,)]
    with pytest.raises(SystemExit) as ended:
        confined.main(path, key, "nobody", "5", "9", "confined")
    assert (ended.value.code, json.loads(err.getvalue().splitlines()[-1])["what"]) == (3, "there is no table 'nobody'")

    def too_much(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(databases, "read", too_much)
    with pytest.raises(SystemExit) as ended:
        confined.main(path, key, "older", "5", "9", "confined")
    assert ended.value.code == 8


def test_the_limits_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are set for the processor, the memory and the dump of it, and never above what the system allows."""
    resource: Any = pytest.importorskip("resource")
    given: dict[int, tuple[int, int]] = {}

    def allowed(what: int) -> tuple[int, int]:
        return -1, 3 if what == resource.RLIMIT_CPU else -1

    monkeypatch.setattr(resource, "getrlimit", allowed)
    monkeypatch.setattr(resource, "setrlimit", given.__setitem__)
    system.limit(confined.SECONDS, confined.MEMORY)
    assert given[resource.RLIMIT_CPU] == (3, 3)
    assert given[resource.RLIMIT_DATA] == (confined.MEMORY, -1)
    assert given[resource.RLIMIT_CORE] == (0, -1)


@pytest.mark.parametrize("ending", [1, -4, -7, -8, -11])
def test_a_process_that_a_library_ends_is_a_damaged_file(
    ending: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a reader raises an error of its own or is ended for what it did, the file is damaged, not too large."""
    path = made(tmp_path / "in.sqlite", "CREATE VIEW people AS SELECT 1 AS age")
    end = "sys.exit(1)" if ending > 0 else f"os.kill(os.getpid(), {-ending})"
    monkeypatch.setattr(confined, "_PROGRAM", f"import os, sys; {end}")
    with pytest.raises(InputError, match="damaged: its reader failed"):
        io.read(f"{path}#people")


@pytest.mark.parametrize("ending", [-9, -24, -6, 70, 8])
def test_a_process_that_the_system_ends_took_too_much(
    ending: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill, the end of its seconds, an abort for want of memory or an unknown status without a word are limits."""
    path = made(tmp_path / "in.sqlite", "CREATE VIEW people AS SELECT 1 AS age")
    end = f"sys.exit({ending})" if ending > 0 else f"os.kill(os.getpid(), {-ending})"
    monkeypatch.setattr(confined, "_PROGRAM", f"import os, sys; {end}")
    with pytest.raises(LimitError, match="5 seconds of a processor, or 512 MiB"):
        io.read(f"{path}#people")


@pytest.mark.parametrize(
    ("file", "limits"),
    [
        ((3, False, 64), (5, 512)),
        ((3, True, 64), (17, 1_088)),
        ((100, True, 64), (405, 19_712)),
        ((100, True, 2), (405, 2_048)),
        ((100, True, 0), (405, 512)),
        ((100, False, 64), (5, 512)),
    ],
)
def test_limits_grow_with_the_file(
    file: tuple[int, bool, int], limits: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each MiB of a file adds its seconds and memory, up to that of the machine; a database's size adds none."""
    size, grows, machine = file
    path = tmp_path / "in.sav"
    with path.open("wb") as opened_:
        opened_.truncate(size << 20)
    monkeypatch.setattr(confined, "memory", lambda: machine << 30)
    monkeypatch.setattr(confined, "_PROGRAM", "import sys; sys.exit(8)")
    with pytest.raises(LimitError, match=" {} seconds of a processor, or {} MiB".format(*limits)):
        confined.confined(str(path), "sav", "", where="x", hint="", grows=grows)


def test_a_process_that_waits_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock, where it takes no time of a processor."""
    path = made(tmp_path / "in.sqlite", "CREATE VIEW people AS SELECT 1 AS age")
    monkeypatch.setattr(confined, "_PROGRAM", "import time; time.sleep(100)")
    monkeypatch.setattr(confined, "_PATIENCE", 0.04)
    with pytest.raises(LimitError):
        io.read(f"{path}#people")


# ── Postgres, and what other readers follow ──────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "asked",
    [
        "passfile=/home/ada/.netrc",
        "service=clinic",
        "servicefile=x",
        "sslmode=require&sslkeylogfile=/home/ada/.bashrc",
        "%73ervice=clinic",
        "PASSFILE=/x",
        "sslkey=pkcs11:key",
    ],
)
@pytest.mark.parametrize("user", ["ada", "ada:pa?ss"])
def test_an_address_sends_nobody_to_another_file(asked: str, user: str) -> None:
    """Nothing in the address of a server names a file of passwords, one to be written, or a library to be loaded."""
    address = f"postgresql://{user}@localhost/clinic?{asked}#stays"
    with pytest.raises(InputError, match="which reads files"):
        io.read(address)
    place = stored.stored(address)
    assert place is not None
    with pytest.raises(InputError, match="which reads files"):
        stored.text_of(place)


@pytest.mark.parametrize(
    "name", ["http://127.0.0.1:9/a.parquet", "https://localhost/a.csv", "file:///etc/passwd", "hf://a/b"]
)
def test_no_name_is_an_address_of_the_network(name: str) -> None:
    """But for Postgres and object stores, what looks like one is a file that is not there."""
    with pytest.raises(InputError, match="no such file"):
        io.read(name)


def test_parquet_names_are_no_patterns_and_no_parts_lie_elsewhere(tmp_path: Path) -> None:
    """A name is a name, also of parts in a folder, and a column is read from the file alone whatever its place says."""
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    pl.DataFrame({"a": [SECRET]}).write_parquet(tmp_path / "a1.parquet")
    folder = tmp_path / "[a]*"
    folder.mkdir()
    for path in (tmp_path / "a*.parquet", folder / "a[1].parquet"):
        with path.open("wb") as file:
            pl.DataFrame({"a": ["own"]}).write_parquet(file)
    found: list[Any] = []
    parquet.write_table(pl.DataFrame({"a": ["own"]}).to_arrow(), tmp_path / "own.parquet", metadata_collector=found)
    found[0].set_file_path(str(tmp_path / "a1.parquet"))
    found[0].write_metadata_file(tmp_path / "end.parquet")
    whole = (tmp_path / "own.parquet").read_bytes() + (tmp_path / "end.parquet").read_bytes()[4:]
    (tmp_path / "elsewhere.parquet").write_bytes(whole)
    for source in (tmp_path / "a*.parquet", folder, tmp_path / "elsewhere.parquet"):
        assert io.read(source)["a"].values.to_list() == ["own"]
