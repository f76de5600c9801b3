"""The metrics in `examples/plugins`: kohort finds them where they are installed, and says where they are otherwise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import pytest

from kohort.errors import UsageError
from kohort.job.sweeps.figure import figure_of
from kohort.metrics import MOVED
from kohort.metrics.known import METRICS, metric_of
from kohort.testing import check_metric
from tests.command import kohort
from tests.unit.metrics.examples import EXAMPLES, PACKAGE, installed

if TYPE_CHECKING:
    from pathlib import Path

ROLES = ("--quasi", "age,city", "--sensitive", "ill", "--l", "ill=2", "--k", "3")
LEVELS = ("--hierarchy", "age=intervals:2,4", "--hierarchy", "city=suppress", "--method", "optimal")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Some people."""
    rows = [f"{20 + row % 8},{'ab'[row % 2]},{'xyz'[row % 3]}\n" for row in range(48)]
    (tmp_path / "people.csv").write_text("".join(["age,city,ill\n", *rows]), "utf-8")
    return tmp_path / "people.csv"


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_keeps_what_it_declares(name: str) -> None:
    """No toy table shows otherwise."""
    metric = resolve_name(EXAMPLES[name])
    assert metric.name == name
    check_metric(metric, tables=25, seed=7)


def test_the_package_has_what_kohort_had() -> None:
    """Each that moved, and kohort has none of them itself."""
    assert {*EXAMPLES} == MOVED
    assert not MOVED & {*METRICS}


@pytest.mark.slow("six commands in processes of their own")
def test_installed_they_are_everywhere(table: Path, tmp_path: Path) -> None:
    """A search takes one as its objective, releases are measured by those that cost nothing, sweeps by all."""
    path = os.pathsep.join([str(installed(tmp_path)), str(PACKAGE), *sys.path])
    found: list[dict[str, dict[str, object]]] = []
    for words in (
        ["anonymize", *ROLES, *LEVELS, "--objective", "max-loss", "--out", "r.csv"],
        ["sweep", *ROLES[:-2], "--vary", "k=3,4", "--figure", "classification", "--picture", "a.svg"],
        ["sweep", *ROLES[:-2], "--vary", "k=3", "--figure", "risk-utility:k,ambiguity", "--picture", "b.svg"],
    ):
        ran = subprocess.run(
            [sys.executable, "-m", "kohort", words[0], table.name, *words[1:], "--json"],
            env={**os.environ, "PYTHONPATH": path},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, "")
        found.append(json.loads(ran.stdout))
    assert found[0]["objective"]["name"] == "max_loss"
    assert {"max_loss", "lm_geometric"} < {*found[0]["metrics"]}
    assert "CM: records outside the majority" in (tmp_path / "a.svg").read_text("utf-8")
    assert "AM: combinations of values" in (tmp_path / "b.svg").read_text("utf-8")


@pytest.mark.parametrize("name", ["max-loss", "lm_geometric"])
def test_a_job_is_told_where_a_metric_went(table: Path, name: str) -> None:
    """By its flag and by its key, as a fault of usage."""
    out = table.with_name("r.csv")
    ran = kohort("anonymize", table, *ROLES, *LEVELS, "--objective", name, "--out", out)
    assert ran.status == 2
    assert f"the metric {name} is no longer part of kohort\n  where: --objective" in ran.err
    assert "hint: examples/plugins in kohort's source has it" in ran.err
    job = table.with_name("job.toml")
    text = f'input.path = "people.csv"\noutput.path = "r.csv"\nprivacy.k = 3\nmethod.objective = "{name}"\n'
    job.write_text(f'{text}[columns]\nage.role = "quasi"\ncity.role = "quasi"\nill.role = "insensitive"\n', "utf-8")
    ran = kohort("run", job)
    assert ran.status == 2
    assert f"the metric {name} is no longer part of kohort" in ran.err
    assert "job.toml, line 4 (method.objective)" in ran.err
    assert not out.exists()


@pytest.mark.parametrize("name", sorted(MOVED))
def test_whoever_asks_otherwise_is_told_too(name: str) -> None:
    """A sweep that is to be drawn, a frontier, and a search in Python."""
    for ask, text in ((figure_of, name), (figure_of, f"risk-utility:k,{name}"), (metric_of, name)):
        with pytest.raises(UsageError, match=f"the metric {name} is no longer part of kohort") as refused:
            ask(text)
        assert refused.value.where
        assert "examples/plugins" in refused.value.hint
