"""Hostile requests: each is refused with its status, nothing is written, and the owner's desk is unharmed."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

import pytest

from kohort.desk.guard import HEADERS, SLOWEST, Guard
from tests.unit.desk.hostile import HOSTILE, Hostile, filled
from tests.unit.desk.visitor import Visitor, copied

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.types import Message

#: Requests at least that the table has.
ENOUGH = 60

#: Connections at once.
MANY = 200


def test_there_are_enough() -> None:
    """No two of them are the same."""
    assert len({one.what for one in HOSTILE}) == len(HOSTILE) >= ENOUGH


# --- in this process --------------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("hostile", HOSTILE, ids=[one.what[:60] for one in HOSTILE])
def test_each_is_refused(owner: Visitor, hostile: Hostile) -> None:
    """Its answer tells a browser to do nothing with it, and the job, its versions and the folder are the same."""
    desk = owner.desk
    before = desk.text, desk.at, len(desk.versions), contents(desk.path.parent)
    status, headers, body = answer(owner.guard, hostile)
    assert status == hostile.status
    assert {name.lower(): value for name, value in HEADERS.items()}.items() <= headers.items()
    assert "set-cookie" not in headers
    assert b"<script>" not in body
    assert owner.guard.cookie.encode() not in body
    assert (desk.text, desk.at, len(desk.versions), contents(desk.path.parent)) == before
    assert desk.released is None
    assert owner.get("/job").status_code == 200


def answer(guard: Guard, hostile: Hostile) -> tuple[int, dict[str, str], bytes]:
    """The status, headers and body of what a request is answered with."""
    method, target = hostile.line.split(" ", 1)
    path, _, query = target.partition("?")
    fields = hostile.fields(guard)
    scope = {
        "type": "http",
        "method": method,
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": filled(query, guard).encode(),
        "headers": [(name.encode(), text.encode("latin-1")) for name, text in fields],
    }
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": hostile.body}

    asyncio.run(guard(scope, receive, send))
    headers = {name.decode().lower(): text.decode("latin-1") for name, text in sent[0]["headers"]}
    return int(sent[0]["status"]), headers, b"".join(message.get("body", b"") for message in sent[1:])


# --- a desk as a user starts it ---------------------------------------------------------------------------------------


class Served(NamedTuple):
    """A desk in a process of its own.

    Attributes:
        guard: What its owner knows: where it is, the token and the cookie.
        folder: Where its files are.
    """

    guard: Guard
    folder: Path

    def connect(self) -> socket.socket:
        """A connection to it."""
        return socket.create_connection(("127.0.0.1", int(self.guard.host.partition(":")[2])), timeout=60)

    def ask(self, hostile: Hostile) -> int:
        """The status of the answer to a request."""
        with self.connect() as line:
            with suppress(ConnectionError):  # it was answered before all of it was sent
                line.sendall(self.written(hostile))
            return status_of(line)

    def written(self, hostile: Hostile) -> bytes:
        """A request as bytes."""
        target = filled(hostile.line, self.guard)
        fields = [*hostile.fields(self.guard), ("content-length", str(len(hostile.body))), ("connection", "close")]
        head = "".join(f"{name}: {text}\r\n" for name, text in fields)
        return f"{target} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + hostile.body


def status_of(line: socket.socket) -> int:
    """The status of an answer."""
    with line.makefile("rb") as answered:
        return int(answered.readline().split()[1])


OWNER = Hostile("the owner", "GET /job", 200)


@pytest.fixture(scope="module")
def served(register: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A desk that its owner has entered; Ctrl-C ends it."""
    folder = copied(register, tmp_path_factory.mktemp("served"))
    command = [sys.executable, "-m", "kohort", "app", "job.toml", "--no-browser"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    host, token = next(found.groups() for one in lines if (found := re.search(r"http://([\d.:]+)/\?token=(\S+)", one)))
    made = Served(Guard(_nothing, host, token=token, cookie=""), folder)
    with made.connect() as line:
        line.sendall(made.written(Hostile("", f"GET /?token={token}", 303)))
        head = line.makefile("rb").read().decode("latin-1")
    cookie = SimpleCookie(next(iter(re.findall(r"(?i)set-cookie: (.*)\r", head))))
    made.guard.cookie = cookie[made.guard.name].value
    yield made
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130


async def _nothing(*_: object) -> None:
    """Serve nothing: only what the owner knows matters here."""


@pytest.mark.slow
def test_a_desk_that_is_served_refuses_them_all(served: Served) -> None:
    """With the same status, over the network of this machine; nothing is written."""
    before = contents(served.folder)
    wrong = {one.what: (status, one.status) for one in HOSTILE if (status := served.ask(one)) != one.status}
    assert wrong == {}
    assert contents(served.folder) == before
    assert served.ask(OWNER) == 200


@pytest.mark.slow
def test_what_is_no_request_is_refused(served: Served) -> None:
    """Two hosts, headers without end, bytes that are no HTTP, a socket of the web."""
    usual = served.written(OWNER)
    hosts = usual.replace(b"\r\n", b"\r\nhost: evil.example\r\n", 1)
    endless = usual.replace(b"\r\n", b"\r\nx: " + b"y" * (1 << 20) + b"\r\n", 1)
    upgrade = usual.replace(
        b"connection: close", b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13"
    )
    for sent, statuses in (
        (hosts, {400, 421}),
        (endless, {400, 431}),
        (b"\x16\x03\x01\r\n\r\n", {400}),
        (upgrade, {200, 400, 403}),
    ):
        with served.connect() as line, suppress(ConnectionError):  # it hung up
            line.sendall(sent)
            assert status_of(line) in statuses
    assert served.ask(OWNER) == 200


@pytest.mark.slow
def test_slow_headers_end(served: Served) -> None:
    """However they trickle; the owner is answered meanwhile."""
    with served.connect() as line:
        line.sendall(served.written(OWNER)[:-2] + b"x: ")
        line.settimeout(0.5)
        said = b""
        for _ in range(int(4 * SLOWEST)):
            with suppress(TimeoutError):
                said = line.recv(1 << 16)
                break
            line.sendall(b"y")
            assert served.ask(OWNER) == 200
        assert said.startswith(b"HTTP/1.1 408 ")


@pytest.mark.slow
def test_200_connections_and_a_slow_body_disturb_nobody(served: Served) -> None:
    """Some say nothing, some stop within a request, one sends a form that never ends: the owner is answered at once."""
    before = contents(served.folder)
    form = served.written(Hostile("", "POST /job", 408, body=b"at=0&text=x"))
    with ExitStack() as lines:
        slow = lines.enter_context(served.connect())
        slow.sendall(form.replace(b"content-length: 11", b"content-length: 1000000"))
        start = time.monotonic()
        opened = [lines.enter_context(served.connect()) for _ in range(MANY)]
        for place, line in enumerate(opened):
            line.sendall(
                (b"", b"GET / HTTP/1.1\r\nhost:", served.written(Hostile("", "GET /job", 403, {"cookie": ""})))[
                    place % 3
                ]
            )
        assert {status_of(line) for line in opened[2::3]} == {403}
        for _ in range(10):
            asked = time.monotonic()
            assert served.ask(OWNER) == 200
            assert time.monotonic() - asked < 5
        assert status_of(slow) == 408
        assert time.monotonic() - start < 60
    assert served.ask(OWNER) == 200
    assert contents(served.folder) == before
