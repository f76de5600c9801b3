"""Judging nodes: how many records a node suppresses, whether that is allowed, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.algorithms.lattice.hidden import Hidden
from kohort.algorithms.lattice.remote import RemoteRollUp, UnfetchedNode
from kohort.algorithms.lattice.rollup import RollUp, levels_of
from kohort.algorithms.problem import Candidate
from kohort.core.frequency import group, profile
from kohort.core.lattice import Lattice
from kohort.core.recoding import FullDomain
from kohort.metrics.known import metric_of
from kohort.models.base import satisfied_jointly
from kohort.native.library import TOTAL
from kohort.system.workspace import blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.algorithms.lattice.classes import NodeClasses, Rolled
    from kohort.algorithms.problem import Problem
    from kohort.arrays import Counts, Index, Mask, Shares
    from kohort.core.frequency import FrequencySet
    from kohort.core.lattice import Node
    from kohort.core.suppression import SuppressionLimit
    from kohort.metrics.base import Metric
    from kohort.models.base import PrivacyModel
    from kohort.schema.domain import Domain

#: Nodes whose costs are computed at once: what they need of memory is many times their costs.
BLOCK: Final = 1 << 16


def lattice_of(problem: Problem) -> Lattice:
    """The nodes that the schema allows: up to the root of each hierarchy, or to its attribute's greatest level."""
    return Lattice(tuple(_greatest(domain) for domain in problem.domains))


def _greatest(domain: Domain) -> int:
    assert domain.hierarchy is not None  # noqa: S101  a job with a lattice method has one for each
    asked = domain.attribute.max_level
    return domain.hierarchy.height if asked is None else min(asked, domain.hierarchy.height)


@dataclass(frozen=True, slots=True, eq=False)
class CheckedNode:
    """A node, judged.

    Attributes:
        node: The level of each quasi-identifier.
        suppressed: Records in classes that fail a model.
        together: Whether what is left meets the models that are judged on all classes together.
        releasable: Whether it does, so many may be suppressed, and some are left.
        cost: In the objective, less is better; infinite where it is not releasable.
        floor: What this node and every node above it cost at least, whatever is suppressed, as its classes tell;
            nothing where the objective looks at no classes: then `NodeEvaluator.floor_of` tells.
    """

    node: Node
    suppressed: int
    together: bool
    releasable: bool
    cost: float
    floor: float


@dataclass(eq=False)
class NodeEvaluator:
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
    rollup: RollUp | RemoteRollUp

    @classmethod
    def of(cls, problem: Problem, limit: int, objective: Metric) -> NodeEvaluator:
        """The judge over the problem's frequency set, or over tuples that lie elsewhere."""
        if problem.there is not None:
            top = lattice_of(problem).top
            return cls(problem, limit, objective, RemoteRollUp.of(problem, problem.there, limit, top))
        rollup = RollUp.of(problem.frequency, problem.domains, problem.population, problem.workspace)
        return cls(problem, limit, objective, rollup)

    @classmethod
    def asked(cls, problem: Problem, limit: SuppressionLimit, objective: str) -> NodeEvaluator:
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
    def allowed(self) -> int:
        """How many records may be suppressed by the limit, and so that some are left."""
        return min(self.limit, self.problem.frequency.records - 1)

    @cached_property
    def alone(self) -> tuple[PrivacyModel, ...]:
        """The models that judge each class alone: whatever fails one of them is suppressed."""
        return tuple(model for model in self.problem.models if not model.declared.joint)

    @cached_property
    def of_values(self) -> tuple[PrivacyModel, ...]:
        """Those of them that look at more than the people of a class."""
        return tuple(model for model in self.alone if not model.declared.size_only)

    @cached_property
    def joint(self) -> tuple[PrivacyModel, ...]:
        """The models that judge the classes that are left together: for them nothing is suppressed."""
        return tuple(model for model in self.problem.models if model.declared.joint)

    @cached_property
    def monotone(self) -> bool:
        """Whether every model says that generalizing never suppresses more; and then no other may object."""
        return not self.joint and all(model.declared.monotone_suppression for model in self.alone)

    @cached_property
    def bounded(self) -> bool:
        """Whether the objective gives a floor under the cost of all nodes above a node."""
        return self.objective.monotone and (self.by_records or not self.objective.size_only)

    @property
    def bounded_by_levels(self) -> bool:
        """Whether levels alone give such a floor; else classes or nothing does."""
        return self.bounded and not self.objective.classes

    @property
    def bounded_by_classes(self) -> bool:
        """Whether the classes of a node give such a floor."""
        return self.bounded and self.objective.classes

    @cached_property
    def surcharge(self) -> float:
        """What every suppressed record adds to the cost of a node as if it released all, where classes tell that."""
        surcharge = self.objective.surcharge
        return surcharge(self.hidden.whole, self.k) if surcharge and self.by_records else 0.0

    @cached_property
    def size_only(self) -> bool:
        """Whether every model looks at nothing but the people of a class."""
        return all(model.declared.size_only for model in self.problem.models)

    @cached_property
    def by_records(self) -> bool:
        """Whether what is suppressed is all classes of fewer than k records, and nothing else."""
        return self.size_only and self.problem.frequency.people is None

    @cached_property
    def k(self) -> int:
        """The people without whom no class satisfies the models; at least one."""
        return max((model.declared.smallest_class for model in self.alone), default=1)

    @cached_property
    def people(self) -> int:
        """How many people the table is of; records, where it is not known whose they are."""
        people = self.problem.frequency.people
        return self.problem.frequency.records if people is None else np.unique(people).size

    @cached_property
    def hidden(self) -> Hidden:
        """What the levels of each quasi-identifier hide."""
        return Hidden.of(self.problem, self.rollup.fields)

    def judge(self, node: Node) -> CheckedNode:
        """Judge `node`: its classes are rolled up from the cheapest finer node at hand.

        Raises:
            LimitError: the tuples do not fit into memory, and neither do the classes of this node, which is releasable.
        """
        if isinstance(self.rollup, RollUp):
            return self.judged(self.rollup.at(node))
        with self.rollup.at(node) as found:
            return self._failed(found, self.rollup) if isinstance(found, UnfetchedNode) else self.judged(found)

    def _failed(self, found: UnfetchedNode, rollup: RemoteRollUp) -> CheckedNode:
        """The node with so many classes, once it is known that it fails.

        Where the classes of too few people are enough for that, the others are not looked at: then it suppresses at
        least so much.
        """
        suppressed = int(found.records[found.sizes < self.k].sum())
        if suppressed <= self.allowed and not self.size_only:
            suppressed += sum(self._failing(some)[1] for some in rollup.large(found, self.k))
        if suppressed <= self.allowed:
            raise found.there.refused
        return CheckedNode(found.node, suppressed, together=True, releasable=False, cost=np.inf, floor=-np.inf)

    def judged(self, rolled: Rolled) -> CheckedNode:
        """Judge the node that is rolled up to this."""
        classes = self.rollup.classes(rolled)
        failing, suppressed = self._failing(classes)
        together = not self.joint or self._together(classes, failing)
        releasable = together and suppressed <= self.allowed
        cost = self.objective.cost(self.hidden.outcome(classes, failing, suppressed)) if releasable else np.inf
        return CheckedNode(rolled.node, suppressed, together, releasable, cost, self._floor(classes))

    def _failing(self, classes: NodeClasses) -> tuple[Mask, int]:
        """(c,) which classes fail a model, and how many records are in them; small classes are not looked at."""
        failing: Mask = classes.people < self.k
        if not self.size_only:
            asked = np.flatnonzero(~failing)
            profile = classes.profile(asked)
            for model in self.of_values:
                failing[asked[~model.satisfied(profile)]] = True
        return failing, TOTAL(classes.rolled.sizes, failing)

    def _together(self, classes: NodeClasses, failing: Mask) -> bool:
        """Whether the classes that are left, if any, meet the models that are judged on all of them."""
        kept = np.flatnonzero(~failing)
        profile = classes.profile(kept)
        if profile.population is not None and self.problem.population is not None:
            profile = replace(profile, outside=self.problem.population.records - int(profile.population.sum()))
        return kept.size > 0 and all(satisfied_jointly(model, profile) for model in self.joint)

    def candidate(self, node: Node) -> Candidate:
        """The release of `node` as the metrics see it."""
        classes = self.classes(node)
        return Candidate(node, self.hidden.outcome(classes, *self._failing(classes)))

    def classes(self, node: Node) -> NodeClasses:
        """The classes of `node`, before anything is suppressed; of one that is releasable."""
        if isinstance(self.rollup, RollUp):
            return self.rollup.classes(self.rollup.at(node))
        with self.rollup.at(node) as found:
            assert not isinstance(found, UnfetchedNode)  # noqa: S101  it was refused when it was judged
            return self.rollup.classes(found)

    def spread(self, node: Node) -> tuple[Counts, Counts]:
        """The people of classes of `node`, ascending, and the records of classes with so many."""
        if isinstance(self.rollup, RemoteRollUp):
            with self.rollup.at(node) as found:
                if isinstance(found, UnfetchedNode):
                    return found.sizes, found.records
        classes = self.classes(node)
        order = np.argsort(classes.people)
        return classes.people[order], classes.rolled.sizes[order]

    def recoding(self, node: Node) -> FullDomain:
        """The release of `node`, of the tuples at hand: those of its classes, where all of them do not fit."""
        there = self.problem.there
        return full_domain(
            self.problem if there is None else replace(self.problem, frequency=there.released(node)), node
        )

    def everywhere(self, metric: Metric) -> Shares:
        """An array of the lattice's shape: what each node would cost if it released every record.

        That is no more than any node above it costs, where the metric is monotone; it must look at no classes.
        """
        shape, costs = self.lattice.shape, np.empty(self.lattice.size)
        for start in range(0, costs.size, BLOCK):
            part = costs[start : start + BLOCK]
            levels = np.stack(np.unravel_index(np.arange(start, start + part.size), shape), axis=1)
            part[:] = metric.costs(self.hidden.least(levels))
        return costs.reshape(shape)

    def floors_of(self, levels: Index, suppressed: int = 0) -> Shares:
        """(...) what each of some nodes, (..., d), and all above it cost at least, if each suppresses so many or more.

        It relies on a monotone objective; nothing is assumed of classes.
        """
        return self.objective.costs(self.hidden.least(levels, suppressed))

    def floor_of(self, node: Node, suppressed: int = 0) -> float:
        """The same for one node; nothing where the objective is not monotone."""
        return float(self.floors_of(np.array(node), suppressed)) if self.bounded else -np.inf

    def _floor(self, classes: NodeClasses) -> float:
        if not self.bounded or not self.objective.classes:
            return -np.inf
        outcome = replace(self.hidden.least(np.array(classes.rolled.node)), sizes=classes.rolled.sizes)
        return float(self.objective.costs(outcome))


def full_domain(problem: Problem, node: Node) -> FullDomain:
    """Generalize to the levels of `node`; suppress the tuples whose class fails a model that judges classes alone.

    Cost: one grouping of the tuples, and of those of the population.
    """
    frequency, population = problem.frequency, problem.population
    tuples = frequency.counts.size
    nodes = _nodes(problem, [frequency, *([population] if population else [])], node)
    grouping = group(nodes, workspace=problem.workspace)  # numbered as they appear: classes of the table first
    first = grouping.first[grouping.first < tuples]
    profiles = profile(frequency, grouping.of[:tuples], first.size)
    if population is not None:
        known = np.bincount(grouping.of[tuples:], weights=population.counts, minlength=first.size)
        profiles = replace(profiles, population=known[: first.size].astype(np.int64))
    alone = [model.satisfied(profiles) for model in problem.models if not model.declared.joint]
    kept = np.logical_and.reduce([np.ones(first.size, np.bool_), *alone])
    region = np.where(kept, np.cumsum(kept) - 1, -1)
    regions = problem.workspace.taken(region, grouping.of[:tuples])
    return FullDomain(node, nodes[first[kept]].astype(np.int64), regions)


def _nodes(problem: Problem, tables: Sequence[FrequencySet], node: Node) -> NDArray[np.uint32]:
    """(t, d) the nodes of the hierarchies that tuples are generalized to, table after table."""
    nodes = problem.workspace.empty((sum(one.counts.size for one in tables), len(node)), np.uint32)
    for place, (domain, level) in enumerate(zip(problem.domains, node, strict=True)):
        node_of, start = levels_of(domain, domain.leaves)[level].astype(np.uint32), 0
        for one in tables:
            for some in blocks(one.counts.size):
                nodes[start + some.start : start + some.stop, place] = node_of[one.quasi[some, place]]
            start += one.counts.size
    return nodes
