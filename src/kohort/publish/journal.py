"""The journal of a set of files that replaces another: what a run that died began is taken back by the next.

No file system names several files in one step. So before a run takes the first name from the files of a former
release, it writes down which names it will take, and by what each of the files, former and new, is known. The journal
lies beside the release, with a copy in each other folder of the set. It goes when all names are given, and with it the
way back. A run that finds the journal of a dead run takes everything back, by the same inverses that the dead run would
have used: they look at the files, so they are right wherever it died.

A journal is believed only if its owner runs kohort now, if each folder of the set has a copy of it, and if nothing else
stands at a name of the set meanwhile. A folder that came with somebody's archive may hold anything, as its owner's: a
journal in it moves nothing in any other folder.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias, cast

from kohort import system
from kohort.errors import KohortError, SourceNote
from kohort.system.disk import locked, reporting

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

#: By what a file or folder is known, whatever names it bears: its number, size and time; nothing of what is not there.
Version: TypeAlias = tuple[int, ...]

#: Bytes of a journal that are read: one of a set of a few names is far shorter.
_LONGEST: Final = 1 << 20

_JOURNAL: Final = re.compile(system.TEMPORARY.pattern + r"\.journal")


def temporary(folder: Path) -> Path:
    """A new temporary name in a folder."""
    return folder / system.temporary_name()


def version(status: os.stat_result | None) -> Version:
    """By what a file or folder is known."""
    return (status.st_ino, status.st_size, status.st_mtime_ns) if status else ()


def standing(path: Path) -> Version:
    """By what is known what stands at a path, a link itself and not what it leads to."""
    try:
        return version(path.lstat())
    except FileNotFoundError:
        return ()


class Entry(NamedTuple):
    """A name that goes from something former to something new.

    Attributes:
        path: The name.
        kept: The temporary name of what stood there, while it may come back.
        name: The temporary name of what is new, if it bears one.
        former: By what is known what stood there; nothing where nothing did.
        new: By what is known what is new.
        folder: Whether both are folders.
    """

    path: Path
    kept: Path
    name: Path
    former: Version
    new: Version
    folder: bool = False

    @property
    def untouched(self) -> bool:
        """Whether nobody else gave the name to anything."""
        return standing(self.path) in {(), self.former, self.new}

    def retract(self) -> None:
        """Give the name up, if what is new bears it."""
        if standing(self.path) != self.new:
            return
        if self.folder:
            self.path.rename(self.name)
        else:
            self.path.unlink()

    def restore(self) -> None:
        """Give the name back to what stood there, however far things went."""
        if not self.former:
            self.retract()
        elif self.folder:
            self._restore_folder()
        else:
            with suppress(FileNotFoundError):
                self.kept.replace(self.path)
                self.kept.unlink()  # where both are names of one file, replacing leaves both

    def _restore_folder(self) -> None:
        """The same of a folder, which cannot take the place of another in one step, but be exchanged with it."""
        if standing(self.name) == self.former:
            system.exchange(self.name, self.path)
            return
        self.retract()
        with suppress(FileNotFoundError):
            self.kept.rename(self.path)

    def described(self, folder: Path) -> dict[str, object]:
        """The entry, its paths relative to a folder."""
        paths = {key: os.path.relpath(getattr(self, key), folder) for key in ("path", "kept", "name")}
        return {**paths, "former": self.former, "new": self.new, "folder": self.folder}

    @classmethod
    def of(cls, described: dict[str, Any], folder: Path) -> Self:
        """The entry that was described; `LookupError`, `TypeError` or `ValueError` where it is none."""
        path, kept, name = (Path(os.path.normpath(folder / described[key])) for key in ("path", "kept", "name"))
        if not (system.TEMPORARY.fullmatch(kept.name) and system.TEMPORARY.fullmatch(name.name)):
            raise ValueError(described)
        if not kept.parent == name.parent == path.parent:
            raise ValueError(described)
        former, new = (tuple(map(int, described[key])) for key in ("former", "new"))
        return cls(path, kept, name, former, new, bool(described["folder"]))


class Journal:
    """What is written down of a set while its names change; nothing where the set replaces nothing."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        """Nothing is written yet."""
        self._entries = entries
        name = f"{system.temporary_name()}.journal"
        folders = list(dict.fromkeys(entry.path.parent for entry in entries))
        #: The journal, beside the first file of the set, and its copies.
        self._paths = [folder / name for folder in folders]
        #: Whether one is kept. Where files have no owner, nobody could believe it.
        self.needed = system.POSIX and any(entry.former for entry in entries)

    def write(self, until: ExitStack) -> None:
        """Write it down on the disk; it is locked until the end of `until`: the mark of a run that lives."""
        for path in self._paths:
            fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | system.CAREFUL, 0o600)
            until.callback(os.close, fd)
            with suppress(OSError):  # where there are no locks, no other run believes it
                system.lock(fd)
            outputs = [entry.described(path.parent) for entry in self._entries]
            described = {"journal": os.path.relpath(self._paths[0], path.parent), "outputs": outputs}
            with os.fdopen(fd, "wb", closefd=False) as file:
                file.write(json.dumps(described).encode())
            system.confirm(fd)

    def remove(self) -> None:
        """Let it go: the set is there, or as it was. Without the first one the copies mean nothing."""
        for path in self._paths if self.needed else ():
            path.unlink(missing_ok=True)


class _Found(NamedTuple):
    """A journal that was found."""

    journal: Path
    entries: tuple[Entry, ...]

    @property
    def folders(self) -> list[Path]:
        """The folders of the set, as far as they are there."""
        return sorted({folder for entry in self.entries if (folder := entry.path.parent).is_dir()})

    @property
    def complete(self) -> bool:
        """Whether each folder of the set has a copy; without all of them no name has moved, or it was decided."""
        folders = self.folders
        return self.journal.parent in folders and all(map(_is_there, (one / self.journal.name for one in folders)))

    def take_back(self) -> None:
        """Let everything be as it was before the run that wrote it."""
        if self.journal.exists() and all(entry.untouched for entry in self.entries):
            for entry in self.entries[1:]:
                entry.retract()
            for entry in self.entries:
                entry.restore()
        self.journal.unlink(missing_ok=True)


def settle(folder: Path) -> None:
    """Take back what dead runs began to replace in a folder."""
    for path in _journals(folder):
        with ExitStack() as stack:
            try:
                fd = stack.enter_context(_opened(path))
                system.lock(fd, shared=True)
            except OSError:  # its run lives, it is another user's, or gone
                continue
            if not system.is_ours(fd):  # it names files that will be moved
                continue
            with reporting("taking back what a run that died began", path):
                found = _read(fd, path)
                folders = [path.parent] if found is None else found.folders
                for one in folders:
                    stack.enter_context(locked(one))
                if found is not None:
                    found.take_back()
                for one in folders:
                    (one / path.name).unlink(missing_ok=True)


def settle_for_reading(source: str | os.PathLike[str]) -> None:
    """Take back what a dead run began to replace where somebody reads; a `SourceNote` where that is not done."""
    path = Path(source)
    with suppress(KohortError, OSError):  # what is there can still be read
        settle(path.parent)
    left = list[Path]()
    with suppress(OSError):
        left = _journals(path.parent)
    if any(_tells_of(journal, path) for journal in left):
        what = "a run is replacing files here, or died while doing so; the files may not belong together"
        warnings.warn(SourceNote(f"{path}: {what}"), stacklevel=2)


def _tells_of(journal: Path, path: Path) -> bool:
    """Whether a journal that is left is one of a path, or may be."""
    try:
        with _opened(journal) as fd:
            found = _read(fd, journal)
    except OSError as failed:  # another user's, or gone: then its run is over
        return not isinstance(failed, FileNotFoundError)
    return found is None or any(entry.path.name == path.name for entry in found.entries)


def _journals(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if _JOURNAL.fullmatch(path.name))


@contextmanager
def _opened(path: Path) -> Generator[int]:
    """A file that claims to be a journal, opened without following links or waiting for whoever writes to it."""
    fd = os.open(path, os.O_RDONLY | system.CAREFUL | system.AT_ONCE)
    try:
        yield fd
    finally:
        os.close(fd)


def _is_there(copy: Path) -> bool:
    try:
        with _opened(copy) as fd:
            return system.is_ours(fd)
    except OSError:
        return False


def _read(fd: int, path: Path) -> _Found | None:
    """What a journal says; `None` of one that moves nothing: cut short, of other names, or without its copies."""
    with os.fdopen(fd, "rb", closefd=False) as file:
        text = file.read(_LONGEST)
    try:
        described = cast("dict[str, Any]", json.loads(text))
        entries = tuple(Entry.of(one, path.parent) for one in described["outputs"])
        found = _Found(Path(os.path.normpath(path.parent / described["journal"])), entries)
        believed = found.journal.name == path.name and found.complete
    except (ArithmeticError, LookupError, OSError, RecursionError, TypeError, ValueError):
        return None
    return found if believed else None
