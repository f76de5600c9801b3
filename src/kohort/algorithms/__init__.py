"""Published algorithms: one file each, every one a pure function from a problem to a solution."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.algorithms.mondrian import Mondrian

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.algorithms.mondrian import Cut
    from kohort.problem import Algorithm

#: The method of each name on the command line and in a job file, made for a choice of cuts.
METHODS: Final[Mapping[str, Callable[[Cut], Algorithm]]] = MappingProxyType(
    {"mondrian": Mondrian, "mondrian-relaxed": partial(Mondrian, relaxed=True)}
)
