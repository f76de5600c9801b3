"""What a page is written as: HTML, or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from kohort.errors import UsageError

if TYPE_CHECKING:
    from kohort.report.page.audience import Audience

AudienceWord = Annotated[
    str | None,
    typer.Option(
        "--audience",
        metavar="WORD",
        help="Who reads the page: internal, for the steward; or public, without values or counts below k.",
        show_default="internal",
        rich_help_panel="Output",
    ),
]

#: The forms that a page can have, by its file's ending.
FORMS: Final = (".html", ".json")


def audience_of(word: str | None) -> Audience | None:
    """The audience that a flag names."""
    if word is None:
        return None
    from kohort.report.page.audience import Audience

    if word not in list(Audience):
        raise UsageError("unknown audience", where="--audience", hint=f"one of {', '.join(Audience)}")
    return Audience(word)
