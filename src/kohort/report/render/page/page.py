"""A page model as HTML, and its charts as files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohort.errors import MissingExtraError
from kohort.report.charts.canvas import encoded, library, settings
from kohort.report.render.page.chart_list import chart_list
from kohort.report.render.page.figure import Figure
from kohort.report.render.page.inline import inline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.report.charts.canvas import Format
    from kohort.report.page import Page
    from kohort.report.render.page.chart import Chart


@dataclass(frozen=True, slots=True)
class Plate:
    """A chart that can be written to a file.

    Attributes:
        chart: What is drawn.
    """

    chart: Chart

    def bytes(self, format: Format) -> bytes:  # noqa: A002  as everywhere that writes pictures
        """The chart as a picture; the same bytes whenever the page model is the same."""
        with settings():
            figure = self.chart.bars(headline=True).figure()
            return encoded(figure, format, self.chart.title, self.chart.words())


def charts(page: Page) -> Mapping[str, Plate]:
    """The charts of a page, by names that a file can have.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    library()
    return {chart.key: Plate(chart) for chart in chart_list(Figure(page.as_json()))}


def html(page: Page) -> str:
    """The page as one file of HTML; the same page model makes the same bytes.

    Raises:
        MissingExtraError: jinja2 or matplotlib is not installed.
    """
    library()
    try:
        from kohort.report.render.page.template import template  # noqa: PLC0415  jinja2 comes with an extra
    except ImportError:
        raise MissingExtraError(
            "jinja2 is needed for pages and is not installed", hint="pip install 'kohort[report]'"
        ) from None
    figures = Figure(page.as_json())
    with settings(**{"svg.fonttype": "none"}):  # letters stay text
        pictures = {chart.place: (chart, _picture(chart)) for chart in chart_list(figures)}
    return template().render(page=figures, pictures=pictures)


def _picture(chart: Chart) -> str:
    """The chart as an element of a page, where its title stands beside it."""
    figure = chart.bars(headline=False).figure()
    figure.patch.set_visible(False)
    return inline(encoded(figure, "svg", chart.title, chart.words()), chart.key)
