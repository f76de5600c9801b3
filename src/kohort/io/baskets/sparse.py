"""Transactions in a sparse matrix of compressed rows, told by what it has and not by its library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from kohort.errors import InputError, UsageError
from kohort.io.baskets.cells import Coded
from kohort.io.baskets.names import check_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Mask


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
        raise InputError("the rows of the matrix do not hold together", where="the matrix")
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
        raise InputError("the entries of the matrix do not go with its columns", where="the matrix")
    wrong = np.count_nonzero((entries != 0) & (entries != 1))
    if wrong:
        raise InputError(
            f"{wrong} entries that are neither 0 nor 1", where="the matrix", hint="is it a matrix of items?"
        )
    ones: Mask = entries == 1
    return ones
