"""Publish a release: every byte verified before anyone can see it, and all of its files or none.

A file is written under no name at all, fsynced, verified and only then given its name: what is published is the very
inode that was verified, and a run that dies before leaves nothing. Where the system has no unnamed files, a temporary
name only its owner may open takes their place; the next run in the folder removes what a killed run leaves of those.

No file system names several files in one step, so the order carries the promise:

    old companions leave  ─►  the release takes its name  ─►  new companions arrive

At every instant the target is the old release, the new one or (when there was no old one) absent, and a companion lies
only beside the release it describes. Whatever goes wrong in between is taken back: by the run itself, or, where it was
killed while it replaced something, by the next one in that place (see `journal`). A release that replaced nothing and
has no certificate belongs to a run that did not finish.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from operator import methodcaller
from typing import TYPE_CHECKING, BinaryIO, Generic, Protocol, TypeAlias, TypeVar

from kohort import system
from kohort.errors import DurabilityError, FileError
from kohort.publish.files import examine, open_temporary
from kohort.publish.journal import Journal
from kohort.system.disk import locked, reason, reporting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kohort.publish.files import Target
    from kohort.publish.journal import Entry


V = TypeVar("V")

#: A step of a commit, or its inverse.
Step: TypeAlias = "Callable[[], None]"


@dataclass(frozen=True, slots=True)
class Companion(Generic[V]):
    """A file that is published with a release, or not at all."""

    path: Path
    content: Callable[[V], bytes]


class Output(Protocol):
    """A file or folder that takes its name in a commit."""

    @property
    def place(self) -> Target:
        """Where it goes."""
        ...

    def entry(self) -> Entry:
        """The name that it takes, and how that is taken back."""
        ...

    def rename(self) -> None:
        """Take the place's name, which is free."""
        ...

    def exchange(self) -> None:
        """Take the place's name from what stands there."""
        ...

    def withdraw(self) -> None:
        """Take what stands there away, within reach."""
        ...

    def forget(self) -> None:
        """Let what stood there go."""
        ...


def check_target(
    target: Path, *, overwrite: bool = False, inputs: Sequence[Path] = (), companions: Sequence[Path] = ()
) -> None:
    """Refuse outputs that could not be published, before any work is done for them.

    What killed runs left in the outputs' folders is removed on the way.

    Raises:
        TargetError: An output exists and `overwrite` is not set, is an input, another output or a symbolic link.
        FileError: An output's folder is missing or not writable, or the output is something else than a file.
    """
    examine([target, *companions], overwrite=overwrite, inputs=inputs)


def publish(
    target: Path,
    write: Callable[[BinaryIO], object],
    verify: Callable[[BinaryIO], V],
    *,
    companions: Sequence[Companion[V]] = (),
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
) -> V:
    r"""What `verify` found in the bytes that `write` wrote, once they bear the name `target`.

    Whatever is raised, by either function or by Ctrl-C, leaves every file as it was before; only
    `DurabilityError`, or an interrupt in the instant after the last step, finds everything in place.

    Args:
        target: Where the release goes.
        write: Writes the release to the open file it is given.
        verify: Judges the written bytes from their start, and raises to stop everything.
        companions: Files that describe the release.
        overwrite: Replace what is at `target` and at the companions' paths; its permissions are kept.
        inputs: Files that no output may replace.

    Raises:
        TargetError: As `check_target`, or an output was changed by another run meanwhile.
        FileError: As `check_target`, or the system failed to create, write, read or name a file.
        DurabilityError: Everything is in place, but the disk did not confirm it.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> def count_lines(file):
    ...     return len(file.readlines())
    >>> with TemporaryDirectory() as folder:
    ...     release, note = Path(folder, "release.csv"), Path(folder, "note.txt")
    ...     certificate = Companion(note, lambda lines: f"{lines} lines".encode())
    ...     publish(release, lambda file: file.write(b"age\n[20-29]\n"), count_lines, companions=[certificate])
    ...     note.read_text()
    2
    '2 lines'
    """
    paths = [target, *(companion.path for companion in companions)]
    places = examine(paths, overwrite=overwrite, inputs=inputs)
    with ExitStack() as stack:
        release, *others = [stack.enter_context(open_temporary(place)) for place in places]
        release.fill(write)
        with reporting("reading back", target), release.reading() as file:
            verdict = verify(file)
        for companion, output in zip(companions, others, strict=True):
            output.fill(methodcaller("write", companion.content(verdict)))
        with reporting("moving into place", target):
            commit([release, *others], where=str(release.place.path))
    return verdict


def commit(outputs: Sequence[Output], *, where: str, beyond: tuple[Step, Step] | None = None) -> None:
    """Give every output its name, or none.

    Before each step its inverse is noted. An inverse looks at the files rather than at what was noted, so that it
    is right even where an interrupt fell between the two; and should one fail, those after it are left alone,
    because each keeps the promise of the order only when the ones before it were done. What is left undone then, or by
    a kill, the next run takes back by the journal.

    Args:
        outputs: The release and the files that describe it.
        where: The release, for messages.
        beyond: Where the release is no file, the step by which it is there, and its inverse; all outputs describe it.
    """
    with ExitStack() as locks:
        folders = [locks.enter_context(locked(path)) for path in sorted({output.place.folder for output in outputs})]
        for output in outputs:
            output.place.demand_unchanged()
        entries = [output.entry() for output in outputs]
        record = _Record(Journal(entries), folders, where)
        _carry_out(_steps(outputs, entries, record.decide, beyond), record, locks)
        for output in outputs:
            output.forget()
    if record.failures:
        raise DurabilityError(
            "the release is in place, but the disk did not confirm that it will survive a power cut",
            where=where,
            hint=f"the system said: {reason(record.failures[0].errno)}",
        )


@dataclass(frozen=True, slots=True)
class _Record:
    """What the disk has of a commit."""

    journal: Journal
    folders: list[int | None]
    where: str
    failures: list[OSError] = field(default_factory=list[OSError])

    def confirm(self) -> None:
        self.failures.extend(error for error in map(_sync_failure, self.folders) if error)

    def begin(self, until: ExitStack) -> None:
        if self.journal.needed:
            self.journal.write(until)
            self.confirm()

    def decide(self) -> None:
        """From now on no other run takes back what was done."""
        if self.journal.needed:
            self.confirm()
            self.journal.remove()


def _carry_out(steps: list[tuple[Step, Step]], record: _Record, locks: ExitStack) -> None:
    inverses: list[Step] = []
    try:
        record.begin(locks)
        for step, inverse in steps:
            inverses.append(inverse)
            step()
        record.confirm()
    except BaseException as stopped:
        try:
            for inverse in reversed(inverses):
                inverse()
        except OSError as error:
            raise _left(error, record) from stopped
        record.journal.remove()
        raise


def _left(error: OSError, record: _Record) -> FileError:
    """What is told where a step failed, and then taking the others back: the disk is failing, as a rule."""
    told = "moving into place failed, and undoing it failed, too"
    if record.journal.needed:
        what = f"{told}; the files there may not belong together"
        hint = "the next kohort command in this folder undoes everything, once the system allows"
    else:
        what = f"{told}; the release may stand there, verified, but without its certificate"
        hint = "remove the release, or publish it again with --overwrite"
    return FileError(f"{what}: {reason(error.errno)}", where=record.where, hint=hint)


def _steps(
    outputs: Sequence[Output], entries: Sequence[Entry], decide: Step, beyond: tuple[Step, Step] | None
) -> list[tuple[Step, Step]]:
    """What a commit does, in order, each step with its inverse. What is `beyond` decides: no journal tells of it."""
    described = list(zip(outputs, entries, strict=True))
    companions = described if beyond else described[1:]
    arrive = [(output.exchange if entry.former else output.rename, entry.restore) for output, entry in described[:1]]
    decision = (decide, _nothing)
    return [
        *((output.withdraw, entry.restore) for output, entry in companions),
        *([beyond, decision] if beyond else arrive),
        *((output.rename, entry.retract) for output, entry in companions),
        *([] if beyond else [decision]),
    ]


def _nothing() -> None:
    """The inverse of what needs none."""


def _sync_failure(folder: int | None) -> OSError | None:
    """Why the disk did not confirm the names in a folder; None when it did, or no system call asks it to."""
    if folder is None:
        return None
    try:
        system.confirm(folder)
    except OSError as error:
        return error
    return None
