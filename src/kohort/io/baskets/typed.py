"""Transactions in Parquet, Arrow IPC and frames: columns of lists, the long form, and matrices."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from kohort.errors import InputError, UsageError
from kohort.io.baskets.cells import Coded, by_first, by_key
from kohort.io.baskets.options import Form
from kohort.io.baskets.tables import check_known, empty, from_long, from_matrix, named
from kohort.io.cells import as_text, encode
from kohort.io.typed import check_index, check_names, extra, faults, scanned, table_in
from kohort.io.typed import from_frame as table_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.engines.table import Column, Table
    from kohort.io.baskets.options import BasketOptions
    from kohort.io.source import Content


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
    """A frame as one of polars."""
    if kind == "polars":
        return cast("pl.DataFrame | pl.LazyFrame", frame)
    if kind == "pandas":
        check_index(frame)
        arrow = extra("pyarrow")
        frame = arrow.Table.from_pandas(frame, preserve_index=False)
    return pl.DataFrame(cast("Any", frame))


def _from_table(read: Callable[[], Table], name: str, options: BasketOptions) -> Coded:
    """The transactions of a table whose cells are read as text."""
    match options.form:
        case Form.LONG:
            return from_long(read(), name, options)
        case Form.MATRIX | Form.MATRIX_HEADER:
            return from_matrix(_matrix(read, name), name, headed=options.form is Form.MATRIX_HEADER)
        case _:
            hint = "say long, lists, matrix or matrix-header"
            raise UsageError("a table holds no basket lines", where=name, hint=hint)


def _matrix(read: Callable[[], Table], name: str) -> Table:
    """A table whose columns' names are items': no message repeats one."""
    try:
        return read()
    except InputError as error:
        if "column" not in str(error):
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
        what = f"{np.count_nonzero(~there)} items without a name"
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
    """The column of lists of items."""
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
    """The persons whose transactions are merged."""
    persons = _cells(cells, where)
    missing = int(np.count_nonzero(empty(persons.values)[persons.codes]))
    if missing:
        what = f"{missing} records that do not say whose transaction they are"
        raise InputError(what, where=where, hint="fill in these cells, or drop them")
    return persons
