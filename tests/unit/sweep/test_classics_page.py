"""docs/classics.py and its page: every picture is there, with the command that drew it."""

from __future__ import annotations

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "classics.md").read_text(encoding="utf-8")


def module() -> ModuleType:
    """The script, without running it."""
    spec = spec_from_file_location("classics", DOCS / "classics.py")
    assert spec is not None
    assert spec.loader is not None
    found = module_from_spec(spec)
    sys.modules["classics"] = found  # where dataclasses look for the names in their annotations
    spec.loader.exec_module(found)
    return found


classics: Any = module()


def test_every_picture_is_on_the_page_and_there() -> None:
    """The page shows each picture that the script makes, and no other one is in the folder."""
    names = {f"classic-{sweep}-{figure}.svg" for sweep, figure in classics.PICTURES}
    assert {path.name for path in (DOCS / "images").glob("classic-*.svg")} == names
    assert all(f"](images/{name})" in PAGE for name in names)


def test_every_command_is_on_the_page() -> None:
    """Each sweep is shown once as it was run; what else it drew is said with its flags."""
    shown = set[str]()
    for sweep, figure in classics.PICTURES:
        flags = f"--picture classic-{sweep}-{figure}.svg --figure {figure}"
        assert (f"The same command with `{flags}`" if sweep in shown else classics.command(sweep, figure)) in PAGE
        shown.add(sweep)
    assert classics.REGISTER in PAGE
    assert classics.MARITAL.strip() in PAGE


def test_running_text_is_filled_and_all_else_kept() -> None:
    """No line of the page is longer than 120 but those of pictures and tables; blocks stay as they are."""
    assert not [line for line in PAGE.splitlines() if len(line) > 120 and line[0] not in "!|"]
    assert classics.filled("a\nb") == "a b"
    assert classics.filled("```text\na\nb\n```") == "```text\na\nb\n```"


def test_figures_are_found_by_what_is_varied(tmp_path: Path) -> None:
    """A metric, or what else is told of a point."""
    points = [{"values": {"k": "2", "cut": "median"}, "metrics": {"lm": 0.5}, "classes": 7}]
    (tmp_path / "found.json").write_text(json.dumps({"points": points}), encoding="utf-8")
    found = classics.Found.of(tmp_path / "found.json")
    assert (found("lm", 2, "median"), found("classes", 2, "median")) == (0.5, 7)


def test_adult_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the folder of public data nothing is drawn, and it is said what is missing."""
    monkeypatch.delenv("KOHORT_DATA", raising=False)
    with pytest.raises(SystemExit, match="KOHORT_DATA must name"):
        classics.main()
