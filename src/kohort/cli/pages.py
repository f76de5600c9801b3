"""What a page is written as: HTML, or JSON."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kohort.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.report.page import Page
    from kohort.report.page.audience import Audience

AudienceWord = Annotated[
    str | None,
    typer.Option(
        "--audience",
        metavar="WORD",
        help="Who reads the page: internal, the steward; or public, without values or counts below k.",
        show_default="internal",
        rich_help_panel="Output",
    ),
]

#: The forms that a page can have, by its file's ending.
FORMS: Final = (".html", ".json")


def audience_of(word: str | None) -> Audience | None:
    """The audience that a flag names.

    Raises:
        UsageError: there is none called so.
    """
    if word is None:
        return None
    from kohort.report.page.audience import Audience

    if word not in list(Audience):
        raise UsageError("unknown audience", where="--audience", hint=f"one of {', '.join(Audience)}")
    return Audience(word)


def writer_of(ending: str) -> Callable[[Page], bytes]:
    """What writes a page model in the form of a file's ending; a missing library is reported before any work.

    Raises:
        MissingExtraError: a page needs a library that is not installed.
    """
    if ending == ".json":
        return lambda page: (dumps(page.as_json(), indent=2, allow_nan=False) + "\n").encode()
    refuse_missing()
    from kohort.report.render.page import html

    return lambda page: html(page).encode()


def refuse_missing() -> None:
    """Refuse to draw a page where what it is made with is not installed.

    Raises:
        MissingExtraError: it is not.
    """
    from importlib.util import find_spec

    from kohort.report.charts.canvas import library

    library()
    if find_spec("jinja2") is None:
        raise MissingExtraError("jinja2 is needed for pages and is not installed", hint="pip install 'kohort[report]'")
