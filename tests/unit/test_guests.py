"""Each of kohort's guests can be taken away: the core does what it did, to the byte, and mentions nothing of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kohort.specification import GUESTS
from tests.unit.without_guest import JOB

if TYPE_CHECKING:
    from collections.abc import Callable

#: The rooms of kohort's guests.
ROOMS = ("desk", "samples", "sql", "transactions")

#: Files that the commands make, with the same bytes in every process.
FILES = ("flags.csv", "flags.csv.kohort.json", "run.csv", "run.csv.kohort.json", "drafted.toml", "sweep.csv")

ROOT = Path(__file__).parents[2]


def test_every_guest_is_found_by_registration() -> None:
    """Whatever kohort brings beside its core is in a group of plug-ins."""
    places = [place for some in GUESTS.values() for place in some.values()]
    assert not [room for room in ROOMS if not any(place.startswith(f"kohort.{room}") for place in places)]


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[dict[str, Any], str, Path]]:
    """Runs all commands, and visits the desk, without a room; gives what was printed, read and written."""

    def run(room: str) -> tuple[dict[str, Any], str, Path]:
        folder = tmp_path_factory.mktemp("without")
        (folder / "job.toml").write_text(JOB, "utf-8")
        rows = (f"{20 + at * 7 % 50},{['Rome', 'Bari', 'Pisa'][at % 3]},{['flu', 'gout'][at % 2]}" for at in range(60))
        (folder / "people.csv").write_text("\n".join(["age,city,illness", *rows, ""]), "utf-8")
        desk = ["desk"] * (not room.endswith("desk"))
        asked = [sys.executable, "-m", "tests.unit.without_guest", room, *desk]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        ran = subprocess.run(asked, env=env, cwd=folder, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        told, *read = map(json.loads, ran.stdout.splitlines())
        return told, "".join(read), folder

    return run


@pytest.fixture(scope="module")
def whole(without: Callable[[str], tuple[dict[str, Any], str, Path]]) -> tuple[dict[str, Any], str, Path]:
    """The same where nothing is taken away."""
    return without("kohort.nothing")


@pytest.mark.slow("each room is taken away in a process that runs all commands")
@pytest.mark.parametrize("room", ROOMS)
def test_the_core_is_whole_without_a_guest(
    without: Callable[[str], tuple[dict[str, Any], str, Path]], whole: tuple[dict[str, Any], str, Path], room: str
) -> None:
    """What it prints of a table, releases and shows at the desk is the same; its help lacks the guest's flags."""
    told, read, folder = without(f"kohort.{room}")
    assert {words: (status, err) for words, (status, _, err) in told.items()} == dict.fromkeys(whole[0], (0, ""))
    printed = {words: out for words, (_, out, _) in told.items()}
    for words, (_, out, _) in whole[0].items():
        if words.endswith("-h") or words == "schema":  # what a guest adds to them is gone with it
            assert not {*re.findall("[a-z-]+", printed[words])} - {*re.findall("[a-z-]+", out)}, words
        else:
            assert printed[words] == out
    for name in FILES:
        assert (folder / name).read_bytes() == (whole[2] / name).read_bytes(), name
    assert (folder / "page.html").is_file()
    assert read in {"", whole[1]}
    assert bool(read) == (room != "desk")
