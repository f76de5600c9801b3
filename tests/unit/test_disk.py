"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

import pytest

from kohort import system
from kohort.certificate.signing import write_signing_keys
from kohort.errors import FileError, TargetError
from kohort.system.disk import whole_file
from kohort.system.key_files import write_key_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=["unnamed", "named", "no links", "not POSIX"], autouse=True)
def _systems(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds on every system."""

    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    def none(_folder: Path) -> None:
        """No unnamed files."""

    if request.param != "unnamed":
        monkeypatch.setattr(system, "open_unnamed", none)
    if request.param == "no links":
        monkeypatch.setattr(os, "link", refused)
        monkeypatch.setattr(system, "lock", refused)
    if request.param == "not POSIX":
        monkeypatch.setattr(system, "POSIX", False)


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_file_has_its_name_once_it_is_complete(tmp_path: Path, *, overwrite: bool) -> None:
    """While it is written, what stands there is as it was; then it is there, alone."""
    path = tmp_path / "file"
    if overwrite:
        path.write_bytes(b"former")
    with whole_file(path, overwrite=overwrite) as file:
        file.write(b"new")
        assert path.exists() == overwrite
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"new", [path])


@pytest.mark.parametrize("fault", [KeyboardInterrupt, ValueError])
def test_a_run_that_stops_leaves_nothing(tmp_path: Path, fault: type[BaseException]) -> None:
    """Also where it is interrupted."""

    def stopped() -> None:
        with whole_file(tmp_path / "file") as file:
            file.write(b"half")
            raise fault

    with pytest.raises(fault):
        stopped()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced_unless_it_may_be(tmp_path: Path) -> None:
    """What is there stays."""
    path = tmp_path / "file"
    path.write_bytes(b"former")
    with pytest.raises(FileExistsError), whole_file(path) as file:
        file.write(b"new")
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"former", [path])


def test_a_key_is_for_its_owner_from_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mode is set before it has a name; a key that cannot be written leaves nothing."""
    write_key_file(tmp_path / "key", b"secret", hint="")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    with pytest.raises(TargetError):
        write_key_file(tmp_path / "key", b"other", hint="")
    monkeypatch.setattr(os, "fsync", _full)
    with pytest.raises(FileError, match="could not be written"):
        write_key_file(tmp_path / "other", b"secret", hint="")
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_a_pair_of_keys_is_there_or_not(tmp_path: Path) -> None:
    """Where the private key cannot be written, there is no public one."""
    pytest.importorskip("cryptography")
    (tmp_path / "key").write_bytes(b"mine")
    with pytest.raises(TargetError):
        write_signing_keys(tmp_path / "key")
    assert [path.name for path in tmp_path.iterdir()] == ["key"]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("kohort.certificate.signing.write_key_file", _only_public)
        with pytest.raises(KeyboardInterrupt):
            write_signing_keys(tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["key"]
    write_signing_keys(tmp_path / "other")
    with pytest.raises(TargetError):
        write_signing_keys(tmp_path / "other")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["key", "other", "other.pub"]


def _only_public(path: Path, text: bytes, **_: object) -> None:
    path.write_bytes(text)
    if path.suffix == ".pub":
        raise KeyboardInterrupt


def _full(_descriptor: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
