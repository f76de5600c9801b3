"""Temporary files that nobody sees until they get their names, and the targets that they are renamed to."""

from __future__ import annotations

import os
import re
import shutil
import stat
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from kohort import system
from kohort.errors import FileError, KohortError, TargetError, UnsupportedError
from kohort.publish.journal import Entry, settle, temporary, version
from kohort.system.disk import locked, refuse_name, reporting

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence
    from io import BufferedReader

#: How a path begins that was meant as an address, `s3://lake/page.html`; a drive of Windows has one letter.
_SCHEME: Final = re.compile("[a-z][a-z0-9]+:")


class Target(NamedTuple):
    """Where an output goes.

    Attributes:
        path: The output's path, its folder resolved.
        former: What stood there when the run began; None when nothing did.
    """

    path: Path
    former: os.stat_result | None

    @property
    def folder(self) -> Path:
        """The folder of the output."""
        return self.path.parent

    def demand_unchanged(self) -> None:
        """Refuse to go on when another run came first."""
        if version(_status(self.path)) != version(self.former):
            raise TargetError("the output was changed while this run worked", where=str(self.path), hint="run again")


def examine(paths: Iterable[Path], *, overwrite: bool, inputs: Sequence[Path]) -> list[Target]:
    """The place of every output, each one fit to be published to; the folders are swept on the way."""
    places: list[Target] = []
    standing: list[Path] = []
    for path in paths:
        with reporting("looking at the output", path):
            place = place_of(path)
            _refuse_kind(place)
            _refuse_input(place, inputs)
        if any(place.path == other.path for other in places):
            raise TargetError("two outputs have the same path", where=str(path), hint="name another file")
        places.append(place)
        standing += [path] if place.former else []
    if standing and not overwrite:
        alone = len(places) > 1 and len(standing) == 1 and bool(places[0].former)
        what = f"the output exists{', without its certificate or report: a run may have been stopped' * alone}"
        hint = "name another, or add --overwrite (in Python overwrite=True)"
        raise TargetError(what, where=str(standing[0]), hint=hint)
    return places


def place_of(path: Path) -> Target:
    """The place of `path`, its folder usable and cleared of what dead runs left."""
    refuse_name(path)
    if not path.parent.is_dir():
        if _SCHEME.fullmatch(path.parts[0]):
            what = "only the release of a table can be written to an address"
            raise UnsupportedError(what, hint="write a local file, and upload it")
        raise FileError("the output's folder does not exist", where=str(path.parent), hint="create the folder first")
    folder = path.parent.resolve()
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise FileError("the output's folder cannot be read and written", where=str(folder), hint="name another folder")
    sweep(folder)
    return Target(folder / path.name, _status(folder / path.name))


def _refuse_kind(place: Target) -> None:
    mode = place.former.st_mode if place.former else stat.S_IFREG
    if stat.S_ISLNK(mode):
        # Following it would write to a folder nobody named; replacing it would leave the file it names as it is.
        raise TargetError("the output is a symbolic link", where=str(place.path), hint="name the file it points to")
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise FileError(f"the output is {kind}", where=str(place.path), hint="name a file")


def _refuse_input(place: Target, inputs: Sequence[Path]) -> None:
    if any(_is_at(place, source) for source in inputs):
        raise TargetError("the output is an input of the same run", where=str(place.path), hint="name another file")


def _is_at(place: Target, source: Path) -> bool:
    """Whether an input lies there; one that cannot be looked at is told of where it is read."""
    with suppress(OSError):
        if os.path.realpath(source) == str(place.path):
            return True
        return place.former is not None and os.path.samestat(source.stat(), place.former)
    return False


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


class TemporaryFile(NamedTuple):
    """An open file in the folder of its place, bearing no name or a temporary one.

    Attributes:
        place: Where it goes.
        fd: The open file,
        opened: until this is closed.
        named: Whether it bears `name` from the start, because the system has no unnamed files.
        name: Its temporary name.
        kept: The temporary name of the file it replaces, until nothing can fail any more.
    """

    place: Target
    fd: int
    opened: ExitStack
    named: bool
    name: Path
    kept: Path

    def fill(self, write: Callable[[BinaryIO], object]) -> None:
        """Let `write` write the file, and the disk confirm it."""
        with reporting("writing", self.place.path):
            with os.fdopen(self.fd, "wb", closefd=False) as file:
                write(file)
            system.confirm(self.fd)

    @contextmanager
    def reading(self) -> Generator[BufferedReader]:
        """The same open file from its start, for reading."""
        with os.fdopen(self.fd, "rb", closefd=False) as file:
            file.seek(0)
            yield file

    def rename(self) -> None:
        """Take the place's name, which is free."""
        self._settle()
        try:
            self._link(self.place.path)
        except FileExistsError:
            raise TargetError("another run was first", where=str(self.place.path), hint="name another file") from None
        except OSError as error:
            if not self.named or error.errno not in system.NO_LINKS:
                raise
            self.name.rename(self.place.path)

    def exchange(self) -> None:
        """Take the place's name from the former file in one step, keeping that file within reach."""
        self._settle()
        if not self.named:
            self._link(self.name)
        try:
            system.link(self.kept, self.place.path)
        except OSError as error:
            if error.errno not in system.NO_LINKS:
                raise
            self.withdraw()  # two steps then, with no file at the place between them
        self.name.replace(self.place.path)

    def withdraw(self) -> None:
        """Take the former file away, within reach."""
        if self.place.former:
            self.place.path.rename(self.kept)

    def entry(self) -> Entry:
        """The name that it takes, and how that is taken back."""
        return Entry(self.place.path, self.kept, self.name, version(self.place.former), version(os.fstat(self.fd)))

    def forget(self) -> None:
        """Let the former file go."""
        if self.place.former:
            _remove(self.kept)

    def _link(self, path: Path) -> None:
        if self.named:
            system.link(path, self.name)
        else:
            system.name_unnamed(self.fd, path)

    def _settle(self) -> None:
        """Set the permissions of the former file, or of any new file; from now on the file can be renamed."""
        if self.place.former:
            system.set_mode(self.fd, stat.S_IMODE(self.place.former.st_mode) & 0o777)
        elif self.named:
            system.set_mode(self.fd, None)
        if not system.POSIX:
            self.opened.close()


@contextmanager
def open_temporary(place: Target) -> Generator[TemporaryFile]:
    """A new temporary file, of which nothing remains at the end but what was published."""
    name, kept = temporary(place.folder), temporary(place.folder)
    with ExitStack() as end:
        end.callback(_remove, name)  # before the name exists, lest an interrupt come between
        opened = end.enter_context(ExitStack())
        with reporting("creating a file", place.path):
            unnamed = system.open_unnamed(place.folder)
            fd = _open_named(name) if unnamed is None else unnamed
            opened.callback(os.close, fd)
        yield TemporaryFile(place, fd, opened, unnamed is None, name, kept)


def _open_named(name: Path) -> int:
    """A new file only its owner may open, locked while it is open: the mark of a run that lives."""
    while True:
        fd = os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | system.CAREFUL, 0o600)
        with suppress(OSError):  # without locks, no other run can hold it for a dead one's either
            system.lock(fd, wait=True)
        if os.fstat(fd).st_nlink:
            return fd
        os.close(fd)  # swept away by another run before it was locked


def _remove(name: Path) -> None:
    """Remove a temporary name, if it exists; what cannot be removed now, the next run removes."""
    with suppress(OSError):
        name.unlink()


@contextmanager
def private_folder(near: Path) -> Generator[Path]:
    """A folder in another one, for its owner only and for some time.

    Should this process die, the next run in that place removes it: nobody has locked it then.
    """
    folder, fd = _private(near)
    try:
        yield folder
    finally:
        remove_private(folder, fd)


def sweep(folder: Path) -> None:
    """Take back what dead runs began to replace in a folder, and remove the temporary names that they left.

    A living run locks its file that bears a temporary name, or holds the folder's lock as long as one does.
    """
    settle(folder)
    with locked(folder):
        for path in folder.iterdir():
            if system.TEMPORARY.fullmatch(path.name):
                with suppress(OSError):  # it lives, is another user's, or is gone
                    _remove_dead(path)


def _remove_dead(path: Path) -> None:
    """Remove a temporary file or folder; `OSError` when its run lives, or nobody can tell."""
    fd = os.open(path, os.O_RDONLY | system.CAREFUL | system.AT_ONCE)
    try:
        system.lock(fd, shared=True)
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            path.unlink()
        elif system.is_ours(fd):
            shutil.rmtree(path)
    finally:
        os.close(fd)


def open_private(parent: Path) -> tuple[Path, int | None]:
    """A new folder for its owner only, and itself opened and locked: so nobody takes it for a dead run's.

    What dead runs left there goes first. The folder has another name before it is locked, by which nobody removes it.
    """
    with suppress(KohortError, OSError):  # it is in nobody's way
        sweep(parent)
    return _private(parent)


def _private(parent: Path) -> tuple[Path, int | None]:
    """The same, without a look at what others left."""
    with reporting("creating a folder", parent):
        made, folder = Path(mkdtemp(prefix="kohort-", dir=parent)), temporary(parent)
        fd = system.open_folder(made)
        if fd is not None:
            with suppress(OSError):  # without locks, nobody removes it at all
                system.lock(fd)
        made.rename(folder)
        return folder, fd


def remove_private(folder: Path, fd: int | None) -> None:
    """Remove such a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    if fd is not None:
        os.close(fd)
