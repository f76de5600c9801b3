"""Reading: whatever a table lies in becomes dictionary-encoded columns of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.io.options import ReadOptions

if TYPE_CHECKING:
    from kohort.io.tables import read

__all__ = ["ReadOptions", "read"]


def __getattr__(name: str) -> object:
    """What reads a table, once it is needed: forms and their names are known without."""
    if name != "read":
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from kohort.io.tables import read  # noqa: PLC0415  see above

    return read
