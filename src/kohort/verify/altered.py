"""Cells that are released changed: pseudonyms by their key, perturbed values by what is said of them.

Nobody but who drew it knows what noise a cell has. What can be checked is all that is said of the column: which cells
have a value, how they are written, their bounds, how many are unchanged, and their mean and variance, before and after.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from decimal import Decimal
from math import fsum
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import numpy as np
import polars as pl

from kohort.errors import VerificationError
from kohort.perturbation.effect import Effect
from kohort.schema import Attribute, Role, Schema
from kohort.verify.reading import read
from kohort.verify.records import check_cells, check_records, differing, lacking, released_texts
from kohort.verify.values import NEGATIVE_ZERO, NUMERIC
from kohort.verify.verdict import Claim, TableCheck, fault, places, refuse

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kohort.arrays import Counts, Mask, Shares
    from kohort.perturbation.pseudonyms import Key
    from kohort.tables.table import Column, Table


#: The decimals of a number but for zeros at the end: a typed file says 5.0 for 5.
_DECIMALS: Final = r"\.([0-9]*[1-9])0*$"

#: How very small and very large numbers of a typed column are written.
_float = re.compile(r"-?[1-9](?:\.[0-9]+)?e(?:-[0-9]{1,3}|[1-9][0-9]{1,2})").fullmatch

#: How far a mean may be from the one that is said, in standard deviations and its own size; a variance in its own.
TOLERANCE: Final = 1e-9

#: The largest number that can be reckoned with; whole ones of a certificate may be larger.
_LARGEST: Final = sys.float_info.max


def check_pseudonyms(column: Column, claim: Claim, key: Key) -> None:
    """Every cell is the pseudonym of its record's identifier; a missing one stays missing."""
    due = pseudonyms_of(claim.original[column.name], claim, key)
    wrong = differing(column, places(due, column.values), claim)
    rest = " not the pseudonyms of their records' identifiers"
    refuse(TableCheck.PSEUDONYMS, wrong, "cell is", "cells are", rest, column=column.name)


def pseudonyms_of(source: Column, claim: Claim, key: Key) -> pl.Series:
    """What each value of a column of identifiers is due to be released as: its pseudonym, or missing as it was."""
    absent = pl.Series(source.absent(claim.schema.missing), dtype=pl.Boolean)
    made = pl.Series(key.pseudonyms(source.name, source.values.fill_null("").to_list()), dtype=pl.String)
    return released_texts(source, claim).zip_with(absent, made)


def check_perturbed(column: Column, claim: Claim, effect: Effect) -> None:
    """A perturbed column is what its effect says."""
    source = claim.original[column.name]
    held, before = column.codes, source.codes.take(claim.lineage)
    absent = lacking(source, claim).take(claim.lineage)
    same = places(released_texts(source, claim), column.values).take(before) == held
    _demand(bool(same[absent].all()), "missing cells have a value or another mark", effect)
    present = ~absent
    _demand(int(present.sum()) == effect.records, "the records with a value are not the claimed ones", effect)
    counts_after = np.bincount(held[present], minlength=len(column.values))
    counts_before = np.bincount(before[present], minlength=len(source.values))
    if effect.mean is None:
        _check_names(column, claim, counts_after, effect)
        kept = int(same[present].sum())
    else:
        values = _without_exponents(column.values) if source.dtype.is_numeric() else column.values
        after = _amounts(values, counts_after, effect)
        known = source.values.fill_null("").cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
        _check_moments(known, counts_before, after, counts_after, effect)
        kept = int((known[before[present]] == after[held[present]]).sum())
    _demand(kept == effect.unchanged, "the unchanged records are not the claimed ones", effect)


def misstated(column: Column, said: object, missing: Collection[str]) -> list[str]:
    """What is said of the effect on a perturbed column that the released cells by themselves show to be otherwise."""
    told = cast("Mapping[str, object]", said) if isinstance(said, Mapping) else dict[str, object]()
    counts = np.bincount(column.codes, minlength=len(column.values))
    counts[column.absent(missing)] = 0
    wrong = [] if told.get("records") == counts.sum() else ["records"]
    if told.get("decimals") is None or not counts.any():
        return wrong
    decimals = told.get("decimals")
    claimed = Effect(column.name, "", 0, 0, decimals if isinstance(decimals, int) else 0, _pair(told.get("bounds")))
    try:
        _amounts(_without_exponents(column.values), counts, claimed)
    except VerificationError as odd:
        return [*wrong, odd.what]
    return wrong


def _pair(said: object) -> tuple[float | None, float | None]:
    """Two numbers of a certificate; nothing in the place of what is none."""
    both = cast("list[object]", said) if isinstance(said, list) else []
    numbers = [float(one) if isinstance(one, int | float) and abs(one) <= _LARGEST else None for one in both]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (None, None)  # noqa: PLR2004  a pair


def _near(mean: float, said: float, variance: float | None) -> bool:
    """Whether a mean is the one that is said, to what rounding allows."""
    spread = 0.0 if variance is None else variance**0.5
    return abs(mean - said) <= TOLERANCE * (abs(mean) + spread)


def _alike(variance: float | None, said: float | None) -> bool:
    """Whether a variance is the one that is said, likewise; a single record has none."""
    if variance is None or said is None:
        return variance is said
    return variance == said or abs(variance - said) <= TOLERANCE * variance  # or both are too large


def check_coarsened(column: Column, claim: Claim, changed: Column) -> None:
    """Released cells are those of the coarsened column, in which equal values of the source are equal."""
    source = claim.original[column.name].codes
    pairs = np.unique(source * np.int64(len(changed.values)) + changed.codes)
    several = pairs.size - np.unique(source).size
    rest = " changed in more than one way"
    refuse(TableCheck.PERTURBED, several, "value was", "values were", rest, column=column.name)
    wrong = differing(column, places(released_texts(changed, claim), column.values), claim, changed)
    rest = " not those that the models judged"
    refuse(TableCheck.PERTURBED, wrong, "cell is", "cells are", rest, column=column.name)


def _demand(holds: bool, what: str, effect: Effect) -> None:  # noqa: FBT001  the one thing that is asked
    if not holds:
        raise fault(TableCheck.PERTURBED, what, column=effect.column)


def _check_names(column: Column, claim: Claim, counts: Counts, effect: Effect) -> None:
    known = places(column.values, released_texts(claim.original[column.name], claim)) >= 0
    _demand(bool(known[counts > 0].all()), "some values do not occur in the column", effect)


def _without_exponents(values: pl.Series) -> pl.Series:
    """Floats in plain digits.

    >>> _without_exponents(pl.Series(["1e-7", "2.5", None])).to_list()
    ['0.0000001', '2.5', None]
    """
    if not values.str.contains("e", literal=True).any():
        return values
    plain = [format(Decimal(text), "f") if text and _float(text) else text for text in values.to_list()]
    return pl.Series(plain, dtype=pl.String)


def _amounts(values: pl.Series, counts: Counts, effect: Effect) -> Shares:
    used: Mask = counts > 0
    texts = pl.DataFrame({"text": values.fill_null("")})
    decimals = texts.select(pl.col("text").str.extract(_DECIMALS).str.len_bytes().fill_null(0)).to_series().to_numpy()
    plain = texts["text"].str.contains(NUMERIC) & ~texts["text"].str.contains(NEGATIVE_ZERO)
    _demand(bool(plain.to_numpy()[used].all()), "some cells are not plain numbers", effect)
    longer = decimals[used] > (effect.decimals or 0)
    _demand(not longer.any(), "some cells have more decimals than claimed", effect)
    amounts: Shares = texts["text"].cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    low, high = effect.bounds
    outside = (low is not None and (amounts[used] < low).any()) or (high is not None and (amounts[used] > high).any())
    _demand(not outside, "some cells lie outside the bounds", effect)
    return amounts


def _check_moments(before: Shares, records_before: Counts, after: Shares, records: Counts, effect: Effect) -> None:
    for place, (amounts, counts) in enumerate([(before, records_before), (after, records)]):
        mean, variance = moments(amounts[counts > 0], counts[counts > 0])
        said = effect.mean[place] if effect.mean else 0.0
        _demand(_near(mean, said, variance), "the mean is not the claimed one", effect)
        told = None if effect.variance is None else effect.variance[place]
        _demand(_alike(variance, told), "the variance is not the claimed one", effect)


def moments(amounts: Shares, counts: Counts) -> tuple[float, float | None]:
    """Mean and variance (n - 1 below) of values that so many records have; no variance of a single record.

    >>> moments(np.array([1.0, 2.0]), np.array([1, 3]))
    (1.75, 0.25)
    """
    records = int(counts.sum())
    if not records:
        return 0.0, None
    mean = fsum((amounts * counts).tolist()) / records
    if records == 1:
        return mean, None
    around = amounts - mean
    off = fsum((counts * around).tolist()) / records  # the mean is rounded, which far from 0 is much
    return mean, fsum((counts * (around - off) ** 2).tolist()) / (records - 1)


def verify_perturbed(
    file: BinaryIO,
    source: Table,
    effects: Sequence[Effect],
    *,
    format_: str = "csv",
    excel_safe: bool = False,
    missing: frozenset[str] = frozenset({""}),
) -> str:
    r"""The sha256 of a file that holds every record of `source`, in its order, changed as the effects say.

    Args:
        file: Open, at its start.
        source: The table as it was.
        effects: One for each perturbed column; the cells of all others are those of the source.
        format_: The file's format, by the names of `kohort.io.forms.Format`.
        excel_safe: Whether cells that look like formulas were given an apostrophe.
        missing: Texts that mean no value.

    >>> import io
    >>> import polars as pl
    >>> from kohort.io.typed import from_frame
    >>> people = from_frame(pl.DataFrame({"name": ["Ada", "Bo"]}))
    >>> verify_perturbed(io.BytesIO(b"name\nAda\nAda\n"), people, ())
    Traceback (most recent call last):
    kohort.errors.VerificationError: 1 cell differs from the input's
      where: check cells, column name
      hint: nothing was published; please report this, with the job but without the data
    """
    schema = Schema(tuple(Attribute(name, Role.INSENSITIVE) for name in source.names), missing)
    lineage = np.arange(source.records)
    claim = Claim(schema, (), source, lineage, format=format_, excel_safe=excel_safe)
    reading = read(file, claim)
    check_records(reading.table, claim)
    told = {one.column: one for one in effects}
    for column in reading.table.columns:
        if column.name in told:
            check_perturbed(column, claim, told[column.name])
        else:
            check_cells(column, claim)
    return reading.sha256
