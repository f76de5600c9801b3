"""Judging nodes: how many records a node suppresses, whether that is allowed, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms._rollup import RollUp, levels_of
from kohort.frequency import ClassProfile
from kohort.kernels import kernel
from kohort.lattice import Lattice
from kohort.metrics import metric_of
from kohort.metrics.base import Levels, Outcome
from kohort.problem import Candidate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kohort.algorithms._rollup import Fields, Rolled
    from kohort.arrays import Counts, Index, Mask, Shares
    from kohort.domain import Domain
    from kohort.frequency import Words
    from kohort.lattice import Node
    from kohort.metrics.base import Metric
    from kohort.problem import Problem
    from kohort.suppression import SuppressionLimit


#: What no metric looks at that does not look at classes.
NO_CLASSES: Counts = np.empty(0, np.int64)


def lattice_of(problem: Problem) -> Lattice:
    """The nodes that the schema allows: up to the root of each hierarchy, or to its attribute's greatest level."""
    return Lattice(tuple(_greatest(domain) for domain in problem.domains))


def _greatest(domain: Domain) -> int:
    assert domain.hierarchy is not None  # noqa: S101  a job with a lattice method has one for each
    asked = domain.attribute.max_level
    return domain.hierarchy.height if asked is None else min(asked, domain.hierarchy.height)


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """What the values of each quasi-identifier hide on each level, summed over all records.

    Attributes:
        others: (d,) |A| - 1.
        records: n.
        of_value: (entries, 2) for each entry of `Fields.stands`: M - 1, and log2 of the records with such a value.
        widths: (d, levels) sum of M - 1 over all records.
        bits: (d, levels) sum of log2 of the records with the same released value, less that on level 0.
        widest: (d, levels, 2) the greatest loss and the greatest log2 of a value on the level.
    """

    others: Shares
    records: int
    of_value: Shares
    widths: Shares
    bits: Shares
    widest: Shares

    @classmethod
    def of(cls, problem: Problem, fields: Fields) -> Hidden:
        """Over the marginal counts of each quasi-identifier."""
        frequency, domains = problem.frequency, problem.domains
        of_value = np.empty((fields.stands.size, 2))
        widths, bits = np.zeros(fields.starts.shape), np.zeros(fields.starts.shape)
        widest = np.zeros((*fields.starts.shape, 2))
        for place, domain in enumerate(domains):
            order = np.argsort(domain.leaves)
            counts = np.bincount(frequency.quasi[:, place], weights=frequency.counts, minlength=order.size)[order]
            for level, nodes in enumerate(levels_of(domain, domain.leaves[order])):
                assert domain.hierarchy is not None  # noqa: S101  as above
                width = (domain.hierarchy.covered(level) - 1)[nodes]
                log = np.log2(np.maximum(np.bincount(nodes, weights=counts), 1)[nodes])  # a value may have no record
                start = fields.starts[place, level]
                of_value[start : start + nodes.size] = np.stack([width, log], axis=1)
                widths[place, level], bits[place, level] = width @ counts, log @ counts
                widest[place, level] = width.max(initial=0) / max(domain.others, 1.0), log.max(initial=0)
        others = np.array([max(domain.others, 1.0) for domain in domains])
        return cls(others, frequency.records, of_value, widths, bits - bits[:, :1], widest)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A node, judged.

    Attributes:
        node: The level of each quasi-identifier.
        suppressed: Records in classes that fail a model.
        releasable: Whether so many may be suppressed, and some are left.
        cost: In the objective, less is better; infinite where it is not releasable.
        floor: What this node and every node above it cost at least, whatever is suppressed, as its classes tell;
            nothing where the objective looks at no classes: then `Judge.floor_of` tells.
    """

    node: Node
    suppressed: int
    releasable: bool
    cost: float
    floor: float


@dataclass(eq=False)
class Judge:
    """Judges the nodes of one problem for one suppression limit and one objective.

    Attributes:
        problem: What is asked.
        limit: How many records may be suppressed.
        objective: What a release is to cost little of.
        rollup: Gives the classes of a node.
    """

    problem: Problem
    limit: int
    objective: Metric
    rollup: RollUp

    @classmethod
    def of(cls, problem: Problem, limit: int, objective: Metric) -> Judge:
        """The judge over the problem's frequency set."""
        return cls(problem, limit, objective, RollUp.of(problem.frequency, problem.domains))

    @classmethod
    def asked(cls, problem: Problem, limit: SuppressionLimit, objective: str) -> Judge:
        """The judge for a limit and an objective as a user says them.

        Raises:
            UsageError: no metric is called so.
        """
        return cls.of(problem, limit.among(problem.frequency.records), metric_of(objective))

    @cached_property
    def lattice(self) -> Lattice:
        """The nodes there are."""
        return lattice_of(self.problem)

    @cached_property
    def monotone(self) -> bool:
        """Whether every model says that generalizing never suppresses more."""
        return all(model.monotone_suppression for model in self.problem.models)

    @cached_property
    def bounded(self) -> bool:
        """Whether the objective gives a floor under the cost of all nodes above a node."""
        return self.objective.monotone and (self.size_only or not self.objective.size_only)

    @cached_property
    def surcharge(self) -> float:
        """What every suppressed record adds to the cost of a node as if it released all, where classes tell that."""
        metric = self.objective
        return metric.surcharge(self._hidden.records, self.k) if metric.surcharge and self.size_only else 0.0

    @cached_property
    def size_only(self) -> bool:
        """Whether every model looks at nothing but the size of a class."""
        return all(model.size_only for model in self.problem.models)

    @cached_property
    def k(self) -> int:
        """The size below which no class satisfies the models."""
        return self.problem.k

    @cached_property
    def weights(self) -> Shares:
        """(d,) how much each quasi-identifier counts."""
        return np.array([float(domain.attribute.weight) for domain in self.problem.domains])

    @cached_property
    def _hidden(self) -> Hidden:
        return Hidden.of(self.problem, self.rollup.fields)

    @cached_property
    def _places(self) -> Index:
        return np.arange(len(self.problem.domains))

    @cached_property
    def _heights(self) -> Index:
        return np.array([len(levels) - 1 for levels in map(_levels, self.problem.domains)])

    def judge(self, node: Node) -> Judged:
        """Judge `node`: its classes are rolled up from the cheapest finer node at hand."""
        return self.judged(self.rollup.at(node))

    def judged(self, rolled: Rolled) -> Judged:
        """Judge the node that has these classes."""
        failing = self.failing(rolled)
        suppressed = _total(rolled.sizes, failing)
        releasable = suppressed <= self.limit and suppressed < self._hidden.records
        cost = self.objective.cost(self._outcome(rolled, failing, suppressed)) if releasable else np.inf
        return Judged(rolled.node, suppressed, releasable, cost, self._floor(rolled))

    def failing(self, rolled: Rolled) -> Mask:
        """(c,) which classes fail a model."""
        if self.size_only:
            return rolled.sizes < self.k
        profile = ClassProfile(rolled.sizes, rolled.histograms)
        failing: Mask = np.logical_or.reduce([~model.satisfied(profile) for model in self.problem.models], axis=0)
        return failing

    def candidate(self, node: Node) -> Candidate:
        """The release of `node` as the metrics see it."""
        rolled = self.rollup.at(node)
        failing = self.failing(rolled)
        return Candidate(node, self._outcome(rolled, failing, _total(rolled.sizes, failing)))

    def floors(self, metric: Metric) -> Shares:
        """An array of the lattice's shape: what each node would cost if it released every record.

        That is no more than any node above it costs, where the metric is monotone; it must look at no classes.
        """
        lattice = self.lattice
        levels = np.stack(np.unravel_index(np.arange(lattice.size), lattice.shape), axis=1)
        return metric.costs(self._all_released(levels)).reshape(lattice.shape)

    def floor_of(self, node: Node, suppressed: int = 0) -> float:
        """What `node` and every node above it cost at least, if each suppresses at least so many records.

        It relies on a monotone objective. Of the suppressed records each hides at most what the widest value of the
        level does, and everything when it is suppressed; nothing is assumed of classes.
        """
        if not self.bounded:
            return -np.inf
        outcome = self._all_released(np.array(node))
        if suppressed:
            outcome = self._less(outcome, suppressed)
        return float(self.objective.costs(outcome))

    def _less(self, outcome: Outcome, suppressed: int) -> Outcome:
        """The least that can become of an outcome when so many of its records are suppressed."""
        assert outcome.full_domain is not None  # noqa: S101  it was made with levels
        hidden, full = self._hidden, outcome.full_domain
        widest, bits = hidden.widest[self._places, full.levels].T
        losses = outcome.losses - np.minimum(outcome.losses, suppressed * widest)
        bits = full.bits + suppressed * (np.log2(hidden.records) - bits)
        return replace(outcome, suppressed=suppressed, losses=losses, full_domain=replace(full, bits=bits))

    def _floor(self, rolled: Rolled) -> float:
        """What the node would cost if it released every record, where that bounds what lies above."""
        if not self.bounded or not self.objective.classes:
            return -np.inf
        outcome = replace(self._all_released(np.array(rolled.node)), sizes=rolled.sizes)
        return float(self.objective.costs(outcome))

    def _all_released(self, levels: Index) -> Outcome:
        """The outcome of nodes, (..., d), as if they released every record."""
        hidden = self._hidden
        places = self._places
        losses, bits = hidden.widths[places, levels] / hidden.others, hidden.bits[places, levels]
        full = Levels(levels, self._heights, bits)
        return Outcome(hidden.records, 0, self.k, NO_CLASSES, losses, self.weights, full)

    def _outcome(self, rolled: Rolled, failing: Mask, suppressed: int) -> Outcome:
        """The node as the metrics see it."""
        hidden, fields = self._hidden, self.rollup.fields
        levels, places = np.array(rolled.node), self._places
        lost = np.zeros((levels.size, 2))
        if suppressed:
            where = fields.starts[places, levels]
            classes = (rolled.keys, rolled.sizes, failing)
            _weigh(classes, (fields.word, fields.shift, fields.mask, where), hidden.of_value, lost)
        losses = (hidden.widths[places, levels] - lost[:, 0]) / hidden.others
        bits = hidden.bits[places, levels] - lost[:, 1] + suppressed * np.log2(hidden.records)
        sizes = rolled.sizes[~failing] if suppressed else rolled.sizes
        full = Levels(levels, self._heights, bits)
        return Outcome(hidden.records, suppressed, self.k, sizes, losses, self.weights, full)


def _levels(domain: Domain) -> list[Index]:
    return levels_of(domain, domain.leaves)


@kernel
def _total(sizes: Counts, chosen: Mask) -> int:
    """Records in the chosen classes."""
    total = 0
    for row in range(sizes.size):
        if chosen[row]:
            total += sizes[row]
    return total


@kernel
def _weigh(
    classes: tuple[Words, Counts, Mask],
    fields: tuple[Index, NDArray[np.uint64], NDArray[np.uint64], Index],
    of_value: Shares,
    out: Shares,
) -> None:
    """Add up what the values of the failing classes hide, per quasi-identifier: (d, 2)."""
    keys, sizes, failing = classes
    word, shift, mask, starts = fields
    for row in range(keys.shape[0]):
        if failing[row]:
            for place in range(starts.size):
                value = (keys[row, word[place]] >> shift[place]) & mask[place]
                entry = starts[place] + np.int64(value)
                out[place, 0] += sizes[row] * of_value[entry, 0]
                out[place, 1] += sizes[row] * of_value[entry, 1]
