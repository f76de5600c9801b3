"""Figures of matplotlib: our settings, a layout around a plot of a given height, scales and their ticks.

The bytes of a figure depend on nothing but what it shows.
"""

from __future__ import annotations

import logging
import warnings
from abc import ABC, abstractmethod
from base64 import b64encode
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from math import floor, log10
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, get_args
from unicodedata import east_asian_width
from xml.dom import minidom

from kohort import system
from kohort.errors import FileError, UsageError
from kohort.errors.display import HUGE, four_digits

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from matplotlib.figure import Figure

#: The formats of pictures.
Format: TypeAlias = Literal["png", "pdf", "svg", "jpg"]

INK: Final = "#1f2933"
GREY: Final = "#52606d"
PALE: Final = "#cbd2d9"
PAPER: Final = "#ffffff"

#: Points of the running text, of a line of it, and of a headline. At 540 points a picture fills a page of the
#: documentation, and 8 points are then 11 pixels.
SIZE: Final = 8.0
LINE: Final = 12.0
HEADLINE: Final = 10.0

#: Points that stay free along the edges.
MARGIN: Final = 10.0

#: Width of a space with what is free beside two letters, and of the narrowest and the widest letter, in sizes of the
#: type.
SPACE: Final = 0.45
NARROWEST: Final = 0.25
WIDEST: Final = 1.2

#: Quality of a JPG, of 95 at most: text stays sharp.
QUALITY: Final = 92

#: Points in an inch, and pixels: a picture on a screen with two pixels for one.
POINTS: Final = 72
PIXELS: Final = 144

#: Control characters and others that XML refuses, and what takes their place: nothing.
_NOT_XML: Final = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF))

#: What makes the bytes the same everywhere: glyphs as outlines, names of parts by content; a `$` is a `$`.
SETTINGS: Final = {
    "svg.hashsalt": "kohort",
    "svg.fonttype": "path",
    "text.parse_math": False,
    "path.snap": False,
    "lines.solid_capstyle": "butt",
    "hatch.linewidth": 0.7,
    "pdf.fonttype": 42,  # letters that journals accept
    "font.size": SIZE,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "ytick.major.size": 0,
    "grid.color": "#dde2e7",
    "grid.linewidth": 0.5,
}


def library(name: str = "matplotlib") -> Any:  # noqa: ANN401  a module that may be absent
    """A module of matplotlib."""
    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)  # that it finds no folder for its fonts, or has to look for them, is no fault of a run
    try:
        return system.import_optional(name, "for pictures", "report", called="matplotlib")
    except OSError:
        what = "matplotlib, which draws pictures, finds no folder that it can write to"
        raise FileError(what, hint="name one in MPLCONFIGDIR") from None
    finally:
        log.setLevel(level)


def format_of(suffix: str) -> Format:
    """The format of a picture whose file's name ends so; refuses what cannot be drawn, before any work."""
    format_ = suffix.lower().removeprefix(".").replace("jpeg", "jpg")
    if format_ not in get_args(Format):
        hint = "give it a name that ends in .svg, .png, .pdf or .jpg"
        raise UsageError("a picture is written as SVG, PNG, PDF or JPG", where="picture", hint=hint)
    library()
    return cast("Format", format_)


@contextmanager
def settings() -> Generator[None]:
    """Draw by our own settings, whatever the user has told matplotlib."""
    matplotlib = library()
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # a name in a script that the font lacks: boxes
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


def new_figure(width: float, margin: float = MARGIN) -> Any:  # noqa: ANN401  types of matplotlib leave most unknown
    """A figure of matplotlib, so many points wide, that matplotlib lays out."""
    size = (width / POINTS, width / POINTS)
    figure = library("matplotlib.figure").Figure(figsize=size, dpi=PIXELS, facecolor=PAPER, layout="constrained")
    figure.get_layout_engine().set(w_pad=margin / POINTS, h_pad=min(margin, SIZE) / POINTS)
    library("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)  # remembers how wide letters are
    return figure


def arrange(axes: Any, height: float, *around: Any, turned: bool = False) -> None:  # noqa: ANN401  types of matplotlib
    """Let matplotlib lay a figure out around a plot of this height in points; the layout then stays as it is.

    Where labels of values would cover each other, they are turned upright, or as many at equal distances are written
    as there is room for. Letters that our font lacks are given the room of a wide one: a reader's font may have them.
    """
    figure = axes.figure
    texts = [(text, text.get_text()) for text in figure.findobj(library("matplotlib.text").Text)]
    for text, written in texts:
        text.set_text("".join("‰" if _foreign(letter) else letter for letter in written))
    _lay_out(axes, height, around)
    boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
    every = next((step for step in range(1, len(boxes)) if _apart(boxes[::step])), len(boxes))
    if every > 1 and turned:
        axes.tick_params(axis="x", rotation=90)
        _lay_out(axes, height, around)
    elif every > 1:
        labels = [label.get_text() for label in axes.get_xticklabels()]
        shown = [label if place % every == 0 else "" for place, label in enumerate(labels)]
        axes.set_xticks(axes.get_xticks(), shown)
    figure.set_layout_engine("none")
    for text, written in texts:
        text.set_text(written)


def _lay_out(axes: Any, height: float, around: Sequence[Any]) -> None:  # noqa: ANN401  types of matplotlib
    """Make the figure as high as it must be, and let matplotlib give everything its room."""
    figure = axes.figure
    engine = figure.get_layout_engine()
    needed = axes.get_tightbbox().height - axes.get_window_extent().height
    needed += sum(text.get_window_extent().height for text in around)
    figure.set_figheight(height / POINTS + needed / figure.dpi + 2 * (1 + len(around)) * engine.get()["h_pad"])
    engine.execute(figure)


def _apart(boxes: Sequence[Any]) -> bool:
    return all(before.x1 + SIZE * PIXELS / POINTS <= after.x0 for before, after in pairwise(boxes))


@lru_cache(maxsize=1)
def _font() -> Any:  # noqa: ANN401  the type is private to matplotlib
    """The font that pictures are drawn in, our own copy of it; nearly every system's own is narrower."""
    manager = library("matplotlib.font_manager")
    return library("matplotlib.ft2font").FT2Font(manager.findfont(manager.FontProperties(family="DejaVu Sans")))


@lru_cache(maxsize=4096)
def _foreign(letter: str) -> bool:
    """Whether another font must draw a letter."""
    return letter != "\n" and (east_asian_width(letter) in "WF" or not _font().get_char_index(ord(letter)))


def encoded(figure: Any, format_: Format, title: str, description: str) -> bytes:  # noqa: ANN401  of matplotlib
    """A figure as a picture, with what it shows in words for those who cannot see it."""
    options: dict[str, dict[str, Any]] = {
        "svg": {"metadata": {"Date": None, "Creator": None, "Format": None, "Type": None}},
        "png": {"metadata": {"Software": None, "Title": title, "Description": description}},
        "pdf": {
            "metadata": {
                "CreationDate": None,
                "Creator": None,
                "Producer": None,
                "Title": title,
                "Subject": description,
            }
        },
        "jpg": {"pil_kwargs": {"quality": QUALITY, "subsampling": 0, "comment": f"{title}\n{description}".encode()}},
    }
    name = {"svg": "SVG", "png": "Agg", "pdf": "Pdf", "jpg": "Agg"}[format_]
    canvas = getattr(library(f"matplotlib.backends.backend_{name.lower()}"), f"FigureCanvas{name}")(figure)
    file = BytesIO()
    getattr(canvas, f"print_{format_}")(file, **options[format_])
    return file.getvalue() if format_ != "svg" else _spoken(file.getvalue().decode(), title, description)


class Picture(ABC):
    """What can be drawn: a title, a figure of matplotlib, and the same in words for those who cannot see it."""

    __slots__ = ()
    title: str

    @abstractmethod
    def words(self) -> str:
        """The chart in words."""

    @abstractmethod
    def figure(self) -> Any:  # noqa: ANN401  a type of matplotlib
        """The chart drawn by matplotlib, under our own settings."""

    def bytes(self, format_: Format) -> bytes:
        """The chart as a picture; the same bytes whenever it is the same."""
        with settings():
            return encoded(self.figure(), format_, self.title, self.words())

    def plot(self) -> Figure:
        """The chart as a figure that a notebook shows whether or not pyplot is loaded, whatever its settings are.

        The figure belongs to no window and need not be closed.
        """
        with settings():
            figure: Figure = self.figure()

        def shown(**_: object) -> tuple[dict[str, str], dict[str, dict[str, object]]]:
            """The figure as IPython wants it: its picture, and how wide that is on a screen, in pixels of 1/96 inch."""
            with settings():
                picture = encoded(figure, "png", self.title, self.words())
            known: dict[str, object] = {
                "alt": f"{self.title}. {self.words()}",
                "width": round(96 * figure.get_figwidth()),
            }
            return {"image/png": b64encode(picture).decode()}, {"image/png": known}

        setattr(figure, "_repr_mimebundle_", shown)  # noqa: B010  types of matplotlib have no such method
        return figure


def _spoken(svg: str, title: str, description: str) -> bytes:
    """The picture with a title and a description for those who hear it, without characters that XML has no form of."""
    document = minidom.parseString(svg.translate(_NOT_XML))  # noqa: S318  matplotlib wrote it, a moment ago
    root = document.getElementsByTagName("svg")[0]
    root.setAttribute("role", "img")
    for tag, text in (("desc", description), ("title", title)):
        part = document.createElement(tag)
        part.appendChild(document.createTextNode(text.translate(_NOT_XML)))
        root.insertBefore(part, root.firstChild)
    return document.toxml(encoding="utf-8")


@lru_cache(maxsize=1 << 12)  # each outline takes a good part of a millisecond, and charts ask again and again
def width_of(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """How wide a line of text is."""
    if not text:
        return 0.0
    font = library("matplotlib.font_manager").FontProperties(weight="bold" if bold else "normal")
    outline = library("matplotlib.textpath").TextPath((0, 0), text, size=size, prop=font)
    return float(outline.get_extents().x1)


def wrapped(words: Sequence[str], width: float, size: float = SIZE, *, bold: bool = False) -> list[str]:
    """The words in lines that are at most `width` wide; a wider word is broken."""
    lines, end = list[str](), 0.0
    parts = [pair for word in words for pair in enumerate(_parts(word, width, size, bold=bold))]
    for nth, part in parts:
        wide = width_of(part, size, bold=bold)
        if lines and not nth and end + SPACE * size + wide <= width:
            lines[-1] += f" {part}"
            end += SPACE * size + wide
        else:
            lines.append(part)
            end = wide
    return lines


def _parts(word: str, width: float, size: float, *, bold: bool) -> list[str]:
    """A word, or its parts where it is too wide."""
    if len(word) * NARROWEST * size <= width and width_of(word, size, bold=bold) <= width:
        return [word]
    most = max(1, int(width / size / WIDEST))
    return [word[start : start + most] for start in range(0, len(word), most)]


def paragraphs(texts: Sequence[str], width: float, size: float = SIZE, *, bold: bool = False) -> str:
    """Texts in lines that fit, one below the other."""
    return "\n".join(line for text in texts for line in wrapped(text.split(" "), width, size, bold=bold))


#: How far an axis goes beyond the greatest figure, as a ratio; and on both sides of a logarithmic one.
BEYOND: Final = 1.06
AROUND: Final = 1.15

#: So many ticks at least; from a thousand on numbers are whole and their digits grouped, until these are too many.
TICKS: Final = 3
THOUSAND: Final = 1_000

#: The first digits of ticks on a logarithmic axis: as few of them as give enough ticks.
_DIGITS: Final = ((1,), (1, 3), (1, 2, 5), tuple(range(1, 10)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisScale:
    """How figures are written, and how they lie along an axis.

    Attributes:
        share: Whether they are shares: written in percent, and never more than all.
        base: Where the axis begins: the least figure that there can be.
        logarithmic: Whether equal ratios lie equally far apart; then all figures are greater than 0, and the axis
            begins near the least one.

    >>> AxisScale(share=True).said(0.125), AxisScale().said(0.125), AxisScale().said(1234567.0)
    ('12.50%', '0.125', '1,234,567')
    >>> [AxisScale().label(tick) for tick in AxisScale(logarithmic=True).ticks(15, 4000)]
    ['30', '100', '300', '1,000', '3,000']
    """

    share: bool = False
    base: float = 0.0
    logarithmic: bool = False

    def said(self, figure: float) -> str:
        """A figure in words."""
        return f"{figure:.2%}" if self.share else four_digits(figure)

    def label(self, figure: float) -> str:
        """A round figure, written short."""
        if self.share:
            return f"{100 * figure:.6g} %"
        return f"{figure:,.0f}" if THOUSAND <= abs(figure) < HUGE else f"{figure:.6g}"

    def ends(self, figures: Sequence[float]) -> tuple[float, float]:
        """Where an axis for these figures begins and ends."""
        if self.logarithmic:
            return min(figures, default=1.0) / AROUND, max(figures, default=1.0) * AROUND
        most = self.base + (max(figures, default=self.base) - self.base) * BEYOND
        most = min(most, 1.0) if self.share else most
        return self.base, most if most > self.base else self.base + 1.0

    def ticks(self, least: float, most: float) -> list[float]:
        """Round figures between the ends."""
        if self.logarithmic:
            decades = range(floor(log10(least)), floor(log10(most)) + 1)
            for digits in _DIGITS:
                rounds = [float(f"{digit}e{power}") for power in decades for digit in digits]
                found = [figure for figure in rounds if least <= figure <= most]
                if len(found) >= TICKS:
                    return found
        rounds = library("matplotlib.ticker").MaxNLocator(6, steps=(1, 2, 2.5, 5, 10)).tick_values(least, most).tolist()
        return [figure for figure in rounds if least <= figure <= most]

    def lay(self, axis: Any, figures: Sequence[float]) -> None:  # noqa: ANN401  a type of matplotlib
        """Give an axis ends and ticks for these figures."""
        ends, name = self.ends(figures), axis.axis_name
        axis.axes.set(**{f"{name}scale": "log" if self.logarithmic else "linear", f"{name}lim": ends})
        axis.set_minor_locator(library("matplotlib.ticker").NullLocator())
        ticks = self.ticks(*ends)
        axis.set_ticks(ticks, [self.label(tick) for tick in ticks])


PLAIN: Final = AxisScale()
PERCENT: Final = AxisScale(share=True)
