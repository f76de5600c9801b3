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

**Again.** Where sizes alone decide, the better order is divided ROUNDS times more, each time after its classes, and the
records of each, have been put in a new order (`reordering`). Every class stays together, so that no round makes the
release dearer. Asking other models again would take about as long as all the rest.

Where every model is a bound on size alone, classes have k to 2k - 1 records: larger ones are never better. Other models
are asked about all neighbouring records from k to WINDOW · k, and only the classes that satisfy them count; the release
of the cuts by loss is taken where it costs no more, or no division satisfies. It is also taken where people are
counted, a population is known, a model judges classes together, or there is more to judge than MOST.

Invariant: every class satisfies the models, and the classes follow one another on the line. With k itself as the tree's
least, the leaves of the cuts by loss are a division of the line, so the answer never costs more than theirs.

Cost: the tree, and for n records of d attributes O(n · k) for the division and O(n · (d + c)) for what classes cost,
where c of the classes that might end before a record become dearer with it, counted for each attribute: at most 2 k d,
mostly a few, since neighbours are alike. Of the records of one tuple no more than 5 k need to be looked at. The rounds
add about a third to the time of all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.algorithms.method import Method
from kohort.algorithms.mondrian.by_loss import Tree
from kohort.algorithms.mondrian.costs import Groups, Priced
from kohort.algorithms.mondrian.division import NEVER, Division, Line, Window, divide
from kohort.algorithms.mondrian.forest import require_together
from kohort.algorithms.mondrian.loss_kernels import memory
from kohort.algorithms.mondrian.mondrian import Mondrian, require_feasible
from kohort.algorithms.mondrian.reordering import BESIDE, reordered
from kohort.algorithms.mondrian.space import Space
from kohort.algorithms.problem import Solution
from kohort.core.frequency import ClassProfile, Histogram
from kohort.core.order import SortKey, order_by
from kohort.core.recoding import Multidimensional
from kohort.native.library import CHAIN, ENCLOSE, GATHER, TURN
from kohort.schema import Label
from kohort.specification import Specification
from kohort.system.workspace import BLOCK, HEAP, blocks, ordinals, tallied

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.core.frequency import FrequencySet
    from kohort.models.base import PrivacyModel
    from kohort.schema.domain import Domain
    from kohort.system.workspace import Workspace

#: The tree's leaves have so many times fewer records than classes need. On Adult and a register a third cost up to 2 %
#: more, all of k 7 %, a tenth no less.
FINER: Final = 5

#: How often the better order is put anew and divided. At k = 10 the first round saves 1 to 3 %, the second 0.3 to 2 %.
ROUNDS: Final = 2

#: Records of a line that are divided before it is asked whether it costs too much already.
AT_A_TIME: Final = 1 << 12

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
    name = "ordered"
    distinct = True
    full_domain = False
    limit = None
    objective = None

    @property
    def each_tuple(self) -> int:
        """Bytes of the workspace that it takes at most for each tuple, besides copies of the codes."""
        return 150

    def each_class(self, domains: Sequence[Domain]) -> int:
        """The same for each class: which values it has."""
        return sum(16 + (len(one) // 8 + 8) * (one.label is Label.SET) for one in domains)

    def solve(self, problem: Problem) -> Solution:
        """Divide the better of two orders; regions are numbered along it.

        Raises:
            InfeasibleError: the table as a whole does not satisfy the models.
        """
        space = Space.of(problem)
        require_feasible(problem, space)
        if space.alone or any(model.declared.joint or model.declared.population for model in problem.models):
            return Mondrian("loss").solve(problem)
        table = Distinct.of(problem)
        tried = iter(orders(table, space.least, self.finer))
        best, number = divided_by(table, next(tried), problem, space.least), 0
        other = divided_by(table, next(tried), problem, space.least, best.total)
        if other.total < best.total:
            best, number = other, 1
        if all(model.declared.size_only for model in problem.models):
            best = again(table, best, problem, space.least)
        else:
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
        sentence=(
            "Sorts the records so that neighbours are similar, and divides them at the least loss (as "
            "Ghinita et al. 2007)."
        ),
        not_promised="Secrets of the division: classes may overlap and are hardly larger than k, so without a grid "
        "more exact values follow from the labels than after strict cuts; with a model of sensitive values, which of "
        "several equal people was put in which class tells of these values, on a grid as well.",
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
        workspace: Where rows live.
    """

    frequency: FrequencySet
    priced: Priced
    counts: Counts
    which: Index
    workspace: Workspace = HEAP

    @classmethod
    def of(cls, problem: Problem) -> Distinct:
        """The different tuples of a problem's table."""
        frequency = problem.frequency
        priced = Priced.of(frequency.quasi, problem.domains, frequency.records, workspace=problem.workspace)
        room, order = problem.workspace, lexicographic(priced.places, problem.workspace)
        ordered = room.taken(priced.places, order)
        which, starts = room.empty(order.size, np.int64), room.empty(order.size, np.bool_)
        starts[:1], different = True, -1
        for some in blocks(order.size):
            part = ordered[max(some.start - 1, 0) : some.stop]
            starts[max(some.start, 1) : some.stop] = (part[1:] != part[:-1]).any(axis=1)
            number = different + np.cumsum(starts[some])
            which[order[some]], different = number, int(number[-1])
        counts = tallied(which, different + 1, frequency.counts, room)
        places = room.taken(ordered, np.flatnonzero(starts))
        return cls(frequency, replace(priced, places=places), counts, which, room)

    def line(self, order: Index, counts: Counts) -> Line:
        """The tuples in an order, with so many records of each."""
        return Line(self.workspace.taken(self.priced.places, order), self.upto(order, counts), self.priced.costs)

    def upto(self, order: Index, counts: Counts) -> Index:
        """(u + 1,) records before each tuple of an order, with so many records of each, and all."""
        ends = self.workspace.empty(order.size + 1, np.int64)
        ends[0] = 0
        np.cumsum(self.workspace.taken(counts, order), out=ends[1:])
        return ends

    def spread(self, run: Index, mixed: Mask) -> Index:
        """The tuple of each record of the runs that are `mixed`, run by run.

        Records with the same sensitive values lie evenly in a run: the one numbered j of c has the place (j + 1/2) / c,
        and ties go to the smaller values.

        Args:
            run: (u,) where each different tuple is on the line.
            mixed: (u,) of the line's runs.
        """
        room, frequency = self.workspace, self.frequency
        runs = room.taken(run, self.which)
        by_run = order_by([SortKey(runs), *(SortKey(column) for column in frequency.sensitive.T)], room)
        by_run = _where(by_run, room.taken(mixed, room.taken(runs, by_run)), room)
        of, counts = room.taken(runs, by_run), room.taken(frequency.counts, by_run)
        found, first, number = room.empty(int(counts.sum()), np.int64), 0, 0
        while first < of.size:
            last = int(of[min(first + BLOCK, of.size) - 1])
            some = slice(first, int(np.searchsorted(of, last, side="right")))  # of whole runs
            records = np.repeat(by_run[some], counts[some])
            place = (2 * ordinals(counts[some]) + 1) / (2 * np.repeat(counts[some], counts[some]))
            found[number : number + records.size] = records[np.lexsort((place, np.repeat(of[some], counts[some])))]
            first, number = some.stop, number + records.size
        return found

    def recoding(self, divided: Divided) -> Multidimensional:
        """The classes as regions."""
        quasi, classes, room = self.frequency.quasi, divided.ends.size, self.workspace
        borders = Borders.of(self, divided)
        (tuples, regions, counts), number = (room.empty(borders.pieces, np.int64) for _ in range(3)), 0
        for part in borders.parted(self, divided):
            some = slice(number, number + part[0].size)
            tuples[some], regions[some], counts[some] = part
            number = some.stop
        low, high = (quasi[:1].repeat(classes, axis=0) for _ in range(2))
        low[:], high[:] = np.iinfo(quasi.dtype).max, 0
        ENCLOSE(quasi, quasi.shape[1], tuples, regions, low, high)
        return Multidimensional(tuples, regions, counts, low, high)

    def total(self, recoding: Multidimensional) -> int:
        """Records times cost, over all regions."""
        by_region = np.argsort(recoding.regions, kind="stable")
        regions = recoding.regions[by_region]
        starts = np.searchsorted(regions, np.arange(len(recoding.low) + 1))
        records = np.add.reduceat(recoding.counts[by_region], starts[:-1])
        which, costs = self.which[recoding.tuples[by_region]], self.priced.costs
        some = Groups.empty(records.size, costs, self.workspace)
        GATHER(costs, self.priced.places, which, starts, some)
        return int(records @ some.cost(costs))


@dataclass(frozen=True, slots=True, eq=False)
class Borders:
    """Where the borders of a division run: between equal records, those of one tuple or of several, or beside them.

    Attributes:
        run: (u,) where each different tuple is on the line.
        upto: (u + 1,) records before each run, and all.
        first: (u,) the class in which each run begins.
        last: (u,) the class in which it ends.
        dealt: (u,) whether a border runs between records of several tuples.
        keys: (m,) tuples of such runs and their classes, as one number, ascending.
        shares: (m,) the records of these.
        pieces: How many pieces the division makes of all tuples.
    """

    run: Index
    upto: Index
    first: NDArray[np.uint32]
    last: NDArray[np.uint32]
    dealt: Mask
    keys: Index
    shares: Counts
    pieces: int

    @classmethod
    def of(cls, table: Distinct, divided: Divided) -> Borders:
        """Those of a division."""
        (order, ends, _), room = divided, table.workspace
        run, upto = inverse(order, room), table.upto(order, table.counts)
        first, last = (room.numbers(order.size) for _ in range(2))
        tuples = tallied(table.which, order.size, workspace=room)
        dealt, pieces = room.empty(order.size, np.bool_), 0
        for some in blocks(order.size):
            first[some] = np.searchsorted(ends, upto[some], side="right")
            last[some] = np.searchsorted(ends, upto[1:][some] - 1, side="right")
            of = tuples.take(order[some])
            dealt[some] = (first[some] < last[some]) & (of > 1)
            pieces += int(np.where(dealt[some], 0, np.where(of > 1, of, last[some] - first[some] + 1)).sum())
        whose, runs = table.spread(run, dealt), np.flatnonzero(dealt)
        place = room.counted_up(upto[runs], upto[runs + 1] - upto[runs])
        keys, shares = np.unique(whose * ends.size + np.searchsorted(ends, place, side="right"), return_counts=True)
        return cls(run, upto, first, last, dealt, keys, shares, pieces + keys.size)

    def parted(self, table: Distinct, divided: Divided) -> Iterator[tuple[Index, Index, Counts]]:
        """Some at a time: the tuple of each piece, ascending, its class, and its records."""
        ends, counts = divided.ends, table.frequency.counts
        begins = ends - np.diff(ends, prepend=0)
        for some in blocks(table.which.size):
            runs = self.run.take(table.which[some])
            kept = np.flatnonzero(~self.dealt.take(runs))
            parts = (self.last.take(runs) - self.first.take(runs)).astype(np.int64)[kept] + 1
            cut = np.repeat(kept, parts)
            into = self.first.take(runs).astype(np.int64)[cut] + ordinals(parts)
            low = np.maximum(begins.take(into), self.upto.take(runs[cut]))
            sizes = np.minimum(ends.take(into), self.upto.take(runs[cut] + 1)) - low
            sizes = np.where(np.repeat(parts, parts) > 1, sizes, counts[some].take(cut))
            dealt = slice(*np.searchsorted(self.keys, [some.start * ends.size, some.stop * ends.size]))
            tuples = np.concatenate([some.start + cut, self.keys[dealt] // ends.size])
            by_tuple = np.argsort(tuples, kind="stable")  # two ascending runs, which are merged
            regions = np.concatenate([into, self.keys[dealt] % ends.size])
            yield tuples[by_tuple], regions[by_tuple], np.concatenate([sizes, self.shares[dealt]])[by_tuple]


def orders(table: Distinct, k: int, finer: int) -> Iterator[Index]:
    """The orders that are tried: each (u,) tuples."""
    priced = table.priced
    least, scan = -(-k // finer), memory(priced.costs)
    tree = Tree.grown(priced, table.counts, least, scan, to_and_fro=True, workspace=table.workspace)
    sizes, room = tree.leaves[:, 1] - tree.leaves[:, 0], table.workspace
    order = room.empty(int(sizes.sum()), np.int64)
    order[:] = room.taken(tree.rows.tuples, room.counted_up(tree.leaves[:, 0], sizes))
    CHAIN(priced.costs, priced.places, np.append(0, np.cumsum(sizes)), order)
    yield order
    yield to_and_fro(priced, table.workspace)


def to_and_fro(priced: Priced, workspace: Workspace = HEAP) -> Index:
    """Lexicographic, the dearest steps first, every other run of equal beginnings backwards."""
    keys = workspace.copied(priced.places)
    steps = [np.count_nonzero(np.bincount(column)) - 1 for column in keys.T]
    dear = [-whole / steps[at] if steps[at] else 0.0 for at, whole in enumerate(priced.costs.whole.tolist())]
    by_cost = np.argsort(dear, kind="stable")
    for some in blocks(len(keys)):
        keys[some] = keys[some][:, by_cost]
    order, (runs, spare) = lexicographic(keys, workspace), (workspace.empty((len(keys), 2), np.int64) for _ in range(2))
    TURN(workspace.taken(keys, order), keys.shape[1], runs, spare)
    return workspace.taken(order, runs[:, 0])


def lexicographic(keys: Codes, workspace: Workspace = HEAP) -> Index:
    """The order of rows, the first column deciding first."""
    order = workspace.empty(len(keys), np.int64)
    order[:] = order_by([SortKey(column) for column in keys.T], workspace)
    return order


def inverse(order: Index, workspace: Workspace = HEAP) -> Index:
    """Where each stands in an order of all."""
    place = workspace.empty(order.size, np.int64)
    for some in blocks(order.size):
        place[order[some]] = np.arange(some.start, some.stop)
    return place


def _where(numbers: NDArray[np.uint32], chosen: Mask, workspace: Workspace) -> NDArray[np.uint32]:
    made, upto = workspace.numbers(int(np.count_nonzero(chosen))), 0
    for some in blocks(numbers.size):
        part = numbers[some][chosen[some]]
        made[upto : upto + part.size] = part
        upto += part.size
    return made


def again(table: Distinct, divided: Divided, problem: Problem, k: int) -> Divided:
    """The division after ROUNDS new orders; windows begin elsewhere each time, for no class may leave its own."""
    for number in range(ROUNDS):
        upto = table.upto(divided.order, table.counts)[1:]
        first = BESIDE // (1 + number % 2)
        order = reordered(table.priced, divided.order, upto, divided.ends, first, workspace=table.workspace)
        divided = divided_by(table, order, problem, k)
    return divided


def divided_by(table: Distinct, order: Index, problem: Problem, k: int, most: int = NEVER) -> Divided:
    """The best division of an order; or none, where sizes decide and already its beginning costs `most` or more.

    Every division has a border among any 2 k - 1 records, so that it costs no less than the cheapest of these.
    """
    if not all(model.declared.size_only for model in problem.models):
        return _judged(table, order, problem.models, k)
    few = table.workspace.empty(table.counts.size, np.int64)
    line = table.line(order, np.minimum(table.counts, ENOUGH * k, out=few))
    records = int(line.ends[-1])
    out, seen = Division.none(records, table.workspace), Window.of(2 * k - 1, line.costs)
    for first in range(1, records + 1, AT_A_TIME):
        last, run = min(first + AT_A_TIME - 1, records), int(np.searchsorted(line.ends, first)) - 1
        divide(line, (first, last, k, run), np.empty((0, k), np.bool_), seen, out)
        if last >= 2 * k and out.total[last - 2 * k + 2 : last + 1].min() >= most:
            return Divided(order, np.empty(0, np.int64), NEVER)
    ends = out.ends
    runs = np.searchsorted(line.ends, ends) - 1
    all_ends = table.upto(order, table.counts)
    inside = ends - line.ends[runs]
    seen_of = line.ends[runs + 1] - line.ends[runs]
    more = all_ends[runs + 1] - all_ends[runs] - seen_of  # records that were not looked at follow the first 2 k
    return Divided(order, all_ends[runs] + inside + more * (inside >= 2 * k), int(out.total[-1]))


def _judged(table: Distinct, order: Index, models: Sequence[PrivacyModel], k: int) -> Divided:
    """The best division of an order into classes of k to WINDOW · k records that satisfy the models."""
    line, records = table.line(order, table.counts), table.frequency.records
    frequency, width = table.frequency, (WINDOW - 1) * k + 1
    cells = width * (1 + sum(map(len, frequency.sensitive_domains)))
    if records * cells > MOST:
        return Divided(order, np.empty(0, np.int64), NEVER)
    every = table.workspace.empty(order.size, np.bool_)
    every[:] = True
    sensitive = table.workspace.taken(frequency.sensitive, table.spread(inverse(order, table.workspace), every))
    out, step = Division.none(records, table.workspace), max(AT_ONCE // cells, 1)
    seen = Window.of(k + width - 1, line.costs)
    for first in range(1, records + 1, step):
        last = min(first + step - 1, records)
        ends, sizes = np.meshgrid(np.arange(first, last + 1), np.arange(k, k + width), indexing="ij")
        allowed = (sizes <= ends) & _satisfying(frequency, models, sensitive, np.stack([ends, sizes]))
        run = int(np.searchsorted(line.ends, first)) - 1
        divide(line, (first, last, k, run), allowed, seen, out)
    return Divided(order, out.ends, int(out.total[-1]))


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
