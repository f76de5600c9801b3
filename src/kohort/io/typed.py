"""Typed sources, that is Parquet, Arrow IPC and frames, read into a table of text (see `kohort.io.cells`).

A column is not read, and says why, where its type has no one exact text (nested, binary, duration, extension types,
Python objects), or where it has infinities, which no range and no hierarchy can hold: a release that needs it is
refused. A category that no record holds is forgotten, a pandas index that is more than row numbers is an error, and
metadata stays behind.
"""

from __future__ import annotations

import errno
import os
import re
import unicodedata
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

import numpy as np
import polars as pl

from kohort.errors import FileError, InputError, LimitError, SchemaError, SourceNote, UsageError
from kohort.errors.display import NONCHARACTER
from kohort.io.cells import NO_CHARACTER, as_text, encode, of_arrow
from kohort.io.options import LONGEST_NAME, MOST_COLUMNS
from kohort.io.packed import described, refuse_bytes
from kohort.system import import_optional
from kohort.system.workspace import HEAP
from kohort.tables.table import Column, Table, all_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence
    from pathlib import Path

    from kohort.io.forms import Content
    from kohort.system.workspace import Workspace

#: The classes accepted as a frame, by the library that defines them.
FRAMES: Final = {
    "polars": frozenset({"DataFrame", "LazyFrame"}),
    "pandas": frozenset({"DataFrame"}),
    "pyarrow": frozenset({"RecordBatch", "Table"}),
}

#: What a pandas column of Python objects may hold, in the words of `pandas.api.types.infer_dtype`.
_PLAIN_OBJECTS: Final = frozenset({"boolean", "date", "decimal", "empty", "floating", "integer", "string", "time"})

#: The types, besides integers and floats, whose cells have one exact text.
_READABLE: Final = (pl.Boolean, pl.Categorical, pl.Date, pl.Datetime, pl.Decimal, pl.Enum, pl.Null, pl.String, pl.Time)

#: What polars raises. Its panics are no `Exception`s, and are rare: on a file changed in the middle.
_POLARS: Final[tuple[type[BaseException], ...]] = (pl.exceptions.PolarsError, pl.exceptions.PanicException)

#: Bytes of memory that a value takes while it is compared with others, and bytes of a text that count for nothing.
_DISTINCT, _SHORT = 400, 32

#: Where a message tells the system's error number, in the manner of Rust or of Python.
_ERRNO: Final = re.compile(r"(?:os error |Errno )(\d+)")

#: Cells that are read together, where a column has fewer.
_TOGETHER: Final = 1 << 18

#: Columns from which each costs more than its cells: of so many, cells in all, and for each byte of the file.
_WIDE, _CELLS, _CELLS_A_BYTE = 64, 1 << 26, 8

#: What helps where a type cannot be read.
_CAST: Final = "cast the column to text, numbers, dates or booleans, or drop it (--drop)"

#: What is wrong then.
_NO_TEXT: Final = "values of this type have no single exact text"

#: What helps where cells are infinite, or hold a NUL.
NO_INFINITY: Final = "replace them by a number or by null, or drop the column (--drop)"
NO_NUL: Final = "remove the character: most programs end a text there; or drop the column (--drop)"

#: Control characters, line and paragraph separators, lone surrogates: they break lines, terminals or encodings.
_UNPRINTABLE: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def from_frame(frame: object, workspace: Workspace = HEAP) -> Table:
    """The table in a polars DataFrame or LazyFrame, a pandas DataFrame, an Arrow Table or RecordBatch, or any stream.

    A stream is whatever has `__arrow_c_stream__`: a DuckDB relation, a pyarrow reader, a narwhals frame. A pandas
    index without a name is left out, with a `SourceNote`.

    Raises:
        UsageError: the object is not one of these.
        SchemaError: a pandas frame has an index with a name, which may hold data.
        InputError: the frame holds names, types or values that cannot be read.
        MissingExtraError: a pandas frame needs pyarrow, which is not installed.

    >>> table = from_frame(pl.DataFrame({"age": [40, 41, 40], "paid": [0.5, None, -0.0]}))
    >>> [sorted(column.values.drop_nulls()) for column in table.columns]
    [['40', '41'], ['0.0', '0.5']]
    """
    kind = kind_of(frame)
    if kind == "polars":
        return _from_polars(streamed(frame), workspace)
    return _from_pandas(frame, workspace) if kind == "pandas" else _from_arrow(frame, workspace)


def kind_of(frame: object) -> str:
    """The library that `frame` is a table of: `polars`, `pandas` or `pyarrow`; of any other stream, `polars`.

    It is told by the names of the frame's classes, so that no library is imported that the caller did not import.

    >>> kind_of(pl.DataFrame())
    'polars'
    """
    for ancestor in type(frame).__mro__:
        library = ancestor.__module__.partition(".")[0]
        if ancestor.__name__ in FRAMES.get(library, ()):
            return library
    if hasattr(frame, "__arrow_c_stream__") and type(frame).__name__ != "Series":  # which streams one column
        return "polars"
    raise UsageError(
        f"a table cannot be read from an object of class {type(frame).__name__}",
        hint="give a path, a polars or pandas DataFrame, a LazyFrame, an Arrow Table, or anything that streams Arrow",
    )


def streamed(frame: object) -> pl.DataFrame | pl.LazyFrame:
    """A polars frame as it is, and any other stream as one.

    Raises:
        InputError: it is no stream of records.
    """
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return frame
    with faults("the frame", "the stream holds no table", TypeError, ValueError):
        return pl.DataFrame(cast("Any", frame))


def extra(name: str) -> Any:  # noqa: ANN401  a module that may be absent
    """An optional library, imported; a `MissingExtraError` if it is not installed."""
    return import_optional(name, "for this frame", "pandas")


def from_content(content: Content, where: str, workspace: Workspace = HEAP) -> Table:
    """The table that a file of `kohort.io.forms` holds, with what it says of single columns.

    Raises:
        InputError: it holds names, types or values that cannot be read.
    """
    for note in content.notes:
        warnings.warn(SourceNote(note), stacklevel=2)
    table = assembled(content.frame.schema, content.frame.to_series, where, workspace)
    said = (replace(column, labels=content.labels.get(column.name)) for column in table.columns)
    return Table(tuple(said), table.records)


def read_typed(path: Path, form: str, workspace: Workspace = HEAP) -> Table:
    """The table in a `Parquet` or `Arrow` file; see `table_in`."""
    where = str(path)
    if not path.is_file():
        raise InputError("there is no such file", where=where)
    with faults(where, f"the {form} file is damaged"), path.open("rb") as file:
        return table_in(file, form, where, workspace)


def table_in(file: BinaryIO, form: str, where: str, workspace: Workspace = HEAP) -> Table:
    """The table in an open `Parquet` or `Arrow` file, one column in memory at a time, or several that are short.

    Raises:
        InputError: the file is not of that form, is damaged, or holds names or types that cannot be read.
        FileError: the system failed to read the file.
    """
    with scanned(file, form, where) as lazy:
        schema = lazy.collect_schema()
        return assembled(schema, _in_pieces(lazy, schema), where, workspace)


def _in_pieces(lazy: pl.LazyFrame, schema: pl.Schema) -> Callable[[int], pl.Series]:
    """Gives the columns of a file, which are asked for in order; each reading goes through the types of all."""
    known = [place for place, dtype in enumerate(schema.dtypes()) if _is_readable(dtype)]
    most = max(_TOGETHER // max(_records(lazy), 1), 1)
    pieces = [known[start : start + most] for start in range(0, len(known), most)]
    piece_of = {place: piece for piece in pieces for place in piece}
    held: dict[int, pl.Series] = {}

    def column(place: int) -> pl.Series:
        if place not in held:
            places = piece_of.get(place, [place])
            held.clear()
            held.update(zip(places, lazy.select(pl.nth(places)).collect().get_columns(), strict=True))
        return held.pop(place)

    return column


def _is_readable(dtype: pl.DataType) -> bool:
    return isinstance(dtype, _READABLE) or dtype.is_numeric()


def _records(lazy: pl.LazyFrame) -> int:
    return cast("int", lazy.select(pl.len()).collect().item())


@contextmanager
def scanned(file: BinaryIO, form: str, where: str) -> Generator[pl.LazyFrame]:
    """The frame in an open `Parquet` or `Arrow` file, of which nothing is read before it is asked for.

    Raises:
        InputError: the file is not of that form, or is damaged.
        FileError: the system failed to read the file.
    """
    if form == "Parquet":
        kind, magic, damaged = "Parquet", b"PAR1", "damaged"
    else:
        kind, magic, damaged = "Arrow IPC", b"ARROW1", "damaged, or two of its columns have one name"
    with faults(where, f"the {kind} file is {damaged}"):
        if file.read(len(magic)) != magic:
            raise InputError(f"the file is not {kind}", where=where, hint="give the file the name of its format")
        file.seek(-len(magic), os.SEEK_END)
        if file.read() != magic:
            raise InputError(f"the {kind} file is cut short", where=where, hint="fetch or write it again")
        size = file.tell()
        refuse_bytes(described(file, form, where), size, where)
        file.seek(0)
        # polars is given the open file, not the path: it would take the path for a pattern, and open it once a column.
        lazy = pl.scan_parquet(file) if form == "Parquet" else pl.scan_ipc(file)
        refuse_dense(lazy, size, where)
        yield lazy


def refuse_dense(lazy: pl.LazyFrame, size: int, where: str) -> None:
    """Refuse a file with more records than bytes whose texts are long, or whose values a rule makes differ.

    Raises:
        LimitError: they take more memory than a table does; or there are many columns, and more cells than are read.
    """
    schema, records = lazy.collect_schema(), _records(lazy)
    cells = records * len(schema)
    if _WIDE < len(schema) <= MOST_COLUMNS and cells > max(_CELLS, _CELLS_A_BYTE * size):
        what = f"the table has {cells:,} cells, and its file {size:,} bytes"
        raise LimitError(what, where=where, hint="if the table is yours, save it as CSV")
    if len(schema) > MOST_COLUMNS or records <= size:
        return
    due = 0
    for place, dtype in enumerate(schema.dtypes()):
        if _is_readable(dtype):
            values = lazy.select(pl.nth(place).alias("")).collect().to_series()
            if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
                lengths = (values.str if dtype == pl.String else values.cat).len_bytes().cast(pl.Int64)
                due += int((lengths - _SHORT).clip(0).sum())
                refuse_bytes(due, size, where)  # before long texts are compared
            due += _DISTINCT * cast("int", values.approx_n_unique())
            refuse_bytes(due, size, where)


def _from_polars(frame: pl.DataFrame | pl.LazyFrame, workspace: Workspace) -> Table:
    with faults("the frame", "the lazy frame cannot be collected"):
        table = frame.lazy().collect()
    return assembled(table.schema, table.to_series, "the frame", workspace)


def _from_arrow(frame: object, workspace: Workspace) -> Table:
    arrow = cast("Any", frame)
    columns = [partial(_from_array, name, array) for name, array in zip(arrow.schema.names, arrow.columns, strict=True)]
    return assembled(arrow.schema.names, lambda place: columns[place](), "the frame", workspace)


def _from_pandas(frame: object, workspace: Workspace) -> Table:
    extra("pyarrow")
    source = cast("Any", frame)
    check_index(source)
    names = [*source.columns]

    def column(place: int) -> pl.Series:
        return _from_array(names[place], _pandas_array(names[place], source.iloc[:, place]))

    return assembled(names, column, "the frame", workspace)


def check_index(frame: object) -> None:
    """Refuse a pandas frame whose index has a name, and note that one without a name is left out.

    Raises:
        SchemaError: its index has a name, so that it is a column of the table.
    """
    index = cast("Any", frame).index
    if any(name is not None for name in index.names):
        hint = "make the index a column with .reset_index(), or drop it with .reset_index(drop=True)"
        raise SchemaError("the frame's index has a name, but a release has no index", hint=hint)
    if not isinstance(index, extra("pandas").RangeIndex):
        warnings.warn(SourceNote("the frame's index has no name and is left out"), stacklevel=2)


def _from_array(name: str, array: object) -> pl.Series:
    with faults(f"the frame, column {name!r}", _NO_TEXT):
        return of_arrow(name, cast("Any", array))


def _pandas_array(name: str, column: Any) -> object:  # noqa: ANN401  a pandas Series, of a library that may be absent
    """The Arrow array of a pandas column; integers too large for 64 bits become their digits."""
    where = f"the frame, column {name!r}"
    if column.dtype == object:
        kind = extra("pandas").api.types.infer_dtype(column, skipna=True)
        if kind not in _PLAIN_OBJECTS:
            raise InputError(
                f"the column holds Python objects ({kind}), which cannot be released", where=where, hint=_CAST
            )
        if kind == "integer" and not column.dropna().between(-(2**63), 2**63 - 1).all():
            column = column.map(str, na_action="ignore")
    with faults(
        where, "the column cannot be read as text, numbers or dates", ValueError, TypeError, NotImplementedError
    ):
        return extra("pyarrow").Array.from_pandas(column)


# ── checking ─────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def faults(where: str, what: str, *kinds: type[Exception]) -> Generator[None]:
    """Let `what` be said of a failure of polars (or one of `kinds`), whose own message may quote cells."""
    try:
        yield
    except OSError as error:
        reason = reason_of(error)
        if reason and reason != os.strerror(errno.EINVAL):
            raise FileError(f"reading failed: {reason}", where=where) from None
        raise InputError(f"{what} (it points outside itself)", where=where) from None
    except pl.exceptions.DuplicateError as error:  # names only; raised before any cell is read
        raise InputError(f"duplicate column names: {str(error)!r}", where=where, of_columns=True) from None
    except (*_POLARS, *kinds) as error:
        raise InputError(f"{what} ({type(error).__name__})", where=where) from None


def reason_of(error: Exception) -> str:
    """The system's reason for a failure, also where polars passes it on within a text; empty if there is none.

    >>> reason_of(OSError("parquet: No space left on device (os error 28)"))
    'No space left on device'
    """
    number = _ERRNO.search(str(error))
    return os.strerror(int(number[1])) if number else ""


def check_names(names: Sequence[object], where: str) -> tuple[str, ...]:
    """The names, if they tell the columns apart and can be shown; a column without one is called by its position.

    Raises:
        LimitError: there are too many, or one is too long.
        InputError: a name is no text or not printable, two are the same but for case, width and blanks around them, or
            there is none.

    >>> check_names(["", "age", "sex"], "people.parquet")
    ('column_1', 'age', 'sex')
    """
    if not names:
        raise InputError("there are no columns", where=where)
    check_width(len(names), where)
    checked = tuple(_check_name(name, where, place) for place, name in enumerate(names, 1))
    alike: dict[str, list[str]] = {}
    for place, name in enumerate(checked, 1):
        seen = unicodedata.normalize("NFKC", name).casefold().strip()
        alike.setdefault(seen, []).append(f"{name!r} (column {place})")
    twice = [told for several in alike.values() if len(several) > 1 for told in several]
    if twice:
        hint = "rename all but one; names that differ only by case, width or surrounding blanks count as equal"
        raise InputError(f"duplicate column names: {', '.join(twice)}", where=where, hint=hint, of_columns=True)
    return checked


def check_width(columns: int, where: str) -> None:
    """Refuse more columns than can be told apart in a time that is any use.

    Raises:
        LimitError: there are more.
    """
    if columns > MOST_COLUMNS:
        what = f"{columns:,} columns; at most {MOST_COLUMNS:,} are read"
        raise LimitError(what, where=where, hint="is the separator right? If so, remove columns first")


def _check_name(name: object, table: str, place: int) -> str:
    where = f"{table}, column {place}"
    if not isinstance(name, str):
        what = f"the column's name is not text but of class {type(name).__name__}"
        raise InputError(what, where=where, of_columns=True)
    if not name.strip():
        return f"column_{place}"
    if len(name) > LONGEST_NAME:
        what = f"the column's name has {len(name):,} letters; at most {LONGEST_NAME:,} are read"
        raise LimitError(what, where=where, hint="is the header the right line? If so, shorten the name")
    if any(unicodedata.category(letter) in _UNPRINTABLE for letter in name) or NONCHARACTER.search(name):
        raise InputError(f"the column's name holds control characters: {name!a}", where=where, of_columns=True)
    return name


def check_type(dtype: pl.DataType, where: str) -> None:
    """Refuse a type whose cells have no one exact text.

    Raises:
        InputError: it is one.
    """
    if not _is_readable(dtype):
        kind = dtype.base_type().__name__  # the whole type could list categories, which are cells
        raise InputError(f"{kind}: cannot be released, since {_NO_TEXT}", where=where, hint=_CAST)


def _check_cells(column: Column, series: pl.Series, where: str) -> None:
    infinite = int(series.is_infinite().sum()) if series.dtype.is_float() else 0
    if infinite:
        raise InputError(f"{infinite} infinite values", where=where, hint=NO_INFINITY)
    if not isinstance(series.dtype, pl.String | pl.Categorical | pl.Enum):
        return
    if column.values.str.contains("\0", literal=True).any():
        raise InputError("cells hold a NUL character", where=where, hint=NO_NUL)
    if column.values.str.contains(NONCHARACTER.pattern).any():
        raise InputError("cells hold code points that are not characters", where=where, hint=NO_CHARACTER)


# ── assembling ─────────────────────────────────────────────────────────────────────────────────────


def assembled(
    schema: Iterable[object], column: Callable[[int], pl.Series], where: str, workspace: Workspace = HEAP
) -> Table:
    """The table whose columns are got one at a time, once their names are known to be fit.

    A column that cannot be read says why (`Column.fault`): not every job needs it.

    Args:
        schema: The names; with their types, where these are known without the column.
        column: Gives the column at a place; an `InputError` where it cannot be read.
        where: What messages call the table.
        workspace: Where the codes live.

    Raises:
        InputError: there are no columns, or names that are not fit; or no column can be read.
    """
    names = check_names([*schema], where)
    types = [*cast("Mapping[str, pl.DataType]", schema).values()] if isinstance(schema, Mapping) else []
    read: list[Column | InputError] = []
    for place, name in enumerate(names):
        try:
            if types:
                check_type(types[place], f"{where}, column {name!r}")
            read.append(_column(name, column(place), f"{where}, column {name!r}", workspace))
        except InputError as fault:
            read.append(fault)
    records = next((one.codes.size for one in read if isinstance(one, Column)), None)
    if records is None:
        raise all_of([one for one in read if isinstance(one, InputError)])
    none, gone = pl.Series([None], dtype=pl.String), np.zeros(records, np.uint8)
    columns = (
        one
        if isinstance(one, Column)
        else Column(name, none if records else none.clear(), gone, pl.String(), fault=one)
        for name, one in zip(names, read, strict=True)
    )
    return Table(tuple(columns), records)


def _column(name: str, series: pl.Series, where: str, workspace: Workspace) -> Column:
    check_type(series.dtype, where)
    # A nameless series: in its own methods polars takes a name such as `^a$` for a pattern.
    column = encode(name, as_text(series.alias("")), series.dtype, workspace)
    _check_cells(column, series, where)
    return column
