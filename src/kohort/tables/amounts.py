"""Columns as numbers, and numbers as the cells of a column."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.errors import InputError, UsageError
from kohort.errors.display import many
from kohort.perturbation.base import MOST_DECIMALS
from kohort.perturbation.moments import whole
from kohort.schema.numbers import is_numeric_text
from kohort.tables.notation import in_full
from kohort.tables.table import Column, narrow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kohort.arrays import Index, Mask
    from kohort.perturbation.base import Amounts

#: Whole numbers up to here are exact in float64.
EXACT: Final = 2**53

#: Decimals that are told apart: smaller differences are lost.
_TINIEST: Final = 300


@dataclass(frozen=True, slots=True, eq=False)
class CodedNumbers:
    """A column of numbers.

    Attributes:
        column: The column.
        values: (v,) the number of each of its values; NaN of a missing one.
        decimals: Digits after the point that the values have at most.
    """

    column: Column
    values: Amounts
    decimals: int

    @property
    def present(self) -> Mask:
        """(n,) which records have a value."""
        return ~np.isnan(self.values)[self.column.codes]

    def of(self, records: Index) -> Amounts:
        """The numbers of some records."""
        return self.values[self.column.codes[records]]


def numbers_of(column: Column, missing: frozenset[str]) -> CodedNumbers | None:
    """The column as numbers; `None` where some value is none, or no record has one."""
    gaps = column.absent(missing)
    held = column.values.filter(pl.Series(~gaps))
    texts: list[str] = held.to_list()
    typed = column.dtype.is_float()
    if not texts or not (typed or is_numeric_text(texts)):
        return None
    values = np.full(gaps.size, np.nan)
    values[~gaps] = np.array(texts, np.float64) + 0.0  # no negative zero
    decimals = decimals_of(texts) if typed else _most_decimals(held)
    return CodedNumbers(column, values, min(decimals, _TINIEST))


def read_numbers(column: Column, missing: frozenset[str]) -> CodedNumbers:
    """The column as numbers, exactly; of one without values, no number."""
    found = numbers_of(column, missing)
    if found is None:
        gaps = column.absent(missing)
        texts = column.values.to_list()
        wrong = np.array([not (gap or is_numeric_text([t])) for gap, t in zip(gaps, texts, strict=True)], np.bool_)
        if wrong.any():
            raise InputError(
                f"{many(int(column.counts()[wrong].sum()), 'cell is not a decimal', 'cells are not decimals')}",
                where=f"column {column.name}",
                hint="declare missing tokens, correct the cells, or perturb names by post-randomization",
            )
        return CodedNumbers(column, np.full(gaps.size, np.nan), 0)
    large = np.abs(found.values) >= EXACT
    if large.any():
        cells = int(column.counts()[large].sum())
        raise InputError(
            f"{many(cells, 'number is', 'numbers are')} 2^53 or more, or as far below 0: they would lose digits",
            where=f"column {column.name}",
            hint="use a larger unit, or treat the column as an identifier",
        )
    return found


def rounded(numbers: Amounts, decimals: int, bounds: tuple[float, float], *, like: Amounts | None = None) -> Amounts:
    """The numbers to so many decimals, half to even, inside the bounds; as they are where float64 holds no more digits.

    Args:
        numbers: Any.
        decimals: Digits after the point.
        bounds: Between which numbers all lie; they are not rounded beyond.
        like: CodedNumbers whose mean and variance they have, and are to keep.

    Raises:
        UsageError: no such number lies between the bounds.

    >>> rounded(np.array([0.25, 1.26, -0.04]), 1, (-np.inf, np.inf)).tolist()
    [0.2, 1.3, 0.0]
    """
    ten = 10.0**decimals
    if np.abs(numbers).max(initial=0) * ten >= EXACT:
        return np.clip(numbers, *bounds) + 0.0
    low, high = (np.rint(bound * ten) if np.isfinite(bound) else bound for bound in bounds)
    low += low / ten < bounds[0]
    high -= high / ten > bounds[1]
    if low > high:
        what = f"no number of {decimals} decimals lies between the bounds"
        raise UsageError(what, where="lower", hint="allow more decimals, or widen the bounds")
    units = np.clip(np.rint(numbers * ten), low, high) if like is None else whole(numbers * ten, like * ten, low, high)
    return units / ten + 0.0


def distinct_from(numbers: Amounts, tokens: Iterable[str], decimals: int, bounds: tuple[float, float]) -> Amounts:
    """The numbers, of which those that would read as a missing token go a step further.

    >>> distinct_from(np.array([998.0, 999.0]), {"999", "NA", "1000"}, 0, (-np.inf, np.inf)).tolist()
    [998.0, 998.0]
    """
    taken = {float(token) for token in tokens if is_numeric_text([token])}
    free = numbers.copy()
    for token in taken:
        held = numbers == token
        if not held.any():
            continue
        steps = (token + sign * size / 10**decimals for size in count(1) for sign in (1, -1))
        free[held] = next(step for step in steps if step not in taken and bounds[0] <= step <= bounds[1])
    return free


def written(cells: Amounts, decimals: int, numbers: CodedNumbers, records: Index) -> Column:
    """The column with the numbers `cells` in some records; the others stay as they are.

    Whole numbers stay whole in a typed column; others make it one of floats.
    """
    column = numbers.column
    made, codes = np.unique(cells, return_inverse=True)
    texts, dtype = _texts(made, decimals, column.dtype)
    values = pl.concat([column.values, texts])
    every = column.codes.astype(np.int64)
    every[records] = len(column.values) + codes
    return compact(column.name, values, every, dtype)


def compact(name: str, values: pl.Series, codes: Index, dtype: pl.DataType) -> Column:
    """A column of these values, of which some may be in no record, and some may be the same text."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(values)))
    held = values.gather(used).rename("text")
    first = held.to_frame().with_row_index().select(pl.col("index").min().over("text")).to_series().to_numpy()
    kept, place = np.unique(first, return_inverse=True)
    of = np.zeros(len(values), np.int64)
    of[used] = place
    return Column(name, held.gather(kept), narrow(of[codes], kept.size), dtype)


def decimals_of(texts: Sequence[str]) -> int:
    """Digits after the point that the numbers have at most, however they are written.

    >>> decimals_of(["12.50", "3"])
    1
    """
    return max(map(_decimals, texts), default=0)


def _most_decimals(texts: pl.Series) -> int:
    """Digits after the point that plain numbers are written with at most.

    >>> _most_decimals(pl.Series(["12.50", "3"])), _most_decimals(pl.Series(["3"]))
    (2, 0)
    """
    behind = texts.str.len_bytes() - texts.str.find(".", literal=True) - 1
    most = behind.max()
    return int(most) if isinstance(most, int) else 0


def _decimals(text: str) -> int:
    """Digits after the point that a number needs.

    >>> _decimals("1e-7"), _decimals("40.0")
    (7, 0)
    """
    if "e" not in text.lower():
        return len(text.partition(".")[2].rstrip("0"))
    exponent = Decimal(text).normalize().as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def _texts(numbers: Amounts, decimals: int, dtype: pl.DataType) -> tuple[pl.Series, pl.DataType]:
    whole = not (numbers % 1).any()
    if (
        isinstance(dtype, pl.Decimal)
        and decimals <= dtype.scale
        and np.abs(numbers).max(initial=0) * 10**decimals < EXACT
    ):
        exact = _points(np.rint(numbers * 10**decimals).astype(np.int64), decimals).cast(dtype, strict=False)
        return exact.cast(pl.String), dtype
    if dtype.is_float() or (dtype.is_numeric() and not whole):
        kept = dtype if dtype.is_float() else pl.Float64()
        return in_full(pl.Series(numbers).cast(kept).cast(pl.String)), kept
    if decimals > MOST_DECIMALS or np.abs(numbers).max(initial=0) * 10**decimals >= EXACT:
        return pl.Series([np.format_float_positional(number, trim="-") for number in numbers]), dtype
    if not dtype.is_integer():
        return _points(np.rint(numbers * 10**decimals).astype(np.int64), decimals), dtype
    texts = pl.Series(numbers.astype(np.int64))
    fitting = texts.cast(dtype, strict=False)
    return texts.cast(pl.String), dtype if not fitting.has_nulls() else pl.Int64()


def _points(units: Index, decimals: int) -> pl.Series:
    """Multiples of a power of ten as the shortest decimals.

    >>> _points(np.array([-1250, 70, 5]), 2).to_list()
    ['-12.5', '0.7', '0.05']
    """
    size, ten = pl.Series(np.abs(units)), 10**decimals
    sign = pl.Series(np.where(units < 0, "-", ""), dtype=pl.String)
    if not decimals:
        return sign + size.cast(pl.String)
    rest = (size % ten).cast(pl.String).str.zfill(decimals).str.strip_chars_end("0")
    whole = (size // ten).cast(pl.String)
    points: pl.Series = (sign + whole + "." + rest).str.strip_chars_end(".")
    return points
