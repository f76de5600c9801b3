"""Hostile requests: each is refused with the right status, changes nothing, and leaves the owner's desk as it was."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import pytest
from starlette.testclient import TestClient

from kohort.desk import guard
from kohort.desk.guard import HEADERS, LARGEST, Guard
from tests.unit.desk.visitor import HOST, ORIGIN, Visitor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import Message, Receive

#: What changes something, and what is read.
CHANGES: Final = (
    *("/columns", "/column", "/protection", "/frontier", "/release", "/history", "/job", "/save", "/cancel"),
    *("/hierarchy", "/tree", "/lattice"),
)
SHOWN: Final = ("/", "/columns", "/preview", "/release", "/job", "/records", "/files/release", "/working", "/style.css")


#: Forms with files, and one whose parts have parts.
IN_PARTS: Final = f"{guard.FORM_WITH_FILE}; boundary=x"
NESTED: Final = f"{guard.FORM_WITH_FILE}; boundary=0"


@pytest.fixture
def unharmed(owner: Visitor) -> Iterator[Visitor]:
    """A desk that is the same after the test: job, file and folder, and its owner is still let in."""
    visitor = owner
    folder = visitor.desk.path.parent
    before = visitor.desk.text, sorted(folder.iterdir()), visitor.desk.path.read_bytes()
    yield visitor
    assert (visitor.desk.text, sorted(folder.iterdir()), visitor.desk.path.read_bytes()) == before
    assert visitor.desk.released is None
    assert visitor.get("/columns").status_code == 200


def stranger(visitor: Visitor) -> TestClient:
    """Another browser."""
    return TestClient(visitor.guard, base_url=ORIGIN, follow_redirects=False)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "localhost:8765", "127.0.0.1", "127.0.0.1:1", "[::1]:8765", ""]
)
@pytest.mark.parametrize("path", ["/columns", "/?token=x"])
def test_another_host_is_refused(unharmed: Visitor, host: str, path: str) -> None:
    """A name that was bound to this machine (DNS rebinding) reads nothing, though it has the cookie."""
    assert unharmed.client.get(path, headers={"host": host}).status_code == 421


def test_two_hosts_are_refused(unharmed: Visitor) -> None:
    """One that is right does not help another."""
    headers = [("host", HOST), ("host", "evil.example")]
    assert unharmed.client.get("/columns", headers=headers).status_code == 421


@pytest.mark.parametrize("path", SHOWN)
def test_nothing_is_shown_without_the_cookie(unharmed: Visitor, path: str) -> None:
    """Not even the style."""
    assert stranger(unharmed).get(path).status_code == 403


@pytest.mark.parametrize("path", CHANGES)
def test_nothing_is_changed_without_the_cookie(unharmed: Visitor, path: str) -> None:
    """Though the origin is right."""
    answer = stranger(unharmed).post(path, data={"at": "0", "k": "2"}, headers={"origin": ORIGIN})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "cookie", ["x", "", "kohort-8765=", "kohort-8765=x", "kohort-1={}", 'kohort-8765="{}', "=;;=,", "\x7f=\x01"]
)
def test_a_wrong_cookie_is_none(unharmed: Visitor, cookie: str) -> None:
    """Nor is the right value by another name."""
    headers = {"cookie": cookie.format(unharmed.guard.cookie)}
    assert stranger(unharmed).get("/columns", headers=headers).status_code == 403


@pytest.mark.parametrize("token", ["", "x", "{}x", "é"])
def test_a_wrong_token_is_none(unharmed: Visitor, token: str) -> None:
    """Whatever it is."""
    address = f"/?token={token.format(unharmed.guard.token)}"
    assert stranger(unharmed).get(address).status_code == 403


def test_the_address_works_once(unharmed: Visitor) -> None:
    """A second browser is refused, and its owner is told; the first may go there again."""
    answer = stranger(unharmed).get(unharmed.guard.address)
    assert answer.status_code == 403
    assert "used already" in answer.text
    assert unharmed.client.get(unharmed.guard.address, follow_redirects=False).status_code == 303


def test_the_form_of_the_first_page_works_once(owner: Visitor) -> None:
    """From a file, which has no origin; no address has the token, and one browser gets the cookie."""
    entered: list[bool] = []
    fresh = Guard(owner.guard.app, HOST, on_entry=lambda: entered.append(True))
    first, second = (TestClient(fresh, base_url=ORIGIN, follow_redirects=False) for _ in range(2))
    for token, status in ((f"{fresh.token}x", 403), (fresh.token, 200)):
        answer = first.post("/enter", data={"token": token}, headers={"origin": "null"})
        assert answer.status_code == status
    assert entered == [True]
    assert "SameSite=strict" in answer.headers["set-cookie"]
    assert fresh.token not in f"{answer.headers}{answer.text}"
    assert second.post("/enter", data={"token": fresh.token}).status_code == 403
    assert second.get(fresh.address).status_code == 403
    assert first.post("/enter", data={"token": ""}).status_code == 200
    assert first.get("/job").status_code == 200
    assert entered == [True]


def test_the_cookie_is_for_this_browser_alone(owner: Visitor) -> None:
    """No script reads it, no other site sends it, and the token is in no later address."""
    fresh = Guard(owner.guard.app, HOST)
    answer = TestClient(fresh, base_url=ORIGIN, follow_redirects=False).get(fresh.address)
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/" in cookie
    assert fresh.token not in cookie
    assert answer.headers["location"] == "/"


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://127.0.0.1:8765", "http://127.0.0.1", f"{ORIGIN}/"]
)
@pytest.mark.parametrize("path", CHANGES)
def test_another_origin_changes_nothing(unharmed: Visitor, path: str, origin: str | None) -> None:
    """A form of another site (CSRF) is refused, though the browser sends the cookie."""
    headers = {} if origin is None else {"origin": origin}
    answer = unharmed.client.post(path, data={"at": "0", "k": "2", "text": "k = 2", "path": "x.csv"}, headers=headers)
    assert answer.status_code == 403


@pytest.mark.parametrize("verb", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"])
def test_other_verbs_are_refused(unharmed: Visitor, verb: str) -> None:
    """The desk takes two."""
    assert unharmed.client.request(verb, "/columns", headers={"origin": ORIGIN}).status_code == 405


@pytest.mark.parametrize("path", ["/save", "/cancel"])
def test_a_link_changes_nothing(unharmed: Visitor, path: str) -> None:
    """Only a form does."""
    assert unharmed.client.get(path).status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "/files/../job.toml",
        "/files/..%2fjob.toml",
        "/files/%2e%2e/%2e%2e/etc/passwd",
        "/files//etc/passwd",
        "/files/people.csv",
        "/files/release%00.csv",
        "/../../etc/passwd",
        "/people.csv",
        "/static/desk.css",
        "/files/",
        "/.git/config",
    ],
)
def test_no_other_file_is_served(unharmed: Visitor, path: str) -> None:
    """Paths lead nowhere: files have names of their own, and only those of a release have one."""
    assert unharmed.client.get(path).status_code == 404


def test_a_link_in_place_of_a_release_is_replaced_or_refused(visitor: Visitor) -> None:
    """A symbolic link that somebody put there leads no release elsewhere."""
    folder = visitor.desk.path.parent
    (folder / "elsewhere.txt").write_text("mine", encoding="utf-8")
    (folder / "out.csv").symlink_to(folder / "elsewhere.txt")
    assert visitor.post("/release", path="out.csv").status_code == 422
    assert (folder / "elsewhere.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"k=" + b"9" * LARGEST, guard.FORM, 413),
        (b"&".join(b"a=1" for _ in range(guard.MOST_FIELDS + 1)), guard.FORM, 400),
        (b"\xff\xfe=\xff", guard.FORM, 400),
        (b'{"k": 2}', "application/json", 415),
        (b"--x\r\n\r\n--x--", "multipart/form-data; boundary=x", 400),
        (b"at=0", "multipart/form-data", 400),
        (b"at=0", "multipart/form-data; boundary=x", 400),
        (
            b'--x\r\nContent-Disposition: form-data; name="at"\r\n\r\n\xff\r\n--x--',
            "multipart/form-data; boundary=x",
            400,
        ),
        (
            b"--x\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n" * 3000,
            "multipart/form-data; boundary=x",
            400,
        ),
        (b"k=2", "text/plain", 415),
        (b"k=2", "", 415),
    ],
)
def test_bodies_are_small_forms(unharmed: Visitor, body: bytes, kind: str, status: int) -> None:
    """Anything else is refused."""
    headers = {"origin": ORIGIN, "content-type": kind}
    assert unharmed.client.post("/protection", content=body, headers=headers).status_code == status


def test_a_form_with_a_file_arrives_as_it_was_sent(unharmed: Visitor) -> None:
    """Fields are texts, the file is its bytes; of its name only the last part counts."""
    content = bytes(range(256)) + b"\r\n\r\n--y\r\n"
    body = (
        b'--x\r\nContent-Disposition: form-data; name="place"\r\n\r\n4\r\n5\r\n--x\r\n'
        b'Content-Disposition: form-data; name="file"; filename="../../st\xc3\xa4dte.csv"\r\n'
        b"Content-Type: text/csv\r\n\r\n" + content + b"\r\n--x--\r\n"
    )
    fields, files = guard.parts("multipart/form-data; boundary=x", body)
    assert fields == {"place": "4\n5"}
    assert files["file"].name == "städte.csv"
    assert files["file"].content == content
    headers = {"content-type": "multipart/form-data; boundary=x"}
    assert unharmed.client.post("/hierarchy", content=body, headers=headers).status_code == 403


def test_an_address_of_too_many_parts_is_refused(unharmed: Visitor) -> None:
    """It is not even read."""
    assert unharmed.client.get("/?" + "&".join(["a=1"] * (guard.MOST_PARTS + 1))).status_code == 400


def test_a_slow_body_is_given_up(unharmed: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some seconds; nobody else waits for it."""
    monkeypatch.setattr(guard, "SLOWEST", 0.01)

    async def never() -> Message:
        await asyncio.sleep(60)
        raise AssertionError

    assert _status(unharmed, never) == 408


def test_a_body_that_breaks_off_is_refused(unharmed: Visitor) -> None:
    """The rest does not count for all."""

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    assert _status(unharmed, gone) == 400


def test_a_body_may_come_in_pieces(unharmed: Visitor) -> None:
    """As long as they are small together."""
    pieces: list[Message] = [
        {"type": "http.request", "body": b"at=0&to=", "more_body": True},
        {"type": "http.request", "body": b"0"},
    ]

    async def receive() -> Message:
        return pieces.pop(0)

    assert _status(unharmed, receive, "/history") == 303


def _status(visitor: Visitor, receive: Receive, path: str = "/protection") -> int:
    """The status of a form whose body comes like this."""
    headers = {
        "host": HOST,
        "origin": ORIGIN,
        "content-type": guard.FORM,
        "cookie": f"{visitor.guard.name}={visitor.guard.cookie}",
    }
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(visitor.guard(scope, receive, send))
    return int(sent[0]["status"])


def test_there_are_no_sockets_of_the_web(unharmed: Visitor) -> None:
    """A websocket is closed at once; what is no request is let alone."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError

    asyncio.run(unharmed.guard({"type": "websocket"}, receive, send))
    asyncio.run(unharmed.guard({"type": "lifespan"}, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("path", [*SHOWN[:6], "/nothing", "/desk.js"])
def test_every_answer_says_what_a_browser_may_do(unharmed: Visitor, path: str) -> None:
    """Nothing is framed, kept, guessed or loaded from elsewhere; no script stands in a page."""
    page = unharmed.get(path)
    for name, value in HEADERS.items():
        assert page.headers[name] == value
    assert "unsafe" not in page.headers["content-security-policy"]
    assert "onclick" not in page.text
    assert " style=" not in page.text
    refused = stranger(unharmed).get(path)
    assert refused.headers["x-frame-options"] == "DENY"
    assert refused.headers["cache-control"] == "no-store"


def test_a_fault_of_the_desk_is_told_by_its_kind(owner: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its text may hold a value."""

    def broken(*_: object, **__: object) -> str:
        return str(1 / 0)

    monkeypatch.setattr("kohort.desk.job_pages.page", broken)
    answer = owner.client.get("/job")
    assert answer.status_code == 500
    assert "ZeroDivisionError" in answer.text
    assert "division by" not in answer.text
