"""The file formats, each described once: a `FileForm` says its name, its endings, its first bytes and its media type.

Delimited text, Parquet and Arrow are kohort's own business (`source`, `text`, `typed`, `write`). Every other format
also names the extra that brings its library, and a module with four functions:

    content(path, inner, form)          the table of a file, each cell with its type, and what the file says besides
    computed(path, inner, form)         the same, or a view, in a process with limits: see `kohort.io.confined`
    pack(frame, labels, form)           a file that holds the frame and nothing else
    unpack(bytes, form)                 what such a file holds, by another reader than the writer's where there is one

`OWN` and `FORMS` list them. The enumeration `Format` and what file choosers, help, messages, metadata and documentation
say of formats are derived from these: another format is a module and an entry of `FORMS`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from kohort.errors import InputError, MissingExtraError, UsageError

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
    """What a file of a form holds.

    Attributes:
        frame: Its table.
        labels: What it says of single columns.
        notes: What a reader of the table should know: which of several sheets it is, what was left out.
    """

    frame: pl.DataFrame
    labels: Mapping[str, Labels] = field(default_factory=dict[str, "Labels"])
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileForm:
    """A file format.

    Attributes:
        key: What it is called in a job; also the ending of its files.
        title: What it is called in sentences.
        module: The module that reads and writes it.
        extra: The extra of kohort that brings its libraries; empty where none is needed.
        suffixes: Further endings of its files.
        magic: Places in a file and the bytes that may stand there: one of them does.
        inner: What a file can have several of; empty where it holds one table.
        written: Whether it is written, too.
        nulls: Whether a missing cell differs from the empty text.
        plain: Whether text in which every cell is a plain number is written as numbers, as its readers expect.
        exact: Whether the same cells always give the same bytes.
        independent: What reads a written file back, where it is another library than the one that wrote it.
        media: Its media type.
        separator: Between the cells of a text that has always the same.
        packing: How a text is packed: `gz`, `zst`, or not at all.
        by_engines: Whether an engine writes it, too.
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
    exact: bool = True
    independent: str = ""
    media: str = "application/octet-stream"
    separator: str = ""
    packing: str = ""
    by_engines: bool = False

    @property
    def is_text(self) -> bool:
        """Whether it is delimited text, also packed."""
        return self.media.startswith("text/") or bool(self.packing)

    @property
    def endings(self) -> tuple[str, ...]:
        """The endings of its files."""
        return (f".{self.key}", *self.suffixes)

    def begins(self, head: bytes) -> bool:
        """Whether a file may begin with these bytes."""
        return any(head[at:].startswith(magic) for at, magic in self.magic)

    def content(self, path: str, inner: str, *how: str) -> Content:
        """The table in the file at `path`, or the one called `inner`; of a sheet also how its first rows are read.

        Raises:
            InputError: a table is named, and the file holds one; see also the module.
        """
        if inner and not self.inner:
            raise InputError(f"a {self.title} file holds one table", where=path, hint="leave out # and what follows")
        found: Content = self._function("content")(path, inner, self, *how)
        return found

    def computed(self, path: str, inner: str, *how: str) -> Content:
        """The same, of what `content` has another process read."""
        found: Content = self._function("computed")(path, inner, self, *how)
        return found

    def pack(self, frame: pl.DataFrame, labels: Mapping[str, Labels]) -> bytes:
        """A file that holds `frame`."""
        packed: bytes = self._function("pack", f"_{self.key}")(frame, labels, self)
        return packed

    def unpack(self, content: bytes) -> pl.DataFrame:
        """The table in a written file."""
        frame: pl.DataFrame = self._function("unpack", f"_{self.key}")(content, self)
        return frame

    def _function(self, name: str, suffix: str = "") -> Any:  # noqa: ANN401  one of the four functions
        module = import_module(f"kohort.io.{self.module}")
        return getattr(module, name + suffix, None) or getattr(module, name)


def _statistics(key: str, title: str, *magic: bytes, suffixes: tuple[str, ...] = (), written: bool = True) -> FileForm:
    starts = tuple((0, one) for one in magic)
    return FileForm(
        key,
        title,
        "statistics",
        "statistics",
        starts,
        suffixes,
        written=written,
        plain=True,
        independent="polars-readstat" if written else "",
    )


#: What to do where the system takes no more of what a library writes.
NO_ROOM: Final = "see whether there is room in the folder of temporary files (TMPDIR)"

_GZIP: Final = "application/gzip"
_ZSTD: Final = "application/zstd"

#: The formats that kohort reads and writes itself, by the ending of their files without its point.
OWN: Final[Mapping[str, FileForm]] = MappingProxyType(
    {
        form.key: form
        for form in (
            FileForm("csv", "CSV", media="text/csv", by_engines=True),
            FileForm(
                "tsv", "TSV", suffixes=(".tab",), media="text/tab-separated-values", separator="\t", by_engines=True
            ),
            FileForm("csv.gz", "CSV", media=_GZIP, packing="gz"),
            FileForm("tsv.gz", "TSV", media=_GZIP, packing="gz", separator="\t"),
            FileForm("csv.zst", "CSV", media=_ZSTD, packing="zst"),
            FileForm("tsv.zst", "TSV", media=_ZSTD, packing="zst", separator="\t"),
            FileForm(
                "parquet",
                "Parquet",
                suffixes=(".pq",),
                nulls=True,
                media="application/vnd.apache.parquet",
                by_engines=True,
            ),
            FileForm(
                "ipc", "Arrow", suffixes=(".arrow", ".feather"), nulls=True, media="application/vnd.apache.arrow.file"
            ),
        )
    }
)

#: The formats that a library reads and writes, likewise.
FORMS: Final[Mapping[str, FileForm]] = MappingProxyType(
    {
        form.key: form
        for form in (
            FileForm(
                "jsonl",
                "JSON lines",
                "json_lines",
                "",
                ((0, b"{"),),
                (".ndjson",),
                nulls=True,
                independent="json",
                media="application/jsonl",
            ),
            FileForm(
                "xlsx",
                "Excel",
                "excel",
                "excel",
                _ZIP,
                (".xlsm",),
                "sheet",
                plain=True,
                independent="fastexcel",
                media="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            ),
            FileForm("ods", "OpenDocument", "excel", "excel", _ZIP, inner="sheet", written=False),
            _statistics("sav", "SPSS", b"$FL2"),
            _statistics("zsav", "compressed SPSS", b"$FL3"),
            _statistics(
                "dta", "Stata", b"<stata_dta>", *(bytes((one, order, 1, 0)) for one in _STATA for order in (1, 2))
            ),
            _statistics("xpt", "SAS transport", b"HEADER RECORD*******LIB", suffixes=(".xport",)),
            _statistics("sas7bdat", "SAS", bytes(12) + b"\xc2\xea\x81\x60", written=False),
            FileForm(
                "sqlite",
                "SQLite",
                "databases",
                "",
                ((0, b"SQLite format 3\0"),),
                (".sqlite3", ".db"),
                "table",
                nulls=True,
                media="application/vnd.sqlite3",
            ),
            FileForm(
                "duckdb", "DuckDB", "databases", "duckdb", ((8, b"DUCK"),), (".ddb",), "table", nulls=True, exact=False
            ),
        )
    }
)


class _Written(StrEnum):
    """A format that a table can be written in."""

    @property
    def form(self) -> FileForm:
        """All that is known of it."""
        return OWN.get(self.value) or FORMS[self.value]


if TYPE_CHECKING:  # kohort's own are named in the source; the others are what is listed above

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
    _KEYS = [*OWN, *(key for key, form in FORMS.items() if form.written)]
    Format = _Written("Format", {key.upper().replace(".", "_"): key for key in _KEYS}, module=__name__)

#: The format that a name's ending means.
ENDINGS: Final[Mapping[str, Format]] = MappingProxyType({end: one for one in Format for end in one.form.endings})


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
    name = os.fspath(path).lower()
    for ending, format_ in ENDINGS.items():
        if name.endswith(ending):
            return format_
    what = f"unknown file type {PurePath(name).suffix or '(no extension)'}"
    raise UsageError(what, where=str(path), hint=f"use {', '.join(ENDINGS)}, or --format")


def form_of(path: str) -> FileForm | None:
    """The form that the ending of a name means.

    >>> form_of("people.XLSX").title, form_of("people.csv")
    ('Excel', None)
    """
    suffix = PurePath(path).suffix.lower()
    return next((form for form in FORMS.values() if suffix in form.endings), None)


def readable() -> str:
    """The titles and endings of the forms, for help.

    >>> readable()[:38]
    'JSON lines (.jsonl), Excel (.xlsx), Op'
    """
    return ", ".join(f"{form.title} (.{form.key})" for form in FORMS.values())


def library(name: str, form: FileForm) -> Any:  # noqa: ANN401  a module that may be absent
    """A library that reads or writes a form.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        what = f"{name} is needed for {form.title} files and is not installed"
        raise MissingExtraError(what, hint=f"pip install 'kohort[{form.extra}]'") from None


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
