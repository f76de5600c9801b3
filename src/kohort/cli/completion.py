"""Completion of commands and flags by shells, as click does it: the script of a shell, and where it is kept."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import get_completion_class, shell_complete

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Names the shell that asks, and what for.
ASKED: Final = "_KOHORT_COMPLETE"

#: Where the script of each shell is kept, in the home.
PLACES: Final[Mapping[str, str]] = MappingProxyType(
    {"bash": ".bash_completions/kohort.sh", "zsh": ".zfunc/_kohort", "fish": ".config/fish/completions/kohort.fish"}
)

#: The file that a shell reads as it starts, and the line in it by which the script is found.
STARTED: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "bash": (".bashrc", "source '{script}'"),
        "zsh": (".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    }
)


def answer(asked: str, command: click.Command) -> int:
    """Print what a shell asks for, as `SHELL_complete` or `SHELL_source`, and return the exit status."""
    status = shell_complete(command, {}, "kohort", ASKED, asked)
    if status:
        _refuse(asked.partition("_")[0])
    return status


def show() -> None:
    """Print the script of the shell that kohort was called from."""
    click.echo(_script(_shell()))


def install() -> None:
    """Keep the script of the shell that kohort was called from where that shell finds it."""
    shell = _shell()
    script = Path.home() / PLACES[shell]
    if shell in STARTED:
        file, line = Path.home() / STARTED[shell][0], STARTED[shell][1].format(script=script)
        text = file.read_text("utf-8") if file.is_file() else ""
        if line not in text:
            file.write_text(f"{text}\n{line}\n", encoding="utf-8")
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(f"{_script(shell)}\n", encoding="utf-8")
    click.echo(f"{shell} completion installed in {script}\nCompletion will take effect once you restart the terminal")


def _script(shell: str) -> str:
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101  it is one of the three that click knows
    return kind(click.Command("kohort"), {}, "kohort", ASKED).source()


def _shell() -> str:
    from shellingham import ShellDetectionFailure, detect_shell  # pyright: ignore[reportUnknownVariableType]  no types

    try:
        shell = str(detect_shell()[0])
    except ShellDetectionFailure:
        shell = "None"
    if shell not in PLACES:
        _refuse(shell)
        raise click.exceptions.Exit(1)
    return shell


def _refuse(shell: str) -> None:
    click.echo(f"kohort: shell {shell} is not supported\n  hint: one of {', '.join(PLACES)}", err=True)
