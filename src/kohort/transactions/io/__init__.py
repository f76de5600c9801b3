"""Reading transaction databases; `write` has how they are written.

A sparse matrix of compressed rows is told by what it has and not by its library. Files that no memory holds, in basket
lines or the long form, are read some whole transactions at a time.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

import numpy as np

from kohort.errors import InfeasibleError, InputError, UsageError
from kohort.errors.calls import called
from kohort.io import source as sources
from kohort.io.options import ReadOptions
from kohort.transactions.io.cells import Coded, check_items
from kohort.transactions.io.options import BasketOptions, Form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.arrays import Mask
    from kohort.io.source import Content
    from kohort.transactions.database import Transactions

_DEFAULT: Final = BasketOptions()
_LIMITS: Final = ReadOptions()


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A transaction database that was read.

    Attributes:
        database: The transactions, in the order of their first records.
        repeated: Cells that named an item its transaction already had.
        like: What it was read from: `file`, or the library of a frame or sparse matrix.
    """

    database: Transactions
    repeated: int
    like: str = "file"


@called('read_transactions("baskets.dat")', options="BasketOptions", limits="ReadOptions")
def read_transactions(
    source: object,
    options: BasketOptions = _DEFAULT,
    *,
    limits: ReadOptions = _LIMITS,
    names: Sequence[str] | None = None,
) -> Reading:
    """The transaction database in a file, on standard input, in a frame or in a sparse matrix.

    Args:
        source: A path to text (also packed by gzip), Parquet or Arrow IPC; `-` for standard input; a polars, pandas or
            Arrow frame; or a sparse matrix in compressed rows, as scipy has them, whatever form the options name.
        options: The form it lies in.
        limits: Limits of what is read, and whether there may be no transactions. What else they say is for tables.
        names: Of a sparse matrix, the items' names; 0, 1, 2, … if not given.

    Raises:
        UsageError: the source has not the form, or there are no such columns.
        InputError: the source cannot be read as what it claims to be.
        InfeasibleError: it holds no transactions, and the limits do not allow that.
        LimitError: it is larger than the limits allow.
        FileError: the system failed to read it.
    """
    if is_sparse(source):
        return _reading(
            "the matrix", from_sparse(source, names), limits, like=type(source).__module__.partition(".")[0]
        )
    if names is not None:
        raise UsageError("item names apply only to a sparse matrix; other sources have their own", where="names")
    if isinstance(source, str | os.PathLike):
        return _from_file(os.fsdecode(cast("str | os.PathLike[str]", source)), options, limits)
    from kohort.io.typed import kind_of, streamed  # noqa: PLC0415
    from kohort.transactions.io.typed import from_frame  # noqa: PLC0415  polars is loaded when something is read

    kind = kind_of(source)
    frame = streamed(source) if kind == "polars" else source
    return _reading("the frame", from_frame(frame, kind, options), limits, like=kind)


def read_content(
    name: str, content: Content, options: BasketOptions = _DEFAULT, *, limits: ReadOptions = _LIMITS
) -> Reading:
    r"""The transaction database in the bytes of a file.

    Args:
        name: What the file is called: its ending must not say another format than its bytes do.
        content: Its bytes, in memory or mapped.
        options: The form.
        limits: As above.

    Raises:
        UsageError: the content has not the form, or there are no such columns.
        InputError: it cannot be read as what it claims to be.
        InfeasibleError: it holds no transactions, and the limits do not allow that.
        LimitError: it is larger than the limits allow.

    >>> reading = read_content("shop.dat", b"milk bread\n\nmilk milk\n")
    >>> reading.database.sets(), reading.repeated
    ([['bread', 'milk'], [], ['milk']], 1)
    """
    from kohort.transactions.io import typed  # noqa: PLC0415  polars is loaded when something is read

    asked = replace(limits, separator=options.separator, encoding=options.encoding)
    form = sources.form(name, content)
    if form in {"Parquet", "Arrow"}:
        coded = typed.from_content(name, content, form, options)
    else:
        coded = typed.from_text(sources.text_of(name, content, asked, packed=form == "gzip"), options, asked)
    return _reading(name, coded, limits)


def _from_file(path: str, options: BasketOptions, limits: ReadOptions) -> Reading:
    if path == "-":
        return read_content("standard input", sources.piped(limits), options, limits=limits)
    with sources.unchanged([path]):
        return read_content(path, sources.mapped(path), options, limits=limits)


def _reading(name: str, coded: Coded, limits: ReadOptions, *, like: str = "file") -> Reading:
    """The database in item order, if there is a transaction in it."""
    database, repeated = coded.settled()
    if not (len(database) or limits.allow_empty):
        raise InfeasibleError("there are 0 transactions", where=name, hint="are the file and its form right?")
    return Reading(database, repeated, like)


def is_sparse(source: object) -> bool:
    """Whether the object is a sparse matrix: one that has compressed rows, or can be turned into them."""
    return hasattr(source, "tocsr") or all(hasattr(source, name) for name in ("indptr", "indices", "shape"))


def from_sparse(source: object, names: Sequence[str] | None) -> Coded:
    """The transactions that the rows of a sparse matrix are; its columns are the items, in item order.

    Args:
        source: Has `indptr`, `indices`, `shape` and perhaps `data`; an entry of 0 is no item.
        names: The items' names; 0, 1, 2, … if not given.

    Raises:
        UsageError: there are not as many names as columns.
        InputError: the matrix does not hold together, has entries other than 0 and 1, or a name is not fit for one.
    """
    matrix = cast("Any", source)
    matrix = matrix.tocsr() if hasattr(matrix, "tocsr") else matrix
    rows, columns = map(int, matrix.shape)
    starts = np.array(matrix.indptr, np.int64)
    cells = np.asarray(matrix.indices)
    if names is not None and len(names) != columns:
        raise UsageError(f"{len(names)} names for {columns} items", where="names")
    if (
        starts.size != rows + 1
        or starts[0] != 0
        or starts[-1] != cells.size
        or (np.diff(starts) < 0).any()
        or (cells.size and not 0 <= cells.min() <= cells.max() < columns)
    ):
        raise InputError("the rows of the matrix are inconsistent", where="the matrix")
    items = tuple(map(str, range(columns))) if names is None else check_items(list(names), "the matrix")
    keep = _is_one(getattr(matrix, "data", None), cells.size)
    before = np.concatenate(([0], np.cumsum(keep)))
    return Coded(items, before[starts], cells[keep].astype(np.int32), ordered=True)


def _is_one(data: object, size: int) -> Mask:
    """(c,) which entries are 1; all where there are none but places."""
    if data is None or isinstance(data, memoryview):  # a NumPy array's own `data` would be one
        return np.ones(size, np.bool_)
    entries = np.asarray(data)
    if entries.shape != (size,):
        raise InputError("the entries of the matrix do not match its columns", where="the matrix")
    wrong = np.count_nonzero((entries != 0) & (entries != 1))
    if wrong:
        raise InputError(
            f"{wrong} entries that are neither 0 nor 1", where="the matrix", hint="is it a matrix of items?"
        )
    ones: Mask = entries == 1
    return ones


#: The forms that can be read and written in pieces.
IN_PIECES: Final = frozenset({Form.BASKET, Form.LONG})

#: Bytes of a piece.
_PIECE: Final = 1 << 25


def pieces_of(file: BinaryIO, options: BasketOptions, size: int = 0) -> Iterator[tuple[bytes, bytes]]:
    r"""The file in pieces of about `size` bytes, from where it stands; some 30 MB where none is said.

    Before each piece what has to stand before it, so that it can be read by itself; the first piece of the long form
    begins with the header.

    >>> import io
    >>> long = BasketOptions(form=Form.LONG)
    >>> [piece for _, piece in pieces_of(io.BytesIO(b"t,item\n1,a\n1,b\n2,a\n2,c\n"), long, 15)]
    [b't,item\n1,a\n1,b\n', b'2,a\n2,c\n']
    """
    header = file.readline() if options.form is Form.LONG else b""
    left, before = header, b""
    while block := file.read(size or _PIECE):
        left += block
        start = len(header) - len(before)
        end = _end(left, start, options)
        if end > start:
            yield before, left[:end]
            left, before = left[end:], header
    if left:
        yield before, left


def _end(content: bytes, start: int, options: BasketOptions) -> int:
    """Where the last transaction that may go on begins, from `start` on: in basket lines, behind the last line."""
    end = content.rfind(b"\n", start) + 1
    if options.form is Form.BASKET or not end:
        return end
    last = content.rfind(b"\n", 0, end - 1) + 1
    number = content[last : content.find((options.separator or ",").encode(), last) + 1]
    if content.startswith(number, start):
        return start
    return content.find(b"\n" + number, start, end) + 1
