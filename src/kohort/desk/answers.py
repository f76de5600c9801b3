"""The answers to what a desk asks: plain values that go through a pipe, of which only `Rows` holds records."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kohort.errors import JobError, KohortError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.assessment.inspection.distribution import Bar
    from kohort.assessment.inspection.guesses import Guess
    from kohort.job.lines import Place


#: What helps where memory does not suffice.
LESS: Final = "set memory-limit in the job's table [run], or take a part of the table"


class Fault(NamedTuple):
    """What is wrong, where, and what to do: the parts of an error.

    Attributes:
        what: What is wrong.
        where: The place.
        hint: What to do about it.
        columns: The columns that the error is about.
        flag: What makes the only one of them safe: the name of a flag, and its value.
        unsafe: Whether somebody may accept them as they are, by name.
    """

    what: str
    where: str = ""
    hint: str = ""
    columns: tuple[str, ...] = ()
    flag: tuple[str, str] | None = None
    unsafe: bool = False

    @property
    def told(self) -> str:
        """What is wrong, after its place, unless that is its first word."""
        named = not self.where or self.what.startswith(f"{self.where} ")
        return self.what if named else f"{self.where}: {self.what}"


#: What a hint of the command line and of job files has, and a page has buttons for.
_TYPED: Final = ("--", "job file", "Job.", "person.key", "Python", "role =", "private-file")


def faults_in(error: BaseException) -> tuple[Fault, ...]:
    """The faults of an error. Of one that kohort did not raise, only its kind is told: its text may hold a cell."""
    match error:
        case JobError():
            return tuple(map(_fault, error.faults))
        case KohortError():
            return (_fault(error),)
        case MemoryError():
            return (Fault("out of memory", hint=LESS),)
        case _:
            kind = type(error).__name__
            return (Fault(f"an internal error ({kind}); please report it", hint="kohort run JOB shows its place"),)


def _fault(error: KohortError) -> Fault:
    """The fault of one error, without what could be typed elsewhere."""
    hint = "; ".join(one for one in error.hint.split("; ") if not any(typed in one for typed in _TYPED))
    columns = (error.where.removeprefix("column "),) if error.where.startswith("column ") else ()
    if isinstance(error, SchemaError) and error.unsafe:
        return Fault(error.what, error.where, "", tuple(error.unsafe), error.flag, unsafe=True)
    return Fault(error.what, error.where, hint, columns)


class ColumnLook(NamedTuple):
    """A column as it is shown.

    Attributes:
        guess: What it seems to reveal.
        bars: How its values are distributed; none of a column that may identify people.
        proposed: What a job says of it in each role that can be given to it.
    """

    guess: Guess
    bars: tuple[Bar, ...]
    proposed: Mapping[str, Mapping[str, object]]


class Look(NamedTuple):
    """A table as it is shown: no record, only columns."""

    records: int
    columns: tuple[ColumnLook, ...]
    notes: tuple[str, ...]


class Rows(NamedTuple):
    """Records or transactions, for those who asked to see them.

    Attributes:
        names: The columns; transactions have none.
        before: The cells of each record, of which `None` is one that is not shown; or the items of each transaction.
        after: The same in the release, where there is one.
        first: The number of the first, from 1.
    """

    names: tuple[str, ...]
    before: tuple[tuple[str | None, ...], ...]
    after: tuple[tuple[str | None, ...], ...] = ()
    first: int = 1


class Change(NamedTuple):
    """A single change of the job; see `kohort.job.steps`.

    Attributes:
        words: What is changed.
        keys: What each of these keys becomes.
        loss: The detail that would be lost, 0..1.
        gain: By how much less that is than now; below 0 of a change that promises more.
        weakens: Which promise it weakens; empty if none.
        about: Whether the loss is estimated.
    """

    words: str
    keys: Mapping[Place, object]
    loss: float
    gain: float
    weakens: str = ""
    about: bool = True


class Preview(NamedTuple):
    """What a job would release, as the report has it: parts of the steward's page model; and what changes give."""

    result: dict[str, Any]
    verdict: dict[str, Any]
    sizes: tuple[dict[str, Any], ...]
    losses: tuple[dict[str, Any], ...]
    metrics: tuple[dict[str, Any], ...]
    notes: tuple[str, ...]
    seconds: float
    changes: tuple[Change, ...] = ()


class Choice(NamedTuple):
    """A value of k, one of t and a method, and what they would give.

    Attributes:
        k: As a job says it.
        method: Likewise.
        t: Likewise; empty where each column keeps its own.
        risk: The highest prosecutor's risk, 0..1; nothing is known where `why` is said.
        loss: The detail that the quasi-identifiers lose, 0..1.
        classes: How many classes there would be.
        suppressed: Records that would be left out.
        best: Whether no other has less of both risk and loss.
        knee: Whether it is where less of one begins to cost most of the other.
        why: What stands in the way.
    """

    k: str
    method: str
    t: str = ""
    risk: float = 0.0
    loss: float = 0.0
    classes: int = 0
    suppressed: int = 0
    best: bool = False
    knee: bool = False
    why: str = ""


class Released(NamedTuple):
    """A release that was published.

    Attributes:
        files: Its files by what they are.
        preview: Its figures, from the published bytes, as the subject of the desk has them.
    """

    files: dict[str, str]
    preview: Preview | BasketPreview


# --- of transactions --------------------------------------------------------------------------------------------------


class ItemsLook(NamedTuple):
    """A transaction database as it is shown: no transaction, only items."""

    transactions: int
    names: tuple[str, ...]
    supports: tuple[int, ...]
    lengths: tuple[Bar, ...]
    empty: int
    unique: int
    repeated: int


class ItemRoles(NamedTuple):
    """The roles that a job gives to items.

    Attributes:
        private: The names of private items.
        public: Those of public ones; `None` where all others are.
        most: The transactions that a private item can be in, if any release is to be coherent.
        least: Items in fewer transactions are removed first.
        drawn: Whether they are drawn by lot.
        why: Why they cannot be told; then there are none.
        labels: The items that the job names, each as people read it.
    """

    private: tuple[str, ...] = ()
    public: tuple[str, ...] | None = None
    most: int | None = None
    least: int = 0
    drawn: bool = False
    why: str = ""
    labels: Mapping[str, str] = MappingProxyType({})

    def labelled(self, item: str) -> str:
        """An item as people read it."""
        return self.labels.get(item, item)


class BasketPreview(NamedTuple):
    """What a job would release: the steward's page model, see `kohort.transactions.report.page`; and its changes."""

    page: dict[str, Any]
    lost: int
    whole: int
    seconds: float
    changes: tuple[Change, ...] = ()


class Point(NamedTuple):
    """What a method would lose where one parameter has another value.

    Attributes:
        value: The value, as a job says it; empty for the job's own.
        method: The method's name; likewise.
        loss: The share of the cells that is lost, 0..1; nothing is known where `why` is said.
        moles: The minimal moles before.
        dropped: The items that would be left nowhere.
        why: What stands in the way.
    """

    value: str
    method: str
    loss: float = 0.0
    moles: int = 0
    dropped: int = 0
    why: str = ""
