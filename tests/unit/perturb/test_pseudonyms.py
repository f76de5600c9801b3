"""Keys and pseudonyms."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import FileError, InputError, TargetError
from kohort.perturbation.pseudonyms import Key, read_key, write_key

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


@given(st.binary(min_size=32, max_size=32), TEXTS, TEXTS)
def test_a_pseudonym_is_an_hmac(secret: bytes, column: str, identifier: str) -> None:
    """A pseudonym is the first 128 bits of HMAC-SHA-256 over the column's length and name, and the identifier."""
    told = len(column.encode()).to_bytes(8, "big") + column.encode() + identifier.encode()
    due = "p" + hmac.new(secret, told, hashlib.sha256).hexdigest()[:32]
    assert Key(secret).pseudonyms(column, [identifier, identifier]) == [due, due]
    assert Key(secret).pseudonym(column, identifier) == due


@given(st.tuples(TEXTS, TEXTS), st.tuples(TEXTS, TEXTS))
def test_columns_and_identifiers_do_not_run_together(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Two identifiers have one pseudonym only where they are the same of one column."""
    key = Key(bytes(32))
    assert (key.pseudonym(*one) == key.pseudonym(*other)) is (one == other)


def test_keys_are_new_and_secret() -> None:
    """No two keys are alike, and none is told."""
    one, other = Key.new(), Key.new()
    assert one.secret != other.secret
    assert one.secret.hex() not in repr(one) + str(one)
    assert repr(one.secret) not in repr(one)


@pytest.mark.parametrize("size", [0, 16, 31, 33])
def test_a_key_has_its_size(size: int) -> None:
    """A key that is shorter or longer than 32 bytes is refused."""
    with pytest.raises(InputError, match="32 random bytes"):
        Key(bytes(size))


def test_a_key_is_written_for_its_owner(tmp_path: Path) -> None:
    """A new key file can be read by its owner alone, whatever the umask, and gives a key."""
    before = os.umask(0)
    try:
        write_key(tmp_path / "key")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert read_key(tmp_path / "key") == read_key(tmp_path / "key")


def test_a_key_is_never_replaced(tmp_path: Path) -> None:
    """Where something is, no key is written; not through a link either."""
    (tmp_path / "there").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("there", "link"):
        with pytest.raises(TargetError, match="exists"):
            write_key(tmp_path / name)
    assert (tmp_path / "there").read_text() == "kept"
    assert not (tmp_path / "nowhere").exists()


def test_a_key_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where writing fails, it is said, and no part of a key is left."""
    with pytest.raises(FileError, match="could not be written"):
        write_key(tmp_path / "no folder" / "key")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left"):
        write_key(tmp_path / "key")
    assert not (tmp_path / "key").exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610])
def test_a_key_that_others_may_read(tmp_path: Path, mode: int) -> None:
    """A key file that anybody but its owner may use is refused, and its mode is said."""
    write_key(tmp_path / "key")
    (tmp_path / "key").chmod(mode)
    with pytest.raises(InputError, match=f"{mode:04o}") as told:
        read_key(tmp_path / "key")
    assert "chmod 600" in told.value.hint


@pytest.mark.parametrize("text", ["", "secret\n", "0" * 63, "0" * 65, "g" * 64, "A" * 64, "0" * 64 + "\n\n"])
def test_a_file_that_holds_no_key(tmp_path: Path, text: str) -> None:
    """What is no key of 64 digits is refused, and none of it is told."""
    path = tmp_path / "key"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(InputError, match="does not contain a key") as told:
        read_key(path)
    assert not text.strip() or text.strip() not in str(told.value)


def test_what_is_no_key_file(tmp_path: Path) -> None:
    """A missing file, a folder, a pipe that nobody writes to and a file that cannot be opened are refused at once."""
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name, kind, what in (
        ("missing", InputError, "no such key"),
        ("pipe", InputError, "not a regular file"),
        (".", InputError, "not a regular file"),
        ("key/within", FileError, "could not be read"),
    ):
        (tmp_path / "key").touch()
        with pytest.raises(kind, match=what):
            read_key(tmp_path / name)
