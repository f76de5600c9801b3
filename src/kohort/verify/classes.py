"""Equivalence classes, grouped anew from what is released, and the ends and means that they bear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.schema import Label
from kohort.verify.labels import ANY, MEAN_DIGITS, Meaning
from kohort.verify.verdict import Band, Claim, TableCheck, fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index
    from kohort.tables.table import Column, Table
    from kohort.verify.labels import Fit

#: What adding up float64 numbers may be off by, relative to the largest; where numbers need more than 62 bits, the
#: means are no more exact than that either.
_FLOAT: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedClasses:
    """The classes of a release.

    Attributes:
        of: (m,) class of each record.
        sizes: (c,) records of each class.
        first: (c,) a record of each class.
    """

    of: Index
    sizes: Counts
    first: Index


def classes_of(columns: Sequence[NDArray[np.integer]], records: int, *, ordered: bool = False) -> ReleasedClasses:
    """Records with equal codes in all columns are a class.

    Equal neighbours are put together first. Of an `ordered` release they are the classes; else one of each is hashed.
    """
    starts = np.zeros(records, np.bool_)
    starts[:1] = True
    for codes in columns:
        starts[1:] |= codes[1:] != codes[:-1]
    heads = np.flatnonzero(starts)
    run_of = np.cumsum(starts) - 1
    if ordered:
        return ReleasedClasses(run_of, np.diff(heads, append=records), heads)
    frame = pl.DataFrame({str(place): codes[heads] for place, codes in enumerate(columns)}).with_row_index("run")
    runs = frame.group_by(pl.exclude("run")).agg("run")["run"]
    class_of_run = np.empty(heads.size, np.int64)
    class_of_run[runs.explode().to_numpy()] = np.repeat(np.arange(len(runs)), runs.list.len().to_numpy())
    of = class_of_run.take(run_of)
    first = heads[runs.list.first().to_numpy()]
    return ReleasedClasses(of, np.bincount(of, minlength=len(runs)).astype(np.int64), first)


def released_classes(table: Table, claim: Claim, *, ordered: bool) -> ReleasedClasses:
    """The classes of a release; `ordered` says that its records are known to ascend by the generalized columns."""
    columns = [table[attribute.name].codes for attribute in claim.schema.quasi]
    return classes_of(columns, table.records, ordered=ordered)


def check_ends(column: Column, meaning: Meaning, found: Fit, claim: Claim, classes: ReleasedClasses) -> None:
    """Printed ends and means are those of the class that bears them.

    Raises:
        VerificationError: some are not.
    """
    if meaning.values.label is Label.MEAN:
        _check_means(column, meaning, claim.original[column.name].codes.take(claim.lineage), classes)
    ranged = meaning.ranges.take(column.codes.take(classes.first))
    if not ranged.any():
        return
    for packed in (found.at_low, found.at_high):
        holders = np.bincount(classes.of.take(found.places(packed)), minlength=classes.sizes.size)
        unheld = int((ranged & (holders == 0)).sum())
        if unheld:
            what = f"{unheld:,} classes have a range with an end that none of their records has"
            raise fault(TableCheck.ENDS, what, column=column.name)


def _check_means(column: Column, meaning: Meaning, source: NDArray[np.integer], classes: ReleasedClasses) -> None:
    """Each printed mean is the class's, to the printed digits."""
    amounts = meaning.values.amounts()
    printed = np.array([np.nan if text in {None, "", ANY} else float(text) for text in column.values.to_list()])
    sums = np.bincount(classes.of, weights=amounts[source], minlength=classes.sizes.size)
    apart = np.abs(printed[column.codes] - (sums / classes.sizes)[classes.of])
    rounding = 0.5 * 10.0 ** -(meaning.values.decimals + MEAN_DIGITS)
    slack = _FLOAT * float(np.abs(amounts).max())
    wrong = int((apart > rounding + slack).sum())
    if wrong:
        raise fault(TableCheck.ENDS, f"{wrong:,} records have a mean that is not their class's", column=column.name)


def bands(sizes: Counts, k: int) -> tuple[Band, ...]:
    """ReleasedClasses by size, in bands that double from k on: coarse, for exact sizes can tell more than intended.

    Smaller ones, which no release of such a k has, are a band of their own.

    >>> bands(np.array([2, 3, 9]), 2)
    (Band(low=2, high=3, classes=2), Band(low=8, high=15, classes=1))
    """
    which = np.maximum(np.frexp(sizes / k)[1] - 1, -1)  # the exponent of 2 in size / k
    numbers, classes = np.unique(which, return_counts=True)
    counted = zip(numbers.tolist(), classes.tolist(), strict=True)
    return tuple(
        Band(1, k - 1, count) if number < 0 else Band(k << number, (k << number + 1) - 1, count)
        for number, count in counted
    )
