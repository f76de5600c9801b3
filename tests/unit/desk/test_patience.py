"""How long a request may take until its headers are there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from kohort.desk.guard import TOO_SLOW, Patient

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

REQUEST: Final = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\n"


class Hasty(Patient):
    """One that waits a moment."""

    slowest = 0.3


async def counted(_: Scope, receive: Receive, send: Send) -> None:
    """Answer a request with its body."""
    body = (await receive()).get("body", b"")
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})
    await send({"type": "http.response.body", "body": body})


async def told(*pieces: bytes, pause: float = 0.0) -> bytes:
    """What a server says to these pieces, sent with pauses between them."""
    config = Config(counted, lifespan="off", log_config=None)
    made = await asyncio.get_running_loop().create_server(
        lambda: Hasty(config=config, server_state=ServerState(), app_state={}), "127.0.0.1", 0
    )
    async with made:
        reader, writer = await asyncio.open_connection(*made.sockets[0].getsockname())
        said = asyncio.create_task(reader.read())
        for piece in pieces:
            if not said.done():
                writer.write(piece)
                await asyncio.sleep(pause)
        await said
        writer.close()
    return said.result()


@pytest.mark.parametrize("sent", [b"GET / HT", REQUEST[:-2], REQUEST[:-2] + b"x: " + b"y" * 1000])
def test_what_does_not_end_is_ended(sent: bytes) -> None:
    """A part of a line, headers that do not end: each is told that it was too slow."""
    assert asyncio.run(told(sent)) == TOO_SLOW


def test_a_line_without_a_request_is_closed() -> None:
    """Without a word, which a browser could take for the answer to what it asks next."""
    assert asyncio.run(told(b"")) == b""


def test_a_trickle_is_ended() -> None:
    """The bytes that come do not begin the time again."""
    pieces = [bytes([byte]) for byte in REQUEST[:10]]
    assert asyncio.run(told(*pieces, pause=0.06)).startswith(TOO_SLOW)


def test_a_further_request_has_its_own_time() -> None:
    """From its first byte on: the first one was answered."""
    said = asyncio.run(told(REQUEST, b"1", b"G", b"E", b"T", pause=0.1))
    assert said.startswith(b"HTTP/1.1 200 OK")
    assert said.endswith(b"1" + TOO_SLOW)


def test_a_body_has_the_time_that_the_app_gives_it() -> None:
    """Once the headers are there nothing is ended here."""
    close = REQUEST.replace(b"host: x", b"host: x\r\nconnection: close")
    assert asyncio.run(told(close, b"", b"", b"7", pause=0.3)).endswith(b"\r\n\r\n7")
