"""Where a section of the page comes from: a folder in which its commands are typed, and the form of its tables."""

from __future__ import annotations

import json
import shlex
import shutil
from contextlib import chdir
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

#: What is written where none of the project's sources has a printed figure.
UNKNOWN: Final = "not recorded"


@dataclass(frozen=True, slots=True)
class Workbench:
    """A folder in which commands are typed.

    Attributes:
        folder: Where they write.
        data: The folder of public data sets, for the works that need it.
    """

    folder: Path
    data: Path | None = None

    def type(self, command: Sequence[str]) -> str:
        """Type a command as the page shows it, given line by line; returns what it prints.

        Raises:
            RuntimeError: it failed.
        """
        _, *words = shlex.split(" ".join(command))
        with chdir(self.folder):
            ran = kohort(*words)
        if ran.status:
            raise RuntimeError(ran.err)
        return ran.out

    def figures(self, command: Sequence[str]) -> Any:  # noqa: ANN401  as JSON has it
        """The figures of a command that is shown without its `--json`."""
        return json.loads(self.type([*command, "--json"]))

    def read(self, name: str) -> Any:  # noqa: ANN401  as JSON has it
        """The figures that a command wrote to a file."""
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def write(self, name: str, text: str) -> None:
        """Write a file that the commands read."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def fetch(self, name: str) -> None:
        """Put a public data set into the folder, under the last part of its name.

        Raises:
            RuntimeError: there is no folder of public data sets.
        """
        if self.data is None:
            raise RuntimeError("KOHORT_DATA must name the folder of public data sets")
        shutil.copyfile(self.data / name, self.folder / name.rpartition("/")[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One of the works, and how its section is written.

    Attributes:
        title: The heading of its section.
        needs_data: Whether it needs public data sets.
        slow: Whether it takes most of a minute.
        pictures: The pictures of its section, in `docs/images`.
        section: Writes the section, and the pictures into the workbench's folder.
    """

    title: str
    needs_data: bool
    slow: bool = False
    pictures: tuple[str, ...] = ()
    section: Callable[[Workbench], str]

    def text(self, bench: Workbench) -> str:
        """The whole section, with its heading."""
        return f"## {self.title}\n\n{self.section(bench).strip()}\n"


def shown(*commands: Sequence[str]) -> str:
    """Commands as a block of the page."""
    typed = "\n".join("$ " + " \\\n    ".join(lines) for lines in commands)
    return f"```text\n{typed}\n```"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of the page; columns of figures are aligned to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    rule = ["---:" if all(_figure(row[at]) for row in cells) else "---" for at in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *cells))


def _figure(cell: str) -> bool:
    """Whether a cell is a figure, or says that there is none."""
    return cell[:1].isdigit() or cell[:1] in {"+", "-"}
