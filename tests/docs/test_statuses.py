"""The tables of exit statuses in the pages are those of `errors.py`."""

from __future__ import annotations

import re

import pytest

from kohort import errors
from kohort.cli import INTERNAL
from tests.docs.pages import ROOT

#: What ends a command without an error of kohort's: done, not met, a fault of its own, two signals.
OTHERS = {0, 1, INTERNAL, 130, 143}

HOW_TO = ROOT / "docs" / "how-to" / "use-in-a-pipeline.md"
REFERENCE = ROOT / "docs" / "reference" / "cli" / "index.md"


def kinds() -> dict[int, set[str]]:
    """The errors that users meet, by status."""
    found: dict[int, set[str]] = {}
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, errors.KohortError) and kind is not errors.KohortError:
            found.setdefault(kind.exit_status, set()).add(name)
    return found


@pytest.mark.parametrize("page", [HOW_TO, REFERENCE], ids=lambda page: page.stem)
def test_every_status_is_told(page: object) -> None:
    """Each status that a command may end with has its row, and no other has one."""
    text = ROOT.joinpath(str(page)).read_text(encoding="utf-8")
    told = re.findall(r"^\| (\d+(?:, \d+)*) \|", text, re.MULTILINE)
    assert {int(status) for row in told for status in row.split(", ")} == OTHERS | set(kinds())


def test_every_error_is_told() -> None:
    """The names of the errors stand in the row of their status."""
    rows = re.findall(r"^\| (\d+) \|([^|]*)\|", HOW_TO.read_text(encoding="utf-8"), re.MULTILINE)
    told = {int(status): set(re.findall(r"`(\w+)`", names)) for status, names in rows}
    assert {status: names for status, names in told.items() if names} == kinds()
