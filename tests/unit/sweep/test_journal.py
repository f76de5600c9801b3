"""The journal of a sweep: what is found is kept, whatever stops the sweep, and nothing else is touched."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

from kohort.algorithms.mondrian.bound import LeastLoss
from kohort.errors import FileError, InputError, TargetError
from kohort.job.sweeps.frame import Ending
from kohort.job.sweeps.journal import HEADER, Journal, beside, digest_of
from kohort.job.sweeps.tables import Point, Seconds

if TYPE_CHECKING:
    from pathlib import Path

FULL = Point(
    values=(),
    metrics={"lm": 0.1 + 0.2, "c_dm": 1e300},
    losses={"age": 1 / 3},
    released=5,
    suppressed=1,
    classes=2,
    smallest=2,
    largest=3,
    highest=0.5,
    average=0.4,
    node={"age": 1},
    seconds=Seconds(0.1, 0.2),
    least=LeastLoss(0.1 + 0.2, 0.01, 200, 150, 2),
)
GONE = Point(values=(), ending=Ending.INFEASIBLE, why="too few")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal stands."""
    return beside(tmp_path / "sweep.csv")


def test_points_come_back_as_they_were(path: Path) -> None:
    """To the last bit; those of another input or job do not come back."""
    with Journal.at(path, "input") as journal:
        journal["a"], journal["b"] = FULL, GONE
    with Journal.at(path, "input") as journal:
        assert (journal["a"], journal["b"], len(journal)) == (FULL, GONE, 2)
        assert "c" not in journal
    with Journal.at(path, "another input") as journal:
        assert "a" not in journal
    assert path.name == "sweep.csv.points.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_another_version_solves_anew(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another version found may be another figure: it is not taken."""
    with Journal.at(path, "input") as journal:
        journal["a"] = FULL
    monkeypatch.setattr("kohort.job.sweeps.journal.VERSION", "another")
    with Journal.at(path, "input") as journal:
        assert "a" not in journal
        assert len(journal) == 1


@pytest.mark.parametrize("cut", range(2, 60, 7))
def test_a_line_cut_short_is_passed_over(path: Path, cut: int) -> None:
    """A kill in the middle of a line costs that point and no other, also of those that come after."""
    with Journal.at(path, "input") as journal:
        journal["a"], journal["b"] = FULL, GONE
    path.write_bytes(path.read_bytes()[:-cut])
    with Journal.at(path, "input") as journal:
        assert ("a" in journal, "b" in journal) == (True, False)
        journal["c"] = GONE
    with Journal.at(path, "input") as journal:
        assert ("a" in journal, "c" in journal) == (True, True)


@pytest.mark.parametrize("length", [0, 1, len(HEADER) - 1])
def test_a_beginning_cut_short_begins_anew(path: Path, length: int) -> None:
    """A kill before the first point leaves a journal all the same."""
    path.write_bytes(HEADER[:length])
    with Journal.at(path, "input") as journal:
        journal["a"] = FULL
    assert path.read_bytes().startswith(HEADER)
    with Journal.at(path, "input") as journal:
        assert journal["a"] == FULL


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({"key": [], "point": asdict(FULL)}),
        *("{}", "[]", "7", '{"key": "x", "point": {"values": []}}', '{"key": 1}', "\xff"),
        *(pytest.param(one * 10_000, id=f"10,000 times {one}") for one in "[9"),
    ],
)
def test_lines_that_hold_no_point_are_passed_over(path: Path, line: str) -> None:
    """Whatever stands there is no point, and no fault either."""
    path.write_bytes(HEADER + line.encode() + b"\n")
    with Journal.at(path, "input") as journal:
        assert len(journal) == 0


def test_other_files_are_left_alone(path: Path, tmp_path: Path) -> None:
    """A file that is no journal, a folder, a link: refused, and as they were."""
    path.write_text("name,illness\n", encoding="utf-8")
    with pytest.raises(TargetError, match="something else"):
        Journal.at(path, "input")
    assert path.read_text(encoding="utf-8") == "name,illness\n"
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TargetError):
        Journal.at(path, "input")
    path.unlink()
    path.mkdir()
    with pytest.raises(TargetError):
        Journal.at(path, "input")
    with pytest.raises(FileError):
        Journal.at(tmp_path / "nowhere" / "sweep.points.jsonl", "input")


def test_a_full_disk_is_told_and_leaves_whole_lines(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fits of a line is taken back, so that the next one stands by itself."""
    real = os.write

    def half(file: int, line: bytes) -> int:
        return real(file, line[: len(line) // 2])

    with Journal.at(path, "input") as journal:
        journal["a"] = FULL
        held = path.read_bytes()
        monkeypatch.setattr(os, "write", half)
        with pytest.raises(FileError, match="No space left"):
            journal["b"] = FULL
        assert "b" not in journal
    assert path.read_bytes() == held


def test_a_complete_sweep_leaves_none(path: Path) -> None:
    """It is removed; twice is no fault."""
    with Journal.at(path, "input") as journal:
        journal.remove()
        assert not path.exists()
        journal.remove()


def test_an_input_is_known_by_its_bytes(tmp_path: Path) -> None:
    """Equal bytes, equal digests; what cannot be read is told."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"a")
    other.write_bytes(b"a")
    assert digest_of(one) == digest_of(other)
    other.write_bytes(b"b")
    assert digest_of(one) != digest_of(other)
    with pytest.raises(InputError, match="is a directory"):
        digest_of(tmp_path)


def test_no_line_holds_a_name_of_the_job(path: Path) -> None:
    """A key is a digest: the journal tells no more than the figures do."""
    with Journal.at(path, "input") as journal:
        journal["the job of the clinic"] = GONE
    assert "clinic" not in path.read_text(encoding="utf-8")
    assert set(json.loads(path.read_text(encoding="utf-8").splitlines()[1])) == {"key", "point"}
