"""Columns released as they are from which what the release hides of others can be guessed: a code for a country.

A column is *hidden* where the release shows labels or perturbed cells of it. Whoever reads a record guesses its hidden
value by the others that have the same label and the same released values. The definition:

- A *part* of a hidden column is one of its values; of numbers and days also all values up to a cut, and all above it.
- A person is *told* of a part by some released columns if the others with the same label and the same values of these
  columns leave at most half of the doubt: 1 - q < (1 - p) / 2, for a share q of the part among them, and p among all
  with the label. And there are so many of them that all would be in the part by chance less than once in twenty:
  p^m < 1/20, of m others.
- Where p is above nine in ten, the label tells the part already: these people count neither for nor against a column.
- A set of columns *tells* the hidden one if, of the people in some part whom the label does not tell, more than nine in
  ten are told, and at least ten.

Sets of one, two and three columns are looked at. A set is named if no smaller one in it tells the same column.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.schema.dates import DateFormat, day_of
from kohort.schema.numbers import is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Index, Mask, Shares
    from kohort.tables.table import Column

#: The share of people who must be told; what so many with a label have in common the label tells.
NEARLY_ALL: Final = 0.9

#: People who must be told: of fewer nothing can be said.
FEWEST: Final = 10

#: How likely it may be that all of the others are in a part by chance.
_CHANCE: Final = 1 / 20

#: Records that are looked at, evenly chosen: enough for a share.
LOOKED_AT: Final = 10_000

#: Released columns of which every two and three are looked at: those that tell most of the hidden one by themselves.
_CANDIDATES: Final = 6

#: Parts of equal size that numbers of many values are divided into.
_PARTS: Final = 20

#: Records at least that share a released number, on average, for the number to be looked at as it is only.
_SHARED: Final = 10


class Telling(NamedTuple):
    """Released columns from which a hidden one can be guessed.

    Attributes:
        hidden: The hidden column.
        sets: The sets of columns that tell it.
        shares: (s,) of the people with a value, how many each tells.
        drop: Few columns of which each set has one.
        left: How many the other columns tell at the most, one, two or three of them together.
    """

    hidden: str
    sets: tuple[tuple[str, ...], ...]
    shares: tuple[float, ...]
    drop: tuple[str, ...]
    left: float

    @property
    def told(self) -> str:
        r"""What can be guessed, and what to do.

        >>> one = Telling("sex", (("births",), ("hair", "shoe")), (0.97, 0.93), ("births", "hair"), 0.4)
        >>> print(one.told.replace(", ", ",\n"))
        sex,
        which the release hides,
        can be guessed from births for 97 % of the people with a value,
        from hair and shoe together for 93 %: drop births,
        hair or make them quasi-identifying,
        unless that is harmless; the other columns then reveal at most 40 %
        """
        named = [" and ".join(one) + " together" * (len(one) > 1) for one in self.sets]
        shares = [f"{100 * share:.0f} %" for share in self.shares]
        shares[0] += " of the people with a value"
        found = ", from ".join(f"{names} for {share}" for names, share in zip(named, shares, strict=True))
        them, left = "them" if len(self.drop) > 1 else "it", f"{100 * self.left:.0f} %"
        return (
            f"{self.hidden}, which the release hides, can be guessed from {found}: drop {', '.join(self.drop)} or make"
            f" {them} quasi-identifying, unless that is harmless; the other columns then reveal at most {left}"
        )


class Hidden(NamedTuple):
    """A column that the release hides.

    Attributes:
        column: Its values, as they were.
        labels: (n,) a number for the label of each record; `None` for one label.
    """

    column: Column
    labels: Index | None = None


def tellings(released: Sequence[Column], hidden: Sequence[Hidden], missing: Collection[str] = ()) -> list[Telling]:
    """The hidden columns that released ones tell.

    Each record counts as a person. Cost: for each hidden column a few passes over at most `LOOKED_AT` records for each
    released one, and for each two and three of six.

    Args:
        released: Columns that are released as they are.
        hidden: Of the same records.
        missing: Texts that mean no value: that is no part, and may tell one.

    >>> from kohort.io import read
    >>> import polars as pl
    >>> made = read(pl.DataFrame({"town": ["Rome", "Oslo", "Bonn"] * 40, "code": ["6", "7", "8"] * 40}))
    >>> [(one.hidden, one.sets) for one in tellings([made["code"]], [Hidden(made["town"])])]
    [('town', (('code',),))]
    """
    records = max((one.column.codes.size for one in hidden), default=0)
    rows = np.linspace(0, records - 1, min(records, LOOKED_AT)).astype(np.int64)
    keys = [(one.name, [*_keys(one, rows, missing)]) for one in released]
    found = (_told(keys, _Parts.of_column(one, rows, missing)) for one in hidden if records)
    return [one for one in found if one is not None]


def _keys(column: Column, rows: Index, missing: Collection[str]) -> Iterator[Index]:
    """(n,) the value of each record; of numbers that few share also the part of equal size that it is in."""
    values, codes = np.unique(column.codes.take(rows).astype(np.int64), return_inverse=True)
    yield codes
    if values.size * _SHARED > rows.size:
        texts = column.values.gather(values)
        absent = column.absent(missing).take(values)
        places = _in_order(texts.to_list(), absent)
        if places is not None:
            yield _divided(places, codes)


def _in_order(texts: Sequence[str | None], absent: Mask) -> Index | None:
    """(v,) the place of each number or day among them, -1 of what is missing; `None` of names."""
    known = [str(text) for text, gone in zip(texts, absent, strict=True) if not gone]
    if is_numeric_text(known):
        ranks = np.unique(np.array(known, np.float64), return_inverse=True)[1]
    else:
        days = [day for text in known if (day := day_of(text, DateFormat.ISO)) is not None]
        if not days or len(days) < len(known):
            return None
        ranks = np.unique(days, return_inverse=True)[1]
    places = np.full(absent.size, -1)
    places[~absent] = ranks
    return places


def _divided(places: Index, codes: Index) -> Index:
    """(n,) the part of each record, from 0 for what is missing; the parts have as many records as ties allow."""
    of = places.take(codes)
    if places.max(initial=-1) < _PARTS:
        return of + 1
    ends = np.unique(np.quantile(of[of >= 0], np.arange(1, _PARTS) / _PARTS, method="inverted_cdf"))
    parts: Index = np.where(of < 0, 0, 1 + np.searchsorted(ends, of))
    return parts


class _Family(NamedTuple):
    """Parts that do not overlap, or all up to each cut, or all above it: what is known of them by label.

    Attributes:
        outside: People with a label who are not in a part: (q,) of each label and part that occur together, or (l, p).
        totals: People with that label: (q,), or (l, 1).
        chance: The logarithm of the part's share of the label; 0 where the label tells it. Of the shape of `outside`.
        rest: (p,) people in each part whom their label does not tell.
    """

    outside: Index
    totals: Index
    chance: Shares
    rest: NDArray[np.number]

    @classmethod
    def of(cls, within: Index, totals: Index, part: Index | None = None) -> _Family:
        """The family of (q,) people with a label in its `part`; or of (l, p) people with each label in each part."""
        doubtful = within <= NEARLY_ALL * totals
        chance = np.where(doubtful, np.log(np.maximum(within, 1) / totals), 0.0)
        rest = within * doubtful
        return cls(totals - within, totals, chance, rest.sum(axis=0) if part is None else np.bincount(part, rest))

    def told(self, counts: Index, sizes: Index, at: Index) -> Mask:
        """Whether the people of a cell who are in a part are told of it, by the others of the cell.

        Args:
            counts: People of the cell in the part.
            sizes: All of the cell.
            at: Its label, or the place of label and part among those that occur together.
        """
        others = sizes - 1
        told: Mask = 2 * (sizes - counts) * self.totals[at] < self.outside[at] * others
        told &= others * self.chance[at] < log(_CHANCE)
        return told

    def most(self, known: NDArray[np.number]) -> float:
        """The greatest share of the people in a part who are told, of parts of which enough are; 0 where none is."""
        enough = known >= FEWEST
        return float((known[enough] / self.rest[enough]).max(initial=0.0))


class _Parts(NamedTuple):
    """The parts of a hidden column.

    Attributes:
        name: The column's name.
        of: (n,) the value of each record, or the part of equal size that it is in; `size` of what is missing.
        size: How many of these there are.
        labels: (n,) its label.
        pairs: (q,) the labels and parts that occur together: label times `size` + 1, and the part; ascending.
        each: What is known of them.
        halves: What is known of all up to each, and of all above it; nothing of names.
    """

    name: str
    of: Index
    size: int
    labels: Index
    pairs: Index
    each: _Family
    halves: tuple[_Family, ...]

    @classmethod
    def of_column(cls, hidden: Hidden, rows: Index, missing: Collection[str]) -> _Parts:
        column = hidden.column
        labels = np.zeros(rows.size, np.int64) if hidden.labels is None else hidden.labels.take(rows)
        labels = np.unique(labels, return_inverse=True)[1]
        values, codes = np.unique(column.codes.take(rows).astype(np.int64), return_inverse=True)
        absent = column.absent(missing).take(values)
        places = _in_order(column.values.gather(values).to_list(), absent)
        of = np.where(absent.take(codes), 0, codes + 1) if places is None else _divided(places, codes)
        size, totals = int(of.max(initial=0)), np.bincount(labels)
        of = np.where(of, of - 1, size)
        pairs, within = _counted(labels * (size + 1) + of, totals.size * (size + 1))
        label, part = np.divmod(pairs, size + 1)
        halves: tuple[_Family, ...] = ()
        if places is not None:
            table = np.zeros((totals.size, size + 1), np.int64)
            table[label, part] = within
            halves = tuple(_Family.of(half, totals[:, None]) for half in _halves(table[:, :-1]))
        return cls(column.name, of, size, labels, pairs, _Family.of(within, totals[label], part), halves)

    def told_by(self, keys: Sequence[Index]) -> tuple[float, int]:
        """Of the people in some part, how many some columns tell at the most; and how well they guess at all.

        That is how many more records than cells have the most frequent value of their cell.
        """
        cells, wide = _cells([self.labels, *keys]), self.size + 1
        sizes = np.bincount(cells)
        label = np.zeros(sizes.size, np.int64)
        label[cells] = self.labels
        pairs, counts = _counted(cells * wide + self.of, sizes.size * wide)
        cell, part = np.divmod(pairs, wide)
        known = part < self.size
        cell, part, counts = cell[known], part[known], counts[known]
        told = self.each.told(counts, sizes[cell], np.searchsorted(self.pairs, label[cell] * wide + part))
        best = self.each.most(np.bincount(part, counts * told, self.each.rest.size))
        greatest = np.zeros(sizes.size, np.int64)
        np.maximum.at(greatest, cell, counts)
        if self.halves:
            several = np.flatnonzero(sizes > 1)
            table = np.zeros((sizes.size, self.size), np.int64)
            table[cell, part] = counts
            for family, here in zip(self.halves, _halves(table[several]), strict=True):
                told = family.told(here, sizes[several, None], label[several])
                best = max(best, family.most((here * told).sum(axis=0)))
        return best, int(greatest.sum()) - sizes.size


def _halves(counts: Index) -> tuple[Index, Index]:
    """(r, parts - 1) how many of each row are up to each cut, and how many above it."""
    low = np.cumsum(counts, axis=1)
    return low[:, :-1], low[:, -1:] - low[:, :-1]


def _cells(keys: Sequence[Index]) -> Index:
    cells, size = keys[0], int(keys[0].max()) + 1
    for key in keys[1:]:
        values = int(key.max()) + 1
        cells, size = cells * values + key, size * values
        if size > _DENSE * cells.size:
            held, cells = np.unique(cells, return_inverse=True)
            size = held.size
    return cells


def _counted(numbers: Index, size: int) -> tuple[Index, Index]:
    """The numbers below `size` that occur, and how often."""
    if size > _DENSE * numbers.size:
        return np.unique(numbers, return_counts=True)
    counts = np.bincount(numbers, minlength=size)
    held = np.flatnonzero(counts)
    return held, counts[held]


#: Possible numbers for each record up to which there is a place for each of them.
_DENSE: Final = 8


def _told(released: Sequence[tuple[str, Sequence[Index]]], parts: _Parts) -> Telling | None:
    alone = {name: max(parts.told_by([key]) for key in keys) for name, keys in released}
    best: dict[tuple[str, ...], float] = {(name,): share for name, (share, _) in alone.items()}
    some = [name for name in alone if best[name,] <= NEARLY_ALL]
    some = sorted(some, key=lambda name: -alone[name][1])[:_CANDIDATES]
    last = {name: keys[-1] for name, keys in released}
    for several in (2, 3):
        for names in combinations(sorted(some, key=[*alone].index), several):
            if not any(best.get(fewer, 0) > NEARLY_ALL for fewer in combinations(names, 2)):
                best[names] = parts.told_by([last[name] for name in names])[0]
    sets = tuple(names for names, share in best.items() if share > NEARLY_ALL)
    if not sets:
        return None
    drop = covering(sets)
    left = max((share for names, share in best.items() if not {*names} & {*drop}), default=0.0)
    return Telling(parts.name, sets, tuple(best[names] for names in sets), drop, left)


def covering(sets: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Few columns of which each set has one: again and again the one in most sets that are left.

    >>> covering([("time", "dose"), ("age", "time"), ("dose", "zip")])
    ('time', 'dose')
    """
    left: list[tuple[str, ...]] = [*sets]
    found: list[str] = []
    while left:
        counts = Counter(name for names in left for name in names)
        found.append(max(counts, key=lambda name: counts[name]))
        left = [names for names in left if found[-1] not in names]
    return tuple(found)
