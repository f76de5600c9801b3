"""Charts of a page: every text has room, whatever it says, and nothing is told by colour alone."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from kohort.report.charts.bars import folded
from kohort.report.charts.canvas import settings
from kohort.report.render.page.chart import Chart, ChartRow, ChartSeries
from kohort.report.render.page.figure import PageFigure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.report import Json

#: Pixels by which boxes of letters may touch: their boxes are larger than what is seen of them.
TOUCH = 2.0

NAMES = (
    "a",
    "",
    "ñandú",
    "漢字の長い名前の値の長い名前",
    "occupation_of_the_mother_of_the_patient",
    "W" * 90,
    "two words " * 12,
)


def chart(names: list[str], figures: Sequence[Sequence[Json]], **others: Any) -> Chart:  # noqa: ANN401  any option
    """A chart of one or two series."""
    series = (ChartSeries("before", "count", "was"), ChartSeries("after", "count", "is"))[-len(figures[0]) :]
    rows = tuple(
        ChartRow(name, tuple(PageFigure(one) for one in row), aside=name == "aside")
        for name, row in zip(names, figures, strict=True)
    )
    fixed: dict[str, Any] = {"key": "k", "place": "k", "title": "A title " * 9, "says": "Says.", "over": "Over"}
    return Chart(series=series, rows=rows, **{**fixed, **others})


def boxes(of: Chart) -> tuple[list[Any], Any]:
    """The box of each text of the picture in pixels, and that of the whole picture."""
    with settings():
        figure = of.bars().figure()
        figure.canvas.draw()
        texts = figure.findobj(import_module("matplotlib.text").Text)
        return [text.get_window_extent() for text in texts if text.get_visible() and text.get_text()], figure.bbox


def words(of: Chart) -> list[str]:
    """What is written in the picture."""
    with settings():
        figure = of.bars().figure()
        figure.canvas.draw()
        texts = figure.findobj(import_module("matplotlib.text").Text)
    return [text.get_text() for text in texts if text.get_visible() and text.get_text()]


@given(
    names=st.lists(st.sampled_from(NAMES) | st.text(max_size=30), min_size=1, max_size=22),
    both=st.booleans(),
    upright=st.booleans(),
    data=st.data(),
)
def test_every_text_has_room(names: list[str], *, both: bool, upright: bool, data: st.DataObject) -> None:
    """No text is cut off by the edge, and none hides another, whatever names and figures there are."""
    number = st.none() | st.integers(-5, 10**7) | st.floats(0, 1e6) | st.sampled_from([0.0001, 1e299, 10**400, 1e-320])
    printable = [  # what the font has; a browser tries the others
        "".join(one for one in name if one.isprintable() and one <= "\u024f") for name in names
    ]
    figures = [[data.draw(number) for _ in range(1 + both)] for _ in names]
    texts, sheet = boxes(chart(printable, figures, upright=upright))
    for one in texts:
        assert one.x0 >= sheet.x0 - TOUCH
        assert one.x1 <= sheet.x1 + TOUCH
        assert one.y0 >= sheet.y0 - TOUCH
        assert one.y1 <= sheet.y1 + TOUCH
    for one, other in combinations(texts, 2):
        across = min(one.x1, other.x1) - max(one.x0, other.x0)
        down = min(one.y1, other.y1) - max(one.y0, other.y0)
        assert min(across, down) <= 2 * TOUCH, (one, other)


def test_what_was_and_what_is_differ_without_colours() -> None:
    """What was is hatched, and what is, is not; where they stand in front of each other one is but an outline."""
    with settings():
        lying = chart(["a", "b"], [[1, 2], [3, 4]]).bars().figure().axes[0]
        upright = chart(["a", "b"], [[1, 2], [3, 4]], upright=True).bars().figure().axes[0]
    assert [patch.get_hatch() for patch in lying.patches] == ["//////"] * 2 + [None] * 2
    assert [patch.get_width() for patch in lying.patches] == [1, 3, 2, 4]
    stairs, *columns = upright.patches
    assert (stairs.get_fill(), stairs.get_linewidth()) == (False, 1.6)
    assert stairs.get_data().values.tolist() == [1, 3]
    assert [column.get_height() for column in columns] == [2, 4]
    assert {patch.get_hatch() for patch in upright.patches} == {None}


def test_every_row_is_named_and_has_its_figures() -> None:
    """Names stand at the left, figures at the ends of the bars; two series have a legend, one has none."""
    both = chart(["a", "b"], [[1, None], [3, 4_000]], title="T")
    assert sorted(words(both)) == ["1", "3", "4,000", "T", "a", "after", "b", "before", "not shown"]
    assert sorted(words(chart(["a", "b"], [[1], [2]], title="T"))) == ["1", "2", "T", "a", "b"]


def test_columns_are_named_at_equal_distances() -> None:
    """Where not all names have room, every second or third one is written, the first always."""
    few = chart(["from one", "to two", "to three"], [[1], [2], [3]], upright=True)
    assert {"from one", "to two", "to three"} <= set(words(few))
    many = chart([f"{nth} thousand" for nth in range(30)], [[nth] for nth in range(30)], upright=True)
    shown = [int(word.split(" ")[0]) for word in words(many) if "thousand" in word]
    assert shown[0] == 0
    assert len({after - before for before, after in pairwise(shown)}) == 1
    assert 2 <= len(shown) < 30


def test_others_are_told_below() -> None:
    """A row of all others would leave no room for bars: it is told in words, and more than are drawn are counted."""
    of = chart(["a", "b", "c", "aside"], [[1], [2], [3], [4_000]], most=2)
    assert [[row.label for row in rows] for rows in (of.shown, of.rest, of.aside)] == [["a", "b"], ["c"], ["aside"]]
    assert of.bars().notes == ("aside: 4,000", "1 more in the table")
    assert of.end == 2
    texts, _ = boxes(of)
    assert len(texts) == 6


def test_others_alone_are_drawn() -> None:
    """Where there is nothing else, all others are a row."""
    of = chart(["aside"], [[4_000]])
    assert [row.label for row in of.shown] == ["aside"]
    assert of.rest == of.aside == []


def test_a_description_tells_the_drawn_rows() -> None:
    """Who cannot see a picture hears what it shows, and how much more there is."""
    of = chart([str(nth) for nth in range(14)], [[nth, None] for nth in range(14)], most=12)
    [told] = re.findall("<desc>(.*)</desc>", of.bytes("svg").decode())
    assert told.startswith("Says. 0: 0, not shown. 1: 1, not shown.")
    assert told.endswith("11: 11, not shown. 2 more in the table")


def test_a_scale_of_nothing_ends_at_one() -> None:
    """Bars of nothing have no length, and their scale still has an end."""
    assert chart(["a"], [[0]]).end == 1
    assert chart(["a"], [[None]]).end == 1
    assert chart(["a"], [[0.25]], whole=1.0).end == 1


@given(text=st.text(max_size=60), columns=st.integers(4, 30), lines=st.integers(1, 3))
def test_a_folded_name_fits(text: str, columns: int, lines: int) -> None:
    """A name takes as many lines as it may, none longer than there is room; a short one is written whole."""
    found = folded(text, columns, lines)
    assert 1 <= len(found) <= lines
    assert all(len(line) <= columns for line in found)
    if len(text) <= columns:
        assert found == [text.rstrip(" ")]


def test_a_very_long_name_is_cut_at_once() -> None:
    """A cell of many thousand letters is not tried letter by letter."""
    assert len("".join(folded("x" * 100_000))) < 50
    long = "x" * 100_000
    assert max(map(len, words(chart([long], [[1]], title=long, upright=True)))) < 200
