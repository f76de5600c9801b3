"""A sweep as a picture: a line for each method, its mean over the seeds, and from where to where they went."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.report.charts import LOOKS, Line, LineChart, Mark
from kohort.schema.numbers import said
from kohort.sweeps.transaction_figures import asked, notes
from kohort.sweeps.transaction_plan import Parameter
from kohort.transactions.methods import METHODS

if TYPE_CHECKING:
    from kohort.report.charts.canvas import Format
    from kohort.sweeps.transactions import Summary, Sweep

#: A method looks the same in every picture.
_LOOKS: Final = MappingProxyType(dict(zip(METHODS, LOOKS, strict=False)))

#: Values of k lie by their ratios where the greatest is so many times the least.
WIDE: Final = 8

_ACROSS: Final = MappingProxyType(
    {
        Parameter.K: "k: transactions that a cohort must have",
        Parameter.P: "p: public items that an attacker knows",
        Parameter.H: "h: share of a cohort that a private item may have",
        Parameter.DELTA: "delta: share of the items that are public",
        Parameter.ROWS: "rows: transactions of a generated matrix",
        Parameter.COLUMNS: "columns: items of a generated matrix",
        Parameter.DENSITY: "density: share of the cells of a generated matrix that are 1",
    }
)


def picture(sweep: Sweep, format_: Format) -> bytes:
    """Draw a sweep; the same bytes whenever it is the same."""
    return chart(sweep).bytes(format_)


def chart(sweep: Sweep) -> LineChart:
    """What is drawn of a sweep."""
    plan = sweep.plan
    wide = plan.vary is Parameter.K and plan.values[-1] >= WIDE * plan.values[0]
    lines = [
        Line(method, points, _LOOKS[method])
        for method in plan.methods
        if (points := tuple(_point(one) for one in sweep.summaries() if one.method == method and one.distortions))
    ]
    below = notes(sweep)
    if any(point.hollow for line in lines for point in line.points):
        below.append("A hollow mark is a mean over fewer runs.")
    many = len(plan.repeats)
    spread = f" Each mark is the mean of {many} seeds, each bar from the least to the greatest." if many > 1 else ""
    return LineChart(
        title=f"Distortion against {plan.vary}",
        under=f"{asked(sweep)}.{spread}",
        across=_ACROSS[plan.vary] + (" (logarithmic)" if wide else ""),
        up="distortion",
        ticks=tuple((float(value), said(value)) for value in plan.values),
        lines=tuple(lines),
        notes=tuple(below),
        logarithmic=wide,
    )


def _point(one: Summary) -> Mark:
    """Where a summary is drawn; there is at least one distortion."""
    low, high = map(float, (one.distortions[0], one.distortions[-1]))
    return Mark(float(one.value), float(one.mean or 0), low, high, len(one.distortions) < one.runs)
