"""Bounds of sweeps: computed once for each k and kind of labels, told with each point, drawn below all methods."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import kohort
from kohort.algorithms.mondrian.bound import LeastLoss, least_loss
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.engines import pricing
from kohort.io import read
from kohort.job.sweeps.picture import chart
from kohort.job.sweeps.table_figures import text
from kohort.job.sweeps.table_plan import TablePlan
from kohort.job.sweeps.tables import Point, TableSweep, figures, rows, sweep
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job
from kohort.schema import Attribute, Label, Role, Schema
from tests.unit.report.drawing import assert_legible
from tests.unit.sweep.table_sweeps import KS, METHODS, made

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm, Problem

PEOPLE = read(
    pl.DataFrame({"age": [str(20 + place**2 % 37) for place in range(40)], "city": list("abcd" * 10)}),
)
CUTS: dict[str, Algorithm] = {"nearest": Mondrian(), "loss": Mondrian("loss"), "ordered": Ordered()}
SETS = Schema((Attribute("age", Role.QUASI, label=Label.SET), Attribute("city", Role.QUASI)))
RANGES = Schema.of(quasi=["age", "city"])


def swept(*, bounded: bool = True, k: tuple[str, ...] = ("2", "4")) -> TableSweep:
    """Every cut at every k, with ranges of ages and with sets of them."""
    plan = TablePlan.of(
        {"k": k, "cut": [*CUTS], "label": ["range", "set"]},
        lambda at: Job.of(
            SETS if at["label"] == "set" else RANGES, KAnonymity(int(at["k"])), algorithm=CUTS[at["cut"]]
        ),
    )
    return sweep(PEOPLE, plan, bounded=bounded)


def test_each_k_and_kind_of_labels_is_bounded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the number of methods, and only if asked for; with sets another bound holds than with ranges."""
    asked: list[int] = []

    def counted(problem: Problem) -> LeastLoss:
        asked.append(problem.k)
        return least_loss(problem)

    monkeypatch.setattr(pricing, "least_loss", counted)
    found = swept()
    assert sorted(asked) == [2, 2, 4, 4]
    bounds = {(at.values[0], at.values[2]): at.least for at in found.points}
    assert len({least.ncp for least in bounds.values() if least is not None}) == 4
    assert all(point.least == bounds[point.values[0], point.values[2]] for point in found.points)
    asked.clear()
    assert {point.least for point in swept(bounded=False).points} == {None}
    assert asked == []


def test_a_point_tells_how_near_it_is() -> None:
    """In JSON, in CSV, in a line of a notebook and in print; a point without an answer has no bound."""
    found = swept(k=("2", "41"))
    told: Any = figures(found)["points"]
    first, last = told[0], told[-1]
    point = found.points[0]
    assert point.bound is not None
    assert point.bound.times is not None
    assert first["bound"] == point.bound.as_json()
    assert "bound" not in last
    flat = rows(found)
    assert flat[0]["bound:ncp"] == point.bound.ncp <= point.metrics["ncp"]
    assert flat[-1]["bound:ncp"] is None
    assert f"at most {point.bound.times:.1f} times the least possible loss" in point.cells[-1]
    printed = text(found).splitlines()
    assert printed[2].endswith("ncp  least ncp  times")
    assert printed[3].endswith(f"{point.metrics['ncp']:.4f}     {point.bound.ncp:.4f}    {point.bound.times:.1f}")
    assert "least ncp: no release with the same k and labels has a lower NCP. times: NCP over that." in printed


def test_python_asks_for_a_bound() -> None:
    """By a keyword; without it there is none."""
    people = pl.DataFrame({"age": [20, 30, 40, 50]})
    [point] = kohort.sweep(people, quasi=["age"], vary={"k": [2]}, bound=True).points
    assert point.bound is not None
    assert 0 < point.bound.ncp <= point.metrics["ncp"]
    assert kohort.sweep(people, quasi=["age"], vary={"k": [2]}).points[0].bound is None


def test_nothing_to_lose_and_a_sample_are_told() -> None:
    """Of a bound of 0 no loss is a multiple; an estimate is called one."""
    axes = made(KS)
    none = replace(axes.points[0], least=LeastLoss(0.0, 0.0, 40, 40, 1))
    assert none.cells[-1] == "no release need lose anything"
    told = text(replace(axes, points=(none, *axes.points[1:])))
    assert told.splitlines()[3].endswith("0.0000      -")
    some = replace(axes.points[0], least=LeastLoss(0.01, 0.001, 200, 9, 1))
    assert "at most about " in some.cells[-1]
    assert "; estimated from 200 records. " in text(replace(axes, points=(some, *axes.points[1:])))


def bounded(found: TableSweep) -> TableSweep:
    """The sweep with bounds that grow with k, half of the loss at most; those of the second method are lower."""
    return replace(found, points=tuple(map(_bounded, found.points)))


def _bounded(point: Point) -> Point:
    ncp = int(point.values[0]) / 2_000 / (2 if point.values[-1] == "samarati" else 1)
    return replace(point, least=LeastLoss(ncp, 0.001, 200, 9, 1))


@pytest.mark.parametrize(("figure", "factor"), [("ncp", 1), ("lm", 1)])
def test_the_bound_is_drawn_below_all_methods(figure: str, factor: int) -> None:
    """At each k the least bound of all labels, as the mean of the losses or, of the one column here, their sum."""
    drawn = chart(bounded(made(KS, METHODS)), figure)
    assert_legible(drawn)
    [line] = [one for one in drawn.lines if one.name == "bound"]
    assert [(mark.x, mark.y) for mark in line.points] == [(int(k), factor * int(k) / 4_000) for k in KS.values]
    assert sum("Bound: no release" in note for note in drawn.notes) == 1
    assert [one for one in chart(bounded(made(KS, METHODS)), "classes").lines if one.name == "bound"] == []
    assert [one for one in chart(made(KS, METHODS), figure).lines if one.name == "bound"] == []


def test_in_a_frontier_the_bound_falls_with_the_risk() -> None:
    """It lies below every setting, and never rises as risk grows: what is stricter cannot lose less."""
    found = bounded(made(KS, METHODS))
    drawn = chart(found, "risk-utility:average,ncp")
    assert_legible(drawn)
    [line] = [one for one in drawn.lines if one.name == "bound"]
    ys = [mark.y for mark in line.points]
    assert ys == sorted(ys, reverse=True)
    below = {mark.x: mark.y for mark in line.points}
    for point in found.points:
        assert point.bound is not None
        assert below[point.average] <= point.bound.ncp
    assert "bound" not in [one.name for one in chart(made(KS, METHODS), "risk-utility").lines]
