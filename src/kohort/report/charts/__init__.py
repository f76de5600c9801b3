"""Charts: figures as lines, marks or bars, laid out by matplotlib.

A chart is data: titles, scales, series, notes. `bytes` draws it as SVG, PNG or PDF, the same bytes for the same chart,
with a title and a description in words. Only the picture of a lattice is laid out by hand, in `kohort.report.lattice`.
"""

from kohort.report.charts.bars import BarChart, Bars, Panels
from kohort.report.charts.canvas import PERCENT, PLAIN, AxisScale, Format, format_of, library, settings
from kohort.report.charts.lines import LOOKS, Line, LineChart, Look, Mark, Tag, look

__all__ = [
    "LOOKS",
    "PERCENT",
    "PLAIN",
    "AxisScale",
    "BarChart",
    "Bars",
    "Format",
    "Line",
    "LineChart",
    "Look",
    "Mark",
    "Panels",
    "Tag",
    "format_of",
    "library",
    "look",
    "settings",
]
