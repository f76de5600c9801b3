"""The answers to what a desk asks: plain values that go through a pipe, of which only `Rows` holds records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kohort.errors import JobError, KohortError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.app.baskets.answers import BasketPreview
    from kohort.assessment.inspection.distribution import Bar
    from kohort.assessment.inspection.guesses import Guess
    from kohort.job.lines import Place


#: What helps where memory does not suffice.
LESS: Final = "set memory-limit in the job's table [run], or take a part of the table"


class Fault(NamedTuple):
    """What is wrong, where, and what to do: the parts of an error."""

    what: str
    where: str = ""
    hint: str = ""


def faults_in(error: BaseException) -> tuple[Fault, ...]:
    """The faults of an error. Of one that kohort did not raise, only its kind is told: its text may hold a cell."""
    match error:
        case JobError():
            return tuple(Fault(one.what, one.where, one.hint) for one in error.faults)
        case KohortError():
            return (Fault(error.what, error.where, error.hint),)
        case MemoryError():
            return (Fault("out of memory", hint=LESS),)
        case _:
            kind = type(error).__name__
            return (Fault(f"an internal error ({kind}); please report it", hint="kohort run JOB shows its place"),)


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
        names: The columns.
        before: The cells of each record; `None` is one that is not shown.
        after: The same records in the release, where there is one.
        first: The number of the first, from 1.
    """

    names: tuple[str, ...]
    before: tuple[tuple[str | None, ...], ...]
    after: tuple[tuple[str | None, ...], ...] = ()
    first: int = 1


class Change(NamedTuple):
    """A single change of the job: what it would give, and what each of its keys becomes; see `kohort.job.steps`."""

    words: str
    keys: Mapping[Place, object]


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
    """A value of k and a method, and what they would give.

    Attributes:
        k: As a job says it.
        method: Likewise.
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
