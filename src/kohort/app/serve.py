"""The server of the desk: on this machine only, on a free port, until Ctrl-C or an hour without a request."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import socket
import webbrowser
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Final

from kohort.app import doorway
from kohort.app.worker import Worker, child_process
from kohort.errors import FileError, InputError, MissingExtraError, TargetError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    import uvicorn

    from kohort.app.desk import Desk
    from kohort.app.door import Door
    from kohort.app.guard import Guard

#: The only interface.
HERE: Final = "127.0.0.1"

#: Seconds without a request after which the desk stops.
IDLE: Final = 3600.0

#: Seconds between looks at the clock.
LOOK: Final = 5.0

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


def desk_of(path: Path, folder: Path, *, transactions: bool | None = None) -> Desk:
    """The desk of a job file, or of a table or transaction database, whose job file is to be in `folder`.

    Args:
        path: The file.
        folder: Where its job file goes.
        transactions: Whether it holds transactions; where nothing is said, a file that can hardly be a table does.

    Raises:
        InputError: there is no such file.
        UsageError: a job file says itself what it is on.
        TargetError: it has a job file there already.
    """
    from kohort.app.desk import Desk  # noqa: PLC0415  it needs the libraries
    from kohort.app.subjects import TABLE, TRANSACTIONS  # noqa: PLC0415  likewise
    from kohort.io.baskets.seen import seen_in  # noqa: PLC0415  likewise

    if not path.is_file():
        what = "it is not a file" if path.exists() else "there is no such file"
        raise InputError(what, where=str(path), hint="name a table, or a job file (.toml)")
    if path.suffix == ".toml":
        if transactions is not None:
            raise UsageError("a job file says itself what it is on", where="--transactions", hint="leave it out")
        return Desk(path.resolve(), "", Worker(child_process))
    job = folder.resolve() / f"{path.name.partition('.')[0]}.job.toml"
    if job.exists():
        hint = f"go on with it: kohort app {os.path.relpath(job)}"
        raise TargetError("there is a job file for it already", where=str(job), hint=hint)
    source = os.path.relpath(path.parent.resolve() / path.name, job.parent)
    of_transactions = seen_in(path).sure if transactions is None else transactions
    return Desk(job, source, Worker(child_process), TRANSACTIONS if of_transactions else TABLE)


def free_port() -> socket.socket:
    """A socket that listens on a free port of this machine."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.bind((HERE, 0))
    found.listen(256)
    return found


@dataclass(slots=True)
class Opening:
    """How the desk is opened.

    Attributes:
        tell: Prints how to enter, and what came of opening a browser.
        shown: Whether only the owner sees what is printed; else a file is named in place of the address.
        browser: Whether a browser is opened.
        idle: Seconds without a request after which it stops.
    """

    tell: Callable[[str], None]
    shown: bool = True
    browser: bool = True
    idle: float = IDLE


def run(door: Door, opening: Opening) -> None:
    """Serve the desk behind the door until it is stopped."""
    from kohort.app.door import through  # noqa: PLC0415  it needs the libraries
    from kohort.app.guard import Guard  # noqa: PLC0415  as above

    with free_port() as listening:
        guard = Guard(through(door), f"{HERE}:{listening.getsockname()[1]}")
        try:
            with _invited(guard, opening):
                asyncio.run(_serve(guard, door, listening, opening.idle))
        finally:
            if door.desk is not None:
                door.desk.worker.close()


@contextmanager
def _invited(guard: Guard, opening: Opening) -> Generator[None]:
    """Tell how to enter, and open a browser, which may run as long as it likes: nobody waits for it.

    Raises:
        FileError: others see what is printed, and there is no folder for a page that they do not see.
    """
    page = doorway.build(guard.host, guard.token) if opening.browser or not opening.shown else None
    if page is None and not opening.shown:
        what = "other users can read the output, and there is no folder of yours alone for the desk's first page"
        raise FileError(what, hint="print the address on a terminal")
    try:
        if page is not None:
            guard.on_entry = partial(doorway.remove, page)
        opening.tell(_ENTER.format("address" if opening.shown else "file", guard.address if opening.shown else page))
        if opening.browser:
            Thread(target=_open, args=(page, guard, opening.tell), daemon=True).start()
        yield
    finally:
        if page is not None:
            doorway.remove(page)


def _open(page: Path | None, guard: Guard, tell: Callable[[str], None]) -> None:
    """Open the page in a browser; the token is in the file, and in no argument of a process."""
    opened = False
    with suppress(webbrowser.Error, ValueError):  # what BROWSER says may be no command at all
        opened = page is not None and webbrowser.open(page.as_uri())
    if not (opened or guard.entered):
        tell(_NO_BROWSER)


async def _serve(guard: Guard, door: Door, listening: socket.socket, idle: float) -> None:
    """Serve, and look at the clock now and then; nothing is logged, for a request can name a column."""
    import uvicorn  # noqa: PLC0415  it needs the libraries

    from kohort.app.patience import Patient  # noqa: PLC0415  as above

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
