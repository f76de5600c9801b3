"""The fewest suppressed cells, proven by an integer program.

Minimal suppression is NP-hard (Meyerson, Williams: On the Complexity of Optimal K-Anonymity, PODS 2004), so this is for
small tables. A *label* is a tuple of values and `*` that covers k records or more. Unknown are which labels are used,
and how many records of each tuple go to each label that covers it: one that is used has k records or more. Of labels
that cover the same tuples only the one of fewest `*` is kept, by weight: it is as good in every release.

Equal tuples may be parted; then the records of each combination of sensitive values go to either side in proportion.

The program knows of k alone. Its bound holds for any release in classes of k records or more, so also where further
models are asked for or people are counted. Its answer is the release where it is cheaper than the greedy one and its
classes satisfy the models; people are not parted. The solver's search ends after NODES nodes at the latest: then the
bound may lie below the optimum. What a solver says is in floating point: its classes are counted again and their cost
is added up in whole numbers, its bound is lowered by more than it may err by and rounded up.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, compress
from math import lcm
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from kohort.algorithms.mondrian.forest import failing
from kohort.algorithms.problem import Solution
from kohort.algorithms.solver import Program, solve
from kohort.core.recoding import Multidimensional
from kohort.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Codes, Counts, Index, Mask

#: Of each class, its tuples with how many records of each.
Classes: TypeAlias = "list[dict[int, int]]"

#: Pairs of a tuple and a label that covers it: more are more than a solver is done with in reasonable time.
MOST_PAIRS: Final = 20_000

#: Sets of columns whose values labels may hide.
MOST_SUBSETS: Final = 1 << 12

#: Nodes after which the solver's search ends.
NODES: Final = 20_000


def optimum(problem: Problem, greedy: Multidimensional) -> Solution:
    """The better of the greedy release and the solver's, with the solver's bound.

    Raises:
        LimitError: the table is too large.
    """
    table, k = _Table.of_problem(problem), problem.k
    labels, known = _Labels.over(table, k), table.classes(greedy)
    answer = solve(labels.program(table, k), labels.given(table, known), most_nodes=NODES)
    best, least = greedy, table.total(known)
    found = labels.classes(np.rint(answer.values).astype(np.int64)) if answer.values.size else []
    if problem.frequency.people is None and table.divided(found, k) and table.total(found) < least:
        recoding = _recoding(problem, table, found)
        if not failing(problem, recoding):
            best, least = recoding, table.total(found)
    bound = min(answer.bound, least)
    trace = {"suppressed_cells": suppressed_cells(best), "labels": len(labels.covered), "nodes": answer.nodes}
    return Solution(best, trace, proven=bound == least, bound=_as_loss(problem, table, bound))


def suppressed_cells(recoding: Multidimensional) -> int:
    """How many cells are suppressed: the records of each region, times the columns in which they differ."""
    hidden = (recoding.low != recoding.high).sum(axis=1)
    return int(np.dot(np.bincount(recoding.regions, recoding.counts).astype(np.int64), hidden))


class _Table(NamedTuple):
    """The different tuples of a table.

    Attributes:
        codes: (u, d) their quasi-identifiers.
        counts: (u,) records of each.
        of: (t,) which of them each tuple of the frequency set has.
        weights: (d,) what a suppressed cell of each column costs, in units.
        unit: How many units a loss of 1 has.
    """

    codes: Codes
    counts: Counts
    of: Index
    weights: tuple[int, ...]
    unit: int

    @classmethod
    def of_problem(cls, problem: Problem) -> _Table:
        """The tuples in lexicographic order, whatever that of the frequency set."""
        quasi: NDArray[np.uint32] = problem.frequency.quasi.astype(np.uint32)
        codes, of = np.unique(quasi, axis=0, return_inverse=True)
        weights = [Fraction(domain.attribute.weight) for domain in problem.domains]
        unit = lcm(*(one.denominator for one in weights))
        counts = np.bincount(of.reshape(-1), problem.frequency.counts).astype(np.int64)
        return cls(codes, counts, of.reshape(-1), tuple(int(one * unit) for one in weights), unit)

    def hidden(self, tuples: Index) -> Mask:
        """(d,) the columns in which some tuples differ."""
        codes = self.codes[tuples]
        differ: Mask = (codes != codes[0]).any(axis=0)
        return differ

    def cost(self, tuples: Index) -> int:
        """What a record costs in a class of these tuples."""
        return sum(compress(self.weights, self.hidden(tuples).tolist()))

    def total(self, classes: Classes) -> int:
        return sum(sum(one.values()) * self.cost(np.array([*one])) for one in classes)

    def closure(self, tuples: Index) -> Index:
        """All tuples that the label of these covers."""
        kept = ~self.hidden(tuples)
        return np.flatnonzero((self.codes[:, kept] == self.codes[tuples[0], kept]).all(axis=1))

    def alike(self, kept: Sequence[int], k: int) -> Iterator[Index]:
        """The tuples with the same values in some columns, wherever these are k records or more."""
        of = np.unique(self.codes[:, list(kept)], axis=0, return_inverse=True)[1].reshape(-1)
        large = np.flatnonzero(np.bincount(of, self.counts) >= k)
        return (np.flatnonzero(of == label) for label in large.tolist())

    def classes(self, recoding: Multidimensional) -> Classes:
        found: list[Counter[int]] = [Counter() for _ in recoding.low]
        pieces = zip(
            self.of[recoding.tuples].tolist(), recoding.regions.tolist(), recoding.counts.tolist(), strict=True
        )
        for at, region, count in pieces:
            found[region][at] += count
        return [dict(one) for one in found]

    def divided(self, classes: Classes, k: int) -> bool:
        """Whether the classes have k records or more, and hold every record once."""
        held = np.zeros_like(self.counts)
        for one in classes:
            held[[*one]] += [*one.values()]
        return np.array_equal(held, self.counts) and all(sum(one.values()) >= k for one in classes)


class _Labels(NamedTuple):
    """The labels of an integer program.

    Attributes:
        covered: The tuples that each covers, ascending.
        costs: (l,) what each costs a record.
        pairs: (p, 2) every tuple with every label that covers it, label by label.
    """

    covered: list[Index]
    costs: Counts
    pairs: Index

    @classmethod
    def over(cls, table: _Table, k: int) -> _Labels:
        """Every label that covers k records or more; of those that cover the same tuples, the cheapest.

        Raises:
            LimitError: there are too many.
        """
        columns = [at for at in range(table.codes.shape[1]) if (table.codes[:, at] != table.codes[0, at]).any()]
        if 1 << len(columns) > MOST_SUBSETS:
            raise _too_large(table)
        found: dict[bytes, Index] = {}
        for size in range(len(columns) + 1):
            for kept in combinations(columns, size):
                found |= {tuples.tobytes(): tuples for tuples in table.alike(kept, k)}
            if sum(tuples.size for tuples in found.values()) > MOST_PAIRS:
                raise _too_large(table)
        covered = list(found.values())
        pairs = [np.column_stack([tuples, np.full(tuples.size, at)]) for at, tuples in enumerate(covered)]
        return cls(covered, np.array([table.cost(tuples) for tuples in covered]), np.concatenate(pairs))

    def given(self, table: _Table, classes: Classes) -> Counts:
        """The unknowns that stand for classes: of each label whether it is used, and how many records each pair has."""
        number = {tuples.tobytes(): at for at, tuples in enumerate(self.covered)}
        place = {(one, label): at for at, (one, label) in enumerate(self.pairs.tolist())}
        used, counts = np.zeros(len(self.covered), np.int64), np.zeros(len(self.pairs), np.int64)
        for one in classes:
            label = number[table.closure(np.array([*one])).tobytes()]
            used[label] = 1
            for at, count in one.items():
                counts[place[at, label]] += count
        return np.concatenate([used, counts])

    def classes(self, given: Counts) -> Classes:
        counts = given[len(self.covered) :]
        found: list[dict[int, int]] = [{} for _ in self.covered]
        for (one, label), count in zip(self.pairs.tolist(), counts.tolist(), strict=True):
            if count:
                found[label][one] = count
        return [one for one in found if one]

    def program(self, table: _Table, k: int) -> Program:
        """The integer program: first whether each label is used, then how many records each pair has."""
        tuple_of, label_of = self.pairs.T
        labels, pairs, unknown = len(self.covered), len(self.pairs), len(self.covered) + np.arange(len(self.pairs))
        counts = table.counts[tuple_of]
        used = np.arange(labels)
        rows = [  # row, unknown, factor
            (tuple_of, unknown, np.ones(pairs, np.int64)),  # all records of a tuple, no more
            (table.counts.size + tuple_of, unknown, np.full(pairs, -1)),
            (2 * table.counts.size + used, used, np.full(labels, -k)),  # k records of a label that is used
            (2 * table.counts.size + label_of, unknown, np.ones(pairs, np.int64)),
            (2 * table.counts.size + labels + np.arange(pairs), label_of, counts),  # none of one that is not
            (2 * table.counts.size + labels + np.arange(pairs), unknown, np.full(pairs, -1)),
        ]
        row, index, factors = (np.concatenate(part) for part in zip(*rows, strict=True))
        order = np.argsort(row, kind="stable")
        floors = np.concatenate([table.counts, -table.counts, np.zeros(labels + pairs, np.int64)])
        starts = np.searchsorted(row[order], np.arange(floors.size + 1))
        costs = np.concatenate([np.zeros(labels, np.int64), self.costs[label_of]])
        most = np.concatenate([np.ones(labels, np.int64), counts])
        return Program(costs, most, starts, index[order], factors[order], floors)


def _too_large(table: _Table) -> LimitError:
    tuples, columns = table.codes.shape
    what = f"{tuples:,} different tuples of {columns} quasi-identifiers are too many to prove an optimum"
    return LimitError(what, where="method", hint="choose suppress-cells, which finds a good release without a proof")


def _recoding(problem: Problem, table: _Table, classes: Classes) -> Multidimensional:
    """The classes as regions; records of one tuple are dealt to its classes evenly by their sensitive values."""
    frequency = problem.frequency
    shares: list[list[tuple[int, int]]] = [[] for _ in table.counts]
    for region, one in enumerate(classes):
        for at, count in one.items():
            shares[at].append((region, count))
    pieces: list[tuple[int, int]] = []
    for at, share in enumerate(shares):
        rows = np.flatnonzero(table.of == at)
        rows = rows[np.lexsort(frequency.sensitive[rows].T[::-1])] if frequency.sensitive.shape[1] else rows
        counts = frequency.counts[rows].tolist()
        spread = sorted(
            (Fraction(2 * number + 1, 2 * count), kind) for kind, count in enumerate(counts) for number in range(count)
        )
        regions = (region for region, count in share for _ in range(count))
        pieces += [(int(rows[kind]), region) for (_, kind), region in zip(spread, regions, strict=True)]
    dealt, records = np.unique(np.array(pieces), axis=0, return_counts=True)
    tuples, regions_of = dealt.T
    low = np.array([table.codes[[*one]].min(axis=0) for one in classes])
    high = np.array([table.codes[[*one]].max(axis=0) for one in classes])
    return Multidimensional(tuples, regions_of, records.astype(np.int64), low, high, nodes=True)


def _as_loss(problem: Problem, table: _Table, cells: int) -> float:
    """So many cells, by weight, as LM; records that the schema suppressed lose everything."""
    gone = problem.suppressed_by_schema
    return float(Fraction(cells + gone * sum(table.weights), table.unit * (problem.frequency.records + gone)))
