"""A transaction database written to a file: its bytes depend on the transactions, their order and the form alone.

Transactions spelled out as lines of names.

A transaction database handed back as a frame.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, BinaryIO, Final, assert_never, cast

import numpy as np
import polars as pl

from kohort.errors import FileError, UsageError
from kohort.io.forms import Format
from kohort.io.options import ReadOptions
from kohort.io.typed import extra, reason_of
from kohort.io.write import GROUP, ZSTD_LEVEL, write
from kohort.native.library import WRITE
from kohort.tables.table import Column, Table, narrow
from kohort.transactions.io.cells import UNPRINTABLE
from kohort.transactions.io.options import Form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kohort.io.source import Bytes
    from kohort.transactions.database import Transactions
    from kohort.transactions.io.options import BasketOptions


#: What the columns are called that nobody gave a name.
_KEY: Final = "transaction"
_ITEM: Final = "item"
_LISTS: Final = "items"

#: Between the items of a transaction while their list is made, or hashed: no name holds it.
UNIT: Final = "\x1f"


def write_transactions(database: Transactions, file: BinaryIO, options: BasketOptions, before: int = 0) -> None:
    r"""Write the transactions to the open `file`, in their order, items in item order.

    Text is UTF-8 with LF line ends and no byte order mark, whatever the options' encoding. The long form numbers the
    transactions 1, 2, 3, …; one of no items is a record with an empty item cell. Lists are a Parquet column of text.
    Basket lines and the long form of parts of a database, one after the other, are the bytes of the whole.

    Args:
        database: The transactions.
        file: Anything with a `write` method; it stays open.
        options: The form; what is between items (a blank if not said) or cells (a comma); what columns are called.
        before: How many transactions of a larger database stand before these.

    Raises:
        UsageError: some items' names cannot be written in that form.
        FileError: the system failed to write.

    >>> import io
    >>> from kohort.transactions.io.options import BasketOptions
    >>> from kohort.transactions.database import Transactions
    >>> file = io.BytesIO()
    >>> write_transactions(Transactions.of([["b", "a"], [], ["b"]]), file, BasketOptions())
    >>> file.getvalue()
    b'a b\n\nb\n'
    >>> file = io.BytesIO()
    >>> write_transactions(Transactions.of([["b", "a"], []]), file, BasketOptions(form=Form.LONG), 7)
    >>> file.getvalue()
    b'8,a\n8,b\n9,\n'
    """
    ReadOptions(separator=options.separator)  # refuses what cannot separate
    try:
        _write(database, file, options, before)
    except (OSError, pl.exceptions.ComputeError) as error:
        raise FileError(f"writing failed: {reason_of(error) or type(error).__name__}") from None


def _write(database: Transactions, file: BinaryIO, options: BasketOptions, before: int) -> None:
    _check_names(database.names, options)
    comma = options.separator or ","
    match options.form:
        case Form.BASKET:
            _pour(spelled(database, options.separator or " "), file)
        case Form.LONG:
            _write_long(database, file, options, before)
        case Form.MATRIX:
            _pour(_noughts_and_ones(database, comma), file)
        case Form.MATRIX_HEADER:
            file.write((comma.join(_quoted(name, comma) for name in database.names) + "\n").encode())
            _pour(_noughts_and_ones(database, comma), file)
        case Form.LISTS:
            lists = pl.LazyFrame([lists_of(database).alias(options.item or _LISTS)])
            lists.sink_parquet(file, compression="zstd", compression_level=ZSTD_LEVEL, row_group_size=GROUP)
        case _:
            assert_never(options.form)


def _write_long(database: Transactions, file: BinaryIO, options: BasketOptions, before: int) -> None:
    """Write a record for each cell; the header belongs to the first transactions."""
    table = _long(database, options.key or _KEY, options.item or _ITEM, before)
    separator = options.separator or ","
    if not before:
        write(table, file, Format.CSV, separator=separator)
        return
    piece = io.BytesIO()
    write(table, piece, Format.CSV, separator=separator)
    content = piece.getvalue()
    file.write(memoryview(content)[content.index(b"\n") + 1 :])


def _pour(pieces: Iterable[Bytes], file: BinaryIO) -> None:
    for piece in pieces:  # noqa: FURB122  `write` is all that the file must have
        file.write(piece.data)


def _check_names(names: tuple[str, ...], options: BasketOptions) -> None:
    """Refuse names that would not be read back as they are."""
    if options.form in {Form.MATRIX, Form.MATRIX_HEADER} and not names:
        raise UsageError("a matrix without items has no columns", where="form", hint="write basket lines")
    if options.form is Form.MATRIX:
        unfit = sum(name != str(place) for place, name in enumerate(names))
        what, hint = "are not the number of their column", "write matrix-header, whose first line has the names"
    else:
        unfit = sum(map(_unfit(options), names))
        what, hint = "cannot be written in this form", "write long or lists" if options.form is Form.BASKET else ""
    if unfit:
        raise UsageError(f"the names of {unfit} items {what}", where=f"form {options.form}", hint=hint)


def _unfit(options: BasketOptions) -> Callable[[str], bool]:
    wrong = f"^$|\n|{UNPRINTABLE.pattern}"
    if options.form is Form.BASKET:
        sign = options.separator or " "
        wrong += f'|^["\ufeff ]| $|{re.escape(sign)}'
    search = re.compile(wrong).search
    return lambda name: search(name) is not None


def _quoted(name: str, separator: str) -> str:
    """A name as it stands in a header; a byte order mark would vanish where it starts the file."""
    special = any(sign in name for sign in (separator, '"', "\ufeff"))
    return '"' + name.replace('"', '""') + '"' if special else name


def _long(database: Transactions, key: str, item: str, before: int) -> Table:
    """A table with a record for each cell, and one for each transaction of no items; `before` transactions were."""
    n, m = len(database), len(database.names)
    records = np.maximum(database.lengths, 1)
    items = np.full(int(records.sum()), m, np.int64)
    items[np.repeat(database.lengths > 0, records)] = database.cells
    names = pl.Series([*database.names, None], dtype=pl.String)
    numbers = pl.int_range(before + 1, before + n + 1, eager=True).cast(pl.String)
    return Table(
        (
            Column(key, numbers, narrow(np.repeat(np.arange(n), records), n), pl.String()),
            Column(item, names, narrow(items, m + 1), pl.String()),
        ),
        items.size,
    )


def _noughts_and_ones(database: Transactions, separator: str) -> Iterator[Bytes]:
    m = len(database.names)
    none = np.full(2 * m, ord("0"), np.uint8)
    none[1::2], none[-1] = ord(separator), ord("\n")
    block = np.tile(none, (max(FULL // none.size, 1), 1))
    for first in range(0, len(database), len(block)):
        last = min(first + len(block), len(database))
        rows = np.repeat(np.arange(last - first), database.lengths[first:last])
        places = rows, 2 * database.cells[database.starts[first] : database.starts[last]]
        block[places] = ord("1")
        yield block[: last - first].reshape(-1)
        block[places] = ord("0")


def lists_of(database: Transactions) -> pl.Series:
    """(n,) each transaction's items, as a list of text."""
    lines = b"".join(piece.tobytes() for piece in spelled(database, UNIT)).decode()
    if not lines:
        return pl.Series(dtype=pl.List(pl.String))
    whole = pl.Series([lines[:-1]]).str.split("\n").explode()
    lists = whole.str.split(UNIT)
    empty = whole == ""
    return lists.zip_with(~empty, pl.Series([[]], dtype=pl.List(pl.String))) if empty.any() else lists


#: Bytes spelled at once, and transactions: they stay in the processor's cache until they are written.
FULL: Final = 1 << 18
_LINES: Final = 1 << 13


def spelled(database: Transactions, separator: str) -> Iterator[Bytes]:
    """The lines of the transactions, some at a time; a piece is overwritten by the next.

    A line's last name has a line end behind it where others have the separator, and a line of no items is a line end:
    so each is a cell of one column (`kohort.io.write`).

    Args:
        database: The transactions.
        separator: Between the names of a line: one ASCII character.
    """
    m, starts = len(database.names), database.starts
    texts = [(name + end).encode() for end in (separator, "\n") for name in database.names] + [b"\n"]
    cells = np.frombuffer(b"".join(texts), np.uint8), np.cumsum([0, *map(len, texts)], dtype=np.int64)
    out, filled = np.empty(FULL + max(map(len, texts)), np.uint8), np.empty(1, np.int64)
    for first in range(0, len(database), _LINES):
        of = starts[first : first + _LINES + 1]
        codes = database.cells[of[0] : of[-1]].astype(np.uint32)
        empty = of[1:] == of[:-1]
        codes[of[1:][~empty] - of[0] - 1] += m
        if empty.any():
            codes = np.insert(codes, of[:-1][empty] - of[0], 2 * m)
        row = 0
        while row < codes.size:
            row = WRITE((*cells, codes), row, codes.size, out, filled)
            yield out[: int(filled[0])]


def to_frame(database: Transactions, like: str) -> object:
    """The transactions as a frame with one column, `items`, of lists of text.

    Args:
        database: The transactions.
        like: The library of the frame: `pandas`, `pyarrow`; anything else is polars.

    Raises:
        MissingExtraError: the library is not installed.

    >>> from kohort.transactions.database import Transactions
    >>> to_frame(Transactions.of([["tea"], [], ["jam", "tea"]]), "file")["items"].to_list()
    [['tea'], [], ['jam', 'tea']]
    """
    frame = pl.DataFrame([lists_of(database).alias("items")])
    if like not in {"pandas", "pyarrow"}:
        return frame
    extra("pyarrow")
    arrow = cast("Any", frame.to_arrow())
    return arrow.to_pandas() if like == "pandas" else arrow
