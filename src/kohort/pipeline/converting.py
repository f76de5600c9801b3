"""A transaction database in another form: nothing is protected, and nothing claims to be."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from kohort.errors import VerificationError
from kohort.io.baskets import read_content, read_transactions, write_transactions
from kohort.io.baskets.options import Form
from kohort.io.options import ReadOptions
from kohort.publish import check_target, publish
from kohort.transactions.database import Transactions, places_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.io.baskets.options import BasketOptions
    from kohort.release.transactions import TransactionJob


class Converted(NamedTuple):
    """What was written."""

    transactions: int
    items: int
    removed: int
    cells: int
    repeated: int
    form: Form


def convert_transactions(
    source: str,
    job: TransactionJob,
    target: Path,
    *,
    overwrite: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Converted:
    """Write the transactions as they are, less the items below the minimum support; read back before they are there.

    Args:
        source: A path, or `-` for standard input.
        job: How to read and write, and the minimum support; what it promises is not looked at.
        target: Where the file goes.
        overwrite: Whether a file there may be replaced.
        tell: Called with the name of each stage.

    Raises:
        KohortError: one of the tree in `kohort.errors`; then nothing was published.
    """
    writing = job.written_to(target)
    inputs = () if source == "-" else (Path(source),)
    check_target(target, overwrite=overwrite, inputs=inputs)
    tell("read")
    reading = read_transactions(source, job.reading)
    names = reading.database.names
    kept = reading.database.only(reading.database.common(job.min_support)) if job.min_support else reading.database
    tell("write")
    publish(
        target,
        partial(write_transactions, _in_columns(kept, names, writing.form), options=writing),
        partial(_same, kept, writing),
        overwrite=overwrite,
        inputs=inputs,
    )
    cells, removed = int(kept.cells.size), len(names) - len(kept.names)
    return Converted(len(kept), len(kept.names), removed, cells, reading.repeated, writing.form)


def _in_columns(kept: Transactions, names: tuple[str, ...], form: Form) -> Transactions:
    """What is written: where an item's name is the place of its column, every column of the source stays."""
    if form is not Form.MATRIX:
        return kept
    places, _ = places_of(kept.names, names)
    return Transactions(names, kept.starts, np.array(places, np.int32)[kept.cells])


def _same(kept: Transactions, writing: BasketOptions, file: BinaryIO) -> None:
    limits = ReadOptions(allow_empty=True)
    found, due = (
        _occurring(one) for one in (read_content("the file", file.read(), writing, limits=limits).database, kept)
    )
    same = found.names == due.names and np.array_equal(found.starts, due.starts)
    if not (same and np.array_equal(found.cells, due.cells)):
        raise VerificationError(
            "the written file does not have the same transactions", hint="report this to the authors"
        )


def _occurring(database: Transactions) -> Transactions:
    """Over the items that some transaction has: others leave no trace but in a matrix."""
    return database.only(database.supports > 0)
