"""A transaction database handed back as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import polars as pl

from kohort.io.baskets.write import lists_of
from kohort.io.typed import extra

if TYPE_CHECKING:
    from kohort.transactions.database import Transactions


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
