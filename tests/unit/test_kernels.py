"""Where the machine code of compiled loops is kept, and what becomes of loops where it cannot be."""

from __future__ import annotations

import os
import stat
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from kohort import machine_code
from kohort.errors import SourceNote
from kohort.kernels import kernel
from kohort.system import POSIX, is_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(not POSIX, reason="this system has no modes of files")


def double(number: int) -> int:
    """A loop."""
    return 2 * number


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of this user's, in which caches and temporary files are; no installation's folder counts."""
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()

    def elsewhere(folder: Path) -> bool:
        return folder.name != "__pycache__" and is_private(folder)

    monkeypatch.setattr(machine_code, "is_private", elsewhere)
    machine_code.is_usable.cache_clear()
    machine_code.note.cache_clear()
    yield tmp_path
    machine_code.is_usable.cache_clear()
    machine_code.note.cache_clear()


def compiled() -> Any:  # noqa: ANN401  Numba publishes no types
    """The loop, compiled."""
    made: Callable[[int], int] = kernel(double)
    return made


def test_code_is_kept_for_the_user_where_the_installation_cannot_keep_it(places: Path) -> None:
    """That takes a while, and is said once; the next loop finds it."""
    with pytest.warns(SourceNote, match="compiles its inner loops once, when first needed") as said:
        assert (compiled()(21), compiled()(2.5)) == (42, 5)
    assert len(said) == 1
    assert list((places / "user").rglob("*.nbc"))
    machine_code.note.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled()(21) == 42


def test_without_a_home_code_is_kept_among_temporary_files(places: Path) -> None:
    """In a folder that nobody else may write to."""
    (places / "user").touch()
    (found,) = machine_code.folders_for(Path(__file__))
    assert found.parent == places / "temporary" / f"kohort-{os.geteuid()}"
    assert is_private(found)


def test_without_any_folder_loops_are_compiled_in_memory(places: Path) -> None:
    """That is said once; where the machine code went is nobody's problem."""
    (places / "user").touch()
    (places / "temporary" / f"kohort-{os.geteuid()}").touch()
    assert machine_code.folders_for(Path(__file__)) == []
    with pytest.warns(SourceNote, match="in each run") as said:
        assert (compiled()(21), compiled()(2.5)) == (42, 5)
    assert len(said) == 1


def test_a_named_folder_is_the_only_one(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NUMBA_CACHE_DIR is what the user wants; where it does not do, no other is taken in its place."""
    monkeypatch.setattr("numba.config.CACHE_DIR", str(places / "named"))
    (found,) = machine_code.folders_for(Path(__file__))
    assert found.parent == places / "named"
    monkeypatch.setattr("numba.config.CACHE_DIR", str(places / "loose"))
    (places / "loose").mkdir()
    (places / "loose").chmod(0o777)
    assert machine_code.folders_for(Path(__file__)) == []


def test_code_that_can_only_be_read_is_used(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`kohort compile` filled it, and who runs kohort later may not write there: what is missing is kept elsewhere."""
    monkeypatch.setattr("numba.config.CACHE_DIR", str(places / "named"))
    with pytest.warns(SourceNote, match="first needed"):
        assert compiled()(21) == 42
    before = sorted((places / "named").rglob("*"))
    (full,) = machine_code.folders_for(Path(__file__))
    writable = machine_code.is_writable

    def is_writable(folder: Path) -> bool:
        return folder != full and writable(folder)

    monkeypatch.setattr(machine_code, "is_writable", is_writable)
    machine_code.is_usable.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled()(21) == 42
    with pytest.warns(SourceNote, match="in each run"):
        assert compiled()(2.5) == 5
    machine_code.note.cache_clear()

    def both(_: Path) -> Iterator[Path]:
        yield from (full, places / "more" / "own")

    monkeypatch.setattr(machine_code, "folders", both)
    with pytest.warns(SourceNote, match=f"keeps them in {places}"):
        assert (compiled()(21), compiled()(2.5)) == (42, 5)
    assert sorted((places / "named").rglob("*")) == before
    assert list((places / "more").rglob("*.nbc"))


def test_damaged_code_is_compiled_again(places: Path) -> None:
    """Half a file is no fault of a run, and is replaced."""
    with pytest.warns(SourceNote, match="first needed"):
        assert compiled()(21) == 42
    for path in (places / "user").rglob("*.nb?"):
        path.write_bytes(path.read_bytes()[:40])
    assert compiled()(21) == 42
    assert all(path.stat().st_size > 40 for path in (places / "user").rglob("*.nbc"))


def test_nothing_is_said_where_the_installation_keeps_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """From now on everybody has it."""
    (tmp_path / "__pycache__").mkdir()

    def only(_: Path) -> Iterator[Path]:
        yield tmp_path / "__pycache__"

    monkeypatch.setattr(machine_code, "folders", only)
    caplog.set_level("INFO", machine_code.LOG.name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled()(21) == 42
    assert list(tmp_path.rglob("*.nbc"))
    assert "compiling" in caplog.text  # a terminal shows it


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_a_folder_that_others_may_write_to_is_not_private(tmp_path: Path, mode: int) -> None:
    """They could put code there that this user would run."""
    folder = tmp_path / "cache"
    folder.mkdir()
    assert is_private(folder)
    folder.chmod(mode)
    assert not is_private(folder)


def test_a_folder_below_one_that_others_may_write_to_is_not_private(tmp_path: Path) -> None:
    """They could put another in its place; not where only owners may rename."""
    folder = tmp_path / "open" / "cache"
    folder.mkdir(parents=True)
    folder.parent.chmod(0o777)
    assert not is_private(folder)
    folder.parent.chmod(0o777 | stat.S_ISVTX)
    assert is_private(folder)


def test_a_folder_of_somebody_else_is_not_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever owns it may change it, whatever its mode says now."""
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr("kohort.system.os.geteuid", lambda: owner + 1)
    assert is_private(tmp_path) == (owner == 0)


def test_systems_without_modes_have_private_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There, what a user's folders are is the system's to say; temporary ones are not tried."""
    tmp_path.chmod(0o777)
    monkeypatch.setattr("kohort.system.POSIX", False)
    assert is_private(tmp_path)
    monkeypatch.setattr(machine_code, "POSIX", False)
    assert len(list(machine_code.folders(tmp_path / "a.py"))) == 2


def test_a_system_without_temporary_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container that can only be read may have none: loops are then compiled in memory, and nothing fails."""
    message = "No usable temporary directory found"
    monkeypatch.setattr("kohort.machine_code.tempfile.gettempdir", Mock(side_effect=FileNotFoundError(message)))
    assert len(list(machine_code.folders(tmp_path / "a.py"))) == 2


def test_runs_that_compile_at_the_same_time_do_not_mix_up_their_code(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between any two steps by which a run keeps its code, others keep theirs and read: each gets its own."""
    kept, numbers, others = os.replace, [2.5, 2], [False]

    def replace(*names: Any) -> None:  # noqa: ANN401  those of any file
        if numbers and not others[0]:
            others[0], number = True, numbers.pop()
            assert (compiled()(number), compiled()(number)) == (2 * number, 2 * number)
            others[0] = False
        kept(*names)

    monkeypatch.setattr("os.replace", replace)
    monkeypatch.setattr("pathlib.Path.replace", replace)
    with pytest.warns(SourceNote, match="first needed"):
        assert compiled()(21.5) == 43
    for number in (21, 2.5):
        assert compiled()(number) == 2 * number
    assert len(list((places / "user").rglob("*.nbc"))) == 2


def test_code_of_another_source_is_not_run(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the file's name says: a run that was killed, or another Numba, may have left it there."""
    with pytest.warns(SourceNote, match="first needed"):
        assert compiled()(21) == 42
    (kept,) = (places / "user").rglob("*.nbc")
    before = kept.read_bytes()
    machine_code.note.cache_clear()
    monkeypatch.setattr("numba.__version__", "0.0")
    with pytest.warns(SourceNote, match="first needed"):
        assert compiled()(21) == 42
    assert list((places / "user").rglob("*.nbc")) == [kept]
    assert kept.read_bytes() != before
