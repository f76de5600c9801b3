"""Published algorithms: one file each, every one a pure function from a problem to a solution."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.algorithms.lattice.best_effort import BestEffort
from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.samarati import Samarati
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.core.suppression import SuppressionLimit
from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.algorithms.mondrian.mondrian import Cut
    from kohort.algorithms.problem import Algorithm
    from kohort.core.lattice import Node

#: The objective of lattice methods where none is named.
OBJECTIVE: Final = "lm"

#: Instead of a metric: Samarati's first node in lexicographic order, as in the original.
FIRST: Final = "first"


@dataclass(frozen=True, slots=True)
class Choices:
    """What a method can be told; `None` where nothing was said.

    Attributes:
        cut: Which cuts Mondrian tries.
        limit: How many records a lattice method may suppress.
        objective: The metric that it prefers releases by, or `first`.
        node: The node to release, instead of searching for one.
    """

    cut: Cut | None = None
    limit: SuppressionLimit | None = None
    objective: str | None = None
    node: Node | None = None

    def refuse(self, *names: str, method: str, why: str) -> None:
        """Refuse what the method has no use for.

        Raises:
            UsageError: one of the choices was made.
        """
        for name in names:
            if getattr(self, name) is not None:
                raise UsageError(f"{method} {why}", where=name, hint=f"leave {name} out, or choose another method")


def _mondrian(choices: Choices, *, relaxed: bool) -> Algorithm:
    made = Mondrian(choices.cut or "nearest", relaxed=relaxed)
    choices.refuse("limit", "objective", "node", method=made.name, why="has no levels and suppresses no record")
    return made


def _on_lattice(
    name: str, search: Callable[[SuppressionLimit, str], Algorithm], choices: Choices, *, first: bool = False
) -> Algorithm:
    """The search, or the node that was chosen instead."""
    choices.refuse("cut", method=name, why="makes no cuts")
    limit, objective = choices.limit or SuppressionLimit(), choices.objective or OBJECTIVE
    if objective == FIRST and not first:
        raise UsageError(f"only samarati takes the first node, not {name}", where="objective", hint="name a metric")
    if choices.node is not None:
        return GivenNode(choices.node, limit, OBJECTIVE if objective == FIRST else objective)
    return search(limit, objective)


def _samarati(limit: SuppressionLimit, objective: str) -> Algorithm:
    return Samarati(limit, None if objective == FIRST else objective)


#: The methods by their names on the command line and in a job file.
METHODS: Final[Mapping[str, Callable[[Choices], Algorithm]]] = MappingProxyType(
    {
        "mondrian": lambda choices: _mondrian(choices, relaxed=False),
        "mondrian-relaxed": lambda choices: _mondrian(choices, relaxed=True),
        "samarati": lambda choices: _on_lattice("samarati", _samarati, choices, first=True),
        "optimal": lambda choices: _on_lattice("optimal", Optimal, choices),
        "datafly": lambda choices: _on_lattice("datafly", Datafly, choices),
        "best-effort": lambda choices: _on_lattice("best-effort", BestEffort, choices),
    }
)
