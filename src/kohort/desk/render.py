"""Pages of the desk as HTML: templates that show whatever comes from a table or a job as text that steers nothing."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from kohort.desk.fields import button
from kohort.desk.plot import SHAPES
from kohort.report.render.page.figure import clean, percent, written_number
from kohort.report.render.page.page import name, templates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jinja2 import Environment

#: What a role means, in a sentence of its own for those who choose it.
ROLES: Final[Mapping[str, str]] = {
    "identifying": "identifies the person directly; never released",
    "quasi": "helps to identify the person in combination with others; released in groups (generalized)",
    "sensitive": "must stay secret; released, with a limit on what a group reveals",
    "insensitive": "harmless; released unchanged",
    "drop": "not needed; never released",
}

#: A flag of the command line in a sentence that is also for pages.
_FLAG: Final = re.compile(r" \(--[a-z-]+\)")


@lru_cache
def _environment(package: str) -> Environment:
    shown: dict[str, Callable[..., object]] = {
        "name": name,
        "spoken": clean,
        "percent": percent,
        "number": written_number,
        "button": button,
        "unflagged": partial(_FLAG.sub, ""),
    }
    return templates(shown, package, "kohort.desk")


def page(template: str, package: str = "kohort.desk", **shown: object) -> str:
    """A page of the desk; templates of the package stand before the desk's own."""
    return _environment(package).get_template(f"{template}.html.jinja").render(ROLES=ROLES, SHAPES=SHAPES, **shown)


@lru_cache(maxsize=1)
def style() -> str:
    """The style of the desk: that of reports, and its own."""
    of_reports = files("kohort.report.render.page").joinpath("templates/page.css").read_text(encoding="utf-8")
    own = (files("kohort.desk").joinpath(f"static/{one}.css").read_text(encoding="utf-8") for one in ("desk", "levels"))
    return of_reports + "".join(own)


@lru_cache(maxsize=2)
def script(name: str) -> str:
    """A script of the desk; without it every page works, too."""
    return files("kohort.desk").joinpath(f"static/{name}.js").read_text(encoding="utf-8")
