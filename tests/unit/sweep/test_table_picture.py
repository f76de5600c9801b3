"""The pictures of sweeps over tables: any figure, legible, told in words and without colours, the same on every run."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kohort.errors import UsageError
from kohort.job.sweeps.figure import FIGURES, RISKS, figure_of
from kohort.job.sweeps.frame import Axis, Ending
from kohort.job.sweeps.picture import MOST_LINES, Places, Tradeoff, chart, frontier, knees
from kohort.metrics.known import METRICS
from kohort.report.charts.canvas import AxisScale
from kohort.report.charts.lines import LOOKS, look
from tests.unit.report.drawing import assert_legible, axes_of, words
from tests.unit.sweep.table_sweeps import KS, LIMITS, METHODS, QUASI, RECORDS, made

if TYPE_CHECKING:
    from kohort.job.sweeps.tables import TableSweep
    from kohort.report.charts.canvas import Format
    from kohort.report.charts.lines import LineChart

GONE = frozenset({("100", "samarati"), ("200", "samarati")})
LONG = Axis("method", ("a-method-of-some-length", "another-one-that-is-longer", "a-third-one-with-a-name", "short"))

CHARTS = {
    "a bound below, by ratios": chart(made(KS, METHODS), "c_dm"),
    "one line": chart(made(QUASI), "c_dm"),
    "from one on": chart(made(KS, METHODS), "c_avg"),
    "not defined, and no release": chart(made(KS, METHODS, gone=GONE), "precision"),
    "nothing at all": chart(made(KS, fixed={}, gone=frozenset((k,) for k in KS.values)), "c_dm"),
    "evenly spaced": chart(made(LIMITS, KS), "suppressed"),
    "names": chart(made(METHODS, KS), "lm"),
    "long names": chart(made(LONG, LIMITS), "ncp"),
    "names of three parts": chart(made(KS, METHODS, LIMITS), "lm"),
    "more than can be drawn": chart(made(QUASI, METHODS, KS, LIMITS), "classes"),
    "more labels than rows": chart(made(Axis("k", tuple(map(str, range(1_000, 1_080))))), "lm"),
    "frontier": chart(made(KS, METHODS), "risk-utility"),
    "frontier of few": chart(made(Axis("k", ("2", "5"))), "risk-utility:average,ncp"),
    "frontier of nothing": chart(made(KS, gone=frozenset((k,) for k in KS.values)), "risk-utility"),
    "frontier of many": chart(made(KS, METHODS, LIMITS), "risk-utility:k"),
    "crowded frontier": chart(made(Axis("k", tuple(map(str, range(2, 42))))), "risk-utility:k"),
}


@pytest.mark.parametrize("of", CHARTS.values(), ids=CHARTS)
def test_no_text_is_cut_off_or_covers_another(of: LineChart) -> None:
    """Whatever was found, each text lies inside the picture, apart from the others, and is large enough to read."""
    assert_legible(of)


def test_what_others_beat_is_hollow_and_equal_settings_have_one_tag() -> None:
    """Of settings that are not equal the frontier's are filled; the knee's tag is written where others are as good."""
    drawn_ = CHARTS["frontier of many"]
    best = {(point.x, point.y) for line in drawn_.lines if line.name == "frontier" for point in line.points}
    marks = [point for line in drawn_.lines if line.name != "frontier" for point in line.points]
    assert {(point.x, point.y) for point in marks if not point.hollow} == best
    assert {point.hollow for point in marks} == {True, False}
    one = made(Axis("k", ("2", "5", "10")), METHODS)
    knee = chart(one, "risk-utility:k,ncp")
    assert len({(tag.x, tag.y) for tag in knee.tags}) == len(knee.tags)
    twice = [point for point in one.points if point.values[1] == "mondrian"]
    equal = chart(
        replace(
            one,
            points=tuple(replace(p, values=v.values) for v in one.points for p in twice if p.values[0] == v.values[0]),
        ),
        "risk-utility:k,ncp",
    )
    assert [tag.text for tag in equal.tags if tag.ringed] == ["knee: k = 5"]


def test_values_that_make_no_difference_are_one_line() -> None:
    """It is called by what its points share: the method; those that differ somewhere, or found nothing, stay apart."""
    cuts, ways = Axis("cut", ("nearest", "loss")), Axis("method", ("mondrian", "ordered", "optimal"))
    found = made(KS, ways, cuts, gone=frozenset((k, "optimal", cut) for k in KS.values for cut in cuts.values))
    same = {point.values[:2]: point for point in found.points if point.values[2] == "nearest"}
    points = (
        replace(same[point.values[:2]], values=point.values) if point.values[1] == "ordered" else point
        for point in found.points
    )
    assert [one.name for one in chart(replace(found, points=tuple(points)), "lm").lines] == [
        "mondrian, cut = nearest",
        "mondrian, cut = loss",
        "ordered",
    ]


def ys(of: LineChart) -> dict[str, list[float]]:
    """The figures of every line."""
    return {line.name: [point.y for point in line.points] for line in of.lines}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_drawn_as_it_was_found(name: str) -> None:
    """A line for each method, through the figures of its points in the order of k."""
    found = made(KS, METHODS)
    expected = {
        method: [
            figure
            for point in found.points
            if point.values[1] == method
            if (figure := FIGURES[name].of(point)) is not None
        ]
        for method in METHODS.values
    }
    of = chart(found, name)
    assert {line: figures for line, figures in ys(of).items() if line in METHODS.values} == {
        method: figures for method, figures in expected.items() if figures
    }
    undefined = [method for method, figures in expected.items() if not figures]
    assert (f"not defined for {', '.join(undefined)}" in " ".join(of.notes)) == bool(undefined)


def test_every_metric_can_be_drawn() -> None:
    """Whatever metric a release has, there is a figure of that name, written in percent if it is a share."""
    assert set(METRICS) <= set(FIGURES)
    shares = {"ncp", "arx_loss", "precision", "gcp"}
    assert {name for name in METRICS if FIGURES[name].scale.share} == shares


def test_axes_fit_the_figures() -> None:
    """C_DM and k lie by ratios where they span much; C_AVG begins at 1, a loss at 0; what is wide with 0 is even."""
    wide, few = CHARTS["a bound below, by ratios"], CHARTS["one line"]
    assert (wide.scale.logarithmic, wide.logarithmic) == (True, True)
    assert ("logarithmic" in wide.up, "logarithmic" in wide.across) == (True, True)
    assert (few.scale.logarithmic, few.logarithmic) == (False, False)
    assert CHARTS["from one on"].scale.ends([1.5, 2.0])[0] == 1.0
    even = CHARTS["evenly spaced"]
    assert [x for x, _ in even.ticks] == [0, 1, 2, 3]
    assert "evenly spaced" in even.across
    assert [label for _, label in even.ticks] == [*LIMITS.values]


def test_values_are_drawn_in_the_order_of_their_numbers() -> None:
    """However they are said; words, and numbers of two kinds, keep the order in which they are said."""
    values = Places.of(Axis("max-suppression", ("20%", "0.5%", "5%")))
    assert [label for _, label in values.ticks] == ["0.5%", "5%", "20%"]
    mixed = Places.of(Axis("max-suppression", ("20", "5%", "0")))
    assert ([label for _, label in mixed.ticks], mixed.named) == (["20", "5%", "0"], True)
    assert Places.of(Axis("max-suppression", ("0",))).ticks == ((0.0, "0"),)


def test_names_are_not_joined() -> None:
    """Between methods there is no line, for nothing lies between them; each is written below its marks."""
    of = CHARTS["names"]
    assert not any(line.joined for line in of.lines)
    assert {line.get_linestyle() for line in axes_of(of).lines} == {"None"}
    assert set(LONG.values) <= set(words(CHARTS["long names"]))


def test_the_least_that_there_can_be_is_shown() -> None:
    """C_DM cannot be below k times the records; nothing is shown where k is not one, nor for other figures."""
    bound = ys(CHARTS["a bound below, by ratios"])["least: k x records"]
    assert bound == [int(k) * RECORDS for k in KS.values]
    assert ys(CHARTS["one line"])["least: k x records"] == [10 * RECORDS] * 4
    assert "least: k x records" not in {**ys(chart(made(QUASI, KS), "c_dm")), **ys(CHARTS["from one on"])}


def test_what_has_no_release_is_said() -> None:
    """In no line, but below: whose, at which values, and why; with a limit reached it is another sentence."""
    of = CHARTS["not defined, and no release"]
    assert [point.x for point in of.lines[0].points] == [2, 5, 10, 20, 50]
    assert "No release: samarati at k = 100, 200. At the first, no node is releasable." in of.notes
    found = made(KS)
    stopped = replace(found.points[0], ending=Ending.LIMIT, why="more memory was needed")
    of = chart(replace(found, points=(stopped, *found.points[1:])), "lm")
    assert of.notes == ("Limit reached: mondrian at k = 2. At the first, more memory was needed.",)
    assert len(of.lines[0].points) == 6


def test_many_failures_are_counted() -> None:
    """Not more sentences than anybody reads: how many more there are like these is said."""
    every = made(QUASI, KS, gone=frozenset((quasi, k) for quasi in QUASI.values for k in KS.values))
    assert chart(every, "lm").notes[-1] == "And 1 more like these."
    assert sum("No release" in note for note in chart(every, "lm").notes) == 6


def test_more_lines_than_can_be_told_apart_are_not_drawn() -> None:
    """The first ones are, and that there are more is said."""
    of = CHARTS["more than can be drawn"]
    assert len(of.lines) == MOST_LINES
    assert "Only the first 16 of 84 lines are drawn; the table has all." in of.notes


def test_every_line_looks_different() -> None:
    """The first looks are those of old, and of 49 no two share both marker and dashes."""
    looks = [look(place) for place in range(49)]
    assert looks[:7] == [*LOOKS]
    assert len({(one.marker, one.dashes) for one in looks}) == 49


def tradeoffs(found: TableSweep) -> list[Tradeoff]:
    """The highest risk and LM of every point."""
    return [Tradeoff(point.highest, point.metrics["lm"]) for point in found.points]


def test_the_frontier_is_drawn_and_its_knee_named() -> None:
    """A mark for every point, a line through those that no other beats, a ring with words at the knee."""
    found, of = made(KS, METHODS), CHARTS["frontier"]
    points = tradeoffs(found)
    marks = {(point.x, point.y) for line in of.lines if not line.joined for point in line.points}
    assert marks == set(points)
    [line] = [line for line in of.lines if line.joined]
    assert [(point.x, point.y) for point in line.points] == [points[place] for place in frontier(points)]
    [ring] = {(tag.x, tag.y): tag for tag in of.tags if tag.ringed}.values()
    bends = knees(points)
    assert (ring.x, ring.y) == points[bends[0]]
    assert ring.text == f"knee: k = {found.points[bends[0]].values[0]}"
    assert of.notes[1].startswith(f"Knee: k = {found.points[bends[0]].values[0]}, {found.points[bends[0]].values[1]} (")
    written = words(of)
    assert ring.text in written
    assert "frontier" in written


def test_what_has_no_room_is_only_told() -> None:
    """Where points are crowded not all have words beside them; the knee always has, and the description has all."""
    of = CHARTS["crowded frontier"]
    written = set(words(of))
    asked = {tag.text for tag in of.tags}
    assert 3 < len(asked & written) < len(asked)
    assert {tag.text for tag in of.tags if tag.ringed} <= written
    assert all(f"({text})" in of.words() for text in asked)


def test_equal_knees_are_all_said() -> None:
    """Settings that give the same are ringed once and named together, the first of them."""
    found = made(Axis("k", ("2", "20", "200")), Axis("order", ("1", "2", "3", "4", "5")))
    same = tuple(
        replace(point, metrics={"lm": loss}, highest=risk)
        for point, (risk, loss) in zip(
            found.points, [pair for pair in ((0.5, 0.1), (0.1, 0.3), (0.01, 3.0)) for _ in range(5)], strict=True
        )
    )
    of = chart(replace(found, points=same), "risk-utility")
    assert [tag.text for tag in of.tags] == ["knee: k = 20", "k = 200", "k = 2"]
    assert of.notes[1].count("equally far") == 2
    assert of.notes[1].endswith(" and 2 more.")


def test_without_a_knee_that_is_said() -> None:
    """Two points have none; nor has a frontier over risks that are not known."""
    assert "no knee" in CHARTS["frontier of few"].notes[1]
    assert "no knee" in CHARTS["frontier of nothing"].notes[1]
    assert not chart(made(QUASI, fixed={}), "risk-utility:k").lines


@pytest.mark.parametrize("risk", RISKS)
def test_the_frontier_lies_over_the_risk_that_is_asked_for(risk: str) -> None:
    """The highest or the average prosecutor's risk, or one over k, be it varied or fixed."""
    for found in (made(KS), made(QUASI)):
        of = chart(found, f"risk-utility:{risk},c_dm")
        k = {"k": [1 / float(point.values[0] if found.axes[0] == KS else "10") for point in found.points]}
        expected = k.get(risk) or [getattr(point, risk) for point in found.points]
        assert sorted(point.x for point in of.lines[0].points) == sorted(expected)
        assert {point.y for point in of.lines[0].points} == {point.metrics["c_dm"] for point in found.points}
        assert of.across == RISKS[risk]


@pytest.mark.parametrize(
    "name", ["c-dm", "risk", "risk-utility:", "risk-utility:precision", "risk-utility:k,average", "lm:k", ""]
)
def test_an_unknown_figure_is_refused(name: str) -> None:
    """What cannot be drawn is a misuse, with the names that are there."""
    with pytest.raises(UsageError) as raised:
        figure_of(name)
    assert raised.value.where == "figure"
    assert raised.value.hint


@pytest.mark.slow("pictures are drawn twice")
@pytest.mark.parametrize(("figure", "format_"), [(None, "png"), ("risk-utility", "svg")])
def test_the_same_sweep_gives_the_same_bytes(figure: str | None, format_: Format) -> None:
    """However often it is drawn."""
    assert chart(made(KS), figure).bytes(format_) == chart(made(KS), figure).bytes(format_)


def test_it_is_told_in_words() -> None:
    """An SVG has a title, and a description with what stays, every figure, the frontier and its settings."""
    svg = chart(made(KS), "c_dm").bytes("svg").decode()
    assert "<title>Discernibility (C_DM) against k</title>" in svg
    [told] = re.findall(r"<desc>(.*?)</desc>", svg, re.DOTALL)
    assert f"least: k x records: at 2 {2 * RECORDS:,}, at 5 {5 * RECORDS:,}" in told
    assert "quasi-identifiers age, sex, education, city; 30,162 records." in told
    [told] = re.findall(r"<desc>(.*?)</desc>", chart(made(KS), "risk-utility").bytes("svg").decode(), re.DOTALL)
    assert re.search(r"frontier: at 0\.\d\d% [\d.]+ \(k = 200\), at", told)
    assert re.search(r"at \d+\.\d\d% [\d.]+ \(knee: k = \d+\)", told)


def test_round_figures_are_enough_and_inside() -> None:
    """By ratios or not, an axis has at least three round figures or, where it is narrow, those in between."""
    for scale, least, most in (
        (AxisScale(logarithmic=True), 3, 3e6),
        (AxisScale(logarithmic=True), 130, 2_400),
        (AxisScale(logarithmic=True), 1.1, 1.5),
        (AxisScale(), 0, 0.003),
        (AxisScale(base=1.0), 1.0, 1.25),
    ):
        inside = scale.ticks(least, most)
        assert len(inside) >= 3
        assert all(least <= figure <= most for figure in inside)
        assert [float(scale.label(figure).replace(",", "")) for figure in inside] == pytest.approx(inside)
