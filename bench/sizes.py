"""How awkward sizes end: status, CPU seconds and memory of `kohort anonymize` on each, in processes of their own.

python -m bench.sizes            65,536 columns, a cell of 1 GiB, ten million distinct values
python -m bench.sizes 0.01       everything a hundredth as large
python -m bench.sizes 1 sets     the cases whose names hold this word
python -m bench.sizes 1 databases [WORD]   hostile databases: what each command on them takes, tells and reaches
python -m bench.sizes 1 workbooks:     small files that ask for much: also jobs:, columns:, typed:, statistics:
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bench import hostile_databases, hostile_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Bytes that are written at a time.
_PIECE: Final = 1 << 20


def columns(size: float) -> Iterator[str]:
    """A table of many columns and twenty records."""
    count = int(65_536 * size)
    yield ",".join(["age", *(f"c{place}" for place in range(count - 1))]) + "\n"
    for row in range(20):
        yield ",".join([str(30 + row % 4), *(str((row * place) % 7) for place in range(count - 1))]) + "\n"


def cell(size: float) -> Iterator[str]:
    """A cell of a GiB among others."""
    yield "age,note\n30,a\n31,"
    for _ in range(int(1024 * size)):
        yield "x" * _PIECE
    yield "\n30,a\n"


def quoted(size: float) -> Iterator[str]:
    """A quote that is never closed, with a GiB of lines behind it."""
    yield 'age,note\n30,a\n31,"'
    for _ in range(int(1024 * size)):
        yield "x,\n" * (_PIECE // 3)


def values(size: float) -> Iterator[str]:
    """Ten million records, each with a number of its own."""
    yield "id,age\n"
    for start in range(0, int(10_000_000 * size), 10_000):
        yield "".join(f"p{row},{20 + row % 60}\n" for row in range(start, start + 10_000))


_CASES: Final[tuple[tuple[str, Callable[[float], Iterator[str]], str], ...]] = (
    ("columns, dropped", columns, "--quasi age --rest drop"),
    ("columns, released", columns, "--quasi age --rest insensitive"),
    ("a cell of 1 GiB, dropped", cell, "--quasi age --rest drop"),
    ("a cell of 1 GiB, generalized", cell, "--quasi age,note"),
    ("an open quote before 1 GiB", quoted, "--quasi age --rest drop"),
    ("distinct values, dropped", values, "--quasi age --rest drop"),
    ("distinct values, released", values, "--quasi age --rest insensitive"),
    ("distinct values, generalized", values, "--quasi age,id"),
    ("distinct values, in sets", values, "--quasi age,id --allow-singling id"),
)


def main(arguments: list[str]) -> None:
    """Print the table."""
    size = float(arguments[0]) if arguments else 1.0
    _runner()  # while this process is small
    if arguments[1:2] == ["databases"]:
        hostile_databases.main(arguments[2:])
        return
    print("| what                           | status | CPU s | peak MiB |\n|---|---|---|---|")
    for what, make, flags in _CASES:
        if not all(word in what for word in arguments[1:]):
            continue
        with TemporaryDirectory() as folder:
            source = Path(folder, "in.csv")
            with source.open("w", encoding="utf-8") as file:
                file.writelines(make(size))
            words = ["anonymize", "in.csv", "--out", "out.csv", *flags.split(), "--k", "2", "--no-grid", "--quiet"]
            _run(what, words, Path(folder))
    for what, put, command in hostile_files.cases(next((one for one in arguments if one.endswith(":")), "")):
        if all(word in what for word in arguments[1:]):
            with TemporaryDirectory() as folder:
                put(Path(folder))
                _run(what, command.split(), Path(folder))


def _run(what: str, words: list[str], folder: Path) -> None:
    """Print how a command ends in a folder, and what it used."""
    runner = _runner()
    if runner.stdin is None or runner.stdout is None:
        raise TypeError
    runner.stdin.write(json.dumps([[sys.executable, "-m", "kohort", *words], str(folder)]) + "\n")
    runner.stdin.flush()
    ended, seconds, memory = json.loads(runner.stdout.readline())
    print(f"| {what:30} | {ended:6} | {seconds:5.1f} | {memory:8,} |", flush=True)


@cache
def _runner() -> subprocess.Popen[str]:
    """What runs the commands: a small process, since one that made a large file lends its peak to those it starts."""
    return subprocess.Popen([sys.executable, "-c", _RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


#: It reads a command and its folder, and writes the status, CPU seconds and MiB.
_RUNNER: Final = """
import json, os, subprocess, sys
for line in sys.stdin:
    command, folder = json.loads(line)
    run = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(run.pid, 0)
    told = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss >> 10
    print(json.dumps(told), flush=True)
"""


if __name__ == "__main__":
    main(sys.argv[1:])
