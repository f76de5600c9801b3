"""Upper cuts by the expected loss of k records, tried beside cuts by loss; not part of kohort.

    KOHORT_DATA=folder python -m bench.expected_loss [--tables adult register ancestors] [--k 5 10 100] [--until 16]

While a partition holds more than `until` times k records, its cost is not the loss of one label for all of it but what
a class of k records drawn from it would lose on average: of a set, the mean of the sum of 1 - (1 - p)^k over its
values, less 1; of numbers, the sum of gap · (1 - F^k - (1 - F)^k) over the gaps between neighbours; of common
ancestors, the sum over all nodes of p^k times what the node loses less than its parent. Smaller partitions are cut by
loss as usual. Candidates are all prefixes, and of sets one value against the rest.

For each table of `bench.utility` and each k: the mean loss of a quasi-identifier (LM/d) after cuts by loss and the
order cut, as they are and with such upper cuts, and the CPU seconds of this plain version.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.utility import subjects
from kohort.algorithms.mondrian.by_loss import Tree
from kohort.algorithms.mondrian.costs import Priced
from kohort.algorithms.mondrian.loss_kernels import memory
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import FINER, Distinct, Ordered, divided_by
from kohort.algorithms.problem import Solution
from kohort.core.recoding import Multidimensional
from kohort.engines.local import LOCAL
from kohort.engines.problem import problem_of
from kohort.io import ReadOptions, read
from kohort.native.library import CHAIN
from kohort.schema import Label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.utility import Subject
    from kohort.algorithms.problem import Algorithm, Problem
    from kohort.arrays import Index, Shares
    from kohort.schema.domain import Domain


class Scale(NamedTuple):
    """What the loss of k draws from a histogram of one attribute is made of: terms of linear functions of it.

    Attributes:
        label: Range, set or ancestor.
        of: (v, s) from the records of each value to those of each term: itself, all up to it, or those below a node.
        worth: (s,) what each term counts.
    """

    label: Label
    of: Shares
    worth: Shares

    @classmethod
    def over(cls, domain: Domain) -> Scale:
        """The scale of a quasi-identifier whose labels are sets, ancestors or ranges."""
        size = len(domain)
        if domain.label is Label.SET:
            return cls(Label.SET, np.eye(size), np.full(size, 1 / max(domain.others, 1)))
        if domain.label is Label.ANCESTOR:
            return cls(Label.ANCESTOR, *_nodes(domain))
        gaps = np.append(np.diff(domain.positions), 0) / max(domain.extent, 1)
        return cls(Label.RANGE, np.triu(np.ones((size, size))), gaps.astype(np.float64))

    def expected(self, histograms: Shares, k: int) -> Shares:
        """(c,) the mean loss of k draws from each of (c, v) histograms."""
        present = histograms.any(axis=0)
        of = self.of[present]
        moving = of.any(axis=0)
        if self.label is Label.RANGE:  # before the first value and from the last on nothing is expected
            moving &= ~of.all(axis=0)
        worth = self.worth[moving]
        share = histograms[:, present] @ of[:, moving] / np.maximum(histograms.sum(axis=1, keepdims=True), 1)
        match self.label:
            case Label.SET:
                found = np.maximum((1 - power(1 - share, k)) @ worth - self.worth[0], 0)
            case Label.ANCESTOR:
                found = power(share, k) @ worth
            case _:
                found = (1 - power(share, k) - power(1 - share, k)) @ worth
        return np.asarray(found, dtype=np.float64)


def power(base: Shares, k: int) -> Shares:
    """The same as `base**k`, many times as fast."""
    found, square = np.ones_like(base), base
    while k:
        found, square, k = (found * square if k % 2 else found), square * square, k // 2
    return found


def _nodes(domain: Domain) -> tuple[Shares, Shares]:
    """Which values are below each node, and what the node loses less than its parent; the root is its own."""
    hierarchy = domain.hierarchy
    assert hierarchy is not None  # noqa: S101  ancestors have one
    below: list[Shares] = []
    worth: list[Shares] = []
    for level, of in enumerate(hierarchy.maps):
        covered = (hierarchy.covered(level) - 1) / max(domain.others, 1)
        below.append((of[domain.leaves][:, np.newaxis] == np.arange(covered.size)).astype(np.float64))
        above = np.zeros(covered.size)
        if level < hierarchy.height:
            next_ = hierarchy.maps[level + 1]
            above[of] = ((hierarchy.covered(level + 1) - 1) / max(domain.others, 1))[next_]
        worth.append(covered - above)
    return np.hstack(below), np.concatenate(worth)


@dataclass(frozen=True, slots=True, eq=False)
class Upper:
    """Cuts of large partitions.

    Attributes:
        quasi: (u, d) codes of the different tuples.
        counts: (u,) their records.
        scales: (d,) what each attribute loses.
        k: Draws, and the least records of a side.
        until: Partitions of so many records, or fewer, are not cut.
    """

    quasi: Index
    counts: Index
    scales: tuple[Scale, ...]
    k: int
    until: int

    def parts(self) -> Iterator[Index]:
        """The partitions that are left, left before right, each as its tuples."""
        stack = [np.arange(self.counts.size)]
        while stack:
            part = stack.pop()
            sides = self.cut(part) if self.counts[part].sum() > self.until else None
            if sides is None:
                yield part
            else:
                stack += sides[::-1]

    def cut(self, part: Index) -> tuple[Index, Index] | None:
        """Both sides of the cut of greatest expected gain; `None` where none gains."""
        best, chosen = 1e-9, None
        for attribute, scale in enumerate(self.scales):
            joint = self.joint(part, attribute)
            each = joint[0].sum(axis=1)
            present = np.flatnonzero(each)
            if present.size < 2:  # noqa: PLR2004  nothing to cut between
                continue
            ways = [np.tri(each.size)[present[:-1]]] + (
                [np.eye(each.size)[present]] if scale.label is Label.SET else []
            )
            lefts = np.vstack(ways)
            sizes = lefts @ each
            fit = (sizes >= self.k) & (each.sum() - sizes >= self.k)
            if not fit.any():
                continue
            gains = self.gains(joint, lefts[fit])
            if gains.max() > best:
                best = float(gains.max())
                is_left = lefts[fit][int(gains.argmax())][self.quasi[part, attribute]] > 0
                chosen = part[is_left], part[~is_left]
        return chosen

    def joint(self, part: Index, attribute: int) -> list[Shares]:
        """For each attribute (v, w): the records by the value of the one that is cut and of this one."""
        values = self.quasi[part, attribute]
        found: list[Shares] = []
        high = len(self.scales[attribute].of)
        for other, scale in enumerate(self.scales):
            wide = len(scale.of)
            cells = np.bincount(values * wide + self.quasi[part, other], self.counts[part], high * wide)
            found.append(cells.astype(np.float64).reshape(high, wide))
        return found

    def gains(self, joint: list[Shares], lefts: Shares) -> Shares:
        """(c,) what each cut is expected to save."""
        saved = np.zeros(len(lefts))
        for scale, table in zip(self.scales, joint, strict=True):
            whole, left = table.sum(axis=0, keepdims=True), lefts @ table
            for sign, histograms in ((1, whole), (-1, left), (-1, whole - left)):
                saved += sign * histograms.sum(axis=1) * scale.expected(histograms, self.k)
        return saved


@dataclass(frozen=True, slots=True)
class Expected:
    """A search by loss whose upper cuts are by expected loss."""

    name: str
    until: int
    ordered: bool
    distinct: bool = True
    full_domain: bool = False
    limit: None = None
    objective: None = None

    def solve(self, problem: Problem) -> Solution:
        """Cut, and where it is the order cut divide the order of the leaves."""
        table = Distinct.of(problem)
        first = np.unique(table.which, return_index=True)[1]
        quasi = problem.frequency.quasi[first].astype(np.int64)
        scales = tuple(map(Scale.over, problem.domains))
        upper = Upper(quasi, table.counts, scales, problem.k, self.until * problem.k)
        least = -(-problem.k // FINER) if self.ordered else problem.k
        leaves = [leaf for part in upper.parts() for leaf in _leaves(table, part, least, to_and_fro=self.ordered)]
        order, starts = np.concatenate(leaves), np.append(0, np.cumsum([leaf.size for leaf in leaves]))
        if self.ordered:
            CHAIN(table.priced.costs, table.priced.places, starts, order)
            return Solution(table.recoding(divided_by(table, order, problem, problem.k)))
        of = np.empty(order.size, np.int64)
        of[order] = np.repeat(np.arange(len(leaves)), np.diff(starts))
        codes, counts = problem.frequency.quasi[first], problem.frequency.counts
        low, high = (np.stack([ends(codes[leaf], axis=0) for leaf in leaves]) for ends in (np.min, np.max))
        return Solution(Multidimensional(np.arange(counts.size), of[table.which], counts, low, high))


def _leaves(table: Distinct, part: Index, least: int, *, to_and_fro: bool) -> Iterator[Index]:
    """The leaves of a partition that is cut by loss, each as its tuples."""
    priced = replace(table.priced, places=table.priced.places[part])
    tree = Tree.grown(priced, table.counts[part], least, memory(priced.costs), to_and_fro=to_and_fro)
    for first, last in tree.leaves[:, :2].tolist():
        yield part[tree.rows.tuples[first:last]]


def compared(name: str, subject: Subject, k: int, until: Sequence[int]) -> Iterator[str]:
    """A line for each search."""
    job = subject.job(k, Ordered())
    problem = problem_of(LOCAL.count(read(subject.frame, ReadOptions()), job).counts, job)
    first = np.unique(Distinct.of(problem).which, return_index=True)[1]
    priced = Priced.of(problem.frequency.quasi[first], problem.domains, problem.frequency.records, reported=True)
    table = replace(Distinct.of(problem), priced=priced)
    whole = float(table.priced.unit) * len(problem.domains) * problem.frequency.records
    searches: dict[str, Algorithm] = {"cuts by loss": Mondrian("loss"), "order cut": Ordered()}
    for kind in (False, True):
        for times in until:
            title = f"{[*searches][kind]}, expected above {times} k"
            searches[title] = Expected(title, times, ordered=kind)
    for title, search in searches.items():
        began = time.process_time()
        recoding = search.solve(problem).recoding
        assert isinstance(recoding, Multidimensional)  # noqa: S101  all of them make regions
        spent = time.process_time() - began
        yield f"| {name} | {k} | {title} | {table.total(recoding) / whole:.4f} | {spent:.1f} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", default=["adult", "register", "ancestors"])
    parser.add_argument("--k", nargs="+", type=int, default=[5, 10, 100])
    parser.add_argument("--until", nargs="+", type=int, default=[16])
    given = parser.parse_args()
    print("| table | k | search | LM/d | CPU s |\n|---|---|---|---|---|")
    for name, subject in subjects().items():
        for k in given.k if name in given.tables else ():
            for line in compared(name, subject, k, given.until):
                print(line, flush=True)
