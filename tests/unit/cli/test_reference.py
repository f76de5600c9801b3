"""docs/reference/cli: a page for each command, with every flag, as the command line itself describes them.

Their examples are typed by `tests/docs`.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from tests.command import command, flags_of
from tests.command import commands as every

PAGES = Path(__file__).parents[3] / "docs" / "reference" / "cli"
INDEX = PAGES / "index.md"


def commands() -> dict[str, Any]:
    """Every command but hidden ones by its words after `kohort`, in the order of the help."""
    found = {words: command(words) for words in every()}
    return {words: one for words, one in found.items() if not (one.hidden or isinstance(one, click.Group))}


def purpose(command: Any) -> str:  # noqa: ANN401  as click has it
    """The sentence that the help says first."""
    return str(command.help).strip()


def flags(command: Any) -> list[Any]:  # noqa: ANN401  as above
    """The arguments and flags of a command but for those of its help."""
    return [one for one in flags_of(command) if {"--help", "--help-all"}.isdisjoint(one.opts)]


def table(command: Any) -> str:  # noqa: ANN401  as above
    """The arguments and flags of a command with what the help says of each."""
    rows = [_row(option) for option in flags(command)]
    if not rows:
        return "It has no flags."
    return "\n".join(["| argument or flag | meaning | default |", "|---|---|---|", *rows])


def _row(option: Any) -> str:  # noqa: ANN401  as above
    flag = "/".join([*option.opts, *option.secondary_opts]) if option.param_type_name == "option" else ""
    value = "" if getattr(option, "is_flag", False) else option.metavar or ""
    value = re.sub(r"^\[(\w+)]$", r"\1", value)  # the brackets of an argument that may be left out
    shown = told if isinstance(told := getattr(option, "show_default", None), str) else option.default
    default = "required" if option.required else "" if shown in {None, False} else f"`{shown}`"
    return f"| `{f'{flag} {value}'.strip()}` | {option.help} | {default} |"


def page_of(name: str) -> Path:
    """The page of a command."""
    return PAGES / f"{name.replace(' ', '-')}.md"


def contents() -> str:
    """The commands with what the help says of each, as the index lists them."""
    rows = [f"| [{name}]({page_of(name).name}) | {purpose(command)} |" for name, command in commands().items()]
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


def test_every_command_has_a_page_and_no_other() -> None:
    """A command without its page is not documented; a page without a command misleads."""
    assert {*PAGES.glob("*.md")} == {INDEX, *map(page_of, commands())}
    listed = re.findall(r"^(\S+)$", INDEX.read_text("utf-8").partition("{toctree}")[2], re.MULTILINE)
    assert listed[1:-1] == [page_of(name).stem for name in commands()]


def test_the_index_lists_every_command() -> None:
    """With its purpose, word for word, in the order of the help."""
    text = INDEX.read_text("utf-8")
    if os.environ.get("KOHORT_GOLDEN") == "write":
        text = re.sub(r"\| command \|(?:.*\n)*?(?=\n)", lambda _: contents() + "\n", text)
        INDEX.write_text(text, encoding="utf-8")
    assert f"\n{contents()}\n" in text


@pytest.mark.parametrize("name", commands())
def test_a_command_is_documented_as_it_is(name: str) -> None:
    """Its page begins with its purpose and has its flags, word for word as the help says them."""
    command, page = commands()[name], page_of(name)
    text = page.read_text("utf-8")
    if os.environ.get("KOHORT_GOLDEN") == "write":
        text = re.sub(r"\| argument or flag \|(?:.*\n)*?(?=\n|\Z)", lambda _: table(command) + "\n", text)
        text = re.sub(r"\A(# .*\n\n).*?\n(?=\n)", lambda top: f"{top[1]}{purpose(command)}\n", text, flags=re.DOTALL)
        page.write_text(text, encoding="utf-8")
    assert text.startswith(f"# kohort {name}\n\n{purpose(command)}\n")
    assert table(command) in text


@pytest.mark.parametrize("name", commands())
def test_an_example_is_one_that_the_command_takes(name: str) -> None:
    """The last example of each page has only arguments and flags that exist, with values where they are needed."""
    *_, example = re.findall(r"```(?:console|text)\n\$ (.+?)\n```", page_of(name).read_text("utf-8"), flags=re.DOTALL)
    words = shlex.split(example.replace("\\\n", " "))
    if ">" in words:
        words = words[: words.index(">")]
    start = ["kohort", *name.split()]
    assert words[: len(start)] == start
    command = commands()[name]
    context = command.make_context("kohort", words[len(start) :])
    assert set(context.params) == {option.name for option in flags(command)}
