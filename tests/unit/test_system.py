"""What kohort asks of an operating system, on those that have it and those that do not."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import signal
import subprocess
import sys
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import pytest

from kohort import system
from kohort.perturbation.pseudonyms import read_key, write_key
from kohort.publish import publish

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without owners, modes, locks and open folders."""
    monkeypatch.setattr(system, "POSIX", False)
    monkeypatch.setattr(system, "fcntl", None)
    for name in ("O_TMPFILE", "O_DIRECTORY", "fchmod"):
        monkeypatch.delattr(os, name, raising=False)


def fail_with(number: int) -> Callable[..., None]:
    """A function that fails with an error of the system."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def writing(content: bytes) -> Callable[[BinaryIO], object]:
    """A function that writes this content to a file."""
    return methodcaller("write", content)


class TestConfirm:
    """Waiting for the disk."""

    def test_macos(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where fsync reaches no further than the disk's memory, the call that does is used."""
        asked: list[int] = []

        def told(_: int, command: int) -> None:
            asked.append(command)

        monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
        monkeypatch.setattr(fcntl, "fcntl", told)
        monkeypatch.setattr(os, "fsync", fail_with(errno.EIO))
        with (tmp_path / "file").open("wb") as file:
            system.confirm(file.fileno())
        assert asked == [51]

    def test_file_system_without(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where the file system does not know that call, fsync is."""
        asked: list[int] = []
        monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
        monkeypatch.setattr(fcntl, "fcntl", fail_with(errno.ENOTTY))
        monkeypatch.setattr(os, "fsync", asked.append)
        with (tmp_path / "file").open("wb") as file:
            system.confirm(file.fileno())
            assert asked == [file.fileno()]


class TestWindows:
    """What is done where files have no modes and folders cannot be opened."""

    @pytest.mark.usefixtures("windows")
    def test_published(self, tmp_path: Path) -> None:
        """A release is published and replaced, and nothing else is left."""
        for content in (b"old", b"new"):
            assert publish(tmp_path / "r", writing(content), methodcaller("read"), overwrite=True) == content
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"r": b"new"}

    @pytest.mark.usefixtures("windows")
    def test_closed_before_it_is_renamed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The file is closed when it takes its name: an open one could not be renamed."""
        (tmp_path / "r").write_bytes(b"old")
        true_replace, still_open = Path.replace, list[bool]()

        def replace(path: Path, target: Path) -> Path:
            still_open.append(str(path) in {os.path.realpath(fd) for fd in Path("/proc/self/fd").iterdir()})
            return true_replace(path, target)

        monkeypatch.setattr(Path, "replace", replace)
        publish(tmp_path / "r", writing(b"new"), methodcaller("read"), overwrite=True)
        assert still_open == [False]

    @pytest.mark.usefixtures("windows")
    def test_who_may_read_a_key_is_not_asked(self, tmp_path: Path) -> None:
        """A key is read whatever its mode says, for it says nothing."""
        write_key(tmp_path / "key")
        (tmp_path / "key").chmod(0o644)
        read_key(tmp_path / "key")

    @pytest.mark.usefixtures("windows")
    def test_read_not_mapped(self, tmp_path: Path) -> None:
        """A file that will be renamed is not mapped."""
        (tmp_path / "r").write_bytes(b"text")
        with (tmp_path / "r").open("rb") as file:
            assert system.mapped(file) == b"text"

    @pytest.mark.usefixtures("windows")
    def test_no_lock(self, tmp_path: Path) -> None:
        """A lock is refused as where a file system has none."""
        with (tmp_path / "r").open("wb") as file, pytest.raises(OSError, match=r".") as refused:
            system.lock(file.fileno())
        assert refused.value.errno == errno.ENOTSUP


class TestLink:
    """A second name for a file."""

    def test_no_links(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where Python has no `link`, it is refused as where a file system has no links."""
        monkeypatch.delattr(os, "link")
        with pytest.raises(OSError, match=r".") as refused:
            system.link(tmp_path / "a", tmp_path / "b")
        assert refused.value.errno in system.NO_LINKS

    @pytest.mark.parametrize("links", [True, False])
    def test_moved(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, links: bool) -> None:
        """A file is renamed to a free name only, with hard links or without."""
        if not links:
            monkeypatch.setattr(os, "link", fail_with(errno.EPERM))
        (tmp_path / "a").write_text("a", encoding="utf-8")
        system.move(tmp_path / "a", tmp_path / "b")
        assert [path.name for path in tmp_path.iterdir()] == ["b"]
        (tmp_path / "c").touch()
        with pytest.raises(FileExistsError):
            system.move(tmp_path / "c", tmp_path / "b")
        assert (tmp_path / "b").read_text(encoding="utf-8") == "a"

    def test_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What else goes wrong is not taken for a lack of links."""
        monkeypatch.setattr(os, "link", fail_with(errno.EIO))
        with pytest.raises(OSError, match="Input/output"):
            system.move(tmp_path / "a", tmp_path / "b")


class TestMapped:
    """Content that stays on disk until it is read."""

    def test_mapped(self, tmp_path: Path) -> None:
        """A file is mapped, and its bytes are there after the system was told to let them go."""
        content = bytes(range(256)) * 64
        (tmp_path / "r").write_bytes(content)
        with (tmp_path / "r").open("rb") as file:
            found = system.mapped(file)
        assert isinstance(found, mmap.mmap)
        system.release_cache(found, 0, mmap.PAGESIZE)
        assert found[:] == content

    def test_empty(self, tmp_path: Path) -> None:
        """A file without a byte cannot be mapped."""
        (tmp_path / "r").touch()
        with (tmp_path / "r").open("rb") as file:
            assert system.mapped(file) == b""

    def test_bytes_stay(self) -> None:
        """Bytes that are in memory anyway are left alone."""
        system.release_cache(b"text", 0, 4)


def test_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cores of the machine where nobody says which of them this process may use; 1 where nobody knows."""
    assert system.cores() >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for known, cores in ((3, 3), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda known=known: known)
        assert system.cores() == cores


def test_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the machine has; 16 GiB where the system does not say."""
    assert system.memory() >= 1 << 28
    monkeypatch.setattr(os, "sysconf", fail_with(errno.EINVAL))
    assert system.memory() == 16 << 30


class TestSpilled:
    """Memory in files that nobody else sees."""

    def made(self, folder: Path) -> None:
        """A file is as large as it should be, can be written to, and has no name."""
        memory = system.spilled(folder, 3 << 20)
        assert len(memory) == 3 << 20
        memory[-3:] = b"end"
        assert memory[-4:] == b"\0end"
        assert not list(folder.iterdir())

    def test_linux(self, tmp_path: Path) -> None:
        """It never has a name, and its room is there before it is written to."""
        self.made(tmp_path)
        with pytest.raises(OSError, match=r"File too large|No space"):
            system.spilled(tmp_path, 1 << 62)

    def test_elsewhere(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It has a name while it is empty, and only its owner may open it."""
        modes: list[int] = []
        true_unlink = Path.unlink

        def unlink(path: Path) -> None:
            status = path.stat()
            modes.extend([status.st_mode & 0o777, status.st_size])
            true_unlink(path)

        monkeypatch.delattr(os, "O_TMPFILE")
        monkeypatch.delattr(os, "posix_fallocate")
        monkeypatch.setattr(Path, "unlink", unlink)
        self.made(tmp_path)
        assert modes == [0o600, 0]

    @pytest.mark.parametrize("number", [errno.EOPNOTSUPP, errno.EISDIR])
    def test_a_file_system_without_unnamed_files(
        self, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is done as elsewhere."""
        true_open = os.open

        def refuse(path: str, flags: int, *mode: int) -> int:
            if flags & os.O_TMPFILE == os.O_TMPFILE:
                raise OSError(number, os.strerror(number))
            return true_open(path, flags, *mode)

        monkeypatch.setattr(os, "open", refuse)
        self.made(tmp_path)

    def test_what_else_fails_is_told(self, tmp_path: Path) -> None:
        """A folder that is not there is no reason to try otherwise."""
        with pytest.raises(FileNotFoundError):
            system.spilled(tmp_path / "nowhere", 8)

    def test_windows(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """There the system removes the file when it is closed."""
        monkeypatch.delattr(os, "O_TMPFILE")
        monkeypatch.setattr(os, "O_TEMPORARY", os.O_CLOEXEC, raising=False)
        assert len(system.spilled(tmp_path, 8)) == 8
        assert len(list(tmp_path.iterdir())) == 1

    def test_the_room_that_is_left(self, tmp_path: Path) -> None:
        """As the system tells it."""
        assert system.free(tmp_path) > 0


def test_freed_memory_is_given_back_where_that_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the C library that has a call for it; without one nothing happens."""
    asked = list[int]()

    class Library:
        """A C library that trims."""

        malloc_trim = staticmethod(asked.append)

        @staticmethod
        def mallopt(*what: int) -> None:
            """What is set."""
            asked.extend(what)

    monkeypatch.setattr(system, "_C", Library)
    system.give_back()
    system.give_back_large()
    monkeypatch.setattr(system, "_C", None)
    system.give_back()
    system.give_back_large()
    assert asked == [0, -3, 1 << 20]


class TestExchange:
    """Two names that change places."""

    def test_folders(self, tmp_path: Path) -> None:
        """Each has the other's content; what is not there is an error."""
        for name in "ab":
            (tmp_path / name).mkdir()
            (tmp_path / name / name).touch()
        system.exchange(tmp_path / "a", tmp_path / "b")
        assert (tmp_path / "a" / "b").exists()
        with pytest.raises(FileNotFoundError):
            system.exchange(tmp_path / "a", tmp_path / "absent")

    @pytest.mark.usefixtures("windows")
    def test_windows(self, tmp_path: Path) -> None:
        """There is no such thing, and no file is anybody's."""
        with pytest.raises(OSError, match=os.strerror(errno.ENOSYS)):
            system.exchange(tmp_path / "a", tmp_path / "b")
        with (tmp_path / "a").open("wb") as file:
            assert not system.is_ours(file.fileno())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere such an access ends the process")
def test_a_file_that_is_cut_short_reads_as_zeros_for_two_readers(tmp_path: Path) -> None:
    """Until the last of them has ended; `tests/faults/test_text_faults.py` tries it in processes that end."""
    path = tmp_path / "a"
    path.write_bytes(b"a" * 20_000)
    with path.open("r+b") as file, system.zeros_beyond_the_end():
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        file.truncate(10)
        with system.zeros_beyond_the_end():
            assert data[10_000:10_003] == bytes(3)
        assert data[15_000:15_003] == bytes(3)


def test_whoever_gives_the_process_up_ends_it_by_the_answer() -> None:
    """In the process's own thread, and in one that a library began, while the process waits for it."""
    script = "import os; from kohort.system import on_abort; on_abort(lambda: os._exit(8)); "
    threaded = "import threading; thread = threading.Thread(target=os.abort); thread.start(); thread.join()"
    for abort in ("os.abort()", threaded):
        assert subprocess.run([sys.executable, "-c", script + abort], check=False).returncode == 8


@pytest.mark.parametrize("posix", [True, False])
def test_who_answers_is_known_to_the_system(monkeypatch: pytest.MonkeyPatch, *, posix: bool) -> None:
    """By the C library's `signal`, which every system has."""

    class Library:
        def __init__(self, name: str | None) -> None:
            assert name == (None if posix else "msvcrt")
            self.signal = Signal()

    class Signal:
        def __call__(self, number: int, handler: ctypes.c_void_p) -> None:
            assert number == signal.SIGABRT
            ctypes.cast(handler, ctypes.CFUNCTYPE(None, ctypes.c_int))(number)

    answered: list[bool] = []
    monkeypatch.setattr(system, "POSIX", posix)
    monkeypatch.setattr("ctypes.CDLL", Library)
    system.on_abort(cast("Any", lambda: answered.append(True)))
    assert answered == [True]
