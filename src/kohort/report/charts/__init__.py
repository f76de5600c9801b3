"""Charts: figures as lines, marks or bars, laid out by matplotlib.

A chart is data: titles, scales, series, notes. `bytes` draws it as SVG, PNG or PDF, the same bytes for the same chart,
with a title and a description in words. Only the picture of a lattice is laid out by hand, in `kohort.report.lattice`.
"""

from kohort.report.charts.bars import BarChart, Bars
from kohort.report.charts.canvas import Format, format_of, library, settings
from kohort.report.charts.lines import Line, LineChart, Mark
from kohort.report.charts.looks import LOOKS, Look, look
from kohort.report.charts.scale import PERCENT, PLAIN, Scale
from kohort.report.charts.tags import Tag

__all__ = [
    "LOOKS",
    "PERCENT",
    "PLAIN",
    "BarChart",
    "Bars",
    "Format",
    "Line",
    "LineChart",
    "Look",
    "Mark",
    "Scale",
    "Tag",
    "format_of",
    "library",
    "look",
    "settings",
]
