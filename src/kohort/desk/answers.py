"""The answers to what a desk asks: plain values that go through a pipe, of which only `Rows` holds records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kohort.errors import JobError, KohortError, SchemaError
from kohort.report.page.audience import scale_end

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    """Records, for those who asked to see them.

    Attributes:
        names: The columns; none of records that have no columns.
        before: The cells of each record, of which `None` is one that is not shown.
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
    """What a job would release.

    Attributes:
        page: Parts of the steward's page model, which the template `figures` of the kind of data shows.
        figures: What is compared of two versions of the job: each figure by its name, as text.
        loss: The detail that is lost, 0..1.
        risk: The risk of the release, 0..1.
        seconds: How long it took.
        counted: Whether the records were only counted where they are stored, so that none can be shown.
        changes: Single changes of the job, and what each would give.
    """

    page: dict[str, Any]
    figures: dict[str, str]
    loss: float
    risk: float
    seconds: float
    counted: bool = False
    changes: tuple[Change, ...] = ()


class Point(NamedTuple):
    """What a release would give where one parameter has another value, or a method is another.

    Attributes:
        value: The value, as a job says it; empty for the job's own.
        method: The method's name; likewise.
        t: The t of all columns that have one; empty where each keeps its own.
        loss: The detail that is lost, 0..1; nothing is known where `why` is said.
        risk: The highest risk, 0..1; `None` where it is not measured.
        counts: What else is counted of the release, as the pages of the kind of data name it.
        best: Whether no other has less of both risk and loss.
        knee: Whether it is where less of one begins to cost most of the other.
        about: Whether the figures are estimated.
        why: What stands in the way.
    """

    value: str = ""
    method: str = ""
    t: str = ""
    loss: float = 0.0
    risk: float | None = None
    counts: tuple[int, ...] = ()
    best: bool = True
    knee: bool = False
    about: bool = False
    why: str = ""


class Released(NamedTuple):
    """A release that was published: its files by what they are, and its figures from the published bytes."""

    files: dict[str, str]
    preview: Preview


class Attacks(NamedTuple):
    """The attacks of a dossier as the page Evidence shows them, the worst first, on one scale.

    Each stands with its criterion, as its JSON has it.

    Attributes:
        claiming: Those that claim something, by how much more they find with the release than without.
        silent: Those that claim nothing.
        untried: Those that could not be tried.
        end: The end of the scale of rates.
    """

    claiming: Sequence[tuple[str, Mapping[str, Any]]]
    silent: Sequence[tuple[str, Mapping[str, Any]]]
    untried: Sequence[tuple[str, Mapping[str, Any]]]
    end: float

    @classmethod
    def of(cls, criteria: Mapping[str, Sequence[Mapping[str, Any]]]) -> Attacks:
        """Those of all criteria.

        >>> one = {"claims": 9, "rate": 0.1, "interval": [0.05, 0.12], "baseline": 0.01}
        >>> found = Attacks.of({"Linkability": [one]})
        >>> len(found.claiming), found.end
        (1, 0.2)
        """
        every = [(name, one) for name, some in criteria.items() for one in some]
        claiming = sorted(
            (pair for pair in every if pair[1].get("claims")), key=lambda pair: pair[1]["baseline"] - pair[1]["rate"]
        )
        ends = [end for _, one in claiming for end in (one["baseline"], one["rate"], one["interval"][1])]
        silent = [pair for pair in every if pair[1].get("claims") == 0]
        untried = [pair for pair in every if "untried" in pair[1]]
        return cls(claiming, silent, untried, scale_end(ends) if ends else 1.0)
