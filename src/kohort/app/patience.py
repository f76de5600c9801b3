"""HTTP of a server that waits only so long for a request: its line and headers within seconds, however they trickle.

Of a body the guard sees to it (`kohort.app.guard`); it is asked once the headers are there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from kohort.app.guard import SLOWEST

if TYPE_CHECKING:
    import asyncio

#: What somebody is told who was too slow.
TOO_SLOW: Final = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 27\r\n"
    b"connection: close\r\n\r\nThe request took too long.\n"
)


class Patient(H11Protocol):
    """A connection that is closed where a request is not there in time."""

    #: Seconds from the connection, or from the first byte of a further request, to the end of its headers.
    slowest: float = SLOWEST

    _closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait on where the headers are not complete, from when they began."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE or not self.conn.trailing_data[0]:
            self._wait_no_more()
        elif self._closing is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._closing = self.loop.call_later(self.slowest, self._close)

    def _wait_no_more(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None

    def _close(self) -> None:
        """Hang up, and say why to whoever has begun: a browser that keeps a line ready may take it for an answer."""
        if self.conn.trailing_data[0]:
            self.transport.write(TOO_SLOW)
        self.transport.close()
