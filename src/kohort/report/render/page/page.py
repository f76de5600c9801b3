"""A page model as HTML, and its charts as files."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohort.errors import MissingExtraError
from kohort.report.render.page.drawing import drawn
from kohort.report.render.page.figure import Figure
from kohort.report.render.page.inline import inline
from kohort.report.render.page.plates import plates
from kohort.report.render.page.shapes import SETTINGS
from kohort.report.sheet import library, settings

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from kohort.report.page import Page
    from kohort.report.render.page.chart import Chart
    from kohort.report.sheet import Written


@dataclass(frozen=True, slots=True)
class Plate:
    """A chart that can be written to a file.

    Attributes:
        chart: What is drawn.
    """

    chart: Chart

    def bytes(self, format: Written) -> bytes:  # noqa: A002  as everywhere that writes pictures
        """The chart as a picture; the same bytes whenever the page model is the same."""
        with _settings():
            return drawn(self.chart, headline=True).bytes(format, self.chart.title, self.chart.words())


def charts(page: Page) -> Mapping[str, Plate]:
    """The charts of a page, by names that a file can have.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    library()
    return {chart.key: Plate(chart) for chart in plates(Figure(page.as_json()))}


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
    with _settings(text=True):
        pictures = {chart.place: (chart, _picture(chart)) for chart in plates(figures)}
    return template().render(page=figures, pictures=pictures)


def _picture(chart: Chart) -> str:
    """The chart as an element of a page, where its title stands beside it."""
    sheet = drawn(chart, headline=False)
    sheet.figure.patch.set_visible(False)
    return inline(sheet.bytes("svg", chart.title, chart.words()), chart.key)


@contextmanager
def _settings(*, text: bool = False) -> Generator[None]:
    """Draw by our own settings; with `text`, letters stay text."""
    with settings():
        library().rcParams.update(SETTINGS | ({"svg.fonttype": "none"} if text else {}))
        yield
