"""How counts, shares, names and tables are written for a terminal."""

from __future__ import annotations

from itertools import zip_longest
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Final

from kohort.errors import readable
from kohort.errors.display import for_steward, many

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kohort.report.figures import BoundFigures

#: Names of items that are listed at once: two or three lines.
LISTED: Final = 20

#: The loss above which a release says so on its first lines.
DEAR: Final = 0.5


def screen(*parts: Iterable[str]) -> str:
    r"""Lines as one text, with an empty line between the parts that say anything.

    >>> screen(["a", "b"], [], ["c"])
    'a\nb\n\nc'
    """
    return "\n\n".join(text for part in parts if (text := "\n".join(part)))


def files(release: str | None, certificate: str | None, signed_by: str | None) -> Iterator[str]:
    """Where the release and its certificate are."""
    if release is not None:
        yield f"release      {readable(release, '')}"
        signed = "unsigned" if signed_by is None else f"signed by {signed_by}"
        yield f"certificate  {readable(str(certificate), '')} ({signed})"


def averaged_over(columns: int, constant: int) -> str:
    """What NCP is the mean over, where some columns have one value.

    >>> averaged_over(7, 2), averaged_over(7, 0)
    (' over 5 of 7 columns; 2 have one value', '')
    """
    some = f"{constant} {'has' if constant == 1 else 'have'} one value"
    return f" over {columns - constant} of {columns} columns; {some}" if 0 < constant < columns else ""


def bound_text(bound: BoundFigures | None) -> Iterator[str]:
    """How far a loss can be from the least possible; nothing where that was not computed."""
    if bound is None:
        return
    sampled = f" ± {bound.error:.4f}, from a sample of {many(bound.records, 'record')}" if bound.error else ""
    about = "about " if bound.error else ""
    times = (
        "" if bound.times is None else f": this one loses at most {about}{bound.times:,.1f} times the least possible"
    )
    yield f"  No release with these labels and this k has an NCP below {bound.ncp:.4f}{sampled}{times}"


def aligned(rows: Sequence[Sequence[str]], left: int = 0) -> list[str]:
    """Rows as lines, columns as wide as their widest cells: the first `left` to the left, the others to the right.

    >>> aligned([["city", "people"], ["Bari", "7"]], left=1)
    ['city  people', 'Bari       7']
    """
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    return [
        "  ".join(f"{cell:{'<' if at < left else '>'}{widths[at]}}" for at, cell in enumerate(row)).rstrip()
        for row in rows
    ]


def percent(share: float | None, missing: str = "-") -> str:
    """A share in percent; `missing` where there is none.

    >>> percent(0.4648), percent(None)
    ('46.5%', '-')
    """
    return missing if share is None else f"{share:.1%}"


def changed(before: float, after: float) -> str:
    """How much a figure changed, in percent of what it was; nothing where it did not, or was 0.

    >>> changed(40_164.2, 40_164.13), changed(200, 203), changed(200, 20_000), changed(0, 1)
    ('-0.0002%', '+1.5%', '+9,900.0%', '')
    """
    change = 100 * (after / before - 1) if before else 0.0
    if not change or not isfinite(change):
        return ""
    return f"{change if before > 0 else -change:+,.{max(1, -floor(log10(abs(change))))}f}%"


def text_file(text: str) -> bytes:
    """The bytes of a printed text that is kept in a file, for the steward."""
    return f"{readable(for_steward(text))}\n".encode()


def shown(name: str) -> str:
    r"""A name that is safe to print: control characters are escaped.

    >>> print(shown("tea"), shown("\x1b[2J"))
    tea '\x1b[2J'
    """
    return name if name.isprintable() else f"'{readable(name, '')}'"


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are.

    >>> listed(["tea", "jam"]), listed([str(number) for number in range(1, 1_024)])[-21:]
    ('tea, jam', '19, 20 and 1,003 more')
    """
    more = len(names) - LISTED
    return ", ".join(map(shown, names[:LISTED])) + (f" and {more:,} more" if more > 0 else "")
