"""Every byte that kohort writes, searched for cells: commands on canaries, in processes whose every write strace shows.

    python -m bench.canary                a table of commands, and where cells turned up that should not
    python -m bench.canary transactions   the commands that begin so

The cases are those of `tests/faults/test_canaries.py`, which looks at what is printed and left. Here it is what any
thread writes to any file, pipe or socket, also to files that are removed or never had a name: caches, fonts, temporary
files. What a file shows by design is said of its name in the case; a file without one may hold what any output may.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.forks import available
from tests.faults.canaries import FAILURES, SUCCESSES, Case, found, write_inputs

_write: Final = re.compile(r"\d+ +(?:write|pwrite64|writev|sendto|sendmsg|pwritev)\((\d+)<([^>]*)>(.*)")

#: How strace prints a byte that is no sign.
_escape: Final = re.compile(r"\\x([0-9a-f]{2})")


#: A process in which something is broken.
_STARTED: Final = """
from kohort.__main__ import run
from tests.faults.canaries import BROKEN
with BROKEN[{!r}]():
    run()
"""


def given_away(case: Case, folder: Path) -> tuple[int, dict[str, set[str]]]:
    """How many bytes a command writes, and the cells that are in them but should not, by the name of each file."""
    write_inputs(folder)
    places = {name: folder / name for name in ("home", "cache", "fonts", "temporary", "spilled")}
    for place in places.values():
        place.mkdir()
    where = {"HOME": "home", "XDG_CACHE_HOME": "cache", "MPLCONFIGDIR": "fonts", "TMPDIR": "temporary"}
    root = str(Path(__file__).parents[1])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])]),
        **{name: str(places[word]) for name, word in where.items()},
    }
    command = [sys.executable, "-m", "kohort"]
    for words in case.before:
        subprocess.run([*command, *words.split()], cwd=folder, env=environment, check=True, capture_output=True)
    trace = folder.parent / "trace"
    calls = "trace=write,pwrite64,writev,pwritev,sendto,sendmsg"
    traced = ["strace", "-f", "-y", "-s", "10000000", "-x", "-o", str(trace), "-e", "signal=none", "-e", calls]
    pipes = {1: "stdout", 2: "stderr", 3: "stderr"}
    started = ["-c", _STARTED.format(case.broken)] if case.broken else ["-m", "kohort"]
    run = [*traced, sys.executable, *started, *case.words.split()]
    ended = subprocess.run(run, cwd=folder, env=environment, check=False, capture_output=True, text=True)
    if ended.returncode != case.status:
        print(f"status {ended.returncode} instead of {case.status}: {case.words}\n{ended.stderr}")
    everywhere = set[str]().union(*case.shows.values())
    size, given = 0, dict[str, set[str]]()
    for line in trace.read_text(errors="replace").splitlines():
        if not (entry := _write.match(line)):
            continue
        number, name, text = entry.groups()
        text = _escape.sub(lambda byte: chr(int(byte[1], 16)), text)
        size += len(text)
        name = pipes.get(int(number), name) if name.startswith("pipe:") else str(Path(name.removesuffix("(deleted)")))
        name = name.removeprefix(f"{folder}/")
        known = case.shows.get(name, everywhere if re.search(r"#\d+$|\.kohort-", name) else set())
        if cells := found(text) - set(known):
            given.setdefault(name, set()).update(cells)
    return size, given


def main(words: list[str]) -> None:
    """Print a row for each command; the status is 1 if anything was given away."""
    if not available():
        raise SystemExit("strace is not installed")
    print("|    bytes | given away | command |\n|---|---|---|")
    total = 0
    for case in (*SUCCESSES, *FAILURES):
        if case.words.startswith(" ".join(words)):
            with TemporaryDirectory(prefix="kohort-canary-") as place:
                folder = Path(place, "folder")
                folder.mkdir()
                size, given = given_away(case, folder)
            total += len(given)
            told = "; ".join(f"{name}: {', '.join(sorted(cells))}" for name, cells in given.items()) or "nothing"
            print(f"| {size:8,} | {told} | {case.words[:90]} |", flush=True)
    raise SystemExit(total > 0)


if __name__ == "__main__":
    main(sys.argv[1:])
