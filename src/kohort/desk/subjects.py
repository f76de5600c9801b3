"""The subjects that there are, which of them a job is on, and the request that its text makes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final

from kohort.desk.fields import FORMS
from kohort.desk.render import STEPS
from kohort.errors import UnsupportedError
from kohort.job.document import document
from kohort.job.form import PURPOSE
from kohort.job.request import of
from kohort.transactions import form as of_items
from kohort.transactions import request as transactions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from kohort.job.document import Document
    from kohort.job.keys import KeyTable
    from kohort.job.lines import Place
    from kohort.job.request import TableRequest
    from kohort.schema.hierarchies import HeldFile
    from kohort.transactions.request import TransactionRequest

    #: What keys of a job become; `None` takes one out.
    Changes: TypeAlias = tuple[tuple[Place, object], ...]


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
    """A job's text, in a folder."""
    return replace(document(text, folder=Path(folder)), held=folder.held)


def request_of(text: str, folder: Folder) -> TableRequest:
    """The request of a job's text, whose faults name columns and settings, not lines."""
    return of(replace(document_in(text, folder), where=spoken))


def transactions_of(text: str, folder: Folder) -> TransactionRequest:
    """The same of a job on transactions."""
    made = transactions.of(replace(document_in(text, folder), where=spoken))
    transactions.refuse_target(made)
    engine = made.run.engine
    if engine != "local":
        raise UnsupportedError(f"the desk reads transactions itself, and the job leaves this to {engine}", where="run")
    return made


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
    forms: Mapping[str, KeyTable]
    request: Callable[[str, Folder], object]
    doing: Mapping[str, str]

    def question(self, name: str) -> str:
        """What a question about it is called on its way.

        >>> from kohort.desk.subjects import TABLE
        >>> TABLE.question("look")
        'table.look'
        """
        return f"{self.name}.{name}"


TABLE: Final = Subject(
    name="table",
    bench="kohort.desk.questions:Session",
    reading=("input",),
    figures="parts.html.jinja",
    steps=STEPS,
    forms=FORMS,
    request=request_of,
    doing={
        "draft": "Reading the table and drafting a job",
        "look": "Inspecting the columns",
        "records": "Reading records",
        "hierarchy": "Building the hierarchy",
        "unique": "Counting unique people",
        "cost": "Estimating what settings cost",
        "preview": "Trying what the job would release",
        "changes": "Comparing records",
        "report": "Writing the report",
        "frontier": "Trying other values of k",
        "lattice": "Evaluating the nodes of the lattice",
        "evidence": "Trying attacks",
        "release": "Releasing and verifying",
    },
)

TRANSACTIONS: Final = Subject(
    name="transactions",
    bench="kohort.desk.baskets.questions:Session",
    reading=("transactions", "input"),
    figures="baskets/parts.html.jinja",
    steps=(
        ("/items", "Items"),
        ("/protection", "Protection"),
        ("/preview", "Preview"),
        ("/curve", "Trade-off"),
        ("/evidence", "Evidence"),
        ("/release", "Release"),
        ("/history", "Versions"),
        ("/job", "Job file"),
    ),
    forms={
        "transactions": of_items.TRANSACTIONS,
        "input": of_items.BASKETS,
        "privacy": of_items.COHERENCE,
        "items": of_items.ITEMS,
        "method": of_items.SUPPRESSION,
        "purpose": PURPOSE,
    },
    request=transactions_of,
    doing={
        "draft": "Reading the file and drafting a job",
        "look": "Reading the transactions",
        "roles": "Looking up the roles of items",
        "records": "Reading transactions",
        "cost": "Estimating what choices cost",
        "preview": "Trying what the job would release",
        "changes": "Comparing transactions",
        "report": "Writing the report",
        "curve": "Trying other values",
        "evidence": "Trying attacks",
        "release": "Releasing and verifying",
    },
)

#: All of them, by name.
SUBJECTS: Final[Mapping[str, Subject]] = {one.name: one for one in (TABLE, TRANSACTIONS)}


def subject_of(raw: Mapping[str, object]) -> Subject:
    """What the job with these tables is on."""
    return TRANSACTIONS if "transactions" in raw else TABLE


def answering(on_progress: Callable[[str], None]) -> Callable[[str, tuple[object, ...]], object]:
    """What answers questions by the names that they have on their way; a subject's bench is made when it is asked."""

    @cache
    def bench(subject: str) -> object:
        return resolve_name(SUBJECTS[subject].bench)(on_progress)

    def answer(question: str, arguments: tuple[object, ...]) -> object:
        subject, _, name = question.partition(".")
        return getattr(bench(subject), name)(*arguments)

    return answer
