"""A kind of job that another package brings, that of `examples/plugins`: a table whose promise is rounding alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow("commands in processes of their own, which find the package")

PLUGINS = ROOT / "examples" / "plugins"

JOB = """
[rounding]
columns = { age = 5, income = 1000 }
keep = ["sex"]

[input]
path = "people.csv"

[output]
path = "rounded.csv"

[purpose]
purpose = "a test"
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


class Ran(NamedTuple):
    """What became of a command."""

    status: int
    out: str
    err: str


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a table, a job, and the package as its `pyproject.toml` has it installed."""
    groups = tomllib.loads((PLUGINS / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {place}\n" for key, place in one.items()) for group, one in groups.items()
    ]
    metadata = tmp_path / "package" / "kohort_plugins-1.dist-info"
    shutil.copytree(PLUGINS, metadata.parent)
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: kohort-plugins\nVersion: 1\n", "utf-8")
    folder = tmp_path / "work"
    folder.mkdir()
    rows = (f"P{n},{20 + n % 50},{'mf'[n % 2]},{'' if n % 9 == 0 else 1500 + 100 * n}\n" for n in range(60))
    (folder / "people.csv").write_text("id,age,sex,income\n" + "".join(rows), "utf-8")
    (folder / "job.toml").write_text(JOB, "utf-8")
    return folder


def ran(work: Path, *commands: str) -> list[Ran]:
    """What becomes of some commands, in a fresh process that has the package."""
    path = os.pathsep.join([str(work.parent / "package"), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS],
        cwd=work,
        env={**os.environ, "PYTHONPATH": path},
        input=json.dumps([one.split() for one in commands]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Ran(*one) for one in json.loads(done.stdout)]


def test_a_release_with_its_certificate_and_its_page(work: Path) -> None:
    """What is published is the input, rounded, and nothing else; its certificate and its page say so."""
    tried, made, checked, told, pages, schema, metadata = ran(
        work,
        "run job.toml --dry-run --json",
        "run job.toml --report page.html --quiet",
        "check rounded.csv --certificate rounded.csv.kohort.json",
        "report job.toml --out again.html",
        "report job.toml --out public.html --audience public",
        "schema --rounding",
        "metadata rounded.csv.kohort.json --format dcat",
    )
    assert [one.status for one in (tried, made, checked, told, pages, schema, metadata)] == [0] * 7, made.err
    assert json.loads(tried.out)["verified"] is False
    header, *rows = (work / "rounded.csv").read_text("utf-8").splitlines()
    due = [
        f"{round((20 + n % 50) / 5) * 5},{'mf'[n % 2]},{'' if n % 9 == 0 else round((15 + n) / 10) * 1000}"
        for n in range(60)
    ]
    assert (header, rows) == ("age,sex,income", sorted(due, key=lambda row: row.split(",")))
    certificate = json.loads((work / "rounded.csv.kohort.json").read_text("utf-8"))
    assert (certificate["kind"], certificate["bases"]) == ("rounding", {"age": 5, "income": 1000})
    assert certificate["checks"]["rounded cells"] == 60 + 60 - 7
    assert "same         multiples: age, income" in checked.out
    assert "nothing differs" in checked.out
    page = (work / "page.html").read_text("utf-8")
    assert "income is rounded to multiples of 1000." in page
    assert "Internal report" in page
    assert "Internal report" not in (work / "public.html").read_text("utf-8")
    assert "Columns of numbers, and what each is rounded to." in schema.out
    assert "60 records that meet age rounded to multiples of 5" in metadata.out


def test_what_was_changed_since_is_found(work: Path) -> None:
    """A number that is no multiple, and a page of a file that is another one by now."""
    assert ran(work, "run job.toml --quiet")[0].status == 0
    file = work / "rounded.csv"
    file.write_text(file.read_text("utf-8").replace("20,", "21,", 1), "utf-8")
    checked, again = ran(
        work, "check rounded.csv --certificate rounded.csv.kohort.json", "report job.toml --out again.html"
    )
    assert checked.status == 1
    assert "different    multiples: income" in checked.out
    assert (again.status, again.err.splitlines()[0]) == (5, "kohort: the certificate is for another file")


@pytest.mark.parametrize(
    ("change", "status", "told"),
    [
        (("age = 5", "age = 1"), 2, "age must be a whole number of at least 2\n  where: job.toml, line 3"),
        (("age = 5", "aeg = 5"), 2, "no such column: aeg"),
        (('"sex"', '"age"'), 2, "rounded and kept: age"),
        (("keep", "kept"), 2, "unknown key kept"),
        (("income = 1000", "sex = 1000"), 2, "rounded and kept: sex"),
        (("income = 1000", "id = 1000"), 3, "a cell is no number\n  where: column id"),
        (("rounded.csv", "rounded.parquet"), 2, "the release is a CSV file"),
    ],
)
def test_what_is_no_job(change: tuple[str, str], status: int, told: str, work: Path) -> None:
    """Each fault has its status and its place, and nothing is written."""
    (work / "job.toml").write_text(JOB.replace(*change), "utf-8")
    refused = ran(work, "run job.toml --quiet")[0]
    assert refused.status == status, refused.err
    assert told in refused.err
    assert {path.name for path in work.iterdir()} == {"people.csv", "job.toml"}
