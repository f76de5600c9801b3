"""Pseudonyms: a name that stands for an identifier, the same each time, and that only the holder of a key can make.

HMAC-SHA-256 (RFC 2104) of the column's name and the identifier, its first 128 bits in hexadecimal after a `p`. A hash
without a key is no pseudonym: all nine-digit numbers can be tried in minutes. With a key of 256 random bits nobody can
try any. The key is for whoever may still know who is who; who has it makes every pseudonym again.

A pseudonym is not anonymity. It links all that is released of one person, here and in every release with the same key
and column name; and what all of it tells together may tell who it is.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

from kohort.errors import InputError
from kohort.system.key_files import read_key_file, write_key_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

#: Bytes of a key, and hexadecimal digits of a pseudonym.
SIZE: Final = 32
DIGITS: Final = 32

#: Of HMAC: the bytes that SHA-256 takes at a time, and what each byte of the key becomes in the inner and outer hash.
_BLOCK: Final = 64
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))

#: What a key file holds: the key in hexadecimal, one line.
_key = re.compile(rb"([0-9a-f]{%d})\n?" % (2 * SIZE)).fullmatch

_NEW: Final = "make one with `kohort key FILE`"


@dataclass(frozen=True, slots=True)
class Key:
    """The key for pseudonyms; no message, certificate or report contains it.

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
        """Validate the key."""
        if len(self.secret) != SIZE:
            raise InputError(f"a key has {SIZE} random bytes, not {len(self.secret)}", where="the key", hint=_NEW)

    @classmethod
    def new(cls) -> Self:
        """A key that nobody had before, from the system's entropy."""
        return cls(secrets.token_bytes(SIZE))

    def pseudonym(self, column: str, identifier: str) -> str:
        """The pseudonym of an identifier in a column of this name: `p` and 32 hexadecimal digits."""
        (pseudonym,) = self.pseudonyms(column, [identifier])
        return pseudonym

    def pseudonyms(self, column: str, identifiers: Iterable[str]) -> list[str]:
        """The pseudonyms of identifiers in a column of this name. Cost: some 1.2 microseconds each.

        All HMACs begin with the same two blocks; a copy of what SHA-256 makes of each takes less than one of `hmac`.
        """
        named, block = column.encode(), self.secret.ljust(_BLOCK, b"\0")
        inner = hashlib.sha256(block.translate(_INNER) + len(named).to_bytes(8, "big") + named).copy
        outer = hashlib.sha256(block.translate(_OUTER)).copy
        made: list[str] = []
        for identifier in identifiers:
            told, whole = inner(), outer()
            told.update(identifier.encode())
            whole.update(told.digest())
            made.append(f"p{whole.hexdigest()[:DIGITS]}")
        return made


def read_key(path: str | os.PathLike[str]) -> Key:
    """The key in a file that only its owner may read.

    Raises:
        InputError: the file does not exist, others may read it, or it contains no key.
        FileError: the system failed to read it.
    """
    key = _key(read_key_file(path, hint=_NEW, secret=True))
    if key is None:
        what = f"the file does not contain a key of {2 * SIZE} hexadecimal digits"
        raise InputError(what, where=str(path), hint=_NEW)
    return Key(bytes.fromhex(key[1].decode()))


def write_key(path: str | os.PathLike[str]) -> None:
    """Write a new key to a file that only its owner may read. No file is replaced: a lost key cannot be recovered."""
    hint = "choose another name: a key is never replaced, since its pseudonyms could never be made again"
    write_key_file(path, f"{Key.new().secret.hex()}\n".encode(), hint=hint)
