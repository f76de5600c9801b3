"""What the paths of tables and of transactions share: timed stages, the files a run reads, the certificate's place."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


@dataclass(slots=True)
class Stages:
    """Wall seconds of each stage, and who wants to hear of them."""

    tell: Callable[[str], None]
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def __call__(self, name: str) -> Generator[None]:
        """Tell of stage `name` and time it."""
        self.tell(name)
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


def silent(_: str) -> None:
    """Hear of a stage and do nothing."""


def beside(target: Path) -> Path:
    """Where the certificate of a release stands: `NAME.kohort.json` beside `NAME`."""
    return target.parent / f"{target.name}.kohort.json"  # `.` and `/` have no name that could be replaced


def is_path(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a source is a file, or standard input, rather than something in memory."""
    return isinstance(source, str | os.PathLike)


def paths(source: object) -> tuple[Path, ...]:
    """The files that the target must not be."""
    return (Path(source),) if is_path(source) and source != "-" else ()
