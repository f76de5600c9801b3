"""A browser without a screen at a desk whose child is a thread."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
import time
from functools import partial
from html import unescape
from multiprocessing import Pipe
from types import MappingProxyType
from typing import TYPE_CHECKING

from starlette.testclient import TestClient

from kohort.desk.desk import Desk
from kohort.desk.door import app
from kohort.desk.guard import Guard
from kohort.desk.worker import Child, Worker, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from multiprocessing.connection import Connection
    from pathlib import Path

    import pytest
    from httpx2 import Response


HOST = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"

NONE: Mapping[str, str] = MappingProxyType({})

#: A job on a small register, by hand.
JOB = """\
# by hand
[input]
path = "people.csv"

[output]
path = "people.release.csv"

[privacy]
k = 5 # enough

[columns]
person_id.role = "identifying"
first_name.role = "identifying"
last_name.role = "identifying"
gender = { role = "quasi", hierarchy = "suppress" }
city = { role = "quasi", hierarchy = "city.json" }
age = { role = "quasi", grid = 5 }
education = { role = "quasi", hierarchy = "education.json" }
profession.role = "drop"
annual_income = { role = "sensitive", t = 0.5, allow-singling = true }
"""


#: Seconds that anything may take.
PATIENCE = 300.0


def copied(register: Path, folder: Path) -> Path:
    """A folder with the register, and a job."""
    for path in register.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "job.toml").write_text(JOB, encoding="utf-8")
    return folder


def child_thread() -> Child:
    """A child in this process."""
    ours, theirs = Pipe()
    threading.Thread(target=serve, args=(theirs,), daemon=True).start()
    return Child(ours, partial(_hang_up, ours))


def _hang_up(line: Connection) -> None:
    """Let both ends see that the other is gone."""
    with socket.socket(fileno=os.dup(line.fileno())) as end:
        end.shutdown(socket.SHUT_RDWR)


def worker() -> Worker:
    """A worker with such a child."""
    return Worker(child_thread)


class Visitor:
    """Somebody who has opened the desk."""

    def __init__(self, desk: Desk) -> None:
        """Find the desk."""
        self.desk = desk
        self.guard = Guard(app(desk), HOST)
        self.client = TestClient(self.guard, base_url=ORIGIN, raise_server_exceptions=True)

    def enter(self) -> Visitor:
        """Go to the address that was printed."""
        assert self.client.get(self.guard.address, follow_redirects=False).status_code == 303
        if not self.desk.source:
            self.desk.open()
        return self

    def get(self, path: str) -> Response:
        """A page, once there is nothing to wait for."""
        end = time.monotonic() + PATIENCE
        answer = self.client.get(path)
        while answer.status_code == 202 and time.monotonic() < end:
            time.sleep(0.02)
            answer = self.client.get(path)
        return answer

    def post(self, path: str, more: Mapping[str, str] = NONE, /, *, at: int | None = None, **fields: str) -> Response:
        """Send a form of the desk as it is now; then the page that follows."""
        data = {"at": str(self.desk.at if at is None else at), **fields, **more}
        answer = self.client.post(path, data=data, headers={"origin": ORIGIN}, follow_redirects=False)
        if answer.status_code == 303:
            return self.get(answer.headers["location"])
        return answer


def visits() -> Iterator[Callable[..., Visitor]]:
    """Opens desks, and closes them after the test."""
    opened: list[Visitor] = []

    def visitor(path: Path, source: str = "") -> Visitor:
        opened.append(Visitor(Desk(path, source, worker())))
        return opened[-1].enter()

    yield visitor
    for one in opened:
        one.desk.worker.close()


def told(answer: Response) -> str:
    """What a person reads of a page."""
    text = re.sub(r"</?(bdi|wbr|code|strong|em|span|data)[^>]*>", "", answer.text)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", text)))


def press(visitor: Visitor, page: Response, words: str) -> Response:
    """Press the button of a page that has these words; then the page that follows."""
    sent = (unescape(one) for one in re.findall(r'name="change" value="(.*?)"', page.text))
    data = {"at": str(visitor.desk.at), "change": next(one for one in sent if json.loads(one)[0] == words)}
    headers = {"origin": ORIGIN, "referer": str(page.url)}
    answer = visitor.client.post("/change", data=data, headers=headers, follow_redirects=False)
    return visitor.get(answer.headers["location"])


def does_the_same(page: Response, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of Python on a page, run as they stand there in the folder of the job, give the same bytes."""
    found = re.search(r"<code>(import kohort.*?)</code>", page.text, re.DOTALL)
    assert found is not None
    released = (folder / "out.csv").read_bytes()
    for path in folder.glob("out*"):
        path.unlink()
    monkeypatch.chdir(folder)
    exec(found[1].replace("&#39;", "'"), {})  # noqa: S102  it is what a user would paste
    assert (folder / "out.csv").read_bytes() == released
