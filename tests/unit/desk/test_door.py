"""A desk that is opened without a file: it asks for one, and then is the desk of that."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from kohort.desk import serve
from kohort.desk.door import Door, through
from kohort.desk.guard import Guard
from kohort.transactions.desk import TRANSACTIONS
from tests.command import kohort
from tests.unit.desk.visitor import HOST, ORIGIN, child_thread, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from httpx2 import Response


class Caller:
    """Somebody at a door."""

    def __init__(self, folder: Path) -> None:
        """Go to the address that was printed."""
        self.door = Door(folder)
        guard = Guard(through(self.door), HOST)
        self.client = TestClient(guard, base_url=ORIGIN)
        assert self.client.get(guard.address, follow_redirects=False).status_code == 303

    def name(self, path: str, kind: str = "") -> Response:
        """Name a file."""
        data = {"path": path, "kind": kind}
        return self.client.post("/open", data=data, headers={"origin": ORIGIN}, follow_redirects=False)


@pytest.fixture
def caller(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Caller]:
    """Somebody at the door of a folder with a register; whose child is a thread."""
    monkeypatch.setattr(serve, "child_process", child_thread)
    one = Caller(folder)
    yield one
    if one.door.desk is not None:
        one.door.desk.worker.close()


def test_the_file_that_is_named_is_opened(caller: Caller) -> None:
    """From then on every page is that of its desk, and nothing else can be opened."""
    asking = caller.client.get("/")
    assert asking.status_code == 200
    assert "The path of a file of data, or of a job file" in told(asking)
    assert caller.client.get("/columns").status_code == 404
    assert caller.client.get("/style.css").headers["content-type"].startswith("text/css")
    answer = caller.name(" job.toml ")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert caller.client.get("/job").status_code == 200
    assert caller.name("people.csv").status_code == 404


@pytest.mark.parametrize("path", ["", "none.csv", "../job", "~nobody-of-that-name/a.csv", "a\0b"])
def test_what_cannot_be_opened_is_told_beside_what_was_typed(caller: Caller, path: str) -> None:
    """And the door stays where it is."""
    answer = caller.name(path, "table")
    assert answer.status_code == 422
    assert '<h2 id="faults">' in answer.text
    assert 'value="table" checked' in answer.text
    assert caller.door.desk is None


def test_a_file_holds_what_is_said(caller: Caller) -> None:
    """Though it looks like something else."""
    assert caller.name("people.csv", "transactions").status_code == 303
    assert caller.door.desk is not None
    assert caller.door.desk.kind is TRANSACTIONS


def test_a_name_is_shown_as_text(caller: Caller) -> None:
    """Whatever it says."""
    assert "<script>alert" not in caller.name("<script>alert(1)</script>").text


def test_nobody_opens_a_file_from_elsewhere(caller: Caller) -> None:
    """A page of another site cannot name one."""
    post = partial(caller.client.post, "/open", data={"path": "job.toml"}, follow_redirects=False)
    assert post(headers={"origin": "http://elsewhere.example"}).status_code == 403
    assert caller.door.desk is None


def test_what_a_file_holds_is_said_of_a_file() -> None:
    """Not of none."""
    ran = kohort("app", "--kind", "table", "--no-browser")
    assert ran.status == 2
    assert "--kind needs a file" in ran.err
