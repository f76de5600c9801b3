"""Commands that the core does not know: those of kohort's own guests, and those of the package in CONTRIBUTING."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from kohort import specification
from kohort.specification import GUESTS
from tests.command import command, commands, kohort

SOURCES = Path(specification.__file__).parent

#: What CONTRIBUTING prints of a package with a command, one within kohort's own group, and a group with one.
SECTION = (SOURCES.parents[1] / "CONTRIBUTING.md").read_text("utf-8").partition("## Adding a command")[2]
MODULE, POINTS = re.findall(r"^```(?:python|toml)\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)[:2]
GROUP = tomllib.loads(POINTS)["project"]["entry-points"]["kohort.commands"]
ENTRY_POINTS = "\n".join(["[kohort.commands]", *(f"{words} = {place}" for words, place in GROUP.items()), ""])


def installed(folder: Path, entry_points: str = ENTRY_POINTS) -> Path:
    """A folder in which the package is installed."""
    (folder / "strangers_census.py").write_text(MODULE, "utf-8")
    metadata = folder / "strangers_census-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers-census\nVersion: 1\n", "utf-8")
    (metadata / "entry_points.txt").write_text(entry_points, "utf-8")
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What a fresh process prints that has the package."""
    path = os.pathsep.join([str(folder), str(SOURCES.parent)])
    asked = [sys.executable, "-m", "kohort", *words]
    return subprocess.run(
        asked, env={**os.environ, "PYTHONPATH": path}, cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_command_of_another_package_is_one_of_kohorts(tmp_path: Path) -> None:
    """In the help with the first line of its docstring, with its flags and its errors; alone or in a group."""
    folder = installed(tmp_path)
    (folder / "two.txt").write_text("a\nb\n", "utf-8")
    helped = run(folder, "-h").stdout
    assert helped.endswith(
        "Plug-ins:\n  census        Count the lines of a file.\n  counts        Count what others made.\n"
    )
    assert "lines       Count the lines of a file.\n" in run(folder, "generate", "-h").stdout
    for words in (["census"], ["generate", "lines"], ["counts", "lines"]):
        ran = run(folder, *words, "two.txt")
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "2 lines\n", "")
    assert "N" in run(folder, "census", "-h").stdout
    lacking = run(folder, "counts", "lines", "none.txt")
    assert (lacking.returncode, lacking.stdout) == (6, "")
    assert "hint: name a file that exists" in lacking.stderr
    assert "did you mean census?" in run(folder, "cenus").stderr


def test_no_package_takes_the_place_of_a_guest(tmp_path: Path) -> None:
    """The command fails by name, and so does the help; commands of the core do what they always did."""
    folder = installed(
        tmp_path, "[kohort.commands]\ndemo = strangers_census:census\nschema = strangers_census:census\n"
    )
    for words in (["demo"], ["-h"]):
        ran = run(folder, *words)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert "strangers_census:census brings demo, which exists already" in ran.stderr
    assert '"title"' in run(folder, "schema").stdout


def test_without_guests_the_core_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """No command but those of guests is missing, and none is mentioned in the help."""
    every = {*commands()}
    monkeypatch.setattr(specification, "GUESTS", {})
    monkeypatch.setattr(
        command(""), "commands", {k: v for k, v in command("").commands.items() if k not in GUESTS["kohort.commands"]}
    )
    assert {*commands()} == every - {*GUESTS["kohort.commands"]}
    helped = kohort("-h").out
    assert "\n  inspect " in helped
    assert not [words for words in GUESTS["kohort.commands"] if f"\n  {words} " in helped]


@pytest.mark.parametrize("room", ["desk", "samples"])
def test_each_room_of_guests_has_a_command(room: str) -> None:
    """Its commands are in its room, which no module of the core names."""
    assert any(place.startswith(f"kohort.{room}.") for place in GUESTS["kohort.commands"].values())
    known = {room, "specification.py", "transactions"}  # a guest of guests
    others = [path for path in SOURCES.rglob("*.py") if path.relative_to(SOURCES).parts[0] not in known]
    assert not [path for path in others if f"kohort.{room}" in path.read_text("utf-8")]
