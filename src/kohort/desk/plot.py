"""A plot of settings on a page: axes with ticks, a mark for each setting, and its value beside the mark.

Places are shares of the plot, so that it is drawn at any width with text of the page's size. Methods differ by shape as
well as by color.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from kohort.report.page.audience import step
from kohort.report.render.page.figure import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: The size in pixels that labels are laid out for, of the plot, of a letter and of a line; marks keep free of labels.
WIDE: Final = 620
TALL: Final = 320
LETTER: Final = 7.5
HIGH: Final = 17
MARK: Final = 8

#: Shapes, told apart without their colors, as paths about their middle.
SHAPES: Final = (
    "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0Z",
    "M-5.5 -5.5H5.5V5.5H-5.5Z",
    "M0 -7L7 5.5H-7Z",
    "M0 -7.5L7.5 0L0 7.5L-7.5 0Z",
    "M0 7L-7 -5.5H7Z",
    "M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
    "M-6 -6L0 -2L6 -6L2 0L6 6L0 2L-6 6L-2 0Z",
)

#: Where a label is tried: pixels from its mark, and where it is anchored.
_SIDES: Final = ((11, -8, "start"), (-11, -8, "end"), (11, 18, "start"), (-11, 18, "end"), (0, -14, "middle"))


class Setting(NamedTuple):
    """A setting to draw.

    Attributes:
        x: How far to the right.
        y: How far up, as a share.
        label: What is written beside its mark.
        method: What its shape stands for.
        words: What it is and gives, in a sentence.
        row: The id of its row in the table below.
        best: Whether its mark is filled.
        knee: Whether it has a ring.
        now: Whether the job has it.
    """

    x: float
    y: float
    label: str
    method: str
    words: str
    row: str
    best: bool = True
    knee: bool = False
    now: bool = False


#: A place in the plot, in percent from the left and the top.
Place: TypeAlias = tuple[float, float]


class Mark(NamedTuple):
    """A setting where it is drawn; its label has no place where others leave no room."""

    setting: Setting
    at: Place
    shape: int
    label: tuple[float, float, str] | None


class Plot(NamedTuple):
    """What is drawn.

    Attributes:
        marks: The settings, the ones that matter last, so that others do not hide them.
        across: Ticks across, each with its percent from the left.
        up: Ticks upward, each with its percent from the top.
        lines: Lines from place to place, each with the shape of its method.
        methods: The methods that are drawn, each with its shape.
    """

    marks: tuple[Mark, ...]
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    lines: tuple[tuple[Place, Place, int], ...]
    methods: tuple[tuple[str, int], ...]


def plot_of(settings: Sequence[Setting], ticks: Sequence[str] = ()) -> Plot | None:
    """The plot of some settings; `None` of none.

    Args:
        settings: What is drawn.
        ticks: What stands at x = 0, 1, …: settings of a method are then joined. Without, x is a share, and the best
            settings are joined.

    >>> of = ("mondrian", "", "row")
    >>> found = plot_of([Setting(0.1, 0.4, "k = 10", *of), Setting(0.5, 0.1, "k = 2", *of)])
    >>> [tick for _, tick in found.across], [mark.at for mark in found.marks]
    (['0.0%', '10.0%', '20.0%', '30.0%', '40.0%', '50.0%'], [(20.0, 0.0), (100.0, 75.0)])
    """
    if not settings:
        return None
    methods = {name: place % len(SHAPES) for place, name in enumerate(dict.fromkeys(one.method for one in settings))}
    up, top = _ticks(max(one.y for one in settings))
    across, right = _ticks(max(one.x for one in settings))
    if ticks:
        right = max(len(ticks) - 1, 1)
        across = tuple((100 * place / right, tick) for place, tick in enumerate(ticks))
    placed = [(one, (round(100 * one.x / right, 2), round(100 - 100 * one.y / top, 2))) for one in settings]
    placed.sort(key=lambda pair: (pair[0].knee, pair[0].now, pair[0].best))
    labels = _labels(placed[::-1])
    marks = tuple(Mark(one, at, methods[one.method], labels.get(place)) for place, (one, at) in enumerate(placed[::-1]))
    lines = [
        (before, after, methods[name] if ticks else -1)
        for name in (methods if ticks else ("",))
        for before, after in pairwise(sorted(at for one, at in placed if (one.method == name if ticks else one.best)))
    ]
    return Plot(marks[::-1], across, tuple((100 - at, text) for at, text in up), tuple(lines), tuple(methods.items()))


def _ticks(most: float) -> tuple[tuple[tuple[float, str], ...], float]:
    """Round shares from 0 to at least this one, each with its percent of the way; and the last of them."""
    wide = step(max(most, 0.001) / 5)
    many = max(1, ceil(most / wide - 1e-9))
    return tuple((100 * place / many, percent(round(place * wide, 9))) for place in range(many + 1)), many * wide


def _labels(placed: Sequence[tuple[Setting, Place]]) -> dict[int, tuple[float, float, str]]:
    """Where labels have room beside the marks and the labels before them, by the place of their setting."""
    taken = [(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in (_pixels(at) for _, at in placed)]
    found: dict[int, tuple[float, float, str]] = {}
    for place, (one, at) in enumerate(placed):
        near = (other for before, (other, there) in enumerate(placed[:place]) if before in found and _near(at, there))
        if one.label in {part for other in near for part in (other.label, other.label.removeprefix("knee: "))}:
            continue  # written already
        others = taken[:place] + taken[place + 1 :]
        for side, box in _boxes(one.label, _pixels(at)):
            inside = box[0] >= 0 and box[2] <= WIDE + 60 and box[1] >= -HIGH
            if inside and not any(_meet(box, other) for other in others):
                found[place] = side
                taken.append(box)
                break
    return found


def _near(one: Place, other: Place) -> bool:
    (x, y), (right, down) = _pixels(one), _pixels(other)
    return abs(x - right) < 2 * MARK and abs(y - down) < 2 * MARK


def _pixels(at: Place) -> tuple[float, float]:
    return at[0] / 100 * WIDE, at[1] / 100 * TALL


def _boxes(
    label: str, middle: tuple[float, float]
) -> Iterator[tuple[tuple[float, float, str], tuple[float, float, float, float]]]:
    long = LETTER * len(label)
    for right, down, anchor in _SIDES:
        x = middle[0] + right - {"start": 0.0, "middle": long / 2, "end": long}[anchor]
        bottom = middle[1] + down
        yield (right, down, anchor), (x, bottom - HIGH + 3, x + long, bottom + 3)


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
