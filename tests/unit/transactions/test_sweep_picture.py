"""The picture of a sweep: legible, told in words and without colours, the same on every run."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING

import pytest

from kohort.errors import MissingExtraError, UsageError
from kohort.report.charts.canvas import format_of
from kohort.report.charts.lines import LOOKS, Line, Mark
from kohort.transactions.sweep import METHODS, Plan, sweep
from kohort.transactions.sweep_figures import chart
from tests.unit.report.drawing import assert_legible, axes_of, words
from tests.unit.transactions.sweeps import PAPER, job, made

if TYPE_CHECKING:
    from kohort.report.charts.canvas import Format
    from kohort.report.charts.lines import LineChart

ALL = ("0.91", "0.9", "0.89", "0.88", "0.895", "0.9", "0.2")


CHARTS = {
    "several methods that end alike": chart(made(*ALL * 4, values=2, methods=tuple(METHODS))),
    "one value, one run": chart(made("0.5", "0.5", values=1)),
    "wide k": chart(made(*["0.1", "0.2"] * 4, values=4, wide=True)),
    "nothing found": chart(made(None, None, None, None, values=1)),
    "some seeds infeasible": chart(made("0.4", "1", None, "1", "0.2", None, "0", "0", values=2)),
    "nothing lost": chart(made("0", "0", "0", "0", values=2)),
    "values close together": replace(
        chart(made("0.3", "0.1", "0.3", "0.1", values=2)), ticks=((2.0, "0.20000001"), (2.05, "0.20500001"), (3.0, "3"))
    ),
}


@pytest.mark.parametrize("of", CHARTS.values(), ids=CHARTS)
def test_no_text_is_cut_off_or_covers_another(of: LineChart) -> None:
    """Whatever was found, each text lies inside the picture, apart from the others, and is large enough to read."""
    assert_legible(of)


def test_every_method_is_named() -> None:
    """Each method that found an answer is named once, each value has its label, and the notes are there."""
    of = chart(made("0.4", "1", None, "1", "0.2", None, "0", "0", values=2))
    written = words(of)
    assert [written.count(word) for word in ("mmil", "mm", "2", "3", "distortion")] == [1] * 5
    assert any("A hollow mark" in word for word in written)
    assert any(of.under in word for word in written)
    assert {of.title, of.across} <= set(written)
    assert [point.hollow for line in of.lines for point in line.points] == [True, False, False, True]


def test_lines_differ_without_their_colours() -> None:
    """No two methods share a marker or dashes, and colours are dark enough on white for text (4.5 : 1)."""
    assert len(LOOKS) >= len(METHODS)
    assert len({look.marker for look in LOOKS}) == len({look.dashes for look in LOOKS}) == len(LOOKS)
    for look in LOOKS:
        channels = [int(look.color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
        light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (light + 0.05) >= 4.5, look


def test_the_legend_has_the_lines_in_the_order_of_their_ends() -> None:
    """The line that ends highest is named first, with the colour, the marker and the dashes that it is drawn with."""
    of = CHARTS["several methods that end alike"]
    ends = {line.name: line.points[-1].y for line in of.lines}
    legend = axes_of(of).get_legend()
    names = [text.get_text() for text in legend.get_texts()]
    assert names == sorted(ends, key=lambda name: -ends[name])
    looks = {line.name: line.look for line in of.lines}
    for name, handle in zip(names, legend.legend_handles, strict=True):
        assert (handle.get_color(), handle.get_marker()) == looks[name][:2]


def test_a_value_without_an_answer_parts_the_line() -> None:
    """Nothing is drawn through a value at which nothing was found."""
    of = chart(made("0.1", "0.1", None, "0.1", "0.3", "0.1", values=3))
    lines = [line for line in axes_of(of).lines if line.get_color() == of.lines[0].look.color]
    assert [isnan(y) for y in lines[0].get_ydata()] == [False, True, False]


@pytest.mark.parametrize("format_", ["svg", "png"])
def test_the_same_sweep_gives_the_same_bytes(format_: Format) -> None:
    """However often and under whatever settings it is drawn."""
    found = made("0.1", "0.2", "0.3", "0.4", values=2)
    first = chart(found).bytes(format_)
    import_module("matplotlib").rcParams["lines.linewidth"] = 9
    try:
        assert chart(found).bytes(format_) == first
    finally:
        import_module("matplotlib").rcdefaults()


def test_it_is_told_in_words() -> None:
    """An SVG has a title, and a description with what stays, every mean and its spread, and what had no answer."""
    svg = chart(made("0.1", "0.2", "0.3", None, values=1)).bytes("svg").decode()
    assert "<title>Distortion against k</title>" in svg
    [told] = re.findall(r"<desc>(.*?)</desc>", svg, re.DOTALL)
    assert "mmil: at 2 20.00% (10.00% to 30.00%)." in told
    assert "mm: at 2 20.00%." in told
    assert "mm at k = 2 (1 of 2 runs)" in told
    assert "mean of 2 seeds" in told


def test_k_is_logarithmic_where_it_is_wide() -> None:
    """K from 2 to 2,000 lies by ratios and says so; k from 2 to 4 does not, nor does h."""
    wide, narrow = CHARTS["wide k"], CHARTS["nothing lost"]
    assert (wide.logarithmic, "logarithmic" in wide.across) == (True, True)
    assert (narrow.logarithmic, "logarithmic" in narrow.across) == (False, False)
    h = chart(sweep(PAPER, Plan.of(job(), "h", ["0.05", "0.9"], methods=["all"])))
    assert not h.logarithmic
    assert (axes_of(wide).get_xscale(), axes_of(narrow).get_xscale()) == ("log", "linear")


def test_what_cannot_be_drawn_is_refused_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four formats are drawn; anything else is refused, as is any where matplotlib is missing."""
    assert [format_of(one) for one in (".svg", ".PNG", ".pdf", ".jpg", ".JPEG")] == ["svg", "png", "pdf", "jpg", "jpg"]
    with pytest.raises(UsageError, match="SVG, PNG, PDF or JPG"):
        format_of(".gif")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError):
        format_of(".svg")


def test_lines_lie_aside_of_each_other() -> None:
    """Where several lines have a mark at a value, these lie within a few points of it, in the order of the lines."""
    of = CHARTS["several methods that end alike"]
    axes = axes_of(of)
    xs = [line.get_transform().transform([(2.0, 0.9)])[0, 0] for line in axes.lines if line.get_linestyle() != "None"]
    apart = [after - before for before, after in pairwise(xs)]
    assert len(xs) == len(of.lines)
    assert all(2 < gap < 7 for gap in apart)


def test_a_bar_is_drawn_where_runs_differ() -> None:
    """A mean of different shares has a bar from the least to the greatest; where all are the same there is none."""
    plain = CHARTS["one value, one run"]
    same, apart = (replace(plain, lines=(Line("a", (Mark(2.0, 0.9, low, 0.9),), LOOKS[0]),)) for low in (0.9, 0.1))
    none, bars = ([bar.get_segments() for bar in axes_of(of).collections] for of in (same, apart))
    assert none == [[]]
    assert bars[0][0][:, 1].tolist() == pytest.approx([0.1, 0.9])
