"""A page model as HTML, its charts as parts of the page or as files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from kohort.errors import MissingExtraError
from kohort.metrics.known import METRICS
from kohort.perturbation.text import outcome
from kohort.report.charts.bars import FILLED
from kohort.report.charts.canvas import GREY, INK, PALE, PAPER, encoded, library, settings
from kohort.report.render.page import chart
from kohort.report.render.page.chart import chart_list
from kohort.report.render.page.figure import PageFigure, clean, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from xml.etree.ElementTree import Element

    from jinja2 import Template

    from kohort.report.charts.canvas import Format
    from kohort.report.page import Page
    from kohort.report.render.page.chart import Chart, ChartRow, Form


@dataclass(frozen=True, slots=True)
class Plate:
    """A chart that can be written to a file."""

    chart: Chart

    def bytes(self, format: Format) -> bytes:  # noqa: A002  as everywhere that writes pictures
        """The chart as a picture; the same bytes whenever the page model is the same."""
        with settings():
            figure = self.chart.bars(headline=True).figure()
            return encoded(figure, format, self.chart.title, self.chart.words())


def charts(page: Page) -> Mapping[str, Plate]:
    """The charts of a page, by names that a file can have."""
    library()
    return {chart.key: Plate(chart) for chart in chart_list(PageFigure(page.as_json()))}


def html(page: Page) -> str:
    """The page as one file of HTML; the same page model makes the same bytes.

    Raises:
        MissingExtraError: jinja2 or matplotlib is not installed.
    """
    library()
    try:
        from kohort.report.render.page.page import template  # noqa: PLC0415  jinja2 comes with an extra
    except ImportError:
        raise MissingExtraError(
            "jinja2 is needed for pages and is not installed", hint="pip install 'kohort[report]'"
        ) from None
    figures = PageFigure(page.as_json())
    with settings(**{"svg.fonttype": "none"}):  # letters stay text
        pictures = {chart.place: (chart, _picture(chart)) for chart in chart_list(figures)}
    return template().render(page=figures, pictures=pictures)


def _picture(chart: Chart) -> str:
    """The chart as an element of a page, where its title stands beside it."""
    figure = chart.bars(headline=False).figure()
    figure.patch.set_visible(False)
    return inline(encoded(figure, "svg", chart.title, chart.words()), chart.key)


#: What a figure that is not shown is called on the page.
UNKNOWN: Final = Markup('<span class="untold">not shown</span>')

#: What words of the page model are on the page, where they differ.
_ROLES: Final = {"quasi": "quasi-identifying", "drop": "dropped"}
_QUANTILES: Final = {"0": "Least", "0.25": "Lower quartile", "0.5": "Median", "0.75": "Upper quartile", "1": "Greatest"}
_MEASURES: Final = {"cramers v": "Cramér's V"}
_METRICS: Final = {**{name: metric.shown.symbol for name, metric in METRICS.items()}, "distortion": "Distortion"}


class _Environment(Environment):
    """Templates in which a point takes a part of a figure: `page.done.released`."""

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401  jinja's own signature
        """A part of a figure by its key; of anything else, its attribute."""
        return obj[attribute] if isinstance(obj, PageFigure) else super().getattr(obj, attribute)


def templates(package: str, filters: Mapping[str, Callable[..., object]]) -> Environment:
    """The templates of a package: every value is escaped, and a name that nobody gave is an error."""
    made = _Environment(
        loader=PackageLoader(package), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    made.filters.update(filters)
    return made


@lru_cache(maxsize=1)
def template() -> Template:
    """The page's template."""
    environment = templates("kohort.report.render.page", _filters())
    environment.tests["known"] = _is_known
    return environment.get_template("page.html.jinja")


def _filters() -> dict[str, Callable[..., object]]:
    """What templates do with figures, by the names that they use."""
    return {
        "count": figured,
        "percent": partial(figured, form="share"),
        "exactly": partial(figured, form="exact"),
        "figured": figured,
        "heading": heading,
        "name": name,
        "text": text,
        "spoken": clean,
        "picture": Markup,
        "leaves": leaves,
        "parts": PageFigure.parts,
        "place": _place,
        "number": _number,
        "role": partial(called, _ROLES),
        "measure": partial(called, _MEASURES),
        "metric": partial(called, _METRICS),
        "quantile": quantile,
        "most_moved": most_moved,
        "cell": cell,
        "by_outcome": by_outcome,
        "of_role": of_role,
        "unchanged": unchanged,
        "undeclared": undeclared,
        "worst": worst,
    }


def _is_known(value: Any) -> bool:  # noqa: ANN401  jinja's own signature
    return value.json is not None


def _place(figure: PageFigure) -> str:
    return figure.place


def _number(figure: PageFigure) -> float:
    return figure.number or 0


def figured(figure: PageFigure, form: Form = "number") -> Markup:
    """A figure in an element that holds its exact value and its place in the page model; anything but a number as text.

    >>> print(figured(PageFigure(30000, ("done", "released"))))
    <data value="30000" data-figure="done.released">30,000</data>
    >>> print(figured(PageFigure(None)), figured(PageFigure("<i>")))
    <span class="untold">not shown</span> <bdi>&lt;i&gt;</bdi>
    """
    if figure.json is None:
        return UNKNOWN
    if not isinstance(figure.json, (bool, int, float)):
        return name(figure)
    shown = text(figure) if figure.number is None else chart.written(figure, form)
    return Markup('<data value="{}" data-figure="{}">{}</data>').format(figure.exact, clean(figure.place), shown)


def name(figure: PageFigure | str) -> Markup:
    r"""A name that somebody else chose, whichever way it is written; a long one may go on after an underscore.

    >>> print(name("a\N{RIGHT-TO-LEFT OVERRIDE}b"))
    <bdi>a\u202eb</bdi>
    """
    written = escape(text(figure) if isinstance(figure, PageFigure) else clean(figure))
    return Markup("<bdi>{}</bdi>").format(written.replace("_", Markup("_<wbr>")))


def heading(row: ChartRow) -> Markup:
    """The name of a row; figures in it are figures too.

    >>> from kohort.report.render.page.chart import ChartRow
    >>> print(heading(ChartRow("up to 9", (), (PageFigure(None), PageFigure(9, ("high",))))))
    up to <data value="9" data-figure="high">9</data>
    """
    if not row.ends:
        return name(row.label)
    low = "up" if row.ends[0].json is None else figured(row.ends[0])
    return Markup(" to ").join([low, *map(figured, row.ends[1:])])


def leaves(figure: PageFigure, before: str = "") -> list[tuple[str, PageFigure]]:
    """Every part of an object that has no parts itself, with the way to it; a list of names or numbers is one part.

    >>> job = PageFigure({"k": 5, "read": {"quote": "|", "lines": [1, 2]}, "of": [{"a": 1}]})
    >>> [(way, text(part)) for way, part in leaves(job)]
    [('k', '5'), ('read / quote', '|'), ('read / lines', '1, 2'), ('of / 1 / a', '1')]
    """
    found: list[tuple[str, PageFigure]] = []
    parts = [*figure.parts()] or [(str(nth), part) for nth, part in enumerate(figure, 1)]
    for key, part in parts:
        way = f"{before} / {key}" if before else key
        nested = isinstance(part.json, dict) or any(isinstance(one.json, (dict, list)) for one in part)
        found.extend(leaves(part, way) if nested and part else [(way, part)])
    return found


def called(words: Mapping[str, str], figure: PageFigure) -> Markup:
    """A word of the page model as the page has it.

    >>> print(called(_ROLES, PageFigure("quasi")), called(_ROLES, PageFigure("sensitive")))
    <bdi>quasi-identifying</bdi> <bdi>sensitive</bdi>
    """
    return name(words.get(text(figure)) or figure)


def quantile(share: str) -> str:
    """What a quantile is called.

    >>> quantile("0.5"), quantile("0.05")
    ('Median', 'Quantile of 0.05')
    """
    return _QUANTILES.get(share) or f"Quantile of {clean(share)}"


def most_moved(associations: PageFigure) -> list[PageFigure]:
    """Pairs by how much they changed, most of all first."""
    return sorted(associations, key=lambda one: -abs(one["change"].number or 0))


def cell(figure: PageFigure) -> Markup:
    """A cell of a record; an empty one has no value.

    >>> print(cell(PageFigure("Milano")), cell(PageFigure("")))
    <bdi>Milano</bdi> <span class="untold">no value</span>
    """
    return name(figure) if figure else Markup('<span class="untold">no value</span>')


def of_role(columns: PageFigure, role: str) -> list[PageFigure]:
    """The names of the columns that have a role."""
    return [one["name"] for one in columns if one["role"] == role]


def unchanged(columns: PageFigure) -> list[PageFigure]:
    """The names of the columns that are released as they are."""
    return [one["name"] for one in columns if one["how"] == "released unchanged"]


def by_outcome(singling: PageFigure, perturbed: PageFigure) -> list[tuple[str, list[PageFigure]]]:
    """Whom columns and pairs single out, by how they are released; first those that are as they were."""
    methods = {str(one["column"].json): str(one["method"].json) for one in perturbed}
    found: dict[str, list[PageFigure]] = {}
    for one in singling:
        found.setdefault(outcome([str(name.json) for name in one["columns"]], methods), []).append(one)
    return sorted(found.items(), key=lambda pair: pair[0] != "unchanged")


def undeclared(columns: PageFigure) -> list[PageFigure]:
    """The names of the columns that have no role of their own."""
    return [one["name"] for one in columns if one["declared"] == False]  # noqa: E712  a figure is no truth itself


def worst(singling: PageFigure) -> list[PageFigure]:
    """The column, or the pair, that singles out most; nothing where no share is known.

    >>> [one["share"].json for one in worst(PageFigure([{"share": 0.1}, {"share": None}, {"share": 0.2}]))]
    [0.2]
    """
    known = [one for one in singling if one["share"].number is not None]
    return [max(known, key=lambda one: one["share"].number or 0)] if known else []


#: The name of each colour on a page, which has others in the dark.
COLORS: Final = {INK: "--ink", GREY: "--grey", PALE: "--rule", PAPER: "--paper", FILLED: "--filled"}

#: Elements that say nothing on a page; what is drawn stays within its chart without being clipped.
NEEDLESS: Final = frozenset({"metadata", "style", "clipPath"})

#: Elements whose text is text.
WORDS: Final = frozenset({"title", "desc", "text"})

#: How texts of charts are unless something else is said: by the page's rules, or by SVG itself.
USUAL: Final = frozenset({"font-size:9.5px", "text-anchor:start", "fill:var(--ink)"})

#: What points to an id; the fonts that a style names; colours.
_POINTER: Final = re.compile(r"url\(#([^()]+)\)")
_FONTS: Final = re.compile(r"font-family: [^;]+;? ?")
_COLOR: Final = re.compile(r"#[0-9a-f]{6}")

#: Numbers with needlessly many digits: a tenth of a point is nothing to see.
_NUMBER: Final = re.compile(r"-?(?<!\d)\d++\.\d+")


def inline(svg: bytes, key: str) -> str:
    """The picture that matplotlib wrote as an element of HTML, all of whose ids begin with `key`."""
    root = ET.fromstring(svg)  # noqa: S314  matplotlib wrote it, a moment ago
    styles = (element.get("style", "") for element in root.iter())
    used = frozenset(name for style in styles for name in _POINTER.findall(style))
    (picture,) = _plain(root, key, used)
    spoken = {"aria-labelledby": f"{key}-title", "aria-describedby": f"{key}-desc"}
    picture.attrib = {"viewBox": _NUMBER.sub(_rounded, root.attrib["viewBox"]), "role": "img", **spoken}
    return ET.tostring(picture, encoding="unicode")


def _plain(element: Element, key: str, used: frozenset[str]) -> Iterator[Element]:
    """The element without namespace, or what is left of it."""
    tag = element.tag.rpartition("}")[2]
    if tag in NEEDLESS:
        return
    parts = [part for child in element for part in _plain(child, key, used)]
    attributes = dict(_attributes(element, key, used))
    if tag in {"title", "desc"}:
        attributes["id"] = f"{key}-{tag}"
    if (tag == "g" and not attributes) or (tag == "defs" and not parts):
        yield from parts
        return
    plain = ET.Element(tag, attributes)
    plain.text = element.text if tag in WORDS else None
    for part in parts:
        _add(plain, part)
    yield plain


def _add(whole: Element, part: Element) -> None:
    """Append a part; a path that is drawn like the one before goes on with it."""
    last = whole[-1] if len(whole) else None
    if last is not None and part.tag == last.tag == "path" and part.attrib | {"d": ""} == last.attrib | {"d": ""}:
        last.set("d", f"{last.get('d')} {part.get('d')}")
    else:
        whole.append(part)


def _attributes(element: Element, key: str, used: frozenset[str]) -> Iterator[tuple[str, str]]:
    """What is worth saying of it."""
    for name, value in element.attrib.items():
        match name:
            case "id" if value in used:
                yield name, f"{key}-{value}"
            case "d" | "x" | "y":
                yield name, _NUMBER.sub(_rounded, " ".join(value.split()))
            case "style" if element.tag.endswith("text"):
                plain = _style(value, key).split(";")
                if told := ";".join(one for one in plain if one not in USUAL):
                    yield name, told
            case "style":
                yield name, _style(value, key)
            case "fill" | "stroke":
                yield "style", _style(f"{name}: {value}", key)
            case "id" | "clip-path":
                pass
            case "transform" if value.startswith("rotate(-0 "):
                pass
            case _:
                yield name, value


def _style(style: str, key: str) -> str:
    """A style with the page's colours and fonts, pointing to the chart's own ids."""
    pointed = _POINTER.sub(lambda found: f"url(#{key}-{found[1]})", _FONTS.sub("", style))
    colored = _COLOR.sub(lambda found: f"var({COLORS[found[0]]})" if found[0] in COLORS else found[0], pointed)
    return colored.replace("; ", ";").replace(": ", ":")


def _rounded(found: re.Match[str]) -> str:
    """A number to a tenth."""
    return f"{float(found[0]):.1f}".removesuffix(".0")
