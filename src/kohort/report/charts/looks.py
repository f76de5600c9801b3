"""How the lines of a chart look: each has a colour, a marker and dashes of its own."""

from __future__ import annotations

from typing import Final, NamedTuple


class Look(NamedTuple):
    """How a line is drawn: dark enough to be read on white, and told apart without its colour."""

    color: str
    marker: str
    dashes: str | tuple[float, tuple[float, ...]]


LOOKS: Final = (
    Look("#00704f", "o", "-"),
    Look("#0a5ea8", "s", (0, (6, 2))),
    Look("#a8420a", "^", (0, (3, 1.5))),
    Look("#52606d", "D", (0, (1, 1.5))),
    Look("#93397a", "v", (0, (6, 1.5, 1, 1.5))),
    Look("#7a5b00", "P", (0, (3, 1.5, 1, 1.5, 1, 1.5))),
    Look("#1f2933", "X", (0, (9, 2))),
)


def look(place: int) -> Look:
    """How the line at a place is drawn: of the first 49, no two with the same marker and dashes.

    >>> look(3) == LOOKS[3], look(7).marker == look(0).marker, look(7).dashes == look(0).dashes
    (True, True, False)
    """
    lap, many = place // len(LOOKS), len(LOOKS)
    color, marker = LOOKS[(place + 2 * lap) % many].color, LOOKS[place % many].marker
    return Look(color, marker, LOOKS[(place + lap) % many].dashes)
