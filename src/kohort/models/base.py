"""What a privacy model is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kohort.arrays import Mask
    from kohort.frequency import ClassProfile


class PrivacyModel(Protocol):
    """A requirement on every equivalence class of a release, written once and used everywhere.

    Search prunes only on what is declared here; `kohort.testing.check_model` looks for counter-examples. What most
    models have in common is the default: a model that inherits from this says only what is different.
    """

    @property
    def name(self) -> str:
        """As the literature writes it, with its parameter: `10-anonymity`."""
        ...

    @property
    def sensitive(self) -> str | None:
        """The sensitive attribute it looks at; `None` when it looks at none."""
        return None

    @property
    def population(self) -> bool:
        """Whether it needs a population table."""
        return False

    @property
    def uses_hierarchy(self) -> bool:
        """Whether the hierarchy of the sensitive attribute, where it has one, says how far values are apart."""
        return False

    @property
    def smallest_class(self) -> int:
        """No class with fewer people satisfies the model."""
        return 1

    @property
    def size_only(self) -> bool:
        """Whether every class with at least `smallest_class` people satisfies the model, and nothing else counts."""
        return False

    @property
    def class_only(self) -> bool:
        """Whether a class is judged by the values that its own people have, whatever others there are in the table."""
        return False

    @property
    def some_values(self) -> bool:
        """Whether it also judges histograms from which values are left out that nobody in them has.

        Of thousands of values a class has few. What others there are says `domain.whole`.
        """
        return self.class_only

    @property
    def joint(self) -> bool:
        """Whether it is judged on all released classes together, of which some may fail alone: an average."""
        return False

    @property
    def monotone_generalization(self) -> bool:
        """Whether the union of satisfying classes that share no people always satisfies."""
        ...

    @property
    def monotone_suppression(self) -> bool:
        """Whether generalizing never makes more records fall into classes that fail."""
        ...

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes satisfy the model, each as if it were released alone."""
        ...

    def satisfied_jointly(self, classes: ClassProfile) -> bool:
        """Whether the classes satisfy the model when they, and no others, are released together."""
        return bool(self.satisfied(classes).all())
