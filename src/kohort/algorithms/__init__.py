"""Published algorithms: one file each, every one a pure function from a problem to a solution."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.algorithms.mondrian import Cut
    from kohort.problem import Algorithm


def _mondrian(cut: Cut) -> Algorithm:
    from kohort.algorithms.mondrian import Mondrian  # noqa: PLC0415  its compiled loops load Numba: only when asked for

    return Mondrian(cut=cut)


def _mondrian_relaxed(cut: Cut) -> Algorithm:
    from kohort.algorithms.mondrian import Mondrian  # noqa: PLC0415  as above

    return Mondrian(cut=cut, relaxed=True)


#: The method of each name on the command line and in a job file, made for a choice of cuts.
METHODS: Final[Mapping[str, Callable[[Cut], Algorithm]]] = MappingProxyType(
    {"mondrian": _mondrian, "mondrian-relaxed": _mondrian_relaxed}
)
