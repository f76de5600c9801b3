"""A kind of data that another package brings to the desk: a folder of its own, an entry point, nothing in kohort."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

#: What a stranger writes for readings of a meter, of which the release rounds each to a multiple of `step`.
KIND = """
from kohort.desk.kinds import DOING, DataKind
from kohort.errors import UsageError
from kohort.job.edits import table_at
from kohort.job.lines import read_toml


def step_of(text, folder):
    step = table_at(read_toml(text), ("meter",)).get("step")
    if not isinstance(step, int) or step < 2:
        raise UsageError("step must be a whole number of at least 2", where="step", hint="step = 10")
    return step


METER = DataKind(
    name="meter",
    title="Readings of a meter: one number per line",
    pages="kohort_meter.pages:MeterPages",
    session="kohort_meter.session:MeterSession",
    request=step_of,
    steps=(("/readings", "Readings"), ("/preview", "Preview"), ("/history", "Versions"), ("/job", "Job file")),
    package="kohort_meter",
    table="meter",
    detect=lambda path: path.suffix == ".meter",
    doing={**DOING, "look": "Reading the meter"},
    records="readings",
    loss="Precision lost",
)
"""

PAGES = """
from dataclasses import dataclass

from kohort.desk.job_pages import JobPages


@dataclass(slots=True, eq=False)
class MeterPages(JobPages):
    def routes(self):
        return {**JobPages.routes(self), "/readings": (self.readings, None)}

    def readings(self, _):
        found = self._answer("look", self._reading(), self.desk.folder)
        return self._page("readings", "Readings", found=found)
"""

SESSION = """
from pathlib import Path

from kohort.desk.answers import Preview
from kohort.job.edits import table_at
from kohort.job.lines import read_toml

from kohort_meter import step_of


class MeterSession:
    def __init__(self, on_progress):
        self.on_progress = on_progress

    def draft(self, source, folder):
        return f'[meter]\\nstep = 10\\n\\n[input]\\npath = "{source}"\\n', ()

    def look(self, text, folder):
        path = Path(folder) / table_at(read_toml(text), ("input",))["path"]
        return [int(line) for line in path.read_text().split()]

    def preview(self, text, folder):
        step = step_of(text, folder)
        rounded = sorted({round(one / step) * step for one in self.look(text, folder)})
        return Preview({"rounded": rounded}, {"values": str(len(rounded))}, 0.25, 0.5, 0.0)
"""

READINGS = """{% extends "base.html.jinja" %}
{% block main %}<p>{{ found | length }} readings</p>{% endblock %}
"""

FIGURES = """{% macro preview(found) %}<p>Rounded: {{ found.page.rounded | join(", ") }}</p>{% endmacro %}
{% macro more(found) %}{% endmacro %}
"""

#: What a user does with it: the file is recognized, looked at, previewed, changed and compared; what is wrong is told.
USE = """
from pathlib import Path
from time import sleep

from kohort.desk.kinds import KINDS
from kohort.desk.serve import desk_of
from tests.unit.desk.visitor import Visitor, told

assert [*KINDS] == ["table", "transactions", "meter"]
with_name = desk_of(Path("a.csv"), Path("other"), "meter")
assert with_name.kind is KINDS["meter"]
with_name.worker.close()
desk = desk_of(Path("a.meter"), Path())
try:
    visitor = Visitor(desk).enter()
    assert "3 readings" in told(visitor.get("/"))
    shown = told(visitor.get("/preview"))
    assert "Rounded: 20, 40" in shown, shown
    assert "Precision lost 25.0%" in shown, shown
    assert "step must be a whole number" in told(visitor.post("/job", text=desk.text.replace("10", "1")))
    visitor.post("/job", text=desk.text.replace("step = 1\\n", "step = 5\\n"))
    assert "Rounded: 20, 25, 45" in told(visitor.get("/preview"))
    assert "values 2 3" in told(visitor.get("/compare?with=0"))
    visitor.post("/save")
finally:
    desk.worker.close()
again = desk_of(Path("a.job.toml"), Path())
again.open()
assert again.kind is KINDS["meter"]
again.worker.close()
"""


@pytest.mark.slow("a desk in a process that finds the package")
def test_a_kind_of_data_of_another_package_has_pages_at_the_desk(tmp_path: Path) -> None:
    """Its files and jobs are recognized, its templates found, and the shared pages show what its session answers."""
    package, work = tmp_path / "package", tmp_path / "work"
    points = package / "kohort_meter-1.dist-info" / "entry_points.txt"
    for folder in (points.parent, package / "kohort_meter" / "templates", work / "other"):
        folder.mkdir(parents=True)
    points.write_text("[kohort.desk]\nmeter = kohort_meter:METER\n", "utf-8")
    (points.parent / "METADATA").write_text("Metadata-Version: 2.1\nName: kohort-meter\nVersion: 1\n", "utf-8")
    for name, text in {"__init__": KIND, "pages": PAGES, "session": SESSION}.items():
        (package / "kohort_meter" / f"{name}.py").write_text(text, "utf-8")
    for name, text in {"readings": READINGS, "figures": FIGURES}.items():
        (package / "kohort_meter" / "templates" / f"{name}.html.jinja").write_text(text, "utf-8")
    for name in ("a.meter", "a.csv"):
        (work / name).write_text("18\n23\n44\n", "utf-8")
    path = os.pathsep.join([str(package), os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])  # noqa: PTH109
    ran = subprocess.run(
        [sys.executable, "-c", USE],
        cwd=work,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
