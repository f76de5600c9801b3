"""The picture of a lattice: complete, legible, the same on every run, and told in words as well."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.lattice.exhaustive import Landscape, check_drawable, landscape, minima
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.core.lattice import Lattice
from kohort.core.suppression import SuppressionLimit
from kohort.engines import pipeline
from kohort.engines.outlets import Stages, no_progress
from kohort.errors import LimitError, MissingExtraError, UnsupportedError, UsageError
from kohort.io.typed import from_frame
from kohort.metrics.known import METRICS
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job
from kohort.report.lattice import format_of, lattice_picture, picture
from kohort.report.lattice.frontier import APART, Span, pack
from kohort.report.lattice.sheet import STYLES, Sheet
from kohort.schema import Attribute, Role, Schema
from kohort.schema.hierarchy import Hierarchy
from tests.reference.lattice import Column, RawTable, problem_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.core.lattice import Node
    from kohort.report.charts.canvas import Format

PNG = b"\x89PNG\r\n\x1a\n"


def hills(top: Node, height: int, *, objective: str = "lm") -> Landscape:
    """A made-up landscape: releasable from some height on, and on the first also at a node of every other kind."""
    lattice = Lattice(top)
    levels = np.indices(lattice.shape)
    heights = levels.sum(axis=0)
    releasable = (heights >= height) | ((heights == height - 1) & (levels[0] == top[0]))
    weights = 1 + np.arange(len(top)) / 10
    figures = heights * 1.0 if objective == "height" else np.tensordot(weights, levels, 1)
    cost = np.where(releasable, figures if METRICS[objective].less_is_better else figures - 99, np.inf)
    suppressed = np.where(releasable, 7, 1_234)
    best = min(zip(cost[releasable], map(tuple, np.argwhere(releasable).tolist()), strict=True), default=None)
    optimum = None if best is None else best[1]
    minimal = minima(releasable)
    return Landscape(
        lattice, ("5-anonymity",), 30_162, 20, METRICS[objective], suppressed, cost, releasable, minimal, optimum
    )


def names_of(seen: Landscape) -> list[str]:
    """A name for each attribute."""
    return [f"attribute-{place}" for place in range(len(seen.lattice.top))]


def drawn(
    seen: Landscape,
    monkeypatch: pytest.MonkeyPatch,
    chosen: Node | None = None,
    *,
    names: Sequence[str] = (),
) -> tuple[list[Any], Any]:
    """Each text of the picture with the box it fills, in pixels, and the box of the whole picture."""
    sheets = list[Sheet]()
    of_sheet = Sheet.bytes

    def keep(sheet: Sheet, format_: Format, title: str, description: str) -> bytes:
        sheets.append(sheet)
        return of_sheet(sheet, format_, title, description)

    def unpainted(*_: object) -> bytes:
        return b""

    with monkeypatch.context() as patch:
        patch.setattr(Sheet, "bytes", keep)
        patch.setattr("kohort.report.lattice.sheet.encoded", unpainted)  # it takes longest, and moves no text
        lattice_picture(seen, names or names_of(seen), format="png", chosen=chosen)
    [sheet] = sheets
    renderer = import_module("matplotlib.backends.backend_agg").FigureCanvasAgg(sheet.figure).get_renderer()
    return [(text, text.get_window_extent(renderer)) for text in sheet.axes.texts], sheet.figure.bbox


SMALL: list[tuple[Node, int]] = [
    ((1, 1, 2, 4), 4),
    ((1,) * 8, 4),
    ((4, 4, 3, 2), 6),
    ((11, 12), 9),
    ((12,), 5),
    ((0,), 0),
    ((2, *(0,) * 60, 1), 2),
]
LARGE: list[tuple[Node, int]] = [
    ((4, 3, 2, 2, 2, 1, 1), 9),
    ((300, 1), 120),
    ((2, 2, 3, 3, *(0,) * 50, 3), 6),
]


@pytest.mark.parametrize(("top", "height"), [*SMALL, *LARGE])
def test_no_text_is_cut_off_or_covers_another(top: Node, height: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the lattice, each text lies inside the picture, apart from the others, and is large enough to read."""
    texts, whole = drawn(hills(top, height), monkeypatch, chosen=top)
    for text, box in texts:
        assert text.get_fontsize() >= 8
        assert min(box.x0 - whole.x0, whole.x1 - box.x1, box.y0 - whole.y0, whole.y1 - box.y1) > 0, text
    for (text, box), (other, other_box) in combinations(texts, 2):
        assert not box.overlaps(other_box), (text, other)


@pytest.mark.parametrize(("top", "height"), [((1, 1, 2, 4), 4), ((11, 4), 9), ((5,), 3), ((0,), 0)])
def test_a_small_lattice_shows_every_node_once(top: Node, height: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each node has its levels and the sign of what it is; the optimum and the chosen node are named in words."""
    seen = hills(top, height)
    texts = [text.get_text() for text, _ in drawn(seen, monkeypatch, chosen=top)[0]]
    comma = "," if max(top) > 9 else ""
    for node in seen.lattice.nodes():
        releasable = "▾" if seen.minimal[node] else ""
        sign = "★" if node == seen.optimum else releasable if seen.releasable[node] else "\N{MULTIPLICATION SIGN}"
        text = sign + comma.join(map(str, node))
        heights = [str(height) for height in range(seen.lattice.height + 1)]
        assert texts.count(text) == 1 + (text in heights)  # of one attribute levels and heights look alike
    assert {"optimal", "minimal", "chosen"} <= set(texts)


def test_a_large_lattice_lists_its_best_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many minimal nodes the best are numbered and listed with cost and suppressed records, and so is the chosen."""
    seen = hills((4, 3, 2, 2, 2, 1, 1), 9)
    top = seen.lattice.top
    texts = [text.get_text() for text, _ in drawn(seen, monkeypatch, chosen=top)[0]]
    listed = [text for text in texts if "suppressed" in text][1:]  # the first is the title
    assert [texts.count(str(number)) >= 2 for number in range(1, 19)] == [True] * 17 + [False]
    assert len(listed) == 17
    assert seen.optimum is not None
    assert listed[0].startswith("".join(map(str, seen.optimum)))
    assert listed[0].endswith("7 suppressed, optimal")
    assert listed[-1].startswith("4322211: ")
    assert listed[-1].endswith("not minimal, chosen")


def test_a_few_minimal_nodes_are_all_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to forty minimal nodes are all listed, and the chosen one once."""
    seen = hills((300, 1), 120)
    texts = [text.get_text() for text, _ in drawn(seen, monkeypatch, chosen=seen.optimum)[0]]
    assert sum("suppressed" in text for text in texts) == 1 + int(seen.minimal.sum())
    assert sum("optimal, chosen" in text for text in texts) == 1


def test_very_many_nodes_of_one_cost_are_drawn_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes that share height and cost lie beside and above each other; that not all are drawn is said."""
    seen = hills((3,) * 7, 10, objective="height")
    texts = [text.get_text() for text, _ in drawn(seen, monkeypatch)[0]]
    assert int(seen.minimal.sum()) > 1_000
    assert any("the best 1,000 drawn, the best 16 numbered" in text for text in texts)


@pytest.mark.parametrize("objective", ["lm", "precision"])
def test_the_axis_says_which_way_is_better(objective: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The objective is drawn as reports print it, with the direction in words."""
    texts = [text.get_text() for text, _ in drawn(hills((4, 4, 4, 3), 6, objective=objective), monkeypatch)[0]]
    assert f"{objective} ({'less' if objective == 'lm' else 'more'} is better)" in texts


@pytest.mark.parametrize("top", [(1, 2), (4, 4, 4, 3)])
def test_a_lattice_without_an_answer_is_drawn_too(top: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no node is releasable the picture says so, and a chosen node that is not is told as that."""
    seen = hills(top, 99)
    texts = [text.get_text() for text, _ in drawn(seen, monkeypatch, chosen=top)[0]]
    assert "No node is releasable." in texts or "chosen" in texts
    description = told(lattice_picture(seen, names_of(seen), chosen=top))
    assert "0 nodes are releasable" in description
    assert f"Chosen: {''.join(map(str, top))} (1,234 suppressed, not releasable)." in description


def told(svg: bytes) -> str:
    """The description of a picture."""
    found = re.search("<desc>(.*)</desc>", svg.decode())
    assert found
    return found[1]


def test_kinds_differ_in_more_than_colour() -> None:
    """Every two kinds of nodes differ in outline, in fill and in the sign that is written on them."""
    for one, other in combinations(STYLES.values(), 2):
        assert one.outline(40, 12) != other.outline(40, 12)
        assert one.fill != other.fill
        assert one.sign != other.sign


@pytest.mark.parametrize("top", [(1, 1, 2, 4), (20, 16)])
@pytest.mark.parametrize("format_", ["svg", "png"])
def test_same_bytes_whatever_matplotlib_was_told(top: Node, format_: Format) -> None:
    """The bytes are a function of the landscape; the user's settings of matplotlib neither change them nor change."""
    settings = import_module("matplotlib").rcParams
    seen = hills(top, 4)
    first = lattice_picture(seen, names_of(seen), format=format_)
    before = settings["font.size"], settings["svg.hashsalt"]
    settings.update({"font.size": 31, "svg.hashsalt": "mine"})
    try:
        assert lattice_picture(seen, names_of(seen), format=format_) == first
        assert (settings["font.size"], settings["svg.hashsalt"]) == (31, "mine")
    finally:
        settings.update(zip(("font.size", "svg.hashsalt"), before, strict=True))
    assert first.startswith(PNG) == (format_ == "png")
    assert not re.search(rb"20\d\d-\d\d-\d\d", first)


def test_what_it_shows_is_said_in_words() -> None:
    """An SVG is an image with title and description; a PNG has both as metadata."""
    seen = hills((1, 1, 2, 4), 4)
    svg = lattice_picture(seen, names_of(seen), chosen=(1, 1, 2, 4))
    title = "Lattice of 60 nodes: 5-anonymity, at most 20 of 30,162 records suppressed"
    assert re.search(r'<svg [^>]*role="img"', svg.decode())
    assert f"<title>{title}</title>" in svg.decode()
    assert "the levels of attribute-0, attribute-1, attribute-2, attribute-3, in this order" in told(svg)
    assert f"{int(seen.minimal.sum())} of them minimal" in told(svg)
    assert seen.optimum is not None
    assert f"Optimal in lm: {''.join(map(str, seen.optimum))} (lm " in told(svg)
    assert told(svg).endswith("Chosen: 1124 (lm 9.700, 7 suppressed).")
    png = lattice_picture(seen, names_of(seen), format="png")
    assert b"tEXtTitle\0" + title.encode() in png
    assert b"Description\0" in png


def test_any_name_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """No name is taken for a formula or markup, breaks the page or the file, or warns for want of a glyph."""
    seen = hills((1, 1, 1, 1), 2)
    names = ["$a$ <b>", "x" * 400, "年齢", "line\n\x07"]
    description = told(lattice_picture(seen, names))
    assert f"the levels of $a$ &lt;b&gt;, {'x' * 400}, 年齢, line??, in this order" in description
    texts, whole = drawn(
        seen, monkeypatch, names=[*names[:2], "two  spaces", "z"]
    )  # the last two as boxes, with a warning
    assert all(box.x1 < whole.x1 for _, box in texts)


@given(
    st.lists(
        st.tuples(st.sampled_from([(0, 60), (60, 90)]), st.floats(20, 180), st.sampled_from([(19, 11), (3, 2)])),
        max_size=30,
    )
)
def test_packed_places_hide_none(asked: list[tuple[tuple[float, float], float, tuple[float, float]]]) -> None:
    """Boxes that are packed lie apart while there is room, and only move up or down where they have to."""
    spans = [Span(*ends, y, 0, 200) for ends, y, _ in asked]
    sizes = [size for _, _, size in asked]
    places = pack(spans, sizes)
    for (x, y), span, (wide, high) in zip(places, spans, sizes, strict=True):
        assert span.left <= x - wide / 2 < x + wide / 2 <= span.right
        assert 0 <= y - high / 2 < y + high / 2 <= 200
    for one, two in combinations(range(len(places)), 2):
        (x, y), (wide, high), (left, top), size = places[one], sizes[one], places[two], sizes[two]
        apart = abs(x - left) >= (wide + size[0]) / 2 + APART - 1e-9
        kept_off = sum(other + size[1] + 2 * APART + 2 for _, other in sizes[:two])  # heights that those before take
        room = kept_off + 4 < 200 - size[1]
        assert apart or abs(y - top) >= (high + size[1]) / 2 + APART - 1e-9 or not room
    still = pack(spans, sizes, still=0)
    assert still == places[: len(still)]
    assert all(y == span.y for (_, y), span in zip(still, spans, strict=False))


def test_a_full_plot_is_no_reason_to_fail() -> None:
    """Where there is no room at all a box covers others, at its own place."""
    assert pack([Span(0, 5, 5, 0, 10)] * 3, [(5, 8)] * 3) == [(2.5, 5.0)] * 3


# ── For the pipeline ─────────────────────────────────────────────────────────────────────────────

TABLE = RawTable(
    (Column((("a", "*"), ("b", "*"))), Column((("p", "pq", "*"), ("q", "pq", "*"), ("r", "r", "*")))),
    (("a", "p"), ("a", "q"), ("b", "r"), ("b", "r"), ("b", "q")),
)


PEOPLE = from_frame(pl.DataFrame({"q0": ["a", "a", "b", "b", "b"], "q1": ["p", "q", "r", "r", "q"]}))


@pytest.mark.parametrize("format_", ["svg", "png"])
def test_picture_of_a_release(format_: Format) -> None:
    """The picture is of the algorithm's own limit and objective, with the node that it chose."""
    limit = SuppressionLimit(1)
    seen = landscape(problem_of(TABLE, KAnonymity(2)), limit, "c_dm")
    quasi = (
        Attribute("q0", Role.QUASI, hierarchy=Hierarchy.from_rows([["a", "*"], ["b", "*"]])),
        Attribute(
            "q1", Role.QUASI, hierarchy=Hierarchy.from_rows([["p", "pq", "*"], ["q", "pq", "*"], ["r", "r", "*"]])
        ),
    )
    stages = Stages(no_progress)
    release = pipeline.solve(
        PEOPLE, Job.of(Schema(quasi), KAnonymity(2), algorithm=Optimal(limit, "c_dm")), threads=1, stage=stages
    )
    assert tuple(release.levels.values()) == seen.optimum
    assert picture(release, format_) == lattice_picture(seen, ["q0", "q1"], format=format_, chosen=seen.optimum)


def test_no_picture_of_a_release_without_levels() -> None:
    """A release by regions has no lattice."""
    stages = Stages(no_progress)
    release = pipeline.solve(PEOPLE, Job.of(Schema.of(quasi=["q0", "q1"]), KAnonymity(2)), threads=1, stage=stages)
    with pytest.raises(UnsupportedError, match="mondrian has no lattice"):
        picture(release, "svg")


def test_no_picture_of_too_large_a_lattice() -> None:
    """What is too large to be judged whole is refused."""
    column = Column((("x", "*"),))
    problem = problem_of(RawTable((column,) * 17, (("x",) * 17,) * 2), KAnonymity(2))
    with pytest.raises(LimitError, match="131,072 nodes"):
        check_drawable(problem)


def test_what_cannot_be_drawn_is_refused_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another format, an algorithm without a lattice, a missing library: each is said before any search."""
    assert format_of(Optimal(), ".svg") == "svg"
    with pytest.raises(UsageError, match="SVG, PNG, PDF or JPG"):
        format_of(Optimal(), ".gif")
    with pytest.raises(UnsupportedError, match="mondrian does not search a lattice"):
        format_of(Mondrian(), ".svg")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="kohort\\[report\\]") as raised:
        format_of(Optimal(), ".svg")
    assert raised.value.exit_status == 10
