"""Classes of tuples that do not fit one memory: counted where they lie, a node at a time, and fetched where few enough.

Of a node a search asks how many records it suppresses; of one that is releasable also which classes it has. Whoever has
the tuples can group them on the levels of a node. High nodes have few classes: they are fetched, and every node above
is rolled up from them as ever. Low ones have nearly as many as there are tuples, but there most classes are too small,
and how many records these have is told by the sizes of the classes alone.

So every node is judged as it is where all tuples are in memory, and the search takes the same way to the same answer.
A node that is releasable and has more classes than fit is refused.

Cost: one grouping of all tuples, where they lie, for each node that is judged and lies above none that was fetched.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kohort.algorithms.lattice.rollup import Fields, RollUp, levels_of
from kohort.models.base import judging_together

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from contextlib import AbstractContextManager

    from kohort.algorithms.lattice.classes import NodeClasses, Rolled
    from kohort.algorithms.problem import Algorithm, Problem
    from kohort.arrays import Counts
    from kohort.core.frequency import FrequencySet
    from kohort.core.lattice import Node
    from kohort.errors import LimitError
    from kohort.models.base import PrivacyModel


class StoredClasses(Protocol):
    """The classes of a node, where the tuples lie; each quasi-identifier has a code that stands for all of its node."""

    @property
    def spread(self) -> tuple[Counts, Counts]:
        """The sizes that classes have, ascending, and how many classes have each."""
        ...

    def fetched(self) -> FrequencySet | None:
        """All of them; `None` where they do not fit into memory."""
        ...

    def large(self, least: int) -> Iterator[FrequencySet]:
        """Those of so many records or more, whole ones, some at a time."""
        ...

    @property
    def refused(self) -> LimitError:
        """What is said where they have to be fetched, and do not fit."""
        ...


class TupleStore(Protocol):
    """Distinct tuples that lie anywhere, in the codes of the problem's domains."""

    @property
    def most(self) -> int:
        """Classes that are kept here, at most."""
        ...

    @property
    def marginals(self) -> Sequence[FrequencySet]:
        """(d,) of each quasi-identifier a frequency set over it alone."""
        ...

    def on(self, node: Node) -> AbstractContextManager[StoredClasses]:
        """Their classes on the levels of a node, until nobody needs them."""
        ...

    def released(self, node: Node) -> FrequencySet:
        """The classes of a node that is released; they fit into memory."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class UnfetchedNode:
    """A node with more classes than fit into memory.

    Attributes:
        node: It.
        there: Its classes.
        sizes: The sizes that they have, ascending.
        records: How many records are in classes of each size.
    """

    node: Node
    there: StoredClasses
    sizes: Counts
    records: Counts

    @classmethod
    def of(cls, node: Node, there: StoredClasses) -> UnfetchedNode:
        """Ask for their sizes."""
        sizes, classes = there.spread
        return cls(node, there, sizes, sizes * classes)


@dataclass(slots=True, eq=False)
class RemoteRollUp:
    """Gives the classes of any node, rolled up from a node that was fetched, or asked for where the tuples lie.

    Attributes:
        problem: What is asked.
        there: The tuples.
        fields: How classes are packed into keys.
    """

    problem: Problem
    there: TupleStore
    fields: Fields
    _bases: list[tuple[Node, RollUp]] = field(default_factory=list["tuple[Node, RollUp]"], init=False)
    _walked: int = field(default=0, init=False)

    @classmethod
    def of(cls, problem: Problem, there: TupleStore, limit: int, top: Node) -> RemoteRollUp:
        """The finest levels on which a node may be releasable are fetched, where they fit.

        Args:
            problem: What is asked.
            there: The tuples.
            limit: How many records may be suppressed.
            top: The greatest level of each quasi-identifier.
        """
        nodes = [levels_of(domain, np.sort(domain.leaves)) for domain in problem.domains]
        made = cls(problem, there, Fields.of(nodes))
        least = finest_levels(problem, there.marginals, limit, top)
        if any(least):
            with made.at(least):
                pass
        return made

    @property
    def walked(self) -> int:
        """Classes looked at here so far, over all nodes rolled up."""
        return self._walked + sum(base.walked for _, base in self._bases)

    @contextmanager
    def at(self, node: Node) -> Generator[Rolled | UnfetchedNode]:
        """The classes of `node`."""
        known = [base for below, base in self._bases if all(np.less_equal(below, node))]
        if known:
            yield min(known, key=_classes).at(node)
            return
        with self.there.on(node) as there:
            found = there.fetched()
            yield UnfetchedNode.of(node, there) if found is None else self._kept(node, self.rollup(found)).at(node)

    def classes(self, rolled: Rolled) -> NodeClasses:
        """The classes of a node as models judge them."""
        return self._bases[0][1].classes(rolled)

    def large(self, found: UnfetchedNode, least: int) -> Iterator[NodeClasses]:
        """The classes of so many records or more, some at a time."""
        for some in found.there.large(least):
            base = self.rollup(some)
            yield base.classes(base.at(found.node))

    def rollup(self, found: FrequencySet) -> RollUp:
        """What rolls up classes that were fetched."""
        return RollUp.of(found, self.problem.domains, None, self.problem.workspace)

    def _kept(self, node: Node, made: RollUp) -> RollUp:
        """A node that was fetched; those fetched first are forgotten where all together do not fit."""
        while self._bases and sum(_classes(base) for _, base in self._bases) + _classes(made) > self.there.most:
            self._walked += self._bases.pop(0)[1].walked
        self._bases.append((node, made))
        return made


def _classes(base: RollUp) -> int:
    return len(base.bottom.keys)


def finest_levels(problem: Problem, marginals: Sequence[FrequencySet], limit: int, top: Node) -> Node:
    """The level of each quasi-identifier below which no node is releasable, as it alone tells.

    No node suppresses fewer records than one of its quasi-identifiers alone, whose classes are unions of the node's: a
    class of fewer than k people fails, whatever the models look at (the subset property of LeFevre, DeWitt,
    Ramakrishnan, Incognito, SIGMOD 2005).
    """
    return tuple(
        _finest(problem, place, one, min(limit, one.records - 1), greatest)
        for place, (one, greatest) in enumerate(zip(marginals, top, strict=True))
    )


def _finest(problem: Problem, place: int, alone: FrequencySet, allowed: int, greatest: int) -> int:
    """The least level on which few enough records have a value that too few have; the greatest, where there is none."""
    domain = problem.domains[place]
    for level, nodes in enumerate(levels_of(domain, domain.leaves)[:greatest]):
        sizes = np.bincount(nodes[alone.quasi[:, 0]], alone.counts)
        if sizes[sizes < problem.k].sum() <= allowed:
            return level
    return greatest


def judges_nodes(algorithm: Algorithm) -> bool:
    """Whether it looks at nothing of the tuples but nodes, judged: then they can lie anywhere.

    An algorithm that does so says it by an attribute `judges_nodes`.
    """
    return bool(getattr(algorithm, "judges_nodes", False))


def refused_remotely(algorithm: Algorithm, models: Sequence[PrivacyModel]) -> str:
    """What of these needs all tuples at once; empty where nothing does."""
    if not judges_nodes(algorithm):
        return f"the method {algorithm.name}"
    return judging_together(models)
