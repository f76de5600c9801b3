"""Hierarchies of texts whose beginning or end says what they belong to, whatever their lengths."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from kohort.schema.hierarchy import SUPPRESSED, Hierarchy, fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


#: The quarters that one more character of a prefix falls into, and the halves; any other character is by itself.
_QUARTERS: Final = ("0-1", "2-4", "5-6", "7-9", "A-F", "G-M", "N-S", "T-Z")
_HALVES: Final = ("0-4", "5-9", "A-M", "N-Z")


def prefix(
    values: Iterable[str], lengths: Sequence[int] | None = None, *, halves: bool = False, name: str = ""
) -> Hierarchy:
    """Codes put together by their first characters: `SW1*` is every code that begins with `SW1`, and `SW1` too.

    A code that is shorter than a level's prefix stays whole there.

    Args:
        values: The codes, of any lengths.
        lengths: How many characters stay, from the shortest prefix, just below `*`, to the longest, ascending; every
            number below the longest code's length unless given.
        halves: Whether two levels follow each prefix that tell of its last character in which quarter of the digits
            or capitals it is, and in which half: `SW[2-4]*`, `SW[0-4]*`.
        name: The attribute, for messages.

    Raises:
        HierarchyError: lengths that do not ascend from 1 on.

    >>> list(prefix(["I10", "E11.9", "E11.0"], [1, 3]).rows())
    [('E11.0', 'E11*', 'E*', '*'), ('E11.9', 'E11*', 'E*', '*'), ('I10', 'I10*', 'I*', '*')]
    >>> prefix(["M1", "M20", "SW1A"]).labels[1:]
    (('M1', 'M20*', 'SW1*'), ('M1*', 'M2*', 'SW*'), ('M*', 'S*'), ('*',))
    >>> prefix(["00184", "10121", "90133"], [1], halves=True).labels[1:]
    (('0*', '1*', '9*'), ('[0-1]*', '[7-9]*'), ('[0-4]*', '[5-9]*'), ('*',))
    """

    def labels(text: str, length: int) -> tuple[str, ...]:
        before, last = text[: length - 1], text[length - 1]
        parts = (last, _part(last, _QUARTERS), _part(last, _HALVES)) if halves else (last,)
        return tuple(f"{before}{part}*" for part in parts)

    return _of_ends(values, lengths, labels, name)


def suffix(
    values: Iterable[str], lengths: Sequence[int] | None = None, *, halves: bool = False, name: str = ""
) -> Hierarchy:
    """The same by their last characters: `*1999` is every text that ends in `1999`; see `prefix`.

    Args:
        values: The texts, of any lengths.
        lengths: How many characters stay, ascending.
        halves: Whether, with a single length, further levels tell of the last two characters as `prefix` does of one:
            `*199[7-9]`, `*199[5-9]`, `*199?`, `*19[5-9]?`.
        name: The attribute, for messages.

    Raises:
        HierarchyError: lengths that do not ascend from 1 on, or halves of several.

    >>> list(suffix(["31.12.1999", "1.1.1999"], [4]).rows())
    [('1.1.1999', '*1999', '*'), ('31.12.1999', '*1999', '*')]
    >>> suffix(["3/97", "4/99"], [2], halves=True).labels[1:4]
    (('*97', '*99'), ('*9[7-9]',), ('*9[5-9]',))
    """
    if halves and len(lengths or ()) != 1:
        raise fault("the halves of suffixes need a single length", name)

    def labels(text: str, length: int) -> tuple[str, ...]:
        end = text[-length:]
        return (f"*{end}", *_widened(end)) if halves else (f"*{end}",)

    return _of_ends(values, lengths, labels, name)


def branching(values: Sequence[str], lengths: Sequence[int]) -> list[int]:
    """Those lengths of prefixes that tell codes apart, but not all, ascending.

    Of lengths that tell the same apart the first stays, at whose last character codes part, and the last, which says
    most.
    """
    nodes = [1, *(len({text[:length] for text in values}) for length in lengths), len(values)]
    return [
        length
        for length, before, here, after in zip(lengths, nodes, nodes[1:], nodes[2:], strict=False)
        if 1 < here < len(values) and not before == here == after
    ]


def _widened(end: str) -> Iterator[str]:
    """The labels above a suffix: its last character by quarter and half, then any, then the one before it."""
    for back in range(1, min(2, len(end)) + 1):
        before, sign, after = end[:-back], end[-back], "?" * (back - 1)
        yield from (f"*{before}{_part(sign, parts)}{after}" for parts in (_QUARTERS, _HALVES))
        if before:
            yield f"*{before}?{after}"


def _part(sign: str, parts: Sequence[str]) -> str:
    """The part of the digits or capitals that a character is in, as a label has it; another as it is."""
    return next((f"[{part}]" for part in parts if part[0] <= sign <= part[-1]), sign)


def _of_ends(
    values: Iterable[str], lengths: Sequence[int] | None, labels: Callable[[str, int], tuple[str, ...]], name: str
) -> Hierarchy:
    """Texts put together by one of their ends; what is shorter than it stays as it is."""
    texts = sorted(set(values))
    kept = range(1, max(map(len, texts), default=0)) if lengths is None else lengths
    if any(low >= high for low, high in pairwise((0, *kept))):
        raise fault("the lengths of prefixes and suffixes must ascend from 1 on", name)
    longest_first = kept[::-1]

    def row(text: str) -> Iterator[str]:
        yield text
        for length in longest_first:
            found = labels(text.ljust(length), length)
            yield from found if len(text) >= length else (text,) * len(found)
        yield SUPPRESSED

    return Hierarchy.from_rows((tuple(row(text)) for text in texts), name=name)
