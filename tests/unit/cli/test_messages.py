"""What the command line says: in plain words, in one form, and the most urgent first."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from kohort import cli
from kohort.cli import program, screen
from kohort.job.keys import PANELS
from tests.command import command, commands, flags_of, kohort

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Kinds of bad texts that can be found: a subject that says nothing, words for people that nobody uses, and turns of
#: phrase for which there is a plain one.
BAD = {
    "it as a subject": r"^it\b|(?<=[.:;] )[Ii]t (?!with)\w+|\bwhether it\b",
    "vague people": r"(?i)\b(?:whoever|whosoever|nobody|somebody|everybody|those who)\b",
    "vague verbs": r"\b(?:told|is said|not said|says so|on its word|unasked|means no|no such thing|name it so)\b",
    "defaults in riddles": r"\bif not (?:given|said)\b",
}

#: The commands of guests.
GUESTS = ("desk/command.py", "samples/command.py", "samples/demo.py", "transactions/command.py")

#: Errors of the command line itself, with what they say first.
MISUSES = {
    "anonymize t.csv --foo": "unknown flag --foo\n  where: --foo\n  hint: ",
    "anonymize t.csv --quazi age": "unknown flag --quazi\n  where: --quazi\n  hint: did you mean --quasi",
    "anonymize": "IN is required\n  where: IN\n  hint: see kohort anonymize --help-all",
    "anonymize t.csv": "--out is required\n  where: --out / -o\n  hint: see kohort anonymize --help-all",
    "anonymize t.csv -o r.csv -k many": "--k must be a whole number\n  where: --k / -k\n",
    "anonymize t.csv -o r.csv --quasi": "--quasi needs a value\n  where: --quasi\n",
    "anonymize t.csv -o r.csv --json=1": "--json takes no value\n  where: --json\n",
    "demo --records 0": "--records must be at least 1\n  where: --records\n  hint: see kohort demo -h\n",
    "generate matrix --density 2": "--density must be at most 1\n  where: --density\n",
    "demo here": "unexpected extra argument (here)\n  hint: see kohort demo -h\n",
    "anonimize t.csv": "unknown command anonimize\n  where: anonimize\n  hint: did you mean anonymize?\n",
    "hierarchy shake": "unknown command shake\n  where: shake\n  hint: ",
    "anonymize t.csv -o r.csv --quasi a --t income": "--t income has no value\n  where: --t\n  hint: write --t ",
    "anonymize t.csv -o r.csv --quasi a --labels x": "labels must be one of range, ",
}


def texts() -> Iterator[tuple[str, str]]:
    """Every text in the modules of the command line but docstrings, with its place."""
    rooms = Path(cli.__file__).parents[1]
    for path in sorted([*rooms.glob("cli/*.py"), *(rooms / one for one in GUESTS)]):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value.value = ""  # a docstring
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
                yield f"{path.name}, line {node.lineno}", node.value


@pytest.mark.parametrize("kind", BAD)
def test_no_text_is_of_a_bad_kind(kind: str) -> None:
    """Neither in the help nor in what is printed."""
    assert [(place, text) for place, text in texts() if re.search(BAD[kind], text)] == []


def test_no_heading_is_a_participle() -> None:
    """Panels are named by nouns, or by what a person wants to do."""
    assert not [title for title in (*PANELS, *program.PANELS) if title.endswith(("ing", "ed"))]


def test_every_sentence_of_the_help_is_one() -> None:
    """It begins with a capital or a word that can be typed, and ends with a stop or what is in brackets."""
    for words in commands():
        one = command(words)
        for sentence in (one.help, *(flag.help for flag in flags_of(one) if not isinstance(one, click.Group))):
            assert re.fullmatch(r"(?s)(?:[A-Z0-9`]|intervals).*[.)]", sentence), (words, sentence)


@pytest.mark.parametrize("words", MISUSES)
def test_misuses_are_told_as_all_errors_are(words: str) -> None:
    """What, where, and what to do; nothing is printed on standard output."""
    ran = kohort(*words.split())
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"kohort: {MISUSES[words]}"), ran.err


def test_warnings_are_red_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line itself and no other; nothing where colours are not wanted."""
    printed: list[str] = []
    monkeypatch.setattr(click, "echo", printed.append)
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen.say("first\nWarning: 3 people can be pinpointed\nlast")
    monkeypatch.setenv("NO_COLOR", "1")
    screen.say("Warning: 3 people can be pinpointed")
    coloured = "first\n\x1b[31m\x1b[1mWarning: 3 people can be pinpointed\x1b[0m\nlast"
    assert printed == [coloured, "Warning: 3 people can be pinpointed"]


def test_people_who_can_be_pinpointed_come_first(tmp_path: Path) -> None:
    """Before the figures, below the line that says for whom they are."""
    (tmp_path / "t.csv").write_text("age\n" + "".join(f"{20 + n}\n" for n in range(12)), encoding="utf-8")
    ran = kohort("anonymize", tmp_path / "t.csv", "-o", tmp_path / "r.csv", "--quasi", "age", "-k", 3, "--no-grid")
    assert re.match(r"Internal: .*\nWarning: \d+ people can be pinpointed: ", ran.out)


@pytest.mark.parametrize("method", [[], ["--method", "optimal", "--hierarchy", "age=suppress"]])
def test_a_k_that_cannot_be_met_is_told_with_the_greatest(method: list[str], tmp_path: Path) -> None:
    """With the release that the hint leads to."""
    (tmp_path / "t.csv").write_text("age\n" + "30\n40\n" * 6, encoding="utf-8")
    common = ["anonymize", tmp_path / "t.csv", "-o", tmp_path / "r.csv", "--quasi", "age", *method]
    ran = kohort(*common, "--k", 5000)
    assert ran.status == 4
    assert "ask for k = 12 at most" in ran.err
    assert kohort(*common, "--k", 12).status == 0
