"""Whatever a page of the documentation shows can be typed, and answers as shown.

Where words or figures have changed on purpose, `KOHORT_GOLDEN=write pytest tests/docs` shows the new ones: read the
difference.
"""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from tests.command import command, flags_of
from tests.command import commands as every
from tests.docs.pages import PAGES, Session, blocks, needs, rewrite, title

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: What a fence may say: what is run or read, what is not, and the directives that hold no code.
DIRECTIVES = {"{eval-rst}", "{glossary}", "{include} ../README.md", "{toctree}"}
KINDS = {"console", "pycon", "python", "toml", "text"} | DIRECTIVES


#: Pages that are followed in the quick suite.
FIRST = {"README.md", "docs/how-to/recipes.md"}

#: All pages; running what the others show takes a minute, the tutorial alone nine seconds.
RUN = [pytest.param(page, marks=[] if title(page) in FIRST else [pytest.mark.slow]) for page in PAGES]


@pytest.mark.parametrize("page", RUN, ids=[title(page) for page in PAGES])
def test_a_page_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    """Files, commands and Python of a page, tried in its order in one folder, answer what the page says."""
    for package in needs(page):
        if find_spec(package) is None:
            pytest.skip(f"the page takes a table or a library from {package}, which is not installed")
    session = Session(tmp_path)
    session.follow(page)
    if os.environ.get("KOHORT_GOLDEN") == "write":
        rewrite(page, session)
        for shown, made in pictures(page, tmp_path):
            shown.write_bytes(made.read_bytes())
    assert not session.faults, "\n\n".join(session.faults)
    for shown, made in pictures(page, tmp_path):
        assert shown.read_bytes() == made.read_bytes(), f"{title(shown)} is not what the page's commands draw"


def pictures(page: Path, folder: Path) -> list[tuple[Path, Path]]:
    """The pictures of a page that its own commands have made: `images/PAGE-NAME` is NAME in their folder."""
    named = re.findall(rf"\]\((images/{page.stem}-(.+?))\)", page.read_text(encoding="utf-8"))
    return [(page.parent / shown, folder / made) for shown, made in named]


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_nothing_is_passed_over(page: Path) -> None:
    """Every block is of a kind that is run, is a named file, or says that it is text."""
    assert {block.kind for block in blocks(page) if not block.caption} <= KINDS
    assert not re.findall(r"^ +```", page.read_text(encoding="utf-8"), re.MULTILINE)


#: Every command and group by its words.
COMMANDS = {words: command(words) for words in every()}


def all_flags(commands: list[Any]) -> set[str]:
    """The flags and words of arguments of some commands."""
    found = [parameter for command in commands for parameter in flags_of(command)]
    return {flag for parameter in found for flag in (*parameter.opts, *parameter.secondary_opts)}


def known(words: list[str]) -> Iterator[Any]:
    """The commands that words lead to, the group first, as far as they are commands."""
    for place in range(1, len(words) + 1):
        if (said := " ".join(words[:place])) not in COMMANDS:
            return
        yield COMMANDS[said]


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_commands_exist(page: Path) -> None:
    """Every `kohort` command and flag that a page shows, tried or not, is one that the command line has."""
    fenced = "".join(block.text for block in blocks(page))
    named = "".join(f"{said}\n" for said in re.findall(r"(?<!`)`(kohort [^`]+)`", page.read_text(encoding="utf-8")))
    for line in re.findall(r"^(?:\$ )?kohort ([^\n|>]+)", (fenced + named).replace("\\\n", " "), re.MULTILINE):
        words = line.partition("#")[0].split()
        found = list(known(words))
        flags = all_flags(found)
        assert found or words[0] in {"--help", "--version", "COMMAND", "…"}, line
        flags |= {"--help", "--help-all", "--version"}
        assert {word.partition("=")[0] for word in words if word.startswith("--")} <= flags, line


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_flags_exist(page: Path) -> None:
    """Every flag that is named in passing is one that some command has."""
    flags = all_flags([command(""), *COMMANDS.values()])
    assert set(re.findall(r"`(--[a-z-]+)", page.read_text(encoding="utf-8"))) <= flags | {"--help", "--help-all"}


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_links_lead_somewhere(page: Path) -> None:
    """Every file and picture that a page points to is there."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).is_file(), target
