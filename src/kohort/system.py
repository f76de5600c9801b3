"""What operating systems differ in. This is the one module that asks what a system has, and each answer has a way on.

| | Linux | macOS | Windows |
|---|---|---|---|
| files without a name | yes | a temporary name, for the owner only | a temporary name |
| locks between runs, and the removal of what killed runs left | yes | yes | no: who is second fails |
| an open file can be renamed | yes | yes | no: it is closed between verification and its name |
| the disk confirms a file, and its name | yes, yes | yes, yes | yes, no |
| modes that say who may read a file | yes | yes | no |
| room on disk is promised before it is written to | yes | it is filled with zeros | likewise |
| memory that was freed is given back when asked for | yes, with glibc | no | no |
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import secrets
import shutil
from pathlib import Path
from typing import BinaryIO, Final

try:
    import fcntl
except ImportError:  # pragma: no cover  Windows; tests/faults/test_systems.py takes it away in another process
    fcntl = None  # type: ignore[assignment]

#: Whether files have an owner and a mode, and an open file can be renamed and removed.
POSIX: Final = hasattr(os, "geteuid")

#: Flags of `open` that keep a descriptor to this process, its bytes as they are, and links from being followed.
CAREFUL: Final = sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NOINHERIT", "O_BINARY", "O_NOFOLLOW"))

#: The flag of `open` by which nobody waits for whoever writes to a pipe.
AT_ONCE: Final = getattr(os, "O_NONBLOCK", 0)

#: Where Linux lends an open file a path, by which a file without a name can be linked.
_DESCRIPTORS: Final = Path("/proc/self/fd")

#: How `open` says that a file system or an old kernel has no unnamed files.
_NO_UNNAMED: Final = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL})

#: How `link` says that a file system has no hard links, or that the system allows none to files of others.
NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})

#: The C library of this process; Windows has none by that name.
_C: Final = ctypes.CDLL(None) if POSIX else None


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def open_folder(folder: Path) -> int | None:
    """An open folder, to be locked and confirmed; `None` where folders cannot be opened."""
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY) if hasattr(os, "O_DIRECTORY") else None


def lock(fd: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file or folder against other runs, until it is closed.

    Raises:
        BlockingIOError: Another run has locked it, and `wait` is not set.
        OSError: This file system or this system has no locks.
    """
    if fcntl is None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def confirm(fd: int) -> None:
    """Wait until the disk has what was written to an open file, or the names in an open folder."""
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:  # macOS: there, fsync does not reach beyond the disk's own memory
        try:
            fcntl.fcntl(fd, full)  # pyright: ignore[reportOptionalMemberAccess]  only a module has it
        except OSError:  # a file system without it
            os.fsync(fd)
    else:
        os.fsync(fd)


def open_unnamed(folder: Path) -> int | None:
    """A new file without a name; `None` where there is no such thing.

    It has its final permissions from the start: without a name, nobody else can open it.
    """
    if not hasattr(os, "O_TMPFILE") or not _DESCRIPTORS.is_dir():
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except OSError as error:
        if error.errno not in _NO_UNNAMED:
            raise
        return None


def name_unnamed(fd: int, path: Path) -> None:
    """Give an open file without a name one. `src_dir_fd` makes Python call linkat, which follows /proc to the file."""
    os.link(_DESCRIPTORS / str(fd), path, src_dir_fd=fd, follow_symlinks=True)


def link(path: Path, target: Path) -> None:
    """Give the file at `target` one more name: `path`.

    Raises:
        FileExistsError: Something is there.
        OSError: One of `NO_LINKS` where there are no hard links.
    """
    if not hasattr(os, "link"):
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    path.hardlink_to(target)


def move(path: Path, target: Path) -> None:
    """Rename a file to a name that is free; without hard links, another program may take that name in the same instant.

    Raises:
        FileExistsError: The name is not free.
    """
    try:
        link(target, path)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        path.rename(target)
    else:
        path.unlink()


def set_mode(fd: int, mode: int | None) -> None:
    """Set who may read an open file: `mode`, or as for any new file; nothing where files have no modes."""
    if not POSIX:
        return
    if mode is None:
        umask = os.umask(0o077)  # it can only be read by setting it: to something strict for that moment
        os.umask(umask)
        mode = 0o666 & ~umask
    os.fchmod(fd, mode)


def mapped(file: BinaryIO) -> bytes | mmap.mmap:
    """The bytes of an open file, left on disk until they are read, where that can be.

    Where an open file cannot be renamed, a mapped one cannot either: there they are read.
    """
    if POSIX:
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):  # no file of the system, or one without a byte
            pass
    return file.read()


def spilled(folder: Path, size: int) -> mmap.mmap:
    """So many bytes of a new file in a folder, to be read and written as memory that the system may put to disk.

    The file is this process's alone. It has no name and is gone with the last use of its memory, however the process
    ends; where there are no such files it has one for an instant, while it is empty. Its room is on the disk before it
    is written to: there is no later way to say that the disk is full.

    Raises:
        OSError: The folder or the disk has no room for it.
    """
    fd = _open_spilled(folder)
    try:
        _reserve(fd, size)
        return mmap.mmap(fd, size)
    finally:
        os.close(fd)


def _open_spilled(folder: Path) -> int:
    """A new file without a name, for nobody else."""
    if hasattr(os, "O_TMPFILE"):
        try:
            return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
        except OSError as error:
            if error.errno not in _NO_UNNAMED:
                raise
    path = folder / f".kohort-{secrets.token_hex(16)}"
    gone = getattr(os, "O_TEMPORARY", 0)  # Windows: the file goes when it is closed
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | CAREFUL | gone, 0o600)
    if not gone:
        path.unlink()
    return fd


def _reserve(fd: int, size: int) -> None:
    """Make an empty file so large, on the disk."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, size)
        return
    zeros = bytes(1 << 20)
    while size > 0:
        size -= os.write(fd, zeros[:size])


def free(folder: Path) -> int:
    """The bytes that a folder's disk has left for this user.

    Raises:
        OSError: There is no such folder.
    """
    return shutil.disk_usage(folder).free


def let_go(content: object, start: int, length: int) -> None:
    """Tell the system that bytes of mapped content, from `start` on, are no longer needed in memory."""
    if isinstance(content, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        content.madvise(mmap.MADV_DONTNEED, start, length)


def give_back() -> None:
    """Give the system the memory that was freed and that the C library keeps for later; nothing where it cannot."""
    trim = getattr(_C, "malloc_trim", None)
    if trim is not None:
        trim(0)
