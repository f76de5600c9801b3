"""The rooms of the compiled core: its README names every file and function, and each function has a contract."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from kohort.native import build, library
from kohort.native.library import Function

#: The text of each file of C.
TEXTS: Final = {path.name: path.read_text(encoding="utf-8") for path in build.SOURCES}

#: What stands above a function that Python calls, and its name.
API: Final = re.compile(r"(?:/\*((?:(?!\*/).)*)\*/\n)?^API i64 (kohort_\w+)", re.DOTALL | re.MULTILINE)

#: The rows of the README's table: a room, its files and their functions.
ROWS: Final = [
    [re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[2:4]]
    for line in Path(build.__file__).with_name("README.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| [a-z]+ \| `", line)
]


def test_the_readme_has_every_file_and_function() -> None:
    """Each function once, beside the file that has it; the headers of one file beside it."""
    told = Counter((files[0], name) for files, names in ROWS for name in names)
    assert told == Counter((file, name) for file, text in TEXTS.items() for _, name in API.findall(text))
    assert {*TEXTS} == {"core.h", "lists.h", *(file for files, _ in ROWS for file in files)}


def test_python_declares_what_c_has() -> None:
    """No function of C is left over, and none is missing."""
    declared = [vars(one)["_name"] for one in vars(library).values() if isinstance(one, Function)]
    assert sorted(declared) == sorted(name for text in TEXTS.values() for _, name in API.findall(text))


@pytest.mark.parametrize("file", TEXTS)
def test_every_function_has_a_contract(file: str) -> None:
    """Above it stand its work and what it trusts; and no file is longer than one person reads in an hour."""
    assert TEXTS[file].count("\n") <= 700
    assert [name for told, name in API.findall(TEXTS[file]) if not {"Work:", "Trusts:"} <= {*told.split()}] == []
