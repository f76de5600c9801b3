"""The server of the desk: on this machine only, on a free port, until Ctrl-C or an hour without a request."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import socket
import webbrowser
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Final

from kohort.app.worker import Worker, child_process
from kohort.errors import InputError, MissingExtraError, TargetError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import uvicorn

    from kohort.app.desk import Desk
    from kohort.app.guard import Guard

#: The only interface.
HERE: Final = "127.0.0.1"

#: Seconds without a request after which the desk stops.
IDLE: Final = 3600.0

#: Seconds between looks at the clock.
LOOK: Final = 5.0

#: What the desk is made with.
LIBRARIES: Final = ("jinja2", "matplotlib", "starlette", "uvicorn")


def refuse_missing() -> None:
    """Refuse to start where a library of the extra is missing.

    Raises:
        MissingExtraError: one is.
    """
    for one in LIBRARIES:
        if importlib.util.find_spec(one) is None:
            what = f"{one} is needed for the desk and is not installed"
            raise MissingExtraError(what, hint="pip install 'kohort[app]'")


def desk_of(path: Path, folder: Path) -> Desk:
    """The desk of a job file, or of a table, whose job file is to be in `folder`.

    Raises:
        InputError: there is no such file.
        TargetError: the table has a job file there already.
    """
    from kohort.app.desk import Desk  # noqa: PLC0415  it needs the libraries

    if not path.is_file():
        what = "it is not a file" if path.exists() else "there is no such file"
        raise InputError(what, where=str(path), hint="name a table, or a job file (.toml)")
    worker = Worker(child_process)
    if path.suffix == ".toml":
        return Desk(path.resolve(), "", worker)
    job = folder.resolve() / f"{path.name.partition('.')[0]}.job.toml"
    if job.exists():
        hint = f"go on with it: kohort app {os.path.relpath(job)}"
        raise TargetError("the table has a job file already", where=str(job), hint=hint)
    return Desk(job, os.path.relpath(path.parent.resolve() / path.name, job.parent), worker)


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
        tell: Prints the address.
        browser: Whether a browser is opened.
        idle: Seconds without a request after which it stops.
    """

    tell: Callable[[str], None]
    browser: bool = True
    idle: float = IDLE


def run(desk: Desk, opening: Opening) -> None:
    """Serve the desk until it is stopped."""
    from kohort.app.guard import Guard  # noqa: PLC0415  it needs the libraries
    from kohort.app.pages import app  # noqa: PLC0415  as above

    with free_port() as listening:
        guard = Guard(app(desk), f"{HERE}:{listening.getsockname()[1]}")
        opening.tell(guard.address)
        if opening.browser:
            webbrowser.open(guard.address)
        try:
            asyncio.run(_serve(guard, desk, listening, opening.idle))
        finally:
            desk.worker.close()


async def _serve(guard: Guard, desk: Desk, listening: socket.socket, idle: float) -> None:
    """Serve, and look at the clock now and then; nothing is logged, for a request can name a column."""
    import uvicorn  # noqa: PLC0415  it needs the libraries

    logging.getLogger("uvicorn.error").disabled = True
    config = uvicorn.Config(
        guard,
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
    clock = asyncio.create_task(_watch(server, guard, desk, idle))
    await server.serve(sockets=[listening])
    clock.cancel()


async def _watch(server: uvicorn.Server, guard: Guard, desk: Desk, idle: float) -> None:
    """Stop the server once nobody has asked anything for so long, unless there is work going on."""
    while True:
        await asyncio.sleep(min(LOOK, idle))
        if desk.stage is not None:
            guard.last = monotonic()
        if monotonic() - guard.last > idle:
            server.should_exit = True
            return
