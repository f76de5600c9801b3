"""Transactions in text, Parquet, Arrow IPC and frames: lists, the long form, matrices of noughts and ones."""

from __future__ import annotations

import io
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, assert_never, cast

import numpy as np
import polars as pl

from kohort.errors import InputError, UsageError
from kohort.errors.display import many
from kohort.io.cells import as_text, encode
from kohort.io.header import lay_out
from kohort.io.records import fill
from kohort.io.source import line_of
from kohort.io.text import read_text
from kohort.io.typed import check_index, check_names, extra, faults, scanned, table_in
from kohort.io.typed import from_frame as table_of
from kohort.tables.people import refuse_spellings
from kohort.transactions.io.cells import Coded, by_first, by_key, check_items
from kohort.transactions.io.lines import read_lines
from kohort.transactions.io.options import Form

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Index, Items, Mask
    from kohort.io.options import ReadOptions
    from kohort.io.records import Lengths, RecordLayout, Starts
    from kohort.io.source import Content, Text
    from kohort.tables.table import Column, Table
    from kohort.transactions.io.options import BasketOptions

#: Cells of a matrix that are looked at at once: their bounds stay in the processor's cache.
_CELLS: Final = 1 << 16

_ZERO: Final = ord("0")
_ONE: Final = ord("1")


def from_text(text: Text, options: BasketOptions, limits: ReadOptions) -> Coded:
    """The transactions in a text.

    Raises:
        UsageError: the form is not one of text, or a column that is named is not there.
        InputError: the text is not well formed.
        LimitError: a cell is too long.
    """
    match options.form:
        case Form.BASKET:
            return read_lines(text, options.separator, limits.max_cell)
        case Form.LONG:
            return from_long(read_text(text, limits), text.name, options)
        case Form.MATRIX | Form.MATRIX_HEADER:
            return _from_matrix(text, limits, headed=options.form is Form.MATRIX_HEADER)
        case Form.LISTS:
            hint = "lists lie in Parquet, Arrow or frames; of text say basket, long, matrix or matrix-header"
            raise UsageError("text holds no lists", where=text.name, hint=hint)
        case _:
            assert_never(options.form)


def _from_matrix(text: Text, limits: ReadOptions, *, headed: bool) -> Coded:
    """The transactions of a matrix; its columns bear numbers in messages, because their names are items."""
    asked = replace(limits, header=False)
    layout = lay_out(text, asked)
    names = tuple(map(str, range(len(layout.names))))
    if headed:
        names, layout = _header(text, layout, asked)
    shape = len(names), max(_CELLS // len(names), 1)
    starts: Starts = np.empty(shape, np.int64)
    lengths: Lengths = np.empty(shape, np.int32)
    counts: list[Index] = [np.zeros(1, np.int64)]  # so that their sums start at 0
    cells: list[Items] = [np.empty(0, np.int32)]
    at = layout.body
    while at < text.data.size:
        records, at = fill(text, layout, asked, at, starts, lengths)
        ones = _ones(text, starts[:, :records], lengths[:, :records])
        counts.append(np.count_nonzero(ones, axis=1))
        cells.append(np.nonzero(ones)[1].astype(np.int32))
    return Coded(names, np.cumsum(np.concatenate(counts)), np.concatenate(cells), ordered=True)


def _header(text: Text, layout: RecordLayout, limits: ReadOptions) -> tuple[tuple[str, ...], RecordLayout]:
    starts: Starts = np.empty((len(layout.names), 1), np.int64)
    lengths: Lengths = np.empty((len(layout.names), 1), np.int32)
    _, body = fill(text, layout, limits, layout.body, starts, lengths)
    where = f"{text.name}, line {line_of(text.data, layout.body)}"
    spans = zip(starts[:, 0].tolist(), lengths[:, 0].tolist(), strict=True)
    try:
        names = [layout.plain(text.data[start : start + length].tobytes().decode()) for start, length in spans]
    except UnicodeDecodeError:
        raise InputError("a byte that is not UTF-8", where=where, hint="name the encoding (--encoding)") from None
    return check_items(names, where), replace(layout, body=body)


def _ones(text: Text, starts: Starts, lengths: Lengths) -> NDArray[np.bool_]:
    """(records, columns) which cells are 1, once all are known to be 0 or 1."""
    signs = text.data[np.minimum(starts, text.data.size - 1)].T
    ones: NDArray[np.bool_] = signs == _ONE
    wrong = ~(ones | (signs == _ZERO)) | (lengths.T != 1)
    if wrong.any():
        record, column = np.argwhere(wrong)[0].tolist()
        line = line_of(text.data, int(starts[column, record]))
        what = "a cell that is neither 0 nor 1"
        hint = "if the first line names the items, it is a matrix-header" if line == 1 else "is it a matrix of items?"
        raise InputError(what, where=f"{text.name}, line {line}, column {column + 1}", hint=hint)
    return ones


#: What would become of a transaction whose key is spelled in several ways.
COUNTED: Final = "a transaction would be counted several times"


def from_content(name: str, content: Content, form: str, options: BasketOptions) -> Coded:
    """The transactions in the bytes of a `Parquet` or `Arrow` file.

    Raises:
        UsageError: the form is not one that such a file has, or a column that is named is not there.
        InputError: the file is damaged, or holds names, types or values that cannot be read.
    """
    file = io.BytesIO(content)
    if options.form is Form.LISTS:
        with scanned(file, form, name) as lazy:
            return _from_lists(lazy, name, options)
    return _from_table(lambda: table_in(file, form, name), name, options)


def from_frame(frame: object, kind: str, options: BasketOptions) -> Coded:
    """The transactions in a frame of the library `kind`.

    Raises:
        UsageError: the form is not one that a frame has, or a column that is named is not there.
        SchemaError: a pandas frame has an index that may hold data.
        InputError: the frame holds names, types or values that cannot be read.
        MissingExtraError: a pandas frame needs pyarrow, which is not installed.
    """
    if options.form is Form.LISTS:
        with faults("the frame", "the frame cannot be read", ValueError, TypeError, NotImplementedError):
            return _from_lists(_as_polars(frame, kind).lazy(), "the frame", options)
    return _from_table(lambda: table_of(frame), "the frame", options)


def _as_polars(frame: object, kind: str) -> pl.DataFrame | pl.LazyFrame:
    if kind == "polars":
        return cast("pl.DataFrame | pl.LazyFrame", frame)
    if kind == "pandas":
        check_index(frame)
        arrow = extra("pyarrow")
        frame = arrow.Table.from_pandas(frame, preserve_index=False)
    return pl.DataFrame(cast("Any", frame))


def _from_table(read: Callable[[], Table], name: str, options: BasketOptions) -> Coded:
    match options.form:
        case Form.LONG:
            return from_long(read(), name, options)
        case Form.MATRIX | Form.MATRIX_HEADER:
            return from_matrix(_matrix(read, name), name, headed=options.form is Form.MATRIX_HEADER)
        case _:
            hint = "choose long, lists, matrix or matrix-header"
            raise UsageError("a table cannot hold basket lines", where=name, hint=hint)


def _matrix(read: Callable[[], Table], name: str) -> Table:
    """A table whose columns' names are items': no message repeats one."""
    try:
        return read()
    except InputError as error:
        if not error.of_columns:
            raise
    what = "a column of the matrix has a name or a type that cannot be read"
    hint = "names are printable and differ; cells are whole numbers 0 and 1, or false and true"
    raise InputError(what, where=name, hint=hint)


def _from_lists(lazy: pl.LazyFrame, name: str, options: BasketOptions) -> Coded:
    """The transactions in a column of lists; those of one person are merged where a column says whose each is."""
    schema = lazy.collect_schema()
    names = check_names(list(schema), name)
    item = _list_column(schema, name, options)
    # Columns are chosen by their places: polars takes a name such as `^a$` for a pattern.
    lists = lazy.select(pl.nth(names.index(item)).alias("")).collect().to_series()
    if isinstance(lists.dtype, pl.Array):
        lists = lists.arr.to_list()
    lengths = lists.list.len().fill_null(0).to_numpy()
    column = _cells(lists.filter(pl.Series(lengths > 0)).explode(), f"{name}, column {item!r}")
    items, codes, there = named(column, f"{name}, column {item!r}")
    if not there.all():
        what = f"{many(int(np.count_nonzero(~there)), 'item')} without a name"
        raise InputError(what, where=f"{name}, column {item!r}", hint="remove them from their lists")
    keys = np.arange(lengths.size, dtype=np.uint32)
    n = lengths.size
    if options.key is not None:
        key = lazy.select(pl.nth(names.index(options.key)).alias("")).collect().to_series()
        persons = _persons(key, f"{name}, column {options.key!r}")
        n = len(persons.values)
        keys = by_first(persons.codes, n)
    return by_key(items, np.repeat(keys, lengths), codes, n)


def _list_column(schema: pl.Schema, name: str, options: BasketOptions) -> str:
    check_known([column for column in (options.key, options.item) if column is not None], list(schema), name)
    lists = [column for column, dtype in schema.items() if isinstance(dtype, pl.List | pl.Array)]
    if options.item is None and len(lists) > 1:
        raise UsageError(f"which of {len(lists)} columns of lists has the items?", where=name, hint="name it")
    if options.item is None and not lists:
        raise InputError("there is no column of lists", where=name, hint="is it of another form?")
    item = options.item or lists[0]
    if item not in lists:
        raise InputError("the column holds no lists", where=f"{name}, column {item!r}", hint="is it of another form?")
    return item


def _cells(cells: pl.Series, where: str) -> Column:
    """Cells that are names or whole numbers, as text."""
    if not (cells.dtype.is_integer() or isinstance(cells.dtype, pl.String | pl.Categorical | pl.Enum | pl.Null)):
        what = "the column holds neither names nor whole numbers"
        raise InputError(what, where=where, hint="cast it to text")
    return encode("", as_text(cells), pl.String())


def _persons(cells: pl.Series, where: str) -> Column:
    persons = _cells(cells, where)
    missing = int(np.count_nonzero(empty(persons.values)[persons.codes]))
    if missing:
        what = f"{many(missing, 'record')} without a transaction"
        raise InputError(what, where=where, hint="fill in these cells, or drop them")
    refuse_spellings(persons, where, COUNTED)
    return persons


def from_long(table: Table, name: str, options: BasketOptions) -> Coded:
    """The transactions of a table with a record for each cell.

    Args:
        table: A column says which transaction, another which item; an empty item cell tells of no item.
        name: Of the source, for messages.
        options: Which columns these are.

    Raises:
        UsageError: which columns these are is not clear.
        InputError: a record says no transaction, or an item's name is not fit for one.
    """
    key, item = long_columns(table.names, name, options)
    keys, items = table[key], table[item]
    missing = empty(keys.values)[keys.codes]
    if missing.any():
        what = f"{many(int(np.count_nonzero(missing)), 'record')} without a transaction"
        first = int(np.argmax(missing)) + 1
        raise InputError(
            what, where=f"{name}, record {first}, column {key!r}", hint="fill in these cells, or drop them"
        )
    names, codes, there = named(items, f"{name}, column {item!r}")
    refuse_spellings(keys, f"{name}, column {key!r}", COUNTED)
    persons = by_first(keys.codes, len(keys.values))
    return by_key(names, persons[there], codes[there], len(keys.values))


def long_columns(names: Sequence[str], name: str, options: BasketOptions) -> tuple[str, str]:
    """The columns of transactions and of items.

    Raises:
        InputError: there is only one column.
        UsageError: which they are is not clear.
    """
    if len(names) == 1:
        hint = "the long form has one of transactions and one of items"
        raise InputError("there is only one column", where=name, hint=hint)
    wanted = [column for column in (options.key, options.item) if column is not None]
    check_known(wanted, names, name)
    if options.key is not None and options.key == options.item:
        raise UsageError("one column cannot be both the transaction and the item", where=name)
    others = [column for column in names if column not in wanted]
    if len(others) + len(wanted) > 2 and options.item is None:  # noqa: PLR2004  the long form's two columns
        hint = "name the column of items, and that of transactions if it is not the first"
        raise UsageError(f"which of {len(names)} columns has the items?", where=name, hint=hint)
    key = options.key or others.pop(0)
    return key, options.item or others[0]


def check_known(wanted: Sequence[str], names: Sequence[str], where: str) -> None:
    """Refuse a column that is not there.

    Raises:
        UsageError: there is no such column.
    """
    for column in wanted:
        if column not in names:
            near = get_close_matches(column, names, n=3)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise UsageError(f"there is no column {column!r}", where=where, hint=hint)


def empty(values: pl.Series) -> Mask:
    """(v,) which values say nothing: null, or the empty text."""
    return (values.is_null() | (values == "").fill_null(value=True)).to_numpy()


def named(column: Column, where: str) -> tuple[tuple[str, ...], Items, Mask]:
    """The items that a column names, for each cell which one, and whether it names one."""
    nameless = empty(column.values)
    names = check_items(column.values.filter(pl.Series(~nameless)).to_list(), where)
    codes = (np.cumsum(~nameless) - 1).astype(np.int32)
    return names, codes[column.codes], ~nameless[column.codes]


def from_matrix(table: Table, name: str, *, headed: bool) -> Coded:
    """The transactions of a table with a record for each of them, a 0 or 1 for each item.

    Args:
        table: Its columns are the items, in item order.
        name: Of the source, for messages.
        headed: Whether the columns' names are the items'; otherwise these are 0, 1, 2, …

    Raises:
        InputError: a cell is neither 0 nor 1 (nor false nor true, where the source has such a type).
    """
    names = check_items(table.names, name) if headed else tuple(map(str, range(len(table.columns))))
    rows = [np.flatnonzero(_is_one(column, f"{name}, column {at}")) for at, column in enumerate(table.columns, 1)]
    keys = np.concatenate(rows).astype(np.uint32)
    items = np.repeat(np.arange(len(rows), dtype=np.int32), [one.size for one in rows])
    found = by_key(names, keys, items, table.records)
    return Coded(names, found.starts, found.cells, ordered=True)


def _is_one(column: Column, where: str) -> Mask:
    no, yes = ("false", "true") if isinstance(column.dtype, pl.Boolean) else ("0", "1")
    wrong = (~column.values.is_in([no, yes])).fill_null(value=True).to_numpy()
    if wrong.any():
        places = wrong[column.codes]
        first = f"record {int(np.argmax(places)) + 1}"
        what = f"{many(int(np.count_nonzero(places)), 'cell')} with another value than 0 and 1"
        raise InputError(what, where=f"{where}, {first}", hint="is it a matrix?")
    return (column.values == yes).to_numpy()[column.codes]
