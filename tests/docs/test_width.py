"""Nothing that a reader has to type is wider than the page; what is printed goes on in the next line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import PAGES, ROOT, blocks, commands, title

if TYPE_CHECKING:
    from pathlib import Path

    from tests.docs.pages import Block

#: The characters of a line at 1280 pixels: of the site, as tests/browser measures it, and of the README on a forge.
SITE, README = 100, 90


def typed(block: Block) -> list[str]:
    """What a reader has to type of a block, or what is a file or a script."""
    if block.kind == "console":
        return [line for command in commands(block) for line in f"$ {command.words}".splitlines()]
    if block.kind == "pycon":
        return [line for line in block.lines if line.startswith((">>>", "..."))]
    return list(block.lines) if block.caption or block.kind in {"python", "toml"} else []


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_what_is_typed_fits(page: Path) -> None:
    """Every command, script and file fits the page at 1280 pixels."""
    width = README if page == ROOT / "README.md" else SITE
    wide = [line for block in blocks(page) for line in typed(block) if len(line) > width]
    assert not wide, f"{title(page)}: {wide}"


@pytest.mark.parametrize("page", PAGES, ids=title)
def test_comments_stand_above_commands(page: Path) -> None:
    """No comment is behind a command, where it would be cut first."""
    shown = [command.words for block in blocks(page) if block.kind == "console" for command in commands(block)]
    assert not [words for words in shown if "  #" in words], title(page)


def test_the_readme_begins_with_the_installation() -> None:
    """The first thing to type is `pip install`."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = [line for line in text.splitlines() if line.startswith(("    ", "$ ", "```"))]
    assert shown[0].strip().startswith("pip install")
