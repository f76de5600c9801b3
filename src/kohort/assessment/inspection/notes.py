"""What of a source nobody should have to find out alone: values and cells that look alike and are not the same.

And values far from all others. Nothing is changed because of it: kohort takes cells as they are written. No value is
told, only columns and counts; but for numbers and days that stand for none in many programs.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import LimitError
from kohort.schema.dates import days_in, spelled
from kohort.schema.numbers import all_times_ten, exact, most_digits
from kohort.schema.open_ends import DAYS, SENTINELS, inner, numbers_open
from kohort.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from kohort.arrays import Counts
    from kohort.tables.dataset import Dataset
    from kohort.tables.table import Texts

#: Columns that are named at once.
_NAMED: Final = 20


def noticed(data: Dataset, names: Collection[str], missing: Collection[str] = ()) -> tuple[str, ...]:
    r"""What its reader noticed of a table, and what there is in these columns.

    Of records elsewhere the values are asked for; columns of which they do not fit into memory are left out.

    >>> import polars as pl
    >>> from kohort.io import read
    >>> found = read(pl.DataFrame({"city": ["Roma", "roma ", " ", ""], "zip": list("1234")}))
    >>> print("\n".join(noticed(found, ["city", "zip"])))
    values that differ from another only by case or surrounding blanks; they count as different: 2 of city
    cells of blanks only, which count as values unless blanks are removed (--trim): 1 of city (beside 1 empty)
    """
    columns = [*_columns(data, {*names})]
    found: tuple[str, ...] = getattr(data, "notes", ())  # of what was read from text
    alike, blank, far = (
        [what(*column) for column in columns] for what in (_alike, _blank, partial(_far, missing=missing))
    )
    return (*found, *_listed(_ALIKE, alike), *_listed(_BLANK, blank), *_listed(_FAR, far))


def _columns(data: Dataset, names: Collection[str]) -> Iterator[tuple[str, Texts, Callable[[], Counts]]]:
    """The values of each of these columns that can be asked for, and what counts the records with each."""
    for name in data.names:
        if name in names and isinstance(data, Table):
            yield name, data[name].values, data[name].counts
        elif name in names:
            with suppress(LimitError):
                values = data.distinct(name)
                yield name, values.texts, partial(getattr, values, "counts")


_ALIKE: Final = "values that differ from another only by case or surrounding blanks; they count as different"
_FAR: Final = "outliers; if they mean a missing value, declare it (--missing-token)"

#: Of more different values, far ones are not looked for.
_MOST: Final = 100_000

_BLANK: Final = "cells of blanks only, which count as values unless blanks are removed (--trim)"


def _listed(what: str, columns: Iterable[str]) -> Iterator[str]:
    found = [*filter(None, columns)]
    more = len(found) - _NAMED
    if found:
        yield f"{what}: {', '.join(found[:_NAMED])}" + (f" and {more:,} more columns" if more > 0 else "")


def _alike(name: str, texts: Texts, _: Callable[[], Counts]) -> str:
    """How many values are another one's, but for case and blanks around them; empty for none."""
    even = texts.fill_null("").str.strip_chars().str.to_lowercase()
    count = int(even.filter(even != "").is_duplicated().sum())
    return f"{count:,} of {name}" if count else ""


def _blank(name: str, texts: Texts, counted: Callable[[], Counts]) -> str:
    """How many cells are of blanks alone, and how many empty ones there are beside them; empty for none."""
    texts = texts.fill_null("")
    empty = (texts == "").to_numpy()
    blanks = (texts.str.strip_chars() == "").to_numpy() & ~empty
    if not blanks.any():
        return ""
    counts = counted()
    beside = int(counts[empty].sum())
    return f"{int(counts[blanks].sum()):,} of {name}" + (f" (beside {beside:,} empty)" if beside else "")


def _far(name: str, texts: Texts, counted: Callable[[], Counts], missing: Collection[str]) -> str:
    """How many records lie far from the others, and where that stands for no value; empty for none."""
    texts = texts.fill_null("")
    opened = numbers_open(texts.filter(~texts.is_in(["", *missing])).to_list()) if len(texts) <= _MOST else None
    present = ~texts.is_in(["", *missing, *(opened.places if opened else ())]).to_numpy()
    values = texts.filter(present).to_list() if len(texts) <= _MOST else []
    as_days = None if opened else days_in((), values)
    numbers = as_days[1] if as_days else values
    if not opened and not as_days:
        return ""
    digits, counts = most_digits(numbers), counted()[present]
    whole, of = np.unique(all_times_ten(numbers, digits), return_inverse=True)
    records = np.bincount(of, counts).astype(np.int64)
    sentinels = DAYS if as_days else SENTINELS
    low, high = (int(end * 10**digits) for end in inner(whole.tolist(), digits, records, sentinels))
    is_far = np.array([not low <= one <= high for one in whole.tolist()], np.bool_)
    far = np.flatnonzero(is_far[of]).tolist()
    known = [at for at in far if exact(numbers[at]) in sentinels]
    told = sorted({spelled(int(numbers[at])) if as_days else numbers[at] for at in known})
    count = int(counts[far].sum()) if far else 0
    return f"{count:,} of {name}" + (f" ({', '.join(told)})" if told else "") if count else ""
