"""From a job to a release: engines count and recode, and the pipeline solves, verifies and publishes on any of them.

An engine reads, counts, recodes, writes and verifies; it holds its records and gives arrays. `base` says what one is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kohort.engines.base import EngineKind
from kohort.specification import Specification

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kohort.engines.base import Engine


def _opened(engine: object, limit: int | None, folder: Path | None, _: Mapping[str, Any]) -> Engine | None:
    from kohort.engines.local import local_engine  # noqa: PLC0415  a form or a help needs no engine

    return local_engine(limit, folder) if isinstance(engine, str) else None


#: The local engine, by its name.
LOCAL: Final = EngineKind(Specification("local", "this process", "in this process"), _opened)
