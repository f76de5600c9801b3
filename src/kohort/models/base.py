"""What a privacy model is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.frequency import ClassProfile


class PrivacyModel(Protocol):
    """A requirement on every equivalence class of a release, written once and used everywhere.

    Search prunes only on what is declared here; `kohort.testing.check_model` looks for counter-examples.
    """

    @property
    def name(self) -> str:
        """As the literature writes it, with its parameter: `10-anonymity`."""
        ...

    @property
    def sensitive(self) -> str | None:
        """The sensitive attribute it looks at; `None` when it looks at none."""
        ...

    @property
    def smallest_class(self) -> int:
        """No class with fewer records satisfies the model."""
        ...

    @property
    def size_only(self) -> bool:
        """Whether every class with at least `smallest_class` records satisfies the model."""
        ...

    @property
    def monotone_generalization(self) -> bool:
        """Whether the union of satisfying classes always satisfies."""
        ...

    @property
    def monotone_suppression(self) -> bool:
        """Whether generalizing never makes more records fall into classes that fail."""
        ...

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes satisfy the model."""
        ...
