"""Hostile databases: views and files that try to read another file, to reach the network, or to take all there is.

Each is made on the fly. Its view is called `people`, so that `FILE#people` asks for it; what it may reach for is a file
beside it, whose content nothing may print or publish.
"""

# ruff: noqa: S608  the statements are the point
# ruff: noqa: ISC004  a statement of two lines is one statement

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: What stands in the other file, and what it is called.
SECRET, OTHER = "kept-for-the-steward-alone", "beside.csv"

#: How a hostile database may end, in seconds of processors, and bytes of memory.
STATUSES, SECONDS, MEMORY = frozenset({0, 2, 3, 8}), 10, 1 << 30

#: A plain column each, so that the rest of the command finds a table.
_ROWS: Final = "SELECT 30 + (range % 2) AS age, 'A' AS city, {} AS note FROM range(20)"

#: What a DuckDB view asks for, in place of a cell: each of them must not be answered.
_CELLS: Final[Mapping[str, str]] = {
    "read_text": "(SELECT content FROM read_text('{other}'))",
    "read_blob": "(SELECT content::VARCHAR FROM read_blob('{other}'))",
    "read_csv": "(SELECT min(a) FROM read_csv('{other}'))",
    "read_csv of a pattern": "(SELECT min(a) FROM read_csv('{folder}/*.csv'))",
    "read_json": "(SELECT min(json::VARCHAR) FROM read_json_objects('{other}'))",
    "read_parquet": "(SELECT min(a) FROM read_parquet('{folder}/*.parquet'))",
    "sniff_csv": "(SELECT min(Columns::VARCHAR) FROM sniff_csv('{other}'))",
    "glob": "(SELECT min(file) FROM glob('{folder}/*'))",
    "a path as a table": "(SELECT min(a) FROM '{other}')",
    "a path below": "(SELECT min(a) FROM '{folder}/below/../beside.csv')",
    "a link beside": "(SELECT min(a) FROM '{folder}/link.csv')",
    "http": "(SELECT min(a) FROM read_csv('http://127.0.0.1:9/x.csv'))",
    "https as a table": "(SELECT min(a) FROM 'https://localhost:9/x.parquet')",
    "s3": "(SELECT min(a) FROM 's3://bucket/x.parquet')",
    "sqlite_scan": "(SELECT min(a) FROM sqlite_scan('{folder}/beside.sqlite', 't'))",
    "postgres_scan": "(SELECT min(a) FROM postgres_scan('host=127.0.0.1', 'public', 't'))",
    "settings": "(SELECT min(value) FROM duckdb_settings() WHERE name = 'secret_directory')",
    "a setting": "current_setting('temp_directory')",
    "where it lies": "(SELECT max(path) FROM duckdb_databases())",
    "secrets": "(SELECT count(*)::VARCHAR FROM duckdb_secrets())",
    "extensions": "(SELECT max(install_path) FROM duckdb_extensions())",
    "pg_settings": "(SELECT max(setting) FROM pg_catalog.pg_settings)",
    "pragma_database_list": "(SELECT max(file) FROM pragma_database_list())",
    "a statement in a text": "(SELECT min(a) FROM query('FROM ''' || '{other}' || ''''))",
    "a table by a text": "(SELECT min(a) FROM query_table(['{other}']))",
    "the environment": "getenv('HOME')",
    "Python's variable": "(SELECT min(a)::VARCHAR FROM frame)",
    "a long text": "repeat('x', 1000000000)",
    "a text for each": "repeat('x', 10000000) || range",
    "a distance": "levenshtein(repeat('a', 1000000), repeat('b', 1000000))",
    "a long list": "list_sum(range(1000000000))",
    "an expression": "regexp_matches(repeat('a', 100000000) || range, '(a|aa|aaa|a*)*b')",
}

#: What else a DuckDB view may be: whole statements.
_VIEWS: Final[Mapping[str, str]] = {
    "range without end": "SELECT range AS age, 'A' AS city, 'x' AS note FROM range(9000000000000000000)",
    "recursion": "WITH RECURSIVE r(age) AS (SELECT 1 UNION ALL SELECT age + 1 FROM r) SELECT age, 'A' AS city FROM r",
    "recursion, counted": (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) AS age, 'A' AS city FROM r"
    ),
    "all with all": "SELECT count(*) AS age, 'A' AS city FROM range(1000000) a, range(1000000) b, range(1000000) c",
    "all with all, kept": "SELECT a.range AS age, b.range AS city FROM range(1000000) a, range(1000000) b",
    "sorted": "SELECT range AS age, hash(range) AS city FROM range(1000000000) ORDER BY 2",
    "grouped": "SELECT hash(range) AS age, count(*) AS city FROM range(1000000000) GROUP BY 1",
    "put together": "SELECT 1 AS age, string_agg(repeat('x', 1000000), '') AS city FROM range(1000000)",
    "a million columns": "SELECT COLUMNS(*) FROM (SELECT unnest(struct_pack(a := 1))), (SELECT 1 AS age, 2 AS city)",
    "windows": "SELECT age, list(age) OVER (ROWS 1000000 PRECEDING) AS city FROM range(10000000) t(age)",
}

#: DuckDB databases by more than one view.
_DATABASES: Final[Mapping[str, tuple[str, ...]]] = {
    "a macro": (
        "CREATE MACRO hidden() AS (SELECT min(content) FROM read_text('{other}'))",
        f"CREATE VIEW people AS {_ROWS.format('hidden()')}",
    ),
    "a macro of settings": (
        "CREATE MACRO hidden() AS current_setting('temp_directory')",
        f"CREATE VIEW people AS {_ROWS.format('hidden()')}",
    ),
    "a macro that is a table": (
        "CREATE MACRO hidden() AS TABLE SELECT content FROM read_text('{other}')",
        f"CREATE VIEW people AS {_ROWS.format('(SELECT min(content) FROM hidden())')}",
    ),
    "a view of a view": (
        "CREATE VIEW inner_ AS SELECT content FROM read_text('{other}')",
        f"CREATE VIEW people AS {_ROWS.format('(SELECT content FROM inner_)')}",
    ),
    "views of views, doubled": (
        *(f"CREATE VIEW v{n} AS SELECT 1 AS age, 2 AS city" for n in range(30)),
        "CREATE VIEW people AS FROM v29",
        # from the outermost, since DuckDB binds what it makes
        *(f"CREATE OR REPLACE VIEW v{n} AS SELECT x.* FROM v{n - 1} x, v{n - 1} y" for n in range(29, 0, -1)),
    ),
    "a view of another schema": (
        "CREATE SCHEMA s",
        f"CREATE VIEW s.people AS {_ROWS.format('''(SELECT content FROM read_text('{other}'))''')}",
    ),
    "a view with the name of a path": ("CREATE VIEW \"{other}\" AS FROM '{other}'",),
    "a view with quotes in its name": ("CREATE VIEW \"people\"\"; ATTACH '{other}' AS x; --\" AS FROM '{other}'",),
    "a generated column": (
        "CREATE TABLE people (age INT, city VARCHAR, note BIGINT AS (levenshtein(repeat('a', age), repeat('b', age))))",
        "INSERT INTO people SELECT 30 + (range % 2), 'A' FROM range(20)",
        "UPDATE people SET age = age * 10000",  # computes nothing, as INSERT would
    ),
    "a default": (
        "CREATE SEQUENCE q",
        "CREATE TABLE people (age INT DEFAULT nextval('q'), city VARCHAR DEFAULT current_setting('temp_directory'))",
        "INSERT INTO people SELECT 30 + (range % 2), 'A' FROM range(20)",
    ),
    "a table with the name of a path": (
        "CREATE TABLE \"beside.csv\" AS SELECT 30 + (range % 2) AS age, 'A' AS city FROM range(20)",
    ),
    "a view beside a table": (
        "CREATE TABLE zebra AS SELECT 30 + (range % 2) AS age, 'A' AS city FROM range(20)",
        "CREATE VIEW people AS FROM '{other}'",
    ),
    "a tiny file of many records": (
        "CREATE TABLE people AS SELECT 1 AS age, 'A' AS city, NULL AS note FROM range(100000000)",
    ),
    "a small file of long texts": (
        "CREATE TABLE people (age INT, city VARCHAR, note VARCHAR)",
        *("INSERT INTO people SELECT 1, 'A', repeat('x', 100000) || range FROM range(500)",) * 4,
    ),
}

#: SQLite databases.
_SQLITE: Final[Mapping[str, tuple[str, ...]]] = {
    "a view": ("CREATE VIEW people AS SELECT 30 AS age, 'A' AS city",),
    "recursion": (
        "CREATE VIEW people AS WITH RECURSIVE r(age) AS (SELECT 1 UNION ALL SELECT age + 1 FROM r) "
        "SELECT age, 'A' AS city FROM r",
    ),
    "recursion, counted": (
        "CREATE VIEW people AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) "
        "SELECT count(*) AS age, 'A' AS city FROM r",
    ),
    "a long text": ("CREATE VIEW people AS SELECT 30 AS age, hex(zeroblob(400000000)) AS city",),
    "long texts": (
        "CREATE VIEW people AS WITH RECURSIVE r(age) AS (SELECT 1 UNION ALL SELECT age + 1 FROM r LIMIT 1000) "
        "SELECT age, hex(zeroblob(10000000)) AS city FROM r",
    ),
    "a pattern": (
        "CREATE VIEW people AS SELECT 30 AS age, "
        "replace(hex(zeroblob(20000)), '0', 'a') LIKE '%a%a%a%a%a%a%a%a%a%b' AS city",
    ),
    "a pattern of GLOB": (
        "CREATE VIEW people AS SELECT 30 AS age, replace(hex(zeroblob(20000)), '0', 'a') GLOB '*a*a*a*a*a*a*b' AS city",
    ),
    "where it lies": ("CREATE VIEW people AS SELECT 30 AS age, file AS city FROM pragma_database_list",),
    "a library": ("CREATE VIEW people AS SELECT 30 AS age, load_extension('{folder}/x.so') AS city",),
    "readfile": ("CREATE VIEW people AS SELECT 30 AS age, readfile('{other}') AS city",),
    "views of views, doubled": (
        "CREATE TABLE t(age, city)",
        "CREATE VIEW v0 AS SELECT * FROM t",
        *(f"CREATE VIEW v{n} AS SELECT x.age, x.city FROM v{n - 1} x, v{n - 1} y" for n in range(1, 30)),
        "CREATE VIEW people AS SELECT * FROM v29",
    ),
    "a generated column": (
        "CREATE TABLE people (age INT, city TEXT, note TEXT AS (hex(zeroblob(100000000 + age))))",
        "INSERT INTO people(age, city) WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r LIMIT 20) "
        "SELECT 30 + n % 2, 'A' FROM r",
    ),
    "fts5": ("CREATE VIRTUAL TABLE people USING fts5(age, city)", "INSERT INTO people VALUES ('30', 'A')"),
    "dbstat": ("CREATE VIRTUAL TABLE people USING dbstat(main)",),
    "json_each of a view": ("CREATE VIEW people AS SELECT value AS age, path AS city FROM json_each('[1, 2]')",),
    "statements": ("CREATE VIEW people AS SELECT 1 AS age, sql AS city FROM sqlite_stmt",),
    "a long default": (
        "CREATE TABLE people(age INT)",
        "INSERT INTO people WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r LIMIT 30000) "
        "SELECT 30 + n % 2 FROM r",
        "ALTER TABLE people ADD COLUMN city TEXT DEFAULT '{long}'",
    ),
    "a trigger": (
        "CREATE TABLE people(age INT, city TEXT)",
        "CREATE TRIGGER t AFTER DELETE ON people BEGIN SELECT load_extension('{folder}/x.so'); END",
        "INSERT INTO people VALUES (30, 'A'), (30, 'A'), (31, 'A'), (31, 'A')",
    ),
    "a name that is a statement": ('CREATE VIEW "people""; ATTACH \'{other}\' AS x; --" AS SELECT 1 AS age',),
    "a virtual table without its module": (
        "CREATE TABLE people(age INT)",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE people USING csv(filename=''{other}'')', rootpage = 0",
    ),
    "a view in the guise of a table": (
        "CREATE TABLE people(age INT)",
        "CREATE TABLE z(age INT)",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = 'CREATE VIEW people AS WITH RECURSIVE r(age) AS "
        "(SELECT 1 UNION ALL SELECT age + 1 FROM r) SELECT age FROM r' WHERE name = 'z'",
        "UPDATE sqlite_master SET sql = 'CREATE TABLE other(age INT)' WHERE name = 'people'",
    ),
}


@dataclass(frozen=True, slots=True)
class Hostile:
    """A hostile database.

    Attributes:
        what: What is hostile in it.
        file: Its name.
        make: Makes it, with a file of that name in a folder.
    """

    what: str
    file: str
    make: Callable[[Path], object]


def cases() -> Iterator[Hostile]:
    """All of them."""
    views = {what: _ROWS.format(cell) for what, cell in _CELLS.items()} | dict(_VIEWS)
    every = {what: (f"CREATE VIEW people AS {view}",) for what, view in views.items()} | dict(_DATABASES)
    for what, statements in every.items():
        yield Hostile(f"DuckDB: {what}", "in.duckdb", _duckdb(statements))
    for what, statements in _SQLITE.items():
        yield Hostile(f"SQLite: {what}", "in.sqlite", _sqlite(statements))
    yield Hostile("DuckDB: changes beside it", "in.duckdb", _duckdb_beside)
    yield Hostile("DuckDB: of a later version", "in.duckdb", _later)
    yield Hostile("SQLite: changes beside it", "in.sqlite", _sqlite_beside)
    yield Hostile("SQLite: pages that lead to themselves", "in.sqlite", _looped)
    yield Hostile(
        "SQLite: a name that is an address", "file:in.sqlite?vfs=unix-none&mode=rwc", _sqlite(_SQLITE["a trigger"])
    )
    yield Hostile("DuckDB: a name that is an address", "md:in.duckdb", _duckdb(_DATABASES["a default"]))
    yield Hostile("DuckDB: a name that is a pattern", "*.duckdb", _duckdb(_DATABASES["a default"]))


def others(folder: Path) -> None:
    """Write what lies beside a hostile database, and is nobody else's business."""
    (folder / OTHER).write_text(f"a,b\n{SECRET},1\n", encoding="utf-8")
    (folder / "below").mkdir()
    (folder / "link.csv").symlink_to(folder / OTHER)
    with closing(sqlite3.connect(folder / "beside.sqlite")) as base:
        base.execute(f"CREATE TABLE t AS SELECT '{SECRET}' AS a")
        base.commit()
    with closing(import_module("duckdb").connect()) as base:
        base.execute(f"COPY (SELECT '{SECRET}' AS a) TO '{folder}/beside.parquet'")


def _filled(statement: str, folder: Path) -> str:
    for mark, text in (("other", folder / OTHER), ("folder", folder), ("long", "x" * 1_000_000)):
        statement = statement.replace("{" + mark + "}", str(text))
    return statement


def _duckdb(statements: tuple[str, ...]) -> Callable[[Path], object]:
    def made(path: Path) -> None:
        duckdb: Any = import_module("duckdb")
        frame = duckdb.sql("SELECT 'x' AS a")  # what a view may name
        with closing(duckdb.connect(str(path.with_name("made")))) as base:
            base.register("frame", frame.to_arrow_table())
            for statement in statements:
                filled = _filled(statement, path.parent)
                try:
                    base.execute(filled)
                except duckdb.Error:  # DuckDB does not take it unless it is known: then nobody can supply it
                    base.execute("CREATE VIEW IF NOT EXISTS people AS SELECT 1 AS age, 'A' AS city")
        path.with_name("made").rename(path)

    return made


def _sqlite(statements: tuple[str, ...]) -> Callable[[Path], object]:
    def made(path: Path) -> None:
        with closing(sqlite3.connect(path.with_name("made"))) as base:
            for statement in statements:
                base.execute(_filled(statement, path.parent))
            base.commit()
        path.with_name("made").rename(path)

    return made


def _duckdb_beside(path: Path) -> None:
    """With a table in the file, and a change of it beside it that is computed when it is read."""
    code = (
        "import duckdb, os; c = duckdb.connect('in.duckdb'); c.execute('CREATE TABLE people AS SELECT 30 AS age');"
        "c.execute('CHECKPOINT'); c.execute(\"ALTER TABLE people ADD COLUMN b VARCHAR DEFAULT repeat('x', 1 << 20)\");"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=path.parent, check=True)


def _later(path: Path) -> None:
    _duckdb(("CREATE TABLE people AS SELECT 30 AS age",))(path)
    content = bytearray(path.read_bytes())
    struct.pack_into("<Q", content, 12, 9_999)
    path.write_bytes(content)


def _sqlite_beside(path: Path) -> None:
    base = sqlite3.connect(path.with_name("made"))
    for statement in ("PRAGMA journal_mode = wal", "CREATE TABLE people AS SELECT 30 AS age, 'A' AS city"):
        base.execute(statement)
    base.commit()
    shutil.copy(path.with_name("made"), path)
    shutil.copy(path.with_name("made-wal"), path.with_name(f"{path.name}-wal"))
    base.close()
    path.with_name("made").unlink()


def _looped(path: Path) -> None:
    """With a page of pages, each entry of which is the same next page, ten deep: 10^20 records in 60 KB."""
    _sqlite(("PRAGMA page_size = 4096", "CREATE TABLE people(age INT, city TEXT)"))(path)
    content, size, levels = bytearray(path.read_bytes()), 4096, 10
    first = len(content) // size  # the root is the page before
    content += bytes(size * levels)
    for level in range(levels):
        _inner(content, size * (first - 1 + level), size, first + level + 1)
    _leaf(content, size * (first - 1 + levels), size)
    struct.pack_into(">I", content, 28, len(content) // size)
    path.write_bytes(content)


def _inner(content: bytearray, start: int, size: int, child: int) -> None:
    cells = 100
    struct.pack_into(">BHHHBI", content, start, 5, 0, cells, size - 5 * cells, 0, child)
    for cell in range(cells):
        at = size - 5 * (cell + 1)
        struct.pack_into(">H", content, start + 12 + 2 * cell, at)
        struct.pack_into(">IB", content, start + at, child, cell + 1)


def _leaf(content: bytearray, start: int, size: int) -> None:
    record = bytes([6, 1, 3, 1, 15, 30, 65])  # six bytes, number 1, a header of three: a byte and a letter
    struct.pack_into(">BHHHB", content, start, 13, 0, 1, size - len(record), 0)
    struct.pack_into(">H", content, start + 8, size - len(record))
    content[start + size - len(record) : start + size] = record


# ── running ──────────────────────────────────────────────────────────────────────────────────────

#: The commands that read them.
COMMANDS: Final[Mapping[str, str]] = {
    "inspect": "inspect {}",
    "init": "init {} -o job.toml",
    "anonymize": "anonymize {} --out out.csv --quasi age --rest insensitive --allow-singling all --k 2 --quiet",
    "engine": "anonymize {} --out out.csv --quasi age --rest insensitive --k 2 --engine duckdb --quiet",
}


def told(folder: Path, printed: bytes) -> str:
    """What a run has given away, or left beside the database; empty where it has not."""
    for path in folder.iterdir():
        if path.name.startswith(("out", "job")):
            printed += path.read_bytes()
    if SECRET.encode() in printed:
        return "the other file"
    ours = ("in.", "out", "job", "beside", "link", "below", "trace", "*", "md:", "file:")
    extra = sorted(path.name for path in folder.iterdir() if not path.name.startswith(ours))
    beside = sorted(path.name for path in folder.glob("in.*") if path.name.endswith(("-shm", ".tmp")))
    return f"left {extra + beside}" if extra + beside else ""


def reached(trace: Path) -> str:
    """Whether a run opened the other file or called the network, by what strace saw."""
    with suppress(FileNotFoundError):
        for line in trace.read_text(encoding="utf-8", errors="replace").splitlines():
            if "/beside." in line or "link.csv" in line or "AF_INET" in line:
                return "opened the other file or called the network"
    return ""


def traced() -> list[str]:
    """What shows which files a command opens, and whom it calls; nothing where strace is not installed."""
    if shutil.which("strace") is None:
        return []
    return ["strace", "-f", "--seccomp-bpf", "-o", "trace", "-e", "trace=open,openat,connect,link,symlink,rename"]


def words(command: str, address: str) -> list[str]:
    """A command on a database, in words."""
    return [sys.executable, "-m", "kohort", *(address if word == "{}" else word for word in COMMANDS[command].split())]


def environment() -> dict[str, str]:
    """That of a run, with what no database may find there."""
    return {**os.environ, "KOHORT_SECRET": SECRET}


def run(hostile: Hostile, command: str, inner: str, folder: Path) -> tuple[int, float, int, str]:
    """The status of a command on one, its seconds and bytes, and what was given away or reached."""
    others(folder)
    hostile.make(folder / hostile.file)
    with (folder / "printed").open("w+b") as printed:
        ran = subprocess.Popen(
            [*traced(), *words(command, f"{hostile.file}{inner}")],
            cwd=folder,
            stdout=printed,
            stderr=printed,
            env=environment(),
        )
        _, ended, used = os.wait4(ran.pid, 0)
        ran.returncode = os.waitstatus_to_exitcode(ended)
        printed.seek(0)
        text = printed.read()
    (folder / "printed").unlink()
    wrong = told(folder, text) or reached(folder / "trace")
    return ran.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss << 10, wrong


def main(names: list[str]) -> None:
    """Print a line for each run that ends otherwise than it must, for each of the cases named, and the worst of all."""
    runs: list[tuple[int, float, int, str]] = []
    for number, hostile in enumerate(cases()):
        if not all(name in hostile.what for name in names):
            continue
        by_turns = [*COMMANDS, *COMMANDS][number % 4 :]
        for command, inner in zip(
            COMMANDS if names else by_turns[:2], ("#people", "", "#people", "#people"), strict=False
        ):
            with TemporaryDirectory() as folder:
                status, seconds, memory, what = run(hostile, command, inner, Path(folder))
            if status not in STATUSES or seconds > SECONDS or memory > MEMORY:
                what = f"{what} WRONG"
            runs.append((status, seconds, memory, what))
            if what or names:
                told = f"{status}, {seconds:.1f} s, {memory >> 20} MiB"
                print(f"{hostile.what}{inner}, {command}: {told} {what}", flush=True)
    statuses, seconds_, memories, wrong = zip(*runs, strict=True)
    by_status = ", ".join(f"{statuses.count(one)} in {one}" for one in sorted({*statuses}))
    print(f"{len(runs)} runs on hostile databases: {by_status}; {sum(map(bool, wrong))} wrong;", end=" ")
    print(f"at most {max(seconds_):.1f} CPU s and {max(memories) >> 20} MiB")


if __name__ == "__main__":
    main(sys.argv[1:])
