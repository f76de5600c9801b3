"""How the desk is started and stopped."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import webbrowser
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

import httpx2
import pytest

from kohort import system
from kohort.desk import serve
from kohort.desk.command import _is_read_by_others  # pyright: ignore[reportPrivateUsage]
from kohort.desk.door import Door
from kohort.desk.kinds import TABLE
from kohort.desk.serve import desk_of, free_port, run
from kohort.errors import FileError, InputError, MissingExtraError, TargetError, UsageError
from kohort.transactions.desk import TRANSACTIONS
from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec

    from tests.unit.desk.visitor import Visitor


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
        ("shop.dat", ""): TRANSACTIONS,
        ("shop.dat", "table"): TABLE,
        ("people.csv", ""): TABLE,
        ("people.csv", "transactions"): TRANSACTIONS,
    }
    for (name, kind), found in said.items():
        desk = desk_of(tmp_path / name, tmp_path, kind)
        assert desk.kind is found
        desk.worker.close()
    with pytest.raises(UsageError, match="names its own kind of data"):
        desk_of(tmp_path / "own.toml", tmp_path, "transactions")
    with pytest.raises(UsageError, match="the desk opens no rug"):
        desk_of(tmp_path / "shop.dat", tmp_path, "rug")


def test_only_this_machine_is_served() -> None:
    """On a port that nobody else has."""
    with free_port() as one, free_port() as other:
        assert one.getsockname()[0] == other.getsockname()[0] == "127.0.0.1"
        assert one.getsockname()[1] != other.getsockname()[1]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own; nothing of a desk is left in it, nor where temporary files go."""
    for name in ("home", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "home"


def left_in(home: Path) -> list[Path]:
    """What is left of pages."""
    return [*home.iterdir(), *home.with_name("temporary").iterdir()]


@dataclass
class Surfer:
    """A browser that is started with an address: what it got, and what it saw.

    Attributes:
        arguments: The addresses.
        modes: Of the page's file and its folder.
        answers: To the form of the page, by its status and text; then whether the page is still there.
    """

    arguments: list[str] = field(default_factory=list[str])
    modes: list[int] = field(default_factory=list[int])
    answers: list[tuple[int, str, bool]] = field(default_factory=list[tuple[int, str, bool]])

    def open(self, address: str) -> bool:
        """Read the page, and send its form, as often as it is asked to."""
        self.arguments.append(address)
        page = Path(url2pathname(urlsplit(address).path))
        self.modes += [stat.S_IMODE(one.stat().st_mode) for one in (page, page.parent)]
        text = page.read_text(encoding="utf-8")
        target, token = re.findall(r'action="([^"]+)"', text)[0], re.findall(r'value="([^"]+)"', text)[0]
        for _ in range(2):
            answer = httpx2.post(target, data={"token": token}, headers={"origin": "null"}, timeout=60)
            self.answers.append((answer.status_code, answer.text, page.exists()))
        assert token not in address
        return True


def test_the_desk_stops_when_nobody_asks_any_more(
    visitor: Visitor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says its address, opens a page for its owner only, serves while the browser runs, and ends by itself.

    The browser's argument has no token, and the page is gone as soon as a browser was let in; no second one is.
    """
    told: list[str] = []
    surfer = Surfer()
    monkeypatch.setattr(webbrowser, "open", surfer.open)
    mask = os.umask(0)
    try:
        run(Door(Path(), visitor.desk), told.append, idle=3)
    finally:
        os.umask(mask)
    (address,) = re.findall(r"http://\S+", told[0])
    assert len(told) == 1
    assert surfer.modes == [0o600, 0o700]
    assert [status for status, _, _ in surfer.answers] == [200, 403]
    assert 'content="0; url=/"' in surfer.answers[0][1]
    assert "used already" in surfer.answers[1][1]
    assert [there for _, _, there in surfer.answers] == [False, False]
    assert "token" not in surfer.arguments[0]
    assert left_in(home) == []
    with (
        pytest.raises(OSError, match="refused"),
        socket.create_connection(("127.0.0.1", int(address.split(":")[2].split("/")[0]))),
    ):
        pass


def _never(_: str) -> bool:
    """A browser in the foreground, as long as the process lives."""
    return threading.Event().wait()


def _opened(_: str) -> bool:
    """A browser in the background."""
    return True


def _missing(_: str) -> bool:
    """No browser."""
    return False


def _raising(_: str) -> bool:
    """What `webbrowser` does of a BROWSER that is no command."""
    raise ValueError("No closing quotation")


@pytest.mark.parametrize(
    ("opened", "missed"),
    [(_never, False), (_opened, False), (_missing, True), (_raising, True)],
    ids=["in the foreground", "in the background", "none", "no command"],
)
def test_no_browser_is_waited_for(
    visitor: Visitor, home: Path, monkeypatch: pytest.MonkeyPatch, *, opened: Callable[[str], bool], missed: bool
) -> None:
    """The desk answers while a browser runs in the foreground, and says where none could be opened."""
    told: list[str] = []
    answers: list[int] = []

    def ask(address: str) -> None:
        answers.append(httpx2.get(address, timeout=60).status_code)

    def on_progress(text: str) -> None:
        told.append(text)
        for address in re.findall(r"http://\S+", text):
            wrong = f"{address}x"  # who is not let in is answered, too, and lets no other in
            threading.Thread(target=ask, args=(wrong,)).start()

    monkeypatch.setattr(webbrowser, "open", opened)
    run(Door(Path(), visitor.desk), on_progress, idle=2)
    assert answers == [403]
    assert len(told) == 1 + missed
    assert ("No browser" in told[-1]) == missed
    assert left_in(home) == []


#: A browser without a screen: it writes what every user sees of processes, and what the form of the page is answered.
BROWSER = """
import os, re, sys, time
from pathlib import Path
from urllib.request import Request, url2pathname, urlopen

if sys.argv[-1] == "fail":
    sys.exit(1)
text = Path(url2pathname(sys.argv[1].removeprefix("file://"))).read_text()
(target,), (token,) = re.findall('action="([^"]+)"', text), re.findall('value="([^"]+)"', text)
seen = []
for path in Path("/proc").glob("[0-9]*/cmdline"):
    try:
        seen += path.read_bytes().decode(errors="replace").split("\\0")
    except OSError:
        pass
status = urlopen(Request(target, f"token={token}".encode()), timeout=60).status
Path(os.environ["SEEN"] + ".new").write_text(f"{sys.argv} {seen} {dict(os.environ)} {status}")
Path(os.environ["SEEN"] + ".new").rename(os.environ["SEEN"])
time.sleep(5)
"""


def waited_for(path: Path) -> str:
    """The text of a file that another process writes."""
    for _ in range(1200):
        if path.exists():
            break
        time.sleep(0.1)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("commands", ["{0} {1} %s", "none-such:{0} {1} %s", "{0} {1} %s fail:{0} {1} %s"])
def test_the_browser_of_the_environment_gets_no_token(folder: Path, tmp_path: Path, home: Path, commands: str) -> None:
    """A command, one after a missing one, one after one that fails: each runs in front, and sees only a path."""
    script = tmp_path / "browser.py"
    script.write_text(BROWSER, encoding="utf-8")
    browser = commands.replace(":", os.pathsep).format(sys.executable, script)
    environment = {**os.environ, "BROWSER": browser, "HOME": str(home), "SEEN": str(tmp_path / "seen.txt")}
    command = [sys.executable, "-m", "kohort", "app", "job.toml"]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    printed = "".join(iter(process.stdout.readline, "Ctrl-C closes it.\n"))
    (token,) = re.findall(r"token=(\S+)", printed)
    seen = waited_for(tmp_path / "seen.txt")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert "desk.html" in seen
    assert seen.endswith("200")
    assert token not in seen
    assert left_in(home) == []


def test_an_output_that_others_read_has_no_token(visitor: Visitor, home: Path) -> None:
    """It names the owner's file in place of the address, with and without a browser."""
    told: list[str] = []
    surfer = Surfer()

    def on_progress(text: str) -> None:
        told.append(text)
        threading.Thread(target=surfer.open, args=(Path(text.split()[-4]).as_uri(),)).start()

    run(Door(Path(), visitor.desk), on_progress, shown=False, browser=False, idle=3)
    assert "token" not in told[0]
    assert [status for status, _, _ in surfer.answers] == [200, 403]
    assert left_in(home) == []


@pytest.mark.parametrize(("mode", "address"), [(0o600, True), (0o640, False), (0o604, False)])
def test_the_address_is_printed_where_only_the_owner_reads(
    folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch, *, mode: int, address: bool
) -> None:
    """A file with the output of the command has the address if its mode keeps others out."""
    log = folder / "log.txt"
    log.touch()
    log.chmod(mode)
    with log.open("w", encoding="utf-8") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert _is_read_by_others() is not address
    assert left_in(home) == []


@pytest.mark.parametrize("shown", [True, False])
def test_no_page_is_written_where_others_can_change_it(
    visitor: Visitor, home: Path, monkeypatch: pytest.MonkeyPatch, *, shown: bool
) -> None:
    """No browser is opened then, and the address is printed, but not into what others read: status 6."""
    told: list[str] = []
    opened: list[str] = []
    monkeypatch.setattr(system, "is_private", _missing)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    if shown:
        run(Door(Path(), visitor.desk), told.append, idle=0.1)
        assert "?token=" in told[0]
        assert "No browser" in told[1]
    else:
        with pytest.raises(FileError, match="other users"):
            run(Door(Path(), visitor.desk), told.append, shown=False, idle=0.1)
        assert told == []
    assert opened == []
    assert left_in(home) == []


def test_the_page_goes_where_there_is_a_place(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into the home folder, where every browser may read; else where temporary files go, in a folder of its own."""
    page = serve.page_for("127.0.0.1:1", "secret")
    assert page is not None
    assert page.parent.parent == home
    assert not page.parent.name.startswith(".")
    serve.remove_page(page)
    monkeypatch.setenv("HOME", str(home / "none"))
    page = serve.page_for("127.0.0.1:1", "secret")
    assert page is not None
    assert page.parent.parent == home.with_name("temporary")
    serve.remove_page(page)
    monkeypatch.setattr(tempfile, "tempdir", str(home / "none"))
    assert serve.page_for("127.0.0.1:1", "secret") is None
    monkeypatch.setattr(tempfile, "tempdir", str(home))
    monkeypatch.setattr(serve, "_written", _refused)
    assert serve.page_for("127.0.0.1:1", "secret") is None
    assert left_in(home) == []


def _refused(*_: object) -> Path:
    """Write nothing: the disk is full."""
    raise OSError(28, "No space left on device")


def test_the_desk_does_not_stop_during_work(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock begins again while something is done."""
    stages = ["count", "solve", None]
    monkeypatch.setattr(type(visitor.desk), "stage", property(lambda _: stages.pop(0) if stages else None))
    run(Door(Path(), visitor.desk), lambda _: None, browser=False, idle=0.1)
    assert stages == []


def test_the_command_prints_the_address(folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert len(opened) <= 1  # the desk is gone at once
    assert left_in(home) == []


async def _nothing(*_: object) -> None:
    """Serve nothing."""
