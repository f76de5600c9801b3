"""Every error kohort raises on purpose, and the exit status each one ends a command with.

    KohortError
     ├─ UsageError ............ 2   a parameter, flag or call that cannot be right
     │   ├─ SchemaError ....... 2   roles, scales or domains that do not fit the columns
     │   ├─ CallError ......... 2   a call from Python without an argument, or with one of another class
     │   ├─ JobError .......... 2   the faults of a job file, all at once (an exception group)
     │   └─ UnsupportedError .. 2   well defined, but not something kohort can do
     ├─ InputError ............ 3   data that cannot be read as what it claims to be
     │   └─ HierarchyError .... 3   a hierarchy that does not nest or does not cover its values
     ├─ InfeasibleError ....... 4   no release can meet the goal
     ├─ VerificationError ..... 5   the written bytes are not what was promised
     ├─ FileError ............. 6   reading or writing failed
     ├─ TargetError ........... 7   the output exists, is locked or equals the input
     ├─ LimitError ............ 8   a resource limit was reached
     ├─ DurabilityError ....... 9   published, but the disk did not confirm it
     └─ MissingExtraError .... 10   an optional dependency is not installed

A message says what is wrong, where (file, line, column *name*) and what to do. It never holds the
value of a record's cell, and nothing in it steers a terminal. `calls` checks calls from Python; `display` shows objects
and numbers, as carefully.
"""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING, ClassVar, Final, Self

if TYPE_CHECKING:
    from collections.abc import Sequence


class SourceNote(UserWarning):
    """What to know of a table that was read: which of several sheets it is, what of the source was left out."""

    def __init__(self, text: str) -> None:
        """Keep the sentence; nothing in it steers a terminal."""
        super().__init__(readable(text))


class KohortError(Exception):
    """The root of every error kohort raises on purpose.

    Args:
        what: What is wrong, as one sentence without a final full stop.
        where: The place: a file, a line, a column name; empty when there is none.
        hint: What the reader can do about it; empty when nothing helps.

    >>> print(InputError("ragged row: 3 fields where the header has 4", where="people.csv, line 7"))
    ragged row: 3 fields where the header has 4
      where: people.csv, line 7
    """

    exit_status: ClassVar[int] = 1

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        """Keep the three parts as attributes and join them for display."""
        self.what = what
        self.where = where
        self.hint = hint
        parts = (readable(what), where and f"  where: {readable(where, '')}", hint and f"  hint: {readable(hint)}")
        super().__init__("\n".join(part for part in parts if part))


class UsageError(KohortError):
    """A parameter, flag or call that cannot be right, whatever the data."""

    exit_status = 2


class SchemaError(UsageError):
    """Roles, scales or domains that do not fit the table's columns.

    Args:
        what: As of any error.
        where: Likewise.
        hint: Likewise.
        unsafe: The columns that no release may have as the job has them.
        flag: The flag that makes these safe, and its value; `None` where dropping them does.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        hint: str = "",
        unsafe: Sequence[str] = (),
        flag: tuple[str, str] | None = None,
    ) -> None:
        """Keep the columns and the flag beside the three parts."""
        super().__init__(what, where=where, hint=hint)
        self.unsafe = unsafe
        self.flag = flag


class CallError(UsageError, TypeError):
    """A call from Python that lacks an argument, or has one of another class; the hint is the line to write."""


class UnsupportedError(UsageError):
    """A well-defined request that kohort cannot fulfil."""


class JobError(ExceptionGroup[UsageError], UsageError):
    """All faults of one job, each with its place."""

    def __new__(cls, what: str, faults: Sequence[UsageError], hint: str = "") -> Self:  # noqa: ARG004  for __init__
        """Build the group; `ExceptionGroup` takes its arguments here."""
        return super().__new__(cls, what, faults)

    def __init__(self, what: str, faults: Sequence[UsageError], hint: str = "") -> None:
        """Keep the summary, and what to do about all of them; the faults are in `exceptions`."""
        super().__init__(what, faults)
        self.what = what
        self.where = ""
        self.hint = hint

    @property
    def faults(self) -> list[UsageError]:
        """The single faults."""
        return [fault for fault in self.exceptions if isinstance(fault, UsageError)]

    def __str__(self) -> str:
        """Print the summary, below it every fault, and at the end what to do about all of them."""
        end = [f"  hint: {readable(self.hint)}"] if self.hint else []
        return "\n".join([readable(self.what), *(str(fault) for fault in self.exceptions), *end])


def combined(what: str, faults: Sequence[UsageError], hint: str = "") -> UsageError:
    """The only fault, or a `JobError` of all of them."""
    return faults[0] if len(faults) == 1 else JobError(what, faults, hint)


class InputError(KohortError):
    """Data that cannot be read as what it claims to be.

    Args:
        of_columns: Whether the names, types or cells of columns are at fault, which the error then names.
    """

    exit_status = 3

    def __init__(self, what: str, *, where: str = "", hint: str = "", of_columns: bool = False) -> None:
        """Keep also what is at fault."""
        super().__init__(what, where=where, hint=hint)
        self.of_columns = of_columns


class HierarchyError(InputError):
    """A hierarchy that does not nest, or that lacks values of its attribute."""


class InfeasibleError(KohortError):
    """No release of this table can meet the goal."""

    exit_status = 4


class VerificationError(KohortError):
    """The written bytes are not what was promised; nothing was published."""

    exit_status = 5


class FileError(KohortError):
    """Reading or writing a file failed."""

    exit_status = 6


class TargetError(KohortError):
    """The output exists, is locked, or equals an input."""

    exit_status = 7


class LimitError(KohortError):
    """A resource limit was reached before the work was done."""

    exit_status = 8


class DurabilityError(KohortError):
    """The release is in place, but the disk did not confirm that it will survive a power cut."""

    exit_status = 9


class MissingExtraError(KohortError):
    """An optional dependency is needed and not installed."""

    exit_status = 10


#: Joiners that some scripts need inside words; all other format characters are spelled out.
JOINERS: Final = frozenset("\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}")


def readable(text: str, ends: str = "\n") -> str:
    r"""A text with what cannot be seen spelled out: controls, writing directions, halves of characters.

    Args:
        text: The text.
        ends: What stays though it cannot be seen: the ends of lines, as a rule.

    >>> print(readable("Zoë"), readable("a\x1b[2Jb\N{RIGHT-TO-LEFT OVERRIDE}c"))
    Zoë a\x1b[2Jb\u202ec
    """
    if text.isprintable():
        return text
    return "".join(one if one in ends or _is_seen(one) else _spelled(one) for one in text)


def readable_json(text: str) -> str:
    r"""The same of JSON, which stays JSON.

    >>> print(readable_json('["a\x7fb\N{RIGHT-TO-LEFT OVERRIDE}c\N{TAG LATIN SMALL LETTER D}"]'))
    ["a\u007fb\u202ec\udb40\udc64"]
    """
    return "".join(one if one == "\n" or _is_seen(one) else _quoted(one) for one in text)


def _is_seen(one: str) -> bool:
    return one.isprintable() or one in JOINERS or unicodedata.category(one) == "Zs"


def _spelled(one: str) -> str:
    return one.encode("unicode_escape").decode()


def _quoted(one: str) -> str:
    return f"\\u{ord(one):04x}" if one.isascii() else json.dumps(one)[1:-1]
