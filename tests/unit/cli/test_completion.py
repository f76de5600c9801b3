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
    ("asked", "words", "out"),
    [
        ("zsh_complete", "kohort ano", "plain\nanonymize\nTurn a table into a verified k-anonymous...\n"),
        ("bash_complete", "kohort hierarchy co", "plain,convert\n"),
        ("bash_complete", "kohort xyz", "\n"),
        ("bash_complete", "kohort schema --tr", "plain,--transactions\n"),
    ],
)
def test_shells_get_words(asked: str, words: str, out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the form of click's script for the shell; zsh shows the sentence of each."""
    monkeypatch.setenv(completion.ASKED, asked)
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))
    ran = kohort()
    assert (ran.status, ran.out) == (0, out)


@pytest.mark.parametrize("asked", ["tcsh_complete", "nonsense", "bash_tell"])
def test_what_no_shell_asks_is_refused(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a status of its own, and nothing on standard output."""
    monkeypatch.setenv(completion.ASKED, asked)
    ran = kohort()
    assert (ran.status, ran.out) == (1, "")
    assert "not supported" in ran.err


@pytest.mark.parametrize("shell", completion.PLACES)
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
    assert (kohort("--show-completion").status, kohort("--show-completion").err) == (
        1,
        "kohort: shell None is not supported\n  hint: one of bash, zsh, fish\n",
    )
