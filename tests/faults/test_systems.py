"""kohort does on macOS and Windows what it does on Linux, as far as Linux can show it: by going without."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.slow

CHILD = Path(__file__).with_name("system_child.py")
SOURCES = Path(__file__).parents[2] / "src" / "kohort"

ANONYMIZE = (
    "anonymize people.csv --out out/release.csv --k 5 --quasi gender,age --sensitive annual_income --rest drop "
    "--no-model annual_income --identifier person_id --allow-singling annual_income --report out/page.json"
)
PAGE = "report out/page.json --out out/page.html"
PSEUDONYMS = (
    "anonymize people.csv --out out/linked.csv --k 5 --quasi gender,age --rest drop --pseudonym person_id "
    "--key-file out/key"
)
TRANSACTIONS = "transactions baskets.txt --out out/baskets.txt --format basket --private 29 --h 0.6 --k 3 --p 2"

#: What a person does, twice where something is replaced.
COMMANDS = [
    line.split()
    for line in (
        "generate italy --out . --records 600 --quiet",
        "generate baskets --out baskets.txt --transactions 200 --items 30 --quiet",
        f"{ANONYMIZE} --quiet",
        f"{ANONYMIZE} --quiet",  # which is refused: it exists
        f"{ANONYMIZE} --quiet --overwrite",
        f"{PAGE} --quiet",
        "check out/release.csv --certificate out/release.csv.kohort.json --quiet",
        "sweep people.csv --quasi gender,age --rest drop --vary k=3,5 --out out/sweep.csv --quiet",
        "key out/key",
        f"{PSEUDONYMS} --quiet",
        f"{TRANSACTIONS} --quiet",
        f"{TRANSACTIONS} --quiet --overwrite",
    )
]

STATUSES = [0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0]


def run(kind: str, folder: Path, commands: Sequence[Sequence[str]], *options: str) -> tuple[list[int], str]:
    """The statuses of commands in a folder on a system of a kind, by a Python with these options; what was said."""
    (folder / "out").mkdir(parents=True)
    request = json.dumps({"system": kind, "folder": str(folder), "commands": commands})
    done = subprocess.run([sys.executable, *options, CHILD], input=request, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def made(folder: Path) -> dict[str, bytes]:
    """The files of a folder, but for what a key and the clock decide."""
    names = sorted(path for path in (folder / "out").iterdir())
    return {path.name: path.read_bytes() for path in names if path.suffix == ".csv" and "linked" not in path.name}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the commands have run on Linux."""
    folder = tmp_path_factory.mktemp("linux") / "here"
    statuses, said = run("linux", folder, COMMANDS)
    assert statuses == STATUSES, said
    return folder


@pytest.mark.parametrize("kind", ["macos", "windows", "linkless"])
def test_the_same_files_on_every_system(kind: str, here: Path, tmp_path: Path) -> None:
    """Every command ends as it does on Linux, with the same bytes, and no temporary file is left."""
    there = tmp_path / "there"
    statuses, said = run(kind, there, COMMANDS)
    assert statuses == STATUSES, said
    assert made(there) == made(here)
    assert {path.name for path in (there / "out").iterdir()} == {path.name for path in (here / "out").iterdir()}


#: What only some systems have, and the module that may name it.
SPECIAL = {"fcntl", "grp", "msvcrt", "pwd", "resource", "termios", "winreg"}
NAMES = {
    "O_TMPFILE",
    "O_DIRECTORY",
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "O_CLOEXEC",
    "O_BINARY",
    "MADV_DONTNEED",
    "madvise",
} | {"fchmod", "geteuid", "getuid", "hardlink_to", "sched_getaffinity", "statvfs", "umask"}


def test_one_module_asks_the_system() -> None:
    """No other module imports or names what only some systems have."""
    for path in sorted(SOURCES.rglob("*.py")):
        if path == SOURCES / "system/__init__.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            imported += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not SPECIAL & {name.partition(".")[0] for name in imported}, path
            assert not (isinstance(node, ast.Attribute) and node.attr in NAMES), (path, node.attr)
            assert not (isinstance(node, ast.Attribute) and ast.unparse(node) in {"os.link", "os.fork"}), path


def test_text_is_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    """No file is opened in the locale's encoding, which is not UTF-8 on Windows."""
    commands = [*COMMANDS[:3], *COMMANDS[5:]]
    statuses, said = run("strict", tmp_path / "here", commands, "-X", "warn_default_encoding")
    assert statuses == [0] * len(commands), said
