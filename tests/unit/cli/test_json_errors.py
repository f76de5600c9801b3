"""With `--json` an error is one JSON object on standard output, too; its text stays on standard error."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kohort.cli import program
from kohort.errors import DurabilityError, VerificationError
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "age,city\n" + "30,Rome\n" * 5 + "70,Bari\n" * 5

TWO_FAULTS = "anonymize t.csv --out r.csv --quasi age --weight agee=2 --method mondrain --json"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, in which commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "there.csv").write_text("x\n", encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("command", "status", "where", "what"),
    [
        ("anonymize t.csv --out r.csv --quasi age --rest drop --k 5 --time-limt 3", 2, "--time-limt", "unknown flag"),
        ("anonymize t.csv --quasi age", 2, "--out / -o", "--out is required"),
        ("anonymize t.csv --out r.csv --k many", 2, "--k / -k", "--k must be a whole number"),
        ("anonimize t.csv", 2, "anonimize", "unknown command"),
        ("run job.toml --attack sun", 3, "job.toml", "no such job file"),
        ("check none.csv --quasi age", 3, "none.csv", "no such file"),
        ("anonymize t.csv --out r.csv --quasi age,city --k 11", 4, "", "does not satisfy 11-anonymity"),
        ("anonymize t.csv --out no/r.csv --quasi age,city --k 5", 6, "no", "folder"),
        ("anonymize t.csv --out there.csv --quasi age,city --k 5", 7, "there.csv", "exists"),
    ],
)
def test_an_error_is_an_object(command: str, status: int, where: str, what: str) -> None:
    """Its status is that of the process, its text is on standard error as ever."""
    ran = kohort(*command.split(), "--json")
    assert ran.status == status, ran.err
    assert set(ran.figures) == {"status", "where", "what", "hint"}
    assert ran.figures["status"] == status
    assert where in ran.figures["where"]
    assert what in ran.figures["what"]
    assert ran.figures["what"].split()[0] in ran.err
    assert kohort(*command.split()).out == ""


@pytest.mark.usefixtures("folder")
def test_faults_of_a_job_come_as_a_list() -> None:
    """One object for all, each fault with its own place and hint."""
    ran = kohort(*TWO_FAULTS.split())
    assert ran.status == 2
    assert {key: ran.figures[key] for key in ("status", "where", "what", "hint")} == {
        "status": 2,
        "where": "",
        "what": "the job has 2 faults",
        "hint": "",
    }
    assert [fault["where"] for fault in ran.figures["faults"]] == ["--weight agee=…", "--method"]
    assert [fault["hint"] for fault in ran.figures["faults"]] == ["did you mean age?", "did you mean mondrian?"]
    assert all(set(fault) == {"where", "what", "hint"} for fault in ran.figures["faults"])


@pytest.mark.parametrize(
    ("raised", "status", "what"),
    [
        (VerificationError("the bytes differ", where="r.csv"), 5, "the bytes differ"),
        (DurabilityError("the disk did not confirm"), 9, "the disk did not confirm"),
        (MemoryError("Zanzottera"), 8, "out of memory; nothing more was published"),
        (OSError(5, "Input/output error", "Zanzottera"), 6, "the system reports: Input/output error"),
        (KeyboardInterrupt(), 130, "interrupted; nothing incomplete was published"),
        (SystemExit(143), 143, "terminated; nothing incomplete was published"),
        (RuntimeError("Zanzottera"), 70, "an internal error (RuntimeError); please report these lines:"),
    ],
)
def test_other_endings_too(monkeypatch: pytest.MonkeyPatch, raised: BaseException, status: int, what: str) -> None:
    """Whatever ends a run, a program reads it; and no cell that an error repeats."""

    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(program, "dispatch", fail)
    ran = kohort("hierarchy", "check", "none.csv", "--json")
    assert ran.status == status
    assert ran.figures["status"] == status
    assert ran.figures["what"].startswith(what)
    assert "Zanzottera" not in ran.out + ran.err


@pytest.mark.usefixtures("folder")
def test_a_requirement_that_is_not_met_is_no_error() -> None:
    """Status 1 has the object of its command, and no other."""
    ran = kohort("check", "t.csv", "--quasi", "age,city", "--k", 6, "--json")
    assert ran.status == 1
    assert ran.figures["met"] is False
    assert "status" not in ran.figures


@pytest.mark.parametrize("flags", [("--quasi", "two\nlines"), ("--quasi", "a", "--perturb", "two\nlines=noise")])
def test_a_name_with_a_line_break_is_quoted(flags: tuple[str, ...], tmp_path: Path) -> None:
    """Without quotes it is a misuse, and no fault of kohort."""
    (tmp_path / "a.csv").write_text("a\n1\n", encoding="utf-8")
    ran = kohort("anonymize", tmp_path / "a.csv", "--out", tmp_path / "r.csv", *flags, "--k", 2)
    assert ran.status == 2
    assert "a name with a line break is not quoted" in ran.err


def test_completion_knows_commands_and_flags() -> None:
    """A shell asks by the environment; the script to install is kohort's own."""

    def completed(words: str) -> list[str]:
        environment = os.environ | {"_KOHORT_COMPLETE": "bash_complete", "COMP_WORDS": words}
        environment["COMP_CWORD"] = str(len(words.split(" ")) - 1)
        done = subprocess.run(
            [sys.executable, "-m", "kohort"], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    assert completed("kohort ano") == ["plain,anonymize"]
    assert completed("kohort hierarchy co") == ["plain,convert"]
    assert completed("kohort anonymize --max-s") == ["plain,--max-suppression"]
    assert "--install-completion" in kohort("--help").out
