"""A sheet of paper to draw on, measured in points, that turns into the same bytes on every run.

matplotlib lays nothing out here: whoever draws says where everything goes and asks how wide a text is, so that nothing
overlaps or is cut off by surprise.
"""

from __future__ import annotations

import re
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias, cast, get_args

from kohort.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence
    from types import ModuleType

Format: TypeAlias = Literal["svg", "png"]

#: What a sheet can be written as; commands offer the first two for single pictures.
Written: TypeAlias = Literal["svg", "png", "pdf"]
Align: TypeAlias = Literal["left", "center", "right"]

#: The corners of a shape of some width and height about the origin, and the first one again.
Outline: TypeAlias = "list[tuple[float, float]]"

INK: Final = "#1f2933"
GREY: Final = "#52606d"
PALE: Final = "#cbd2d9"
PAPER: Final = "#ffffff"

#: Points of the running text, of a line of it, and of a headline. At 540 points the sheet fills a page of the
#: documentation, and 8 points are then 11 pixels.
SIZE: Final = 8.0
LINE: Final = 12.0
HEADLINE: Final = 10.0

#: Width of a space with what is free beside two letters, in sizes of the type.
SPACE: Final = 0.45

#: Points that stay free along the edges.
MARGIN: Final = 10.0

#: Points in an inch, and pixels: a picture on a screen with two pixels for one.
POINTS: Final = 72
PIXELS: Final = 144

#: What makes the bytes the same everywhere: glyphs as outlines, names of parts by content; a `$` is a `$`.
SETTINGS: Final = {
    "svg.hashsalt": "kohort",
    "svg.fonttype": "path",
    "text.parse_math": False,
    "path.snap": False,
    "lines.solid_capstyle": "butt",
}


def library(name: str = "matplotlib") -> ModuleType:
    """A module of matplotlib.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(
            "matplotlib is needed for pictures and is not installed", hint="pip install 'kohort[report]'"
        ) from None


def format_of(suffix: str) -> Format:
    """The format of a picture whose file's name ends so; refuses what cannot be drawn, before any work.

    Raises:
        UsageError: the suffix is neither `.svg` nor `.png`.
        MissingExtraError: matplotlib is not installed.
    """
    format_ = suffix.lower().removeprefix(".")
    if format_ not in get_args(Format):
        hint = "give it a name that ends in .svg or .png"
        raise UsageError("a picture is written as SVG or PNG", where="picture", hint=hint)
    library()
    return cast("Format", format_)


@dataclass(frozen=True, slots=True)
class Style:
    """How something is drawn.

    Attributes:
        outline: Its shape, by width and height.
        fill: Colour inside.
        edge: Colour of its edge.
        width: Points of its edge.
        text: Colour of what is written on it.
        bold: Whether that is bold.
        sign: Written before the levels.
    """

    outline: Callable[[float, float], Outline]
    fill: str
    edge: str
    width: float
    text: str = INK
    bold: bool = False
    sign: str = ""


@dataclass(slots=True)
class Sheet:
    """A sheet with its origin at the top left, y downward; it grows as long as it must.

    Attributes:
        width: Its width.
        figure: What matplotlib calls it, a `Figure`; its declared types leave most options unknown.
        axes: The whole of it, one unit a point.
        end: How far down it is drawn on.
    """

    width: float
    figure: Any
    axes: Any
    end: float = MARGIN

    @classmethod
    def of(cls, width: float) -> Self:
        """An empty sheet."""
        figure = library("matplotlib.figure").Figure(facecolor=PAPER)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        return cls(width, figure, axes)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = SIZE,
        color: str = INK,
        bold: bool = False,
        align: Align = "left",
        paper: bool = False,
    ) -> None:
        """Write one line, y its middle; with `paper` on a piece of paper that hides what is behind."""
        box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8} if paper else None
        weight = "bold" if bold else "normal"
        style = {"fontsize": size, "color": color, "fontweight": weight, "ha": align, "va": "center_baseline"}
        self.axes.text(x, y, text, bbox=box, **style)

    def paragraph(self, text: str, *, size: float = SIZE, bold: bool = False) -> None:
        """Write below what there is, in as many lines as it takes."""
        for line in wrapped(text.split(" "), self.width - 2 * MARGIN, size, bold=bold):
            self.text(MARGIN, self.end + size / 2, line, size=size, bold=bold)
            self.end += size * 1.5

    def line(self, xs: Sequence[float], ys: Sequence[float], *, width: float = 0.5, color: str = PALE) -> None:
        """Draw lines through points, behind all else; a point that is not a number parts two lines."""
        self.axes.plot(xs, ys, color=color, linewidth=width, zorder=1)

    def mark(self, places: Iterable[tuple[float, float]], style: Style, size: tuple[float, float]) -> None:
        """Draw a shape `size` wide and high at each of the places."""
        xs, ys = zip(*places, strict=True)
        path = library("matplotlib.path").Path(style.outline(*size), closed=True)
        marks = {"marker": path, "markersize": max(size), "markerfacecolor": style.fill}
        edge = {"markeredgecolor": style.edge, "markeredgewidth": style.width}
        self.axes.plot(xs, ys, linestyle="none", zorder=2, **marks, **edge)

    def bytes(self, format_: Written, title: str, description: str) -> bytes:
        """The sheet, cut below what was drawn, with what it shows in words for who cannot see it."""
        height = self.end + MARGIN
        self.figure.set_size_inches(self.width / POINTS, height / POINTS)
        self.axes.set(xlim=(0, self.width), ylim=(height, 0))
        file = BytesIO()
        metadata = {
            "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
            "png": {"Software": None, "Title": title, "Description": description},
            "pdf": {"CreationDate": None, "Creator": None, "Producer": None, "Title": title, "Subject": description},
        }[format_]
        with warnings.catch_warnings():  # a name in a script that the font lacks is drawn as boxes
            warnings.filterwarnings("ignore", "Glyph", UserWarning)
            self.figure.savefig(file, format=format_, dpi=PIXELS, metadata=metadata)
        return file.getvalue() if format_ != "svg" else _spoken(file.getvalue().decode(), title, description).encode()


@contextmanager
def settings() -> Generator[None]:
    """Draw by our own settings, whatever the user has told matplotlib."""
    matplotlib = library()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


@lru_cache(maxsize=1 << 12)  # each outline takes a good part of a millisecond, and charts ask again and again
def width_of(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """How wide a line of text is."""
    if not text:
        return 0.0
    font = library("matplotlib.font_manager").FontProperties(weight="bold" if bold else "normal")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        outline = library("matplotlib.textpath").TextPath((0, 0), text, size=size, prop=font)
    return float(outline.get_extents().x1)


def wrapped(words: Sequence[str], width: float, size: float, *, bold: bool = False) -> list[str]:
    """The words in lines that are at most `width` wide; a longer word stands alone."""
    lines, end = list[str](), 0.0
    for word in words:
        wide = width_of(word, size, bold=bold)
        if lines and end + SPACE * size + wide <= width:
            lines[-1] += f" {word}"
            end += SPACE * size + wide
        else:
            lines.append(word)
            end = wide
    return lines


def _spoken(svg: str, title: str, description: str) -> str:
    """The picture with a title and a description for those who hear it."""
    head = f"<title>{escape(title)}</title>\n <desc>{escape(description)}</desc>"
    return re.sub(r"<svg ([^>]*)>", lambda found: f'<svg role="img" {found[1]}>\n {head}', svg, count=1)
