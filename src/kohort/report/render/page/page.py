"""A page model as HTML; its charts are tables with bars."""

from __future__ import annotations

import json
from functools import lru_cache, partial
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Final

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from kohort.assessment.labels import members_of
from kohort.metrics.known import METRICS
from kohort.perturbation.text import outcome
from kohort.report.evidence.criteria import CRITERIA
from kohort.report.figures import PAGES
from kohort.report.page.audience import scale_end
from kohort.report.render.page import chart
from kohort.report.render.page.chart import chart_list
from kohort.report.render.page.figure import PageFigure, clean, percent, text
from kohort.report.render.text import changed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from jinja2 import Template

    from kohort.report.page import Page
    from kohort.report.render.page.chart import ChartRow, Form


def html(page: Page) -> str:
    """The page as one file of HTML; the same page model makes the same bytes."""
    figures = PageFigure(page.as_json())
    return template(page.kind).render(
        page=figures, kind=page.kind, charts={one.place: one for one in chart_list(figures)}
    )


#: What a figure that is not shown is called on the page.
UNKNOWN: Final = Markup('<span class="untold">not shown</span>')

#: What metrics and attacks of the page model are called on the page.
_METRICS: Final = {**{name: metric.shown.symbol for name, metric in METRICS.items()}, "distortion": "Distortion"}
_ATTACKS: Final = {name: asks for one in CRITERIA for name, asks in one.attacks.items()}

#: Members of a set that a sample prints.
MEMBERS: Final = 2


class _Environment(Environment):
    """Templates in which a point takes a part of a figure: `page.done.released`."""

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401  jinja's own signature
        """A part of a figure by its key; of anything else, its attribute."""
        return obj[attribute] if isinstance(obj, PageFigure) else super().getattr(obj, attribute)


def templates(filters: Mapping[str, Callable[..., object]], *packages: str) -> Environment:
    """The templates of packages: every value is escaped, and a name that nobody gave is an error."""
    made = _Environment(
        loader=ChoiceLoader([*map(PackageLoader, dict.fromkeys(packages))]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters.update(filters)
    return made


@lru_cache
def template(kind: str) -> Template:
    """The template of a kind of page; `KIND.html.jinja` stands in `templates` beside its page model."""
    beside = "kohort.report.render.page" if kind == "table" else PAGES[kind].__module__.rpartition(".")[0]
    environment = templates(_filters(), "kohort.report.render.page", beside)
    environment.tests["known"] = _is_known
    return environment.get_template("page.html.jinja")


def _filters() -> dict[str, Callable[..., object]]:
    return {
        "count": figured,
        "percent": partial(figured, form="share"),
        "percentage": percent,
        "figured": figured,
        "heading": heading,
        "name": name,
        "text": text,
        "spoken": clean,
        "leaves": leaves,
        "objects": objects,
        "place": attrgetter("place"),
        "number": _number,
        "called": called,
        "metric": partial(called, words=_METRICS),
        "attacker": partial(called, words=_ATTACKS),
        "changed": changed,
        "greatest": greatest,
        "scale_end": attacks_end,
        "cell": cell,
        "by_outcome": by_outcome,
    }


def _is_known(value: Any) -> bool:  # noqa: ANN401  jinja's own signature
    return value.json is not None


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
    return Markup('<data value="{}" data-figure="{}">{}</data>').format(
        json.dumps(figure.json), clean(figure.place), shown
    )


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


def objects(figure: PageFigure) -> list[tuple[str, list[tuple[str, PageFigure]]]]:
    """Every object with the parts of its own that there are, by the way to it."""
    ways = ((*way.rpartition(" / ")[::2], part) for way, part in leaves(figure) if part.json is not None)
    return [(way, [(key, part) for _, key, part in some]) for way, some in groupby(ways, key=itemgetter(0))]


def called(figure: PageFigure, words: Mapping[str, str]) -> Markup:
    """Words of the page model, each as the page has it."""
    return name(", ".join(words.get(one, one) for one in text(figure).split(", ")))


def greatest(parts: Iterable[PageFigure], key: str, less: str = "") -> list[PageFigure]:
    """Parts by how far a figure is from 0, the farthest first; with `less`, by how much it exceeds that figure."""
    return sorted(parts, key=lambda one: _number(one[less]) - abs(_number(one[key])))


def attacks_end(attacks: PageFigure) -> float:
    """Where the scale of attacks ends."""
    return scale_end(_number(end) for one in attacks for end in (one["rate"], one["baseline"], one["interval"][1]))


def cell(figure: PageFigure) -> Markup:
    """A cell of a record: a set by its first members and their number; an empty one has no value.

    >>> print(cell(PageFigure("Milano")), cell(PageFigure("")))
    <bdi>Milano</bdi> <span class="untold">no value</span>
    >>> print(cell(PageFigure("{a, b, c, d, e, f}")))
    <bdi>{a, b, …}</bdi> <span class="untold">6 values</span>
    """
    members = members_of(text(figure)) if figure else []
    if not figure or len(members) <= MEMBERS:
        return name(figure) if figure else Markup('<span class="untold">no value</span>')
    few = name(f"{{{', '.join(members[:MEMBERS])}, …}}")
    return few + Markup(' <span class="untold">{} values</span>').format(len(members))


def by_outcome(singling: PageFigure, perturbed: PageFigure) -> list[tuple[str, list[PageFigure]]]:
    """The records that one or two columns make unique, by how they are released; first those that are as they were."""
    methods = {str(one["column"].json): str(one["method"].json) for one in perturbed}
    found: dict[str, list[PageFigure]] = {}
    for one in singling:
        found.setdefault(clean(outcome([str(name.json) for name in one["columns"]], methods)), []).append(one)
    return sorted(found.items(), key=lambda pair: pair[0] != "unchanged")
