"""Completion: what a shell is told, and where its script is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import shellingham

from kohort.cli import completion
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("asked", "line", "out"),
    [
        (
            "complete_zsh",
            "kohort ano",
            '_arguments \'*: :(("anonymize":"Turn a table into a verified k-anonymous..."))\'\n',
        ),
        (
            "complete_zsh",
            "kohort hierarchy co",
            '_arguments \'*: :(("convert":"Rewrite a hierarchy\\\\: CSV rows as a JSON..."))\'\n',
        ),
        ("complete_zsh", "kohort xyz", "_files\n"),
        ("complete_fish", "kohort schema --tr", "--transactions\tPrint the schema of a job file on transactions.\n"),
        ("source_zsh", "", f"{completion.SCRIPTS['zsh']}\n"),
    ],
)
def test_shells_get_words_and_their_sentences(asked: str, line: str, out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zsh evaluates the answer, fish reads a word and its sentence in each line."""
    monkeypatch.setenv(completion.ASKED, asked)
    monkeypatch.setenv(completion.WORDS, line)
    ran = kohort()
    assert ran.status == 0
    assert ran.out == out


@pytest.mark.parametrize(("line", "status"), [("kohort ano", 0), ("kohort xyz", 1)])
def test_fish_asks_whether_there_are_words(line: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are none it completes files."""
    monkeypatch.setenv(completion.ASKED, "complete_fish")
    monkeypatch.setenv(completion.ACTION, "is-args")
    monkeypatch.setenv(completion.WORDS, line)
    assert (kohort().status, kohort().out) == (status, "")


@pytest.mark.parametrize("asked", ["complete_tcsh", "nonsense", "tell_bash"])
def test_what_no_shell_asks_is_refused(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a status of its own, and nothing on standard output."""
    monkeypatch.setenv(completion.ASKED, asked)
    ran = kohort()
    assert (ran.status, ran.out) == (1, "")
    assert "not supported" in ran.err


@pytest.mark.parametrize("shell", completion.SCRIPTS)
def test_a_script_is_kept_where_its_shell_finds_it(shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as well as once, and what stood in the shell's own file stays."""
    monkeypatch.setattr("pathlib.Path.home", lambda: tmp_path)
    monkeypatch.setattr(shellingham, "detect_shell", lambda: (shell, f"/bin/{shell}"))
    (tmp_path / ".bashrc").write_text("alias l=ls\n", encoding="utf-8")
    for _ in range(2):
        assert kohort("--install-completion").status == 0
    assert (tmp_path / completion.PLACES[shell]).read_text("utf-8") == kohort("--show-completion").out
    started = (tmp_path / ".bashrc").read_text("utf-8")
    assert started.startswith("alias l=ls\n")
    assert started.count("source") == (shell == "bash")
    assert (tmp_path / ".zshrc").exists() == (shell == "zsh")


def test_other_shells_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where kohort was called from none."""

    def fail() -> None:
        raise shellingham.ShellDetectionFailure

    monkeypatch.setattr(shellingham, "detect_shell", fail)
    assert (kohort("--show-completion").status, kohort("--show-completion").err) == (1, "Shell None not supported.\n")
