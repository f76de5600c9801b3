"""What an algorithm gets and what it gives: integers in, integers out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from kohort.errors.display import Summary
from kohort.system.workspace import HEAP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.algorithms.lattice.remote import TupleStore
    from kohort.arrays import Codes, Counts
    from kohort.core.frequency import FrequencySet
    from kohort.core.lattice import Node
    from kohort.core.recoding import Recoding
    from kohort.core.suppression import SuppressionLimit
    from kohort.errors.display import Rows
    from kohort.metrics.base import Outcome
    from kohort.models.base import PrivacyModel
    from kohort.schema.domain import Domain
    from kohort.system.workspace import Workspace


def never_stop() -> bool:
    """Let a search run to its end."""
    return False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Problem(Summary):
    """Turn this frequency set into a recoding whose classes satisfy all models.

    Attributes:
        frequency: t weighted tuples over d quasi-identifiers.
        domains: (d,) what the codes of each quasi-identifier mean.
        models: the privacy models, a conjunction; at least one.
        threads: how many threads may be used; the answer is the same for any number.
        suppressed_by_schema: records that no search sees, but every metric counts.
        population: the tuples of the population table, in the same codes; `None` without one.
        should_stop: callback of searches that can stop early: whether they should.
        workspace: where arrays as long as the table live; the answer is the same for any.
        there: the tuples, where they do not fit into memory and nodes of a lattice are judged where they lie; the
            frequency set then says no more than how many records have which sensitive values.
    """

    frequency: FrequencySet
    domains: tuple[Domain, ...]
    models: tuple[PrivacyModel, ...]
    threads: int = 1
    suppressed_by_schema: int = 0
    population: FrequencySet | None = None
    should_stop: Callable[[], bool] = never_stop
    workspace: Workspace = HEAP
    there: TupleStore | None = None

    def _shown(self) -> tuple[str, Rows]:
        columns = ", ".join(domain.attribute.name for domain in self.domains)
        return "Problem", [("Columns", columns), ("Models", ", ".join(model.name for model in self.models))]

    @property
    def k(self) -> int:
        """The size below which no class satisfies the models."""
        return max(model.declared.smallest_class for model in self.models)

    def alone(self, place: int) -> tuple[Codes, Counts]:
        """Codes of one quasi-identifier, each once or several times, and how many records each time."""
        if self.there is None:
            return self.frequency.quasi[:, place], self.frequency.counts
        one = self.there.marginals[place]
        return one.quasi[:, 0], one.counts


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A full-domain release that would be allowed, and what it would cost.

    Attributes:
        node: the level of each quasi-identifier.
        outcome: the release as the metrics see it.
    """

    node: Node
    outcome: Outcome


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A recoding, and what the search counted on the way.

    Attributes:
        recoding: what becomes of every tuple.
        trace: counters by name (cuts tried, leaves, depth, nodes …), for reports and curiosity.
        proven: whether the algorithm proves its answer optimal.
        candidates: other releases that a steward may prefer, best first, the chosen one among them; lattice methods.
        bound: what no allowed release costs less than, in the algorithm's objective; `None` where it has none.
        refined: of a release that refines the classes of a full-domain one, the node of that; else empty.
    """

    recoding: Recoding
    trace: Mapping[str, int] = field(default_factory=dict[str, int])
    proven: bool = False
    candidates: tuple[Candidate, ...] = ()
    bound: float | None = None
    refined: Node = ()


class Algorithm(Protocol):
    """A published algorithm: a pure function object."""

    @property
    def name(self) -> str:
        """As on the command line: `mondrian`."""
        ...

    @property
    def distinct(self) -> bool:
        """Whether it needs a frequency set whose tuples are distinct, sensitive values included."""
        ...

    @property
    def full_domain(self) -> bool:
        """Whether it gives every quasi-identifier one level, and so needs a hierarchy for each."""
        ...

    @property
    def limit(self) -> SuppressionLimit | None:
        """How many records it may suppress; `None` where it suppresses none."""
        ...

    @property
    def objective(self) -> str | None:
        """The metric, by its name in `kohort.metrics`, that it prefers releases by; `None` where it has none."""
        ...

    def solve(self, problem: Problem) -> Solution:
        """Solve `problem`.

        Raises:
            InfeasibleError: no recoding meets the models.
        """
        ...
