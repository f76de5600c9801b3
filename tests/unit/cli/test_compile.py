"""`kohort compile`: it says where the machine code is, or that there is no place for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kohort import machine_code
from kohort.cli import compile as compiling
from kohort.errors import MissingExtraError
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path


def kept_in(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """Have the machine code in these folders."""

    def folders_for(_: Path) -> list[Path]:
        return [*folders]

    monkeypatch.setattr(machine_code, "folders_for", folders_for)


@pytest.mark.parametrize("name", ["__pycache__", "elsewhere"])
def test_it_says_where_the_code_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    """Every command that it plans is run, and none prints anything."""

    def runs(place: str) -> list[list[str]]:
        return [["generate", "italy", "--out", place, "--records", "5"]]

    (tmp_path / name).mkdir()
    kept_in(monkeypatch, tmp_path / name)
    monkeypatch.setattr(compiling, "runs", runs)
    ran = kohort("compile")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("compiled in ")
    assert ("beside its modules" in ran.out) == (name == "__pycache__")
    assert (str(tmp_path) in ran.out) == (name != "__pycache__")
    assert ran.out.count("\n") == 1


@pytest.mark.parametrize("folder", [None, "read-only"])
def test_without_a_place_it_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str | None) -> None:
    """Nobody waits a minute for nothing."""
    kept_in(monkeypatch, *([tmp_path / folder] if folder else []))
    ran = kohort("compile")
    assert (ran.status, ran.out) == (6, "")
    assert "no folder to keep machine code in" in ran.err
    assert "NUMBA_CACHE_DIR" in ran.err


def test_methods_that_need_what_is_not_installed_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The image has few extras: what cannot be run there needs no loops, and what follows is compiled."""
    ran: list[list[str]] = []

    def runs(_: str) -> list[list[str]]:
        return [["anonymize"], ["inspect"]]

    def run(words: list[str]) -> None:
        ran.append(words)
        if len(ran) == 1:
            raise MissingExtraError("highspy is needed to prove an optimum and is not installed")

    kept_in(monkeypatch, tmp_path)
    monkeypatch.setattr(compiling, "runs", runs)
    monkeypatch.setattr(compiling, "_run", run)
    assert kohort("compile").status == 0
    assert ran == [["anonymize"], ["inspect"]]


def test_its_commands_are_commands(tmp_path: Path) -> None:
    """Each names a command, and methods only choices that they take."""
    lines = [" ".join(words) for words in compiling.runs(str(tmp_path))]
    assert [line for line in lines if "--method optimal " in line and "--max-suppression" in line]
    assert not [line for line in lines if "--method mondrian " in line and "--max-suppression" in line]
    assert not [line for line in lines if " d/" in line]


@pytest.mark.slow
def test_its_commands_run() -> None:
    """All of them, to the end."""
    ran = kohort("compile")
    assert (ran.status, ran.err) == (0, "")
