"""Published algorithms: one file each, every one a pure function from a problem to a solution."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.algorithms.mondrian import Mondrian

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.algorithms.mondrian import Cut
    from kohort.lattice import Node
    from kohort.problem import Algorithm
    from kohort.suppression import SuppressionLimit


@dataclass(frozen=True, slots=True)
class Choices:
    """What a method can be told; `None` where nothing was said.

    Attributes:
        cut: Which cuts Mondrian tries.
        limit: How many records a lattice method may suppress.
        objective: The metric that it prefers releases by; `first` is the first of Samarati's in lexicographic order.
        node: The node to release, instead of searching.
    """

    cut: Cut | None = None
    limit: SuppressionLimit | None = None
    objective: str | None = None
    node: Node | None = None


def _mondrian(choices: Choices, *, relaxed: bool) -> Algorithm:
    return Mondrian(choices.cut or "nearest", relaxed=relaxed)


#: The methods by their names on the command line and in a job file.
METHODS: Final[Mapping[str, Callable[[Choices], Algorithm]]] = MappingProxyType(
    {
        "mondrian": lambda choices: _mondrian(choices, relaxed=False),
        "mondrian-relaxed": lambda choices: _mondrian(choices, relaxed=True),
    }
)
