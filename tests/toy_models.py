"""What the models that tests make up have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.core.frequency import ClassProfile
    from kohort.models.base import Achieved


class ToyModel:
    """A model that no job asks for, and of whose parameters nothing is known."""

    __slots__ = ()

    specification: ClassVar[Specification] = Specification("toy", "a toy", "A model of a test.")

    def achieved(self, classes: ClassProfile) -> tuple[Achieved, ...]:  # noqa: ARG002  as models have it
        """Nothing: it has no parameters."""
        return ()
