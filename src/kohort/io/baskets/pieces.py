"""Files of transactions that no memory holds, some whole transactions at a time: basket lines and the long form."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from kohort.io.baskets.options import BasketOptions, Form

if TYPE_CHECKING:
    from collections.abc import Iterator


#: The forms that can be read and written in pieces.
IN_PIECES: Final = frozenset({Form.BASKET, Form.LONG})

#: Bytes of a piece.
_PIECE: Final = 1 << 25


class Piece(NamedTuple):
    """Some transactions of a file.

    Attributes:
        content: Their bytes; the first piece of the long form begins with the header.
        header: What has to stand before them, so that they can be read by themselves.
    """

    content: bytes
    header: bytes


def pieces_of(file: BinaryIO, options: BasketOptions, size: int = 0) -> Iterator[Piece]:
    r"""The file in pieces of about `size` bytes, from where it stands; some 30 MB where none is said.

    >>> import io
    >>> long = BasketOptions(form=Form.LONG)
    >>> [piece.content for piece in pieces_of(io.BytesIO(b"t,item\n1,a\n1,b\n2,a\n2,c\n"), long, 15)]
    [b't,item\n1,a\n1,b\n', b'2,a\n2,c\n']
    """
    header = file.readline() if options.form is Form.LONG else b""
    left, before = header, b""
    while block := file.read(size or _PIECE):
        left += block
        start = len(header) - len(before)
        end = _end(left, start, options)
        if end > start:
            yield Piece(left[:end], before)
            left, before = left[end:], header
    if left:
        yield Piece(left, before)


def _end(content: bytes, start: int, options: BasketOptions) -> int:
    """Where the last transaction that may go on begins, from `start` on: in basket lines, behind the last line."""
    end = content.rfind(b"\n", start) + 1
    if options.form is Form.BASKET or not end:
        return end
    last = content.rfind(b"\n", 0, end - 1) + 1
    number = content[last : content.find((options.separator or ",").encode(), last) + 1]
    if content.startswith(number, start):
        return start
    return content.find(b"\n" + number, start, end) + 1
