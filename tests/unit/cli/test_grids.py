"""Grids on the command line: proposed, asked for in a draft, and compared with none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kohort.report.render.release import release_text
from tests.command import Ran, kohort
from tests.unit.report.test_render import figures as release

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.report import Json

ROLES = ["--quasi", "age,city", "--no-model", "illness", "--k", 3, "--no-grid"]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty people whose ages all differ."""
    path = tmp_path_factory.mktemp("people") / "people.csv"
    rows = [f"{20 + 3 * place},{'ab'[place % 2]},i{place % 4}" for place in range(20)]
    path.write_text("\n".join(["age,city,illness", *rows, ""]))
    return path


def done(*arguments: object) -> Ran:
    """A command that must end well and complain of nothing."""
    ran = kohort(*arguments)
    assert (ran.status, ran.err) == (0, "")
    return ran


def test_inspect_proposes_grids_with_reasons(people: Path) -> None:
    """Every numeric quasi-identifier has a proposal and its reason, as text and in JSON; others have none."""
    assert "    proposed: grid = 5, round cut points in 12 intervals; " in done("inspect", people).out
    by_name = {one["name"]: one for one in done("inspect", people, "--json").figures["columns"]}
    assert by_name["age"]["grid"] == "5"
    assert by_name["age"]["grid_reason"].startswith("round cut points in 12 intervals")
    assert by_name["city"]["grid"] is by_name["city"]["grid_reason"] is None


def test_a_draft_with_grids_runs(people: Path, tmp_path: Path) -> None:
    """`init` writes a job with grids, whose release exposes nobody by a range end."""
    done("init", people, "--out", tmp_path / "job.toml", "--k", 3, "--quiet")
    assert "\ngrid = 5 " in (tmp_path / "job.toml").read_text()
    figures = done("run", tmp_path / "job.toml", "--json", "--compare-grid").figures
    assert figures["range_exposure"] == 0
    assert (figures["grid"]["proposed"], figures["grid"]["grids"]) == (False, {"age": "5"})
    assert figures["grid"]["with"]["lm"] == figures["metrics"]["lm"]


def test_a_comparison_is_told_everywhere(people: Path, tmp_path: Path) -> None:
    """Text, JSON, report file and dry run tell the same comparison; nobody who did not ask is told."""
    command = ["anonymize", people, "--out", tmp_path / "r.csv", *ROLES]
    figures = done(*command, "--json", "--compare-grid", "--report", tmp_path / "r.json").figures
    assert json.loads((tmp_path / "r.json").read_text())["grid"] == figures["grid"]
    assert figures["grid"]["proposed"]
    assert figures["grid"]["without"]["range_exposure"] == figures["range_exposure"] > 0
    dry = done(*command, "--overwrite", "--dry-run", "--compare-grid").out
    assert "With a grid and without (proposed: age=5)" in dry
    assert "grid" not in done(*command, "--overwrite", "--json").figures


def test_what_has_no_cuts_is_refused_before_any_work(people: Path, tmp_path: Path) -> None:
    """Lattice methods and transactions have no grids to compare, and nothing is written."""
    flags = ["--hierarchy", "age=intervals:5,10", "--hierarchy", "city=suppress", "--method", "optimal"]
    ran = kohort("anonymize", people, "--out", tmp_path / "r.csv", *ROLES, *flags, "--compare-grid")
    assert ran.status == 2
    assert "--compare-grid" in ran.err
    assert not (tmp_path / "r.csv").exists()
    job = tmp_path / "t.toml"
    job.write_text(
        'input.path = "b.dat"\noutput.path = "o.dat"\ntransactions = {}\nprivacy = { h = 0.4, k = 2, p = 1 }\n'
    )
    assert kohort("run", job, "--compare-grid").status == 2


def test_sides_without_a_release_and_nothing_to_compare_are_said() -> None:
    """A side that no release can meet, and a job without numbers, are told in words."""
    side: dict[str, Json] = {"lm": 0.5, "exposed": 1234, "range_exposure": 7, "downcoded": 0.25}
    grid: dict[str, Json] = {"with": side, "without": None, "grids": {"age": "5"}, "proposed": False}
    lines = release_text(release(grid=grid, node=None)).splitlines()
    assert "1,234 people            25.0% of cells   0.5000" in lines[-2]
    assert lines[-1] == "  without    no release satisfies the models"
    assert "nothing to compare" in release_text(release(grid=None))
    assert "With" not in release_text(release())
