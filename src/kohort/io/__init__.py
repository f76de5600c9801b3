"""Reading: whatever a table lies in becomes dictionary-encoded columns of text."""

from __future__ import annotations

from kohort.io.options import ReadOptions
from kohort.io.tables import read

__all__ = ["ReadOptions", "read"]
