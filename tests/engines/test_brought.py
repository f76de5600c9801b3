"""An engine that another package brings: a folder of its own, an entry point, and nothing changed in kohort."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

#: A package that reads CSV into SQLite: the dialect is that of these tests, the rest is what a stranger writes.
ENGINE = '''
from sqlite3 import Connection

import polars as pl
from sqlite_dialect import SQLite

from kohort.engines.base import EngineKind
from kohort.specification import COUNT, Parameter, Specification
from kohort.sql.remote import RemoteEngine


class Files(SQLite):
    """SQLite that reads CSV."""

    def relation(self, source, options, limit):
        frame = pl.read_csv(source, infer_schema=False, empty_string_is_null=False)
        return super().relation(frame, options, limit)


def opened(engine, limit, folder, own):
    if not isinstance(engine, str | Connection):
        return None
    base = Files() if isinstance(engine, str) else Files(engine)
    base.base.execute(f"PRAGMA cache_size = {own.get('sqlite_pages', 100)}")
    return RemoteEngine(base, limit)


PAGES = Parameter("sqlite_pages", COUNT, "Pages that SQLite keeps in memory.", (100,), metavar="N")
KIND = EngineKind(
    Specification("sqlite", "SQLite", "for CSV files", parameters=(PAGES,)), opened, "a connection of SQLite"
)
'''

#: What a user does with it: by name, with a setting of its own, and over a connection; and what is refused.
USE = """
import kohort
from kohort.cli import main
from sqlite_dialect import connected

options = ["--quasi", "age,sex", "--sensitive", "ill", "--no-model", "ill", "--k", "5", "--quiet"]
assert main(["anonymize", "a.csv", "--out", "local.csv", *options]) == 0
named = ["anonymize", "a.csv", "--out", "named.csv", *options, "--engine", "sqlite", "--sqlite-pages", "50"]
assert main(named) == 0
kohort.anonymize(
    "a.csv", target="given.csv", quasi=["age", "sex"], sensitive=["ill"], no_model=["ill"], k=5, engine=connected()
)
assert main(["anonymize", "a.csv", "--out", "none.csv", *options, "--sqlite-pages", "50"]) == 2
assert main(["anonymize", "--help-all"]) == 0
"""


def test_an_engine_of_another_package_is_found_by_its_name_its_settings_and_its_objects(tmp_path: Path) -> None:
    """Its releases are the local engine's, byte for byte, and its flags stand in the help."""
    package, work = tmp_path / "package", tmp_path / "work"
    points = package / "kohort_sqlite-1.dist-info" / "entry_points.txt"
    points.parent.mkdir(parents=True)
    points.write_text("[kohort.engines]\nsqlite = kohort_sqlite:KIND\n", "utf-8")
    (points.parent / "METADATA").write_text("Metadata-Version: 2.1\nName: kohort-sqlite\nVersion: 1\n", "utf-8")
    (package / "kohort_sqlite.py").write_text(ENGINE, "utf-8")
    (package / "sqlite_dialect.py").write_text(Path(__file__).with_name("sqlite.py").read_text("utf-8"), "utf-8")
    work.mkdir()
    cells = "".join(f"{20 + n % 50},{'mf'[n % 2]},{'abc'[n % 3]}\n" for n in range(400))
    (work / "a.csv").write_text(f"age,sex,ill\n{cells}", "utf-8")
    path = os.pathsep.join([str(package), *filter(None, [os.environ.get("PYTHONPATH")])])
    ran = subprocess.run(
        [sys.executable, "-c", USE],
        cwd=work,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    local, named, given = ((work / f"{name}.csv").read_bytes() for name in ("local", "named", "given"))
    assert local == named == given
    assert local.count(b"\n") == 401
    assert "sqlite-pages applies only to the engine sqlite" in ran.stderr
    assert "--sqlite-pages N" in ran.stdout
    assert "or sqlite, for CSV files" in " ".join(ran.stdout.split())
