"""docs/what-the-papers-have.md: every row of its tables has a command, which does what it is there for."""

from __future__ import annotations

import re
import shlex
from contextlib import chdir
from itertools import pairwise
from pathlib import Path

import pytest

from tests.command import kohort
from tests.docs.pages import ROOT, Session

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "what-the-papers-have.md"

#: What each row says, and its command.
ROWS = re.findall(r"^\| (.+?) \| `(.+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

#: The flags that name a file or folder to write.
WRITTEN = {"--charts", "--out", "--picture", "--mapping", "--report"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the page, and what its commands have written, in their order."""
    folder = tmp_path_factory.mktemp("papers")
    session = Session(folder)
    session.follow(PAGE)
    assert session.faults == []
    return folder


def test_every_command_does_its_row(folder: Path) -> None:
    """Typed in their order, all end well and write the files that they name."""
    failed: list[str] = []
    with chdir(folder):
        for what, command in ROWS:
            program, *words = shlex.split(command)
            ran = kohort(*words)
            files = [Path(file) for flag, file in pairwise(words) if flag in WRITTEN]
            missing = [str(file) for file in files if "--dry-run" not in words and not file.exists()]
            if program != "kohort" or ran.status or missing or not ran.out + ran.err:
                failed.append(f"{what}\n{command}\nstatus {ran.status} {missing}\n{ran.err}")
    assert not failed, "\n\n".join(failed)


def test_no_row_lacks_its_command() -> None:
    """Every row of the tables with a column for commands has one, and none stands twice."""
    text = PAGE.read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| what the works")]
    assert len(rows) == len(ROWS) > 100
    assert len({what for what, _ in ROWS}) == len({command for _, command in ROWS}) == len(ROWS)
