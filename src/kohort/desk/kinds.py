"""The kinds of data that the desk opens, which of them a job or a file is of, and the request that a text makes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final

from kohort.desk.fields import FORMS
from kohort.errors import UsageError
from kohort.job.document import document
from kohort.job.request import of
from kohort.specification import plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from kohort.job.document import Document
    from kohort.job.keys import KeyTable
    from kohort.job.lines import Place
    from kohort.job.request import TableRequest
    from kohort.schema.hierarchies import HeldFile

    #: What keys of a job become; `None` takes one out.
    Changes: TypeAlias = tuple[tuple[Place, object], ...]

#: The steps of the work after the first: the path of a page, and what it is called.
STEPS: Final = (
    ("/protection", "Protection"),
    ("/preview", "Preview"),
    ("/frontier", "Trade-off"),
    ("/evidence", "Evidence"),
    ("/release", "Release"),
    ("/history", "Versions"),
    ("/job", "Job file"),
)

#: What is being done, by the question, of any kind of data.
DOING: Final[Mapping[str, str]] = {
    "draft": "Reading the file and drafting a job",
    "cost": "Estimating what settings cost",
    "preview": "Trying what the job would release",
    "report": "Writing the report",
    "frontier": "Trying other values",
    "evidence": "Trying attacks",
    "release": "Releasing and verifying",
}


@dataclass(frozen=True, slots=True)
class Folder(os.PathLike[str]):
    """A folder, and files that are still to be written into it. A job names these, so its text says which they are.

    Attributes:
        path: Where it is.
        held: The files; no two of one name were ever different.

    >>> from pathlib import Path
    >>> Path(Folder("desk")) / "people.csv"
    PosixPath('desk/people.csv')
    """

    path: str
    held: tuple[HeldFile, ...] = field(default=(), compare=False)

    def __fspath__(self) -> str:
        """Where it is."""
        return self.path


def document_in(text: str, folder: Folder) -> Document:
    """A job's text in a folder; its faults name columns and settings, not lines."""
    return replace(document(text, folder=Path(folder)), held=folder.held, where=spoken)


def request_of(text: str, folder: Folder) -> TableRequest:
    """The request of the text of a job on a table."""
    return of(document_in(text, folder))


def spoken(place: Place) -> str:
    """A place of a job as its pages call it.

    >>> spoken(("columns", "age", "grid")), spoken(("privacy", "max-suppression")), spoken(())
    ('column age', 'max-suppression', '')
    """
    match place:
        case ("columns", name, *_) | ("perturb", "columns", name, *_):
            return f"column {name}"
        case ("person", *_):
            return "people"
        case (*_, key):
            return key
        case _:
            return ""


@dataclass(frozen=True, slots=True, eq=False)
class DataKind:
    """A kind of data: how its files and jobs are recognized, its pages, and what answers their questions.

    Attributes:
        name: What it is called: `table`.
        title: What a file of it holds, as the first page offers it: `A table: one record per row`.
        pages: Its `kohort.desk.job_pages.JobPages`, as `module:class`; loaded where pages are shown.
        session: What answers their questions, likewise: a class that is given `on_progress`, and has a method for each.
        request: Makes a request of a job's text and its folder, or raises everything that is wrong with it.
        steps: The steps of the work, in their order: the path of a page, and what it is called.
        package: The package whose `templates` its pages use, besides those of the desk.
        table: The table of a job file that only its jobs have; none of a table's own.
        detect: Whether a file can hardly be of another kind.
        reading: The tables of a job that say how its input is read.
        forms: The tables of a job that its pages have fields for, and their forms; the rest is edited as text.
        doing: What is being done, by the question.
        records: What it has many of: `records`.
        risk: What the bar calls the risk of a release.
        loss: What it calls the loss.
        python: What releases the same in Python, with places for `job`, `source` and `target`; empty if nothing does.
    """

    name: str
    title: str
    pages: str
    session: str
    request: Callable[[str, Folder], object]
    steps: tuple[tuple[str, str], ...]
    package: str = "kohort.desk"
    table: str = ""
    detect: Callable[[Path], bool] = lambda _: False
    reading: tuple[str, ...] = ("input",)
    forms: Mapping[str, KeyTable] = field(default_factory=lambda: FORMS)
    doing: Mapping[str, str] = field(default_factory=lambda: DOING)
    records: str = "records"
    risk: str = "Highest risk"
    loss: str = "Detail lost"
    python: str = ""

    def question(self, name: str) -> str:
        """What a question about it is called on its way.

        >>> from kohort.desk.kinds import TABLE
        >>> TABLE.question("look")
        'table.look'
        """
        return f"{self.name}.{name}"


TABLE: Final = DataKind(
    name="table",
    title="A table: one record per row",
    pages="kohort.desk.hierarchies:HierarchyPages",
    session="kohort.desk.questions:TableSession",
    request=request_of,
    steps=(("/columns", "Columns"), *STEPS),
    doing={
        **DOING,
        "look": "Inspecting the columns",
        "records": "Reading records",
        "hierarchy": "Building the hierarchy",
        "unique": "Counting unique people",
        "changes": "Comparing records",
        "lattice": "Evaluating the nodes of the lattice",
    },
    python="job = kohort.Job.from_toml({job!r})\nkohort.anonymize({source!r}, job, target={target!r})",
)

#: Every kind by its name: tables first, then those of kohort's guests and of other packages.
KINDS: Final[Mapping[str, DataKind]] = plugins("kohort.desk", {"table": "kohort.desk.kinds:TABLE"})


def kind_of(raw: Mapping[str, object]) -> DataKind:
    """What the job with these tables is on."""
    return next((one for one in KINDS.values() if one.table in raw), TABLE)


def kind_in(path: Path, name: str = "") -> DataKind:
    """What a file holds: the kind of this name, else what its form shows.

    Raises:
        UsageError: no kind has this name.
    """
    if name and name not in KINDS:
        raise UsageError(f"the desk opens no {name}", where="--kind", hint=f"one of {', '.join(KINDS)}")
    return KINDS[name] if name else next((one for one in KINDS.values() if one.detect(path)), TABLE)


def answering(on_progress: Callable[[str], None]) -> Callable[[str, tuple[object, ...]], object]:
    """What answers questions by the names that they have on their way; a kind's session is made when it is asked."""

    @cache
    def session(kind: str) -> object:
        return resolve_name(KINDS[kind].session)(on_progress)

    def answer(question: str, arguments: tuple[object, ...]) -> object:
        kind, _, name = question.partition(".")
        return getattr(session(kind), name)(*arguments)

    return answer
