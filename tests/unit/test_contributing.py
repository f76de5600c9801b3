"""CONTRIBUTING tells how to add a plug-in: what it prints is typed here, word by word, as a package of a stranger."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from kohort.algorithms.method import Choices
from kohort.testing import check_algorithm, check_metric

if TYPE_CHECKING:
    from types import ModuleType

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

#: The modules that the page prints, in its order.
MODULES = ("columns_lost", "one_class", "in_small_classes")

ENTRY_POINTS = """
[kohort.metrics]
columns_lost = columns_lost:COLUMNS_LOST
[kohort.algorithms]
one-class = one_class:ONE_CLASS
[kohort.risk_figures]
in_small_classes = in_small_classes:IN_SMALL_CLASSES
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed plug-ins: the modules and the metadata that pip would write."""
    folder = tmp_path_factory.mktemp("site")
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## Adding a metric")[2].partition("\n## ")[0]
    printed = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    for name, code in zip(MODULES, printed, strict=True):
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    metadata = folder / "stranger-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    return folder


def module(package: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module of the package."""
    monkeypatch.setattr(sys, "path", [str(package), *sys.path])
    return importlib.import_module(name)


def test_the_printed_plug_ins_pass_the_conformance_suites(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that they declare is wrong."""
    check_metric(module(package, "columns_lost", monkeypatch).COLUMNS_LOST, tables=20)
    check_algorithm(module(package, "one_class", monkeypatch).ONE_CLASS(Choices()), tables=20)


def kohort(package: Path, *arguments: object) -> Any:  # noqa: ANN401  JSON
    """What the command prints, where the package is installed."""
    path = os.pathsep.join([str(package), str(ROOT / "src")])
    ended = subprocess.run(
        [sys.executable, "-m", "kohort", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=False,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(ended.stdout)


def test_an_installed_plug_in_is_everywhere(package: Path, tmp_path: Path) -> None:
    """The job takes the method and the objective; figures, sweeps and pages have the metric and the risk figure."""
    source = tmp_path / "people.csv"
    source.write_text(
        "age,city\n" + "".join(f"{20 + row % 8},{'ab'[row % 2]}\n" for row in range(24)), encoding="utf-8"
    )
    asked, out = [source, "--quasi", "age,city"], ["--out", tmp_path / "out.csv"]
    levels = ["--hierarchy", "age=intervals:2,4", "--hierarchy", "city=suppress"]
    released = kohort(package, "anonymize", *asked, "--k", 3, "--method", "one-class", "--dry-run", *out, "--json")
    assert (released["classes"], released["metrics"]["columns_lost"]) == (1, 1)
    optimal = ["--method", "optimal", "--objective", "columns-lost"]
    page = tmp_path / "page.html"
    release = kohort(
        package,
        "anonymize",
        *asked,
        *levels,
        "--k",
        3,
        *optimal,
        "--out",
        tmp_path / "out.csv",
        "--report",
        page,
        "--json",
    )
    assert release["objective"]["name"] == "columns_lost"
    assert {one for one in ("Columns lost", "In small classes") if one in page.read_text(encoding="utf-8")} == {
        "Columns lost",
        "In small classes",
    }
    assert kohort(package, "risk", *asked, "--json")["figures"] == {"unique_by_two": 0, "in_small_classes": 24}
    picture = ["--picture", tmp_path / "sweep.svg", "--figure", "columns_lost"]
    swept = kohort(
        package, "sweep", *asked, "--vary", "k=2,3", "--vary", "method=mondrian,one-class", *picture, "--json"
    )
    points = cast("list[dict[str, dict[str, float]]]", swept["points"])
    assert [point["metrics"]["columns_lost"] for point in points][1::2] == [1, 1]
    schema = kohort(package, "schema")
    assert "one-class" in json.dumps(schema)
    assert "columns-lost" in json.dumps(schema)
