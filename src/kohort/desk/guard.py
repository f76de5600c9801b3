"""Who may speak to the desk: one browser, that of the person who started it, from pages of the desk alone.

Every request is refused that names another host (DNS rebinding), comes without the cookie, or changes something and
does not say that a page of the desk sent it. The token works once, in the address that is printed or in the form of the
page that `kohort.desk.serve` builds: it gives the browser its cookie.
Bodies are small and arrive within seconds; answers may be framed by nobody, kept nowhere, and load nothing from
elsewhere. What fails inside is told of by its kind alone, since an error's text may hold a record's value.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, field
from email.parser import BytesHeaderParser
from email.policy import HTTP
from http.cookies import SimpleCookie
from pathlib import PurePath
from time import monotonic
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

import h11
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from kohort.schema.hierarchies import HeldFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from email.message import Message as Headers

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: What a browser may do with an answer.
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

#: Bytes of a body: a job of thousands of columns is smaller.
LARGEST: Final = 2 << 20

#: Bytes of a form with a token, which anybody can send.
TOKEN_FORM: Final = 1 << 10

#: What a browser goes on with that was let in by a page which is none of the desk's: as such it would get no cookie.
ENTERED: Final = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>The desk</title>'
    '<meta http-equiv="refresh" content="0; url=/"><p><a href="/">Open the desk</a></p></html>'
)

#: Parts of an address.
MOST_PARTS: Final = 1_000

#: Fields of a form: some for each of a few thousand columns.
MOST_FIELDS: Final = 20_000

#: Seconds that a body may take.
SLOWEST: Final = 10.0

#: What somebody is told who was too slow.
TOO_SLOW: Final = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 27\r\n"
    b"connection: close\r\n\r\nThe request took too long.\n"
)

FORM: Final = "application/x-www-form-urlencoded"

#: The kind of a form that sends a file, too.
FORM_WITH_FILE: Final = "multipart/form-data"


class RefusedError(Exception):
    """A request is refused."""

    def __init__(self, status: int, why: str) -> None:
        """Keep both."""
        super().__init__(why)
        self.status, self.why = status, why


@dataclass(slots=True, eq=False)
class Guard:
    """The desk behind its checks; forms reach it as `scope["form"]`, files that they send as `scope["files"]`.

    Attributes:
        app: The desk's pages.
        host: The host that every request names: `127.0.0.1:PORT`.
        token: What the address that is printed has.
        cookie: What the browser has afterwards.
        entered: Whether the token was used.
        on_entry: Called when it is.
        last: When the last request was let in, by the monotonic clock.
    """

    app: ASGIApp
    host: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    entered: bool = False
    on_entry: Callable[[], None] = lambda: None
    last: float = field(default_factory=monotonic)

    @property
    def address(self) -> str:
        """The address to open."""
        return f"http://{self.host}/?token={self.token}"

    @property
    def name(self) -> str:
        """The cookie's name: ports of one machine share their cookies."""
        return f"kohort-{self.host.rpartition(':')[2]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        try:
            answer = await self._admitted(scope, receive)
        except RefusedError as refused:
            answer = PlainTextResponse(f"{refused.why}\n", refused.status)
        await (answer or self._answer)(scope, receive, _with_headers(send))

    async def _admitted(self, scope: Scope, receive: Receive) -> Response | None:
        """Check a request; what answers it instead of the desk, where something does."""
        headers = _headers(scope)
        if headers.get("host") != [self.host]:
            raise RefusedError(421, "This is no address of the desk.")
        method = scope["method"]
        if method not in {"GET", "HEAD", "POST"}:
            raise RefusedError(405, "The desk takes GET and POST.")
        token = _token(scope)
        if token is not None and scope["path"] == "/" and method == "GET":
            return self._enter(token, headers, RedirectResponse("/", 303))
        if scope["path"] == "/enter" and method == "POST":
            form, _ = await _form(headers, receive, TOKEN_FORM)
            return self._enter(form.get("token", ""), headers, HTMLResponse(ENTERED))
        if not self._is_known(headers):
            raise RefusedError(403, "Open the address that kohort app has printed.")
        if method == "POST":
            if headers.get("origin") != [f"http://{self.host}"]:
                raise RefusedError(403, "Only a page of the desk may change something.")
            scope["form"], scope["files"] = await _form(headers, receive)
        self.last = monotonic()
        return None

    def _enter(self, token: str, headers: dict[str, list[str]], answer: Response) -> Response:
        """Give the browser its cookie with the answer, once."""
        if not self._is_known(headers):
            if not secrets.compare_digest(token.encode(), self.token.encode()):
                raise RefusedError(403, "Open the address that kohort app has printed.")
            if self.entered:
                raise RefusedError(403, "This address was used already. If not by you, stop kohort app and start anew.")
            self.entered = True
            self.on_entry()
        answer.set_cookie(self.name, self.cookie, httponly=True, samesite="strict")
        return answer

    def _is_known(self, headers: dict[str, list[str]]) -> bool:
        found = SimpleCookie("; ".join(headers.get("cookie", [])))
        morsel = found.get(self.name)
        return morsel is not None and secrets.compare_digest(morsel.value.encode(), self.cookie.encode())

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the desk answer; what fails in it is told of by its kind."""
        try:
            await self.app(scope, receive, send)
        except Exception as error:  # noqa: BLE001  its text may hold a cell, and would be logged
            why = f"An internal error ({type(error).__name__}); please report it.\n"
            await PlainTextResponse(why, 500)(scope, receive, send)


def _token(scope: Scope) -> str | None:
    """The token of an address; `None` where there is none."""
    try:
        found = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=MOST_PARTS).get("token")
    except ValueError:
        raise RefusedError(400, "The address cannot be read.") from None
    return found[0] if found else None


def _headers(scope: Scope) -> dict[str, list[str]]:
    """The headers, each with all its values."""
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


async def _form(
    headers: dict[str, list[str]], receive: Receive, largest: int = LARGEST
) -> tuple[dict[str, str], dict[str, HeldFile]]:
    """The fields of a form and its files; of a name that is there twice the last one."""
    said = headers.get("content-type", [""])[0]
    kind = said.partition(";")[0].strip().lower()
    if kind not in {FORM, FORM_WITH_FILE}:
        raise RefusedError(415, "The desk takes forms.")
    try:
        body = await asyncio.wait_for(_body(receive, largest), SLOWEST)
        if kind == FORM_WITH_FILE:
            return parts(said, body)
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except TimeoutError:
        raise RefusedError(408, "The form took too long.") from None
    except ValueError:
        raise RefusedError(400, "The form cannot be read.") from None
    return {name: _text(values[-1]) for name, values in fields.items()}, {}


def parts(kind: str, body: bytes) -> tuple[dict[str, str], dict[str, HeldFile]]:
    """The fields and files of a form that is sent in parts; what is in a part is never looked into.

    Raises:
        RefusedError: it is none.
        ValueError: a field is no text.
    """
    boundary = _headers_in(f"Content-Type: {kind}".encode("latin-1")).get_boundary("")
    _, *pieces = (b"\r\n" + body).split(f"\r\n--{boundary}".encode("latin-1"), MOST_PARTS)
    fields: dict[str, str] = {}
    sent: dict[str, HeldFile] = {}
    for piece in pieces[:-1]:
        head, _, content = piece.partition(b"\r\n\r\n")
        said = _headers_in(head.removeprefix(b"\r\n"))
        name, file = said.get_param("name", header="content-disposition"), said.get_filename()
        if isinstance(name, str) and file is None:
            fields[name] = _text(content.decode())
        elif isinstance(name, str):
            sent[name] = HeldFile(PurePath(str(file)).name, content)
    if not boundary or not fields or not pieces[-1].startswith(b"--"):
        raise RefusedError(400, "The form cannot be read.")
    return fields, sent


def _headers_in(text: bytes) -> Headers:
    return BytesHeaderParser(policy=HTTP).parsebytes(text)


def _text(value: str) -> str:
    """The text of a field, whose lines end as browsers send them."""
    return value.replace("\r\n", "\n")


async def _body(receive: Receive, largest: int) -> bytes:
    """The body, if it is small."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RefusedError(400, "The form did not arrive.")
        body += message.get("body", b"")
        if len(body) > largest:
            raise RefusedError(413, "The form is too large.")
        if not message.get("more_body", False):
            return bytes(body)


def _with_headers(send: Send) -> Send:
    """Add to every answer what a browser may do with it; an answer with a policy of its own keeps that."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message["headers"]}
            added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message["headers"], *(one for one in added if one[0] not in there)]
        await send(message)

    return sending


# --- how long it waits for a request ----------------------------------------------------------------------------------


class Patient(H11Protocol):
    """A connection that is closed where the line and headers of a request are not there in time, however they trickle.

    Of a body the guard sees to it; it is asked once the headers are there.
    """

    #: Seconds from the connection, or from the first byte of a further request, to the end of its headers.
    slowest: float = SLOWEST

    _closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait on where the headers are not complete, from when they began."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE or not self.conn.trailing_data[0]:
            self._wait_no_more()
        elif self._closing is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._closing = self.loop.call_later(self.slowest, self._close)

    def _wait_no_more(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None

    def _close(self) -> None:
        """Hang up, and say why to whoever has begun: a browser that keeps a line ready may take it for an answer."""
        if self.conn.trailing_data[0]:
            self.transport.write(TOO_SLOW)
        self.transport.close()
