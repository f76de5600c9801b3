"""`kohort compile`: compile the inner loops ahead of time, by running what needs them on generated data."""

from __future__ import annotations

import os
from contextlib import redirect_stdout, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Final

from kohort.cli.screen import progress, say
from kohort.errors import FileError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: People of the register: enough for every loop to be entered.
_RECORDS: Final = 600

#: How the register's columns are generalized, by levels.
_LEVELS: Final = (
    "--quasi gender,city,age --hierarchy gender=suppress --hierarchy city=d/city.json --hierarchy age=intervals:5,20"
)

#: Roles of the rest, and the models that have loops of their own.
_MODELS: Final = (
    "--sensitive education --l education=2 --t education=0.9 --entropy-l education=1.5"
    " --recursive education=5,2 --rest drop"
)


#: Choices of methods that have loops of their own.
_CHOICES: Final = {"limit": "--max-suppression 50%", "local": "--local"}


def compile_loops() -> None:
    """Compile the inner loops ahead of time, for a container image or an installation that others use."""
    from kohort import machine_code

    folder = next(iter(machine_code.folders_for(Path(machine_code.__file__))[-1:]), None)
    if folder is None or not machine_code.is_writable(folder):
        hint = "run as the user who installed kohort, or set NUMBA_CACHE_DIR to a folder, here and in each later run"
        raise FileError("there is no folder to keep machine code in", where=str(Path(__file__).parents[1]), hint=hint)
    start = perf_counter()
    with TemporaryDirectory() as place, progress() as on_progress:
        for words in runs(place):
            on_progress(f"compile for {words[0]}")
            with suppress(MissingExtraError):  # what cannot be run here needs no loops
                _run(words)
    where = "beside its modules" if folder.name == "__pycache__" else f"in {folder.parent}"
    say(f"compiled in {perf_counter() - start:,.0f} s; the machine code is kept {where}")


def runs(place: str) -> Iterator[list[str]]:
    """The commands to run: every method once, and what else has loops."""
    from kohort.algorithms.method import METHODS
    from kohort.transactions.suppression import Score

    def words(line: str) -> list[str]:
        return line.replace("d/", f"{place}/").split()

    yield words(f"demo --out d/ --records {_RECORDS}")
    yield words("anonymize d/people.csv --out d/plain.csv --quasi gender,age --rest drop --k 3 --no-grid")
    for name, method in METHODS.items():
        choices = [flag for word, flag in _CHOICES.items() if method.takes(word)]
        flags = " ".join([f"--method {name}", *choices])
        yield words(f"anonymize d/people.csv --out d/{name}.csv {_LEVELS} {_MODELS} --k 3 {flags}")
    yield words("inspect d/people.csv")
    yield words("risk d/release.csv --quasi gender,city,age")
    yield words("generate baskets --out d/baskets.txt --transactions 400 --items 40")
    for score in Score:
        yield words(f"transactions d/baskets.txt --out d/{score}.txt --delta 0.5 --seed 7 --k 3 --p 2 --score {score}")
    yield words("transactions d/baskets.txt --out d/cells.txt --delta 0.5 --seed 7 --k 3 --p 2 --suppress cells")
    yield words("check d/cells.txt --certificate d/cells.txt.kohort.json")


def _run(words: list[str]) -> None:
    from kohort.cli.program import app

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        app.main(words, prog_name="kohort", standalone_mode=False)
