"""Words at single points of a chart, each where it covers no mark, no line and no other word."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, hypot
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from kohort.report.sheet import INK, LINE, SIZE, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.report.sheet import Sheet
    from kohort.sweep.axes import Frame
    from kohort.sweep.chart import Line

    #: x, and y downward.
    Place: TypeAlias = tuple[float, float]

    #: The left, right, upper and lower edge.
    Box: TypeAlias = tuple[float, float, float, float]

#: Points: from a mark to its words, half of a mark, between what is kept free along a line, and width of the ring
#: around a point that matters most.
AWAY: Final = 7.0
MARK: Final = 4.0
STEP: Final = 3.0
RING: Final = 13.0

#: Where words are tried, as parts of their width and height from a point: right above first, then around it.
_SIDES: Final = ((1, -1), (1, 0), (1, 1), (0, -1), (0, 1), (-1, -1), (-1, 1), (-1, 0))


class Tag(NamedTuple):
    """What is written at a point; the ones with a ring are written first, and always."""

    x: float
    y: float
    text: str
    ringed: bool = False


def write(sheet: Sheet, frame: Frame, tags: Sequence[Tag], lines: Sequence[Line]) -> None:
    """Write every tag that has room beside the marks and the lines."""
    paths = [[(frame.x(point.x), frame.y(point.y)) for point in line.points] for line in lines]
    taken = [(x - MARK, x + MARK, y - MARK, y + MARK) for path in paths for x, y in path]
    taken += [box for path, line in zip(paths, lines, strict=True) if line.joined for box in _along(path)]
    for tag in sorted(tags, key=lambda tag: not tag.ringed):
        x, y, wide = frame.x(tag.x), frame.y(tag.y), width_of(tag.text, bold=tag.ringed)
        steps = (1, 2, 3) if tag.ringed else (1,)
        tried = [box for step in steps for box in _around((x, y), wide, step * AWAY)]
        free = [box for box in tried if _inside(box, frame) and not any(_meet(box, other) for other in taken)]
        if tag.ringed:
            ring = {"markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 1.2}
            sheet.axes.plot([x], [y], linestyle="none", marker="o", markersize=RING, zorder=5, **ring)
        if free or tag.ringed:
            box = (free or tried)[0]
            taken.append(box)
            sheet.text(box[0], (box[2] + box[3]) / 2, tag.text, bold=tag.ringed, paper=tag.ringed)


def _along(path: Sequence[Place]) -> Iterator[Box]:
    """What a line covers."""
    for (x, y), (next_x, next_y) in pairwise(path):
        steps = hypot(next_x - x, next_y - y) / STEP
        for step in range(1, ceil(steps)):
            at_x, at_y = x + (next_x - x) * step / steps, y + (next_y - y) * step / steps
            yield at_x - 1, at_x + 1, at_y - 1, at_y + 1


def _around(place: Place, wide: float, away: float) -> Iterator[Box]:
    """Boxes for a line of text around a place."""
    x, y = place
    for across, down in _SIDES:
        left = x + across * away - wide * (1 - across) / 2
        middle = y + down * (away if across else away + SIZE / 2)
        yield left, left + wide, middle - LINE / 2, middle + LINE / 2


def _inside(box: Box, frame: Frame) -> bool:
    left, right, top, bottom = box
    return frame.left < left and right < frame.right and frame.top - LINE < top and bottom < frame.bottom


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
