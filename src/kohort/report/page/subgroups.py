"""Who was dropped or distorted most: subgroups by the values that they have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kohort.report import Json


def subgroups() -> dict[str, Json]:
    return {"suppressed": [], "distorted": []}
