"""Every help screen: its size, what it shows, and what it leaves to the help of all flags."""

from __future__ import annotations

import os
import re
import shlex
from itertools import chain
from unittest.mock import patch

import click
import pytest

from kohort.cli.derive import MANY, Command
from kohort.cli.program import PANELS
from tests.command import command, commands, flags_of, kohort

#: Two screens of a terminal, in lines of 80 columns.
LINES, COLUMNS = 50, 80

#: The examples of commands, those of guests too.
EXAMPLES = {words: one.example for words in commands() if isinstance(one := command(words), Command) and one.example}


def help_of(words: str, flag: str = "-h", columns: int = COLUMNS) -> str:
    """The help of a command on a terminal of some width."""
    with patch("shutil.get_terminal_size", return_value=os.terminal_size((columns, 24))):
        ran = kohort(*words.split(), flag)
    assert (ran.status, ran.err) == (0, "")
    return ran.out


@pytest.mark.parametrize("words", ["", *commands()])
def test_every_help_fits_two_screens(words: str) -> None:
    """No line is wider than the terminal, and all can be read at once."""
    lines = help_of(words).splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= COLUMNS


def test_a_command_with_many_flags_has_an_example() -> None:
    """As its help is not the whole of it."""
    leaves = [words for words in commands() if not isinstance(command(words), click.Group)]
    assert {*EXAMPLES} == {words for words in leaves if len(flags_of(command(words))) > MANY + 1}


@pytest.mark.parametrize("words", EXAMPLES)
def test_all_flags_are_shown_on_demand(words: str) -> None:
    """Each flag with its whole sentence, in panels, below each other and as wide as the terminal."""
    brief, everything = help_of(words), help_of(words, "--help-all", 120)
    flat = " ".join(everything.split())
    for one in flags_of(command(words)):
        assert (one.opts[0] if one.param_type_name == "option" else one.metavar) in everything
        assert " ".join((one.help or "").split()) in flat
    assert "--help-all" in brief
    assert max(map(len, everything.splitlines())) > 110
    assert set(re.findall(r"^(\w+):$", everything, re.MULTILINE)) - {"Example", "Arguments", "Options"}


@pytest.mark.parametrize("words", EXAMPLES)
def test_the_brief_help_has_the_first_flags_and_one_example(words: str) -> None:
    """What it takes to run the command is among them: required flags, and those of the example."""
    brief, example = help_of(words), EXAMPLES[words]
    shown = set(re.findall(r"^  (?:-., )?(--[a-z-]+)", brief, re.MULTILINE))
    required = {one.opts[0] for one in flags_of(command(words)) if one.required and one.param_type_name == "option"}
    assert required <= shown
    assert {flag for flag in re.findall(r"--[a-z-]+", example) if flag != "--missing-token"} <= shown
    assert f"kohort {words} {example}" in " ".join(brief.replace("\\\n", " ").split())
    assert command(words).make_context(words, shlex.split(example)).params


def test_commands_stand_in_panels() -> None:
    """Each in one, in the order of a project; a command alone and its help are the same page."""
    page = help_of("")
    assert re.findall(r"^([A-Z]\w+):$", page, re.MULTILINE) == ["Options", *PANELS]
    hidden = {"compile"}  # it says that it is not needed, and goes with the next version
    assert sorted(chain(*PANELS.values())) == sorted(words for words in {*commands()} - hidden if " " not in words)
    assert "compile" not in page
    ran = kohort("compile")
    assert (ran.status, ran.err) == (0, "")
    assert "not needed any more" in ran.out
    assert kohort().out == kohort("-h").out
