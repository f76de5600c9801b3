"""Signs that steer a terminal or reorder a line, in names, labels, items and paths: none is printed as it is."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from kohort.errors import InputError, SourceNote, readable
from kohort.errors.display import line, table_html
from tests.command import kohort

if TYPE_CHECKING:
    from tests.command import Ran

#: What turns text about, in a column's name, which may hold no controls.
TURNED: Final = "ill\u202eness\u2066"

#: That, and what a terminal takes as an order, in the names of files, items and labels.
STEERING: Final = "x\x1b]0;gone\x07\r\x7f\x9b2J\u202e\u2066y"

#: What no output may hold.
RAW: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

#: Words that click itself complains of.
MISUSED: Final = [
    ["anonymize", f"--{STEERING}"],
    [f"{STEERING}"],
    ["hierarchy", f"{STEERING}"],
    ["anonymize", "in.csv", "--out", "r.csv", "--k", STEERING],
    ["generate", "italy", "--out", "d", "--records", STEERING],
]


def told(ran: Ran) -> None:
    """Nothing that was printed steers a terminal."""
    assert not RAW.search(ran.out), ascii(ran.out)
    assert not RAW.search(ran.err), ascii(ran.err)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table with such names in a folder with such a name, and what commands need beside it."""
    folder = tmp_path / STEERING
    folder.mkdir()
    monkeypatch.chdir(folder)
    rows = "".join(f"{30 + row % 8},{'ab'[row % 2]}{STEERING!r},{'fg'[row // 2 % 2]}\n" for row in range(40))
    source = folder / f"{STEERING}.csv"
    source.write_text(f"age\u202e,city,{TURNED}\n{rows}", encoding="utf-8")
    tree = {STEERING: [f"a{STEERING!r}", f"b{STEERING!r}"]}
    (folder / "h.json").write_text(json.dumps({"all": tree}), encoding="utf-8")
    (folder / "b.txt").write_text(f"tea {TURNED} jam\n" * 30 + "tea jam\n" * 30, encoding="utf-8")
    return str(source)


def test_no_command_prints_them(table: str) -> None:
    """Commands that succeed, their figures, texts and pages."""
    roles = ["--quasi", "age\u202e,city", "--sensitive", TURNED, "--l", f"{TURNED}=2", "--hierarchy", "city=h.json"]
    out = f"{table}.out.csv"
    for words in (
        ["inspect", table],
        ["inspect", table, "--json"],
        ["init", table, "--out", f"{STEERING}.toml"],
        ["hierarchy", "show", "h.json"],
        ["hierarchy", "check", "h.json", "--in", table, "--column", "city"],
        ["anonymize", table, "--out", out, *roles, "--k", "2", "--no-grid", "--report", "page.html"],
        ["anonymize", table, "--out", out, *roles, "--k", "2", "--no-grid", "--report", "page.txt", "--overwrite"],
        ["anonymize", table, "--out", out, *roles, "--k", "2", "--no-grid", "--dry-run", "--json"],
        ["check", out, "--quasi", "age\u202e,city", "--sensitive", TURNED],
        ["check", out, "--certificate", f"{out}.kohort.json"],
        ["check", out, out, "--quasi", "age\u202e,city", "--k", "2"],
        ["metadata", f"{out}.kohort.json", "--format", "frictionless"],
        ["risk", table, "--quasi", "age\u202e,city", "--show-values"],
        ["compare", table, out, "--out", "c.txt"],
        ["inspect", "b.txt", "--transactions"],
        ["transactions", "b.txt", "--out", "t.txt", "--private", "jam", "--k", "2", "--p", "1", "--h", "1"],
    ):
        ran = kohort(*words)
        assert ran.status in {0, 1}, ran.err
        assert ran.out
        told(ran)
    for name in ("page.html", "page.txt", "c.txt"):
        assert not RAW.search(Path(name).read_text("utf-8")), name


def test_no_error_prints_them(table: str) -> None:
    """Faults of input, paths, jobs and hierarchies, as text and as JSON."""
    for words in (
        ["inspect", f"{STEERING}.none"],
        ["anonymize", table, "--out", f"{STEERING}/none/r.csv", "--quasi", "city", "--k", "2"],
        ["anonymize", table, "--out", "r.csv", "--quasi", f"city,{STEERING}", "--k", "2"],
        ["anonymize", table, "--out", "r.csv", "--quasi", "city", "--method", STEERING],
        ["anonymize", table, "--out", table, "--quasi", "city", "--rest", "drop"],
        ["run", f"{STEERING}.toml"],
        ["check", table, "--certificate", "h.json"],
        ["hierarchy", "show", table],
    ):
        for more in ([], ["--json"]):
            ran = kohort(*words, *more)
            assert ran.status, words
            assert ran.err
            told(ran)


@pytest.mark.parametrize("words", MISUSED)
def test_no_misuse_prints_them(words: list[str]) -> None:
    """What click itself says of the words of a command line."""
    ran = kohort(*words)
    assert ran.status == 2
    assert ran.err
    told(ran)


def test_errors_and_notes_of_the_library_show_none() -> None:
    """Their texts are printed by Python itself, outside a command; the parts stay as they were."""
    fault = InputError(STEERING, where=f"{STEERING}\nx", hint=STEERING)
    assert not RAW.search(str(fault))
    assert str(fault).count("\n") == 2
    assert fault.what == STEERING
    with pytest.warns(SourceNote) as caught:
        warnings.warn(SourceNote(STEERING), stacklevel=1)
    assert not RAW.search(str(caught[0].message))


def test_objects_show_none() -> None:
    """Neither a line at the prompt nor a table of a notebook."""
    rows = [(STEERING, STEERING)]
    assert not RAW.search(line(STEERING, rows))
    assert not RAW.search(table_html(STEERING, rows))


def test_scripts_that_need_joiners_keep_them() -> None:
    """Words of Persian and signs joined of several stay as they are; so do blanks without a break."""
    for text in ("\u0645\u06cc\u200c\u062e\u0648", "\U0001f469\u200d\U0001f52c", "10\u00a0000", "two\nlines"):
        assert readable(text) == text
