"""Undeclared quasi-identifiers: small sets of columns that single out many records.

Motwani, Xu: Efficient Algorithms for Masking and Finding Quasi-Identifiers (2007) measure how well a set of attributes
tells records apart (section 2), and find minimal keys, and sets that are nearly keys, level by level and greedily, on
samples of records. Here a set *identifies* if it makes many records unique, or if a record has on average less than one
other that agrees with it: it then tells nearly all records apart. Supersets of a set that identifies do so too, so only
minimal ones are listed: sets are tried from the smallest on, and grow only while they do not identify.

The declared quasi-identifiers, which an attacker knows, can be part of every set.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations
from math import comb, log, sqrt
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np

from kohort.assessment.classes import classes_of, records_of
from kohort.assessment.risk.reidentification import LISTED
from kohort.errors.display import First, Share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.arrays import Counts, Index
    from kohort.tables.table import CellCodes

#: The share of unique records from which a set identifies.
MANY: Final = 0.05

#: The greatest size of the sets that are tried: few attackers know more than three such columns of many people.
LARGEST: Final = 3

#: Sets that may be tried; where there are more, sizes are left out and a set is built greedily instead.
SETS: Final = 2_000

#: Records that may be visited, over all sets; beyond, a sample of records decides which sets are measured over all.
VISITS: Final = 50_000_000

#: The fewest records of such a sample.
FEWEST: Final = 2_000

#: Confidence that the sample misses no set that is much above the share.
CONFIDENCE: Final = 0.99


@dataclass(frozen=True, slots=True)
class Separation:
    """How well a set of attributes tells records apart; another attribute never lowers the first three figures.

    Attributes:
        distinctness: Distinct tuples per record (the distinct ratio): 1 where the set is a key.
        separation: The share of the pairs of records that differ in the set (the separation ratio).
        unique: The share of records that no other agrees with.
        others: How many other records agree with one, on average.
    """

    distinctness: Share
    separation: Share
    unique: Share
    others: Share


def measured(sizes: Counts) -> Separation:
    """The figures of a set whose equivalence classes have these sizes.

    >>> import numpy as np
    >>> measured(np.array([1, 1, 2]))
    Separation(distinctness=0.75, separation=0.8333333333333334, unique=0.5, others=0.5)
    """
    records = int(sizes.sum())
    pairs, alike = records * (records - 1), int(sizes @ (sizes - 1))
    separation = (pairs - alike) / pairs if pairs else 0.0
    return Separation(sizes.size / records, separation, int((sizes == 1).sum()) / records, alike / records)


@dataclass(frozen=True, slots=True)
class Identifying(Separation):
    """A minimal set of columns that identifies, by its figures over all records.

    Attributes:
        columns: Their names; in a search, their places.
    """

    columns: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class IdentifyingSets:
    """The minimal sets that identify.

    Attributes:
        found: How many there are.
        sets: Smaller sets first, then those that make more records unique, then in the order of columns; JSON has ten.
        base: The figures of the columns in every set, over all records; `None` where there are none.
        tried: How many sets were tried.
        complete: Whether every set up to the greatest size was tried; if not, one more was built greedily.
        sampled: Records of the sample that decided which sets to measure over all; `None` without a sample.
        missed: With a sample: with 99 % confidence, no set was missed whose share of unique records is above this.
    """

    found: int
    sets: Annotated[tuple[Identifying, ...], First(LISTED)]
    base: Separation | None
    tried: int
    complete: bool
    sampled: int | None = None
    missed: Share | None = None


def find(
    columns: Sequence[CellCodes],
    *,
    base: Sequence[CellCodes] = (),
    people: Index | None = None,
    largest: int = LARGEST,
    seed: int = 0,
    visits: int = VISITS,
    sets: int = SETS,
) -> IdentifyingSets:
    """The minimal sets of `columns` that identify, together with all of `base`.

    Cost: a grouping of the records, or of the sample, for each set that is tried.

    Args:
        columns: (n,) codes each, of n records.
        base: Codes of columns that are part of every set.
        people: (n,) the person of each record; people are counted then.
        largest: The greatest size of a set.
        seed: Of the sample.
        visits: Records that may be visited, over all sets.
        sets: Sets that may be tried.

    >>> town, month, day = (np.array(codes, np.uint8) for codes in ([0] * 8, [0, 1] * 4, [0, 0, 1, 1, 2, 2, 3, 3]))
    >>> [one.columns for one in find([town, month, day]).sets]
    [(1, 2)]
    """
    beneath = classes_of(records_of(base)).of if base else None
    whole = partial(_measure, columns, beneath, people)
    known = whole(()) if base else None
    if not columns or (known is not None and _identifies(known)):
        return IdentifyingSets(0, (), known, 0, complete=True)
    greatest, planned = _plan(len(columns), min(largest, len(columns)), sets)
    records, size = columns[0].size, max(FEWEST, visits // planned)
    sample = whole
    if size < records:
        rows = np.random.default_rng(seed).choice(records, size, replace=False)
        below, whose = (None if one is None else one[rows] for one in (beneath, people))
        sample = partial(_measure, [codes[rows] for codes in columns], below, whose)
    search = _LevelwiseSearch(len(columns), whole, sample)
    for width in range(1, greatest + 1):
        search.try_all(width)
    complete = greatest == min(largest, len(columns))
    if not complete:
        search.grow(largest)
    missed = None if sample is whole else MANY + sqrt(log(max(search.tried, 1) / (1 - CONFIDENCE)) / (2 * size))
    found = tuple(sorted(search.found, key=lambda one: (len(one.columns), -one.unique, one.columns)))
    return IdentifyingSets(len(found), found, known, search.tried, complete, None if sample is whole else size, missed)


def _identifies(figures: Separation) -> bool:
    return figures.unique >= MANY or figures.others < 1


def _plan(width: int, largest: int, sets: int) -> tuple[int, int]:
    """The greatest size of which all sets may be tried, at least 1, and how many sets that makes."""
    planned = width
    for size in range(2, largest + 1):
        more = comb(width, size)
        if planned + more > sets:
            return size - 1, planned
        planned += more
    return largest, planned


def _measure(
    columns: Sequence[CellCodes], beneath: Index | None, people: Index | None, chosen: tuple[int, ...]
) -> Separation:
    """The figures of the chosen columns, together with the class of each record by the base."""
    codes = [columns[column] for column in chosen] + ([] if beneath is None else [beneath])
    return measured(classes_of(records_of(codes, people)).sizes)


class _LevelwiseSearch:
    """A search from the smallest sets to larger ones."""

    def __init__(self, width: int, whole: Callable[..., Separation], sample: Callable[..., Separation]) -> None:
        self.width, self.whole, self.sample = width, whole, sample
        self.found: list[Identifying] = []
        self.tried = 0

    def identifying(self, chosen: tuple[int, ...]) -> bool:
        """Whether the set identifies; then it is kept.

        A record that is unique among all is unique in each sample: sets that identify the sample are measured over all.
        """
        self.tried += 1
        figures = self.sample(chosen)
        if _identifies(figures) and self.sample is not self.whole:
            figures = self.whole(chosen)
        if _identifies(figures):
            self.found.append(Identifying(**asdict(figures), columns=chosen))
        return _identifies(figures)

    def minimal(self, chosen: tuple[int, ...]) -> bool:
        return not any(set(one.columns) <= set(chosen) for one in self.found)

    def try_all(self, width: int) -> None:
        """Try every set of so many columns of which no subset identifies."""
        for chosen in combinations(range(self.width), width):
            if self.minimal(chosen):
                self.identifying(chosen)

    def grow(self, largest: int) -> None:
        """Build one set, each time by the column with which most records are unique and fewest agree."""
        chosen: tuple[int, ...] = ()
        for _ in range(largest):
            sets = [tuple(sorted({*chosen, column})) for column in range(self.width)]
            sets = [one for one in sets if len(one) > len(chosen) and self.minimal(one)]
            if not sets:
                return
            self.tried += len(sets)
            chosen = max(sets, key=self._apart)
            if self.identifying(chosen):
                return

    def _apart(self, chosen: tuple[int, ...]) -> tuple[float, float]:
        figures = self.sample(chosen)
        return figures.unique, figures.separation
