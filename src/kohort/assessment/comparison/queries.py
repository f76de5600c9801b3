"""Query error: how well a release answers a random workload of COUNT queries, compared with the table before.

A query picks 1 to d of the quasi-identifiers, every number of them equally likely, and a record of the table before. It
counts the records that agree with that record: in a column of names by the same name, in a column of numbers by a range
around its number, which contains a share of about 0.1^(1/m) of the records where the query has m columns: a tenth for
one range, and for all m together if they are independent. The true answer is counted in the table before; the release
answers with the expected number, a generalized cell being uniform over what it covers and columns independent within
it. Nothing is scaled up for suppressed records, so their loss is part of the error.

The relative error is |expected - true| / max(true, bound). The bound, 0.1 % of the records, keeps queries that hardly
any record fits from dominating it: a sanity bound, as Garofalakis and Gibbons have one (Probabilistic Wavelet
Synopses, TODS 2004). Workloads of this kind: Xiao, Tao: Anatomy (VLDB 2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.assessment.comparison.line import keys_of
from kohort.errors import UsageError
from kohort.errors.display import Share  # noqa: TC001  pydantic reads what fields are

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask, Shares
    from kohort.assessment.comparison.line import ColumnLine, Places, Side

#: The share of the records that the ranges of a query hold together, were columns independent.
SELECTIVITY: Final = 0.1

#: One over the share of the records that is the least that an error refers to.
SANITY: Final = 1000

#: The default number of queries.
QUERIES: Final = 200


@dataclass(frozen=True, slots=True)
class Workload:
    """The relative errors of a random workload.

    Attributes:
        columns: The quasi-identifiers that queries were about.
        queries: How many there were.
        seed: The same seed makes the same queries of the same records.
        bound: Records that an error at least refers to.
        median: Half of the queries had an error of at most this.
        mean: The mean error.
        percentile_90: Nine of ten queries had an error of at most this.
    """

    columns: tuple[str, ...]
    queries: int
    seed: int
    bound: int
    median: Share
    mean: Share
    percentile_90: Share


def workload(lines: Sequence[ColumnLine], queries: int = QUERIES, *, seed: int = 0) -> Workload:
    """The errors of `queries` random counts over the columns of some lines.

    Cost: per query a pass over the distinct tuples of the release, and one for each column over those of the table.

    Raises:
        UsageError: There is no column or no query, or the seed is no whole number of at least 0.
    """
    if not lines:
        raise UsageError("no quasi-identifying column is known", where="queries", hint="name a column with --quasi")
    if type(queries) is not int or queries < 1:
        raise UsageError("the number of queries must be a whole number of at least 1", where="queries")
    if type(seed) is not int or seed < 0:
        raise UsageError("a seed is a whole number of at least 0", where="seed")
    before, after = (Tuples.of([line.sides[at] for line in lines]) for at in (0, 1))
    scales = [Ranges.of(line, codes) for line, codes in zip(lines, before.codes, strict=True)]
    random = Random(seed)  # noqa: S311  drawn to measure, not to hide
    bound = max(1, -(-before.total // SANITY))
    errors = np.empty(queries)
    for at in range(queries):
        query = draw(random, before, scales)
        true, expected = before.counted([scales[one.column].fit(one) for one in query]), after.expected(query)
        errors[at] = abs(expected - true) / max(true, bound)
    median, most = np.quantile(errors, (0.5, 0.9))
    names = tuple(line.name for line in lines)
    return Workload(names, queries, seed, bound, float(median), float(errors.mean()), float(most))


@dataclass(frozen=True, slots=True)
class Predicate:
    """One condition of a query: a place from `low` to `high`, or a missing number where these are not numbers."""

    column: int
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Tuples:
    """The distinct tuples of a table, in the order of their texts.

    Attributes:
        sides: (d,) the columns.
        codes: (d,) the label of each of t tuples.
        records: (t,) records with each.
        upto: (t,) those up to each.
    """

    sides: Sequence[Side]
    codes: Sequence[Index]
    records: Counts
    upto: Counts

    @classmethod
    def of(cls, sides: Sequence[Side]) -> Tuples:
        """The tuples of some columns of a table."""
        _, first, records = np.unique(keys_of(sides), return_index=True, return_counts=True)
        return cls(sides, [side.codes[first].astype(np.int64) for side in sides], records, np.cumsum(records))

    @property
    def total(self) -> int:
        """All records."""
        return int(self.records.sum())

    def counted(self, fits: Sequence[Mask]) -> int:
        """The records of the tuples that fulfil every condition; of `fits`, (t,) each, the first is overwritten."""
        every = fits[0]
        for fit in fits[1:]:
            every &= fit
        return int(self.records[every].sum())

    def expected(self, query: Sequence[Predicate]) -> float:
        """How many records are expected to fit the query."""
        fits = [_fit(self.sides[one.column], one) for one in query]
        able = [fit > 0 for fit in fits]
        codes = [self.codes[one.column] for one in query]
        fitting = [int(self.sides[one.column].records[some].sum()) for one, some in zip(query, able, strict=True)]
        rows: Index | None = None  # the tuples that may fit the columns so far, that which fewest fit first
        order: list[int] = np.argsort(fitting, kind="stable").tolist()
        for at in order:
            some = np.flatnonzero(able[at][codes[at] if rows is None else codes[at][rows]])
            rows = some if rows is None else rows[some]
        expected: Shares = self.records[rows].astype(np.float64)
        for fit, code in zip(fits, codes, strict=True):
            expected *= fit[code[rows]]
        return float(expected.sum())


def _fit(side: Side, one: Predicate) -> Shares:
    """(l,) the probability that each label stands for a value that fulfils the predicate."""
    if np.isnan(one.low):
        return (~side.valued).astype(np.float64)
    return side.means.within(one.low, one.high)


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """A column before, as queries are drawn from it.

    Attributes:
        numeric: Whether queries select ranges of it.
        centres: (l,) the place of each label, which stands for one at most; not a number where it stands for none.
        places: (v,) the places, ascending.
        upto: (v,) records up to each.
        ranks: (t,) the rank of each tuple's label among the places; those without a place come last.
    """

    numeric: bool
    centres: Places
    places: Places
    upto: Counts
    ranks: NDArray[np.unsignedinteger]

    @classmethod
    def of(cls, line: ColumnLine, codes: Index) -> Ranges:
        """The scale of one column, in which tuples have these labels."""
        side = line.before
        centres = side.means.centres()
        order = np.argsort(centres, kind="stable")
        ranks = np.empty(order.size, np.min_scalar_type(order.size))
        ranks[order] = np.arange(order.size)
        valued = order[: int(side.valued.sum())]
        return cls(line.numeric, centres, centres[valued], np.cumsum(side.records[valued]), ranks[codes])

    def fit(self, one: Predicate) -> Mask:
        """(t,) which tuples fulfil a condition: the ranks of those that do are consecutive."""
        first, end = self.places.size, self.centres.size
        if not np.isnan(one.low):
            first = int(np.searchsorted(self.places, one.low))
            end = int(np.searchsorted(self.places, one.high, side="right"))
        fits: Mask = self.ranks - first < end - first  # of a rank before the first, the difference wraps around
        return fits

    def around(self, place: float, share: float, random: Random) -> tuple[float, float]:
        """A range that holds a place, and with it about a share of the records; where it lies is random."""
        total, at = float(self.upto[-1]), int(np.searchsorted(self.places, place))
        below = float(self.upto[at - 1]) if at else 0.0
        rank = below + random.random() * (float(self.upto[at]) - below)
        start = min(max(rank - random.random() * share * total, 0.0), (1 - share) * total)
        first = int(np.searchsorted(self.upto, start, side="right"))
        last = min(int(np.searchsorted(self.upto, start + share * total)), self.upto.size - 1)
        return min(float(self.places[first]), place), max(float(self.places[last]), place)


def draw(random: Random, before: Tuples, scales: Sequence[Ranges]) -> list[Predicate]:
    """A random query: some of the columns, and a condition for each."""
    number = random.randint(1, len(scales))
    columns = sorted(random.sample(range(len(scales)), number))
    row = int(np.searchsorted(before.upto, random.randrange(before.total), side="right"))
    share = SELECTIVITY ** (1 / number)
    query: list[Predicate] = []
    for column in columns:
        scale = scales[column]
        low = high = float(scale.centres[before.codes[column][row]])
        if scale.numeric and not np.isnan(low):
            low, high = scale.around(low, share, random)
        query.append(Predicate(column, low, high))
    return query
