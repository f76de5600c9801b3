"""The texts that people see name their subject, and say who: kinds of sentences that can be found in the sources."""

from __future__ import annotations

import ast
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jinja2 import Environment

import kohort

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = Path(kohort.__file__).parent

#: Rooms with their own tests below, by the beginnings of their paths; all other files are `core`.
ROOMS = {
    "core": (),
    "cli": ("cli/",),
    "desk": ("desk/",),
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
    "whoever wrote the certificate": "told in --json, which is frozen",
    "it needs other releases": "told in --json, which is frozen",
    "Singling out": "the criterion's name in Opinion 05/2014",
    "It shows ": "the page, which the sentence before names",
    "names released as sets": "stands in the JSON of pages, which is frozen",
    "Requested by": "a line of a form, with the name that the job gives",
    "Approved by": "a line of a form, with the name that the job gives",
}


#: Attributes whose text people read or hear, and elements within a sentence.
ATTRIBUTES = {"alt", "aria-label", "placeholder", "title"}
INLINE = {"a", "bdi", "code", "em", "span", "strong"}


@cache
def texts() -> tuple[tuple[str, int, str], ...]:
    """The texts in modules and templates, each with its file and line, without docstrings; `…` stands for values."""
    modules = (one for path in sorted(SOURCES.rglob("*.py")) for one in _texts(path))
    templates = (
        (path.relative_to(SOURCES).as_posix(), line, text)
        for path in sorted(SOURCES.rglob("*.jinja"))
        for line, text in shown(path.read_text("utf-8"))
    )
    return (*modules, *templates)


def shown(template: str) -> Iterator[tuple[int, str]]:
    """What a template shows, each text with its line: elements, attributes, and the strings of its expressions."""
    markup, tokens = "", [*Environment(autoescape=True).lex(template)]
    for _, kind, value in tokens:
        if kind == "data":
            markup += value
        else:
            markup += "…" * (kind == "variable_begin") + "\n" * value.count("\n")
    reader = Reader()
    reader.feed(markup)
    reader.close()
    yield from reader.texts
    yield from ((line, value[1:-1]) for line, kind, value in tokens if kind == "string")


class Reader(HTMLParser):
    """Gathers the texts of markup, each sentence in one piece."""

    def __init__(self) -> None:
        """Begin without any."""
        super().__init__()
        self.texts: list[tuple[int, str]] = []
        self._pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the attributes; an element that is not within a sentence ends one."""
        self._end(tag)
        self.texts += [(self.getpos()[0], said) for name, said in attrs if name in ATTRIBUTES and said]

    def handle_endtag(self, tag: str) -> None:
        """End a sentence."""
        self._end(tag)

    def handle_data(self, data: str) -> None:
        """Take a piece of a sentence."""
        self._pieces.append(data)

    def close(self) -> None:
        """End the last sentence."""
        super().close()
        self._end("")

    def _end(self, tag: str) -> None:
        if tag not in INLINE:
            if text := " ".join("".join(self._pieces).split()):
                self.texts.append((self.getpos()[0], text))
            self._pieces = []


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


def test_templates_are_read() -> None:
    """Elements, attributes and strings of a template are texts; comments and names are none."""
    template = """{# it is a comment #}
<p title="it {{ x }}">nobody <b>is</b> {% if y %}here{% endif %}: {{ "it is" if z else name }}</p>"""
    assert [*shown(template)] == [(2, "it …"), (2, "nobody"), (2, "is"), (2, "here: …"), (2, "it is")]
    assert {name.split("/")[0] for name, _, _ in texts() if name.endswith(".jinja")} == {
        "desk",
        "report",
        "transactions",
    }


@pytest.mark.parametrize(
    "text", ["it must be a number", "taken: it is small", "for whoever reads it", "Skipped as impossible"]
)
def test_kinds_are_found(text: str) -> None:
    """A faulty text is found by one kind."""
    assert sum(bool(pattern.search(text)) for pattern in KINDS.values()) == 1


def test_what_is_kept_is_there() -> None:
    """No exception outlives its text."""
    assert [kept for kept in KEPT if not any(text.startswith(kept) for _, _, text in texts())] == []
