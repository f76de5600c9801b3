"""The web app of a desk: its pages, or before them the page that asks which file to open."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, Router

from kohort.desk.answers import faults_in
from kohort.desk.kinds import KINDS
from kohort.desk.render import page, script, style
from kohort.desk.serve import desk_of
from kohort.errors import KohortError
from kohort.system.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from kohort.desk.desk import Desk
    from kohort.desk.job_pages import JobPages


@dataclass(slots=True, eq=False)
class Door:
    """A desk, which the first page may still have to open.

    Attributes:
        folder: What a path that is typed is relative to, and where the job file of a draft goes.
        desk: The desk; `None` until a file was named.
    """

    folder: Path
    desk: Desk | None = None

    def ask(self, _: Request) -> Response:
        """The page that asks for a file."""
        return self._page("", "")

    def open(self, request: Request) -> Response:
        """Open the desk of the file that was named."""
        form = request.scope["form"]
        path, kind = form.get("path", "").strip(), form.get("kind", "")
        try:
            self.desk = desk_of(self.folder / Path(path).expanduser(), self.folder, kind)
        except (KohortError, OSError, RuntimeError) as error:
            return self._page(path, kind, error)
        return RedirectResponse("/", 303)

    def _page(self, path: str, kind: str, wrong: Exception | None = None) -> Response:
        """The page with what was typed, and with what is wrong with it."""
        faults = () if wrong is None else faults_in(wrong)
        said: dict[str, Any] = {"path": path, "chosen": kind, "folder": str(self.folder), "kinds": KINDS}
        none: dict[str, Any] = {"desk": None, "file": "", "saved": False, "done": "", "here": "/", "kohort": VERSION}
        faulty = faults[0].what if faults else ""
        shown = page("open", title="Open a file", faults=faults, faulty=faulty, **said, **none)
        return HTMLResponse(shown, 422 if faults else 200)


def through(door: Door) -> ASGIApp:
    """The web app behind a door, to be put behind `kohort.desk.guard.Guard`."""
    shared = [Route(path, fixed(*FIXED[path]), methods=["GET"]) for path in ("/style.css", "/icon.svg", "/desk.js")]
    asking = Router([*shared, Route("/", door.ask, methods=["GET"]), Route("/open", door.open, methods=["POST"])])
    opened: list[ASGIApp] = []

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if door.desk is not None and not opened:
            opened.append(app(door.desk))
        await (opened[0] if opened else asking)(scope, receive, send)

    return answer


# ── the desk as a web app ────────────────────────────────────────────────────────────────────────

#: What stands for the desk in a row of tabs: a group of people who look the same.
ICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#3f83c4">'
    '<circle cx="4" cy="4" r="3"/><circle cx="12" cy="4" r="3"/><circle cx="4" cy="12" r="3"/>'
    '<circle cx="12" cy="12" r="3"/></svg>'
)


#: What is the same for every desk: by its path, what makes the text, and its type.
FIXED: Final[Mapping[str, tuple[Callable[[], str], str]]] = {
    "/style.css": (style, "text/css"),
    "/icon.svg": (lambda: ICON, "image/svg+xml"),
    "/desk.js": (partial(script, "desk"), "text/javascript"),
    "/tree.js": (partial(script, "tree"), "text/javascript"),
}


def app(desk: Desk) -> ASGIApp:
    """The desk as a web app, to be put behind `kohort.desk.guard.Guard`."""

    @cache
    def router(name: str) -> Router:
        return _router(resolve_name(KINDS[name].pages)(desk))

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await router(desk.kind.name)(scope, receive, send)

    return answer


def _router(pages: JobPages) -> Router:
    routes = [Route(path, fixed(*one), methods=["GET"]) for path, one in FIXED.items()]
    for path, (show, act) in pages.routes().items():
        verbs = {"GET": show, "HEAD": show, "POST": act}
        endpoints = {verb: pages.answering(one) for verb, one in verbs.items() if one is not None}
        routes.append(Route(path, _by_verb(endpoints), methods=[*endpoints]))
    return Router(routes)


def _by_verb(endpoints: Mapping[str, Callable[[Request], Response]]) -> Callable[[Request], Response]:
    return lambda request: endpoints[request.method](request)


def fixed(text: Callable[[], str], kind: str) -> Callable[[Request], Response]:
    """What is the same for every desk."""

    def answer(_: Request) -> Response:
        return Response(text(), media_type=kind)

    return answer
