"""DuckDB: its own words in SQL, and the sources that it reads, with the types that the local engine gives them."""

from __future__ import annotations

import os
import re
import warnings
import weakref
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile, copyfileobj
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, Final, cast

import polars as pl

from kohort import system
from kohort.errors import FileError, InputError, LimitError, SourceNote, UnsupportedError
from kohort.io import source as files
from kohort.io.databases import OFFLINE, chosen, opened, quoted, refuse_beside, view
from kohort.io.folders import parts_of
from kohort.io.forms import FORMATS, is_address, is_store, located
from kohort.io.header import lay_out
from kohort.io.source import LF, Text, line_of
from kohort.io.text import records_in
from kohort.io.typed import scanned
from kohort.publish.files import open_private, remove_private
from kohort.sql import queries
from kohort.sql.relation import unused
from kohort.sql.sources import Source, refuse_altered_text, relation_of
from kohort.system.workspace import blocks

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from kohort.io.options import ReadOptions
    from kohort.io.records import RecordLayout
    from kohort.sql.relation import Relation

#: What is told where a source cannot be read here.
_READ: Final = "the engine duckdb reads CSV, TSV, Parquet, folders of Parquet and .duckdb files; leave the engine out"

#: Rows that are fetched at once.
_FETCHED: Final = 1 << 17

#: Records whose texts are put together at once: some 300 MB. Of a limit, a kilobyte for each, since much else is kept.
_LISTED: Final = 1 << 21
_EACH_LISTED: Final = 1 << 10

#: How a database of our own spills: scrambled by the cipher that is built in, whose keys the makers of DuckDB do not
#: call secure. The other one would have to be fetched from the network: nothing is.
_CONFIG: Final[dict[str, Any]] = {**OFFLINE, "temp_file_encryption": True, "force_mbedtls_unsafe": True}

#: Threads by default.
_THREADS: Final = system.cores()

#: Bytes of memory that a thread needs to group, join and sort what is put to disk, at least: what DuckDB's makers say.
_EACH_THREAD: Final = 125_000_000


@dataclass(slots=True, eq=False, weakref_slot=True)
class DuckDB:
    """A connection to DuckDB.

    Attributes:
        connection: It.
        own: The folder for what does not fit into memory, if it is nobody else's: then sources are files.
        shut: Whether it reads no further files than those in its folder.
        listed_at_once: Records whose texts it has room to put together.
        grouping_sets: See `kohort.sql.queries.Dialect`.
    """

    connection: Any
    own: Path | None = None
    shut: bool = False
    listed_at_once: int = _LISTED
    grouping_sets: bool = True

    @classmethod
    def opened(cls, limit: int | None, folder: Path | None) -> DuckDB:
        """A database of its own: in memory and, what does not fit, scrambled in a folder that is gone with it.

        What runs that were killed left in the folder goes first.

        Raises:
            MissingExtraError: DuckDB is not installed.
            FileError: there is no such folder, or it cannot be written.
        """
        module, parent = _module(), folder or Path(gettempdir())
        spill, fd = open_private(parent)
        config: dict[str, Any] = _CONFIG | {"temp_directory": str(spill), "threads": _THREADS}
        if limit is not None:
            config["memory_limit"] = f"{limit // 2}B"  # the rest is for the search
            config["threads"] = min(max(limit // 2 // _EACH_THREAD, 1), _THREADS)
        listed = _LISTED if limit is None else min(limit // _EACH_LISTED, _LISTED)
        made = cls(module.connect(config=config), own=spill, listed_at_once=listed)
        made.connection.execute("SET enable_progress_bar = false")  # it goes to standard output
        weakref.finalize(made, remove_private, spill, fd)
        return made

    @property
    def title(self) -> str:
        """DuckDB and its version."""
        return f"DuckDB {_module().__version__}"

    def relation(self, source: object, options: ReadOptions, limit: int | None) -> Relation:
        """The records of a source, checked as the local engine checks them."""
        refuse_altered_text(options, "duckdb")
        found = _found(self, source, options)
        there = self.run(f"SELECT * FROM {found.sql} {queries.RECORDS} LIMIT 0").schema  # noqa: S608  quoted names and paths
        return relation_of(self, found, there, options, limit)

    def quoted(self, name: str) -> str:
        """A name in double quotes."""
        return quoted(name)

    def literal(self, text: str) -> str:
        """A text in single quotes."""
        return "'" + text.replace("'", "''") + "'"

    def hashed(self, text: str) -> str:
        """The first 16 digits of the MD5, as a number of 128 bits."""
        return f"('0x' || substr(md5({text}), 1, 16))::UBIGINT::HUGEINT"

    def number(self, cells: Sequence[str]) -> str:
        """By the hash that DuckDB groups by."""
        return f"hash({', '.join(cells)})"

    def different(self, cells: Sequence[str]) -> str:
        """By HyperLogLog; a tuple with nulls counts, too."""
        return f"approx_count_distinct(({', '.join(cells)}, 0))"

    def matches(self, text: str, pattern: str) -> str:
        """By RE2."""
        return f"regexp_matches({text}, {self.literal(pattern)})"

    def run(self, sql: str) -> pl.DataFrame:
        """The answer to a query."""
        with reporting():
            return pl.DataFrame(self.connection.sql(sql).to_arrow_table())

    def give(self, frame: pl.DataFrame) -> str:
        """As a view of the frame."""
        with reporting():
            self.connection.register(name := unused(), frame.to_arrow())
        return name

    def listed(self, text: str, separator: str, by: str) -> str:
        """By sorting a list, which takes less time and memory than string_agg with ORDER BY."""
        sorted_ = f"list_sort(list({{'by': {by}, 'text': {text}}}))"
        return f"array_to_string([x.text FOR x IN {sorted_}], {self.literal(separator)})"

    def share(self, cell: str, records: int) -> tuple[str, int]:
        """One of several: DuckDB puts to disk what it joins and sorts, but no text while it is put together."""
        many = -(-records // self.listed_at_once) or 1
        return f"CAST(hash({cell}) % {many} AS INTEGER)", many

    def keep(self, of: str | pl.DataFrame, near: str = "") -> str:
        """As a temporary table in the order of a column, of which the least and greatest of each group are known."""
        given, name = "" if isinstance(of, str) else self.give(of), unused()
        query = f"SELECT * FROM {given or f'({of})'}" if given or near else of  # noqa: S608  a name of ours
        order = f" ORDER BY {near} NULLS FIRST" if near else ""
        with reporting():
            self.connection.execute(f"CREATE TEMPORARY TABLE {name} AS {query}{order}")
        if given:
            self.forget(given)
        return name

    def once(self, query: str) -> str:
        """As a temporary table: with little memory there is room to group, to join or to sort, but not for all."""
        return self.keep(query)

    def forget(self, name: str) -> None:
        """Drop the table, or the view of a frame."""
        with suppress(_module().Error):  # the connection may be closed
            self.connection.unregister(name)
            self.connection.execute(f"DROP TABLE IF EXISTS {name}")

    def attached(self, path: Path) -> str:
        """The name of a database file that somebody else may have made; from now on no other file is reached.

        What it computes is read elsewhere (`kohort.io.databases`), so none of its statements runs here. Should one all
        the same, it finds only the file itself and the folder of this run: there DuckDB puts what does not fit into
        memory, and the lines that it writes.
        """
        name, reached = unused(), self.reached(path)
        with reporting():
            if not self.shut:
                self.connection.execute(f"SET allowed_directories = [{self.literal(f'{self.own}/')}]")
                both = ", ".join(
                    self.literal(reached + end) for end in ("", ".wal")
                )  # it looks whether the second is there
                self.connection.execute(f"SET allowed_paths = [{both}]")
                self.connection.execute("SET enable_external_access = false")
                self.connection.execute("SET lock_configuration = true")
                self.shut = True
            self.connection.execute(f"ATTACH {self.literal(reached)} AS {name} (TYPE duckdb, READ_ONLY)")
        return name

    def reached(self, path: Path) -> str:
        """Where a file is that is to be read: in the folder of this run, where no other is read any more."""
        if not self.own or not self.shut:
            return str(path.absolute())  # else DuckDB takes `~` or `md:` for something else
        place = self.own / f"{unused()}{path.suffix}"
        try:
            system.link(place, path)
        except OSError:  # it lies on another disk
            copyfile(path, place)
        return str(place)

    def in_order(self, lines: queries.Lines) -> str:
        """All at once."""
        return lines.at_once

    def write(self, sql: str, header: str, files: Sequence[tuple[Path, int | None]]) -> None:
        """Several by a table of the lines, which are ordered once."""
        if files[0][1] is None:
            self._copy(sql, header, files[0][0])
            return
        start = 0
        with self._kept(sql) as table:
            for path, records in files:
                self._copy(_rows(table, start, records or 0), header, path)
                start += records or 0

    def _copy(self, sql: str, header: str, path: Path) -> None:
        """By COPY without any quoting of its own."""
        named = f"SELECT line AS {self.quoted(header)} FROM ({sql}) l"  # noqa: S608  the header is quoted
        raw = "FORMAT csv, HEADER true, QUOTE '', ESCAPE '', DELIMITER ',', USE_TMP_FILE false"
        place = self.own / unused() if self.own and self.shut else path
        with reporting():
            self.connection.execute(f"COPY ({named}) TO {self.literal(str(place))} ({raw})")
            if place != path:
                with place.open("rb") as written, path.open("wb") as file:
                    copyfileobj(written, file)
                place.unlink()

    def stream(self, sql: str) -> Iterator[pl.DataFrame]:
        """By a table of the rows, too: what fails does so before the first one, in a way that can be told."""
        with self._kept(sql) as table:
            records = int(self.run(f"SELECT count(*) AS n FROM {table}")["n"].item())  # noqa: S608  a name of ours
            for some in blocks(records, _FETCHED):
                yield self.run(_rows(table, some.start, _FETCHED))

    @contextmanager
    def _kept(self, sql: str) -> Generator[str]:
        table = self.keep(sql)
        try:
            yield table
        finally:
            self.forget(table)


def _rows(table: str, start: int, records: int) -> str:
    inside = f"rowid >= {start} AND rowid < {start + records}"
    return f"SELECT * FROM {table} WHERE {inside} ORDER BY rowid"  # noqa: S608  a name of ours and numbers


def _module() -> Any:  # noqa: ANN401  a module that may be absent
    return FORMATS["duckdb"].library("duckdb")


@contextmanager
def reporting() -> Generator[None]:
    """Turn what DuckDB refuses into errors of kohort, without the text of its messages, which may quote cells.

    Raises:
        LimitError: it has too little memory.
        FileError: the system failed.
        InputError: anything else: what it reads is not as it should be.
    """
    module = _module()
    try:
        yield
    except module.OutOfMemoryException:
        hint = "allow more (--memory-limit), or make room in the spill folder"
        raise LimitError("DuckDB has too little memory", where="memory-limit", hint=hint) from None
    except (module.IOException, OSError) as error:
        raise FileError(f"DuckDB cannot read or write ({type(error).__name__})") from None
    except module.Error as error:
        hint = "run without the engine: kohort then names the place"
        raise InputError(f"DuckDB cannot read the records ({type(error).__name__})", hint=hint) from None


# ── sources ──────────────────────────────────────────────────────────────────────────────────────


def _found(base: DuckDB, source: object, options: ReadOptions) -> Source:
    if isinstance(source, str | os.PathLike):
        path = os.fsdecode(cast("str | os.PathLike[str]", source))
        if base.own is None:  # of a user's own connection
            return Source(path, base.quoted(path))
        return _named(base, path, options)
    if isinstance(source, pl.DataFrame):
        return Source("the frame", base.give(source), source.schema)
    if hasattr(source, "create_view"):  # a relation of this connection
        with reporting():
            made: Any = source
            made.create_view(name := unused())
        return Source("the relation", name)
    raise UnsupportedError(
        f"the engine duckdb reads no {type(source).__name__}",
        where="engine",
        hint="give a path, a polars DataFrame, or a relation with its connection: engine=connection",
    )


def _named(base: DuckDB, name: str, options: ReadOptions) -> Source:
    if name == "-" or is_address(name) or is_store(name):
        what = "standard input" if name == "-" else "a server"
        raise UnsupportedError(f"the engine duckdb does not read {what}", where="engine", hint=_READ)
    if os.path.isdir(name):  # noqa: PTH112  it does not raise where the system refuses to look
        return _folder(base, name)
    path, inner = located(name)
    files.state(path)
    content = files.mapped(path)
    foreign = files.foreign(path, content)
    if foreign is not None:
        if foreign.key != "duckdb":
            raise UnsupportedError(f"the engine duckdb reads no {foreign.title}", where=name, hint=_READ)
        return _stored(base, path, inner)
    form = files.form(path, content)
    if form == "Parquet":
        with Path(path).open("rb") as file, scanned(file, "Parquet", path) as lazy:
            return Source(path, _parquet(base, [Path(path)]), lazy.collect_schema())
    if form != "text":
        raise UnsupportedError(f"the engine duckdb reads no {form}", where=name, hint=_READ)
    return _text(base, Text.of(path, content), options)


def _text(base: DuckDB, text: Text, options: ReadOptions) -> Source:
    """Delimited text, every column of which is text.

    Kohort's own scanner divides it first, and keeps nothing: what it refuses is refused here, too, with the line.
    """
    layout = lay_out(text, options)
    records, notes = records_in(text, layout, options)
    source = _csv(base, text, layout, options)
    return Source(text.name, source, None, records, notes=notes, separator=chr(layout.separator))


def _csv(base: DuckDB, text: Text, layout: RecordLayout, options: ReadOptions) -> str:
    if layout.line_end != LF:
        what = "the engine duckdb does not read this text: its lines end in CR alone"
        raise UnsupportedError(what, where=text.name, hint=_READ)
    above = line_of(text.data, layout.body) - 1  # no name holds a line end
    quote = base.literal(chr(layout.quote) if layout.quote >= 0 else "")
    columns = ", ".join(f"{base.literal(name)}: 'VARCHAR'" for name in layout.names)
    filled = ", ".join(map(base.literal, layout.names))
    return (
        f"read_csv({_place(base, Path(text.name))}, auto_detect = false, header = false, skip = {above},"
        f" delim = {base.literal(chr(layout.separator))}, quote = {quote}, escape = {quote}, comment = '',"
        f" columns = {{{columns}}}, force_not_null = [{filled}], strict_mode = true,"
        f" max_line_size = {max(options.max_cell, 1 << 21)})"
    )


def _place(base: DuckDB, path: Path) -> str:
    """A file as DuckDB has it, which takes every name for a pattern of names."""
    return base.literal(re.sub(r"[\[*?]", r"[\g<0>]", base.reached(path)))


def _parquet(base: DuckDB, paths: Iterable[Path]) -> str:
    named = ", ".join(_place(base, path) for path in paths)
    return f"read_parquet([{named}], hive_partitioning = false)"


def _folder(base: DuckDB, path: str) -> Source:
    parts = parts_of(path)
    by_values: dict[tuple[tuple[str, str], ...], list[Path]] = {}
    for part in parts:
        by_values.setdefault(part.named, []).append(part.path)
    selects: list[str] = []
    for named, paths in by_values.items():
        more = "".join(f", {base.literal(value)} AS {base.quoted(name)}" for name, value in named)
        selects.append(f"SELECT *{more} FROM {_parquet(base, paths)}")  # noqa: S608  quoted names and paths
    return Source(path, f"({' UNION ALL '.join(selects)})", parts[0].frame.collect_schema())


def _stored(base: DuckDB, path: str, inner: str) -> Source:
    """A table of a DuckDB file. What is computed when it is read is so by another process, with its limits."""
    refuse_beside(path)
    with opened(path, "duckdb") as there:
        one, notes = chosen(path, there.listed(), inner)
        if not one.computed:
            there.refuse_large(one, path)
    for note in notes:
        warnings.warn(SourceNote(note), stacklevel=2)
    if one.computed:
        return Source(path, base.keep(view(path, "duckdb", one.name).frame))
    return Source(path, f"{base.attached(Path(path))}.{one.sql}")
