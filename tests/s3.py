"""A small S3 in this process: objects by key, conditional puts, and faults at the requests that a test names."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from hashlib import md5
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

#: When every object was put.
_PUT: Final = "2026-11-01T00:00:00.000Z"


@dataclass
class S3:
    """One bucket, `lake`.

    Attributes:
        objects: Content by key.
        requests: Method and key of each request that changes or reads an object, in order.
        fault: What becomes of a request, by its number, method and key: `deaf` hangs up, `lost` does it and hangs up,
            `twice` does it twice, a number answers with that status; empty for nothing.
        conditional: Whether it knows puts that are refused where there is an object.
        port: Where it listens.
    """

    objects: dict[str, bytes] = field(default_factory=dict[str, bytes])
    requests: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    fault: Callable[[int, str, str], str] = lambda _number, _method, _key: ""
    conditional: bool = True
    pieces: dict[str, dict[int, bytes]] = field(default_factory=dict[str, dict[int, bytes]])
    port: int = 0
    lock: Any = field(default_factory=threading.Lock)

    @property
    def environment(self) -> dict[str, str]:
        """By which the library reaches it."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "a-canary-of-a-name",
            "AWS_SECRET_ACCESS_KEY": "a-canary-of-a-secret",
            "AWS_REGION": "us-east-1",
        }

    def answer(self, asked: _Asked) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and content of the answer to a request."""
        if asked.method in {"GET", "HEAD"}:
            return self._listed(asked) if "list-type" in asked.query else self._got(asked)
        if asked.method == "PUT":
            return self._put(asked)
        return self._deleted(asked) if "delete" in asked.query else self._assembled(asked)

    def _deleted(self, asked: _Asked) -> tuple[int, dict[str, str], bytes]:
        keys = re.findall("<Key>(.*?)</Key>", asked.content.decode())
        for key in keys:
            self.objects.pop(unescape(key), None)
        told = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        return HTTPStatus.OK, {"Content-Type": "application/xml"}, f"<DeleteResult>{told}</DeleteResult>".encode()

    def _listed(self, asked: _Asked) -> tuple[int, dict[str, str], bytes]:
        below = asked.query.get("prefix", [""])[0]
        each = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>{_PUT}</LastModified><ETag>&quot;1&quot;</ETag>"
            f"<Size>{len(content)}</Size><StorageClass>STANDARD</StorageClass></Contents>"
            for key, content in sorted(self.objects.items())
            if key.startswith(below)
        )
        told = f"<ListBucketResult><Name>lake</Name><IsTruncated>false</IsTruncated>{each}</ListBucketResult>"
        return HTTPStatus.OK, {"Content-Type": "application/xml"}, told.encode()

    def _got(self, asked: _Asked) -> tuple[int, dict[str, str], bytes]:
        content = self.objects.get(asked.key)
        if content is None:
            return HTTPStatus.NOT_FOUND, {}, b"<Error><Code>NoSuchKey</Code></Error>"
        said = {
            "ETag": f'"{md5(content, usedforsecurity=False).hexdigest()}"',
            "Last-Modified": formatdate(usegmt=True),
        }
        if "Range" not in asked.headers:
            return HTTPStatus.OK, said, content
        first, _, last = asked.headers["Range"].removeprefix("bytes=").partition("-")
        some = content[int(first) : int(last) + 1]
        return HTTPStatus.PARTIAL_CONTENT, said | {"Content-Range": f"bytes {first}-{last}/{len(content)}"}, some

    def _put(self, asked: _Asked) -> tuple[int, dict[str, str], bytes]:
        if "partNumber" in asked.query:
            self.pieces[asked.query["uploadId"][0]][int(asked.query["partNumber"][0])] = asked.content
        elif self.conditional and asked.headers.get("If-None-Match") == "*" and asked.key in self.objects:
            return HTTPStatus.PRECONDITION_FAILED, {}, b"<Error><Code>PreconditionFailed</Code></Error>"
        else:
            self.objects[asked.key] = asked.content
        return HTTPStatus.OK, {"ETag": '"1"'}, b""

    def _assembled(self, asked: _Asked) -> tuple[int, dict[str, str], bytes]:
        if "uploads" in asked.query:
            name = f"u{len(self.pieces)}"
            self.pieces[name] = {}
            told = f"<InitiateMultipartUploadResult><UploadId>{name}</UploadId></InitiateMultipartUploadResult>"
        else:
            made = self.pieces.pop(asked.query["uploadId"][0])
            self.objects[asked.key] = b"".join(content for _, content in sorted(made.items()))
            told = '<CompleteMultipartUploadResult><ETag>"1"</ETag></CompleteMultipartUploadResult>'
        return HTTPStatus.OK, {"Content-Type": "application/xml"}, told.encode()


@dataclass
class _Asked:
    """A request."""

    method: str
    key: str
    query: dict[str, list[str]]
    headers: Any
    content: bytes


def _handler(store: S3) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # an answer is sent at once

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as it is called above
            """Say nothing."""

        def do_GET(self) -> None:
            """Answer, or not."""
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            parts = urlsplit(self.path)
            key = unquote(parts.path).removeprefix("/lake").removeprefix("/")
            query = parse_qs(parts.query, keep_blank_values=True)
            asked = _Asked(self.command, key, query, self.headers, content)
            with store.lock:
                number = len(store.requests)
                store.requests.append((self.command, key))
                fault = store.fault(number, self.command, key)
                answer: tuple[int, dict[str, str], bytes] = 0, {}, b""
                if fault.isdigit():
                    answer = (
                        int(fault),
                        {},
                        b"<Error><Code>Fault</Code><Message>a-canary-of-a-message</Message></Error>",
                    )
                elif fault != "deaf":
                    for _ in range(2 if fault == "twice" else 1):
                        answer = store.answer(asked)
            if fault in {"deaf", "lost"}:
                self.close_connection = True
                return
            status, headers, told = answer
            self.send_response(status)
            for name, value in {"Content-Length": str(len(told)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                with suppress(ConnectionError):
                    self.wfile.write(told)

        do_HEAD = do_PUT = do_POST = do_GET  # noqa: N815  as they are called above

    return Handler


@contextmanager
def serving() -> Generator[S3]:
    """A store that listens on this machine."""
    store = S3()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(store))
    server.daemon_threads = True
    store.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield store
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
