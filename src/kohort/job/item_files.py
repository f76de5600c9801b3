"""Files that name items: private ones, public ones, and what each counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.errors import FileError, InputError, KohortError
from kohort.schema.numbers import exact

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path


def names_in(path: Path) -> tuple[str, ...]:
    """The items that a file names, one a line; empty lines are passed over, and blanks belong to the names.

    Raises:
        InputError: the file cannot be read, or names nothing.
    """
    names = tuple(line for _, line in _lines(path))
    if not names:
        raise InputError("the file names no item", where=str(path), hint="write one name a line")
    return names


def weights_in(path: Path) -> dict[str, Fraction]:
    """The weights that a file gives items, `ITEM=NUMBER` a line.

    Raises:
        InputError: the file cannot be read, a line is no weight, or an item has two.
    """
    found: dict[str, Fraction] = {}
    for number, line in _lines(path):
        name, _, text = line.rpartition("=")  # a number has none
        where = f"{path}, line {number}"
        try:
            weight = exact(text)
        except KohortError:
            raise InputError("this is not a weight", where=where, hint="write ITEM=NUMBER, such as bread=2") from None
        if not name or weight <= 0:
            what = "a weight must be above 0" if name else "there is no item before the ="
            raise InputError(what, where=where, hint="write ITEM=NUMBER, such as bread=2")
        if name in found:
            raise InputError("the item has a weight already", where=where, hint="give each item one weight")
        found[name] = weight
    return found


def _lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a file that are not empty, each with its number."""
    if not path.is_file():
        what = "the list of items is not a regular file" if path.exists() else "there is no such list of items"
        raise InputError(what, where=str(path), hint="name a text file")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        hint = "it must be a UTF-8 text file"
        raise InputError("the list of items cannot be read", where=str(path), hint=hint) from None
    except OSError as error:
        raise FileError(f"the list of items cannot be read: {error.strerror}", where=str(path)) from None
    return [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line]
