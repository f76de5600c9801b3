"""What is drawn of a chart, and whether all of it can be read."""

from __future__ import annotations

from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any

from kohort.report.charts.canvas import settings

if TYPE_CHECKING:
    from kohort.report.charts.lines import LineChart


def axes_of(of: LineChart) -> Any:  # noqa: ANN401  a type of matplotlib
    """The plot of a chart."""
    with settings():
        return of.figure().axes[0]


def drawn(of: LineChart) -> tuple[list[Any], Any]:
    """Each text of the picture with the box it fills, in pixels, and the box of the whole picture."""
    with settings():
        figure = of.figure()
        figure.canvas.draw()
        texts = figure.findobj(import_module("matplotlib.text").Text)
        boxes = [(text, text.get_window_extent()) for text in texts if text.get_visible() and text.get_text()]
    return boxes, figure.bbox


def words(of: LineChart) -> list[str]:
    """What is written in the picture; a text of several lines is one."""
    return [" ".join(text.get_text().split("\n")) for text, _ in drawn(of)[0]]


def assert_legible(of: LineChart) -> None:
    """Each text lies inside the picture, apart from the others, and is large enough to read."""
    texts, whole = drawn(of)
    for text, box in texts:
        assert text.get_fontsize() >= 8
        assert min(box.x0 - whole.x0, whole.x1 - box.x1, box.y0 - whole.y0, whole.y1 - box.y1) > 0, text
    for (text, box), (other, other_box) in combinations(texts, 2):
        assert not box.overlaps(other_box), (text, other)
