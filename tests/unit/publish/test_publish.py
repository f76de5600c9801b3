"""Publishing: what is refused, what is written, and who wins. What fails at which call is in tests/faults."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Barrier, Timer
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import pytest

from kohort import system as kohort_system
from kohort.errors import DurabilityError, FileError, InputError, TargetError, VerificationError
from kohort.publish import Companion, check_target, publish
from kohort.publish.files import open_private, private_folder, remove_private, sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

NEW = b"age\n[20-29]\n"
STALE = ".kohort-" + "0123456789abcdef" * 2


def write_new(file: BinaryIO) -> None:
    """Write a release."""
    file.write(NEW)


def read_all(file: BinaryIO) -> bytes:
    """Accept any release; its bytes."""
    return file.read()


def fixed_note(path: Path, content: bytes) -> Companion[bytes]:
    """A companion with this content, whatever the release."""
    return Companion(path, lambda _: content)


def fail_with(number: int) -> Callable[..., NoReturn]:
    """A call that the system refuses."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    return refuse


def files(folder: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(params=["unnamed", "refused", "old python", "no proc", "linkless"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A system with unnamed files, or one that lacks them in one of several ways; the last lacks hard links too."""
    name: str = request.param
    true_open = os.open

    def open_named_only(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & 0o20000000:
            fail_with(errno.EISDIR)()
        return true_open(path, flags, mode)

    if name in {"refused", "linkless"}:
        monkeypatch.setattr(os, "open", open_named_only)
    if name == "linkless":
        monkeypatch.setattr(os, "link", fail_with(errno.EPERM))
    if name == "old python":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    if name == "no proc":
        monkeypatch.setattr("kohort.system._DESCRIPTORS", Path("/nonexistent"))
    return name


@contextmanager
def umask(mask: int) -> Generator[None]:
    """Files of a block are made with this mask."""
    former = os.umask(mask)
    try:
        yield
    finally:
        os.umask(former)


# ── what is published ────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("system")
class TestPublished:
    """On every kind of system."""

    def test_release_and_companion(self, tmp_path: Path) -> None:
        """The verdict comes back, and a companion is made from it."""

        def describe(verdict: bytes) -> bytes:
            return f"{verdict!r}".encode()

        note = Companion(tmp_path / "note", describe)
        assert publish(tmp_path / "r", write_new, read_all, companions=[note]) == NEW
        assert files(tmp_path) == {"r": NEW, "note": f"{NEW!r}".encode()}

    def test_empty_release(self, tmp_path: Path) -> None:
        """A release of no bytes is a release."""
        publish(tmp_path / "r", lambda _: None, read_all)
        assert files(tmp_path) == {"r": b""}

    def test_companion_elsewhere(self, tmp_path: Path) -> None:
        """A companion may go to another folder, also by a path relative to a symbolic link."""
        (tmp_path / "reports").mkdir()
        (tmp_path / "link").symlink_to("reports")
        note = fixed_note(tmp_path / "link" / "note", b"note")
        publish(tmp_path / "r", write_new, read_all, companions=[note])
        assert files(tmp_path / "reports") == {"note": b"note"}

    def test_overwrite(self, tmp_path: Path) -> None:
        """Replacing leaves the new files only, whichever of the former ones existed."""
        note = fixed_note(tmp_path / "note", b"new")
        for former in ({"r": b"old", "note": b"old"}, {"r": b"old"}, {"note": b"old"}, {}):
            for path in tmp_path.iterdir():
                path.unlink()
            for name, content in former.items():
                (tmp_path / name).write_bytes(content)
            publish(tmp_path / "r", write_new, read_all, companions=[note], overwrite=True)
            assert files(tmp_path) == {"r": NEW, "note": b"new"}

    def test_new_permissions(self, tmp_path: Path) -> None:
        """A new file has the permissions the umask gives to any new file."""
        with umask(0o027):
            publish(tmp_path / "r", write_new, read_all)
        assert stat.S_IMODE((tmp_path / "r").stat().st_mode) == 0o640

    def test_kept_permissions(self, tmp_path: Path) -> None:
        """A file that replaces another may be read by the same people, and by no others."""
        (tmp_path / "r").write_bytes(b"old")
        (tmp_path / "r").chmod(0o600)
        publish(tmp_path / "r", write_new, read_all, overwrite=True)
        assert stat.S_IMODE((tmp_path / "r").stat().st_mode) == 0o600

    def test_unseen_before_verified(self, tmp_path: Path) -> None:
        """While it is verified, a release bears no name, or one that only its owner may open and that says nothing."""

        def look(_: BinaryIO) -> list[tuple[str, int]]:
            return [(path.name[:8], stat.S_IMODE(path.stat().st_mode)) for path in tmp_path.iterdir()]

        assert publish(tmp_path / "r", write_new, look) in ([], [(".kohort-", 0o600)])

    def test_refused_by_verification(self, tmp_path: Path) -> None:
        """A release that does not verify is never seen, and the former one stays."""

        def refuse(file: BinaryIO) -> NoReturn:
            assert file.read() == NEW
            raise VerificationError("a class is too small")

        (tmp_path / "r").write_bytes(b"old")
        with pytest.raises(VerificationError):
            publish(tmp_path / "r", write_new, refuse, overwrite=True)
        assert files(tmp_path) == {"r": b"old"}

    @pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("no cell"), InputError("ragged row")])
    def test_any_end(self, tmp_path: Path, error: BaseException) -> None:
        """Whatever ends the writer, the verifier or a companion passes unchanged and leaves nothing."""

        def end(*_: object) -> NoReturn:
            raise error

        companion: Companion[bytes] = Companion(tmp_path / "note", end)
        for write, verify in ((end, read_all), (write_new, end), (write_new, read_all)):
            with pytest.raises(type(error)) as caught:
                publish(tmp_path / "r", write, verify, companions=[companion])
            assert caught.value is error
            assert files(tmp_path) == {}

    def test_live_draft_survives(self, tmp_path: Path) -> None:
        """A run that starts removes what dead runs left, and nothing of a run that lives."""

        def start_another(file: BinaryIO) -> bytes:
            (tmp_path / STALE).write_bytes(b"of a dead run")
            publish(tmp_path / "other", write_new, read_all)
            return file.read()

        publish(tmp_path / "r", write_new, start_another)
        assert files(tmp_path) == {"r": NEW, "other": NEW}

    def test_another_was_first(self, tmp_path: Path) -> None:
        """Of two runs, the one that publishes second is refused, also when both may overwrite."""

        def overtake(content: bytes) -> Callable[[BinaryIO], bytes]:
            def verify(file: BinaryIO) -> bytes:
                publish(tmp_path / "r", lambda other: other.write(content), read_all, overwrite=True)
                return file.read()

            return verify

        with pytest.raises(TargetError, match="changed while this run worked"):
            publish(tmp_path / "r", write_new, overtake(b"first"))
        assert files(tmp_path) == {"r": b"first"}
        with pytest.raises(TargetError, match="changed while this run worked"):
            publish(tmp_path / "r", write_new, overtake(b"again"), overwrite=True)
        assert files(tmp_path) == {"r": b"again"}

    @pytest.mark.parametrize("overwrite", [False, True])
    def test_two_at_once(self, tmp_path: Path, *, overwrite: bool) -> None:
        """Of two runs that are ready at the same moment one publishes all of its files and the other none."""
        if overwrite:
            (tmp_path / "r").write_bytes(b"old")
        ready = Barrier(2)

        def run(content: bytes) -> bool:
            def verify(_: BinaryIO) -> bytes:
                ready.wait()
                return content

            note = fixed_note(tmp_path / "note", content)
            with suppress(TargetError):
                publish(
                    tmp_path / "r", lambda file: file.write(content), verify, companions=[note], overwrite=overwrite
                )
                return True
            return False

        with ThreadPoolExecutor(2) as pool:
            first, second = pool.map(run, [b"first", b"second"])
        winner = b"first" if first else b"second"
        assert first != second
        assert files(tmp_path) == {"r": winner, "note": winner}


def test_stranger_was_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that a program without our lock creates at the last moment is not replaced."""
    true_link = os.link

    def link(source: str, path: str, **options: int) -> None:
        (tmp_path / "r").write_bytes(b"a stranger's")
        true_link(source, path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "link", link)
    with pytest.raises(TargetError, match="another run was first"):
        publish(tmp_path / "r", write_new, read_all)
    assert files(tmp_path) == {"r": b"a stranger's"}


# ── what is refused before any work ──────────────────────────────────────────────────────────────


class TestCheckTarget:
    """Outputs that could not be published."""

    def test_exists(self, tmp_path: Path) -> None:
        """An output that exists is refused unless it may be replaced."""
        (tmp_path / "r").touch()
        with pytest.raises(TargetError, match="exists"):
            check_target(tmp_path / "r")
        with pytest.raises(TargetError, match="exists"):
            check_target(tmp_path / "new", companions=[tmp_path / "r"])
        check_target(tmp_path / "r", overwrite=True)

    def test_checked_before_work(self, tmp_path: Path) -> None:
        """`publish` refuses before it writes."""
        (tmp_path / "r").touch()
        written: list[BinaryIO] = []
        with pytest.raises(TargetError):
            publish(tmp_path / "r", written.append, read_all)
        assert written == []

    def test_input(self, tmp_path: Path) -> None:
        """An output that is an input is refused, whatever name either goes by."""
        source = tmp_path / "in"
        source.touch()
        (tmp_path / "hard").hardlink_to(source)
        (tmp_path / "soft").symlink_to(source)
        for target, read in ((source, source), (tmp_path / "hard", source), (source, tmp_path / "soft")):
            with pytest.raises(TargetError, match="input"):
                check_target(target, overwrite=True, inputs=[tmp_path / "absent", read])
        with pytest.raises(TargetError, match="input"):
            check_target(tmp_path / "absent", inputs=[tmp_path / "x" / ".." / "absent"])
        check_target(tmp_path / "out", inputs=[source, tmp_path / "absent"])

    def test_two_outputs(self, tmp_path: Path) -> None:
        """Two outputs at one path are refused."""
        with pytest.raises(TargetError, match="two outputs"):
            check_target(tmp_path / "r", companions=[tmp_path / "x", tmp_path / "." / "r"])

    def test_symbolic_link(self, tmp_path: Path) -> None:
        """A symbolic link is neither followed nor replaced, whether it leads anywhere or not."""
        (tmp_path / "link").symlink_to("nowhere")
        with pytest.raises(TargetError, match="symbolic link"):
            check_target(tmp_path / "link", overwrite=True)

    def test_not_a_file(self, tmp_path: Path) -> None:
        """A folder or a pipe is no output, by whatever name."""
        os.mkfifo(tmp_path / "pipe")
        for path in (tmp_path, tmp_path / "..", Path("/"), Path(), tmp_path / "pipe"):
            with pytest.raises(FileError, match=r"the output is (a folder|not a regular file)"):
                check_target(path, overwrite=True)

    def test_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A folder that is missing, is a file or cannot be used is named."""

        def refuse_access(_path: Path, _mode: int) -> bool:
            return False

        (tmp_path / "file").touch()
        for folder in (tmp_path / "absent", tmp_path / "file"):
            with pytest.raises(FileError, match="does not exist"):
                check_target(folder / "r")
        monkeypatch.setattr(os, "access", refuse_access)  # root may write anywhere, tests often run as root
        with pytest.raises(FileError, match="cannot be read and written"):
            check_target(tmp_path / "r")

    def test_name_too_long(self, tmp_path: Path) -> None:
        """What the system says of an impossible name is passed on."""
        with pytest.raises(FileError, match="ENAMETOOLONG"):
            check_target(tmp_path / ("r" * 300))

    def test_sweep(self, tmp_path: Path) -> None:
        """Only what a dead run left goes: no file of a living run, no other name, nothing behind a link.

        A pipe that nobody writes to is not waited for.
        """
        os.mkfifo(tmp_path / (STALE[:-1] + "2"))
        for name in (STALE, STALE + "0", ".kohort-notes", STALE[:-1] + "0"):
            (tmp_path / name).write_bytes(b"")
        (tmp_path / (STALE[:-1] + "1")).symlink_to(".kohort-notes")
        with (tmp_path / (STALE[:-1] + "0")).open("rb") as alive:
            fcntl.flock(alive, fcntl.LOCK_EX)
            check_target(tmp_path / "r")
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
            [STALE + "0", ".kohort-notes", STALE[:-1] + "0", STALE[:-1] + "1"]
        )

    def test_locked_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A folder that another program keeps locked is waited for, then refused."""
        pauses: list[float] = []
        monkeypatch.setattr(time, "sleep", pauses.append)
        fd = os.open(tmp_path, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        with pytest.raises(TargetError, match="locked"):
            check_target(tmp_path / "r")
        assert 1 < sum(pauses) < 10

        def unlock(_seconds: float) -> None:
            fcntl.flock(fd, fcntl.LOCK_UN)

        monkeypatch.setattr(time, "sleep", unlock)
        check_target(tmp_path / "r")
        os.close(fd)


# ── what the system refuses ──────────────────────────────────────────────────────────────────────


class TestRefusedBySystem:
    """Errors of the system, as `FileError` or `DurabilityError`."""

    @pytest.mark.parametrize(
        ("number", "hint"),
        [(errno.ENOSPC, "bytes are free"), (errno.EDQUOT, "bytes are free"), (errno.EFBIG, "ulimit"), (errno.EIO, "")],
    )
    def test_writing(self, tmp_path: Path, number: int, hint: str) -> None:
        """A failed write names the error, the file and what helps, and leaves nothing."""
        with pytest.raises(FileError) as caught:
            publish(tmp_path / "r", fail_with(number), read_all)
        assert caught.value.what == f"writing failed: {os.strerror(number)} ({errno.errorcode[number]})"
        assert caught.value.where == str(tmp_path / "r")
        assert hint in caught.value.hint
        assert bool(hint) == bool(caught.value.hint)
        assert files(tmp_path) == {}

    def test_hint_without_figures(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A disk that does not tell its free space still gets a hint."""
        monkeypatch.setattr(os, "statvfs", fail_with(errno.ENOSYS))
        with pytest.raises(FileError, match="make room"):
            publish(tmp_path / "r", fail_with(errno.ENOSPC), read_all)

    def test_error_told_in_text(self, tmp_path: Path) -> None:
        """A library that tells the system's error in its text only is understood."""

        def write(_: BinaryIO) -> NoReturn:
            raise RuntimeError("cannot write: No space left on device (os error 28)")

        with pytest.raises(FileError, match="ENOSPC"):
            publish(tmp_path / "r", write, read_all)

    def test_error_without_number(self, tmp_path: Path) -> None:
        """An error of the system without a number is still a `FileError`."""

        def write(_: BinaryIO) -> NoReturn:
            raise OSError("broken")

        with pytest.raises(FileError, match="no reason was given"):
            publish(tmp_path / "r", write, read_all)

    def test_creating(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A file that cannot be created is a `FileError`, and no named one is tried instead."""
        true_open = os.open

        def open_existing_only(path: str, flags: int, mode: int = 0) -> int:
            return true_open(path, flags) if not mode else fail_with(errno.EIO)()

        monkeypatch.setattr(os, "open", open_existing_only)
        with pytest.raises(FileError, match=r"creating a file failed: .*EIO"):
            publish(tmp_path / "r", write_new, read_all)

    def test_taken_back(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """When the last name cannot be given, those given before are taken back and the former files restored."""
        note = fixed_note(tmp_path / "note", b"new")
        true_link = os.link

        def refuse_note(source: str, path: Path, **options: int) -> None:
            if path.name == "note":
                fail_with(errno.EIO)()
            true_link(source, path, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(os, "link", refuse_note)
        for former in ({}, {"r": b"old"}, {"r": b"old", "note": b"old"}):
            for name, content in former.items():
                (tmp_path / name).write_bytes(content)
            with pytest.raises(FileError, match=r"moving into place failed: .*EIO"):
                publish(tmp_path / "r", write_new, read_all, companions=[note], overwrite=True)
            assert files(tmp_path) == former

    def test_no_second_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A former file that cannot be kept within reach is not replaced."""
        (tmp_path / "r").write_bytes(b"old")
        true_link = os.link

        def refuse_old(source: Path, path: Path, **options: int) -> None:
            if source == tmp_path / "r":
                fail_with(errno.EIO)()
            true_link(source, path, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(os, "link", refuse_old)
        with pytest.raises(FileError, match="EIO"):
            publish(tmp_path / "r", write_new, read_all, overwrite=True)
        assert files(tmp_path) == {"r": b"old"}

    def test_not_confirmed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A folder the disk does not confirm is told as such, with everything in place."""
        true_fsync = os.fsync

        def fsync(fd: int) -> None:
            if stat.S_ISDIR(os.fstat(fd).st_mode):
                fail_with(errno.EIO)()
            true_fsync(fd)

        monkeypatch.setattr(os, "fsync", fsync)
        with pytest.raises(DurabilityError, match="in place") as told:
            publish(tmp_path / "r", write_new, read_all)
        assert told.value.where == str(tmp_path / "r")
        assert files(tmp_path) == {"r": NEW}

    def test_no_locks(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where there are no locks nothing is swept, for a living run could not be told from a dead one."""
        (tmp_path / STALE).write_bytes(b"")
        monkeypatch.setattr(fcntl, "flock", fail_with(errno.ENOLCK))
        publish(tmp_path / "r", write_new, read_all)
        assert files(tmp_path) == {"r": NEW, STALE: b""}

    def test_swept_before_locked(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A temporary file that another run sweeps away before it is locked is made again."""
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
        true_flock, swept = fcntl.flock, list[str]()

        def flock(fd: int, operation: int) -> None:
            for path in () if swept else tmp_path.glob(".kohort-*"):
                swept.append(path.name)
                path.unlink()
            true_flock(fd, operation)

        monkeypatch.setattr(fcntl, "flock", flock)
        publish(tmp_path / "r", write_new, read_all)
        assert len(swept) == 1
        assert files(tmp_path) == {"r": NEW}

    def test_a_look_is_waited_for(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A temporary file at which another run looks while it is made is locked all the same, once that is over."""
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
        true_flock, looks = fcntl.flock, list[int]()

        def flock(fd: int, operation: int) -> None:
            for path in () if looks else tmp_path.glob(".kohort-*"):
                looks.append(os.open(path, os.O_RDONLY))
                true_flock(looks[0], fcntl.LOCK_SH)
                Timer(0.1, os.close, looks).start()
            true_flock(fd, operation)

        def refused(_: BinaryIO) -> None:
            (path,) = tmp_path.glob(".kohort-*")
            with path.open("rb") as other, pytest.raises(BlockingIOError):
                true_flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)

        monkeypatch.setattr(fcntl, "flock", flock)
        publish(tmp_path / "r", write_new, refused)
        assert len(looks) == 1


def test_a_release_alone_is_told_of(tmp_path: Path) -> None:
    """Who runs the job again after a kill between the two names reads that what stands there is not described."""
    release, note = tmp_path / "r.csv", tmp_path / "r.csv.kohort.json"
    publish(release, write_new, read_all)
    with pytest.raises(TargetError, match="without its certificate or report: a run may have been stopped"):
        check_target(release, companions=[note])
    with pytest.raises(TargetError) as single:
        check_target(release)
    assert single.value.what == "the output exists"
    release.rename(note)
    with pytest.raises(TargetError) as other:
        check_target(release, companions=[note, tmp_path / "page.html"])
    assert (other.value.what, other.value.where) == ("the output exists", str(note))


@pytest.mark.parametrize(("before", "told"), [(b"", "without its certificate"), (b"old", "may not belong together")])
def test_what_cannot_be_taken_back_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bytes, told: str
) -> None:
    """A disk that fails for good: the release keeps its name, and the companion never gets one."""
    release, note = tmp_path / "r.csv", tmp_path / "note"
    if before:
        release.write_bytes(before)
        note.write_bytes(before)
    name_unnamed = kohort_system.name_unnamed

    def named(fd: int, path: Path) -> None:
        if path == note:
            monkeypatch.setattr(Path, "unlink", fail_with(errno.EIO))
            monkeypatch.setattr(Path, "replace", fail_with(errno.EIO))
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        name_unnamed(fd, path)

    monkeypatch.setattr(kohort_system, "name_unnamed", named)
    with pytest.raises(FileError, match=told) as failed:
        publish(release, write_new, read_all, companions=[fixed_note(note, b"new")], overwrite=bool(before))
    monkeypatch.undo()
    assert "and undoing it failed, too" in failed.value.what
    assert failed.value.where == str(release)
    if before:
        check_target(tmp_path / "another")
        assert (release.read_bytes(), note.read_bytes()) == (before, before)
    else:
        assert (release.read_bytes(), note.exists()) == (NEW, False)


def test_light_import() -> None:
    """Publishing loads no data-frame or array library."""
    code = "import sys, kohort.publish; print(*{'polars', 'numpy', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_several_may_look_at_what_a_dead_run_left(tmp_path: Path) -> None:
    """Another run that looks whether a file's run is dead does not keep this one from removing it."""
    stale = tmp_path / STALE
    stale.write_bytes(b"")
    with stale.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        sweep(tmp_path)
    assert files(tmp_path) == {}


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_a_link_that_fails_publishes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Only a system without hard links gives a release its name in another way."""
    monkeypatch.setattr("kohort.system._DESCRIPTORS", Path("/nonexistent"))
    monkeypatch.setattr(os, "link", fail_with(number))
    with pytest.raises(FileError, match=os.strerror(number)):
        publish(tmp_path / "r", write_new, read_all)
    assert files(tmp_path) == {}


@pytest.mark.parametrize("failure", [OSError(errno.EIO, "no"), FileError("no")])
def test_a_private_folder_is_made_where_others_cannot_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """What dead runs left is in nobody's way."""

    def fails(_: Path) -> NoReturn:
        raise failure

    monkeypatch.setattr("kohort.publish.files.sweep", fails)
    folder, fd = open_private(tmp_path)
    assert folder.is_dir()
    remove_private(folder, fd)
    assert files(tmp_path) == {}


def test_a_private_folder_that_cannot_be_locked_is_used_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made where it stays, and it does not matter when it is gone before its time."""
    monkeypatch.setattr("tempfile.tempdir", "/nonexistent")
    monkeypatch.setattr("kohort.system.lock", fail_with(errno.ENOLCK))
    with private_folder(tmp_path) as folder:
        folder.rmdir()
    assert files(tmp_path) == {}


@pytest.mark.parametrize("opens", [True, False])
def test_a_private_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, opens: bool) -> None:
    """Nobody else looks into it, no other run removes it where it can be locked, and it is gone afterwards."""
    made, open_folder = list[Path](), kohort_system.open_folder

    def opened(path: Path) -> int | None:
        """Folders cannot be opened on Windows."""
        made.append(path)
        return open_folder(path) if opens else None

    monkeypatch.setattr("kohort.system.open_folder", opened)
    with private_folder(tmp_path) as folder:
        assert made[0].name.startswith("kohort-")  # whose it is, should this run die now
        (folder / "pieces").write_bytes(b"1")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        if opens:
            sweep(tmp_path)
        assert (folder / "pieces").exists()
    assert not folder.exists()
