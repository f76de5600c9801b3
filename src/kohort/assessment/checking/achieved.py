"""How strict each privacy model can be with a table as it stands: its largest k and l, its smallest t, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.base import Achieved
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.models.t_closeness import DISTANCES, TCloseness, distances_of
from kohort.schema.numbers import rounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.assessment.profile import TableProfile as Seen
    from kohort.models.base import PrivacyModel


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
    return tuple(Alike(name, seen.alike(DistinctLDiversity(name, 2))) for name in sensitive)


#: A parameter that is not looked at.
_ANY = Fraction(1, 2)


def _of_table(seen: Seen) -> Iterator[Strictest]:
    yield from _found(seen, "k", "k-anonymity", KAnonymity(2))
    yield from _found(seen, "max-risk", "maximum risk", MaximumRisk(_ANY))
    yield from _found(seen, "average-risk", "average risk", AverageRisk(_ANY))
    if seen.whole.population is None:
        reason = "no population table is given"
        for key, model, parameter in (("k-map", "k-map", "k"), ("presence", "delta-presence", "delta")):
            yield Strictest(key, model, None, Achieved(parameter, None, reason=reason))
    else:
        yield from _found(seen, "k-map", "k-map", KMap(2))
        yield from _found(seen, "presence", "delta-presence", DeltaPresence(_ANY, _ANY))


def _of_column(seen: Seen, name: str) -> Iterator[Strictest]:
    yield from _found(seen, "l", "distinct l-diversity", DistinctLDiversity(name, 2))
    yield from _found(seen, "entropy-l", "entropy l-diversity", EntropyLDiversity(name, Fraction(2)))
    for l in (2, 3):  # noqa: E741  the paper's letter
        made = RecursiveLDiversity(name, _ANY, l)
        yield from _found(seen, f"recursive-{l}", f"recursive (c,{l})-diversity", made)
    has = distances_of(seen.domain(name))
    for distance in DISTANCES:
        key, model = f"t-{distance}", f"t-closeness, {distance} distance"
        if distance in has:
            yield from _found(seen, key, model, TCloseness(name, _ANY, distance))
        else:
            reason = "the column has no hierarchy" if distance == "hierarchical" else "the values are not numbers"
            yield Strictest(key, model, name, Achieved("t", None, reason=reason))
    yield from _found(seen, "alpha", "(alpha,k)-anonymity", AlphaKAnonymity(name, _ANY, 2))
    yield from _found(seen, "delta-disclosure", "delta-disclosure privacy", DeltaDisclosure(name, _ANY))
    yield from _found(seen, "beta", "basic beta-likeness", BasicBetaLikeness(name, _ANY))
    yield from _found(seen, "enhanced-beta", "enhanced beta-likeness", EnhancedBetaLikeness(name, _ANY))


def _found(seen: Seen, key: str, name: str, model: PrivacyModel) -> Iterator[Strictest]:
    """What the classes achieve by a model; where it has several parameters, each with its name."""
    found = seen.achieved(model)
    for one in found:
        yield Strictest(key if len(found) == 1 else f"{key}-{one.parameter}", name, model.sensitive, one)
