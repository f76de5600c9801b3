"""A release as a page that people look at, and its charts as files: drawn from the page's twin and nothing else.

The twin is what `kohort.report.page` makes. The page is one file of HTML: it loads nothing, runs nothing, and is read
by eye, by ear, by keyboard and on paper. Every figure in it stands in an element that names its place in the twin:
`<data value="30000" data-figure="done.released">30,000</data>`.
"""

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

    from kohort.report import Json
    from kohort.report.render.page.chart import Chart
    from kohort.report.sheet import Written

__all__ = ["Plate", "charts", "html"]


@dataclass(frozen=True, slots=True)
class Plate:
    """A chart that can be written to a file.

    Attributes:
        chart: What is drawn.
    """

    chart: Chart

    def bytes(self, format: Written) -> bytes:  # noqa: A002  as everywhere that writes pictures
        """The chart as a picture; the same bytes whenever the twin is the same."""
        with _settings():
            return drawn(self.chart, headline=True).bytes(format, self.chart.title, self.chart.words())


def charts(figures: Mapping[str, Json]) -> Mapping[str, Plate]:
    """The charts of a twin, by names that a file can have.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    library()
    return {chart.key: Plate(chart) for chart in plates(Figure({**figures}))}


def html(figures: Mapping[str, Json]) -> str:
    """The page of a twin as one file of HTML; the same twin makes the same page.

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
    twin = Figure({**figures})
    with _settings(text=True):
        pictures = {chart.place: (chart, _picture(chart)) for chart in plates(twin)}
    return template().render(twin=twin, pictures=pictures)


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
