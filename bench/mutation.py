"""Whether the tests notice a change of the code: mutmut in batches, a room of the house each, as for a night.

    python -m bench.mutation                     all batches, one after another
    python -m bench.mutation verify publish      these
    python -m bench.mutation verify/values       one file of a batch
    python -m bench.mutation certificate --at-most 200

Each batch changes one room in a copy of the tree in a temporary folder and runs the tests that are about it. What has
been found is printed: the share of mutants that a test fails on, and those that all tests pass, to be killed by a new
test or told why they are equal to the original.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import tomlkit


@dataclass(frozen=True, slots=True)
class Batch:
    """A room, and the tests that are about it.

    Attributes:
        tests: Files and folders.
        least: The per cent that should be killed.
    """

    tests: tuple[str, ...]
    least: int


BATCHES: Final = {
    "verify": Batch(
        (
            "tests/unit/verify",
            "tests/faults/test_verify_defects.py",
            "tests/faults/test_full_domain_defects.py",
            "tests/faults/test_local_defects.py",
            "tests/faults/test_altered_defects.py",
            "tests/faults/test_transaction_defects.py",
            "tests/faults/test_model_defects.py",
            "tests/faults/test_folder_defects.py",
            "tests/laws/test_aggregated_laws.py",
        ),
        98,
    ),
    "publish": Batch(
        (
            "tests/unit/publish",
            "tests/faults/test_publish_faults.py",
            "tests/faults/test_folder_faults.py",
            "tests/faults/test_store_faults.py",
        ),
        98,
    ),
    "certificate": Batch(
        (
            "tests/unit/certificate",
            "tests/unit/test_signing.py",
            "tests/unit/verify/test_certificate.py",
            "tests/unit/verify/test_transactions_certificate.py",
        ),
        98,
    ),
    "models": Batch(
        (
            "tests/unit/models",
            "tests/laws/test_model_laws.py",
            "tests/laws/test_achieved_laws.py",
            "tests/papers/test_models_papers.py",
        ),
        90,
    ),
    "metrics": Batch(("tests/unit/metrics", "tests/laws/test_loss_laws.py", "tests/laws/test_loss_edges.py"), 90),
    "algorithms": Batch(
        (
            "tests/unit/algorithms",
            "tests/laws/test_metamorphic.py",
            "tests/laws/test_mondrian_laws.py",
            "tests/laws/test_lattice_laws.py",
            "tests/laws/test_ordered_laws.py",
        ),
        90,
    ),
    "transactions": Batch(
        ("tests/unit/transactions", "tests/laws/test_transactions_laws.py", "tests/laws/test_metamorphic.py"), 90
    ),
}

#: What the copy of the tree holds.
_COPIED: Final = ("src", "tests", "bench", "tools", "docs", "pyproject.toml", "README.md", "CONTRIBUTING.md")

#: How it ends for mutants that were noticed.
_KILLED: Final = frozenset({"killed", "timeout", "caught by type check"})

#: What mutmut says of a mutant.
_RESULT: Final = re.compile(r"^ +(\S+): (.+)$", re.MULTILINE)


def carried_out(name: str, at_most: int) -> None:
    """Run a batch and print what was found."""
    room, _, file = name.partition("/")
    batch = BATCHES[room]
    only = f"src/kohort/{room}/{file}.py" if file else f"src/kohort/{room}/*"
    with TemporaryDirectory(prefix="kohort-mutation-") as folder:
        place = Path(folder)
        _copied(place, only, batch)
        some = list[str]()
        if at_most:
            _mutmut(place, "run", "nothing")  # only makes the mutants
            some = _some(place, at_most)
        ended = _mutmut(place, "run", "--max-children", str(min(2, os.cpu_count() or 1)), *some)
        found = dict(_RESULT.findall(_mutmut(place, "results", "--all", "true")))
        tried = {mutant: how for mutant, how in found.items() if how != "not checked"}
        if not tried:
            print(f"{name}: mutmut failed:\n{ended[-2000:]}")
            return
        alive = sorted(mutant for mutant, how in tried.items() if how not in _KILLED)
        killed = len(tried) - len(alive)
        share = 100 * killed / len(tried)
        print(f"{name}: {killed} of {len(tried)} mutants killed, {share:.1f} % (wanted: {batch.least} %)")
        for mutant in alive:
            print(f"\n{mutant}: {tried[mutant]}\n{_change(_mutmut(place, 'show', mutant))}", flush=True)


def _mutmut(place: Path, *words: str) -> str:
    """What mutmut prints. It finds the sources by itself, so long as nobody else says where they are."""
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "ci", "POLARS_MAX_THREADS": "1"}
    environment.pop("PYTHONPATH", None)
    command = [sys.executable, "-m", "mutmut", *words]
    ended = subprocess.run(command, cwd=place, env=environment, check=False, capture_output=True, text=True)
    return ended.stdout + ended.stderr


def _copied(place: Path, only: str, batch: Batch) -> None:
    """Copy the tree, and say in its pyproject.toml what is to be changed."""
    for name in _COPIED:
        source = Path(name)
        if source.is_dir():
            shutil.copytree(source, place / name, ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))
        else:
            shutil.copy(source, place / name)
    settings = tomlkit.parse((place / "pyproject.toml").read_text())
    said = {
        "source_paths": ["src/kohort"],
        "only_mutate": [only],
        "also_copy": ["bench", "tools", "docs", "README.md", "CONTRIBUTING.md"],
        "pytest_add_cli_args_test_selection": list(batch.tests),
        "pytest_add_cli_args": ["-p", "no:randomly", "-p", "no:cacheprovider", "-x", "-m", "not slow"],
        "process_isolation": "forkserver",
        "use_git_change_detection": False,
        "mutate_only_covered_lines": False,
    }
    settings["tool"]["mutmut"] = said
    (place / "pyproject.toml").write_text(tomlkit.dumps(settings))


def _some(place: Path, at_most: int) -> list[str]:
    """So many mutants, drawn at random but always the same."""
    names = [
        name
        for meta in sorted((place / "mutants").rglob("*.meta"))
        for name in json.loads(meta.read_text())["exit_code_by_key"]
    ]
    return sorted(random.Random(7).sample(names, min(at_most, len(names))))  # noqa: S311  a sample, no secret


def _change(shown: str) -> str:
    """The lines that differ."""
    return "\n".join(line for line in shown.splitlines() if re.match(r"[-+](?![-+])", line))


def main() -> None:
    """Carry out batches."""
    parser = argparse.ArgumentParser()
    parser.add_argument("batches", nargs="*", default=list(BATCHES))
    parser.add_argument("--at-most", type=int, default=0, help="draw so many mutants of each batch")
    words = parser.parse_args()
    for name in words.batches:
        carried_out(name, words.at_most)


if __name__ == "__main__":
    main()
