"""What kohort costs before any record is read, what its first run costs more, and a small run of each kind.

    python -m venv fresh && fresh/bin/pip install . && fresh/bin/python -m bench.startup
    python -m bench.startup --against other/bin/python     beside another installation, by turns

CPU is user + system time of whole processes; the median of several runs, every line once in each turn. *Libraries* is
an interpreter that imports what `kohort anonymize` cannot do without, and nothing of kohort. The small table has 1,000
records; those of 300 show the start alone: with k, with k and l, and in DuckDB. *sealed* is a run without a home that
writes nothing but its output. The *first run* finds neither bytecode, as after `pip install --no-compile` or with uv,
nor compiled loops, which transactions need and Mondrian does not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import islice
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from bench.measure import cost

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: What is imported by any run that reads a table, whoever wrote it.
LIBRARIES = "import numpy, polars, click, pydantic.main"

QUASI = "gender,city,age,education,profession"

#: How 300 records are anonymized: by name, the flags beside k.
SMALL = {
    "k alone": ["--no-model", "annual_income"],
    "l-diversity": ["--l", "annual_income=2"],
    "DuckDB": ["--no-model", "annual_income", "--engine", "duckdb"],
}

#: An environment of nobody: no home, and no bytecode is written.
SEALED = {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}


class Scene(NamedTuple):
    """A process: its name, what follows `python`, and what its environment has."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]


def main() -> None:
    """Print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=11, help="of which the median is printed")
    parser.add_argument("--against", help="the interpreter of another installation")
    options = parser.parse_args()
    pythons = [sys.executable, *filter(None, [options.against])]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenes = _scenes(folder)
        for python in pythons:
            for scene in scenes:  # what is compiled once, or comes from the disk, is no part of the figures
                cost(scene.arguments, scene.environment, python)
        seconds: dict[tuple[str, str], list[float]] = {}
        for _ in range(options.runs):
            for scene in scenes:
                for python in pythons:
                    found = cost(scene.arguments, scene.environment, python)
                    seconds.setdefault((scene.name, python), []).append(found.cpu)
        for scene in scenes:
            print(
                f"{scene.name:24}" + "".join(f"{median(seconds[scene.name, one]):7.2f} s" for one in pythons),
                flush=True,
            )
        _once(folder)


def _scenes(folder: Path) -> list[Scene]:
    """What is measured of a warm installation."""
    ours = ["-m", "kohort"]
    completing = {"_KOHORT_COMPLETE": "bash_complete", "COMP_WORDS": "kohort an", "COMP_CWORD": "1"}
    table = _anonymizing(folder)
    return [
        Scene("interpreter", ["-c", "pass"], {}),
        Scene("libraries", ["-c", LIBRARIES], {}),
        Scene("kohort --version", [*ours, "--version"], {}),
        Scene("kohort --help", [*ours, "--help"], {}),
        Scene("kohort anonymize -h", [*ours, "anonymize", "-h"], {}),
        Scene(
            "completion", ["-c", "import sys; sys.argv = ['kohort']; import kohort.__main__ as k; k.run()"], completing
        ),
        Scene("anonymize, 1,000 records", table, {}),
        *(Scene(f"300 records, {name}", _small(folder, *flags), {}) for name, flags in SMALL.items()),
    ]


def _once(folder: Path) -> None:
    """Print single runs: sealed, and the first ones of an installation, without bytecode."""
    drafting = ["-m", "kohort", "init", f"{folder}/people.csv", "--out", f"{folder}/job.toml", "--quiet", "--overwrite"]
    tables, baskets = _anonymizing(folder), _baskets(folder)
    for name, arguments in (("anonymize", tables), ("init", drafting), ("transactions", baskets)):
        sealed = cost(arguments, SEALED).cpu
        with tempfile.TemporaryDirectory() as empty:
            nothing = {"PYTHONPYCACHEPREFIX": empty}
            first, second = (cost(arguments, nothing).cpu for _ in range(2))
        print(f"{name}: sealed {sealed:.2f} s; first run {first:.2f} s, second {second:.2f} s", flush=True)


def _anonymizing(folder: Path) -> list[str]:
    """Arguments that anonymize 1,000 records, verified and certified."""
    if not (folder / "people.csv").exists():
        cost(["-m", "kohort", "generate", "italy", "--out", str(folder), "--records", "1000", "--quiet"])
    flags = ["--quasi", QUASI, "--sensitive", "annual_income", "--rest", "drop", "--quiet", "--overwrite"]
    flags += ["--no-grid", "--no-model", "annual_income", "--allow-singling", "annual_income"]
    return ["-m", "kohort", "anonymize", f"{folder}/people.csv", "--out", f"{folder}/release.csv", *flags]


def _small(folder: Path, *flags: str) -> list[str]:
    """Arguments that anonymize the first 300 of those records."""
    few = folder / "few.csv"
    if not few.exists():
        with (folder / "people.csv").open(encoding="utf-8") as people:
            few.write_text("".join(islice(people, 301)), encoding="utf-8")
    fixed = ["--quasi", "age,gender", "--sensitive", "annual_income", "--rest", "drop", "--quiet", "--overwrite"]
    fixed += ["--no-grid", "--allow-singling", "annual_income"]
    return ["-m", "kohort", "anonymize", str(few), "--out", f"{folder}/few.release.csv", *fixed, *flags]


def _baskets(folder: Path) -> list[str]:
    """Arguments that make 1,000 transactions of some 170 items coherent."""
    source = folder / "baskets.dat"
    if not source.exists():
        shape = ["--transactions", "1000", "--items", "169", "--length", "4", "--quiet"]
        cost(["-m", "kohort", "generate", "baskets", "--out", str(source), *shape])
    flags = ["--delta", "0.4", "--seed", "7", "--quiet", "--overwrite"]
    return ["-m", "kohort", "transactions", str(source), "--out", f"{folder}/release.dat", *flags]


if __name__ == "__main__":
    main()
