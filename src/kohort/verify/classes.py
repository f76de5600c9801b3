"""Equivalence classes, grouped anew from what is released, and the ends and means that they bear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.native.library import ONLY
from kohort.schema import Label
from kohort.system.workspace import HEAP, blocks, tallied
from kohort.verify.labels import MEAN_DIGITS, Meaning
from kohort.verify.verdict import Band, Claim, TableCheck, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask, Numbers
    from kohort.system.workspace import Workspace
    from kohort.tables.table import Column
    from kohort.verify.labels import Fit

#: What adding up float64 numbers may be off by, relative to the largest; where numbers need more than 62 bits, the
#: means are no more exact than that either.
_FLOAT: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedClasses:
    """The classes of a release.

    Attributes:
        of: (m,) class of each record.
        sizes: (c,) records of each class; what they stand for, where they stand for several.
        first: (c,) a record of each class.
    """

    of: Numbers
    sizes: Counts
    first: Index


def classes_of(
    columns: Sequence[NDArray[np.integer]],
    records: int,
    *,
    ordered: bool = False,
    workspace: Workspace = HEAP,
    weights: Counts | None = None,
) -> ReleasedClasses:
    """Records with equal codes in all columns are a class.

    Equal neighbours are put together first. Of an `ordered` release they are the classes; else one of each is hashed.
    """
    run_of, heads = _runs(columns, records, workspace)
    if ordered:
        sizes = np.diff(heads, append=records) if weights is None else tallied(run_of, heads.size, weights)
        return ReleasedClasses(run_of, sizes, heads)
    frame = pl.DataFrame({str(place): codes[heads] for place, codes in enumerate(columns)}).with_row_index("run")
    runs = frame.group_by(pl.exclude("run")).agg("run")["run"]
    class_of_run = np.empty(heads.size, np.uint32)
    class_of_run[runs.explode().to_numpy()] = np.repeat(np.arange(len(runs)), runs.list.len().to_numpy())
    of = workspace.taken(class_of_run, run_of)
    first = heads[runs.list.first().to_numpy()]
    return ReleasedClasses(of, tallied(of, len(runs), weights), first)


def _runs(
    columns: Sequence[NDArray[np.integer]], records: int, workspace: Workspace
) -> tuple[NDArray[np.uint32], Index]:
    """The run of equal neighbours that each record is in, and the first record of each."""
    run_of, runs = workspace.numbers(records), 0
    heads = [np.empty(0, np.int64)]
    for some in blocks(records):
        starts = np.zeros(some.stop - some.start, np.bool_)
        if some.start == 0:
            starts[0] = True
        before = max(some.start - 1, 0)
        for codes in columns:
            part = codes[before : some.stop]
            starts[starts.size - part.size + 1 :] |= part[1:] != part[:-1]
        run_of[some] = np.cumsum(starts) + (runs - 1)
        heads.append(some.start + np.flatnonzero(starts))
        runs += heads[-1].size
    return run_of, np.concatenate(heads)


def check_ends(
    column: Column, meaning: Meaning, found: Fit, claim: Claim, classes: ReleasedClasses, *, alone: Mask
) -> None:
    """Printed ends and means are those of the class that bears them; marks who `alone` in a class holds an end."""
    if meaning.values.label is Label.MEAN:
        source = claim.original[column.name].codes.take(claim.lineage)
        _check_means(column, meaning, source, classes, claim.borne)
    ranged = meaning.ranges.take(column.codes.take(classes.first))
    if not ranged.any():
        return
    for packed in (found.at_low, found.at_high):
        held = np.zeros(classes.sizes.size, np.uint8)
        ONLY(packed, classes.of, held, alone.view(np.uint8))
        unheld, rest = int((ranged & (held == 0)).sum()), " a range with an end that none of their records has"
        refuse(TableCheck.ENDS, unheld, "class has", "classes have", rest, column=column.name)


def _check_means(
    column: Column, meaning: Meaning, source: NDArray[np.integer], classes: ReleasedClasses, weights: Counts | None
) -> None:
    amounts = meaning.values.amounts()
    held = amounts[source] if weights is None else amounts[source] * weights
    sums = np.bincount(classes.of, weights=held, minlength=classes.sizes.size)
    apart = np.abs(meaning.means(column.values)[column.codes] - (sums / classes.sizes)[classes.of])
    rounding = 0.5 * 10.0 ** -(meaning.values.decimals + MEAN_DIGITS)
    slack = _FLOAT * float(np.abs(amounts).max())
    wrong = int((apart > rounding + slack).sum())
    rest = " a mean that is not their class's"
    refuse(TableCheck.ENDS, wrong, "record has", "records have", rest, column=column.name)


def bands(sizes: Counts, k: int) -> tuple[Band, ...]:
    """Classes by size, in bands that double from k on: coarse, for exact sizes can tell more than intended.

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
