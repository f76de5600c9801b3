"""The texts that people see name their subject, and say who: kinds of sentences that can be found in the sources."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kohort

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = Path(kohort.__file__).parent

#: Rooms with their own tests below, by the beginnings of their paths; all other files are `core`.
ROOMS = {
    "core": (),
    "cli": ("cli/",),
    "desk": ("app/",),
    "page": ("report/page", "report/render/page", "report/charts"),
}

#: What no text may have, outside code, and why.
KINDS = {
    "a subject it": re.compile(r"(?:^|[:;.] )it ", re.IGNORECASE),
    "whoever, nobody": re.compile(r"\b(?:whoever|nobody)\b", re.IGNORECASE),
    "a participle as a heading": re.compile(
        r"^[A-Z][a-z]+(?:ed|ing) (?:as|at|by|from|in|on|out|to|with)\b[^.,;:]{,30}$"
    ),
}

#: Texts that stay, by their beginnings.
KEPT = {
    "Disks of the cluster:": "stands in certificates",
    "Secrecy of answers:": "stands in certificates",
    "Other quasi-identifiers: it says nothing": "stands in certificates",
    "Other analyses: it measures": "stands in certificates",
    "whoever wrote the certificate": "told in --json, which is frozen",
    "it needs other releases": "told in --json, which is frozen",
    "Singling out": "the criterion's name in Opinion 05/2014",
    "It shows ": "the page, which the sentence before names",
    "names released as sets": "stands in the JSON of pages, which is frozen",
}


@cache
def texts() -> tuple[tuple[str, int, str], ...]:
    """The texts in the sources, each with its file and line, without docstrings; `…` stands for values."""
    return tuple(one for path in sorted(SOURCES.rglob("*.py")) for one in _texts(path))


def _texts(path: Path) -> Iterator[tuple[str, int, str]]:
    name, tree = path.relative_to(SOURCES).as_posix(), ast.parse(path.read_text("utf-8"))
    every = [*ast.walk(tree)]
    inner = {id(one.value) for one in every if isinstance(one, ast.Expr)}
    inner |= {id(part) for one in every if isinstance(one, ast.JoinedStr) for part in one.values}
    for one in every:
        if id(one) not in inner and isinstance(one, ast.JoinedStr | ast.Constant):
            parts = one.values if isinstance(one, ast.JoinedStr) else [one]
            told = [part.value if isinstance(part, ast.Constant) else "…" for part in parts]
            if all(isinstance(part, str) for part in told):
                yield name, one.lineno, "".join(map(str, told))


def found(room: str) -> list[str]:
    """The faulty texts of a room, each with its place and kind."""
    others = tuple(path for paths in ROOMS.values() for path in paths)
    return [
        f"{name}:{line}: {kind}: {text}"
        for name, line, text in texts()
        if (name.startswith(ROOMS[room]) if ROOMS[room] else not name.startswith(others))
        if " " in text.strip() and not text.startswith(tuple(KEPT))
        for kind, pattern in KINDS.items()
        if pattern.search(text)
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_texts_name_their_subject(room: str) -> None:
    """No message begins with it, nobody and whoever are nowhere, and no heading is a participle."""
    assert found(room) == []


@pytest.mark.parametrize(
    "text", ["it must be a number", "taken: it is small", "for whoever reads it", "Skipped as impossible"]
)
def test_kinds_are_found(text: str) -> None:
    """A faulty text is found by one kind."""
    assert sum(bool(pattern.search(text)) for pattern in KINDS.values()) == 1


def test_what_is_kept_is_there() -> None:
    """No exception outlives its text."""
    assert [kept for kept in KEPT if not any(text.startswith(kept) for _, _, text in texts())] == []
