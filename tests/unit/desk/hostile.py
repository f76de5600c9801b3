"""Hostile requests, as bytes that a program of anybody on this machine, or a page of another site, can send."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.desk import guard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kohort.desk.guard import Guard

FORM: Final = guard.FORM

#: What stands for parts of a desk that only its owner knows.
HOST, PORT, TOKEN, COOKIE, NAME = "{host}", "{port}", "{token}", "{cookie}", "{name}"


class Hostile(NamedTuple):
    """A request, and how it is refused.

    Attributes:
        what: What it tries.
        line: Its method and target.
        status: The status of the answer.
        headers: Those that differ from what a page of the desk would send; an empty text leaves one out.
        body: What it sends.
        again: More headers of the same names.
    """

    what: str
    line: str
    status: int
    headers: Mapping[str, str] = {}
    body: bytes = b""
    again: tuple[tuple[str, str], ...] = ()

    def fields(self, desk: Guard) -> list[tuple[str, str]]:
        """Its headers at a desk: those of the owner's browser, with what is changed in them."""
        usual = {"host": HOST, "cookie": f"{NAME}={COOKIE}"}
        if self.line.startswith("POST"):
            usual |= {"origin": f"http://{HOST}", "content-type": FORM}
        pairs = [(name, text) for name, text in (usual | {**self.headers}).items() if text or name == "host"]
        return [(name, filled(text, desk)) for name, text in (*pairs, *self.again)]


def filled(text: str, desk: Guard) -> str:
    """A text with what the desk has in place of its parts."""
    known = {
        HOST: desk.host,
        PORT: desk.host.partition(":")[2],
        TOKEN: desk.token,
        COOKIE: desk.cookie,
        NAME: desk.name,
    }
    for part, value in known.items():
        text = text.replace(part, value)
    return text


def _other_hosts() -> Iterator[Hostile]:
    """A name that leads to this machine (DNS rebinding), or another spelling of it."""
    for host in (
        *("evil.example", f"evil.example:{PORT}", f"{HOST}.evil.example", f"localhost:{PORT}", "127.0.0.1"),
        *("127.0.0.1:1", f"[::1]:{PORT}", f"127.1:{PORT}", f"0.0.0.0:{PORT}", f"{HOST}:{PORT}", ""),
    ):
        yield Hostile(f"host {host or 'that is empty'}", "GET /columns", 421, {"host": host})
    yield Hostile("another host with the token", f"GET /?token={TOKEN}", 421, {"host": "evil.example"})
    yield Hostile("another host to enter", "POST /enter", 421, {"host": "evil.example"}, b"token=x")
    yield Hostile("another host changes something", "POST /job", 421, {"host": "evil.example"}, b"at=0&text=x")


def _strangers() -> Iterator[Hostile]:
    """A browser or program without the cookie."""
    for path in ("/", "/columns", "/records?first=1", "/report", "/evidence?form=json", "/files/release", "/style.css"):
        yield Hostile(f"no cookie for {path}", f"GET {path}", 403, {"cookie": ""})
    for path in ("/job", "/release", "/save", "/cancel", "/history"):
        yield Hostile(f"no cookie changes {path}", f"POST {path}", 403, {"cookie": ""}, b"at=0&text=x&path=x.csv&to=0")
    for cookie in (f"{NAME}=x", f"{NAME}=", f"kohort-1={COOKIE}", f"{NAME}={TOKEN}", f"x{NAME}={COOKIE}", "=;;=,"):
        yield Hostile(f"cookie {cookie}", "GET /job", 403, {"cookie": cookie})
    for target, status in (
        *((f"/?token={TOKEN}", 403), ("/?token=", 403), ("/?token=x", 403), (f"/?token={TOKEN}x", 403)),
        *((f"/columns?token={TOKEN}", 403), (f"/?token=x&token={TOKEN}", 403), ("/?token=%C3%A9%00", 403)),
    ):
        yield Hostile(f"the address {target}, once used", f"GET {target}", status, {"cookie": ""})
    yield Hostile("the token by HEAD", f"HEAD /?token={TOKEN}", 403, {"cookie": ""})
    yield Hostile("the token in a form", "POST /", 403, {"cookie": ""}, b"token=x")
    for body in (b"", b"token=", b"token=x", b"token=%C3%A9%00", b"TOKEN=x&token=x"):
        yield Hostile(f"the form {body!r} to enter", "POST /enter", 403, {"cookie": ""}, body)
    yield Hostile("a large form to enter", "POST /enter", 413, {"cookie": ""}, b"token=" + b"x" * guard.TOKEN_FORM)
    yield Hostile("JSON to enter", "POST /enter", 415, {"cookie": "", "content-type": "application/json"}, b"{}")
    yield Hostile("a link to enter", f"GET /enter?token={TOKEN}", 403, {"cookie": ""})


def _other_origins() -> Iterator[Hostile]:
    """A form of another site, for which the browser sends the cookie (CSRF)."""
    for origin in (
        *(
            "",
            "null",
            "http://evil.example",
            f"https://{HOST}",
            "http://127.0.0.1",
            f"http://{HOST}/",
            f"http://{HOST}0",
        ),
        *(f"http://{HOST}.evil.example", f"http://localhost:{PORT}", f"http://evil.example http://{HOST}", "*"),
    ):
        yield Hostile(f"origin {origin or 'that is missing'}", "POST /job", 403, {"origin": origin}, b"at=0&text=x")
    twice = (("origin", "http://evil.example"),)
    yield Hostile("two origins", "POST /save", 403, again=twice)


def _other_verbs() -> Iterator[Hostile]:
    for verb in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"):
        yield Hostile(f"verb {verb}", f"{verb} /job", 405)
    for path in ("/save", "/cancel"):
        yield Hostile(f"a link to {path}", f"GET {path}", 405)
    yield Hostile("a form for a page", "POST /preview", 405)


def _other_files() -> Iterator[Hostile]:
    """Paths that lead out of what is served."""
    for path in (
        *("/files/../job.toml", "/files/..%2fjob.toml", "/files/%2e%2e/%2e%2e/etc/passwd", "/files//etc/passwd"),
        *("/files/%252e%252e%252fjob.toml", "/files/..%5cjob.toml", "/files/release%00.csv", "/files/people.csv"),
        *(
            "/../../../../etc/passwd",
            "/people.csv",
            "/job.toml",
            "/static/desk.css",
            "/files/",
            "/.git/config",
            "//job",
        ),
    ):
        yield Hostile(f"path {path}", f"GET {path}", 404)


def _other_bodies() -> Iterator[Hostile]:
    """Bodies that are no small form."""
    yield Hostile("a huge body", "POST /job", 413, body=b"text=" + b"9" * guard.LARGEST)
    yield Hostile("too many fields", "POST /job", 400, body=b"&".join([b"a=1"] * (guard.MOST_FIELDS + 1)))
    yield Hostile("no text", "POST /job", 400, body=b"\xff\xfe=\xff")
    yield Hostile("broken parts", "POST /job", 400, {"content-type": "multipart/form-data; boundary=x"}, b"--y")
    for kind in ("application/json", "text/plain", "text/xml", ""):
        yield Hostile(f"a body of {kind or 'no kind'}", "POST /job", 415, {"content-type": kind}, b'{"text": "x"}')
    yield Hostile("an address of too many parts", f"GET /?{'&'.join(['a=1'] * (guard.MOST_PARTS + 1))}", 400)


def _other_forms() -> Iterator[Hostile]:
    """Forms that the owner's browser may have been led to send: nothing of them is done."""
    for path in ("../out.csv", "%2fetc%2fpasswd", ".hidden", "a%2fb.csv", "", ".."):
        yield Hostile(f"a release at {path or 'no path'}", "POST /release", 422, body=f"at=0&path={path}".encode())
    for text in ("= 1", "[privacy", "k = 1\nk = 2", "\x00"):
        yield Hostile(f"the job {text!r}", "POST /job", 422, body=f"at=0&text={text}".encode())
    yield Hostile("a job of long ago", "POST /job", 409, body=b"at=7&text=%23")
    yield Hostile("a version of no number", "POST /history", 409, body=b"at=x&to=0")
    yield Hostile("a column that is none", "POST /column", 422, body=b"at=0&place=99")
    yield Hostile("a column of a long number", "POST /column", 422, body=b"at=0&place=" + b"9" * 5000)
    yield Hostile("a page of a column of a long number", f"GET /column?place={'9' * 5000}", 422)
    yield Hostile("a method that is none", "POST /frontier", 422, body=b"at=0&choice=k 3 <script>")


#: All of them.
HOSTILE: Final = tuple(
    chain(
        _other_hosts(),
        _strangers(),
        _other_origins(),
        _other_verbs(),
        _other_files(),
        _other_bodies(),
        _other_forms(),
    )
)
