"""The pages of the documentation as a reader would try them: files are written, commands typed, Python run, in order.

What a fence says decides what becomes of its block:

    console     lines that begin with `$ ` are typed in the page's own folder; what is shown below them must be printed.
                Lines above a command that begin with `# ` are comments on it. A line `…` stands for any lines, and `…`
                in a line for any text. A status that is not 0 must be shown by `$ echo $?`.
    pycon       a session at the Python prompt, one for the whole page
    python      a script
    toml        a job file that can be read
    text        neither run nor read: figures, formulas, what needs data that is not here
    {code-block} with a :caption:   a file of that name in the page's folder, for the commands below it
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

import tests.command
from kohort.errors import KohortError
from kohort.job import request as job
from kohort.job.document import document
from kohort.transactions import request as transactions

ROOT = Path(__file__).parents[2]

#: Every page that a reader can open.
PAGES = sorted({ROOT / "README.md", *(ROOT / "docs").rglob("*.md")} - set((ROOT / "docs" / "_build").rglob("*.md")))

#: What kohort is told on the command line that only a shell understands.
_SHELL = set("|<>&;$*?`")


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between two fences, from the page's line `first` (counted from 0) on."""

    kind: str
    lines: tuple[str, ...]
    first: int

    @property
    def text(self) -> str:
        """Its lines as one text."""
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def caption(self) -> str:
        """The name of the file that it is, if it is one."""
        return next((line.split(": ", 1)[1] for line in self.lines if line.startswith(":caption: ")), "")

    @property
    def body(self) -> str:
        """What is in that file: all but the options of the directive."""
        return re.sub(r"\A(:[a-z-]+:.*\n)*\n?", "", self.text)


@dataclass(frozen=True, slots=True)
class Command:
    """A command as it is shown, and what is shown below it: the page's lines from `first` to `last`, without it."""

    words: str
    shown: tuple[str, ...]
    first: int
    last: int


def title(page: Path) -> str:
    """What a page is called here."""
    return page.relative_to(ROOT).as_posix()


def needs(page: Path) -> list[str]:
    """The packages besides kohort's own that a page says it needs, in a comment: `% needs: one, two`."""
    said = re.search(r"^% needs: (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return said[1].split(", ") if said else []


def blocks(page: Path) -> list[Block]:
    """The page's fenced blocks, in order."""
    found: list[Block] = []
    kind, first = None, 0
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if kind is None and line.startswith("```"):
            kind, first = line.removeprefix("```").strip(), number + 1
        elif kind is not None and line == "```":
            found.append(Block(kind, tuple(lines[first:number]), first))
            kind = None
    assert kind is None, f"{title(page)}: the fence above line {first + 1} stays open"
    return found


def commands(block: Block) -> list[Command]:
    """What is typed in a block of the console, with what is shown of the answer."""
    found: list[Command] = []
    lines = list(block.lines)
    at = 0
    while at < len(lines):
        if lines[at].startswith("# "):
            at += 1
            continue
        assert lines[at].startswith("$ "), f"line {block.first + at + 1} answers no command"
        words = lines[at].removeprefix("$ ")
        at += 1
        while words.endswith("\\"):
            words = f"{words}\n{lines[at]}"
            at += 1
        first = at
        while at < len(lines) and not lines[at].startswith("$ "):
            at += 1
        if all(not line or line.startswith("# ") for line in lines[first:at]) and at < len(lines):
            at = first  # comments on the next command, above it
            while not lines[at]:
                at += 1
        last = first + len("\n".join(lines[first:at]).rstrip().splitlines())
        found.append(Command(words, tuple(lines[first:last]), block.first + first, block.first + last))
    return found


@dataclass(slots=True)
class Session:
    """A reader at work in `folder`.

    Attributes:
        faults: What was not as the page says.
        renewed: What to show instead: the first line, the line behind the last, and the lines between them.
    """

    folder: Path
    status: int = 0
    names: dict[str, object] = field(default_factory=dict[str, object])
    faults: list[str] = field(default_factory=list[str])
    renewed: list[tuple[int, int, list[str]]] = field(default_factory=list[tuple[int, int, list[str]]])

    def follow(self, page: Path, first: int | None = None) -> None:
        """Do all that the page shows, in its order; or what its first blocks show."""
        with chdir(self.folder):
            for block in blocks(page)[:first]:
                self._try(block)

    def type(self, words: str) -> None:
        """Type one command, which must succeed."""
        with chdir(self.folder):
            self._type(Command(words, (), 0, 0), "")

    def _try(self, block: Block) -> None:
        if block.caption:
            file = Path(block.caption)
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.body, encoding="utf-8")
        elif block.kind == "toml":
            self._read(block)
        elif block.kind == "console":
            for command, after in _with_next(commands(block)):
                self._type(command, after)
        elif block.kind == "pycon":
            self._prompt(block)
        elif block.kind == "python":
            exec(compile(block.text, "script", "exec"), {"__name__": "__main__"})  # noqa: S102  our own page

    def _read(self, block: Block) -> None:
        read = transactions.of if "[transactions]" in block.text else job.of
        try:
            read(document(block.text))
        except KohortError as error:
            self.faults.append(f"line {block.first}: {error}")

    def _type(self, command: Command, after: str) -> None:
        printed = f"{self.status}\n" if command.words == "echo $?" else self._answer(command.words)
        if self.status and "echo $?" not in {command.words, after}:
            self.faults.append(f"$ {command.words}\n{printed}status {self.status}, of which nothing is said")
            return
        lines = [line.rstrip() for line in printed.strip("\n").splitlines()]
        if command.shown and not matches(command.shown, lines):
            self.faults.append(f"line {command.first}: $ {command.words}\n{printed}")
            self.renewed.append((command.first, command.last, renew(command.shown, lines)))

    def _answer(self, typed: str) -> str:
        words = shlex.split(typed.replace("\\\n", " "), comments=True)
        *plain, redirect, file = words if words[-2:-1] == [">"] else [*words, "", ""]
        if words[0] == "kohort" and not _SHELL & set(re.sub("'[^']*'", "", typed.removesuffix(f"> {file}"))):
            ran = tests.command.kohort(*plain[1:])
            self.status = ran.status
            if redirect:
                Path(file).write_text(ran.out, encoding="utf-8")
            return ran.err if redirect else ran.out + ran.err
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        known = {**os.environ, "PATH": tools, "COLUMNS": "100", "LC_ALL": "C.UTF-8", "PS1": ""}
        done = subprocess.run(
            ["/bin/sh", "-c", typed], env=known, stdout=-1, stderr=-2, stdin=-3, text=True, check=False
        )
        self.status = done.returncode
        return re.sub(r"(?m)^took [0-9.,]+ s.*\n", "", done.stdout)

    def _prompt(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.names, "page", None, block.first)
        told: list[str] = []
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(
            test, out=told.append, clear_globs=False
        )
        self.names = test.globs
        if result.failed or not result.attempted:
            self.faults.append("".join(told) or f"line {block.first}: nothing at the prompt")


def _with_next(shown: list[Command]) -> list[tuple[Command, str]]:
    return list(zip(shown, [*(command.words for command in shown[1:]), ""], strict=True))


def matches(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Whether these lines were printed, a line `…` standing for any, and `…` in a line for any text.

    >>> matches(("a", "…", "d 1…"), ["a", "b", "c", "d 123"]), matches(("a", "d"), ["a", "b", "d"])
    (True, False)
    """
    pattern = "".join("(?:.*\n)*" if line.strip() == "…" else _pattern(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def renew(shown: tuple[str, ...], printed: list[str]) -> list[str]:
    """The shown lines with the figures that were printed; all that was printed where nothing was left out.

    >>> renew(("a 1", "…", "d 2"), ["a 3", "b", "d 4"])
    ['a 3', '…', 'd 4']
    """
    if not any(line.strip() == "…" for line in shown):
        return printed
    left = list(printed)
    found: list[str] = []
    for line in shown:
        alike = next((one for one in left if _words(one) == _words(line) or re.fullmatch(_pattern(line), one)), None)
        found.append(line if alike is None or "…" in line else alike)
        if alike is not None:
            del left[: left.index(alike) + 1]
    return found


def _pattern(line: str) -> str:
    return re.escape(line).replace("…", ".*")


def _words(line: str) -> str:
    """A line without its figures and bars."""
    return " ".join(re.sub(r"[\d.,%█·]+", " 0 ", line).split())


def rewrite(page: Path, session: Session) -> None:
    """Show on the page what was printed."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for first, last, printed in sorted(session.renewed, reverse=True):
        lines[first:last] = printed
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
