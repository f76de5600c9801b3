"""Publish a release: every byte verified before anyone can see it, and all of its files or none.

A file is written under no name at all, fsynced, verified and only then given its name: what is published is
the very inode that was verified. A run that dies before leaves nothing, because a file without a name ends
with its process. Where the system has no unnamed files, a temporary name only its owner may open takes their
place; what a killed run leaves of those, the next run in the folder removes.

A release comes with companions: its certificate, perhaps a report. No file system names several files in
one step, so the order carries the promise:

    old companions leave  ─►  the release takes its name  ─►  new companions arrive

At every instant the target is the old release, the new one or (when there was no old one) absent, never
a mixture, and a companion lies only beside the release it describes. A release without its certificate
belongs to a run that did not finish. Whatever goes wrong in between, short of a kill, is taken back.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from operator import methodcaller
from typing import TYPE_CHECKING, BinaryIO, Generic, TypeAlias, TypeVar

from kohort import system
from kohort.errors import DurabilityError
from kohort.publish.disk import locked, reason, reporting
from kohort.publish.files import TemporaryFile, examine, open_temporary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


V = TypeVar("V")

#: A step of a commit, or its inverse.
Step: TypeAlias = "Callable[[], None]"


@dataclass(frozen=True, slots=True)
class Companion(Generic[V]):
    """A file that is published with a release, or not at all.

    Attributes:
        path: Where it goes.
        content: Its bytes, from what `verify` returned.
    """

    path: Path
    content: Callable[[V], bytes]


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
        arrive = release.exchange if release.place.former else release.rename
        with reporting("moving into place", target):
            commit((arrive, release.restore), others, [release, *others], where=str(release.place.path))
    return verdict


def commit(
    arrival: tuple[Step, Step], companions: Sequence[TemporaryFile], outputs: Sequence[TemporaryFile], *, where: str
) -> None:
    """Let a release arrive and give every file its name, or neither.

    Before each step its inverse is noted. An inverse looks at the files rather than at what was noted, so that it
    is right even where an interrupt fell between the two; and should one fail, those after it are left alone,
    because each keeps the promise of the order only when the ones before it were done.

    Args:
        arrival: The step by which the release is there, and its inverse.
        companions: The files that describe it.
        outputs: All files, the release among them where it is one.
        where: The release, for messages.

    Raises:
        DurabilityError: Everything is in place, but the disk did not confirm it.
    """
    inverses: list[Callable[[], None]] = []
    with ExitStack() as locks:
        folders = [locks.enter_context(locked(path)) for path in sorted({output.place.folder for output in outputs})]
        for output in outputs:
            output.place.demand_unchanged()
        try:
            for step, inverse in _steps(arrival, companions):
                inverses.append(inverse)
                step()
            failures = [error for error in map(_sync_failure, folders) if error]
        except BaseException:
            for inverse in reversed(inverses):
                inverse()
            raise
        for output in outputs:
            output.forget()
    if failures:
        raise DurabilityError(
            "the release is in place, but the disk did not confirm that it will survive a power cut",
            where=where,
            hint=f"the system said: {reason(failures[0].errno)}",
        )


def _steps(arrival: tuple[Step, Step], companions: Sequence[TemporaryFile]) -> list[tuple[Step, Step]]:
    """What a commit does, in order, each step with its inverse."""
    return [
        *((companion.withdraw, companion.restore) for companion in companions),
        arrival,
        *((companion.rename, companion.retract) for companion in companions),
    ]


def _sync_failure(folder: int | None) -> OSError | None:
    """Why the disk did not confirm the names in a folder; None when it did, or no system call asks it to."""
    if folder is None:
        return None
    try:
        system.confirm(folder)
    except OSError as error:
        return error
    return None
