"""Charts drawn: bars below each other, each with its name, or columns that stand side by side on a scale.

Nothing is told by colour alone: what was is hatched or a bare outline, what is, is filled; figures stand beside bars.
Every text is measured before it is put somewhere, so that none is cut off or hides another.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Final

from kohort.report.render.page.chart import written
from kohort.report.render.page.figure import written_number
from kohort.report.render.page.letters import folded, width
from kohort.report.render.page.shapes import APART, BESIDE, EDGE, LINE, SIZE, WIDTH, Box, boxes, legend, stairs
from kohort.report.sheet import GREY, HEADLINE, INK, PALE, Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.report.render.page.chart import Chart, Row

#: Points: what the names of rows take at most; of a bar, between two bars of a row; the height of columns.
NAMES: Final = 136.0
BAR: Final = 10.0
CLOSE: Final = 1.5
TALL: Final = 120.0

#: Steps of a scale, at most.
STEPS: Final = 4


def drawn(chart: Chart, *, headline: bool) -> Sheet:
    """The chart on a sheet, with or without its title."""
    sheet = Sheet.of(WIDTH)
    sheet.end = EDGE
    if headline:
        for line in folded(chart.title, WIDTH - 2 * EDGE, HEADLINE * 1.12, lines=3):
            sheet.text(EDGE, sheet.end + LINE / 2, line, size=HEADLINE, bold=True)
            sheet.end += LINE
        sheet.end += APART
    series = [one for _, one in chart.drawn]
    if len(series) > 1:
        legend(sheet, series, upright=chart.upright)
    if chart.upright:
        _columns(sheet, chart)
    else:
        _bars(sheet, chart)
    for told in chart.rest:
        sheet.end += LINE / 2
        for line in folded(told, WIDTH - 2 * EDGE, SIZE):
            sheet.text(EDGE, sheet.end + LINE / 2, line, size=SIZE)
            sheet.end += LINE
    return sheet


def _bars(sheet: Sheet, chart: Chart) -> None:
    """Draw a row's bars below each other, with its name at the left and their figures at their ends."""
    names = [folded(row.label, NAMES, SIZE) for row in chart.shown]
    left = EDGE + max(width(line, SIZE) for name in names for line in name) + BESIDE
    figures = max(width(text, SIZE) for row in chart.shown for text in _texts(chart, row))
    scale = (WIDTH - EDGE - BESIDE - figures - left) / chart.end
    bars: list[list[Box]] = [[] for _ in chart.drawn]
    top = sheet.end
    for row, name in zip(chart.shown, names, strict=True):
        high = len(bars) * (BAR + CLOSE) - CLOSE
        middle = sheet.end + max(high, len(name) * LINE) / 2
        _lines(sheet, left - BESIDE, middle, name)
        for nth, ((place, _), text) in enumerate(zip(chart.drawn, _texts(chart, row), strict=True)):
            y, wide = middle - high / 2 + nth * (BAR + CLOSE), max(row.figures[place].number or 0, 0) * scale
            bars[nth].extend([Box(left, y, wide, BAR)] * (wide > 0))
            told = row.figures[place].number is not None
            sheet.text(left + wide + BESIDE, y + BAR / 2, text, size=SIZE, color=INK if told else GREY)
        sheet.end += max(high, len(name) * LINE) + APART
    for places, (_, one) in zip(bars, chart.drawn, strict=True):
        boxes(sheet, places, one.look or "is")
    sheet.end -= APART
    sheet.line([left, left], [top, sheet.end], width=0.8, color=GREY)


def _texts(chart: Chart, row: Row) -> list[str]:
    """The figures at the bars of a row."""
    return [written(row.figures[place], one.form) for place, one in chart.drawn]


def _lines(sheet: Sheet, right: float, middle: float, lines: Sequence[str]) -> None:
    """Write lines that end at the right, around the middle."""
    for nth, line in enumerate(lines):
        sheet.text(right, middle + (nth - (len(lines) - 1) / 2) * LINE, line, size=SIZE, align="right")


def _columns(sheet: Sheet, chart: Chart) -> None:
    """Draw what is as columns and what was as stairs in front of them."""
    form = chart.drawn[0][1].form
    ticks = [(tick, f"{100 * tick:g}%" if form == "share" else written_number(tick)) for tick in steps(chart.end)]
    left = EDGE + max(width(text, SIZE) for _, text in ticks) + BESIDE
    top, wide = sheet.end + LINE / 2, (WIDTH - EDGE - left) / len(chart.shown)
    bottom, scale = top + TALL, TALL / max(chart.end, ticks[-1][0])
    for tick, text in ticks:
        sheet.line([left, WIDTH - EDGE], [bottom - tick * scale] * 2, width=0.5, color=PALE)
        sheet.text(left - BESIDE, bottom - tick * scale, text, size=SIZE, align="right")
    for place, one in chart.drawn:
        tops = [bottom - max(row.figures[place].number or 0, 0) * scale for row in chart.shown]
        if one.look == "was":
            stairs(sheet, left, bottom, wide, tops)
        else:
            columns = [Box(left + (nth + 0.1) * wide, y, 0.8 * wide, bottom - y) for nth, y in enumerate(tops)]
            boxes(sheet, [column for column in columns if column.high > 0], "is")
    sheet.line([left, WIDTH - EDGE], [bottom, bottom], width=0.8, color=GREY)
    sheet.end = bottom + BESIDE
    _names(sheet, chart, left, wide)


def _names(sheet: Sheet, chart: Chart, left: float, wide: float) -> None:
    """Write below the columns what they are: every one, or as many at equal distances as there is room for."""
    names = [folded(row.label, WIDTH / 2, SIZE, lines=1)[0] for row in chart.shown]
    middles = [left + (nth + 0.5) * wide for nth in range(len(names))]
    spans = [_span(middle, width(name, SIZE)) for middle, name in zip(middles, names, strict=True)]
    every = next(step for step in range(1, len(names) + 1) if _apart(spans[::step]))
    for middle, (low, high), name in zip(middles[::every], spans[::every], names[::every], strict=True):
        sheet.text((low + high) / 2, sheet.end + LINE / 2, name, size=SIZE, align="center")
        sheet.line([middle, middle], [sheet.end - BESIDE, sheet.end - BESIDE / 4], width=0.8, color=GREY)
    sheet.end += LINE


def _span(middle: float, wide: float) -> tuple[float, float]:
    """From where to where a name goes that stands below a column, if it can, and within the chart."""
    low = min(max(middle - wide / 2, EDGE), WIDTH - EDGE - wide)
    return low, low + wide


def _apart(spans: Sequence[tuple[float, float]]) -> bool:
    """Whether names leave gaps."""
    return all(before + 2 * BESIDE <= after for (_, before), (after, _) in pairwise(spans))


def steps(end: float) -> list[float]:
    """Round values from 0 on that cover a scale which ends here.

    >>> steps(0.37), steps(1234), steps(1)
    ([0.0, 0.1, 0.2, 0.3, 0.4], [0.0, 500.0, 1000.0, 1500.0], [0.0, 0.5, 1.0])
    """
    power = floor(log10(end / STEPS))
    step = next(lead * 10.0**power for lead in (1, 2, 5, 10, 20) if end / (lead * 10.0**power) <= STEPS)
    return [round(nth * step, max(-power, 0)) for nth in range(ceil(end / step - 1e-9) + 1)]
