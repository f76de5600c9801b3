"""In which form transactions seem to lie in a file, and whether it is likely to be a table instead: a proposal.

Nothing reads a file by it unasked: which form is meant stands in a job, where people correct it.
"""

from __future__ import annotations

import zlib
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.errors import KohortError
from kohort.io.source import GZIP, form, mapped
from kohort.transactions.io.options import Form

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kohort.io.source import Content

#: Bytes that are looked at: some hundred lines of text.
_LOOK: Final = 1 << 16

#: What zlib calls gzip.
_UNZIP: Final = 31

#: Between items or cells, where blanks are not.
_SEPARATORS: Final = (",", ";", "\t", "|")

#: A table has the same number of cells in its lines; baskets, whose lengths differ, in fewer lines than this share.
_EVEN: Final = 0.6

#: What the cells of a matrix are.
_BITS: Final = frozenset({"0", "1"})


class DetectedForm(NamedTuple):
    """How transactions seem to lie in a file.

    Attributes:
        form: The form.
        separator: Between items or cells, where it is another than the form's own.
        sure: Whether the file can hardly be a table.
    """

    form: Form
    separator: str | None = None
    sure: bool = False


def seen_in(path: Path) -> DetectedForm:
    """How transactions seem to lie in a file; one that cannot be read as what it is says so when it is read.

    Raises:
        FileError: the system fails to read it.
    """
    content = mapped(str(path))
    try:
        kind = form(path.name, content)
    except KohortError:
        return DetectedForm(Form.BASKET)
    if kind in {"Parquet", "Arrow"}:
        return _of_columns(path, kind)
    return in_lines(_lines(content))


def _of_columns(path: Path, kind: str) -> DetectedForm:
    """Of typed columns: a column of lists is of transactions."""
    import polars as pl  # noqa: PLC0415  it is loaded when something is read

    from kohort.io.typed import scanned  # noqa: PLC0415

    try:
        with path.open("rb") as file, scanned(file, kind, path.name) as lazy:
            types = lazy.collect_schema().dtypes()
    except KohortError:
        return DetectedForm(Form.LISTS)
    if any(isinstance(one, pl.List | pl.Array) for one in types):
        return DetectedForm(Form.LISTS, sure=True)
    bits = all(one == pl.Boolean for one in types)
    return DetectedForm(Form.MATRIX_HEADER if bits else Form.LONG)


def _lines(content: Content) -> list[str]:
    """The first lines, without the last one where it may be cut."""
    head = bytes(content[:_LOOK])
    if head.startswith(GZIP):
        with suppress(zlib.error):
            head = zlib.decompressobj(_UNZIP).decompress(head, _LOOK)
    lines = head.decode("utf-8-sig", "replace").splitlines()
    return lines[:-1] if len(content) > _LOOK or len(head) == _LOOK else lines


def in_lines(lines: Sequence[str]) -> DetectedForm:
    """The same of the first lines of a text.

    >>> in_lines(["1 2 3", "2", "3 4"]).form, in_lines(["bread,milk", "tea", "milk,tea,bread"])
    (<Form.BASKET: 'basket'>, DetectedForm(form=<Form.BASKET: 'basket'>, separator=',', sure=True))
    >>> in_lines(["receipt,item", "1,bread", "1,milk"]), in_lines(["bread,milk,tea", "1,0,0", "1,1,0"]).form
    (DetectedForm(form=<Form.LONG: 'long'>, separator=None, sure=False), <Form.MATRIX_HEADER: 'matrix-header'>)
    """
    held = [line for line in lines if line.strip()]
    found = Counter(one for line in held for one in _SEPARATORS if one in line)
    if not found:
        return _in_blanks([line.split() for line in held])
    separator = found.most_common(1)[0][0]
    rows = [line.split(separator) for line in held]
    if _is_ragged(rows):
        quoted = any('"' in line for line in held)
        return DetectedForm(Form.BASKET, separator, sure=not quoted)
    if frozenset(cell.strip() for row in rows[1:] for cell in row) == _BITS:
        return DetectedForm(Form.MATRIX if _BITS.issuperset(rows[0]) else Form.MATRIX_HEADER)
    return DetectedForm(Form.LONG)


def _in_blanks(rows: Sequence[Sequence[str]]) -> DetectedForm:
    """Of lines without another separator: numbers without a head, or lines of many lengths, are no table."""
    numbers = bool(rows) and len(rows[0]) > 1 and all(cell.isdecimal() for row in rows for cell in row)
    return DetectedForm(Form.BASKET, sure=numbers or _is_ragged(rows))


def _is_ragged(rows: Sequence[Sequence[str]]) -> bool:
    lengths = Counter(map(len, rows))
    return bool(rows) and lengths.most_common(1)[0][1] < _EVEN * len(rows)
