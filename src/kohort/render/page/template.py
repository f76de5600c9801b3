"""The templates of the page, and what they may do with figures."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from kohort.render.page.chart import written
from kohort.render.page.figure import Figure, clean, text

if TYPE_CHECKING:
    from jinja2 import Template

    from kohort.render.page.chart import Form

#: What a figure that is not told is called on the page.
UNTOLD: Final = Markup('<span class="untold">not told</span>')


class _Environment(Environment):
    """Templates in which a point takes a part of a figure: `twin.done.released`."""

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401  jinja's own signature
        """A part of a figure by its key; of anything else, its attribute."""
        return obj[attribute] if isinstance(obj, Figure) else super().getattr(obj, attribute)


@lru_cache(maxsize=1)
def template() -> Template:
    """The page's template."""
    environment = _Environment(
        loader=PackageLoader("kohort.render.page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "count": lambda figure: figured(figure, "number"),
        "percent": lambda figure: figured(figure, "share"),
        "figured": figured,
        "name": name,
        "leaves": leaves,
        "picture": Markup,
        "spoken": clean,
        "text": text,
        "parts": Figure.parts,
        "place": lambda figure: figure.place,
        "number": lambda figure: figure.number or 0,
        "role": role,
        "measure": measure,
        "quantile": quantile,
        "most_moved": most_moved,
        "exactly": partial(figured, form="exact"),
    }
    environment.tests |= {"told": lambda figure: figure.json is not None}
    return environment.get_template("page.html.jinja")


def figured(figure: Figure, form: Form = "number") -> Markup:
    """A figure in an element that holds its exact value and its place in the twin; anything but a number as text.

    >>> print(figured(Figure(30000, ("done", "released"))))
    <data value="30000" data-figure="done.released">30,000</data>
    >>> print(figured(Figure(None)), figured(Figure("<i>")))
    <span class="untold">not told</span> <bdi>&lt;i&gt;</bdi>
    """
    if figure.json is None:
        return UNTOLD
    if not isinstance(figure.json, (bool, int, float)):
        return name(figure)
    shown = text(figure) if figure.number is None else written(figure, form)
    return Markup('<data value="{}" data-figure="{}">{}</data>').format(figure.exact, clean(figure.place), shown)


def name(figure: Figure | str) -> Markup:
    """A name that somebody else chose, whichever way it is written.

    >>> print(name("a\N{RIGHT-TO-LEFT OVERRIDE}b"))
    <bdi>a\\u202eb</bdi>
    """
    return Markup("<bdi>{}</bdi>").format(text(figure) if isinstance(figure, Figure) else clean(figure))


def leaves(figure: Figure, before: str = "") -> list[tuple[str, Figure]]:
    """Every part of an object that has no parts itself, with the way to it; a list of names or numbers is one part.

    >>> [(way, text(part)) for way, part in leaves(Figure({"k": 5, "read": {"quote": "'", "lines": [1, 2]}, "of": [{"a": 1}]}))]
    [('k', '5'), ('read › quote', "'"), ('read › lines', '1, 2'), ('of › 1 › a', '1')]
    """
    found: list[tuple[str, Figure]] = []
    parts = [*figure.parts()] or [(str(nth), part) for nth, part in enumerate(figure, 1)]
    for key, part in parts:
        way = f"{before} › {key}" if before else key
        nested = isinstance(part.json, dict) or any(isinstance(one.json, (dict, list)) for one in part)
        found.extend(leaves(part, way) if nested and part else [(way, part)])
    return found


#: Roles in words.
_ROLES: Final = {"quasi": "quasi-identifying"}


def role(figure: Figure) -> Markup:
    """A column's role."""
    told = text(figure)
    return name(_ROLES.get(told, told)) if figure else Markup("no role")


#: Measures of association in words.
_MEASURES: Final = {"cramers v": "Cramér's V"}


def measure(figure: Figure) -> Markup:
    """What association is measured by."""
    told = text(figure)
    return name(_MEASURES.get(told, told))


#: Quantiles that have a name.
_QUANTILES: Final = {"0": "Least", "0.0": "Least", "0.25": "Lower quartile", "0.5": "Median", "0.75": "Upper quartile", "1": "Greatest", "1.0": "Greatest"}


def quantile(share: str) -> str:
    """What a quantile is called.

    >>> quantile("0.5"), quantile("0.05")
    ('Median', 'Quantile of 0.05')
    """
    return _QUANTILES.get(share) or f"Quantile of {clean(share)}"


def most_moved(associations: Figure) -> list[Figure]:
    """Pairs by how much they changed, most of all first."""
    return sorted(associations, key=lambda one: -abs(one["change"].number or 0))
