"""The way to a desk: its own pages, or first the page that asks which file to open."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, Router

from kohort.app.render import page
from kohort.app.serve import desk_of
from kohort.app.site import FIXED, app, fixed
from kohort.app.worker import faults_in
from kohort.errors import KohortError
from kohort.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from kohort.app.desk import Desk

#: What a file may be said to hold, and whether that is transactions.
KINDS: Final[Mapping[str, bool | None]] = {"guess": None, "table": False, "transactions": True}


@dataclass(slots=True, eq=False)
class Door:
    """Where a desk is, once somebody has opened one.

    Attributes:
        folder: What a path that is typed is relative to, and where the job file of a draft goes.
        desk: The desk; `None` until a file was named.
    """

    folder: Path
    desk: Desk | None = None

    def ask(self, _: Request) -> Response:
        """The page that asks for a file."""
        return self._page("", "guess")

    def open(self, request: Request) -> Response:
        """Open the desk of the file that was named."""
        form = request.scope["form"]
        path, kind = form.get("path", "").strip(), form.get("kind", "")
        try:
            self.desk = desk_of(self.folder / Path(path).expanduser(), self.folder, transactions=KINDS.get(kind))
        except (KohortError, OSError, RuntimeError) as error:
            return self._page(path, kind, error)
        return RedirectResponse("/", 303)

    def _page(self, path: str, kind: str, wrong: Exception | None = None) -> Response:
        """The page with what was typed, and with what is wrong with it."""
        faults = () if wrong is None else faults_in(wrong)
        said = {"path": path, "kind": kind, "folder": str(self.folder), "title": "Open a file", "kohort": VERSION}
        none = {"desk": None, "file": "", "saved": False, "done": "", "here": "/"}
        shown = page("open", faults=faults, faulty="What is wrong", **said, **none)
        return HTMLResponse(shown, 422 if faults else 200)


def through(door: Door) -> ASGIApp:
    """The web app behind a door, to be put behind `kohort.app.guard.Guard`."""
    shared = [Route(path, fixed(*FIXED[path]), methods=["GET"]) for path in ("/style.css", "/icon.svg", "/desk.js")]
    asking = Router([*shared, Route("/", door.ask, methods=["GET"]), Route("/open", door.open, methods=["POST"])])
    opened: list[ASGIApp] = []

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if door.desk is not None and not opened:
            opened.append(app(door.desk))
        await (opened[0] if opened else asking)(scope, receive, send)

    return answer
