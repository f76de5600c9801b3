"""Tables of databases: SQLite by Python's own library, DuckDB by its own, Postgres by ADBC.

A database file can hold statements of whoever made it. It is opened so that none of them reaches another file, a
library or the network, and kohort reads tables, whose cells lie in the file. What is computed when it is read, as a
view is, is read only by its name, in a process of its own (`kohort.io.confined`). Nothing is written beside the file.

A release is a new file with one table, `release`. What is written into a database that exists: `kohort.io.stored`.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, unquote, urlsplit

import polars as pl

from kohort.errors import FileError, InputError, LimitError
from kohort.io.cells import as_text, from_text, of_arrow
from kohort.io.confined import confined
from kohort.io.forms import FORMATS, NO_ROOM, Content, FileFormat
from kohort.system import import_optional

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from kohort.tables.table import Labels

#: The name of the one table that is written.
TABLE: Final = "release"

#: What columns of SQLite whose text is a date or a time are declared as.
_DATES: Final = {"DATE": pl.Date(), "TIME": pl.Time(), "TIMESTAMP": pl.Datetime("us")}


class Listed(NamedTuple):
    """A table or a view that a database file holds.

    Attributes:
        name: What it is called; outside of the schema `main`, with its schema.
        sql: The same in SQL.
        computed: What it is if its cells do not lie in the file, but are computed when they are read; else empty.
    """

    name: str
    sql: str
    computed: str = ""


def read(path: str, inner: str, form: FileFormat, *confined: str) -> Content:
    """The table in a database file: its only one, its first one, or the table or view called `inner`.

    What is computed when it is read is so in a process with limits, which is told that it is `confined`.

    Raises:
        InputError: the file is damaged, or has no such table; or changes lie beside it.
        LimitError: to compute a view takes too much.
        MissingExtraError: the database's library is not installed.
    """
    refuse_beside(path)
    alone = {"threads": "1"} if confined else {}  # each thread of a machine of many takes room
    with opened(path, form.key, **alone) as base:
        one, notes = chosen(path, base.listed(), inner)
        if one.computed and not confined:
            return replace(view(path, form.key, one.name), notes=notes)
        if not one.computed:
            base.refuse_large(one, path)
        return Content(base.table(one, f"{path}, {one.computed or 'table'} {one.name!r}"), notes=notes)


def view(path: str, key: str, name: str) -> Content:
    """What a view answers, or another table of which cells do not lie in the file.

    Raises:
        InputError: it cannot be computed.
        LimitError: that takes too much time or memory.
    """
    hint = "copy it into a table of the database, and name that"
    return confined(path, key, name, "confined", where=f"{path}, view {name!r}", hint=hint, grows=False)


@contextmanager
def opened(path: str, key: str, **settings: str) -> Generator[_SQLite | _DuckDB]:
    """A database file, to be read: nothing in it can reach beyond it.

    Args:
        path: The file.
        key: `sqlite` or `duckdb`.
        settings: More of DuckDB's.

    Raises:
        InputError: it is damaged.
        LimitError: it takes too much memory.
        MissingExtraError: the database's library is not installed.
    """
    form, place = FORMATS[key], str(Path(path).absolute())  # else DuckDB takes `md:x` or `sqlite:x` for another kind
    module: Any = sqlite3 if key == "sqlite" else form.library("duckdb")
    try:
        if key == "sqlite":
            made: _SQLite | _DuckDB = _SQLite.opened(place)
        else:
            made = _DuckDB(module.connect(place, read_only=True, config=SHUT | settings))
        with closing(made.connection):
            yield made
    except (MemoryError, getattr(module, "OutOfMemoryException", MemoryError)):
        raise LimitError(f"the {form.title} file takes too much memory", where=path) from None
    except module.Error as error:
        raise InputError(f"the {form.title} file cannot be read ({type(error).__name__})", where=path) from None


#: Files by which a database that was not closed goes on, by the end of their name.
_BESIDE: Final = ("-wal", "-journal", ".wal")


def refuse_beside(path: str) -> None:
    """Refuse a database of which a part lies beside it: to read that, its library would have to write there.

    Raises:
        InputError: there is one.
    """
    for place in {Path(path).absolute(), Path(path).resolve()}:
        for beside in (place.with_name(place.name + end) for end in _BESIDE):
            with suppress(OSError), beside.open("rb") as file:
                if any(file.read(_HEAD)):  # SQLite may leave an old journal, whose beginning it clears
                    what = f"the database has unsaved changes in {beside.name}"
                    hint = "close the program that uses the database, or open and close it once there"
                    raise InputError(what, where=path, hint=f"{hint}; or read a copy (VACUUM INTO, COPY FROM DATABASE)")


#: Bytes of such a file that tell whether it holds anything.
_HEAD: Final = 8


def chosen(path: str, listed: Sequence[Listed], inner: str) -> tuple[Listed, tuple[str, ...]]:
    """What to read, and a note of the rest.

    Raises:
        InputError: there is nothing of that name; or only what is computed when it is read, and no name is given.
    """
    names = ", ".join(_described(one) for one in listed) or "none"
    found = [one for one in listed if one.name == inner or not (inner or one.computed)]
    if inner and not found:
        raise InputError(f"there is no table {inner!r}", where=path, hint=f"its tables: {names}")
    if not listed:
        raise InputError("there is no table in the database", where=path)
    if not found:
        what = f"the database holds no table, only computed ones: {names}"
        hint = f"a view runs its author's code: if you trust the source, name the view, as in {path}#{listed[0].name}"
        raise InputError(what, where=path, hint=f"{hint}; or copy the view into a table")
    rest = [_described(one) for one in listed if one != found[0]]
    if inner or not rest:
        return found[0], ()
    told = f"{path}, table {found[0].name!r}: the other tables are not read: {', '.join(rest)}"
    return found[0], (f"{told} (name one as FILE#TABLE)",)


def _described(one: Listed) -> str:
    return f"{one.name} ({one.computed})" if one.computed else one.name


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


# ── SQLite ───────────────────────────────────────────────────────────────────────────────────────


#: What a statement may do that reads: not attach a file, nor ask for settings or for the path.
_READING: Final = {
    sqlite3.SQLITE_SELECT: None,
    sqlite3.SQLITE_READ: None,
    sqlite3.SQLITE_FUNCTION: None,
    sqlite3.SQLITE_RECURSIVE: None,
    sqlite3.SQLITE_PRAGMA: "table_xinfo",
}

#: How SQLite itself begins the text of what is called so, and what that is.
_DEFINED: Final = {"CREATE TABLE ": "", "CREATE VIEW ": "view", "CREATE VIRTUAL TABLE ": "virtual table"}

#: The mark of a generated column that is not stored, in `table_xinfo`.
_GENERATED: Final = 2

#: Letters of defaults, which stand for the cells of records that are older than their column. Longer ones would make
#: a small file large.
_DEFAULTS: Final = 1_000


class _SQLite(NamedTuple):
    """A SQLite file."""

    connection: sqlite3.Connection

    @classmethod
    def opened(cls, place: str) -> _SQLite:
        """The file, as it lies there: without locks, and without the files that SQLite would make beside it."""
        base = sqlite3.connect(f"file:{quote(place)}?mode=ro&immutable=1", uri=True)
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
            base.execute(f"PRAGMA {pragma}")
        base.set_authorizer(_authorized)
        return cls(base)

    def listed(self) -> list[Listed]:
        """Its tables and views, none of which is compiled: a view of views may take for ever."""
        told = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY rowid"
        found = self.connection.execute(told).fetchall()
        return [self._listed(name, sql) for kind, name, sql in found if kind not in {"index", "trigger"}]

    def _listed(self, name: str, sql: str) -> Listed:
        """One of them. SQLite goes by the text alone; what its other columns say may be another's.

        Raises:
            InputError: SQLite did not write that.
        """
        for start, kind in _DEFINED.items():
            if str(sql).startswith(tuple(f"{start}{form}" for form in _forms(str(name)))):
                return Listed(name, quoted(name), kind or self._computed(name))
        raise sqlite3.DatabaseError

    def _computed(self, name: str) -> str:
        """What a table is that has columns which are computed."""
        columns = self.connection.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
        defaults = sum(len(str(one[4])) for one in columns)
        if any(one[6] == _GENERATED for one in columns):
            return "table with a generated column"
        return "table with long defaults" if defaults > _DEFAULTS else ""

    def table(self, one: Listed, where: str) -> pl.DataFrame:
        """Its records."""
        return sqlite_table(self.connection, one.name, where)

    def refuse_large(self, one: Listed, path: str) -> None:
        """Refuse a table with more records than its file has bytes: some of its pages lead to the same ones.

        Raises:
            InputError: it has more.
        """
        size = Path(path).stat().st_size
        beyond = f"SELECT 1 FROM {one.sql} LIMIT 1 OFFSET {size}"  # noqa: S608  a name that the database has, quoted
        if self.connection.execute(beyond).fetchall():
            raise InputError("the SQLite file is damaged: fewer bytes than records", where=path)


def _authorized(action: int, first: str | None, *_: object) -> int:
    due = _READING.get(action, "")
    return sqlite3.SQLITE_OK if due is None or due == first else sqlite3.SQLITE_DENY


def _forms(name: str) -> Iterator[str]:
    """How a name may stand in a statement: bare before what cannot go on a name, or in quotes."""
    yield from (name + after for after in " (\t\n\r\f/-")
    yield from (f"{mark}{name.replace(mark, mark * 2)}{mark}" for mark in "\"'`")
    yield f"[{name}]"


def sqlite_table(base: sqlite3.Connection, name: str, where: str) -> pl.DataFrame:
    """A table in the order of its records: SQLite has no types of columns, only of cells."""
    declared = {one[1]: one[2].upper() for one in base.execute(f"PRAGMA table_xinfo({quoted(name)})")}
    found = base.execute(f"SELECT * FROM {quoted(name)}")  # noqa: S608  a name that the database itself has, quoted
    names = [column[0] for column in found.description]
    from kohort.io.typed import check_names  # noqa: PLC0415  it reads what is read here

    checked = check_names(names, where)
    cells: Iterable[Sequence[Any]] = list(zip(*found, strict=True)) or [()] * len(names)
    return pl.DataFrame(
        [
            _sqlite_column(new, values, declared.get(old, ""))
            for new, old, values in zip(checked, names, cells, strict=True)
        ]
    )


def _sqlite_column(name: str, cells: Sequence[Any], declared: str) -> pl.Series:
    """A column with the type of all of its cells; text where they have several."""
    kinds: set[type] = {type(cell) for cell in cells if cell is not None}
    if bytes in kinds:
        return pl.Series(name, [None], pl.Binary).new_from_index(0, len(cells))  # which no release can hold
    if kinds == {int} and declared == "BOOLEAN" and {*cells} <= {0, 1, None}:
        return pl.Series(name, [None if cell is None else bool(cell) for cell in cells], dtype=pl.Boolean)
    if len(kinds) <= 1:
        dtype = pl.Int64() if kinds == {int} else pl.Float64() if kinds == {float} else pl.String()
        series = pl.Series(name, cells, dtype=dtype)
        return from_text(series, _DATES[declared]) if dtype == pl.String and declared in _DATES else series
    texts = [as_text(pl.Series([cell])).item() if isinstance(cell, float) else cell for cell in cells]
    return pl.Series(name, [None if cell is None else str(cell) for cell in texts], dtype=pl.String)


def pack_sqlite(frame: pl.DataFrame, labels: Mapping[str, Labels], form: FileFormat) -> bytes:
    """A SQLite file of one table; dates and times are ISO text there, which sorts as they do."""
    del labels, form  # a database holds what stands for a code, not the code
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
    if not _is_sqlite(dtype):
        return next((name for name, kind in _DATES.items() if kind.base_type() == dtype.base_type()), "TEXT")
    return "BOOLEAN" if dtype == pl.Boolean else "INTEGER" if dtype.is_integer() else "REAL"


def _is_sqlite(dtype: pl.DataType) -> bool:
    return (
        dtype == pl.Boolean
        or dtype.is_float()
        or (dtype.is_integer() and not isinstance(dtype, pl.UInt64 | pl.Int128 | pl.UInt128))
    )


def unpack_sqlite(written: bytes, form: FileFormat) -> pl.DataFrame:
    """The table in a SQLite file that `pack_sqlite` made."""
    del form
    with closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(written)
        _refuse_others([one.name for one in _SQLite(base).listed()])
        return sqlite_table(base, TABLE, "the release")


def _refuse_others(names: Sequence[str]) -> None:
    if list(names) != [TABLE]:
        raise InputError(f"the database holds {len(names)} tables and views, and one is due", where="the release")


# ── DuckDB ───────────────────────────────────────────────────────────────────────────────────────

#: How DuckDB is set to fetch and load no libraries, to look for no secrets, and to take no name of a table for one of
#: Python's variables.
OFFLINE: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
}

#: And where it opens a database that somebody else may have made, to reach no other file, and not to be set otherwise.
#: What does not fit into memory is not written beside the file.
SHUT: Final = {**OFFLINE, "enable_external_access": "false", "temp_directory": "", "lock_configuration": "true"}

#: The tables and views of a database. What there is besides of tables lies in the file.
_LISTED: Final = """
    SELECT schema_name, table_name, CASE WHEN sql LIKE '%GENERATED ALWAYS AS%' THEN 'table with a generated column' END
    FROM duckdb_tables() WHERE database_name = current_database() AND NOT internal
    UNION ALL SELECT schema_name, view_name, 'view'
    FROM duckdb_views() WHERE database_name = current_database() AND NOT internal
    ORDER BY schema_name <> 'main', schema_name, table_name
"""

#: What tells of this machine rather than of the file, in the text of a view or macro.
_TELLING: Final = r"\b(duckdb_|pragma_|pg_|sqlite_)\w+|\b(current_setting|getvariable|getenv|which_secret)\b"

#: What runs a text as a statement, which could be put together so that it does not stand there.
_RUNNING: Final = r"\b(query|query_table|json_execute_serialized_sql)\W*\("

#: The texts of what a database computes.
_TEXTS: Final = """
    SELECT sql FROM duckdb_views() WHERE NOT internal
    UNION ALL SELECT sql FROM duckdb_tables() WHERE sql LIKE '%GENERATED ALWAYS AS%'
    UNION ALL SELECT macro_definition FROM duckdb_functions() WHERE NOT internal
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


class _DuckDB(NamedTuple):
    """A DuckDB file."""

    connection: Any

    def listed(self) -> list[Listed]:
        """Its tables and views."""
        found = self.connection.execute(_LISTED).fetchall()
        return [
            Listed(one if schema == "main" else f"{schema}.{one}", f"{quoted(schema)}.{quoted(one)}", kind or "")
            for schema, one, kind in found
        ]

    def table(self, one: Listed, where: str) -> pl.DataFrame:
        """Its records.

        Raises:
            InputError: it asks for what is not in the file.
        """
        texts = "\n".join(text or "" for (text,) in self.connection.execute(_TEXTS).fetchall()) if one.computed else ""
        if re.search(f"{_TELLING}|{_RUNNING}", texts, re.IGNORECASE):
            what = "the view depends on the settings of the program that reads it"
            raise InputError(what, where=where, hint="copy the view into a table")
        return duckdb_table(self.connection, one.sql)

    def refuse_large(self, one: Listed, path: str) -> None:
        """Refuse a table that takes much more room in memory than in its file.

        Raises:
            LimitError: it does.
        """
        found = self.connection.sql(f"SELECT * FROM {one.sql} LIMIT 0")  # noqa: S608  a name that it has, quoted
        texts = [name for name, kind in zip(found.columns, found.types, strict=True) if str(kind) == "VARCHAR"]
        sums = " + ".join(["0", *(f"coalesce(sum(strlen({quoted(name)})), 0)" for name in texts)])
        counted = f"SELECT count(*) * {_CELL * len(found.columns)} + {sums} FROM {one.sql}"  # noqa: S608  as above
        size = int(self.connection.execute(counted).fetchall()[0][0])
        if size > max(_RATIO * Path(path).stat().st_size, _HARMLESS):
            what = f"the table takes some {size:,} bytes of memory, more than {_RATIO} per byte of the file"
            raise LimitError(what, where=f"{path}, table {one.name!r}", hint="write it to a Parquet or CSV file")


#: Bytes of a cell in memory, besides those of a text; how many may come of one in the file: columns of few values take
#: a bit each; and the size of a table that does no harm however small its file is.
_CELL, _RATIO, _HARMLESS = 8, 100, 1 << 27


def duckdb_table(base: Any, name: str) -> pl.DataFrame:  # noqa: ANN401  DuckDB's own class
    """A table in the order of its records, by its name as SQL has it."""
    found = base.sql(f"SELECT * FROM {name}").to_arrow_table()  # noqa: S608  a name that it has, quoted
    return pl.DataFrame([of_arrow(name, array) for name, array in zip(found.column_names, found.columns, strict=True)])


def pack_duckdb(frame: pl.DataFrame, labels: Mapping[str, Labels], form: FileFormat) -> bytes:
    """A DuckDB file of one table, made in a private folder."""
    del labels  # as above
    duckdb = form.library("duckdb")
    with TemporaryDirectory(prefix="kohort-") as folder:
        path = Path(folder, "release.duckdb")
        try:
            with closing(duckdb.connect(str(path))) as base:
                base.register("cells", frame)
                base.execute(f"CREATE TABLE {TABLE} AS SELECT * FROM cells")  # noqa: S608  constants
                base.execute("CHECKPOINT")  # to close it would do the same, and not say what the disk refuses
        except (duckdb.IOException, duckdb.FatalException):
            raise FileError("DuckDB could not be written: the disk is full", hint=NO_ROOM) from None
        return path.read_bytes()


def unpack_duckdb(written: bytes, form: FileFormat) -> pl.DataFrame:
    """The table in a DuckDB file that `pack_duckdb` made."""
    duckdb = form.library("duckdb")
    with TemporaryDirectory(prefix="kohort-") as folder:
        path = Path(folder, "release.duckdb")
        path.write_bytes(written)
        with closing(duckdb.connect(str(path), read_only=True, config=SHUT)) as base:
            _refuse_others([name for (name,) in base.execute(_CATALOG).fetchall()])
            return duckdb_table(base, quoted(TABLE))


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
    postgres_ = driver(uri)
    try:
        with closing(postgres_.connect(uri)) as base, closing(base.cursor()) as cursor:
            name = ".".join(map(quoted, table.split(".", 1)))
            cursor.execute(f"SELECT * FROM {name}")  # noqa: S608  the user's own name, quoted
            return Content(pl.DataFrame(cursor.fetch_arrow()))
    except postgres_.Error as error:
        what = f"the database cannot be read ({type(error).__name__})"
        raise InputError(what, where=where, hint="check the address, the password and the table") from None


#: What an address of Postgres may not ask of the library that speaks with the server: to read passwords from a file of
#: its choice, to write the secrets of the connection to one, or to load a library for its key.
_FILES: Final = r"[?&](service(?:file)?|passfile|sslkeylogfile)=|[?&](sslkey)=\w+:[^\\/]"


def driver(uri: str) -> Any:  # noqa: ANN401  a module that may be absent
    """The library that speaks with Postgres, for an address that sends it to no other file.

    Raises:
        InputError: the address names such a file.
        MissingExtraError: the library is not installed.
    """
    if named := re.search(_FILES, unquote(uri), re.IGNORECASE):
        what = f"the address asks for {named[1] or named[2]}, which reads files or libraries of this machine"
        raise InputError(what, where=shown(uri), hint="remove that part; passwords belong in PGPASSWORD or ~/.pgpass")
    return import_optional("adbc_driver_postgresql.dbapi", "for Postgres", "postgres", called="adbc-driver-postgresql")


def shown(uri: str) -> str:
    """An address without its password.

    >>> shown("postgresql://ada:secret@localhost:5432/clinic#stays")
    'postgresql://ada@localhost:5432/clinic#stays'
    """
    parts = urlsplit(uri)
    host = parts.netloc.rpartition("@")[2]
    user = f"{parts.username}@" if parts.username else ""
    return parts._replace(netloc=f"{user}{host}", query="").geturl()
