"""Spark: its own words in SQL, on a session of ours or of somebody else.

Names and texts go into statements as hexadecimal digits: so it makes no difference whether a session tells capital
letters from small ones, replaces `${…}` or reads a backslash as one. Records are counted, joined, ordered and written
by Spark's own expressions: they never pass through Python where they lie.

Lines are written by the workers into a folder that this process sees, in Spark's own pieces. Here they become the file
or the parts that are asked for, each with its header.
"""

from __future__ import annotations

import logging
import warnings
import weakref
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

from kohort.errors import FileError, InputError, LimitError, SourceNote
from kohort.publish.files import private_folder
from kohort.sql.relation import unused
from kohort.sql.spark_session import PATIENCE, Cluster, part, session_of
from kohort.sql.written import cut
from kohort.verify.verdict import UNENCRYPTED

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from kohort.arrays import Counts
    from kohort.io.options import ReadOptions
    from kohort.sql import queries
    from kohort.sql.relation import Relation

#: Small tables up to so many bytes are sent to every worker, so that records need not move to be joined. There they
#: take some five times as much: of hashes and classes that is four million tuples in 300 MB.
_SENT: Final = 64 << 20

#: Parts of Spark's memory of which such a table may be one: several are there at the same time, five times as large.
_SENT_PART: Final = 64

#: How many pieces' records a class may have for all to be divided by classes.
_LOPSIDED: Final = 2

#: Of how many records one must differ at the most for those that are alike to be counted before they are moved.
_FEW: Final = 3

#: Numbers tried for each piece: so hardly any piece has none, and one without is not used.
_TRIED: Final = 16

#: Rows of a large answer that are fetched together.
_FETCHED: Final = 1 << 16

#: Whether what workers put on their disks is encrypted.
_ENCRYPTION: Final = "spark.io.encryption.enabled"

#: The logger by which PySpark prints what failed, with the cells in it.
_QUOTING: Final = "SQLQueryContextLogger"

#: Conditions of Spark by which too little memory shows.
_MEMORY: Final = ("OutOfMemory", "Not enough memory", "maxResultSize", "bigger than spark.driver")

#: Types of polars, and what they are called in a schema of Spark.
_TYPES: Final[dict[object, str]] = {
    pl.Boolean: "boolean",
    pl.Date: "date",
    pl.Float32: "float",
    pl.Float64: "double",
    pl.Int8: "tinyint",
    pl.Int16: "smallint",
    pl.Int32: "int",
    pl.Int64: "bigint",
    pl.String: "string",
    pl.Time: "time(6)",
}


@dataclass(slots=True, eq=False, weakref_slot=True)
class Spark:
    """A session of Spark."""

    session: Any
    own: bool = False
    grouping_sets: bool = True
    _views: list[str] = field(default_factory=list[str], init=False)
    _sent: set[str] = field(default_factory=set[str], init=False)

    def __post_init__(self) -> None:
        """Let go of small tables with this object, and say what is not encrypted."""
        weakref.finalize(self, _forget, self.session, self._views)
        if not self.encrypted:
            what = f"this Spark session writes records to disk unencrypted ({_ENCRYPTION} is not set)"
            warnings.warn(SourceNote(what), stacklevel=4)

    @classmethod
    def opened(cls, asked: Cluster) -> Spark:
        """A session of our own; see `session_of` for what it raises."""
        return cls(session_of(asked), own=True)

    @property
    def encrypted(self) -> bool:
        """Whether what the workers put on their disks is encrypted."""
        return str(self.session.conf.get(_ENCRYPTION, "false")).lower() == "true"

    @property
    def title(self) -> str:
        """Spark and its version."""
        return f"Spark {self.session.version}" + ("" if self.encrypted else UNENCRYPTED)

    def relation(self, source: object, options: ReadOptions, limit: int | None) -> Relation:
        """The records of a source."""
        from kohort.sql.spark_sources import relation  # noqa: PLC0415  it knows this class

        return relation(self, source, options, limit)

    def quoted(self, name: str) -> str:
        """A name as its bytes, in hexadecimal digits."""
        return f"`{column(name)}`"

    def literal(self, text: str) -> str:
        """A text as its bytes, in hexadecimal digits."""
        return f"CAST(X'{text.encode().hex()}' AS STRING)"

    def hashed(self, text: str) -> str:
        """The first 16 digits of the MD5, as a decimal number."""
        return f"CAST(conv(substr(md5({text}), 1, 16), 16, 10) AS DECIMAL(28, 0))"

    def number(self, cells: Sequence[str]) -> str:
        """By XXH64, which passes over nulls."""
        return f"xxhash64({', '.join(f'coalesce({cell}, chr(0))' for cell in cells)})"

    def different(self, cells: Sequence[str]) -> str:
        """By HyperLogLog over a hash of the cells."""
        return f"approx_count_distinct({self.number(cells)})"

    def matches(self, text: str, pattern: str) -> str:
        r"""By Java's expressions, in which `$` would also stand before a last line end, and `\z` does not."""
        whole = f"{pattern[:-1]}\\z" if pattern.endswith("$") else pattern
        return f"regexp_like({text}, {self.literal(whole)})"

    def run(self, sql: str) -> pl.DataFrame:
        """The answer to a query."""
        with self.reporting():
            return pl.DataFrame(self.session.sql(sql).toArrow())

    def stream(self, sql: str) -> Iterator[pl.DataFrame]:
        """Partition by partition, as rows of Python: slower than lines, which the workers write."""
        with self.reporting():
            answer = self.session.sql(sql)
            names, rows = answer.columns, answer.toLocalIterator()
            while some := [tuple(row) for row in islice(rows, _FETCHED)]:
                yield pl.DataFrame(some, schema=dict.fromkeys(names, pl.String), orient="row")

    def give(self, frame: pl.DataFrame) -> str:
        """As a view of the frame."""
        name = unused()
        schema = ", ".join(f"`{one}` {_type(dtype)}" for one, dtype in frame.schema.items())
        with self.reporting():
            typed = part("sql.types").StructType.fromDDL(schema)
            made = self.session.createDataFrame(frame.to_arrow(), schema=typed)
            if frame.estimated_size() <= min(_SENT, self._memory // _SENT_PART):
                made = made.hint("broadcast")
                self._sent.add(name)
            return self.show(made, name)

    def show(self, frame: Any, name: str = "") -> str:  # noqa: ANN401  PySpark's own class
        """What the view is called that stands for a frame of this session."""
        frame.createOrReplaceTempView(name := name or unused())
        self._views.append(name)
        return name

    def keep(self, of: str | pl.DataFrame, near: str = "") -> str:
        """On the disks of the workers, who make it anew where one of them is lost: so the session keeps a frame.

        Each worker orders what it has: of some thousand rows each, Spark knows the least and the greatest number.
        """
        if not isinstance(of, str):
            return self.give(of)
        with self.reporting():
            name = self.show(self.session.sql(f"SELECT * FROM ({of}) SORT BY {near}" if near else of))  # noqa: S608  names of ours
            self.session.catalog.cacheTable(name, part("storagelevel").StorageLevel.DISK_ONLY)
            self.session.table(name).count()
        return name

    def once(self, query: str) -> str:
        """As a view: Spark puts to disk whatever it has to."""
        with self.reporting():
            return self.show(self.session.sql(query))

    def forget(self, name: str) -> None:
        """By the session."""
        with suppress(Exception):  # it may have stopped
            self.session.catalog.uncacheTable(name)
            self.session.catalog.dropTempView(name)
            self._views.remove(name)

    def in_order(self, lines: queries.Lines) -> str:
        """Class by class in pieces of one size, each ordered by itself, where no class is much larger than a piece.

        ORDER BY would find all records twice: once to see how keys are spread, which the sizes tell. Labels that every
        worker has are put to the records where these are ordered, so that they are not moved with them. Where many
        records are alike, these are counted, moved and ordered as one, and then written as often as there are records.
        """
        ends = self._ends(lines.sizes)
        if not ends:
            return lines.at_once
        divided, by = f"/*+ REPARTITION({self._pieces}, piece) */", ", ".join(lines.names)
        few = lines.different * _FEW <= int(lines.sizes.sum())
        also = ", n" * few
        piece, line = f"{_piece('k0', ends)} AS piece", f"{lines.line} AS line"
        keyed = lines.counted if few else lines.keyed
        if lines.labels in self._sent:
            moved = lines.labelled(f"SELECT {divided} *, {piece} FROM ({keyed})")  # noqa: S608  of quoted names and numbers
            found = f"SELECT {line}, {by}{also} FROM {moved}"  # noqa: S608  as above
        else:
            found = f"SELECT {divided} {line}, {by}{also}, {piece} FROM {lines.labelled(keyed)}"  # noqa: S608  as above
        in_order = f"SELECT line{also} FROM ({found}) SORT BY {by}"  # noqa: S608  as above
        return f"SELECT line FROM ({in_order}) LATERAL VIEW explode(sequence(1, n)) AS i" if few else in_order  # noqa: S608  as above

    def _ends(self, sizes: Counts) -> list[tuple[int, int]]:
        """The last class of each piece, and a number by which Spark puts it after the piece before.

        Spark says to which piece it takes a number; pieces are written in their own order.
        """
        records = int(sizes.sum())
        if not records or int(sizes.max()) * self._pieces > _LOPSIDED * records:
            return []
        tried = f"CAST(id AS INT) AS n FROM range({_TRIED * self._pieces})"
        taken = f"SELECT /*+ REPARTITION({self._pieces}, n) */ {tried}"
        found = self.run(f"SELECT spark_partition_id() AS piece, min(n) AS n FROM ({taken}) GROUP BY 1").sort("piece")  # noqa: S608  numbers
        middles = np.cumsum(sizes) - sizes / 2
        piece = (middles * (found.height / records)).astype(np.int64)
        last = np.flatnonzero(np.append(np.diff(piece), 1))
        return [*zip((last + 1).tolist(), found["n"].gather(piece[last]).to_list(), strict=True)]

    @property
    def _memory(self) -> int:
        java: Any = self.session.sparkContext._jvm  # noqa: SLF001  nothing else tells
        return int(java.java.lang.Runtime.getRuntime().maxMemory())

    @property
    def _pieces(self) -> int:
        return int(self.session.conf.get("spark.sql.shuffle.partitions"))

    def write(self, sql: str, header: str, files: Sequence[tuple[Path, int | None]]) -> None:
        """By the workers, and from their pieces to the files."""
        with self._lines(sql, files[0][0].resolve().parent) as pieces:
            cut(pieces, header, files)

    @contextmanager
    def _lines(self, sql: str, near: Path) -> Generator[list[Path]]:
        with private_folder(near) as folder:
            with self.reporting():
                lines = self.session.sql(sql).write.option("compression", "none").option("lineSep", "\n")
                lines.text(f"file://{folder}/lines")
            yield sorted((folder / "lines").glob("part-*"))

    @contextmanager
    def reporting(self) -> Generator[None]:
        """Turn what Spark refuses into errors of kohort, without the text of its messages, which may quote cells.

        Raises:
            LimitError: it has too little memory.
            InputError: it cannot read the records.
            FileError: anything else, such as that all workers are gone.
        """
        logger = logging.getLogger(_QUOTING)
        before, logger.disabled = logger.disabled, True
        lost = Event()
        try:
            with self._watched(lost):
                yield
        except _failures() as error:
            raise self._told(error, lost=lost) from None
        finally:
            logger.disabled = before

    def _told(self, error: Exception, *, lost: Event) -> LimitError | InputError | FileError:
        if lost.is_set():
            what = f"no Spark worker was available for {self._patience} seconds"
            hint = "start workers, or name another cluster (--master)"
            return FileError(what, where=self.session.sparkContext.master, hint=hint)
        reason = _reason(error)
        if any(sign in f"{reason} {error}" for sign in _MEMORY):
            hint = "allow more: --memory-limit, or --spark-conf spark.driver.memory=8g, spark.executor.memory=8g"
            return LimitError("Spark has too little memory", where="memory-limit", hint=hint)
        if type(error).__name__ in {"AnalysisException", "ParseException"}:
            hint = "run without the engine: kohort then names the place"
            return InputError(f"Spark cannot read the records ({reason})", hint=hint)
        return FileError(f"Spark's job failed ({reason})", hint="nothing was published; Spark's own log says more")

    @property
    def _patience(self) -> int:
        return int(_java(self.session).conf().getTimeAsSeconds(*PATIENCE))

    @contextmanager
    def _watched(self, lost: Event) -> Generator[None]:
        """Cancel the work on a cluster that has lost all its workers, and say so."""
        done = Event()
        if not self.own or self.session.sparkContext.master.startswith("local"):
            yield
            return
        guard = Thread(target=self._guard, args=(lost, done), daemon=True)
        guard.start()
        try:
            yield
        finally:
            done.set()
            guard.join()

    def _guard(self, lost: Event, done: Event) -> None:
        """Wait until the work is done; give up once there was nobody to do it for long enough."""
        context, alone = self.session.sparkContext, 0
        patience = self._patience
        while not done.wait(1):
            with suppress(Exception):  # Java may be gone: then the work fails by itself
                alone = alone + 1 if _java(self.session).getExecutorMemoryStatus().size() <= 1 else 0
            if alone >= patience:
                lost.set()
                context.cancelAllJobs()
                return


def column(name: str) -> str:
    """What a column is called in statements.

    >>> column("a`b")
    'c_616062'
    """
    return f"c_{name.encode().hex()}"


def _piece(class_: str, ends: Sequence[tuple[int, int]]) -> str:
    """The number of a class's piece, by the last class of each.

    >>> _piece("c", [(7, 0), (9, 4), (12, 2)])
    'CASE WHEN c <= 7 THEN 0 ELSE CASE WHEN c <= 9 THEN 4 ELSE 2 END END'
    """
    if len(ends) == 1:
        return str(ends[0][1])
    half = len(ends) // 2
    lower, upper = _piece(class_, ends[:half]), _piece(class_, ends[half:])
    return f"CASE WHEN {class_} <= {ends[half - 1][0]} THEN {lower} ELSE {upper} END"


def _type(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Datetime):
        return "timestamp" if dtype.time_zone else "timestamp_ntz"
    if isinstance(dtype, pl.Decimal):
        return f"decimal({dtype.precision}, {dtype.scale})"
    return _TYPES[dtype.base_type()]


def _failures() -> tuple[type[Exception], ...]:
    return part("errors").PySparkException, import_module("py4j.protocol").Py4JError, ConnectionError


def _reason(error: Exception) -> str:
    """Why something failed: the condition or the class of the error, which hold no cell."""
    condition = getattr(error, "getCondition", lambda: None)()
    if condition:
        return str(condition)
    raised = getattr(error, "java_exception", None)
    with suppress(Exception):  # Java may be gone
        while raised is not None and raised.getCause() is not None:
            raised = raised.getCause()
        if raised is not None:
            return str(raised.getClass().getSimpleName())
    return type(error).__name__


def _java(session: Any) -> Any:  # noqa: ANN401  as above
    return session.sparkContext._jsc.sc()  # noqa: SLF001  Python is told neither workers nor times


def _forget(session: Any, views: Sequence[str]) -> None:  # noqa: ANN401  as above
    with suppress(Exception):  # the session may have stopped
        for name in views:
            session.catalog.dropTempView(name)
