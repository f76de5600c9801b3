"""What operating systems differ in. This is the one module that asks what a system has, and each answer has a way on.

| | Linux | macOS | Windows |
|---|---|---|---|
| files without a name | yes | a temporary name, for the owner only | a temporary name |
| locks between runs, and the removal of what killed runs left | yes | yes | no: who is second fails |
| an open file can be renamed | yes | yes | no: it is closed between verification and its name |
| the disk confirms a file, and its name | yes, yes | yes, yes | yes, no |
| modes that say who may read a file | yes | yes | no |
| two folders exchange their names in one step | yes | yes | no: one after the other |
| room on disk is promised before it is written to | yes | it is filled with zeros | likewise |
| a mapped file that somebody cuts short reads as zeros | yes | no: it ends the process | it cannot be cut |
| memory that was freed is given back when asked for | yes, with glibc | no | no |
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import re
import shutil
import signal
import stat
import sys
import threading
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Final, NoReturn

from kohort.errors import MissingExtraError

try:
    import fcntl
except ImportError:  # pragma: no cover  Windows; tests/faults/test_systems.py takes it away in another process
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

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

#: How the exchange of two names says that a system or a file system has no such thing, or not of these folders.
NO_EXCHANGE: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EXDEV})

#: The flag of that call, the same on Linux and macOS, and its number of the current folder.
_EXCHANGE: Final = 2
_HERE: Final = -100 if sys.platform == "linux" else -2

#: How `link` says that a file system has no hard links, or that the system allows none to files of others.
NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})

#: The C library of this process; Windows has none by that name.
_C: Final = ctypes.CDLL(None) if POSIX else None


#: What a temporary name looks like. It tells nothing, neither of the output nor of the data.
TEMPORARY: Final = re.compile(r"\.kohort-[0-9a-f]{32}")


def user() -> int:
    """The number of the user with whose rights this process runs, where users have numbers."""
    return os.geteuid()


def temporary_name() -> str:
    """A name that nobody else has or guesses."""
    import secrets  # noqa: PLC0415  it loads OpenSSL, which help has no use for

    return f".kohort-{secrets.token_hex(16)}"


#: A number of threads has at most so many digits: what has thousands, Python refuses to read.
DIGITS: Final = 9


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


#: More threads than these are of no use, and thousands wait for one another, or take the memory.
MOST_THREADS: Final = max(cores(), 64)


def threads() -> int:
    """The threads that this process may use: those of the data-frame library."""
    told = os.environ.get("POLARS_MAX_THREADS", "")
    return int(told) if told.isdecimal() and len(told) <= DIGITS and int(told) else cores()


#: Where Linux tells a container how many bytes of memory it may have.
_CONTAINER: Final = Path("/sys/fs/cgroup/memory.max")


def address_space() -> int | None:
    """The bytes of memory, also of files, that this process may have addresses for; `None` where there is no limit."""
    try:
        import resource  # noqa: PLC0415  Windows has none
    except ImportError:  # pragma: no cover  tests/faults/test_systems.py takes it away in another process
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


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


def is_ours(fd: int) -> bool:
    """Whether an open file belongs to whoever runs this; not, where files belong to nobody."""
    return POSIX and os.fstat(fd).st_uid == user()


def is_private(folder: Path) -> bool:
    """Whether nobody but this user and root can change what lies in a folder; always, where there are no modes.

    Folders above it may belong to a group that may write to them, or to all where only owners may rename.

    Raises:
        OSError: There is no such folder.
    """
    if not POSIX:
        return True
    real = folder.resolve(strict=True)
    own, above = real.stat(), [parent.stat() for parent in real.parents]
    loose = any(one.st_mode & stat.S_IWOTH and not one.st_mode & stat.S_ISVTX for one in above)
    ours = {one.st_uid for one in (own, *above)} <= {0, user()}
    return ours and not loose and not own.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


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


def memory() -> int:
    """Bytes of memory that this process may have: the machine's, or what a container or a limit of addresses allows.

    16 GiB where the system does not say.
    """
    found = [address_space()]
    with suppress(AttributeError, ValueError, OSError):  # Windows has no such call
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(ValueError, OSError):  # it says `max` where there is no limit
        found.append(int(_CONTAINER.read_text(encoding="ascii")))
    return min((one for one in found if one is not None), default=16 << 30)


def limit(seconds: int, most: int) -> None:
    """Have the system end this process where it takes more."""
    with suppress(ImportError):
        import resource  # noqa: PLC0415  Windows has none

        for what, due in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_DATA, most), (resource.RLIMIT_CORE, 0)):
            hard = resource.getrlimit(what)[1]
            resource.setrlimit(what, (due if hard == resource.RLIM_INFINITY else min(due, hard), hard))


def open_at_once(path: str, flags: int) -> int:
    """An opener of files that does not wait for somebody to write to a pipe: one that nobody writes to is empty."""
    fd = os.open(path, flags | AT_ONCE)
    if AT_ONCE:
        os.set_blocking(fd, True)
    return fd


def path_of(fd: int) -> Path:
    """The path that Linux lends an open file, also one without a name; elsewhere nothing is there."""
    return _DESCRIPTORS / str(fd)


def name_unnamed(fd: int, path: Path) -> None:
    """Give an open file without a name one. `src_dir_fd` makes Python call linkat, which follows /proc to the file."""
    os.link(path_of(fd), path, src_dir_fd=fd, follow_symlinks=True)


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


def exchange(path: Path, target: Path) -> None:
    """Let two files or folders have each other's name, in one step.

    Raises:
        OSError: One of `NO_EXCHANGE` where the system or the file system cannot.
    """
    library = ctypes.CDLL(None, use_errno=True) if POSIX else None
    call = getattr(library, "renameat2", None) or getattr(library, "renameatx_np", None)  # of Linux, of macOS
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if call(_HERE, os.fsencode(path), _HERE, os.fsencode(target), _EXCHANGE):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(target))


def set_mode(fd: int, mode: int | None, *, folder: bool = False) -> None:
    """Set who may read an open file: `mode`, or as for any new file or folder; nothing where there are no modes."""
    if not POSIX:
        return
    if mode is None:
        umask = os.umask(0o077)  # it can only be read by setting it: to something strict for that moment
        os.umask(umask)
        mode = (0o777 if folder else 0o666) & ~umask
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


def import_optional(name: str, purpose: str, extra: str, *, called: str = "") -> Any:  # noqa: ANN401  a module that may be absent
    """The module `name` of an optional library, by its own name `called`; `extra` is kohort's, or `package[extra]`.

    Raises:
        MissingExtraError: It is not installed.

    >>> import_optional("nothing", "for a doctest", "all")
    Traceback (most recent call last):
    kohort.errors.MissingExtraError: nothing is needed for a doctest and is not installed
      hint: pip install 'kohort[all]'
    """
    try:
        return import_module(name)
    except ImportError:
        what = f"{called or name} is needed {purpose} and is not installed"
        package = extra if "[" in extra else f"kohort[{extra}]"
        raise MissingExtraError(what, hint=f"pip install '{package}'") from None


def error_number(error: Exception) -> int | None:
    """The system's number of an error. Libraries written in Rust, such as polars, tell it in the text only."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    told = re.search(r"\(os error (\d+)\)", str(error))
    return int(told[1]) if told else None


class _SignalAction(ctypes.Structure):
    """The C library's `struct sigaction`, of 64-bit Linux."""

    _fields_: ClassVar = [
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_byte * 128),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    ]


#: Bytes of an address of 64 bits.
_WIDE: Final = 8

#: Where the reason and the address stand in what the system tells of a signal, and that the file ends before it.
_REASON, _ADDRESS, _BEYOND_THE_END = 8, 16, 2

#: The flag by which a signal's handler is told where it happened.
_WITH_ADDRESS: Final = 4

#: The flags of `mmap` for new pages in place of those that are there; Python does not name the last.
_IN_ITS_PLACE: Final = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0) | 0x10

_Handler = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class _Truncation:
    """What answers when a mapped file ends before a place that is read: asked while somebody reads."""

    def __init__(self) -> None:
        self._lock, self._readers, self._before = threading.Lock(), 0, _SignalAction()
        self._library = ctypes.CDLL(None)
        self._library.mmap.restype = ctypes.c_void_p
        self._library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        self._kept = _Handler(self._fill)  # it must outlive every signal
        self._action = _SignalAction(handler=ctypes.cast(self._kept, ctypes.c_void_p), flags=_WITH_ADDRESS)

    def enter(self) -> None:
        """Answer from now on."""
        with self._lock:
            if not self._readers:
                self._library.sigaction(signal.SIGBUS, ctypes.byref(self._action), ctypes.byref(self._before))
            self._readers += 1

    def leave(self) -> None:
        """Let whoever answered before answer again, once nobody reads."""
        with self._lock:
            self._readers -= 1
            if not self._readers:
                self._library.sigaction(signal.SIGBUS, ctypes.byref(self._before), None)

    def _fill(self, number: int, told: int, _context: int) -> None:
        """Put a page of zeros where the file has none; leave any other fault to whoever was asked before."""
        page = ctypes.c_size_t.from_address(told + _ADDRESS).value & -mmap.PAGESIZE
        beyond = ctypes.c_int.from_address(told + _REASON).value == _BEYOND_THE_END
        if not beyond or self._library.mmap(page, mmap.PAGESIZE, mmap.PROT_READ, _IN_ITS_PLACE, -1, 0) != page:
            self._library.sigaction(number, ctypes.byref(self._before), None)  # pragma: no cover  the process ends


_truncation = cache(_Truncation)


@contextmanager
def zeros_beyond_the_end() -> Generator[None]:
    """Let what is read of a mapped file beyond its end be zeros, instead of ending the process.

    A file may be cut short after it was mapped. Whoever reads it has to look whether it was, afterwards.
    """
    if not (sys.platform == "linux" and ctypes.sizeof(ctypes.c_void_p) == _WIDE):  # pragma: no cover  not known there
        yield
        return
    _truncation().enter()
    try:
        yield
    finally:
        _truncation().leave()


#: What answers when the process is given up: it must outlive every library.
_answers: Final[list[object]] = []


def on_abort(answer: Callable[[], NoReturn]) -> None:
    """Have a library that gives the process up, as where no memory is left for it, end it by `answer` instead.

    It is called wherever that happens, in any thread; nothing runs afterwards that would clean up.
    """
    library = ctypes.CDLL(None if POSIX else "msvcrt")
    library.signal.argtypes, library.signal.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_void_p

    def answered(_number: int) -> None:
        answer()

    kept = ctypes.CFUNCTYPE(None, ctypes.c_int)(answered)
    _answers.append(kept)
    library.signal(signal.SIGABRT, ctypes.cast(kept, ctypes.c_void_p))


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
    path = folder / temporary_name()
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


def release_cache(content: object, start: int, length: int) -> None:
    """Tell the system that bytes of mapped content, from `start` on, are no longer needed in memory."""
    if isinstance(content, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        content.madvise(mmap.MADV_DONTNEED, start, length)


def give_back() -> None:
    """Give the system the memory that was freed and that the C library keeps for later; nothing where it cannot."""
    trim = getattr(_C, "malloc_trim", None)
    if trim is not None:
        trim(0)


#: The C library's name for the size of memory that it asks the system for by itself, and the size that it is set to.
_BY_ITSELF: Final = -3
_LARGE: Final = 1 << 20


def give_back_large() -> None:
    """From now on, give the system large memory the moment it is freed; nothing where it cannot.

    Left alone, the C library keeps pieces of up to 32 MB for later, and some 37 bytes a record are never given back.
    """
    set_ = getattr(_C, "mallopt", None)
    if set_ is not None:
        set_(_BY_ITSELF, _LARGE)
