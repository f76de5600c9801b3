"""A part of a page model with its place, and how it is written for people.

Whatever a page shows comes through here: texts without what could pass for markup or reorder a line, figures inside an
element that names their place in the page model and holds their exact value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kohort.errors import readable
from kohort.errors.display import HUGE
from kohort.report.figures import HUGEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.report import Json

#: From here on, digits after the point are of no interest.
LARGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A part of a page model.

    Parts are taken by key or index; one that is not there is null.

    >>> released = PageFigure({"done": {"released": 30000}})["done"]["released"]
    >>> released.json, released.place
    (30000, 'done.released')
    """

    json: Json
    path: tuple[str, ...] = ()

    def __getitem__(self, key: str | int) -> PageFigure:
        """The part of this name, or at this index."""
        part: Json = None
        match self.json, key:
            case dict(parts), str():
                part = parts.get(key)
            case list(parts), int() if key < len(parts):
                part = parts[key]
            case _:
                pass
        return PageFigure(part, (*self.path, str(key)))

    def __iter__(self) -> Iterator[PageFigure]:
        """The parts of a list; there are none of anything else."""
        return (self[index] for index in range(len(self)))

    def __len__(self) -> int:
        """How long a list is."""
        return len(self.json) if isinstance(self.json, list) else 0

    def __bool__(self) -> bool:
        """Whether there is anything: a figure of zero is something."""
        return self.json is not None and self.json not in ([], {}, "", False)

    def __eq__(self, other: object) -> bool:
        """Whether it is this value: `page.kind == "table"`."""
        if isinstance(other, PageFigure):
            return self.json == other.json and self.path == other.path
        return self.json == other

    __hash__ = None  # type: ignore[assignment]  # it may hold a list

    def __str__(self) -> str:
        """What it is to a reader."""
        return text(self)

    @property
    def place(self) -> str:
        """The path with points between its parts."""
        return ".".join(self.path)

    @property
    def number(self) -> int | float | None:
        """The value where it is a number that can be drawn."""
        if isinstance(self.json, bool) or not isinstance(self.json, (int, float)):
            return None
        return self.json if abs(self.json) < HUGEST else None

    def parts(self) -> Iterator[tuple[str, PageFigure]]:
        """Each key of an object with its part."""
        if isinstance(self.json, dict):
            for key in self.json:
                yield key, self[key]


def clean(written: str) -> str:
    r"""A text of one line with what cannot be seen spelled out.

    >>> print(clean("a\x00b\n"))
    a\x00b\n
    """
    return readable(written, ends="")


def text(figure: PageFigure) -> str:
    """What a part is in words.

    >>> [text(PageFigure(one)) for one in (None, True, 1234, "age", ["a", 2])]
    ['not shown', 'yes', '1,234', 'age', 'a, 2']
    """
    match figure.json:
        case None:
            return "not shown"
        case bool(yes):
            return "yes" if yes else "no"
        case str(written):
            return clean(written)
        case list():
            return ", ".join(map(text, figure))
        case dict():
            return ", ".join(f"{clean(key)}: {text(part)}" for key, part in figure.parts())
        case number:
            return written_number(number)


def percent(share: float) -> str:
    """A share in percent; what is not nothing, or not all, is never written as if it were.

    >>> percent(0.4648), percent(0.0), percent(0.00002), percent(0.99999), percent(1)
    ('46.5%', '0.0%', 'under 0.1%', 'over 99.9%', '100.0%')
    """
    written = f"{share:.1%}"
    if written in {"0.0%", "-0.0%"} and share:
        return "under 0.1%"
    return "over 99.9%" if written == "100.0%" and share < 1 else written


def written_number(number: float) -> str:
    """A number with as many digits as a reader wants.

    >>> written_number(30000), written_number(34512.4), written_number(0.052345), written_number(2.5)
    ('30,000', '34,512', '0.05235', '2.5')
    >>> written_number(3e20), written_number(10**30), written_number(1e-7)
    ('3e+20', '1e+30', '1e-07')
    """
    if abs(number) >= HUGE:
        return f"{float(number):.4g}" if abs(number) < HUGEST else "beyond 1e+300"
    if isinstance(number, int) or abs(number) >= LARGE:
        return f"{number:,.0f}"
    return f"{number:.4g}"
