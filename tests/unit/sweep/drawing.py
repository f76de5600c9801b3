"""What is drawn of a chart, and whether all of it can be read."""

from __future__ import annotations

from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any

from kohort.report.sheet import Sheet

if TYPE_CHECKING:
    import pytest

    from kohort.report.sheet import Format
    from kohort.sweep.chart import Chart


def sheet_of(of: Chart, monkeypatch: pytest.MonkeyPatch) -> Sheet:
    """The sheet that a chart is drawn on."""
    sheets = list[Sheet]()
    of_sheet = Sheet.bytes

    def keep(sheet: Sheet, format_: Format, title: str, description: str) -> bytes:
        sheets.append(sheet)
        return of_sheet(sheet, format_, title, description)

    monkeypatch.setattr(Sheet, "bytes", keep)
    of.bytes("png")
    monkeypatch.undo()
    return sheets[0]


def drawn(of: Chart, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Any], Any]:
    """Each text of the picture with the box it fills, in pixels, and the box of the whole picture."""
    sheet = sheet_of(of, monkeypatch)
    renderer = import_module("matplotlib.backends.backend_agg").FigureCanvasAgg(sheet.figure).get_renderer()
    return [(text, text.get_window_extent(renderer)) for text in sheet.axes.texts], sheet.figure.bbox


def assert_legible(of: Chart, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each text lies inside the picture, apart from the others, and is large enough to read."""
    texts, whole = drawn(of, monkeypatch)
    for text, box in texts:
        assert text.get_fontsize() >= 8
        assert min(box.x0 - whole.x0, whole.x1 - box.x1, box.y0 - whole.y0, whole.y1 - box.y1) > 0, text
    for (text, box), (other, other_box) in combinations(texts, 2):
        assert not box.overlaps(other_box), (text, other)
