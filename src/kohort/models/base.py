"""What a privacy model is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kohort.arrays import Mask
    from kohort.core.frequency import ClassProfile


#: Why no parameter of a model of values will do, where nobody in a class has one.
NOBODY: Final = "in a class nobody has a value"


@dataclass(frozen=True, slots=True)
class Achieved:
    """The strictest value of a model's parameter with which classes satisfy the model together.

    Attributes:
        parameter: The parameter's name: `k`, `l`, `t`.
        value: Its strictest value; `None` if no value will do.
        rising: Whether a greater value is stricter, as of k and l.
        attained: Whether the value itself satisfies; if not, every less strict one does: the definition says "below".
        reason: Why no value will do; empty if one does.
    """

    parameter: str
    value: Fraction | None
    rising: bool = False
    attained: bool = True
    reason: str = ""

    def allows(self, value: Fraction) -> bool:
        """Whether classes satisfy the model with this value of the parameter.

        >>> [Achieved("k", Fraction(5), rising=True).allows(Fraction(k)) for k in (4, 5, 6)]
        [True, True, False]
        """
        if self.value is None:
            return False
        return (value < self.value if self.rising else value > self.value) or (self.attained and value == self.value)

    def joined(self, other: Achieved) -> Achieved:
        """What these classes and others achieve together: the less strict value."""
        if self.value is None or other.value is None:
            return self if self.value is None else other
        less_strict = min if self.rising else max
        return self if less_strict(self.value, other.value) == self.value else other


def greatest_ratio(parts: NDArray[np.int64 | np.float64], wholes: NDArray[np.int64 | np.float64]) -> Fraction:
    """The greatest part / whole, exactly; of at least one pair, whose wholes are above 0.

    >>> import numpy as np
    >>> greatest_ratio(np.array([1, 2, 0]), np.array([3, 5, 7]))
    Fraction(2, 5)
    """
    ratios = parts / wholes
    near = ratios >= ratios.max() * (1 - 1e-12)  # division rounds: those that may be the greatest are compared exactly
    pairs = {*zip(parts[near].tolist(), wholes[near].tolist(), strict=True)}
    return max(Fraction(part) / Fraction(whole) for part, whole in pairs)


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

    def achieved(self, classes: ClassProfile) -> tuple[Achieved, ...]:  # noqa: ARG002  for those that know
        """The strictest parameters with which the classes, at least one, satisfy the model together.

        Its other parameters stay as they are, and what the model itself is given for this one does not matter. A model
        that does not say how to find them has none.
        """
        return ()
