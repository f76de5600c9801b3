"""What a sweep publishes: its figures and a picture, both or neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Outputs(Generic[S]):
    """The files of a sweep."""

    forms: tuple[tuple[Path, Callable[[S], bytes]], ...]
    overwrite: bool
    inputs: tuple[Path, ...]

    def __post_init__(self) -> None:
        """Refuse at once what could not be published."""
        from kohort.publish import check_target

        paths = [path for path, _ in self.forms]
        if paths:
            check_target(paths[0], overwrite=self.overwrite, inputs=self.inputs, companions=paths[1:])

    def publish(self, found: S) -> None:
        """Publish them, all or none."""
        from kohort.publish import Companion, publish

        if not self.forms:
            return
        contents = [(path, form(found)) for path, form in self.forms]
        (target, first), *others = contents
        publish(
            target,
            lambda file: file.write(first),
            lambda _: None,
            companions=[Companion(path, _always(content)) for path, content in others],
            overwrite=self.overwrite,
            inputs=self.inputs,
        )


def _always(content: bytes) -> Callable[[None], bytes]:
    """What a companion holds, whatever was verified."""
    return lambda _: content
