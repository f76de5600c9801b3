"""Publish a release of several parts: a folder, verified under a name nobody looks for, and there in one step.

    write the parts  ─►  verify them  ─►  certificate  ─►  manifest  ─►  one rename

The folder is made beside its target, for its owner only, and locked while its run lives; what a dead run leaves, the
next one in that place removes. With `overwrite` the new folder and the former one exchange their names in one step;
where the system has no such step, the journal of the commit (see `journal`) holds for two.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from operator import methodcaller
from typing import TYPE_CHECKING, Final, TypeVar

from kohort import system
from kohort.errors import FileError, TargetError
from kohort.io.manifest import CERTIFICATE, MANIFEST, ListedPart, Manifest, has_manifest, read_manifest
from kohort.publish.commit import commit
from kohort.publish.files import Target, examine, open_temporary, place_of
from kohort.publish.journal import Entry, standing, temporary, version
from kohort.system.disk import locked, reporting

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    from kohort.io.manifest import WrittenPart
    from kohort.publish.commit import Companion

V = TypeVar("V")

#: How a rename says that something stands at the name.
_TAKEN: Final = frozenset({errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR})


def check_folder(
    target: Path, *, overwrite: bool, inputs: Sequence[Path] = (), companions: Sequence[Path] = ()
) -> None:
    """Refuse a folder that could not be published, before any work is done for it.

    Raises:
        TargetError: it exists (and `overwrite` is not set), holds other files than a release, is an input or holds one,
            or a companion is in the way.
        FileError: its parent is missing or not writable.
    """
    _examined(target, overwrite=overwrite, inputs=inputs)
    examine(companions, overwrite=overwrite, inputs=inputs)


def publish_folder(
    target: Path,
    write: Callable[[Path], Sequence[WrittenPart]],
    verify: Callable[[Sequence[WrittenPart]], V],
    certify: Callable[[V], bytes],
    *,
    format_: str,
    separator: str,
    overwrite: bool,
    companions: Sequence[Companion[V]] = (),
    inputs: Sequence[Path] = (),
) -> V:
    r"""What `verify` found in the parts that `write` wrote, once they are the folder `target`.

    Whatever is raised leaves every file as it was before; only `DurabilityError`, or an interrupt in the instant after
    the last step, finds everything in place.

    Args:
        target: The folder.
        write: Writes the parts, and nothing else, into the folder it is given, which is empty; returns them in the
            order of their records, called as `kohort.io.manifest.part_name` says.
        verify: Judges the written parts, in this order, and raises to stop everything.
        certify: The certificate of what was found; it becomes a file of the folder.
        format_: The format of the parts.
        separator: Between cells of CSV.
        overwrite: Replace a release that is at `target`, and what is at the companions' paths.
        companions: Files outside the folder that describe the release.
        inputs: Files that no output may replace.

    Raises:
        TargetError: as `check_folder`, or an output was changed by another run meanwhile.
        FileError: the system failed to create, write, read or name a file.
        DurabilityError: everything is in place, but the disk did not confirm it.

    >>> from kohort.io.manifest import WrittenPart, part_name
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> def write(folder):
    ...     paths = [folder / part_name(place, "csv") for place in range(2)]
    ...     return [WrittenPart(path, path.write_text("age\n[20-29]\n") // 12) for path in paths]
    >>> with TemporaryDirectory() as folder:
    ...     form = {"format_": "csv", "separator": ","}
    ...     publish_folder(Path(folder, "release"), write, len, lambda parts: b"{}", **form, overwrite=False)
    ...     sorted(path.name for path in Path(folder, "release").iterdir())
    2
    ['certificate.json', 'manifest.json', 'part-00000.csv', 'part-00001.csv']
    """
    place = _examined(target, overwrite=overwrite, inputs=inputs)
    places = examine((companion.path for companion in companions), overwrite=overwrite, inputs=inputs)
    with ExitStack() as stack:
        release = stack.enter_context(_open_staged(place))
        others = [stack.enter_context(open_temporary(one)) for one in places]
        verdict, listed = fill(release.name, write, verify, certify, where=place.path)
        with reporting("writing", place.path):
            (release.name / MANIFEST).write_bytes(Manifest(format_, separator, listed).encode())
            release.confirm()
        for companion, output in zip(companions, others, strict=True):
            output.fill(methodcaller("write", companion.content(verdict)))
        with reporting("moving into place", place.path):
            commit([release, *others], where=str(place.path))
    return verdict


def fill(
    folder: Path,
    write: Callable[[Path], Sequence[WrittenPart]],
    verify: Callable[[Sequence[WrittenPart]], V],
    certify: Callable[[V], bytes],
    *,
    where: Path,
) -> tuple[V, tuple[ListedPart, ...]]:
    """Write the parts into a folder that is empty, verify them, and write their certificate beside them."""
    with reporting("writing", where):
        parts = write(folder)
        listed = tuple(map(ListedPart.of, parts))
        _refuse_others(folder, listed, where)
    with reporting("reading back", where):
        verdict = verify(parts)
    with reporting("writing", where):
        (folder / CERTIFICATE).write_bytes(certify(verdict))
    return verdict, listed


def _refuse_others(folder: Path, listed: Sequence[ListedPart], where: Path) -> None:
    names = [part.name for part in listed]
    if names != sorted(path.name for path in folder.iterdir()):
        what = "the parts in the folder are not those that were written, or in another order"
        raise FileError(what, where=str(where), hint="nothing was published; please report this")


def _examined(target: Path, *, overwrite: bool, inputs: Sequence[Path]) -> Target:
    with reporting("looking at the output", target):
        place = place_of(target)
        if place.former is None:
            return place
        where = str(place.path)
        if stat.S_ISLNK(place.former.st_mode):
            raise TargetError("the output is a symbolic link", where=where, hint="name the folder behind the link")
        if not stat.S_ISDIR(place.former.st_mode):
            raise TargetError("the output is a file, not a folder", where=where, hint="leave out the last /")
        for source in inputs:
            if os.path.realpath(source) == where or os.path.realpath(source).startswith(f"{where}{os.sep}"):
                raise TargetError("the output is an input of the same run", where=where, hint="name another folder")
        if not any(place.path.iterdir()):
            return place
        if not _is_release(place.path):
            hint = "name a new or an empty folder"
            raise TargetError("the folder holds other files than a release of parts", where=where, hint=hint)
        if not overwrite:
            hint = "name another, or add --overwrite (in Python overwrite=True)"
            raise TargetError("the output exists", where=where, hint=hint)
        return place


def _is_release(folder: Path) -> bool:
    if not has_manifest(folder):
        return False
    known = {part.name for part in read_manifest(folder).parts}
    return {path.name for path in folder.iterdir()} <= {*known, MANIFEST, CERTIFICATE}


@dataclass(frozen=True, slots=True)
class StagedFolder:
    """A folder that is made beside its place.

    Attributes:
        place: Where it goes.
        fd: The open folder; `None` where folders cannot be opened.
        name: Its temporary name; once the folders were exchanged, that of the former one.
        kept: The temporary name of the former one, where they cannot be exchanged.
    """

    place: Target
    fd: int | None
    name: Path
    kept: Path

    def confirm(self) -> None:
        """Wait until the disk has every file, and its name."""
        for path in sorted(self.name.iterdir()):
            with path.open("rb+") as file:
                system.confirm(file.fileno())
        if self.fd is not None:
            system.confirm(self.fd)

    def entry(self) -> Entry:
        """The name that it takes, and how that is taken back."""
        former = version(self.place.former)
        return Entry(self.place.path, self.kept, self.name, former, standing(self.name), folder=True)

    def rename(self) -> None:
        """Take the place's name, which is free."""
        self._settle()
        try:
            self.name.rename(self.place.path)
        except OSError as error:
            if error.errno in _TAKEN:
                what = "another run was first"
                raise TargetError(what, where=str(self.place.path), hint="name another folder") from None
            raise

    def exchange(self) -> None:
        """Take the place's name from the former folder, in one step where there is one."""
        self._settle()
        try:
            system.exchange(self.name, self.place.path)
        except OSError as error:
            if error.errno not in system.NO_EXCHANGE:
                raise
            self.withdraw()
            self.name.rename(self.place.path)

    def withdraw(self) -> None:
        """Take the former folder away, within reach."""
        self.place.path.rename(self.kept)

    def forget(self) -> None:
        """Let the former folder go: what cannot be removed now, the next run removes."""
        for path in self.name, self.kept:
            with suppress(OSError):
                shutil.rmtree(path)

    def _settle(self) -> None:
        if self.fd is not None:
            former = self.place.former
            system.set_mode(self.fd, stat.S_IMODE(former.st_mode) & 0o777 if former else None, folder=True)


@contextmanager
def _open_staged(place: Target) -> Generator[StagedFolder]:
    """A new folder beside a place, of which nothing remains at the end but what was published."""
    name, kept = temporary(place.folder), temporary(place.folder)
    with ExitStack() as end:
        numbers: list[int] = []
        end.callback(_remove_made, name, numbers)  # before the name exists, lest an interrupt come between
        with reporting("creating a folder", place.path), locked(place.folder):  # until it is locked, nobody sweeps
            name.mkdir(0o700)
            numbers.append(name.lstat().st_ino)
            fd = system.open_folder(name)
            if fd is not None:
                end.callback(os.close, fd)
                with suppress(OSError):  # without locks, no other run can hold it for a dead one's either
                    system.lock(fd)
        yield StagedFolder(place, fd, name, kept)


def _remove_made(name: Path, numbers: Sequence[int]) -> None:
    """Remove a folder that was made under a name, unless another bears it now: the former one, that may come back."""
    with suppress(OSError):
        if not numbers:
            name.rmdir()
        elif name.lstat().st_ino == numbers[0]:
            shutil.rmtree(name)
