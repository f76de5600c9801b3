"""How strict each privacy model can be with a table as it stands: its largest k and l, its smallest t, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohort.models.known import models, variants
from kohort.schema.numbers import rounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.assessment.profile import TableProfile as Seen
    from kohort.models.base import Achieved
    from kohort.models.known import Variant


@dataclass(frozen=True, slots=True)
class Strictest:
    """The strictest value of one parameter of a privacy model with which a table meets the model.

    Attributes:
        key: A short name of model and parameter: `k`, `l`, `t-ordered`.
        model: The model, as the literature calls it.
        sensitive: The sensitive column; `None` for models of the whole table.
        achieved: The value; or why there is none.
    """

    key: str
    model: str
    sensitive: str | None
    achieved: Achieved

    @property
    def text(self) -> str:
        """`l = 3`; rounded to the less strict side, so that the table meets what it says.

        >>> from fractions import Fraction
        >>> from kohort.models.base import Achieved
        >>> third = Fraction(1, 3)
        >>> Strictest("t-equal", "t-closeness", "illness", Achieved("t", third)).text
        't = 0.3334'
        >>> Strictest("recursive-2", "recursive (c,2)-diversity", "illness", Achieved("c", third, attained=False)).text
        'c above 0.3334'
        >>> Strictest("k-map", "k-map", None, Achieved("k", None, reason="no population table")).text
        'none: no population table'
        """
        one = self.achieved
        if one.value is None:
            return f"none: {one.reason}"
        return f"{one.parameter} {'=' if one.attained else 'above'} {rounded(one.value, 4, up=not one.rising)}"

    @property
    def number(self) -> float | None:
        """The value with at most nine digits, which a parameter may have, rounded to the less strict side."""
        one = self.achieved
        if one.value is None or one.value.denominator == 1:
            return None if one.value is None else one.value.numerator
        return float(rounded(one.value, 9, up=not one.rising))


@dataclass(frozen=True, slots=True)
class Alike:
    """The people of whom a class reveals a sensitive value outright, which k-anonymity does not see.

    Attributes:
        sensitive: The sensitive column.
        people: People with a value in classes where only one value occurs.
    """

    sensitive: str
    people: int


def strictest(seen: Seen, sensitive: Sequence[str]) -> tuple[Strictest, ...]:
    """What the classes achieve by each model, of the table and of the `sensitive` columns; nothing without a class."""
    if not seen.classes.sizes.size:
        return ()
    return (*_of_table(seen), *(one for name in sensitive for one in _of_column(seen, name)))


def alike(seen: Seen, sensitive: Sequence[str]) -> tuple[Alike, ...]:
    """Whose value of each of these columns a class reveals."""
    return tuple(Alike(name, seen.alike(name)) for name in sensitive)


def _of_table(seen: Seen) -> Iterator[Strictest]:
    """Models of people; those of a population last."""
    tried = [one for kind in models().values() if not kind.specification.of_column for one in variants(kind, "")]
    for one in sorted(tried, key=lambda one: one.model.declared.population):
        yield from _found(seen, one)


def _of_column(seen: Seen, name: str) -> Iterator[Strictest]:
    for kind in models().values():
        for one in variants(kind, name) if kind.specification.of_column else ():
            yield from _found(seen, one)


def _found(seen: Seen, variant: Variant) -> Iterator[Strictest]:
    """What the classes achieve by a model; where it has several parameters, each with its name."""
    key, title, model = variant
    found = seen.achieved(model)
    for one in found:
        yield Strictest(key if len(found) == 1 else f"{key}-{one.parameter}", title, model.declared.sensitive, one)
