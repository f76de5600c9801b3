"""The order cut: put the tuples in an order in which neighbours are alike, and divide it at least loss.

Dividing an order into consecutive classes is solved exactly by dynamic programming: Ghinita, Karras, Kalnis, Mamoulis:
Fast Data Anonymization with Low Information Loss (VLDB 2007), who order the records along a Hilbert curve. Here two
orders are tried, and the one whose division costs less is taken; ties go to the first.

**The tree.** Cuts by loss (`by_loss`) down to ⌈k / FINER⌉ records, no model being asked. Of both sides of a cut the one
comes first that costs less together with the last finished leaf, ties the left one. In a leaf each tuple is followed by
the one that costs least together with it, ties the lexicographically smallest.

**To and fro.** Lexicographic, the attribute first whose steps between values are dearest, every other run of equal
beginnings backwards.

Equal tuples stay together, and where a border runs between them, those of each combination of sensitive values go to
either side in proportion: never by the order of the rows.

Where every model is a bound on size alone, classes have k to 2k - 1 records: larger ones are never better. Other models
are asked about all neighbouring records from k to WINDOW · k, and only the classes that satisfy them count; the release
of the cuts by loss is taken where it costs no more, or no division satisfies. It is also taken where people are
counted, a population is known, a model judges classes together, or there is more to judge than MOST.

Invariant: every class satisfies the models, and the classes follow one another on the line. With k itself as the tree's
least, the leaves of the cuts by loss are a division of the line, so the answer never costs more than theirs.

Cost: the tree, and for n records in u different tuples O(u · k · d) for what classes cost and O(n · k) for the
division; of the records of one tuple no more than 5 k need to be looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.algorithms.method import Method
from kohort.algorithms.mondrian import ordered_kernels as kernels
from kohort.algorithms.mondrian.by_loss import Tree
from kohort.algorithms.mondrian.cost_kernels import groups
from kohort.algorithms.mondrian.costs import Priced
from kohort.algorithms.mondrian.loss_kernels import memory
from kohort.algorithms.mondrian.mondrian import Mondrian, require_feasible
from kohort.algorithms.mondrian.ordered_kernels import NEVER, Division, Line
from kohort.algorithms.mondrian.space import Space
from kohort.algorithms.mondrian.together import require_together
from kohort.algorithms.problem import Solution
from kohort.core.frequency import ClassProfile, Histogram
from kohort.core.recoding import Multidimensional
from kohort.specification import Specification

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.core.frequency import FrequencySet
    from kohort.models.base import PrivacyModel

#: The tree's leaves have so many times fewer records than classes need. On Adult and a register a third cost up to 2 %
#: more, all of k 7 %, a tenth no less.
FINER: Final = 5

#: Times k: the largest class that models are asked about.
WINDOW: Final = 4

#: Classes times sensitive values that models are asked about at most, and at once.
MOST: Final = 1 << 33
AT_ONCE: Final = 1 << 22

#: Times k: of so many equal records and more some are a class of their own in every best division, whatever is beside.
ENOUGH: Final = 5


@dataclass(frozen=True, slots=True)
class Ordered:
    """The order cut.

    Attributes:
        finer: By how much the tree's leaves are smaller than classes.

    >>> Ordered().name
    'ordered'
    """

    finer: int = FINER

    @property
    def name(self) -> str:
        """As on the command line."""
        return "ordered"

    @property
    def distinct(self) -> bool:
        """Dealing equal records needs them as one tuple."""
        return True

    @property
    def full_domain(self) -> bool:
        """It recodes regions, not whole domains."""
        return False

    @property
    def limit(self) -> None:
        """It suppresses no record."""
        return

    @property
    def objective(self) -> None:
        """What it minimises is no metric of a whole release: regions that are released alike are counted apart."""
        return

    def solve(self, problem: Problem) -> Solution:
        """Divide the better of two orders; regions are numbered along it.

        Raises:
            InfeasibleError: the table as a whole does not satisfy the models.
        """
        space = Space.of(problem, "loss", relaxed=False)
        require_feasible(problem, space)
        if space.alone or any(model.declared.joint or model.declared.population for model in problem.models):
            return Mondrian("loss").solve(problem)
        table = Distinct.of(problem)
        divided = [divided_by(table, order, problem, space.least) for order in orders(table, space.least, self.finer)]
        number = min(range(len(divided)), key=lambda one: divided[one].total)
        best = divided[number]
        if not all(model.declared.size_only for model in problem.models):
            by_cuts = Mondrian("loss").solve(problem)
            assert isinstance(by_cuts.recoding, Multidimensional)  # noqa: S101  Mondrian makes no other
            if table.total(by_cuts.recoding) <= best.total:
                return by_cuts
        recoding = table.recoding(best)
        require_together(problem, recoding)
        return Solution(recoding, {"classes": best.ends.size, "order": number})


ORDERED = Method(
    Specification(
        key="ordered",
        title="Order cut",
        sentence="Divides records, in an order in which neighbours are alike, at least loss (as Ghinita et al. 2007).",
        not_promised="Classes may overlap, and are hardly larger than k: without a grid, more exact values follow from "
        "the labels than after strict cuts.",
        properties={"proven": "never: the division is the best of its order, not of the table"},
    ),
    lambda _: Ordered(),
)


class Divided(NamedTuple):
    """An order, and where it is divided.

    Attributes:
        order: (u,) the different tuples.
        ends: (c,) records up to the end of each class.
        total: Records times cost, over all classes.
    """

    order: Index
    ends: Index
    total: int


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """The different tuples of quasi-identifying values of a table, in lexicographic order.

    Attributes:
        frequency: The table.
        priced: (u tuples) what groups of them cost.
        counts: (u,) their records.
        which: (t,) the one that each tuple of the table has.
    """

    frequency: FrequencySet
    priced: Priced
    counts: Counts
    which: Index

    @classmethod
    def of(cls, problem: Problem) -> Distinct:
        """The different tuples of a problem's table."""
        frequency = problem.frequency
        priced = Priced.of(frequency.quasi, problem.domains, frequency.records)
        order = np.lexsort(priced.places.T[::-1])
        ordered = priced.places[order]
        starts = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
        which = np.empty(order.size, np.int64)
        which[order] = np.cumsum(starts) - 1
        counts = np.bincount(which, frequency.counts).astype(np.int64)
        return cls(frequency, replace(priced, places=np.ascontiguousarray(ordered[starts])), counts, which)

    def line(self, order: Index, counts: Counts) -> Line:
        """The tuples in an order, with so many records of each."""
        places = self.priced.places[order]
        ends = np.append(0, np.cumsum(counts[order]))
        return Line(places, ends, self.priced.costs, groups(1, self.priced.costs))

    def spread(self, order: Index, mixed: Mask) -> Index:
        """(n,) the tuple of each record on the line; in runs that are `mixed`, (u,), evenly by sensitive values.

        The record j of c with the same values has the place (j + 1/2) / c in its run; ties go to the smaller values.
        """
        frequency, rank = self.frequency, np.empty_like(order)
        rank[order] = np.arange(order.size)
        run = rank[self.which]
        tuples = np.lexsort((*frequency.sensitive.T[::-1], run))
        counts = frequency.counts[tuples]
        records = np.repeat(tuples, counts)
        chosen = np.flatnonzero(mixed[self.which[records]])
        number = chosen - np.repeat(np.cumsum(counts) - counts, counts)[chosen]
        place = (2 * number + 1) / (2 * frequency.counts[records[chosen]])
        records[chosen] = records[chosen][np.lexsort((chosen, place, run[records[chosen]]))]
        return records

    def recoding(self, divided: Divided) -> Multidimensional:
        """The classes as regions."""
        order, ends = divided.order, divided.ends
        upto = np.cumsum(self.counts[order])
        mixed = np.zeros(order.size, np.bool_)
        mixed[order[np.searchsorted(upto, ends)]] = True
        records = self.spread(order, mixed)
        of = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
        pieces, counts = np.unique(records * ends.size + of, return_counts=True)
        tuples, regions = pieces // ends.size, pieces % ends.size
        by_region = np.argsort(regions, kind="stable")
        quasi, starts = (
            self.frequency.quasi[tuples[by_region]],
            np.searchsorted(regions[by_region], np.arange(ends.size)),
        )
        low, high = np.minimum.reduceat(quasi, starts), np.maximum.reduceat(quasi, starts)
        return Multidimensional(tuples, regions, counts.astype(np.int64), low, high)

    def total(self, recoding: Multidimensional) -> int:
        """Records times cost, over all regions."""
        by_region = np.argsort(recoding.regions, kind="stable")
        regions = recoding.regions[by_region]
        starts = np.searchsorted(regions, np.arange(len(recoding.low) + 1))
        records = np.add.reduceat(recoding.counts[by_region], starts[:-1])
        which, room = self.which[recoding.tuples[by_region]], groups(1, self.priced.costs)
        return kernels.total(self.priced.places, (which, starts, records), self.priced.costs, room)


def orders(table: Distinct, k: int, finer: int) -> Iterator[Index]:
    """The orders that are tried: each (u,) tuples."""
    priced = table.priced
    tree = Tree.grown(priced, table.counts, -(-k // finer), memory(priced.costs), to_and_fro=True)
    order = np.concatenate([tree.rows.tuples[first:last] for first, last in tree.leaves[:, :2].tolist()])
    starts = np.append(0, np.cumsum(tree.leaves[:, 1] - tree.leaves[:, 0]))
    kernels.chain(priced.places, priced.costs, starts, order)
    yield order
    yield to_and_fro(priced)


def to_and_fro(priced: Priced) -> Index:
    """Lexicographic, the dearest steps first, every other run of equal beginnings backwards."""
    places = priced.places.astype(np.int64)
    steps = [np.unique(column).size - 1 for column in places.T]
    dear = [-whole / steps[at] if steps[at] else 0.0 for at, whole in enumerate(priced.costs.whole.tolist())]
    keys = places[:, np.argsort(dear, kind="stable")]
    order = np.lexsort(keys.T[::-1])
    for column in range(1, keys.shape[1]):
        ordered = keys[order]
        run = np.append(0, np.cumsum((ordered[1:, :column] != ordered[:-1, :column]).any(axis=1)))
        values = ordered[:, column]
        keys[order, column] = np.where(run % 2 == 1, values.max() - values, values)
        order = np.lexsort(keys.T[::-1])
    return order


def divided_by(table: Distinct, order: Index, problem: Problem, k: int) -> Divided:
    """The best division of an order."""
    if not all(model.declared.size_only for model in problem.models):
        return _judged(table, order, problem.models, k)
    line = table.line(order, np.minimum(table.counts, ENOUGH * k))
    out = _nothing(int(line.ends[-1]))
    kernels.divide(line, k, np.empty(2 * k, np.int64), out)
    ends = _ends(out)
    run = np.searchsorted(line.ends, ends) - 1
    all_ends = np.append(0, np.cumsum(table.counts[order]))
    inside = ends - line.ends[run]
    more = np.diff(all_ends)[run] - np.diff(line.ends)[run]  # records that were not looked at follow the first 2 k
    return Divided(order, all_ends[run] + inside + more * (inside >= 2 * k), int(out.total[-1]))


def _judged(table: Distinct, order: Index, models: Sequence[PrivacyModel], k: int) -> Divided:
    """The best division of an order into classes of k to WINDOW · k records that satisfy the models."""
    line, records = table.line(order, table.counts), table.frequency.records
    frequency, width = table.frequency, (WINDOW - 1) * k + 1
    cells = width * (1 + sum(map(len, frequency.sensitive_domains)))
    if records * cells > MOST:
        return Divided(order, np.empty(0, np.int64), NEVER)
    sensitive = frequency.sensitive[table.spread(order, np.ones(order.size, np.bool_))]
    runs = np.repeat(np.arange(order.size), np.diff(line.ends))
    out, step = _nothing(records), max(AT_ONCE // cells, 1)
    for first in range(k, records + 1, step):
        last = min(first + step - 1, records)
        ends, sizes = np.meshgrid(np.arange(first, last + 1), np.arange(k, k + width), indexing="ij")
        allowed = (sizes <= ends) & _satisfying(frequency, models, sensitive, np.stack([ends, sizes]))
        kernels.divide_judged(line, (first, last, k), runs, allowed, out)
    return Divided(order, _ends(out), int(out.total[-1]))


def _satisfying(frequency: FrequencySet, models: Sequence[PrivacyModel], sensitive: Codes, asked: Index) -> Mask:
    """(b, w) whether the records before each end, so many of them, satisfy all models; `asked` is ends and sizes."""
    ends, sizes = asked
    low, starts = max(int((ends - sizes).min()), 0), np.maximum(ends - sizes, 0)
    histograms: list[Histogram] = []
    for column, domain in enumerate(frequency.sensitive_domains):
        codes = sensitive[low : int(ends.max()), column]
        upto = np.zeros((codes.size + 1, len(domain) + 1), np.int64)  # a missing value is in the last column
        upto[np.arange(1, codes.size + 1), codes] = 1
        upto = upto.cumsum(axis=0)[:, :-1]
        histograms.append(Histogram(domain, (upto[ends - low] - upto[starts - low]).reshape(-1, len(domain))))
    classes = ClassProfile(sizes.reshape(-1), tuple(histograms))
    satisfied: Mask = np.logical_and.reduce([model.satisfied(classes) for model in models])
    return satisfied.reshape(sizes.shape)


def _nothing(records: int) -> Division:
    """Room for divisions of so many records; no records cost nothing."""
    total = np.full(records + 1, NEVER)
    total[0] = 0
    return Division(total, np.zeros(records + 1, np.int64))


def _ends(out: Division) -> Index:
    """(c,) where the classes of the best division end; none where there is no division."""
    ends: list[int] = []
    end = out.total.size - 1 if out.total[-1] < NEVER else 0
    while end > 0:
        ends.append(end)
        end = int(out.last[end])
    return np.array(ends[::-1], dtype=np.int64)
