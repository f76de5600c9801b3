"""The server of the desk: on this machine only, on a free port, until Ctrl-C or an hour without a request."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import shutil
import socket
import webbrowser
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Final

from kohort import system
from kohort.desk.worker import Worker, child_process
from kohort.errors import FileError, InputError, MissingExtraError, TargetError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    import uvicorn

    from kohort.desk.desk import Desk
    from kohort.desk.door import Door
    from kohort.desk.guard import Guard

#: The only interface.
HERE: Final = "127.0.0.1"

#: Seconds without a request after which the desk stops.
IDLE: Final = 3600.0

#: Seconds between looks at the clock.
LOOK: Final = 5.0

#: What sends the token; a browser without scripts shows its button. It holds nothing that needs to be escaped.
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>The desk</title></head>
<body>
<form method="post" action="http://{host}/enter"><input type="hidden" name="token" value="{token}">
<button>Open the desk</button></form>
<script>document.forms[0].submit()</script>
</body>
</html>
"""

#: What is printed.
_ENTER: Final = "The desk is open, for the first browser that opens this {}:\n\n  {}\n\nCtrl-C closes it."
_NO_BROWSER: Final = "No browser could be opened from here. Open the desk yourself, as printed above."

#: What the desk is made with.
LIBRARIES: Final = ("jinja2", "matplotlib", "starlette", "uvicorn")


def refuse_missing() -> None:
    """Refuse to start where a library of the extra is missing."""
    for one in LIBRARIES:
        if importlib.util.find_spec(one) is None:
            what = f"{one} is needed for the desk and is not installed"
            raise MissingExtraError(what, hint="pip install 'kohort[app]'")


def desk_of(path: Path, folder: Path, kind: str = "") -> Desk:
    """The desk of a job file, or of a file of data, whose job file is to be in `folder`.

    Args:
        path: The file.
        folder: Where its job file goes.
        kind: The name of the kind of data that it holds; where none is given, its form shows that.

    Raises:
        InputError: there is no such file.
        UsageError: a job file names its own kind of data, or no kind has this name.
        TargetError: it has a job file there already.
    """
    from kohort.desk.desk import Desk  # noqa: PLC0415  it needs the libraries
    from kohort.desk.kinds import kind_in  # noqa: PLC0415  likewise

    if not path.is_file():
        what = "the path is not a file" if path.exists() else "no such file"
        raise InputError(what, where=str(path), hint="name a table, or a job file (.toml)")
    if path.suffix == ".toml":
        if kind:
            raise UsageError("a job file names its own kind of data", where="--kind", hint="leave it out")
        return Desk(path.resolve(), "", Worker(child_process))
    job = folder.resolve() / f"{path.name.partition('.')[0]}.job.toml"
    if job.exists():
        hint = f"go on with it: kohort app {os.path.relpath(job)}"
        raise TargetError("there is a job file for it already", where=str(job), hint=hint)
    source = os.path.relpath(path.parent.resolve() / path.name, job.parent)
    return Desk(job, source, Worker(child_process), kind_in(path, kind))


def free_port() -> socket.socket:
    """A socket that listens on a free port of this machine."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.bind((HERE, 0))
    found.listen(256)
    return found


def run(
    door: Door, on_progress: Callable[[str], None], *, shown: bool = True, browser: bool = True, idle: float = IDLE
) -> None:
    """Serve the desk behind the door until it is stopped.

    Args:
        door: The way to the desk.
        on_progress: Prints how to enter, and what came of opening a browser.
        shown: Whether only the owner sees what is printed; else a file is named in place of the address.
        browser: Whether a browser is opened.
        idle: Seconds without a request after which it stops.
    """
    from kohort.desk.door import through  # noqa: PLC0415  it needs the libraries
    from kohort.desk.guard import Guard  # noqa: PLC0415  as above

    with free_port() as listening:
        guard = Guard(through(door), f"{HERE}:{listening.getsockname()[1]}")
        try:
            with _invited(guard, on_progress, shown=shown, browser=browser):
                asyncio.run(_serve(guard, door, listening, idle))
        finally:
            if door.desk is not None:
                door.desk.worker.close()


@contextmanager
def _invited(guard: Guard, on_progress: Callable[[str], None], *, shown: bool, browser: bool) -> Generator[None]:
    """Tell how to enter, and open a browser, which may run as long as it likes: nobody waits for it.

    Raises:
        FileError: others see what is printed, and there is no folder for a page that they do not see.
    """
    page = page_for(guard.host, guard.token) if browser or not shown else None
    if page is None and not shown:
        what = "other users can read the output, and there is no folder of yours alone for the desk's first page"
        raise FileError(what, hint="print the address on a terminal")
    try:
        if page is not None:
            guard.on_entry = partial(remove_page, page)
        on_progress(_ENTER.format("address" if shown else "file", guard.address if shown else page))
        if browser:
            Thread(target=_open, args=(page, guard, on_progress), daemon=True).start()
        yield
    finally:
        if page is not None:
            remove_page(page)


def _open(page: Path | None, guard: Guard, on_progress: Callable[[str], None]) -> None:
    """Open the page in a browser; the token is in the file, and in no argument of a process."""
    opened = False
    with suppress(webbrowser.Error, ValueError):  # what BROWSER says may be no command at all
        opened = page is not None and webbrowser.open(page.as_uri())
    if not (opened or guard.entered):
        on_progress(_NO_BROWSER)


async def _serve(guard: Guard, door: Door, listening: socket.socket, idle: float) -> None:
    """Serve, and look at the clock now and then; nothing is logged, for a request can name a column."""
    import uvicorn  # noqa: PLC0415  it needs the libraries

    from kohort.desk.guard import Patient  # noqa: PLC0415  as above

    logging.getLogger("uvicorn.error").disabled = True
    config = uvicorn.Config(
        guard,
        http=Patient,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=1 << 16,
    )
    server = uvicorn.Server(config)
    clock = asyncio.create_task(_watch(server, guard, door, idle))
    await server.serve(sockets=[listening])
    clock.cancel()


async def _watch(server: uvicorn.Server, guard: Guard, door: Door, idle: float) -> None:
    """Stop the server once nobody has asked anything for so long, unless there is work going on."""
    while True:
        await asyncio.sleep(min(LOOK, idle))
        if door.desk is not None and door.desk.stage is not None:
            guard.last = monotonic()
        if monotonic() - guard.last > idle:
            server.should_exit = True
            return


# --- the page that lets a browser in ----------------------------------------------------------------------------------
#
# A browser gets the path of this file as its argument, which every user of the machine can see; the token is in the
# file, which only its owner can read, until somebody has entered. The page sends the token as a form, so that no
# address has it, which a browser would keep or pass on.


def _folders() -> Iterator[Path]:
    """Where the page may go: browsers in a sandbox see the home folder, but nothing hidden in it, and no `/tmp`."""
    with suppress(RuntimeError):  # a user without a home
        yield Path.home()
    yield Path(gettempdir())


def page_for(host: str, token: str) -> Path | None:
    """The page in a new folder of its own; `None` where no folder is safe from other users."""
    for parent in _folders():
        with suppress(OSError):
            folder = Path(mkdtemp(prefix="kohort-desk-", dir=parent))  # 0700
            try:
                if system.is_private(folder):
                    return _written(folder / "desk.html", _PAGE.format(host=host, token=token))
            except OSError:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            shutil.rmtree(folder, ignore_errors=True)
    return None


def _written(page: Path, text: str) -> Path:
    with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.CAREFUL, 0o600), "w") as file:
        file.write(text)
    return page


def remove_page(page: Path) -> None:
    """Take the page away with its folder."""
    shutil.rmtree(page.parent, ignore_errors=True)
