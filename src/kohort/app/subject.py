"""What a desk is about: a table, and what else has a job; each with its steps, its fields and who answers for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.app.folder import Folder
    from kohort.job.parts import Part


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What the jobs of a desk are on.

    Attributes:
        name: What it is called: `table`.
        bench: What answers questions about it: a module and a class there. It is loaded where they are answered.
        reading: The tables of a job that say how its input is read.
        figures: The template that shows what would be released.
        steps: The steps of the work, in their order: the path of a page, and what it is called.
        forms: The tables of a job that its pages have fields for, and their forms; the rest is edited as text.
        request: Makes a request of a job's text and its folder, or raises everything that is wrong with it.
        doing: What is being done, by the question.
    """

    name: str
    bench: str
    reading: tuple[str, ...]
    figures: str
    steps: tuple[tuple[str, str], ...]
    forms: Mapping[str, type[Part]]
    request: Callable[[str, Folder], object]
    doing: Mapping[str, str]

    def question(self, name: str) -> str:
        """What a question about it is called on its way.

        >>> from kohort.app.subjects import TABLE
        >>> TABLE.question("look")
        'table.look'
        """
        return f"{self.name}.{name}"
