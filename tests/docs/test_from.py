"""The tables of docs/from: each call of kohort that stands beside another tool's is one that works."""

from __future__ import annotations

import re
import shlex
from contextlib import chdir
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import ROOT, Session, blocks, commands, needs

if TYPE_CHECKING:
    from pathlib import Path

FROM = ROOT / "docs" / "from"


def calls(page: Path) -> list[str]:
    """What stands in the last column of the page's tables, below their heads."""
    rows = re.findall(r"^\| .* \| `([^|]+)` \|$", page.read_text("utf-8"), re.MULTILINE)
    assert rows
    return rows


def with_flags(command: str, flags: str) -> str:
    """The command with these flags in place of the same ones, or the same ones of the same column."""
    words, more = shlex.split(command.replace("\\\n", " ")), shlex.split(flags)
    given = {_named(flag, value) for flag, value in pairwise(more)}
    replaced = {at for at, pair in enumerate(pairwise(words)) if _named(*pair) in given and pair[0].startswith("--")}
    kept = [word for at, word in enumerate(words) if not {at, at - 1} & replaced]
    return shlex.join([*kept, *more, "--overwrite"])


def _named(flag: str, value: str) -> tuple[str, str]:
    return flag, value.partition("=")[0] if "=" in value else ""


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(FROM.glob("*.md")), ids=lambda page: page.stem)
def test_every_call_works(page: Path, tmp_path: Path) -> None:
    """Flags with the page's last command, commands as they stand, and Python with the page's own names."""
    if any(find_spec(package) is None for package in needs(page)):
        pytest.skip("the page needs a library that is not installed")
    session = Session(tmp_path)
    session.follow(page)
    typed = [command.words for block in blocks(page) if block.kind == "console" for command in commands(block)]
    for call in calls(page):
        if call.startswith("--"):
            session.type(with_flags(typed[-1], call))
        elif call.startswith("kohort "):
            session.type(call)
        else:
            with chdir(tmp_path):
                eval(call, session.names)  # noqa: S307  our own page
    assert not session.faults, "\n\n".join(session.faults)
