"""A sweep over a table in figures: text, CSV and JSON say the same."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from kohort.errors import UsageError
from kohort.job.sweeps.frame import Axis
from kohort.job.sweeps.table_figures import NOTHING, TABLES, text
from kohort.job.sweeps.tables import Seconds, TableSweep, figures
from tests.unit.sweep.table_sweeps import METHODS, made

KS = Axis("k", ("2", "5", "10"))
SWEEP = made(KS, METHODS, gone=frozenset({("10", "samarati"), ("10", "mondrian")}))


def timed(sweep: TableSweep) -> TableSweep:
    """The same, each point found in a quarter of a second."""
    points = (replace(point, seconds=Seconds(0.25, 0.5)) if point.found else point for point in sweep.points)
    return replace(sweep, points=tuple(points))


def test_people_read_a_line_for_each_point() -> None:
    """What is varied, what it costs, and once why there is no answer; and that nothing is released."""
    head, _, columns, *lines = text(SWEEP).splitlines()
    assert head == "30,162 records; max-suppression = 0; quasi = age,sex,education,city"
    assert columns.split()[:5] == ["k", "method", "lm", "c_avg", "c_dm"]
    first = SWEEP.points[0]
    assert lines[0].split()[:2] == ["2", "mondrian"]
    assert f"{first.metrics['lm']:.6g}" in lines[0]
    assert f"{first.highest:.2%}" in lines[0]
    assert lines[6].split() == ["10", "mondrian", "infeasible"]
    why = "infeasible at k = 10, method = mondrian, and at 1 more: no node is releasable."
    assert lines[-3:] == ["", why, NOTHING]


def test_people_see_whole_costs_as_counts_and_seconds_if_told() -> None:
    """C_DM in full; CPU and wall seconds at the end of a line."""
    whole = replace(SWEEP.points[0], metrics={"c_dm": 1_234_567.0})
    lines = text(timed(TableSweep((Axis("k", ("2",)),), 9, {}, (replace(whole, values=("2",)),)))).splitlines()
    assert lines[0] == "9 records"
    assert "1,234,567" in lines[3]
    assert lines[2].endswith("cpu s  wall s")
    assert lines[3].split()[-2:] == ["0.250", "0.500"]


def test_programs_read_every_figure() -> None:
    """Each point by the names of its axes; `null` where there is none."""
    told = figures(SWEEP)
    assert (told["vary"], told["records"]) == ({"k": ["2", "5", "10"], "method": [*METHODS.values]}, 30_162)
    points = told["points"]
    assert isinstance(points, list)
    for point, one in zip(SWEEP.points, points, strict=True):
        assert isinstance(one, dict)
        assert one["values"] == dict(zip(("k", "method"), point.values, strict=True))
        assert one["classes"] == (point.classes if point.found else None)
        assert one["metrics"] == (dict(point.metrics) if point.found else None)
        assert one["why"] == (point.why or None)
        assert "cpu_seconds" not in one
    assert json.loads(TABLES.json_text(SWEEP)) == {"audience": "internal", **told}


def test_whole_costs_are_integers_and_no_levels_are_null() -> None:
    """C_DM counts; a method without levels has no node."""
    point = replace(SWEEP.points[0], metrics={"c_dm": 5.0, "lm": 0.5})
    one = replace(SWEEP, axes=(Axis("k", ("2",)),), points=(replace(point, values=("2",)),), fixed={})
    [told] = json.loads(TABLES.json_text(one))["points"]
    assert json.dumps(told["metrics"]) == '{"c_dm": 5, "lm": 0.5}'
    assert told["node"] is None


def test_a_csv_has_a_line_for_each_point() -> None:
    """The same columns whatever is found; metrics, losses and levels each in one."""
    point = replace(SWEEP.points[0], node={"age": 1, "=sum": 2})
    sweep = timed(replace(SWEEP, points=(point, *SWEEP.points[1:])))
    rows = list(csv.DictReader(TABLES.csv_text(sweep).splitlines()))
    assert len(rows) == 9
    assert list(rows[0])[:5] == ["audience", "k", "method", "ending", "lm"]
    assert {row["audience"] for row in rows} == {"internal"}
    assert list(rows[0])[-1] == "why"
    assert (rows[0]["level:age"], rows[0]["level:=sum"], rows[0]["cpu_seconds"]) == ("1", "2", "0.25")
    assert float(rows[0]["loss:age"]) == point.losses["age"]
    assert (rows[6]["ending"], rows[6]["lm"], rows[6]["why"]) == ("infeasible", "", "no node is releasable")


def test_the_name_of_the_file_says_the_form() -> None:
    """CSV or JSON; nothing else."""
    assert TABLES.writer(Path("sweep.csv"))(SWEEP) == TABLES.csv_text(SWEEP).encode()
    assert TABLES.writer(Path("sweep.json"))(SWEEP) == TABLES.json_text(SWEEP).encode()
    with pytest.raises(UsageError, match=r"\.csv or \.json"):
        TABLES.writer(Path("sweep.xlsx"))
