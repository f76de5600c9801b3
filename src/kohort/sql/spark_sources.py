"""What Spark reads, with the types that the local engine gives it: text, Parquet, tables of a catalogue, frames.

Delimited text is divided by kohort's own scanner first, which keeps nothing: what it refuses is refused here, too, with
the line. Spark has to find as many records, and in each column cells of as many bytes, in the first statement that
groups them. Where each line is a record without quotes, each statement divides the lines again; other text takes Spark
longer to divide, so it keeps the cells of the first time.
"""

from __future__ import annotations

import os
import re
import weakref
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import polars as pl

from kohort.errors import InputError, UnsupportedError
from kohort.io import source as files
from kohort.io.folders import parts_of
from kohort.io.forms import ENDINGS, is_address
from kohort.io.header import lay_out
from kohort.io.manifest import has_manifest, listed_parts
from kohort.io.source import CR, LF, Text, line_of
from kohort.io.text import extent_of
from kohort.io.typed import from_frame, scanned
from kohort.sql import queries
from kohort.sql.sources import Source, refuse_altered_text, relation_of
from kohort.sql.spark import column
from kohort.sql.spark_session import part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kohort.io.options import ReadOptions
    from kohort.io.records import RecordLayout
    from kohort.io.text import Extent
    from kohort.sql.relation import Relation
    from kohort.sql.spark import Spark

#: What is told where a source cannot be read here.
_READ: Final = (
    "the engine spark reads CSV, TSV, Parquet, folders of one of them, tables of its catalogue and frames; "
    "leave the engine out"
)

#: The endings of text in a folder.
_TEXTS: Final = tuple(ending for ending, form in ENDINGS.items() if form.is_text and form.by_engines)

#: Bytes of a text that are looked at together.
_PIECE: Final = 1 << 26

#: Reading files by their names as they are, and folders for what is in them, not for what they are called.
_PLAINLY: Final = {"__globPaths__": "false", "recursiveFileLookup": "true"}


@dataclass(frozen=True, slots=True)
class _Lines:
    """How a file of text is divided into lines.

    Attributes:
        ending: What Spark is told of their ends.
        alone: Whether no record has several of them: otherwise only one worker can read the file.
        are_records: Whether what is between their ends and separators are the cells, and nothing but the first one is
            the header.
        header: The first one, if the file has a header.
    """

    ending: Mapping[str, str]
    alone: bool
    are_records: bool
    header: str


def relation(base: Spark, source: object, options: ReadOptions, limit: int | None) -> Relation:
    """The records of a source, checked as the local engine checks them.

    Raises:
        UnsupportedError: the source or an option is none that Spark reads as the local engine does.
        InputError: the records are not well formed, or have names, types or values that cannot be read.
        InfeasibleError: there are none, and the options do not allow that.
    """
    refuse_altered_text(options, "spark")
    with base.reporting():
        found, frame = _found(base, source, options)
        names = list(frame.columns)
        frame = _plain(frame).toDF(*map(column, names))
        view = base.show(frame)
    answer = base.run(f"SELECT * FROM {view} LIMIT 0").dtypes  # noqa: S608  a name of ours
    there = dict(zip(names, answer, strict=True))
    _refuse_other_times(found, there)
    made = relation_of(base, replace(found, sql=view), there, options, limit)
    if found.sums and not found.apart:
        made.release_cache = weakref.finalize(made, _unpersist, _kept(base, frame))
    return made


def _kept(base: Spark, frame: Any) -> Any:  # noqa: ANN401  PySpark's own class
    """The frame, kept by the workers once it is computed: in memory, and what finds no room there on their disks."""
    with base.reporting():
        return frame.persist(part("storagelevel").StorageLevel.MEMORY_AND_DISK_DESER)


def _unpersist(frame: Any) -> None:  # noqa: ANN401  as above
    with suppress(Exception):  # the session may have stopped
        frame.unpersist()


def _plain(frame: Any) -> Any:  # noqa: ANN401  PySpark's own class
    functions = part("sql.functions")
    for one in frame.schema.fields:
        if getattr(one.dataType, "collation", "UTF8_BINARY") != "UTF8_BINARY":
            bare = functions.collate(frame[f"`{one.name}`"], "UTF8_BINARY")
            frame = frame.withColumn(one.name, bare)
    return frame


def _refuse_other_times(found: Source, there: Mapping[str, pl.DataType]) -> None:
    """Refuse instants where the local engine reads wall clocks."""
    for name, type_ in (found.types or {}).items():
        other = there.get(name)
        zones = [getattr(one, "time_zone", "") for one in (type_, other)]
        if zones[0] is None and zones[1]:
            what = "this Spark session reads times without a zone as instants"
            hint = "set spark.sql.parquet.inferTimestampNTZ.enabled, or leave out the engine"
            raise UnsupportedError(what, where=f"{found.where}, column {name!r}", hint=hint)


def _found(base: Spark, source: object, options: ReadOptions) -> tuple[Source, Any]:
    if isinstance(source, str | os.PathLike):
        return _named(base, os.fsdecode(cast("str | os.PathLike[str]", source)), options)
    kind = type(source).__name__
    if kind == "DataFrame" and type(source).__module__.startswith("pyspark.sql"):
        return Source("the frame", ""), source
    if isinstance(source, list | tuple | dict | set):
        raise UnsupportedError(f"the engine spark reads no {kind}", where="engine", hint=_READ)
    table = from_frame(source)
    cells = pl.DataFrame({column(one.name): one.cells() for one in table.columns})
    frame = base.session.table(base.give(cells)).toDF(*table.names)
    return Source("the frame", "", {one.name: one.dtype for one in table.columns}), frame


def _named(base: Spark, name: str, options: ReadOptions) -> tuple[Source, Any]:
    if name == "-" or is_address(name):
        what = "standard input" if name == "-" else "a server"
        raise UnsupportedError(f"the engine spark does not read {what}", where="engine", hint=_READ)
    if "://" in name:
        return Source(name, ""), base.session.read.option("recursiveFileLookup", "true").parquet(name)
    if os.path.isdir(name):  # noqa: PTH112  it does not raise where the system refuses to look
        return _folder(base, name, options)
    if os.path.exists(name) or os.sep in name:  # noqa: PTH110  the same
        return _file(base, name, options)
    if not _is_table(base, name):
        what = "neither a file nor a table of Spark's catalogue has this name"
        raise InputError(what, where=name)
    return Source(name, ""), base.session.table(name)


def _is_table(base: Spark, name: str) -> bool:
    try:
        return bool(base.session.catalog.tableExists(name))
    except part("errors").AnalysisException:  # it is no name of a table at all
        return False


def _file(base: Spark, path: str, options: ReadOptions) -> tuple[Source, Any]:
    files.state(path)
    content = files.mapped(path)
    foreign = files.foreign(path, content)
    form = files.form(path, content) if foreign is None else foreign.title
    if form == "Parquet":
        with Path(path).open("rb") as file, scanned(file, "Parquet", path) as lazy:
            return Source(path, "", lazy.collect_schema()), _parquet(base, [path])
    if form != "text":
        raise UnsupportedError(f"the engine spark reads no {form}", where=path, hint=_READ)
    return _text(base, path, [path], options)


def _folder(base: Spark, path: str, options: ReadOptions) -> tuple[Source, Any]:
    if has_manifest(path):
        known = listed_parts(path)
        if known.separator:
            return _text(base, path, [*map(str, known.paths(Path(path)))], options)
    seen = sorted(one for one in Path(path).iterdir() if not one.name.startswith((".", "_")))
    texts = [str(one) for one in seen if one.suffix.lower() in _TEXTS]
    if texts and len(texts) == len(seen):
        return _text(base, path, texts, options)
    found = parts_of(path)
    by_values: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for one in found:
        by_values.setdefault(one.named, []).append(str(one.path))
    frames = [_with_values(_parquet(base, paths), named) for named, paths in by_values.items()]
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.union(frame)
    return Source(path, "", found[0].frame.collect_schema()), whole


def _with_values(frame: Any, named: Sequence[tuple[str, str]]) -> Any:  # noqa: ANN401  PySpark's own class
    functions = part("sql.functions")
    for name, value in named:
        frame = frame.withColumn(name, functions.lit(value))
    return frame


def _parquet(base: Spark, paths: Sequence[str]) -> Any:  # noqa: ANN401  as above
    return base.session.read.options(**_PLAINLY).parquet(*map(_address, paths))


def _address(path: str) -> str:
    """A file of this machine, whatever file system Spark takes by default."""
    return f"file://{os.path.abspath(path)}"  # noqa: PTH100  nothing is resolved


# ── text ─────────────────────────────────────────────────────────────────────────────────────────


def _text(base: Spark, where: str, paths: Sequence[str], options: ReadOptions) -> tuple[Source, Any]:
    frames: list[Any] = []
    layouts: list[RecordLayout] = []
    records, sizes, quote, by_lines = 0, np.zeros(0, np.int64), "", True
    notes: list[str] = []
    with files.unchanged(paths, where):
        for path in paths:
            text = Text.of(path, files.mapped(path))
            layout = lay_out(text, options)
            if line_of(text.data, layout.body) > 1 + options.has_header:
                what = "the engine spark reads no lines above the column names"
                raise UnsupportedError(what, where=path, hint="delete them, or leave out the engine")
            extent = extent_of(text, layout, options)
            layouts.append(layout)
            _refuse_other_header(layouts, path)
            records, sizes = records + extent.records, extent.sizes + (sizes if sizes.size else 0)
            quote = chr(layout.quote) if extent.quoted else quote
            notes += extent.notes
            lines = _lines(text, layout, extent)
            by_lines = by_lines and lines.are_records
            frames.append((_divided if lines.are_records else _csv)(base, text, layout, lines))
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.union(frame)
    separator = chr(layouts[0].separator)
    apart = separator if by_lines else ""
    of_cells = (_size(f"{queries.RECORDS}.{base.quoted(name)}", base, quote) for name in layouts[0].names)
    sums = [*zip(of_cells, sizes.tolist(), strict=True)]
    return Source(where, "", None, records, sums, tuple(notes), separator, apart), whole


def _refuse_other_header(layouts: Sequence[RecordLayout], path: str) -> None:
    for one, other in pairwise((layouts[0], layouts[-1])):
        if (one.names, one.separator) != (other.names, other.separator):
            what = "the header or separator differs from that of the folder's first file"
            raise InputError(what, where=path, hint="keep the files of one table in a folder")


def _divided(base: Spark, text: Text, layout: RecordLayout, lines: _Lines) -> Any:  # noqa: ANN401  as above
    """The cells of one file whose lines are records: what is between two separators."""
    functions = part("sql.functions")
    found = base.session.read.options(**_PLAINLY, **lines.ending).text(_address(text.name))
    if layout.body:
        found = found.where(found["value"] != functions.lit(lines.header))
    cells = functions.split(found["value"], re.escape(chr(layout.separator)), -1)
    each = (functions.get(cells, functions.lit(place)) for place in range(len(layout.names)))
    return _filled(found, each, layout)


def _csv(base: Spark, text: Text, layout: RecordLayout, lines: _Lines) -> Any:  # noqa: ANN401  as above
    types = part("sql.types")
    quote = chr(layout.quote) if layout.quote >= 0 else "\0"
    fields = [types.StructField(column(name), types.StringType()) for name in layout.names]
    how = {
        **_PLAINLY,
        **lines.ending,
        **({} if lines.alone else {"multiLine": "true"}),
        "sep": chr(layout.separator),
        "quote": quote,
        "escape": quote,
        "header": str(layout.body > 0).lower(),
        "encoding": "UTF-8",
        "mode": "PERMISSIVE",
        "maxColumns": str(len(fields) + 1),
        "maxCharsPerColumn": "-1",
    }
    frame = base.session.read.options(**how).schema(types.StructType(fields)).csv(_address(text.name))
    return _filled(frame, (frame[column(name)] for name in layout.names), layout)


def _filled(frame: Any, cells: Iterable[Any], layout: RecordLayout) -> Any:  # noqa: ANN401  as above
    """A frame of these cells, none of which is a null."""
    functions = part("sql.functions")
    empty = functions.lit("")
    named = zip(cells, layout.names, strict=True)
    return frame.select(*(functions.coalesce(cell, empty).alias(name) for cell, name in named))


def _lines(text: Text, layout: RecordLayout, extent: Extent) -> _Lines:
    if layout.line_end != LF:
        what = "the engine spark does not read this text: its lines end in CR alone"
        raise UnsupportedError(what, where=text.name, hint=_READ)
    header, data = text.data[: layout.body].tobytes().rstrip(b"\r\n"), text.data[layout.body :]
    feeds = returns = both = last = ends = 0
    again = False
    for start in range(0, data.size, _PIECE):
        piece = data[start : start + _PIECE + 1]
        own = piece[:_PIECE]
        feeds += int(np.count_nonzero(own == LF))
        returns += int(np.count_nonzero(own == CR))
        both += int(np.count_nonzero((piece[:-1] == CR) & (piece[1:] == LF)))
        again = again or (layout.body > 0 and header in data[start : start + _PIECE + len(header)].tobytes())
    while ends < data.size and data[data.size - 1 - ends] in {LF, CR}:
        last += int(data[data.size - 1 - ends] == LF)
        ends += 1
    alone = feeds - last + 1 == extent.records and returns == both
    are_records = alone and last <= 1 and not (extent.quoted or again or b"\n" in header or b"\r" in header)
    return _Lines({} if returns else {"lineSep": "\n"}, alone, are_records, header.decode())


def _size(cell: str, base: Spark, quote: str) -> str:
    """The bytes of a cell as it is written between its quotes."""
    if not quote:
        return f"octet_length({cell})"
    return f"2 * octet_length({cell}) - octet_length(replace({cell}, {base.literal(quote)}, ''))"
