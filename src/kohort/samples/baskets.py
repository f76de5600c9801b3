"""Synthetic transactions as of a shop: customers follow patterns, not faithfully, and few items are bought often.

The idea is the Quest generator's (Agrawal, Srikant: Fast Algorithms for Mining Association Rules, VLDB 1994, synthetic
data): patterns are sets of items that tend to be bought together. A pattern shares items with the one before it, an
exponentially distributed part of mean 1/2; it is chosen by an exponentially distributed weight, and it has a level of
corruption, normally distributed with mean 0.5 and variance 0.1. A transaction is filled with patterns, up to a length
of its own. Five things are different here:

- Items are not alike: item i has odds 1/(i + 1), so that supports are heavy-tailed, as those of shops and sites are.
- A corrupted item is replaced by any item, by these odds, not left out: so items outside all patterns occur, too.
- Lengths are 1 + Poisson, of the declared mean: no transaction is empty.
- A pattern for which there is no room left is cut, not kept for the next transaction.
- So transaction r is a function of the seed and r: slot s of it takes the four words that the counter-based generator
  Philox gives at counter (r, s). Batches of any size are the same transactions, and memory stays constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, count, pairwise
from math import ceil, exp, lgamma, log, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import UsageError
from kohort.samples.population import RandomDraw, key_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Counts, Index, Items
    from kohort.samples.population import Words

#: Items at most, and cells of all patterns together: each takes some 100 bytes while the patterns are made.
MOST: Final = 10_000_000

#: Cells made at once unless told otherwise: some 10 MiB of words and items.
CELLS: Final = 1 << 18

#: Slots after which a transaction draws items by their popularity alone, so that it ends.
_PATIENCE: Final = 64

#: Bits of a word that are compared with a level of corruption.
_BITS = 48

#: The part of a pattern that comes from the one before it, on average: Quest's correlation level.
_CORRELATION = 0.5

#: How levels of corruption are distributed, before they are cut to 0..1.
_CORRUPTION: Final = NormalDist(0.5, sqrt(0.1))


@dataclass(frozen=True, slots=True, eq=False)
class Baskets:
    """Consecutive transactions.

    Attributes:
        starts: (n + 1,) int64, ascending from 0: where each transaction's cells start.
        cells: (c,) the items of each transaction, ascending.
    """

    starts: Index
    cells: Items

    def __len__(self) -> int:
        """The number of transactions."""
        return self.starts.size - 1

    def text(self) -> bytes:
        """A line for each transaction, its items separated by blanks."""
        names = list(map(str, self.cells.tolist()))
        return "".join(f"{' '.join(names[start:end])}\n" for start, end in pairwise(self.starts.tolist())).encode()


@dataclass(frozen=True, slots=True, eq=False)
class Market:
    r"""What transactions are drawn from.

    Attributes:
        key: (2,) the generator's key: the seed.
        lengths: How long a transaction is, less 1.
        popular: Items by their odds.
        chosen: Patterns by their weights.
        patterns: (p, w) the items of each pattern; those beyond its size mean nothing.
        sizes: (p,) how many they are.
        corruption: (p,) the share of them that is replaced, in units of 2^-48.

    >>> market = Market.of(items=50, length=3, patterns=20, pattern_length=2, seed=7)
    >>> [baskets.text() for baskets in market.batches(3)]
    [b'1 11 38\n2 30\n1\n']
    """

    key: Words
    lengths: RandomDraw
    popular: RandomDraw
    chosen: RandomDraw
    patterns: Items
    sizes: Index
    corruption: Words

    @classmethod
    def of(
        cls, *, seed: int, items: int = 1_000, length: float = 10, patterns: int = 2_000, pattern_length: float = 4
    ) -> Market:
        """The market of a seed.

        Args:
            seed: The same seed gives the same transactions.
            items: How many there are; they are called 0, 1, 2, … from the most popular on.
            length: Of transactions, on average; at most half the items.
            patterns: How many there are.
            pattern_length: Of patterns, on average; at most half the items.

        Raises:
            UsageError: A number is out of its range.
        """
        half = max(1.0, items / 2)  # to draw nearly all items, by their odds, would take for ever
        room = MOST / max(patterns, 1)
        ranges = {
            "seed": (seed, 0, float("inf")),
            "items": (items, 1, MOST),
            "length": (length, 1, half),
            "patterns": (patterns, 1, MOST),
            "pattern-length": (pattern_length, 1, min(half, room)),
        }
        for name, (value, least, most) in ranges.items():
            if not least <= value <= most:
                raise UsageError(f"{name} must be from {least} to {most:,.10g}", where=name)
        key = key_of(seed)
        source = np.random.Philox(key=key, counter=[0, 0, 0, 1])  # transactions have the counters below
        popular = RandomDraw.of([[(1 << 40) // rank for rank in range(1, items + 1)]])
        weights = [round((1 << 32) * -log(share)) + 1 for share in _shares(source, patterns)]
        levels = [min(max(_CORRUPTION.inv_cdf(share), 0), 1) for share in _shares(source, patterns)]
        sizes = np.minimum(_poisson(pattern_length - 1)(source.random_raw(patterns)) + 1, items)
        return cls(
            key=key,
            lengths=_poisson(length - 1),
            popular=popular,
            chosen=RandomDraw.of([weights]),
            patterns=_patterns(source, sizes, popular),
            sizes=sizes,
            corruption=np.array([round(level * (1 << _BITS)) for level in levels], np.uint64),
        )

    def batches(self, transactions: int, *, batch: int | None = None) -> Iterator[Baskets]:
        """So many transactions, in batches, the last one smaller.

        Raises:
            UsageError: A negative number of transactions, or a batch of none.
        """
        size = max(1, CELLS // (int(self.lengths.outcomes[-1]) + 1)) if batch is None else batch
        for name, value, least in (("transactions", transactions, 0), ("batch", size, 1)):
            if value < least:
                raise UsageError(f"{name} must be at least {least}", where=name)
        return (self._baskets(start, min(size, transactions - start)) for start in range(0, transactions, size))

    def _baskets(self, first: int, rows: int) -> Baskets:
        """The transactions from `first` on."""
        most = len(self.popular.outcomes)
        lengths = np.minimum(self.lengths(words_of(self.key, first, rows, steps=1)[0]) + 1, most)
        items = np.sort(self._filled(first, lengths), axis=1)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        return Baskets(starts, items[items < most])

    def _filled(self, first: int, lengths: Counts) -> Items:
        """(n, longest) the items of the transactions from `first` on, in the order drawn; no item where none is left.

        A slot continues its transaction's pattern, at the next of its items, or begins another, at any of its items;
        an item that the transaction has already is passed over.
        """
        none = len(self.popular.outcomes)
        drawn = np.full((lengths.size, lengths.max()), none, np.int32)
        filled = np.zeros_like(lengths)
        rows = np.arange(lengths.size)  # those with room left, and of each: its pattern, at what item, how many to come
        pattern, place, left = np.zeros((3, rows.size), np.int64)
        slot = 0
        while rows.size:
            slot += 1
            words = words_of(self.key, first, lengths.size, steps=1, slot=slot)[:, rows]
            over = left == 0
            pattern[over] = self.chosen(words[0, over])
            size = self.sizes[pattern]
            place = np.where(over, (words[1] >> np.uint64(1)).astype(np.int64), place + 1) % size
            left = np.where(over, size, left) - 1
            late = slot > _PATIENCE + 8 * lengths[rows]  # few patterns, none corrupted, may not have so many items
            replaced = (words[2] >> np.uint64(64 - _BITS) < self.corruption[pattern]) | late
            item = np.where(replaced, self.popular(words[3]), self.patterns[pattern, place])
            new = (drawn[rows] != item[:, None]).all(1)
            drawn[rows[new], filled[rows[new]]] = item[new]
            filled[rows] += new
            room = filled[rows] < lengths[rows]
            rows, pattern, place, left = rows[room], pattern[room], place[room], left[room]
        return drawn


def _shares(source: np.random.Philox, size: int) -> list[float]:
    """Uniform draws from between 0 and 1."""
    return [(word + 0.5) / 2**53 for word in (source.random_raw(size) >> np.uint64(11)).tolist()]


def _poisson(mean: float) -> RandomDraw:
    """Counts from 0 on, by a Poisson distribution's odds."""
    farthest = ceil(mean + 12 * sqrt(mean)) + 30  # less than one draw in 2^48 would be beyond
    odds = [exp(n * log(mean) - mean - lgamma(n + 1)) for n in range(farthest)] if mean else [1.0]
    return RandomDraw.of([[round(share * (1 << _BITS)) for share in odds]])


def _patterns(source: np.random.Philox, sizes: Index, popular: RandomDraw) -> Items:
    """(p, w) patterns of so many items: some of the one before, then any, by their odds."""
    items = chain.from_iterable(popular(source.random_raw(1 << 12)).tolist() for _ in count())
    shared = [-_CORRELATION * log(share) for share in _shares(source, sizes.size)]
    turns = source.random_raw(sizes.size).tolist()
    patterns = np.zeros((sizes.size, sizes.max()), np.int32)
    before: list[int] = []
    for row, (size, part, turn) in enumerate(zip(sizes.tolist(), shared, turns, strict=True)):
        start = turn % max(len(before), 1)
        pattern = dict.fromkeys([*before[start:], *before[:start]][: round(min(part, 1) * size)])
        while len(pattern) < size:
            pattern[next(items)] = None
        before = list(pattern)
        patterns[row, :size] = before
    return patterns
