"""The file formats, each described once: a `FileFormat` says its name, its endings, its first bytes, its media type.

Delimited text, Parquet and Arrow are kohort's own business (`source`, `text`, `typed`, `write`). Every other format
names a module with three functions:

    read(path, inner, format)       the table of a file, each cell with its type, and what the file says besides
    pack(frame, labels, format)     the bytes of a file that holds the frame and nothing else
    unpack(bytes, format)           the table in such a file, by another reader than the writer's where there is one

The enumeration `Format` and what help, messages, metadata and documentation say of formats are derived from `FORMATS`:
another format is a module and an entry there, or an entry point of the group `kohort.formats` in another package.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from kohort.errors import InputError, UsageError
from kohort.specification import plugins
from kohort.system import import_optional

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from kohort.tables.table import Labels

#: First bytes of a zip file, which workbooks are.
_ZIP: Final = ((0, b"PK\x03\x04"),)


#: Versions of Stata's older files, which begin with the version and the order of bytes.
_STATA: Final = (*range(104, 106), 108, *range(110, 116))


@dataclass(frozen=True, slots=True)
class Content:
    """What a file of a format holds.

    Attributes:
        frame: Its table.
        labels: What it says of single columns.
        notes: What a reader of the table should know: which of several sheets it is, what was left out.
    """

    frame: pl.DataFrame
    labels: Mapping[str, Labels] = field(default_factory=dict[str, "Labels"])
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file format.

    Attributes:
        key: What it is called in a job; also the ending of its files.
        title: What it is called in sentences.
        module: The module that reads and writes it; empty for kohort's own.
        extra: The extra that brings its libraries: one of kohort's, or `package[extra]`; empty where none is needed.
        magic: Places in a file and the bytes that may stand there: one of them does. A format without is known by the
            ending alone.
        suffixes: Further endings of its files.
        inner: What a file can have several of, such as `sheet` or `table`; empty where it holds one table. Who reads
            sheets is also told how many rows to skip, and whether the next one has the names.
        written: Whether it is written, too.
        nulls: Whether a missing cell differs from the empty text.
        plain: Whether text in which every cell is a plain number is written as numbers, as its readers expect.
        labelled: Whether codes stand in it with their labels; else the labels alone.
        exact: Whether the same cells always give the same bytes.
        independent: What reads a written file back, where it is another library than the one that wrote it.
        media: Its media type.
        separator: Between the cells of a text that has always the same.
        packing: How a text is packed: `gz`, `zst`, or not at all.
        by_engines: Whether an engine writes it, too.
        in_parts: Whether a release can be a folder of such files.
        confined: Whether another process with limits reads its files: see `kohort.io.confined`.
        too_large: What to do where that takes too much.
    """

    key: str
    title: str
    module: str = ""
    extra: str = ""
    magic: tuple[tuple[int, bytes], ...] = ()
    suffixes: tuple[str, ...] = ()
    inner: str = ""
    written: bool = True
    nulls: bool = False
    plain: bool = False
    labelled: bool = False
    exact: bool = True
    independent: str = ""
    media: str = "application/octet-stream"
    separator: str = ""
    packing: str = ""
    by_engines: bool = False
    in_parts: bool = False
    confined: bool = True
    too_large: str = "save the table as CSV or Parquet"

    @property
    def is_text(self) -> bool:
        """Whether it is delimited text, also packed."""
        return not self.module and (self.media.startswith("text/") or bool(self.packing))

    @property
    def endings(self) -> tuple[str, ...]:
        """The endings of its files."""
        return (f".{self.key}", *self.suffixes)

    def begins(self, head: bytes) -> bool:
        """Whether a file may begin with these bytes."""
        return any(head[at:].startswith(magic) for at, magic in self.magic)

    def read(self, path: str, inner: str, *how: str) -> Content:
        """The table in the file at `path`, or the one called `inner`; see also `kohort.io.confined.read_file`.

        Raises:
            InputError: a table is named, and the file holds one; see also the module.
        """
        if inner and not self.inner:
            raise InputError(f"a {self.title} file holds one table", where=path, hint="leave out # and what follows")
        found: Content = self._function("read")(path, inner, self, *how)
        return found

    def pack(self, frame: pl.DataFrame, labels: Mapping[str, Labels]) -> bytes:
        """A file that holds `frame`."""
        packed: bytes = self._function("pack", f"_{self.key}")(frame, labels, self)
        return packed

    def unpack(self, content: bytes) -> pl.DataFrame:
        """The table in a written file."""
        frame: pl.DataFrame = self._function("unpack", f"_{self.key}")(content, self)
        return frame

    def library(self, name: str) -> Any:  # noqa: ANN401  a module that may be absent
        """A library that reads or writes it; a `MissingExtraError` if it is not installed."""
        return import_optional(name, f"for {self.title} files", self.extra)

    def _function(self, name: str, suffix: str = "") -> Any:  # noqa: ANN401  one of the three functions
        module = import_module(self.module)
        return getattr(module, name + suffix, None) or getattr(module, name)


def _statistics(
    key: str, title: str, *magic: bytes, suffixes: tuple[str, ...] = (), written: bool = True, labelled: bool = False
) -> FileFormat:
    return FileFormat(
        key,
        title,
        "kohort.io.statistics",
        "statistics",
        tuple((0, one) for one in magic),
        suffixes,
        written=written,
        plain=True,
        labelled=labelled,
        independent="polars-readstat" if written else "",
    )


#: What to do where the system takes no more of what a library writes.
NO_ROOM: Final = "see whether there is room in the folder of temporary files (TMPDIR)"

_GZIP: Final = "application/gzip"
_ZSTD: Final = "application/zstd"
_TABBED: Final = "text/tab-separated-values"
_PARQUET: Final = "application/vnd.apache.parquet"
_FAR_CELLS: Final = "delete cells that stand far from the table, or save the sheet as CSV"

#: The formats of kohort itself: those that it reads and writes by its own code, then those of libraries.
_OWN: Final = (
    FileFormat("csv", "CSV", media="text/csv", by_engines=True, in_parts=True),
    FileFormat("tsv", "TSV", suffixes=(".tab",), media=_TABBED, separator="\t", by_engines=True),
    FileFormat("csv.gz", "CSV", media=_GZIP, packing="gz"),
    FileFormat("tsv.gz", "TSV", media=_GZIP, packing="gz", separator="\t"),
    FileFormat("csv.zst", "CSV", media=_ZSTD, packing="zst"),
    FileFormat("tsv.zst", "TSV", media=_ZSTD, packing="zst", separator="\t"),
    FileFormat("parquet", "Parquet", suffixes=(".pq",), nulls=True, media=_PARQUET, by_engines=True, in_parts=True),
    FileFormat("ipc", "Arrow", suffixes=(".arrow", ".feather"), nulls=True, media="application/vnd.apache.arrow.file"),
    FileFormat(
        "jsonl",
        "JSON lines",
        "kohort.io.json_lines",
        "",
        ((0, b"{"),),
        (".ndjson",),
        nulls=True,
        independent="json",
        media="application/jsonl",
    ),
    FileFormat(
        "xlsx",
        "Excel",
        "kohort.io.excel",
        "excel",
        _ZIP,
        (".xlsm",),
        "sheet",
        plain=True,
        independent="fastexcel",
        media="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        too_large=_FAR_CELLS,
    ),
    FileFormat(
        "ods", "OpenDocument", "kohort.io.excel", "excel", _ZIP, inner="sheet", written=False, too_large=_FAR_CELLS
    ),
    _statistics("sav", "SPSS", b"$FL2", labelled=True),
    _statistics("zsav", "compressed SPSS", b"$FL3", labelled=True),
    _statistics(
        "dta",
        "Stata",
        b"<stata_dta>",
        *(bytes((one, order, 1, 0)) for one in _STATA for order in (1, 2)),
        labelled=True,
    ),
    _statistics("xpt", "SAS transport", b"HEADER RECORD*******LIB", suffixes=(".xport",)),
    _statistics("sas7bdat", "SAS", bytes(12) + b"\xc2\xea\x81\x60", written=False),
    FileFormat(
        "sqlite",
        "SQLite",
        "kohort.io.databases",
        "",
        ((0, b"SQLite format 3\0"),),
        (".sqlite3", ".db"),
        "table",
        nulls=True,
        media="application/vnd.sqlite3",
        confined=False,
    ),
    FileFormat(
        "duckdb",
        "DuckDB",
        "kohort.io.databases",
        "duckdb",
        ((8, b"DUCK"),),
        (".ddb",),
        "table",
        nulls=True,
        exact=False,
        confined=False,
    ),
)


def _registered(own: Mapping[str, FileFormat]) -> Mapping[str, FileFormat]:
    """These and the formats of other packages, by key.

    Raises:
        UsageError: two have the same key or the same ending, or one has another key than its entry point.
    """
    brought, where = plugins("kohort.formats", dict.fromkeys(own, __name__)), "entry points kohort.formats"
    found = {key: own.get(key) or brought[key] for key in brought}
    ends: dict[str, str] = {}
    for key, form in found.items():
        same = next((end for end in form.endings if ends.setdefault(end, key) != key), "")
        if same or form.key != key:
            what = f"has the ending {same} of {ends[same]}" if same else f"is called {form.key} in its record"
            raise UsageError(f"the format {key} {what}", where=where, hint="change it, or uninstall its package")
    return MappingProxyType(found)


#: Every format by its key; those of other packages come from entry points.
FORMATS: Final = _registered({one.key: one for one in _OWN})

#: The format that a name's ending means.
ENDINGS: Final[Mapping[str, FileFormat]] = MappingProxyType(
    {ending: form for form in FORMATS.values() for ending in form.endings}
)


class _Written(StrEnum):
    """A format that a table can be written in."""

    @property
    def form(self) -> FileFormat:
        """All that is known of it."""
        return FORMATS[self.value]


if TYPE_CHECKING:  # the first are named in the source; the others are what is registered

    class Format(_Written):
        """A file format that a table can be written in."""

        CSV = "csv"
        TSV = "tsv"
        CSV_GZ = "csv.gz"
        TSV_GZ = "tsv.gz"
        CSV_ZST = "csv.zst"
        TSV_ZST = "tsv.zst"
        PARQUET = "parquet"
        IPC = "ipc"

else:
    _KEYS = [key for key, form in FORMATS.items() if form.written]
    Format = _Written("Format", {key.upper().replace(".", "_"): key for key in _KEYS}, module=__name__)


def named_format(path: str | os.PathLike[str]) -> FileFormat | None:
    """The format that the ending of a name means, the longest one that it has.

    >>> [one and one.title for one in map(named_format, ("people.XLSX", "people.csv.gz", "people"))]
    ['Excel', 'CSV', None]
    """
    name = os.fspath(path).lower()
    ending = max((one for one in ENDINGS if name.endswith(one)), key=len, default="")
    return ENDINGS.get(ending)


def format_of(path: str | os.PathLike[str], explicit: str | None = None) -> Format:
    """The format to write: the explicit one, else the one that the path's ending means.

    Raises:
        UsageError: the name is not that of a format, or the ending means none.

    >>> format_of("release.csv.gz"), format_of("release.dat", "tsv")
    (<Format.CSV_GZ: 'csv.gz'>, <Format.TSV: 'tsv'>)
    """
    if explicit is not None:
        if explicit not in list(Format):
            raise UsageError(f"unknown format {explicit!r}", hint=f"formats: {', '.join(Format)}")
        return Format(explicit)
    form = named_format(path)
    if form is not None and form.written:
        return Format(form.key)
    what = f"unknown file type {PurePath(os.fspath(path).lower()).suffix or '(no extension)'}"
    written = (ending for ending, one in ENDINGS.items() if one.written)
    raise UsageError(what, where=str(path), hint=f"use {', '.join(written)}, or --format")


def form_of(path: str) -> FileFormat | None:
    """The format with a module of its own that the ending of a name means.

    >>> form_of("people.XLSX").title, form_of("people.csv")
    ('Excel', None)
    """
    form = named_format(path)
    return form if form is not None and form.module else None


def readable() -> str:
    """The titles and endings of the formats that have a module of their own, for help.

    >>> readable()[:38]
    'JSON lines (.jsonl), Excel (.xlsx), Op'
    """
    return ", ".join(f"{form.title} (.{form.key})" for form in FORMATS.values() if form.module)


#: How an address of Postgres begins.
_POSTGRES: Final = ("postgresql://", "postgres://")


def is_address(source: str) -> bool:
    """Whether a source is the address of a database, not a path.

    >>> is_address("postgresql://localhost/clinic#stays"), is_address("people.csv")
    (True, False)
    """
    return source.startswith(_POSTGRES)


#: How an address in an object store begins, and which one that is.
STORES: Final = MappingProxyType({"s3": "Amazon S3", "gs": "Google Cloud Storage", "az": "Azure Blob Storage"})


def is_store(source: str) -> bool:
    """Whether a source is an address in an object store.

    >>> is_store("s3://lake/release/"), is_store("release/")
    (True, False)
    """
    return source.startswith(tuple(f"{scheme}://" for scheme in STORES))


def files(*sources: str) -> tuple[Path, ...]:
    """The files among some sources, which no output may replace.

    >>> [path.name for path in files("people.xlsx#2024", "-", "postgresql://localhost/clinic#stays")]
    ['people.xlsx']
    """
    return tuple(Path(located(one)[0]) for one in sources if one != "-" and not (is_address(one) or is_store(one)))


def located(source: str) -> tuple[str, str]:
    """The file that a source names, and the sheet or table in it: `FILE#NAME`, unless a file has that whole name.

    >>> located("people.xlsx#2024"), located("people.csv")
    (('people.xlsx', '2024'), ('people.csv', ''))
    """
    path, mark, inner = source.partition("#")
    return (path, inner) if mark and path and not Path(source).exists() else (source, "")
