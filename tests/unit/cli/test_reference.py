"""docs/reference/cli.md: every command and every flag is in it, as the command line itself describes them.

Its examples are typed by `tests/docs`.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kohort.cli import app
from tests.command import flags_of

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "cli.md"


def commands() -> dict[str, Any]:
    """Every command by its words after `kohort`, in the order of the help."""
    found: dict[str, Any] = {}
    groups: list[tuple[str, Any]] = [("", app)]
    for prefix, group in groups:
        for name, command in group.commands.items():
            words = f"{prefix}{name}"
            if hasattr(command, "commands"):
                groups.append((f"{words} ", command))
            else:
                found[words] = command
    return found


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


def sections() -> Mapping[str, str]:
    """The page's text under the heading of each command."""
    _, *parts = re.split(r"^## kohort (.+)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_the_page_has_every_command_and_no_other() -> None:
    """A command without its section is not documented; a section without a command misleads."""
    assert list(sections()) == list(commands())


@pytest.mark.parametrize("name", commands())
def test_a_command_is_documented_as_it_is(name: str) -> None:
    """Its section begins with its purpose and has its flags, word for word as the help says them."""
    command = commands()[name]
    if os.environ.get("KOHORT_GOLDEN") == "write":
        page, section = PAGE.read_text("utf-8"), sections()[name]
        written = re.sub(r"\| argument or flag \|(?:.*\n)*?(?=\n|\Z)", lambda _: table(command) + "\n", section)
        written = re.sub(r"\A\n\n.*?\n(?=\n)", lambda _: f"\n\n{purpose(command)}\n", written, flags=re.DOTALL)
        PAGE.write_text(page.replace(section, written), encoding="utf-8")
    section = sections()[name]
    assert section.startswith(f"\n\n{purpose(command)}\n")
    assert table(command) in section


@pytest.mark.parametrize("name", commands())
def test_an_example_is_one_that_the_command_takes(name: str) -> None:
    """The example of each section has only arguments and flags that exist, with values where they are needed."""
    [example] = re.findall(r"```(?:console|text)\n\$ (.+?)\n```", sections()[name], flags=re.DOTALL)
    words = shlex.split(example.replace("\\\n", " "))
    if ">" in words:
        words = words[: words.index(">")]
    start = ["kohort", *name.split()]
    assert words[: len(start)] == start
    command = commands()[name]
    context = command.make_context("kohort", words[len(start) :])
    assert set(context.params) == {option.name for option in flags(command)}
