"""Transactions in text: basket lines, the long form, and matrices of noughts and ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, assert_never

import numpy as np

from kohort.errors import InputError, UsageError
from kohort.io.baskets.cells import Coded, check_items
from kohort.io.baskets.lines import read_lines
from kohort.io.baskets.options import Form
from kohort.io.baskets.typed import from_long
from kohort.io.header import lay_out
from kohort.io.records import fill
from kohort.io.source import line_of
from kohort.io.text import read_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.arrays import Index, Items
    from kohort.io.baskets.options import BasketOptions
    from kohort.io.options import ReadOptions
    from kohort.io.records import RecordLayout
    from kohort.io.scan import Lengths, Starts
    from kohort.io.source import Text

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
