"""The page model read back from a file, which must have every key and no other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter, ValidationError

from kohort.errors import FileError, InputError, UsageError
from kohort.report.page import Page
from kohort.report.page.model import PublicTablePage
from kohort.report.page.transactions import PublicTransactionPage
from kohort.schema.hierarchies.tree import parse_json

if TYPE_CHECKING:
    import os

    from kohort.report import Json
    from kohort.report.page.audience import Audience

#: Beyond this nothing can be drawn: floats end at 1.8e308.
HUGEST: Final = 1e300

#: Bytes of the largest file that is read: figures are few.
LARGEST: Final = 1 << 26

_HINT: Final = "figures are what --report FILE.json writes; ask this version of kohort for them again"


def read_page(path: str | os.PathLike[str]) -> Page:
    """The page in a file.

    Raises:
        InputError: the file holds no page of this version.
        FileError: the system failed to read it.
    """
    where = str(path)
    text = _text(Path(path), where)
    try:
        parse_json(text, where=where)
    except InputError as fault:
        raise InputError(fault.what, where=where, hint=_HINT) from None
    try:
        page = TypeAdapter[Page](Page).validate_json(text)
    except ValidationError:
        page = None
    if page is None or not _is_drawable(page.as_json()):
        raise InputError("the file holds no figures of a release in this version's form", where=where, hint=_HINT)
    return page


def _text(path: Path, where: str) -> str:
    """What the file holds."""
    if not path.is_file():
        what = "the figures are not a regular file" if path.exists() else "there is no such file"
        raise InputError(what, where=where, hint=_HINT)
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"the file is larger than {LARGEST:,} bytes", where=where, hint=_HINT)
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the figures are no UTF-8 text", where=where, hint=_HINT) from None
    except OSError as fault:
        raise FileError(f"the figures could not be read: {fault.strerror}", where=where) from None


def _is_drawable(part: Json) -> bool:
    """Whether every number can be drawn: it is finite, and no more than a float holds."""
    match part:
        case dict():
            return all(map(_is_drawable, part.values()))
        case list():
            return all(map(_is_drawable, part))
        case int() | float():
            return abs(part) < HUGEST
        case _:
            return True


def for_audience(page: Page, audience: Audience | None) -> Page:
    """The page for an audience; `None`: the audience that the page is for.

    Raises:
        UsageError: the page is public, and the steward's is requested.
    """
    if audience is None or audience == page.audience:
        return page
    if isinstance(page, (PublicTablePage, PublicTransactionPage)):
        hint = "these figures are for the public: write those for the steward with --report FILE.json"
        raise UsageError("a public page lacks what an internal page tells", where="--audience", hint=hint)
    return page.public
