"""Tables of databases: SQLite by Python's own library, DuckDB by its own, Postgres by ADBC.

A database file is read as it lies there; a release is a new file with one table, `release`. What is written into a
database that exists: `kohort.io.stored`.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

import polars as pl

from kohort.errors import FileError, InputError, MissingExtraError
from kohort.io.cells import as_text, from_text
from kohort.io.forms import FORMS, NO_ROOM, Content, FileForm, library

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kohort.tables.table import Labels

#: The name of the one table that is written.
TABLE: Final = "release"

#: What columns of SQLite whose text is a date or a time are declared as.
_DATES: Final = {"DATE": pl.Date(), "TIME": pl.Time(), "TIMESTAMP": pl.Datetime("us")}


def content(path: str, inner: str, form: FileForm) -> Content:
    """The table in a database file: its only one, its first one, or the one called `inner`.

    Raises:
        InputError: the file is damaged, or has no such table.
        MissingExtraError: the database's library is not installed.
    """
    return (_duckdb if form.key == "duckdb" else _sqlite)(path, inner)


def chosen(path: str, names: Sequence[str], inner: str) -> tuple[str, tuple[str, ...]]:
    """The table to read, and a note of the others."""
    if inner and inner not in names:
        raise InputError(f"there is no table {inner!r}", where=path, hint=f"its tables: {', '.join(names) or 'none'}")
    if not names:
        raise InputError("there is no table in the database", where=path)
    if inner or len(names) == 1:
        return inner or names[0], ()
    others = ", ".join(names[1:])
    return names[0], (f"{path}, table {names[0]!r}: the other tables are not read: {others} (name one as FILE#TABLE)",)


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


# ── SQLite ───────────────────────────────────────────────────────────────────────────────────────


def _sqlite(path: str, inner: str) -> Content:
    try:
        with closing(sqlite3.connect(f"file:{quote(str(Path(path).resolve()))}?mode=ro", uri=True)) as base:
            names = _sqlite_tables(base)
            name, notes = chosen(path, names, inner)
            return Content(sqlite_table(base, name, f"{path}, table {name!r}"), notes=notes)
    except sqlite3.Error as error:
        raise InputError(f"the SQLite file cannot be read ({type(error).__name__})", where=path) from None


def _sqlite_tables(base: sqlite3.Connection) -> list[str]:
    told = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    return [name for (name,) in base.execute(f"{told} ORDER BY rowid")]


def sqlite_table(base: sqlite3.Connection, name: str, where: str) -> pl.DataFrame:
    """A table in the order of its records: SQLite has no types of columns, only of cells."""
    found = base.execute(f"SELECT * FROM {quoted(name)}")  # noqa: S608  a name that the database itself has, quoted
    names = [column[0] for column in found.description]
    declared = {one[1]: one[2].upper() for one in base.execute(f"PRAGMA table_info({quoted(name)})")}
    from kohort.io.typed import check_names  # noqa: PLC0415  it reads what is read here

    checked = check_names(names, where)
    cells: Iterable[Sequence[Any]] = list(zip(*found, strict=True)) or [()] * len(names)
    return pl.DataFrame(
        [
            _sqlite_column(new, values, declared.get(old, ""), where)
            for new, old, values in zip(checked, names, cells, strict=True)
        ]
    )


def _sqlite_column(name: str, cells: Sequence[Any], declared: str, where: str) -> pl.Series:
    """A column with the type of all of its cells; text where they have several."""
    kinds: set[type] = {type(cell) for cell in cells if cell is not None}
    if bytes in kinds:
        raise InputError("the column holds binary cells", where=f"{where}, column {name!r}", hint="leave it out")
    if kinds == {int} and declared == "BOOLEAN" and {*cells} <= {0, 1, None}:
        return pl.Series(name, [None if cell is None else bool(cell) for cell in cells], dtype=pl.Boolean)
    if len(kinds) <= 1:
        dtype = pl.Int64() if kinds == {int} else pl.Float64() if kinds == {float} else pl.String()
        series = pl.Series(name, cells, dtype=dtype)
        return from_text(series, _DATES[declared]) if dtype == pl.String and declared in _DATES else series
    texts = [as_text(pl.Series([cell])).item() if isinstance(cell, float) else cell for cell in cells]
    return pl.Series(name, [None if cell is None else str(cell) for cell in texts], dtype=pl.String)


def pack_sqlite(frame: pl.DataFrame, labels: Mapping[str, Labels]) -> bytes:
    """A SQLite file of one table; dates and times are ISO text there, which sorts as they do."""
    del labels  # a database holds what stands for a code, not the code
    with closing(sqlite3.connect(":memory:")) as base:
        create_sqlite(base, TABLE, frame)
        base.commit()
        return base.serialize()


def create_sqlite(base: sqlite3.Connection, table: str, frame: pl.DataFrame) -> None:
    """Make a table of a frame, under a name as SQL has it."""
    kept = [series if _is_sqlite(series.dtype) else as_text(series) for series in frame]
    kinds = [_declared(series.dtype) for series in frame]
    columns = ", ".join(f"{quoted(one.name)} {kind}" for one, kind in zip(frame, kinds, strict=True))
    base.execute(f"CREATE TABLE {table} ({columns})")
    marks = ", ".join("?" * frame.width)
    base.executemany(f"INSERT INTO {table} VALUES ({marks})", zip(*kept, strict=True))  # noqa: S608  marks alone


def _declared(dtype: pl.DataType) -> str:
    """What a column of a type is declared as."""
    if not _is_sqlite(dtype):
        return next((name for name, kind in _DATES.items() if kind.base_type() == dtype.base_type()), "TEXT")
    return "BOOLEAN" if dtype == pl.Boolean else "INTEGER" if dtype.is_integer() else "REAL"


def _is_sqlite(dtype: pl.DataType) -> bool:
    """Whether SQLite has cells of a type."""
    return (
        dtype == pl.Boolean
        or dtype.is_float()
        or (dtype.is_integer() and not isinstance(dtype, pl.UInt64 | pl.Int128 | pl.UInt128))
    )


def unpack_sqlite(written: bytes) -> pl.DataFrame:
    """The table in a SQLite file that `pack_sqlite` made."""
    with closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(written)
        _refuse_others(_sqlite_tables(base))
        return sqlite_table(base, TABLE, "the release")


def _refuse_others(names: Sequence[str]) -> None:
    if list(names) != [TABLE]:
        raise InputError(f"the database holds {len(names)} tables and views, and one is due", where="the release")


# ── DuckDB ───────────────────────────────────────────────────────────────────────────────────────

#: The tables and views of a database, by name.
_TABLES: Final = """
    SELECT table_name FROM information_schema.tables
    WHERE table_catalog = current_database() ORDER BY table_name
"""

#: Everything in a database, besides what every one has.
_CATALOG: Final = """
    SELECT table_name FROM duckdb_tables() WHERE NOT internal
    UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal
    UNION ALL SELECT sequence_name FROM duckdb_sequences()
    UNION ALL SELECT function_name FROM duckdb_functions() WHERE NOT internal
    UNION ALL SELECT comment FROM duckdb_tables() WHERE comment IS NOT NULL
    UNION ALL SELECT comment FROM duckdb_columns() WHERE comment IS NOT NULL
    UNION ALL SELECT index_name FROM duckdb_indexes()
"""


def _duckdb(path: str, inner: str) -> Content:
    duckdb = library("duckdb", FORMS["duckdb"])
    try:
        with closing(duckdb.connect(path, read_only=True)) as base:
            name, notes = chosen(path, [one for (one,) in base.execute(_TABLES).fetchall()], inner)
            return Content(duckdb_table(base, name), notes=notes)
    except duckdb.Error as error:
        raise InputError(f"the DuckDB file cannot be read ({type(error).__name__})", where=path) from None


def duckdb_table(base: Any, name: str) -> pl.DataFrame:  # noqa: ANN401  DuckDB's own class
    """A table in the order of its records."""
    found = base.sql(f"SELECT * FROM {quoted(name)}")  # noqa: S608  a name that it has, quoted
    return pl.DataFrame(found.to_arrow_table())


def pack_duckdb(frame: pl.DataFrame, labels: Mapping[str, Labels]) -> bytes:
    """A DuckDB file of one table, made in a private folder."""
    del labels  # as above
    duckdb = library("duckdb", FORMS["duckdb"])
    with TemporaryDirectory(prefix="kohort-") as folder:
        path = Path(folder, "release.duckdb")
        try:
            with closing(duckdb.connect(str(path))) as base:
                base.register("cells", frame)
                base.execute(f"CREATE TABLE {TABLE} AS SELECT * FROM cells")  # noqa: S608  constants
                base.execute("CHECKPOINT")  # to close it would do the same, and not say what the disk refuses
        except (duckdb.IOException, duckdb.FatalException):
            raise FileError("DuckDB could not be written: the system took no more bytes", hint=NO_ROOM) from None
        return path.read_bytes()


def unpack_duckdb(written: bytes) -> pl.DataFrame:
    """The table in a DuckDB file that `pack_duckdb` made."""
    duckdb = library("duckdb", FORMS["duckdb"])
    with TemporaryDirectory(prefix="kohort-") as folder:
        path = Path(folder, "release.duckdb")
        path.write_bytes(written)
        with closing(duckdb.connect(str(path), read_only=True)) as base:
            _refuse_others([name for (name,) in base.execute(_CATALOG).fetchall()])
            return duckdb_table(base, TABLE)


# ── Postgres ─────────────────────────────────────────────────────────────────────────────────────


def postgres(address: str) -> Content:
    """The table that the address of a Postgres database names: `postgresql://USER@HOST/DATABASE#TABLE`.

    Raises:
        InputError: the server cannot be reached or refuses, or no such table is there.
        MissingExtraError: the driver is not installed.
    """
    uri, _, table = address.partition("#")
    where = shown(address)
    if not table:
        raise InputError("the address names no table", where=where, hint="write postgresql://USER@HOST/DATABASE#TABLE")
    postgres_ = driver()
    try:
        with closing(postgres_.connect(uri)) as base, closing(base.cursor()) as cursor:
            name = ".".join(map(quoted, table.split(".", 1)))
            cursor.execute(f"SELECT * FROM {name}")  # noqa: S608  the user's own name, quoted
            return Content(pl.DataFrame(cursor.fetch_arrow()))
    except postgres_.Error as error:
        what = f"the database cannot be read ({type(error).__name__})"
        raise InputError(what, where=where, hint="check the address, the password and the table") from None


def driver() -> Any:  # noqa: ANN401  a module that may be absent
    """The library that speaks with Postgres.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return import_module("adbc_driver_postgresql.dbapi")
    except ImportError:
        what = "adbc-driver-postgresql is needed for Postgres and is not installed"
        raise MissingExtraError(what, hint="pip install 'kohort[postgres]'") from None


def shown(uri: str) -> str:
    """An address without its password.

    >>> shown("postgresql://ada:secret@localhost:5432/clinic#stays")
    'postgresql://ada@localhost:5432/clinic#stays'
    """
    parts = urlsplit(uri)
    host = parts.netloc.rpartition("@")[2]
    user = f"{parts.username}@" if parts.username else ""
    return parts._replace(netloc=f"{user}{host}", query="").geturl()
