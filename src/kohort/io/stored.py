"""A table written into a database that exists: in one transaction, and read back before that ends.

The address is the one that reading has: `FILE#TABLE` for SQLite and DuckDB, `postgresql://USER@HOST/DATABASE#TABLE` for
Postgres. Columns have the type of their source where the database gives its cells back as they were; else they are
text. A database has no bytes to show for a table, so what is judged and what a certificate is of is the text of the
table that was read back: CSV in UTF-8 with LF, in the order in which the records were inserted.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

import polars as pl

from kohort.errors import FileError, UsageError
from kohort.io import databases
from kohort.io.cells import as_text
from kohort.io.databases import (
    SHUT,
    create_sqlite,
    driver,
    duckdb_table,
    quoted,
    refuse_beside,
    shown,
    sqlite_table,
)
from kohort.io.forms import FORMATS, Content, Format, form_of, is_address, located
from kohort.io.typed import from_content
from kohort.io.write import write

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

#: Bytes by which such a file is known.
_HEAD: Final = 16


@dataclass(frozen=True, slots=True)
class StoredTable:
    """Where a table stands, or is to stand, in a database.

    Attributes:
        base: The database: a path, or the address of a server.
        table: The table, perhaps `SCHEMA.TABLE`.
        kind: `sqlite`, `duckdb` or `postgres`.
    """

    base: str
    table: str
    kind: str

    @property
    def address(self) -> str:
        """Where it is, without a password."""
        return f"{shown(self.base) if self.kind == 'postgres' else self.base}#{self.table}"

    @property
    def path(self) -> Path:
        """What stands for it where files are named: of a server only the database, in the current folder."""
        base = urlsplit(self.base).path.rpartition("/")[2] or "postgres" if self.kind == "postgres" else self.base
        return Path(f"{base}#{self.table}")

    @property
    def sql(self) -> str:
        """Its name in SQL."""
        return ".".join(map(quoted, self._parts))

    @property
    def _parts(self) -> Sequence[str]:
        return self.table.split(".", 1) if self.kind == "postgres" else (self.table,)

    @property
    def name(self) -> str:
        """Its name without a schema."""
        return self._parts[-1]

    @property
    def schema(self) -> str | None:
        """The schema of a Postgres table, where one is named."""
        return self._parts[0] if len(self._parts) > 1 else None


def stored(target: str | os.PathLike[str]) -> StoredTable | None:
    """The table of a database that a target names; `None` where it names a file.

    Raises:
        UsageError: it is the address of a server, and names no table.

    >>> stored("clinic.sqlite#release").table, stored("postgresql://ada:secret@localhost/clinic#a").address
    ('release', 'postgresql://ada@localhost/clinic#a')
    >>> stored("release.sqlite"), stored("people#1.csv")
    (None, None)
    """
    name = os.fspath(target)
    if is_address(name):
        uri, _, table = name.partition("#")
        if not table:
            hint = "write postgresql://USER@HOST/DATABASE#TABLE"
            raise UsageError("the address names no table", where=shown(name), hint=hint)
        return StoredTable(uri, table, "postgres")
    path, table = located(name)
    form = form_of(path)
    return StoredTable(path, table, form.key) if table and form is not None and form.key in _KINDS else None


def text_of(place: StoredTable) -> bytes:
    """The table as CSV, the text that a certificate of it is of.

    Raises:
        FileError: the database cannot be read, or has no such table.
        InputError: it holds types that kohort does not read.
    """
    if place.kind == "postgres":
        with opened(place) as session:
            return session.text()
    _refuse_absent(place)
    return _text(FORMATS[place.kind].read(place.base, place.table), place)


def others(path: Path) -> tuple[str, ...]:
    """What a database file holds besides a release: tables that would go if the file were replaced."""
    form = form_of(str(path))
    if form is None or form.key not in _KINDS or not path.is_file():
        return ()
    with path.open("rb") as file:
        if not form.begins(file.read(_HEAD)):
            return ()
    refuse_beside(str(path))
    with databases.opened(str(path), form.key) as base:
        return tuple(one.name for one in base.listed() if one.name != "release")


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Session:
    """An open transaction: nobody else sees what it does before `commit`, and without it nothing was done.

    Attributes:
        place: The table.
        base: The database.
        cursor: What executes statements; of DuckDB the database, whose cursors have transactions of their own.
    """

    place: StoredTable
    base: Any
    cursor: Any

    def execute(self, sql: str) -> Sequence[Sequence[Any]]:
        """What a statement finds."""
        self.cursor.execute(sql)
        return () if self.cursor.description is None else cast("Sequence[Sequence[Any]]", self.cursor.fetchall())

    def names(self) -> tuple[str, ...]:
        """The tables and views of a database file."""
        return tuple(str(name) for (name,) in self.execute(_NAMES[self.place.kind]))

    def exists(self) -> bool:
        """Whether a table or a view of that name is there."""
        if self.place.kind != "postgres":
            return self.place.name.casefold() in {name.casefold() for name in self.names()}
        quote = self.place.sql.replace("'", "''")
        return self.execute(f"SELECT to_regclass('{quote}') IS NOT NULL")[0][0] is True

    def put(self, parquet: bytes) -> None:
        """Make the table, with the records that a Parquet file holds."""
        frame = pl.read_parquet(BytesIO(parquet))
        frame = pl.DataFrame([_kept(series) for series in frame])
        if self.place.kind == "sqlite":
            create_sqlite(self.base, self.place.sql, frame)
        elif self.place.kind == "duckdb":
            self.base.register("kohort_cells", frame)
            self.base.execute(f"CREATE TABLE {self.place.sql} AS SELECT * FROM kohort_cells")  # noqa: S608  quoted
            self.base.unregister("kohort_cells")
        else:
            cells = cast("Any", frame).to_arrow(compat_level=pl.CompatLevel.oldest())
            self.cursor.adbc_ingest(self.place.name, cells, mode="create", db_schema_name=self.place.schema)

    def text(self) -> bytes:
        """The table as it is read back, as CSV."""
        if self.place.kind == "sqlite":
            frame = sqlite_table(self.base, self.place.table, self.place.address)
        elif self.place.kind == "duckdb":
            frame = duckdb_table(self.base, self.place.sql)
        else:
            self.cursor.execute(f"SELECT * FROM {self.place.sql} ORDER BY ctid")  # noqa: S608  in the order of insertion
            frame = pl.DataFrame(self.cursor.fetch_arrow())
        return _text(Content(frame), self.place)

    def drop(self) -> None:
        """Remove the table."""
        self.execute(f"DROP TABLE {self.place.sql}")

    def commit(self) -> None:
        """Let everybody see it."""
        self.base.commit()


def _text(content: Content, place: StoredTable) -> bytes:
    """What a table holds, as CSV."""
    text = BytesIO()
    write(from_content(content, place.address), text, Format.CSV)
    return text.getvalue()


#: What lists the tables and views of a file.
_NAMES: Final = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
    "duckdb": "SELECT table_name FROM information_schema.tables WHERE table_catalog = current_database()",
}


def _kept(series: pl.Series) -> pl.Series:
    """A column with its type where all three databases have that; else as text.

    >>> [_kept(pl.Series([7], dtype=one)).dtype for one in (pl.UInt8, pl.Int64, pl.UInt64, pl.Float32)]
    [Int64, Int64, String, String]
    """
    dtype = series.dtype
    if dtype.is_integer() and not isinstance(dtype, pl.UInt64 | pl.Int128 | pl.UInt128):
        return series.cast(pl.Int64)
    kept = isinstance(dtype, pl.Float64 | pl.Boolean | pl.Date | pl.String) or dtype == pl.Datetime("us")
    return series if kept else as_text(series)


@contextmanager
def opened(place: StoredTable) -> Generator[Session]:
    """A transaction in the database of a table; what it did is undone at the end unless it was committed.

    Raises:
        FileError: the database is not there, cannot be reached, is locked or refuses; nothing was changed.
        MissingExtraError: its library is not installed.
    """
    if place.kind != "postgres":
        _refuse_absent(place)
    with _KINDS[place.kind](place) as session:
        yield session


def _refuse_absent(place: StoredTable) -> None:
    """Refuse a database file that is not there.

    Raises:
        FileError: it is not.
    """
    if not Path(place.base).is_file():
        hint = "name an existing database; for a new file leave out # and the table name"
        raise FileError("there is no such database", where=place.base, hint=hint)


@contextmanager
def _reporting(refused: type[Exception], place: StoredTable) -> Generator[None]:
    """Turn what a database refuses into a `FileError` without the text of its message, which may quote cells."""
    try:
        yield
    except refused as error:
        what = f"the database refused ({type(error).__name__}); nothing was changed"
        hint = "check the names, and that the database can be reached and written and is not locked"
        raise FileError(what, where=place.address, hint=hint) from None


@contextmanager
def _sqlite(place: StoredTable) -> Generator[Session]:
    name = str(Path(place.base).absolute())  # else SQLite takes `file:x` for an address
    with _reporting(sqlite3.Error, place), closing(sqlite3.connect(name, isolation_level=None)) as base:
        base.execute("PRAGMA trusted_schema = OFF")
        base.execute("BEGIN IMMEDIATE")
        yield Session(place, base, base.cursor())


@contextmanager
def _duckdb(place: StoredTable) -> Generator[Session]:
    duckdb, name = FORMATS["duckdb"].library("duckdb"), str(Path(place.base).absolute())  # `md:x` is a server's
    with _reporting(duckdb.Error, place), closing(duckdb.connect(name, config=SHUT)) as base:
        base.execute("BEGIN TRANSACTION")
        yield Session(place, base, base)


@contextmanager
def _postgres(place: StoredTable) -> Generator[Session]:
    postgres = driver(place.base)
    with (
        _reporting(postgres.Error, place),
        closing(postgres.connect(place.base)) as base,
        closing(base.cursor()) as cursor,
    ):
        yield Session(place, base, cursor)


#: What opens a database, by its kind.
_KINDS: Final[dict[str, Callable[[StoredTable], Any]]] = {"sqlite": _sqlite, "duckdb": _duckdb, "postgres": _postgres}
