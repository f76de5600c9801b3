"""The C of the compiled core, read by compilers and by analysers: none of them has anything to say of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import pytest

from kohort.native import build

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: The files that are compiled, whatever they include.
FILES: Final = [str(path) for path in build.SOURCES if path.suffix == ".c"]

#: What compilers are asked to say, and to refuse.
STRICT: Final = ("-c", "-o", "/dev/null", *build.MEANING, "-Wall", "-Wextra", "-Wconversion", "-Werror")

#: The commands by name; a machine need not have all of them.
COMPILERS: Final[Mapping[str, list[str]]] = MappingProxyType(
    {
        "gcc": ["gcc", *STRICT],
        "clang": ["clang", *STRICT],
        "ziglang": [sys.executable, "-m", "ziglang", "cc", *STRICT],
    }
)
ANALYSERS: Final[Mapping[str, list[str]]] = MappingProxyType(
    {
        "cppcheck": [
            *("cppcheck", "--std=c11", "--enable=warning,performance,portability", "--inconclusive", "--quiet"),
            *("--inline-suppr", "--error-exitcode=1"),
        ],
        "gcc": ["gcc", *build.MEANING, "-O1", "-fanalyzer", "-Werror", "-c", "-o", "/dev/null"],
    }
)

#: What analysers must find, or they look at nothing.
FAULTS: Final = """
#include <stdlib.h>
int beyond(void) { int two[2] = {0, 1}; return two[2]; }
int gone(void) { char *one = malloc(1); free(one); return *one; }
"""


def refused_by(command: list[str], name: str, *files: str) -> str:
    """What a command says of files that it refuses, each for itself; nothing where it is content with them."""
    there = find_spec("ziglang") if name == "ziglang" else shutil.which(command[0])
    if not there:
        pytest.skip(f"this machine has no {name}")
    runs = [subprocess.run([*command, file], capture_output=True, text=True, check=False) for file in files]
    return "".join(run.stdout + run.stderr or f"status {run.returncode}\n" for run in runs if run.returncode)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILERS)
def test_no_compiler_warns(name: str, tmp_path: Path) -> None:
    """With -Wall -Wextra -Wconversion; it would warn of a number that does not fit."""
    assert refused_by(COMPILERS[name], name, *FILES) == ""
    narrow = tmp_path / "narrow.c"
    narrow.write_text("unsigned char narrow(int number) { return number; }\n")
    assert "conversion" in refused_by(COMPILERS[name], name, str(narrow))


@pytest.mark.slow
@pytest.mark.parametrize("name", ANALYSERS)
def test_no_analyser_finds_a_fault(name: str, tmp_path: Path) -> None:
    """On no path through a function; each finds one of two faults: an index beyond an array, and memory given back."""
    assert refused_by(ANALYSERS[name], name, *FILES) == ""
    wrong = tmp_path / "wrong.c"
    wrong.write_text(FAULTS)
    assert "wrong.c" in refused_by(ANALYSERS[name], name, str(wrong))
