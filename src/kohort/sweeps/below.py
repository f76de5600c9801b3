"""The line below all others in a picture of a sweep: what no release can be below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.report.charts import Look, Mark
from kohort.report.charts.canvas import GREY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kohort.report.charts import Line

#: How it is drawn, and called where it was computed.
BOUND: Final = Look(GREY, "", (0, (2, 4)))
LEAST: Final = "bound"

_DEFINED: Final = "Bound: no release with the same k and labels is below; estimated from a sample of large tables."


def lowest(known: Iterable[tuple[float, float]]) -> tuple[Mark, ...]:
    """The least figure at each value, by ascending value: it is below all that are known there.

    >>> [(mark.x, mark.y) for mark in lowest([(5, 0.2), (2, 0.1), (5, 0.15)])]
    [(2, 0.1), (5, 0.15)]
    """
    least = dict[float, float]()
    for x, y in known:
        least[x] = min(y, least.get(x, y))
    return tuple(Mark(x, y, y, y) for x, y in sorted(least.items()))


def descending(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """The same where less is stricter: what a stricter setting cannot be below, no laxer one is said to be above.

    >>> [mark.y for mark in descending(lowest([(1, 0.3), (2, 0.4), (3, 0.2)]))]
    [0.3, 0.3, 0.2]
    """
    found: list[Mark] = []
    for mark in marks:
        y = min(mark.y, found[-1].y) if found else mark.y
        found.append(Mark(mark.x, y, y, y))
    return tuple(found)


def bounding(lines: Iterable[Line]) -> list[str]:
    """What the line means, where there is a computed one."""
    return [_DEFINED for line in lines if line.name == LEAST]
