"""Completion of commands and flags by shells: the scripts that ask kohort, where they are kept, and its answers."""

from __future__ import annotations

import os
import re
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import ShellComplete, split_arg_string

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Names the shell that asks, and how.
ASKED: Final = "_KOHORT_COMPLETE"

#: The words of the command line so far, for zsh and fish.
WORDS: Final = "_TYPER_COMPLETE_ARGS"

#: Whether fish asks for words, or if there are any; the names are those of scripts that were installed long ago.
ACTION: Final = "_TYPER_COMPLETE_FISH_ACTION"

#: The script of each shell.
SCRIPTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "bash": f"""\
_kohort_completion() {{
    local IFS=$'\\n'
    COMPREPLY=( $( env COMP_WORDS="${{COMP_WORDS[*]}}" \\
                   COMP_CWORD=$COMP_CWORD \\
                   {ASKED}=complete_bash $1 ) )
    return 0
}}

complete -o default -F _kohort_completion kohort""",
        "zsh": f"""\
#compdef kohort

_kohort_completion() {{
  eval $(env {WORDS}="${{words[1,$CURRENT]}}" {ASKED}=complete_zsh kohort)
}}

compdef _kohort_completion kohort""",
        "fish": (
            f'complete --command kohort --no-files --arguments "(env {ASKED}=complete_fish {ACTION}=get-args'
            f' {WORDS}=(commandline -cp) kohort)" --condition "env {ASKED}=complete_fish {ACTION}=is-args'
            f' {WORDS}=(commandline -cp) kohort"'
        ),
    }
)

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
    """Print what a shell asks for, as `complete_SHELL` or `source_SHELL`, and return the exit status."""
    what, _, shell = asked.partition("_")
    if shell not in SCRIPTS or what not in {"complete", "source"}:
        click.echo(f"Shell {shell} not supported.", err=True)
        return 1
    if what == "source":
        click.echo(SCRIPTS[shell])
        return 0
    words, incomplete = _words_of_bash() if shell == "bash" else _words()
    found = ShellComplete(command, {}, "kohort", ASKED).get_completions(words, incomplete)
    if shell == "zsh":
        items = "\n".join(":".join(f'"{_quoted(text)}"' for text in (one.value, one.help) if text) for one in found)
        click.echo(f"_arguments '*: :(({items}))'" if found else "_files")
    elif shell == "bash":
        click.echo("\n".join(one.value for one in found))
    elif os.environ.get(ACTION) == "is-args":
        return int(not found)
    else:
        click.echo(
            "\n".join("\t".join(re.sub(r"\s", " ", text) for text in (one.value, one.help) if text) for one in found)
        )
    return 0


def _words_of_bash() -> tuple[list[str], str]:
    words, at = split_arg_string(os.environ["COMP_WORDS"]), int(os.environ["COMP_CWORD"])
    return words[1:at], (words[at:] or [""])[0]


def _words() -> tuple[list[str], str]:
    line = os.environ.get(WORDS, "")
    words = split_arg_string(line)[1:]
    return (words[:-1], words[-1]) if words and not line.endswith(" ") else (words, "")


def _quoted(text: str) -> str:
    """A text as zsh's `_arguments` takes it."""
    for sign, written in (('"', '""'), ("'", "''"), ("$", "\\$"), ("`", "\\`"), (":", r"\\:")):
        text = text.replace(sign, written)
    return text


def show() -> None:
    """Print the script of the shell that kohort was called from."""
    click.echo(SCRIPTS[_shell()])


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
    script.write_text(f"{SCRIPTS[shell]}\n", encoding="utf-8")
    click.echo(f"{shell} completion installed in {script}\nCompletion will take effect once you restart the terminal")


def _shell() -> str:
    """The name of the shell that kohort was called from."""
    from shellingham import ShellDetectionFailure, detect_shell  # pyright: ignore[reportUnknownVariableType]  no types

    try:
        shell = str(detect_shell()[0])
    except ShellDetectionFailure:
        shell = "None"
    if shell not in SCRIPTS:
        click.echo(f"Shell {shell} not supported.", err=True)
        raise click.exceptions.Exit(1)
    return shell
