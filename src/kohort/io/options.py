"""How a table is read: options for delimited text, and limits."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Final

from kohort.errors import UsageError
from kohort.errors.display import parameters

_MIB: Final = 2**20

#: Columns of a table at most, and letters of a column's name: a question of a survey has some hundreds.
MOST_COLUMNS: Final = 1 << 16
LONGEST_NAME: Final = 2_048

#: What ends a line or a cell cannot also separate or quote cells.
_RESERVED: Final = frozenset("\0\n\r")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReadOptions:
    r"""How to read a table; `trim`, `decimal` and `allow_empty` apply to every source, the others to text or sheets.

    Attributes:
        separator: The character between cells; if not given, detected among `,` `;` tab `|`.
        encoding: Any text encoding Python knows; a byte order mark is accepted.
        header: Whether the first record contains the column names; otherwise they are column_1, column_2, … `None`: it
            does, and a first record that looks like data is an error.
        names: The column names of a text without a header.
        trim: Remove the blanks around every cell and every column name.
        quote: The character around cells that contain separators, quotes or line ends; None if no character has this
            meaning.
        skip_rows: How many lines of a text, or rows of a sheet, stand above the column names: titles, blank lines.
        skip_blank: Skip lines without any character. Otherwise such a line is an empty value in a table with one
            column, even at its end; in a table with several columns it is an error, except at the end.
        allow_empty: Accept a table without records.
        decimal: The decimal mark of numbers in text, `,` or `.`; if not given, detected column by column. Numbers are
            released as they were written.
        max_cell: Greatest size of a cell in bytes. Free text stays far below 16 MiB; a forgotten quote soon exceeds it.
        max_memory: Greatest size in bytes of text in memory: compressed, piped or in another encoding. A plain file is
            mapped, not loaded, and has no limit.
        max_ratio: Greatest number of bytes that one compressed byte may become. Tables reach 5 to 50, bombs a thousand.

    >>> ReadOptions(separator=";", names=("age", "city")).has_header
    False
    >>> ReadOptions(separator="::")
    Traceback (most recent call last):
    kohort.errors.UsageError: separator must be one ASCII character, neither a line end nor the quote
    """

    separator: str | None = None
    encoding: str = "utf-8"
    header: bool | None = None
    names: tuple[str, ...] = ()
    trim: bool = False
    quote: str | None = '"'
    skip_rows: int | None = None
    skip_blank: bool = False
    allow_empty: bool = False
    decimal: str | None = None
    max_cell: int = 16 * _MIB
    max_memory: int = 16 * 1024 * _MIB
    max_ratio: int = 200

    def __post_init__(self) -> None:
        """Refuse what no text could be read with."""
        object.__setattr__(self, "names", tuple(self.names))
        if self.names and self.header:
            raise UsageError("names are given for a text with a header", hint="leave out the names or the header")
        if self.quote is not None and not _marks(self.quote):
            raise UsageError("quote must be one ASCII character, not a line end")
        if self.separator is not None and (not _marks(self.separator) or self.separator == self.quote):
            raise UsageError("separator must be one ASCII character, neither a line end nor the quote")
        try:
            "a".encode(self.encoding)  # an empty text would not be looked at
        except (LookupError, ValueError) as unknown:
            raise UsageError(
                f"{self.encoding!r} is no text encoding", hint="such as utf-8, cp1252, utf-16"
            ) from unknown
        if self.decimal not in {None, ",", "."}:
            raise UsageError("a decimal mark is a comma or a point", hint='write --decimal , (in Python decimal=",")')
        if self.skip_rows is not None and (type(self.skip_rows) is not int or self.skip_rows < 0):
            raise UsageError("skip-rows must be a count of rows", hint="write 3, say")
        if min(self.max_cell, self.max_memory, self.max_ratio) < 1:
            raise UsageError("a limit is at least 1")

    def __repr__(self) -> str:
        """What is set, in one line."""
        return parameters(self)

    @property
    def has_header(self) -> bool:
        """Whether the first record holds the column names."""
        return self.header is not False and not self.names

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes are read as they are."""
        return codecs.lookup(self.encoding).name in {"utf-8", "utf-8-sig"}


def _marks(character: str) -> bool:
    """Whether the character can separate or quote cells."""
    return len(character) == 1 and character.isascii() and character not in _RESERVED
