"""The keys of privacy models in a job file, from their specifications; each model itself refuses what it cannot be."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, cast

from pydantic import Field, PlainValidator, WithJsonSchema, create_model

from kohort.errors import KohortError
from kohort.job.parts import Part
from kohort.job.values import wrong
from kohort.models.base import build, models
from kohort.models.k_anonymity import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.models.base import PrivacyModel
    from kohort.specification import Parameter, Specification

#: A column's name where only the parameter is looked at.
_ANY: Final = "column"

#: A count in digits.
_digits = re.compile(r"[1-9][0-9]{0,17}").fullmatch

#: A number as text.
_TEXT: Final = {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+|/[0-9]+)?|\.[0-9]+)$"}

#: How a number of each kind is kept.
_TYPES: Final[Mapping[str, type]] = {"integer": int, "number": Fraction, "string": str}


def attribute_of(key: str) -> str:
    """The name that a key has in the form."""
    return key.replace("-", "_")


def model_keys(*, of_column: bool) -> dict[str, Any]:
    """The keys that ask for models of columns, or of the whole table, each with what it may say.

    The metadata of a key's field is the model's `Specification`: its flag, what that takes, and whether of a column.
    """
    found: dict[str, Any] = {}
    for key, kind in models().items():
        told = kind.specification
        if told.of_column is of_column:
            found[attribute_of(key)] = _field(key, Annotated[_value(kind) | None, told], told.sentence)
            for one in told.parameters:
                if one.origin == "beside":
                    words = Literal[tuple(cast("list[str]", one.bounds["enum"]))]  # type: ignore[valid-type]
                    found[attribute_of(one.name)] = _field(one.name, Annotated[words | None, one], one.sentence)
    return found


def _field(key: str, annotation: object, sentence: str) -> tuple[object, object]:
    alias = None if attribute_of(key) == key else key
    return annotation, Field(None, alias=alias, description=sentence)


def _value(kind: type[PrivacyModel]) -> Any:  # noqa: ANN401  a type
    """What may stand at the key of a model: a number, the two ends of a range, or a table of numbers."""
    told = kind.specification
    if told.is_range:
        items = _schema(told.own[0])
        schema = {"type": "array", "items": items, "minItems": len(told.own), "maxItems": len(told.own)}
        return Annotated[tuple[Fraction, ...], PlainValidator(_range(kind)), WithJsonSchema(schema)]
    if len(told.own) == 1:
        return _number(kind, told.own[0])
    keys: dict[str, Any] = {one.name: (_number(kind, one), Field(description=one.sentence)) for one in told.own}
    name = "".join(word.capitalize() for word in told.key.split("-"))
    return create_model(f"{name}Part", __base__=Part, __doc__=f"The parameters of {told.title}.", **keys)


def _number(kind: type[PrivacyModel], parameter: Parameter) -> Any:  # noqa: ANN401  a type
    """One parameter as the model reads it; digits in quotes are a count where a flag may write them, but no k."""
    digits = parameter.kind == "integer" and kind.specification.key != KEY

    def read(value: object) -> object:
        given = int(value) if digits and isinstance(value, str) and _digits(value) else value
        return _read(kind, {parameter.name: str(given) if isinstance(given, Decimal) else given})[parameter.name]

    return Annotated[_TYPES[parameter.kind], PlainValidator(read), WithJsonSchema(_schema(parameter))]


def _range(kind: type[PrivacyModel]) -> Callable[[object], tuple[object, ...]]:
    told = kind.specification

    def read(value: object) -> tuple[object, ...]:
        ends = [str(one) for one in cast("list[object]", value)] if isinstance(value, list) else []
        if len(ends) != len(told.own):
            examples = ", ".join(str(one.examples[0]) for one in told.own)
            raise wrong(f"{told.key} is two {told.unit}s, the least and the greatest", f"such as [{examples}]")
        return tuple(_read(kind, dict(zip((one.name for one in told.own), ends, strict=True))).values())

    return read


def _read(kind: type[PrivacyModel], given: Mapping[str, object]) -> dict[str, object]:
    """Parameters as the model keeps them, the others being what they may be."""
    told = kind.specification
    usual = {one.name: one.examples[0] for one in told.parameters if one.origin != "beside"}
    try:
        made = build(kind, _ANY if told.of_column else None, {**usual, **given})
    except KohortError as error:
        raise wrong(error.what, error.hint) from None
    return {name: getattr(made, name) for name in given}


def _schema(parameter: Parameter) -> dict[str, Any]:
    """A parameter in JSON Schema; a number may be written as a text."""
    bounds = dict(parameter.bounds)
    return {"anyOf": [bounds, _TEXT]} if parameter.kind == "number" else bounds


def asked_for(told: Specification, part: Part, k: int | None) -> dict[str, object] | None:
    """The parameters that a table of the job says for a model; `None` where it does not ask for it, or lacks a k."""
    value = getattr(part, attribute_of(told.key))
    if value is None or (k is None and any(one.origin == "job" for one in told.parameters)):
        return None
    found: dict[str, object] = {}
    for place, one in enumerate(told.own):
        if told.is_range:
            found[one.name] = value[place]
        else:
            found[one.name] = value if len(told.own) == 1 else getattr(value, one.name)
    for one in told.parameters:
        if one.origin != "key":
            found[one.name] = k if one.origin == "job" else getattr(part, attribute_of(one.name))
    return found
