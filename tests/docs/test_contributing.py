"""CONTRIBUTING.md, followed word for word: a model in somebody's own package is there wherever models are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

#: What the page says about a model.
SECTION = re.search(
    r"^## Adding a model\n(.*?)^## ", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)

JOB = """
input.path = "input.csv"
output.path = "release.csv"
privacy.k = 3
columns.age.role = "quasi"
columns.illness = { role = "sensitive", p-sensitive = 2 }
"""

#: Runs commands one after the other and says what became of each.
COMMANDS = """
import contextlib, io, json, sys
from kohort.cli import main
found = []
for words in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    found.append((status, out.getvalue(), err.getvalue()))
print(json.dumps(found))
"""


def block(language: str) -> str:
    """The first block of the section in a language."""
    assert SECTION is not None
    found = re.search(rf"^```{language}\n(.*?)^```", SECTION[1], re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder in which the model of the page is installed, as its entry point says."""
    point = re.search(r'^(\S+) = "(\w+):(\w+)"$', block("toml"), re.MULTILINE)
    assert point is not None
    (tmp_path / f"{point[2]}.py").write_text(block("python"), "utf-8")
    info = tmp_path / "own-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[kohort.models]\n{point[1]} = {point[2]}:{point[3]}\n")
    people = [f"{20 + place},{('flu', 'gout', 'HIV')[place % 3]}" for place in range(12)]
    (tmp_path / "input.csv").write_text("\n".join(["age,illness", *people, ""]))
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path


def run(package: Path, code: str, said: object = None) -> str:
    """What a fresh Python prints that has the package."""
    path = os.pathsep.join([str(package), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(said),
        capture_output=True,
        text=True,
        cwd=package,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_model_of_the_page_is_what_it_declares(package: Path) -> None:
    """No toy shows otherwise."""
    code = (
        "from kohort.testing import check_model\n"
        "from p_sensitive_k_anonymity import PSensitiveKAnonymity\n"
        "check_model(PSensitiveKAnonymity('illness', 2, 5), tables=100)\n"
    )
    assert run(package, code) == ""


def test_the_model_of_the_page_is_everywhere(package: Path) -> None:
    """A job asks for it, the release is verified and certified by it, checks measure it, sweeps vary it."""
    made = run(
        package,
        COMMANDS,
        [
            ["schema"],
            ["run", "job.toml", "--report", "report.json", "--json"],
            ["check", "release.csv", "--certificate", "release.csv.kohort.json", "--json"],
            ["check", "release.csv", "--quasi", "age", "--sensitive", "illness"],
            ["sweep", "--job", "job.toml", "--vary", "p-sensitive:illness=2,3", "--json"],
            ["sweep", "--job", "job.toml", "--vary", "p-sensitive=2"],
        ],
    )
    schema, release, again, found, sweep, fault = json.loads(made)
    assert "p-sensitive" in json.loads(schema[1])["$defs"]["ColumnPart"]["properties"]
    assert release[0] == 0, release
    assert "2-sensitive 3-anonymity of illness" in release[1]
    assert again[0] == 0, again
    assert "2-sensitive 3-anonymity of illness" in again[1]
    certificate = json.loads((package / "release.csv.kohort.json").read_text())
    assert any(line.startswith("Likely guesses of p-sensitive") for line in certificate["not_promised"])
    assert "2-sensitive 3-anonymity of illness" in (package / "report.json").read_text()
    assert "p-sensitive k-anonymity             p = 3" in found[1]
    assert sweep[0] == 0, sweep
    assert "p-sensitive:illness" in sweep[1]
    assert fault[0] == 2
    assert "--vary p-sensitive:COLUMN=" in fault[2]
