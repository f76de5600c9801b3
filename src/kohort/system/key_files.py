"""Files that hold a key: read where only their owner may, written once and never replaced."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from kohort import system
from kohort.errors import FileError, InputError, TargetError
from kohort.system.disk import refuse_name, whole_file

#: No key file is longer than this: the rest is not read.
_LONGEST: Final = 4096

#: The modes of a file that only its owner may read, and of one that all may.
SECRET: Final = 0o600
PUBLIC: Final = 0o644


def read_key_file(path: str | os.PathLike[str], *, hint: str, secret: bool) -> bytes:
    """What a key file holds.

    Raises:
        InputError: there is none, or others may read what is secret.
        FileError: the system failed to read it.
    """
    where = str(path)
    try:
        with open(path, "rb", opener=system.open_at_once) as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(_LONGEST) if stat.S_ISREG(mode) else None
    except (FileNotFoundError, ValueError):  # no file has NUL or half a character in its name
        raise InputError("no such key file", where=where, hint=hint) from None
    except IsADirectoryError:
        text, mode = None, 0
    except OSError as error:
        raise FileError(f"the key could not be read: {error.strerror}", where=where) from None
    if text is None:
        raise InputError("the key is not a regular file", where=where, hint=hint)
    if secret and system.POSIX and mode & 0o077:
        what = f"others may read this key: its mode is {stat.S_IMODE(mode):04o}"
        raise InputError(what, where=where, hint="chmod 600 the file; if others could have read it, make a new key")
    return text


def write_key_file(path: str | os.PathLike[str], text: bytes, *, hint: str, mode: int = SECRET) -> None:
    """Write a key to a new file. No file is ever replaced: a key that is gone is gone.

    Raises:
        TargetError: something is there, or the name is that of standard output.
        FileError: the system failed to write it; nothing is left.
    """
    where = str(path)
    refuse_name(Path(path))
    try:
        with whole_file(Path(path), mode=mode) as file:
            file.write(text)
    except FileExistsError:
        raise TargetError("the output exists", where=where, hint=hint) from None
    except OSError as error:
        raise FileError(f"the key could not be written: {error.strerror}", where=where) from None
