"""What a privacy model is, which there are, and the parameters that they take: exact numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, Protocol, cast

from kohort.errors import UsageError
from kohort.models import MODELS
from kohort.specification import plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from kohort.arrays import Counts, Mask
    from kohort.core.frequency import ClassProfile
    from kohort.specification import Specification

#: Why no parameter of a model of values will do, where nobody in a class has one.
NOBODY: Final = "a class has no values"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What a model declares of itself; whatever it leaves out does not hold of it.

    Search prunes only on what is declared here; `kohort.testing.check_model` looks for counter-examples.

    Attributes:
        monotone_generalization: Whether the union of satisfying classes that share no people always satisfies.
        monotone_suppression: Whether generalizing never makes more records fall into classes that fail.
        sensitive: The sensitive attribute it looks at; `None` when it looks at none.
        population: Whether it needs a population table.
        refers: Whether it compares classes with the whole table before its release.
        uses_hierarchy: Whether the hierarchy of the sensitive attribute, where it has one, says how far values are
            apart.
        needs_hierarchy: Whether it cannot be judged without one.
        smallest_class: No class with fewer people satisfies the model.
        smallest_population: No class that fits fewer people of the population satisfies it.
        least_values: No class with fewer different values satisfies it.
        different_values: Whether different values in a class are enough for it, though they may mean much the same.
        of_numbers: Whether the attribute must be numeric for it to be judged.
        size_only: Whether every class with at least `smallest_class` people satisfies it, and nothing else counts.
        class_only: Whether a class is judged by the values that its own people have, whatever others there are.
        some_values: Whether it also judges histograms with `places`, where only those values are counted that a class
            has: of thousands it has few.
        joint: Where it is judged on all released classes together, of which some may fail alone, as of an average:
            whether the classes satisfy it when they, and no others, are released.
    """

    monotone_generalization: bool
    monotone_suppression: bool
    sensitive: str | None = None
    population: bool = False
    refers: bool = False
    uses_hierarchy: bool = False
    needs_hierarchy: bool = False
    smallest_class: int = 1
    smallest_population: int = 1
    least_values: int = 0
    different_values: bool = False
    of_numbers: bool = False
    size_only: bool = False
    class_only: bool = False
    some_values: bool = False
    joint: Callable[[ClassProfile], bool] | None = None


class PrivacyModel(Protocol):
    """A requirement on every equivalence class of a release, written once and used everywhere.

    A model is a frozen dataclass of its parameters, the sensitive attribute first; it inherits from nothing.
    """

    specification: ClassVar[Specification]
    """What it says of itself, whatever its parameters."""

    @property
    def name(self) -> str:
        """As the literature writes it, with its parameter: `10-anonymity`."""
        ...

    @property
    def declared(self) -> Declaration:
        """What it declares with these parameters."""
        ...

    def satisfied(self, classes: ClassProfile) -> Mask:
        """(c,) which classes satisfy the model, each as if it were released alone."""
        ...

    def achieved(self, classes: ClassProfile) -> tuple[Achieved, ...]:
        """The strictest parameters with which the classes, at least one, satisfy the model together.

        Its other parameters stay as they are, and what the model itself is given for this one does not matter. A model
        that does not know how to find them has none: `()`.
        """
        ...


def satisfied_jointly(model: PrivacyModel, classes: ClassProfile) -> bool:
    """Whether the classes satisfy the model when they, and no others, are released together."""
    together = model.declared.joint
    return bool(model.satisfied(classes).all()) if together is None else together(classes)


@cache
def models() -> Mapping[str, type[PrivacyModel]]:
    """Every model by its key in a job; those of other packages are entry points `kohort.models`.

    Raises:
        UsageError: another package brings a model by a key that is taken, or that is not the model's own.

    >>> models()["entropy-l"].specification.title
    'entropy l-diversity'
    """
    found: Mapping[str, type[PrivacyModel]] = plugins("kohort.models", MODELS)
    for key, kind in found.items():
        if kind.specification.key != key:
            what = f"{kind.__name__} is registered as {key}, but its own key is {kind.specification.key}"
            raise UsageError(what, where="entry points kohort.models", hint="name the entry point by the model's key")
    return found


def build(kind: type[PrivacyModel], sensitive: str | None, parameters: Mapping[str, object]) -> PrivacyModel:
    """The model with these parameters, of a sensitive attribute unless there is none.

    Raises:
        UsageError: They are none that it takes.
    """
    make = cast("Callable[..., PrivacyModel]", kind)
    return make(**({} if sensitive is None else {"sensitive": sensitive}), **parameters)


def judging_together(models: Iterable[PrivacyModel]) -> str:
    """The first of some models that needs all classes at once; empty where none does."""
    for model in models:
        declared = model.declared
        if declared.population or declared.joint or not declared.monotone_generalization:
            return f"the model {model.name}, which judges classes together,"
    return ""


class Variant(NamedTuple):
    """A model as it is measured.

    Attributes:
        key: Its short name: `l`, `recursive-2`, `t-ordered`.
        title: As the literature calls it: `recursive (c,2)-diversity`.
        model: The model with an example of each parameter.
    """

    key: str
    title: str
    model: PrivacyModel


def variants(kind: type[PrivacyModel], sensitive: str) -> Iterator[Variant]:
    """The model with every example of its parameters; about `sensitive`, if it is about an attribute.

    >>> [one.key for one in variants(models()["recursive"], "illness")]
    ['recursive-2', 'recursive-3']
    """
    told = kind.specification
    for values in product(*(one.examples for one in told.parameters)):
        key, title = told.flag.removeprefix("--"), told.title
        for one, value in zip(told.parameters, values, strict=True):
            if len(one.examples) > 1:
                key = f"{key}-{value}"
                title, found = re.subn(rf"\b{one.name}\b", str(value), title)
                title += "" if found else f", {value} {one.name}"
        parameters = {one.name: value for one, value in zip(told.parameters, values, strict=True)}
        yield Variant(key, title, build(kind, sensitive if told.of_column else None, parameters))


#: The greatest denominator of a parameter: its products with counts of people stay below 2**62.
FINEST = 10**9

#: Why nothing is achieved of a model of a population.
NO_POPULATION: Final = "no population table is given"

#: Digits before the point, or zeros after it, that no parameter needs: a longer power of ten is not even written out.
_LONGEST = 30


def exact_number(value: object, letter: str) -> Fraction | None:
    """The number that `value` is, or writes; a float counts as the decimal that it prints. `None`: it is no number.

    Raises:
        UsageError: It has more than nine digits after the point.

    >>> exact_number(0.1, "t"), exact_number("1/3", "t"), exact_number("1_0", "t"), exact_number(True, "t")
    (Fraction(1, 10), Fraction(1, 3), None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        return None
    try:
        number = value if isinstance(value, Fraction) else _written(str(value))
    except (ValueError, InvalidOperation, ZeroDivisionError):
        return None
    if number is None or abs(number) >= 10**_LONGEST:
        return None
    if number.denominator > FINEST:
        raise UsageError(f"{letter} has more than nine digits after the point", where=letter, hint="round it")
    return number


def _written(text: str) -> Fraction | None:
    """The decimal or the fraction that `text` writes, in ASCII digits without underscores."""
    if not text.isascii() or "_" in text:
        return None
    if "/" in text:
        return Fraction(text)
    decimal = Decimal(text)
    return Fraction(decimal) if decimal.is_finite() and abs(decimal.adjusted()) <= _LONGEST else None


def is_whole(value: object, least: int) -> bool:
    """Whether `value` is an integer of at least `least`; `True` is none."""
    return type(value) is int and value >= least


def check_name(sensitive: object) -> None:
    """Refuse what names no column.

    Raises:
        UsageError: It is no text, or an empty one.
    """
    if not isinstance(sensitive, str) or not sensitive:
        raise UsageError("the model must name a sensitive attribute", hint="the name of the column, such as 'illness'")


def population_of(classes: ClassProfile, name: str) -> Counts:
    """(c,) the people of the population table in each class.

    Raises:
        UsageError: There is no population table.
    """
    if classes.population is None:
        raise UsageError(f"{name} needs a population table", hint="give the register that the table is a sample of")
    return classes.population
