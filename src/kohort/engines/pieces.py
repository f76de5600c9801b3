"""Pieces of lines that a cluster wrote, and the files that they become: each with its header, and so many records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

#: Bytes that are looked at together.
_BLOCK: Final = 1 << 22


def cut(pieces: Sequence[Path], header: str, files: Sequence[tuple[Path, int | None]]) -> None:
    r"""Write the records of all pieces, one after another, to some files.

    A record ends at a line end that is not within quotes. Cost: one pass over the bytes.

    Args:
        pieces: Files of whole records without a header.
        header: The first line of each file.
        files: Where they go, and how many records each gets; the last one all that are left where that is `None`.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     piece, one, two = (Path(folder, name) for name in "abc")
    ...     _ = piece.write_bytes(b'1\n"2\n3"\n4\n')
    ...     cut([piece], "age", [(one, 2), (two, 1)])
    ...     one.read_text(), two.read_text()
    ('age\n1\n"2\n3"\n', 'age\n4\n')
    """
    blocks = _Blocks(pieces)
    for path, records in files:
        with path.open("wb") as file:
            file.write(f"{header}\n".encode())
            for block in blocks.take(records):
                file.write(block)
    if not blocks.ended():
        raise FileError("the workers wrote more records than there are", hint="nothing was published; run again")


class _Blocks:
    """The bytes of pieces, and where records end in them."""

    def __init__(self, pieces: Sequence[Path]) -> None:
        self._left = self._read(pieces)
        self._block = b""
        self._ends = np.empty(0, np.int64)
        self._start = self._used = 0
        self._quoted = False

    @staticmethod
    def _read(pieces: Sequence[Path]) -> Iterator[bytes]:
        for path in pieces:
            with path.open("rb") as file:
                while block := file.read(_BLOCK):
                    yield block

    def ended(self) -> bool:
        """Whether no byte is left."""
        return self._start == len(self._block) and not self._next()

    def take(self, records: int | None) -> Iterator[bytes]:
        """The bytes of so many records more; of all that are left for `None`."""
        while records is None or records:
            if self.ended():
                if records is None:
                    return
                what = "the workers wrote fewer records than there are, or where this process does not see them"
                raise FileError(what, hint="name an output in a folder that every worker shares with this process")
            open_ = self._ends.size - self._used
            if records is None or open_ < records:
                end, taken = len(self._block), open_
            else:
                end, taken = int(self._ends[self._used + records - 1]), records
            yield self._block[self._start : end]
            self._start, self._used = end, self._used + taken
            records = None if records is None else records - taken

    def _next(self) -> bool:
        self._block = next(self._left, b"")
        found = np.frombuffer(self._block, np.uint8)
        ends = found == ord("\n")
        quotes = found == ord('"')
        if quotes.any() or (self._quoted and found.size):
            inside = np.logical_xor.accumulate(quotes) ^ self._quoted
            ends &= ~inside
            self._quoted = bool(inside[-1])
        self._ends, self._start, self._used = np.flatnonzero(ends) + 1, 0, 0
        return bool(self._block)
