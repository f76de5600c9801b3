"""Charts as such: whatever they hold, all of it can be read."""

from __future__ import annotations

import logging
from dataclasses import replace
from types import ModuleType

import pytest

from kohort.errors import FileError
from kohort.report.charts import canvas
from kohort.report.charts.canvas import PERCENT
from kohort.report.charts.lines import LOOKS, Line, LineChart, Mark, Tag, look
from tests.unit.report.drawing import assert_legible, axes_of, words

MARKS = {one.marker for one in LOOKS}
VALUES = (2, 5, 10, 50, 200)


def chart(series: int, *, name: str = "method = number") -> LineChart:
    """So many lines over k, each above the one before."""
    lines = tuple(
        Line(
            f"{name} {nth}",
            tuple(Mark(k, k / 500 + nth / 99, k / 600, k / 400 + nth / 99) for k in VALUES),
            look(nth),
        )
        for nth in range(series)
    )
    return LineChart(
        title="Loss against k",
        under="30,162 records.",
        across="k: records that a class must have",
        up="mean loss",
        lines=lines,
        ticks=tuple((float(k), str(k)) for k in VALUES),
        logarithmic=True,
    )


@pytest.mark.parametrize(
    "of",
    [
        chart(0),
        chart(1),
        chart(30),
        chart(3, name="a-name-without-any-space-in-it-that-is-wider-than-its-column"),
        chart(3, name="年齢と職業と教育と年齢と職業と教育"),
        replace(chart(3), under=f"quasi-identifiers {'x' * 400}, age; 30,162 records.", title="W" * 90),
    ],
    ids=["no line", "one line", "thirty lines", "long names", "another script", "long words"],
)
def test_no_text_is_cut_off_or_covers_another(of: LineChart) -> None:
    """Whatever a chart holds, each text lies inside the picture, apart from the others, and is large enough to read."""
    assert_legible(of)


def test_each_of_thirty_lines_is_drawn_and_named() -> None:
    """As many lines as there are series, each with its own marks in the legend and in the plot."""
    axes = axes_of(chart(30))
    named = [(one.get_marker(), one.get_color()) for one in axes.get_legend().legend_handles]
    marks = [one for one in axes.lines if len(one.get_xdata()) and one.get_marker() in MARKS]
    drawn = [(one.get_marker(), one.get_color()) for one in marks]
    assert len(named) == 30
    assert drawn[::-1] == named  # the highest is named first
    assert axes.get_legend().get_texts()[0].get_text() == "method = number 29"


def test_every_axis_and_sentence_is_written() -> None:
    """The headline, both axes with their round figures, what stays as it is, and all notes."""
    of = replace(chart(1), notes=("One note.", "Another."))
    expected = {
        of.title,
        of.across,
        of.up,
        "30,162 records. One note. Another.",
        "0 %",
        "20 %",
        "40 %",
        "method = number 0",
    }
    assert expected | {str(k) for k in VALUES} <= set(words(of))


def test_a_mark_that_matters_is_named_where_there_is_no_room() -> None:
    """The words at a ring are written even over other marks; others are left out."""
    marks = tuple(Mark(x / 60, y / 60, y / 60, y / 60) for x in range(60) for y in range(60))
    tags = (Tag(0.5, 0.5, "knee: k = 5", ringed=True), Tag(0.25, 0.25, "k = 2"))
    full = replace(chart(0), lines=(Line("all", marks, look(0), joined=False),), measured=PERCENT, ticks=(), tags=tags)
    assert "knee: k = 5" in words(full)
    assert "k = 2" not in words(full)


def test_what_matplotlib_says_of_its_folders_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A home that can only be read is no fault of a run; no folder at all is one, in a sentence of kohort's own."""

    def load(name: str) -> ModuleType:
        logging.getLogger("matplotlib.font_manager").warning("mkdir -p failed")
        if name == "none":
            raise OSError
        return ModuleType(name)

    monkeypatch.setattr("kohort.system.import_module", load)
    assert canvas.library("matplotlib.font_manager").__name__ == "matplotlib.font_manager"
    with pytest.raises(FileError, match="finds no folder that it can write to"):
        canvas.library("none")
    assert caplog.messages == []
    logging.getLogger("matplotlib").warning("of whoever else draws")
    assert caplog.messages == ["of whoever else draws"]
