"""What charts are drawn with: sizes, colours, filled and hatched boxes, stairs, legends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.report.render.page.letters import width
from kohort.report.sheet import GREY, INK, PALE, PAPER, Sheet, library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.report.render.page.chart import Look, Series

#: Points: the width of a chart: a page on a telephone is hardly wider.
WIDTH: Final = 360.0

#: Points: of letters, of a line of them, between rows, beside something, along the edges.
SIZE: Final = 9.5
LINE: Final = 12.0
APART: Final = 7.0
BESIDE: Final = 4.0
EDGE: Final = 3.0

#: Points: width and height of a sample in the legend.
SAMPLE: Final = (16.0, 8.0)

#: The colour of what is; it stands out from light paper and from dark.
FILLED: Final = "#3f83c4"

#: The name of each colour on a page, which has others in the dark.
COLORS: Final = {INK: "--ink", GREY: "--grey", PALE: "--rule", PAPER: "--paper", FILLED: "--filled"}

#: Thin hatches, and letters in a PDF that journals take.
SETTINGS: Final = {"hatch.linewidth": 0.7, "pdf.fonttype": 42}


class Box(NamedTuple):
    """A rectangle by its left, top, width and height."""

    x: float
    y: float
    wide: float
    high: float


def boxes(sheet: Sheet, places: Sequence[Box], look: Look) -> None:
    """Draw rectangles, all as one path."""
    corners = [
        corner
        for x, y, wide, high in places
        for corner in ((x, y), (x + wide, y), (x + wide, y + high), (x, y + high), (x, y))
    ]
    if corners:
        path = library("matplotlib.path").Path(corners, [1, 2, 2, 2, 79] * len(places))
        hatched = {"facecolor": PAPER, "linewidth": 0.8, "hatch": "//////"}
        style = hatched if look == "was" else {"facecolor": FILLED, "linewidth": 0.6}
        sheet.axes.add_patch(library("matplotlib.patches").PathPatch(path, edgecolor=INK, clip_on=False, **style))


def stairs(sheet: Sheet, left: float, bottom: float, wide: float, tops: Sequence[float]) -> None:
    """Draw the outline of columns that touch, from the ground and back to it."""
    corners = [
        (left, bottom),
        *((left + (place + side) * wide, top) for place, top in enumerate(tops) for side in (0, 1)),
        (left + len(tops) * wide, bottom),
    ]
    sheet.axes.plot(*zip(*corners, strict=True), color=INK, linewidth=1.6, zorder=3)


def legend(sheet: Sheet, series: Sequence[Series], *, upright: bool) -> None:
    """Say how each series is drawn, below what there is."""
    x, (wide, high) = EDGE, SAMPLE
    for one in series:
        top = sheet.end + (LINE - high) / 2
        if upright and one.look == "was":
            stairs(sheet, x, top + high, wide / 2, (top + high / 2, top))
        else:
            boxes(sheet, [Box(x, top, wide, high)], one.look or "is")
        sheet.text(x + wide + BESIDE, sheet.end + LINE / 2, one.name, size=SIZE)
        x += wide + width(one.name, SIZE) + 5 * BESIDE
    sheet.end += LINE + APART
