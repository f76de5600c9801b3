"""How the desk is started and stopped."""

from __future__ import annotations

import importlib.util
import socket
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest

from kohort.app import serve
from kohort.app.door import Door
from kohort.app.serve import Opening, desk_of, free_port, run
from kohort.app.subjects import TABLE, TRANSACTIONS
from kohort.errors import InputError, MissingExtraError, TargetError, UsageError
from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec

    from tests.unit.app.visitor import Visitor


@pytest.mark.parametrize("library", serve.LIBRARIES)
def test_a_missing_library_is_told_with_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    """Status 10, before anything is opened."""
    found = importlib.util.find_spec

    def find(name: str) -> ModuleSpec | None:
        return None if name == library else found(name)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    ran = kohort("app", folder / "people.csv", "--no-browser")
    assert ran.status == MissingExtraError.exit_status == 10
    assert "pip install 'kohort[app]'" in ran.err


def test_a_desk_is_of_a_file(tmp_path: Path) -> None:
    """A folder, or nothing, is refused."""
    for path in (tmp_path, tmp_path / "none.csv"):
        with pytest.raises(InputError):
            desk_of(path, tmp_path)


def test_the_job_of_a_table_is_in_the_folder_where_one_stands(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Named after the table, whose path it has; where there is one already, the hint is how to go on with it."""
    elsewhere = tmp_path_factory.mktemp("desk")
    desk = desk_of(folder / "people.csv", elsewhere)
    assert desk.path == elsewhere / "people.job.toml"
    assert (elsewhere / desk.source).resolve() == folder / "people.csv"
    desk.worker.close()
    desk.path.touch()
    with pytest.raises(TargetError, match=r"kohort app .*people\.job\.toml"):
        desk_of(folder / "people.csv", elsewhere)
    desk = desk_of(desk.path, Path())
    assert desk.source == ""
    desk.worker.close()


def test_a_file_that_is_no_table_is_of_transactions(tmp_path: Path) -> None:
    """As its lines are written, or as the option says; a job file says it itself."""
    (tmp_path / "shop.dat").write_text("1 2 3\n2\n3 4\n", encoding="utf-8")
    (tmp_path / "people.csv").write_text("id,item\n1,tea\n1,jam\n", encoding="utf-8")
    (tmp_path / "own.toml").touch()
    said = {
        ("shop.dat", None): TRANSACTIONS,
        ("shop.dat", False): TABLE,
        ("people.csv", None): TABLE,
        ("people.csv", True): TRANSACTIONS,
    }
    for (name, transactions), subject in said.items():
        desk = desk_of(tmp_path / name, tmp_path, transactions=transactions)
        assert desk.subject is subject
        desk.worker.close()
    with pytest.raises(UsageError, match="says itself"):
        desk_of(tmp_path / "own.toml", tmp_path, transactions=True)


def test_only_this_machine_is_served() -> None:
    """On a port that nobody else has."""
    with free_port() as one, free_port() as other:
        assert one.getsockname()[0] == other.getsockname()[0] == "127.0.0.1"
        assert one.getsockname()[1] != other.getsockname()[1]


def test_the_desk_stops_when_nobody_asks_any_more(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says its address, opens the browser there, serves over the network of this machine, and ends by itself."""
    told: list[str] = []
    monkeypatch.setattr(webbrowser, "open", told.append)
    answers: list[int] = []

    def tell(address: str) -> None:
        told.append(address)
        threading.Thread(
            target=lambda: answers.append(httpx2.get(address, follow_redirects=False, timeout=60).status_code)
        ).start()

    run(Door(Path(), visitor.desk), Opening(tell, idle=3))
    assert told[0] == told[1]
    assert answers == [303]
    with (
        pytest.raises(OSError, match="refused"),
        socket.create_connection(("127.0.0.1", int(told[0].split(":")[2].split("/")[0]))),
    ):
        pass


def test_the_desk_does_not_stop_during_work(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock begins again while something is done."""
    stages = ["count", "solve", None]
    monkeypatch.setattr(type(visitor.desk), "stage", property(lambda _: stages.pop(0) if stages else None))
    run(Door(Path(), visitor.desk), Opening(lambda _: None, browser=False, idle=0.1))
    assert stages == []


def test_the_command_prints_the_address(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And opens a browser unless it is told not to."""
    monkeypatch.chdir(folder)
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(serve, "_serve", _nothing)
    shown: list[Callable[..., object]] = []
    assert not shown
    ran = kohort("app", "people.csv", "--no-browser")
    assert ran.status == 0
    assert "http://127.0.0.1:" in ran.out
    assert "?token=" in ran.out
    assert opened == []
    kohort("app", "job.toml")
    assert len(opened) == 1


async def _nothing(*_: object) -> None:
    """Serve nothing."""
