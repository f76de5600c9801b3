"""SQLite as a database of kohort; Python lends it what it lacks: hashes, regular expressions, sums beyond 2^63."""

# pyright: basic
# ruff: noqa: D101, D102, D103, S324, S608  what a method answers, `Dialect` says, also that it is MD5; names are kohort's own

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass, field
from hashlib import md5
from itertools import islice
from typing import TYPE_CHECKING

import polars as pl

from kohort.errors import UnsupportedError
from kohort.sql.relation import Relation, unused
from kohort.sql.sources import Source, relation_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kohort.io.options import ReadOptions
    from kohort.sql.queries import Lines


class ExactSum:  # of any size: as a text where SQLite has no such number
    found: int | None = None

    def step(self, number: int | str | None) -> None:
        self.found = self.found if number is None else (self.found or 0) + int(number)

    def finalize(self) -> int | str | None:
        return self.found if self.found is None or self.found < 1 << 63 else str(self.found)


def connected() -> sqlite3.Connection:
    base = sqlite3.connect(":memory:", isolation_level=None)
    base.create_function("hashed", 1, lambda text: str(int(md5(text.encode()).hexdigest()[:16], 16)))
    base.create_function("number", -1, lambda *cells: hash(cells))
    base.create_function("chr", 1, chr)
    base.create_function("matches", 2, lambda text, pattern: bool(re.search(pattern, text)))
    base.create_aggregate("sum", 1, ExactSum)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  a sum may be a text
    return base


@dataclass(frozen=True, eq=False)
class SQLite:
    """A database in memory that reads frames of text; names are bytes, since capital letters make no difference."""

    base: sqlite3.Connection = field(default_factory=connected)
    title: str = f"SQLite {sqlite3.sqlite_version}"
    grouping_sets: bool = False

    def relation(self, source: object, options: ReadOptions, limit: int | None) -> Relation:
        if not isinstance(source, pl.DataFrame) or {*source.dtypes} != {pl.String}:
            raise UnsupportedError("the engine reads frames of text", where="engine", hint="give a frame of text")
        table = self.give(source.rename(lambda name: f"c_{name.encode().hex()}"))
        return relation_of(self, Source("the frame", table), source.schema, options, limit)

    def quoted(self, name: str) -> str:
        return f"c_{name.encode().hex()}"

    def literal(self, text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    def hashed(self, text: str) -> str:
        return f"hashed({text})"

    def number(self, cells: Sequence[str]) -> str:
        return f"number({', '.join(cells)})"

    def different(self, cells: Sequence[str]) -> str:
        return f"count(DISTINCT {self.number(cells)})"

    def matches(self, text: str, pattern: str) -> str:
        return f"matches({text}, {self.literal(pattern)})"

    def run(self, sql: str) -> pl.DataFrame:
        answer = self.base.execute(sql)
        names = [one[0] for one in answer.description]
        return pl.DataFrame([*answer], names, orient="row", infer_schema_length=None).cast({pl.Null: pl.String})

    def stream(self, sql: str) -> Iterator[pl.DataFrame]:
        yield self.run(sql)

    def give(self, frame: pl.DataFrame) -> str:
        columns = ", ".join(f"{one} {'INT' if dtype.is_integer() else 'TEXT'}" for one, dtype in frame.schema.items())
        self.base.execute(f"CREATE TEMP TABLE {(name := unused())} ({columns})")
        self.base.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * frame.width)})", frame.iter_rows())
        return name

    def keep(self, of: str | pl.DataFrame, near: str = "") -> str:
        if not isinstance(of, str):
            return self.give(of)
        self.base.execute(f"CREATE TEMP TABLE {(name := unused())} AS SELECT * FROM ({of}) ORDER BY {near or 1}")
        return name

    once = keep

    def forget(self, name: str) -> None:
        self.base.execute(f"DROP TABLE IF EXISTS {name}")

    def in_order(self, lines: Lines) -> str:
        return lines.at_once

    def write(self, sql: str, header: str, files: Sequence[tuple[Path, int | None]]) -> None:
        lines = (f"{line}\n" for (line,) in self.base.execute(sql))
        for path, records in files:
            path.write_text("".join([f"{header}\n", *islice(lines, records)]), encoding="utf-8", newline="")
