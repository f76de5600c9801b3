"""Pseudonyms: a name that stands for an identifier, the same each time, and that only the holder of a key can make.

HMAC-SHA-256 (RFC 2104) of the column's name and the identifier, its first 128 bits in hexadecimal after a `p`. A hash
without a key is no pseudonym: all nine-digit numbers can be tried in minutes. With a key of 256 random bits nobody can
try any. The key is for whoever may still know who is who; who has it makes every pseudonym again.

A pseudonym is not anonymity. It links all that is released of one person, here and in every release with the same key
and column name; and what all of it tells together may tell who it is.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from kohort.errors import FileError, InputError, TargetError

if TYPE_CHECKING:
    from collections.abc import Callable

#: Bytes of a key, and hexadecimal digits of a pseudonym.
SIZE: Final = 32
DIGITS: Final = 32

#: What a key file holds: the key in hexadecimal, one line.
_key = re.compile(rb"([0-9a-f]{%d})\n?" % (2 * SIZE)).fullmatch

#: No key file is longer than this: the rest is not read.
_LONGEST: Final = 4096

_NEW: Final = "make one with `kohort key FILE`"


@dataclass(frozen=True, slots=True)
class Key:
    """What pseudonyms are made with; it is in no text, certificate or report.

    Attributes:
        secret: 32 random bytes.

    Raises:
        InputError: it is shorter or longer.

    >>> key = Key(bytes(32))
    >>> key.pseudonym("patient", "1001") == key.pseudonym("patient", "1001") != key.pseudonym("doctor", "1001")
    True
    >>> key
    Key()
    """

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse what is no key."""
        if len(self.secret) != SIZE:
            raise InputError(f"a key has {SIZE} random bytes, not {len(self.secret)}", where="the key", hint=_NEW)

    @classmethod
    def new(cls) -> Self:
        """A key that nobody had before, from the system's entropy."""
        return cls(secrets.token_bytes(SIZE))

    def pseudonym(self, column: str, identifier: str) -> str:
        """The pseudonym of an identifier in a column of this name: `p` and 32 hexadecimal digits."""
        return self.naming(column)(identifier)

    def naming(self, column: str) -> Callable[[str], str]:
        """The function from an identifier to its pseudonym in that column: for many, in half the time."""
        named = column.encode()
        begun = hmac.new(self.secret, len(named).to_bytes(8, "big") + named, "sha256")

        def pseudonym(identifier: str) -> str:
            told = begun.copy()
            told.update(identifier.encode())
            return f"p{told.hexdigest()[:DIGITS]}"

        return pseudonym


def read_key(path: str | os.PathLike[str]) -> Key:
    """The key in a file that only its owner may read.

    Raises:
        InputError: there is none, others may read it, or it holds no key.
        FileError: the system failed to read it.
    """
    where = str(path)
    try:
        with open(path, "rb", opener=_at_once) as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(_LONGEST) if stat.S_ISREG(mode) else None
    except FileNotFoundError:
        raise InputError("there is no such key file", where=where, hint=_NEW) from None
    except IsADirectoryError:
        text, mode = None, 0
    except OSError as error:
        raise FileError(f"the key could not be read: {error.strerror}", where=where) from None
    if text is None:
        raise InputError("a key is kept in a file, and this is none", where=where, hint=_NEW)
    if mode & 0o077:
        what = f"others may read this key: its mode is {stat.S_IMODE(mode):04o}"
        raise InputError(what, where=where, hint="chmod 600 it; if others could have read it, make a new one")
    key = _key(text)
    if key is None:
        raise InputError(f"the file holds no key of {2 * SIZE} hexadecimal digits", where=where, hint=_NEW)
    return Key(bytes.fromhex(key[1].decode()))


def _at_once(path: str, flags: int) -> int:
    """Open a file without waiting for whoever writes to a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)


def write_key(path: str | os.PathLike[str]) -> None:
    """Write a new key to a file that only its owner may read. No file is ever replaced: a key that is gone is gone.

    Raises:
        TargetError: something is there.
        FileError: the system failed to write it; nothing is left.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    where = str(path)
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileExistsError:
        hint = "a key is never replaced: what was made with it could not be made again; choose another name"
        raise TargetError("the output exists", where=where, hint=hint) from None
    except OSError as error:
        raise FileError(f"the key could not be written: {error.strerror}", where=where) from None
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123  an open descriptor has no path
            file.write(f"{Key.new().secret.hex()}\n".encode())
            file.flush()
            os.fsync(descriptor)
    except OSError as error:
        Path(path).unlink(missing_ok=True)
        raise FileError(f"the key could not be written: {error.strerror}", where=where) from None
