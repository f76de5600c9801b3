"""What the keys of privacy models may say; each model itself refuses what its parameter cannot be."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from pydantic import PlainValidator, WithJsonSchema

from kohort.errors import KohortError
from kohort.job.values import passing, wrong
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
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
from kohort.models.t_closeness import TCloseness

if TYPE_CHECKING:
    from collections.abc import Callable

#: A column's name where only the parameter is looked at.
_ANY: Final = "column"

#: A count in digits.
_digits = re.compile(r"[1-9][0-9]{0,17}").fullmatch


def _parameter(read: Callable[[Any], object]) -> PlainValidator:
    """The parameter as the model reads it."""

    def validator(value: object) -> object:
        try:
            return read(str(value) if isinstance(value, Decimal) else value)
        except KohortError as error:
            raise wrong(error.what, error.hint) from None

    return PlainValidator(validator)


def _count(read: Callable[[Any], object]) -> PlainValidator:
    """The same, where the digits of a flag are a count."""
    return _parameter(lambda value: read(int(value) if isinstance(value, str) and _digits(value) else value))


def _presence(value: object) -> tuple[Fraction, Fraction]:
    """The least and the greatest share of the people whom a class fits."""
    shares = [str(one) for one in cast("list[object]", value)] if isinstance(value, list) else []
    if len(shares) != 2:  # noqa: PLR2004  two ends
        raise wrong("presence is two shares, the least and the greatest", "such as [0.1, 0.9]")
    try:
        made = DeltaPresence(*cast("list[Fraction]", shares))
    except KohortError as error:
        raise wrong(error.what, error.hint) from None
    return made.low, made.high


_TEXT = {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+|/[0-9]+)?$"}
_AT_LEAST_2 = WithJsonSchema({"type": "integer", "minimum": 2})
_ABOVE_0 = WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, _TEXT]})
_ABOVE_1 = WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 1}, _TEXT]})
_SHARE = WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, _TEXT]})
_SHARES = WithJsonSchema({"type": "array", "items": _SHARE.json_schema, "minItems": 2, "maxItems": 2})

K = Annotated[int, PlainValidator(passing(KAnonymity)), _AT_LEAST_2]
MapK = Annotated[int, _count(lambda k: KMap(k).k), _AT_LEAST_2]
Presence = Annotated[tuple[Fraction, Fraction], PlainValidator(_presence), _SHARES]
Maximum = Annotated[Fraction, _parameter(lambda share: MaximumRisk(share).threshold), _SHARE]
Average = Annotated[Fraction, _parameter(lambda share: AverageRisk(share).threshold), _SHARE]

DistinctL = Annotated[int, _count(lambda least: DistinctLDiversity(_ANY, least).l), _AT_LEAST_2]
EntropyL = Annotated[Fraction, _parameter(lambda least: EntropyLDiversity(_ANY, least).l), _ABOVE_1]
RecursiveC = Annotated[Fraction, _parameter(lambda c: RecursiveLDiversity(_ANY, c, 2).c), _ABOVE_0]
RecursiveL = Annotated[int, _count(lambda least: RecursiveLDiversity(_ANY, Fraction(1), least).l), _AT_LEAST_2]
Closeness = Annotated[Fraction, _parameter(lambda t: TCloseness(_ANY, t).t), _SHARE]
Alpha = Annotated[Fraction, _parameter(lambda alpha: AlphaKAnonymity(_ANY, alpha, 2).alpha), _SHARE]
Delta = Annotated[Fraction, _parameter(lambda delta: DeltaDisclosure(_ANY, delta).delta), _ABOVE_0]
Beta = Annotated[Fraction, _parameter(lambda beta: BasicBetaLikeness(_ANY, beta).beta), _ABOVE_0]
EnhancedBeta = Annotated[Fraction, _parameter(lambda beta: EnhancedBetaLikeness(_ANY, beta).beta), _ABOVE_0]
