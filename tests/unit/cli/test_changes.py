"""`kohort run --set`: keys of a job file, changed for one run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

JOB = """\
[input]
path = "people.csv"

[output]
path = "release.csv"

[privacy]
k = 2

[columns]
age = { role = "quasi", grid = 10 }
"zip.code" = { role = "quasi" }
illness = { role = "sensitive", l = 2 }
"""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job over eight records."""
    records = [f"{age},{zip_},{illness}" for age in (21, 22, 43, 44) for zip_, illness in (("1", "flu"), ("2", "cold"))]
    (tmp_path / "people.csv").write_text("\n".join(["age,zip.code,illness", *records]) + "\n", encoding="utf-8")
    path = tmp_path / "job.toml"
    path.write_text(JOB, encoding="utf-8")
    return path


def test_a_changed_job_is_what_runs_and_what_the_certificate_describes(job: Path) -> None:
    """The release has the k of the command line, and so has its certificate."""
    ran = kohort("run", job, "--set", "privacy.k=4", "--set", 'columns."zip.code".role = "drop"', "--json")
    assert ran.status == 0, ran.err
    assert ran.figures["k"] == 4
    certificate = json.loads((job.parent / "release.csv.kohort.json").read_text(encoding="utf-8"))
    assert certificate["job"]["privacy"] == {"k": 4}
    assert "zip.code" not in (job.parent / "release.csv").read_text(encoding="utf-8")
    assert (
        kohort("check", job.parent / "release.csv", "--certificate", job.parent / "release.csv.kohort.json").status == 0
    )


def test_a_text_that_is_no_toml_is_a_text(job: Path) -> None:
    """Words need no quotes within quotes."""
    ran = kohort("run", job, "--set", "method.cut=median", "--set", "output.path=o.csv", "--dry-run", "--json")
    assert ran.status == 0, ran.err


def test_a_table_that_the_file_lacks_is_made(job: Path) -> None:
    """A key may be the first of its table."""
    assert "[method]" not in JOB
    assert kohort("run", job, "--set", "method.name=mondrain", "--dry-run").err == (
        "kohort: method must be one of mondrian, mondrian-relaxed, ordered, top-down, samarati,"
        " optimal, datafly, best-effort, suppress-cells, suppress-cells-optimal\n"
        "  where: --set method.name=mondrain\n  hint: did you mean mondrian?\n"
    )


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("privacy.kk=3", "unknown key kk"),
        ("privat.k=3", "unknown key privat"),
        ("privacy.k=1", "k must be an integer of at least 2"),
        ("privacy.k=two", "k must be an integer of at least 2"),
        (f"privacy.k={'9' * 5000}", "k must be an integer of at least 2"),
        (f"privacy.k={'[' * 5000}", "k must be an integer of at least 2"),
        ("privacy.k.least=3", "k is not a table of the job"),
        ("columns.height.l=2", "role is missing"),
        ("columns.age=5", "age must be a table"),
        ("privacy.k", "a change has the form KEY=VALUE"),
        ("=3", "a change has the form KEY=VALUE"),
        ("{a.b}=3", "a change has the form KEY=VALUE"),
        ("a=1\nb=2", "unknown key a"),
        ("[a]\nb=1\nc=2", "a change has the form KEY=VALUE"),
    ],
)
def test_a_wrong_change_is_a_fault_at_its_flag(job: Path, change: str, what: str) -> None:
    """All that is wrong with the job comes at once, each fault with the flag or the line that it came of."""
    ran = kohort("run", job, "--set", change, "--dry-run")
    assert ran.status == 2
    assert what in ran.err
    start = change.splitlines()[0][:60]
    assert f"where: --set {change}" in ran.err.replace("\n  ", "\n") or f"where: --set {start}" in ran.err


def test_other_faults_keep_their_lines(job: Path) -> None:
    """A fault of the file is told at its line, one of the flag at the flag."""
    job.write_text(JOB.replace("grid = 10", "gird = 10"), encoding="utf-8")
    ran = kohort("run", job, "--set", "privacy.k=1", "--dry-run")
    assert ran.status == 2
    assert "where: --set privacy.k=1" in ran.err
    assert f"where: {job}, line 11 (columns.age.gird)" in ran.err


def test_a_fault_beside_a_change_keeps_its_line(job: Path) -> None:
    """What the file says of a column is its own fault, though a flag says more of the column."""
    job.write_text(JOB.replace('role = "quasi", grid', "grid"), encoding="utf-8")
    ran = kohort("run", job, "--set", "columns.age.bounds=[0, 99]", "--dry-run")
    assert ran.status == 2
    assert f"role is missing\n  where: {job}, line 11 (columns.age)" in ran.err


def test_of_transactions_too(tmp_path: Path) -> None:
    """A job on transactions is changed likewise."""
    (tmp_path / "b.dat").write_text("bread milk\n" * 4 + "pill bread\n", encoding="utf-8")
    path = tmp_path / "job.toml"
    path.write_text(
        '[transactions]\nformat = "basket"\n[input]\npath = "b.dat"\n[output]\npath = "r.dat"\n'
        '[privacy]\nh = 0.5\nk = 2\np = 1\n[items]\nprivate = ["pill"]\n',
        encoding="utf-8",
    )
    ran = kohort("run", path, "--set", "privacy.k=3", "--dry-run", "--json")
    assert ran.status == 0, ran.err
    assert ran.figures["model"]["name"] == "(0.5, 3, 1)-coherence"
