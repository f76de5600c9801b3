"""Results as figures of matplotlib, for notebooks: the charts that a page has of them.

Every figure is for the steward, and says so: it shows counts and values of the input.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from kohort.errors import UnsupportedError, UsageError
from kohort.errors.display import INTERNAL_LINE, many
from kohort.report.charts.bars import Panels
from kohort.report.figures import as_json
from kohort.report.page import page
from kohort.report.page.attributes import attributes
from kohort.report.page.audience import Audience
from kohort.report.page.result import size_bands
from kohort.report.render.page.chart import Chart, ChartRow, ChartSeries, chart_list
from kohort.report.render.page.figure import PageFigure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.figure import Figure

    from kohort.assessment.comparison import Comparison
    from kohort.assessment.risk.overall import Risk
    from kohort.release import Release
    from kohort.report import Json
    from kohort.report.page import Page

#: The charts that are shown together, in this order; others are shown by their names.
TOGETHER: Final = ("losses", "sizes", "risks", "singling")


def release_plot(release: Release, figure: str | None) -> Figure:
    """The charts of a release; see `Release.plot`."""
    names = ", ".join(one.name for one in release.job.models)
    return page_plot(names, page(release, audience=Audience.INTERNAL), figure, TOGETHER)


def page_plot(title: str, page: Page, figure: str | None, together: Sequence[str]) -> Figure:
    """One of the charts of a page by its name, or those named in `together` on a sheet."""
    return _plot(title, chart_list(PageFigure(page.as_json())), figure, together)


def risk_plot(risk: Risk, figure: str | None) -> Figure:
    """The charts of a risk; see `Risk.plot`."""
    people = risk.records if risk.people is None else risk.people
    after: dict[str, Json] = {
        "prosecutor": as_json(risk.prosecutor),
        "journalist": None if risk.journalist is None else as_json(risk.journalist),
        "uniques_share": risk.uniqueness.sample / people,
    }
    names = ("low", "high", "classes", "records")
    bands: list[Json] = [dict(zip(names, one, strict=True)) for one in size_bands(risk.sizes, 1)]
    twin: Json = {"risks": {"threshold": float(risk.threshold), "after": after}, "sizes": bands}
    charts = [_without_before(one) if one.key == "risks" else one for one in chart_list(PageFigure(twin))]
    alone = [(one.columns[0], one.share) for one in risk.singling]
    charts.append(_shares("singling", "People with a unique value in a column", "Share of the people.", alone))
    of = many(people, "record" if risk.people is None else "person")
    return _plot(f"{of} by {', '.join(risk.quasi)}", charts, figure)


def _without_before(chart: Chart) -> Chart:
    """A chart of what is, without what was."""
    rows = tuple(replace(row, figures=row.figures[1:]) for row in chart.rows)
    return replace(chart, title="Re-identification risk", series=chart.series[1:], rows=rows)


def comparison_plot(comparison: Comparison, column: str | None) -> Figure:
    """How far columns moved, or one column before and after; see `Comparison.plot`."""
    moved = [(one.name, one.distance.relative) for one in comparison.attributes if one.distance is not None]
    far = sorted(((name, share) for name, share in moved if share is not None), key=lambda one: -one[1])
    says = "Of names and dates the total variation distance, of numbers Wasserstein's over the range of the column."
    chart = _shares("moved", "How far each column moved", says, far)
    if column is not None:
        _refuse_unknown(column, [one.name for one in comparison.attributes], "column")
        named = [one for one in comparison.attributes if one.name == column]
        (chart,) = chart_list(PageFigure({"attributes": [one.as_json() for one in attributes(named, {})]}))
    return _plot("", [chart], chart.key)


def _shares(key: str, title: str, says: str, shares: Iterable[tuple[str, float]]) -> Chart:
    """A chart of one share of each column."""
    rows = tuple(ChartRow(name, (PageFigure(share),)) for name, share in shares)
    series = (ChartSeries(title, "share", "is"),)
    return Chart(
        key=key, place=key, title=title, says=says, over="Column", series=series, rows=rows, whole=1.0, most=20
    )


def _plot(title: str, charts: Iterable[Chart], name: str | None, together: Sequence[str] = TOGETHER) -> Figure:
    """One of some charts by its name, or those that are shown together on a sheet.

    Raises:
        UsageError: none is called so.
        UnsupportedError: there is nothing to draw.
    """
    known = {one.key: one for one in charts if one.rows}
    if not known:
        raise UnsupportedError("there are no records to draw", where="plot", hint="anonymize a table with records")
    if name is not None:
        _refuse_unknown(name, [*known], "figure")
        drawn = known[name].bars()
        return replace(drawn, notes=(known[name].says, *drawn.notes, INTERNAL_LINE)).plot()
    bars = tuple(known[key].bars() for key in together if key in known)
    series = {one.title: [bars.name for bars in one.series] for one in bars}
    legends = [f"{of}: hatched bars {two[0]}, filled bars {two[1]}." for of, two in series.items() if two[1:]]
    more = [f"{one.title}: {note}." for one in bars for note in one.notes]
    return Panels(title=title, charts=bars, notes=(*legends, *more, INTERNAL_LINE)).plot()


def _refuse_unknown(name: str, known: list[str], what: str) -> None:
    if name not in known:
        near = " or ".join(get_close_matches(name, known))
        hint = f"did you mean {near}?" if near else f"one of {', '.join(known)}"
        raise UsageError(f"there is no {what} {name}", where="plot", hint=hint)
