"""No command gives away a cell where it is not made to: tried on data whose every cell is a canary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.command import commands, kohort
from tests.faults.canaries import BROKEN, FAILURES, SUCCESSES, TABLE, Case, cell, found, write_inputs

if TYPE_CHECKING:
    from pathlib import Path


def state(folder: Path) -> dict[str, bytes]:
    """Every file, and its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("case", [*SUCCESSES, *FAILURES], ids=lambda case: f"{case.broken} {case.words[:60]}")
def test_nothing_is_given_away(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what is printed and of what is left, caches and temporary folders too, only what may show cells does."""
    for name, words in {
        "TMPDIR": "temporary",
        "HOME": "home",
        "XDG_CACHE_HOME": "cache",
        "MPLCONFIGDIR": "fonts",
    }.items():
        (tmp_path / words).mkdir()
        monkeypatch.setenv(name, str(tmp_path / words))
    monkeypatch.chdir(tmp_path)
    write_inputs(tmp_path)
    (tmp_path / "spilled").mkdir()
    for words in case.before:
        assert kohort(*words.split()).status == 0
    before = state(tmp_path)
    with BROKEN[case.broken]():
        ran = kohort(*case.words.split())
    assert ran.status == case.status, ran.err
    said = {"stdout": ran.out, "stderr": ran.err}
    after = state(tmp_path)
    assert {name: after.get(name) for name in before} == before
    made = {name: after[name].decode("utf-8", "replace") for name in after if name not in before}
    given = {
        name: sorted(found(f"{name} {text}") - set(case.shows.get(name, ()))) for name, text in {**said, **made}.items()
    }
    assert {name: columns for name, columns in given.items() if columns} == {}


def test_every_command_is_tried() -> None:
    """A new command has to be tried as well."""
    others = {
        "hierarchy",
        "generate",
        "compile",
        "app",
    }  # groups, what reads no records, and what shows them on request
    assert {case.command for case in SUCCESSES} == set(commands()) - others


def test_every_status_is_tried() -> None:
    """A message of each is searched: all but those of signals and of a fault of kohort itself."""
    assert {case.status for case in (*SUCCESSES, *FAILURES)} == set(range(11))


def test_canaries_are_found() -> None:
    """However a number is written."""
    assert found(TABLE) == {"id", "place", "age", "illness", "pay", "note"}
    number = int(cell("pay", 3))
    assert found(f"{number:,}") == found(f"[{number}.0") == found(f"{number:_}") == {"pay"}
    assert found("Qzxnote000 and nothing") == {"note"}
    assert found(f"{number + 1}") == set()
